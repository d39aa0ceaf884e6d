// Pending work on one slice, made again for all.
#pragma once

#include "ops/vmap/recorded.hpp"

#include <optional>
#include <vector>

namespace sinter::ops {

/// A placeholder and the tensors that it stands for: one for each index of the leading dimension.
struct mapped_tensor {
    placeholder slice;
    Tensor all;
};

/// Returns what `results` are for all indices, with a leading dimension of this size: pending, and
/// without gradients. What depends on no placeholder is repeated, which takes no memory. Returns
/// nothing if some of the work was run already, which failed for want of a value.
std::optional<std::vector<Tensor>> over_batch(const std::vector<Tensor>& results,
                                              const std::vector<mapped_tensor>& mapped,
                                              int64_t size);

}  // namespace sinter::ops

// Slices and single indices of a dimension, checked: what select, slice, narrow and index share.
#pragma once

#include "engine/graph/graph.hpp"

#include <optional>

namespace sinter::front {

/// Start and length of a slice of a dimension.
struct slice_part {
    int64_t start, length;
};
/// With Python's clamping; the step is positive.
slice_part clamp_slice(int64_t size, std::optional<int64_t> from, std::optional<int64_t> to,
                       int64_t step);
/// The index from 0; throws IndexError naming the dimension of `g`.
int64_t wrap_index(const char* op, int64_t index, int64_t dim, const geometry& g, int64_t size);
/// Throws IndexError on a tensor without dimensions.
void require_dimensions(const char* op, const geometry& g);

}  // namespace sinter::front

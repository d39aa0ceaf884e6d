// Checked slices and single indices of a dimension, for select, slice, narrow and index.
#pragma once

#include "engine/graph/graph.hpp"

#include <optional>

namespace sinter::ops {

/// The start and length of a slice of a dimension.
struct slice_part {
    int64_t start, length;
};
/// Returns the slice with Python's clamping. The step must be positive.
slice_part clamp_slice(int64_t size, std::optional<int64_t> from, std::optional<int64_t> to,
                       int64_t step);
/// Returns the index counted from 0. Throws IndexError naming the dimension of `g`.
int64_t wrap_index(const char* op, int64_t index, int64_t dim, const geometry& g, int64_t size);
/// Throws IndexError for a tensor without dimensions.
void require_dimensions(const char* op, const geometry& g);

}  // namespace sinter::ops

// Equal elements, or equal slices, brought together: what sets are made of.
#pragma once

#include <sinter/dtype.hpp>

#include <cstdint>
#include <vector>

namespace sinter::ordering {

struct groups {
    std::vector<int64_t> order;   // indices; those of a group rise and stand side by side
    std::vector<int64_t> begins;  // where in `order` each group begins
};

/// `n` dense slices of `size` elements. Groups are ordered by their first different element, NaN
/// last; each slice with a NaN is a group of its own.
groups sorted_groups(const char* data, ScalarType dtype, int64_t n, int64_t size);
/// Runs of equal neighbours; `order` counts from 0.
groups neighbour_groups(const char* data, ScalarType dtype, int64_t n, int64_t size);

}  // namespace sinter::ordering

// Groups of equal elements, or of equal slices, for set operations.
#pragma once

#include <sinter/dtype.hpp>

#include <cstdint>
#include <vector>

namespace sinter::ordering {

struct groups {
    std::vector<int64_t> order;   // indices; those of a group are adjacent and rising
    std::vector<int64_t> begins;  // the position in `order` at which each group begins
};

/// Groups `n` dense slices of `size` elements. Groups are ordered by the first element that
/// differs, NaN last. Each slice with a NaN is a group of its own.
groups sorted_groups(const char* data, ScalarType dtype, int64_t n, int64_t size);
/// Groups runs of equal neighbours; `order` is 0, 1, 2, ...
groups neighbour_groups(const char* data, ScalarType dtype, int64_t n, int64_t size);

}  // namespace sinter::ordering

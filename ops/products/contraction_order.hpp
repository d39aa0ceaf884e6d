// The order in which several labelled operands are contracted, two at a time.
#pragma once

#include "ops/products/labels.hpp"

#include <sinter/core/array_ref.hpp>

#include <cstddef>
#include <vector>

namespace sinter::ops {

/// Two terms. Results of steps are numbered after the operands.
struct contraction_step {
    std::size_t a, b;
};

/// Returns the order with the smallest sum of multiplications and elements written. For more than 8
/// terms it is greedy: each step leaves the fewest elements, and among those multiplies least.
/// Depends on labels and sizes only.
std::vector<contraction_step> cheapest_order(const std::vector<label_set>& terms,
                                             const label_set& output, const label_sizes& sizes);

/// Returns the order that a caller gave: positions in the list of the remaining terms, with results
/// at its end.
std::vector<contraction_step> order_of_path(IntArrayRef path, std::size_t terms);

}  // namespace sinter::ops

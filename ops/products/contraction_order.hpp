// In which order several labelled operands are contracted, two at a time.
#pragma once

#include "ops/products/labels.hpp"

#include <sinter/array_ref.hpp>

#include <cstddef>
#include <vector>

namespace sinter::front {

/// Two terms; the results of the steps are counted on behind the operands.
struct contraction_step {
    std::size_t a, b;
};

/// The order with the least sum of multiplications and of elements written; for more than 8 terms
/// step by step the one that leaves least, and of those the one that multiplies least. A function
/// of labels and sizes only.
std::vector<contraction_step> cheapest_order(const std::vector<label_set>& terms,
                                             const label_set& output, const label_sizes& sizes);

/// The order that a caller gave: places in the list of what is left, results at its end.
std::vector<contraction_step> order_of_path(IntArrayRef path, std::size_t terms);

}  // namespace sinter::front

// Counting elements in parts of a range.
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::ordering {

/// inputs: floating elements, any shape. Counts, of the same dtype, in as many equal parts of
/// [numbers[0], numbers[1]] as the result has elements, or of the elements' own range where both
/// are equal. Throws on a range that is not finite.
extern const kernel_op histc_op;
/// inputs: floating elements. Equally distant edges, of the same dtype, from numbers[0] to
/// numbers[1], or over the elements' own range where numbers[2].
extern const kernel_op edges_op;
/// inputs: elements, rising edges, perhaps weights of the elements' sizes; all of one floating
/// dtype. Sums of weights, or counts, between edges.
extern const kernel_op histogram_op;
/// inputs: a vector of Long, none negative and all less than the result's size, perhaps weights
/// of its size. How often each number occurs (Long), or sums of weights, of their dtype.
extern const kernel_op bincount_op;

}  // namespace sinter::ordering

// Histograms and counts.
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::ordering {

/// Counts floating elements of any shape (inputs[0]) in equal bins. The result has one element per
/// bin and the same dtype. The range is [numbers[0], numbers[1]], or that of the elements if both
/// are equal. Throws if the range is not finite.
extern const kernel_op histc_op;
/// Equally distant edges for floating elements (inputs[0]), in the same dtype. The range is
/// [numbers[0], numbers[1]], or that of the elements if numbers[2].
extern const kernel_op edges_op;
/// inputs: elements, rising edges, and optionally weights of the elements' sizes, all of one
/// floating dtype. Returns the sum of weights, or the count, between neighbouring edges.
extern const kernel_op histogram_op;
/// inputs: a vector of Long, each at least 0 and less than the result's size, and optionally
/// weights of its size. Returns how often each number occurs (Long), or sums of weights in their
/// dtype.
extern const kernel_op bincount_op;

}  // namespace sinter::ordering

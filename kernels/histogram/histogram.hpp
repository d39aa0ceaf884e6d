// Histograms and counts.
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::ordering {

struct histogram_range {
    double low = 0, high = 0;
    bool of_elements = false;  // true: from the least to the largest element instead
    bool operator==(const histogram_range&) const = default;
};

/// Counts floating elements of any shape (inputs[0]) in equal bins of the range. The result has one
/// element per bin and the same dtype. Throws if the range is not finite. Attributes:
/// histogram_range.
extern const kernel_op histc_op;
/// Equally distant edges over the range, for floating elements (inputs[0]) and in their dtype.
/// Attributes: histogram_range.
extern const kernel_op edges_op;
/// inputs: elements, rising edges, and optionally weights of the elements' sizes, all of one
/// floating dtype. Returns the sum of weights, or the count, between neighbouring edges.
extern const kernel_op histogram_op;
/// inputs: a vector of Long, each at least 0 and less than the result's size, and optionally
/// weights of its size. Returns how often each number occurs (Long), or sums of weights in their
/// dtype.
extern const kernel_op bincount_op;

}  // namespace sinter::ordering

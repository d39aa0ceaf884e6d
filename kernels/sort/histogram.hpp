// Histograms and counts.
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::ordering {

struct histogram_range {
    double low = 0, high = 0;
    bool of_elements = false;  // from the least to the largest element instead
    bool operator==(const histogram_range&) const = default;
};

/// inputs: floating elements, any shape. Counts, of the same dtype, in as many equal parts of the
/// range as the result has elements. Throws on a range that is not finite. Attributes:
/// histogram_range.
extern const kernel_op histc_op;
/// inputs: floating elements. Equally distant edges, of the same dtype, over the range.
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

// Operations on the order of the elements in rows. NaN is larger than everything, and equal
// elements keep their order. The sizes of inputs[0] are those of the result except along the
// dimension of the attributes.
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::ordering {

struct order_attributes {
    int64_t dim;
    bool descending = false;
    int64_t first = 0;  // position in the order at which the result begins
    bool operator==(const order_attributes&) const = default;
};
struct median_attributes {
    int64_t dim;
    bool ignore_nan;
    bool operator==(const median_attributes&) const = default;
};
struct mode_attributes {
    int64_t dim;
    bool operator==(const mode_attributes&) const = default;
};

/// The indices (Long) of the elements at positions `first` and after of the order, as many as the
/// result has room for. Attributes: order_attributes.
extern const kernel_op order_op;
/// Two results of the same sizes: these elements, and their indices. Attributes: order_attributes.
extern const kernel_op sorted_op;
/// The index (Long, one per row) of the first NaN if there is one, else of the lower median. With
/// `ignore_nan`, NaNs are ignored unless all elements are NaN. Attributes: median_attributes.
extern const kernel_op median_op;
/// The index (Long, one per row) of the most frequent element: the smallest of equally frequent
/// ones, at its last position. Attributes: mode_attributes.
extern const kernel_op mode_op;

}  // namespace sinter::ordering

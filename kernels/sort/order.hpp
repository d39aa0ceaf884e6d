// Kernels about the order of the elements of rows: which comes where. NaN is
// larger than everything, equal elements keep their order. inputs[0] has the result's sizes but in
// the dimension of the attributes.
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::ordering {

struct order_attributes {
    int64_t dim;
    bool descending = false;
    int64_t first = 0;  // place in the order that the result begins with
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

/// The indices (Long) of the elements that come at `first` and after, as many as the result has
/// room for. Attributes: order_attributes.
extern const kernel_op order_op;
/// The index of the lower median (Long, one a row): of the first NaN if there is one, unless NaN is
/// ignored. Attributes: median_attributes.
extern const kernel_op median_op;
/// The index of the element that appears most often (Long, one a row): of equally frequent ones the
/// smallest, and its last index. Attributes: mode_attributes.
extern const kernel_op mode_op;

}  // namespace sinter::ordering

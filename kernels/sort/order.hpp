// Operations on the order of the elements in rows. NaN is larger than everything, and equal
// elements keep their order. The sizes of inputs[0] are those of the result except along dimension
// numbers[0].
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::ordering {

/// The indices (Long) of the elements at positions numbers[2] and after of the order, as many as
/// the result has room for. Descending if numbers[1].
extern const kernel_op order_op;
/// The index (Long, one per row) of the first NaN if there is one, else of the lower median. If
/// numbers[1], NaNs are ignored.
extern const kernel_op median_op;
/// The index (Long, one per row) of the most frequent element: the smallest of equally frequent
/// ones, at its last position.
extern const kernel_op mode_op;

}  // namespace sinter::ordering

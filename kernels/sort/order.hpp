// Kernels about the order of the elements of rows: which comes where. NaN is
// larger than everything, equal elements keep their order. inputs[0] has the result's sizes but in
// the dimension numbers[0].
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::ordering {

/// The indices (Long) of the elements that come at numbers[2] and after, as many as the result has
/// room for; largest first where numbers[1].
extern const kernel_op order_op;
/// The index of the lower median (Long, one a row): of the first NaN if there is one, or of the
/// elements that are not NaN where numbers[1].
extern const kernel_op median_op;
/// The index of the element that appears most often (Long, one a row): of equally frequent ones the
/// smallest, and its last index.
extern const kernel_op mode_op;

}  // namespace sinter::ordering

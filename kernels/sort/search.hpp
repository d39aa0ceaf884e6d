// Searching in sorted rows.
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::ordering {

/// inputs: values, then sorted rows along the last dimension with the values' other sizes, then
/// perhaps indices (Long) that sort those. Where each value belongs, as Int or Long: behind equal
/// elements where numbers[0].
extern const kernel_op searchsorted_op;
/// inputs: elements, then a vector, both of one dtype. Whether each element is in the vector, or is
/// not where numbers[0]: Bool.
extern const kernel_op isin_op;

}  // namespace sinter::ordering

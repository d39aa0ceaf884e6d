// Quantiles of rows.
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::ordering {

enum class interpolation : uint8_t { linear, lower, higher, midpoint, nearest };

/// inputs: Float or Double rows along the dimension numbers[0], and a vector of q of their dtype,
/// which has the result's size there. numbers[1]: interpolation; numbers[2]: whether NaN is left
/// out. Arithmetic is in the dtype.
extern const kernel_op quantile_op;

}  // namespace sinter::ordering

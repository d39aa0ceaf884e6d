// Quantiles of rows.
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::ordering {

enum class interpolation : uint8_t { linear, lower, higher, midpoint, nearest };

/// inputs: Float or Double rows along dimension numbers[0], and a vector q of the same dtype. The
/// result has the size of q along that dimension. numbers[1]: the interpolation; numbers[2]: true
/// ignores NaN. Arithmetic is in the dtype.
extern const kernel_op quantile_op;

}  // namespace sinter::ordering

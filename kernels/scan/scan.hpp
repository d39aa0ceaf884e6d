// Scans: each element of the result combines the elements of its row up to its position. inputs[0]
// and the result have equal sizes; numbers[0] is the dimension.
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::scan {

/// Sums and products. The result has the input's dtype, or is Long for an integral input. Float and
/// Double accumulate in double, Half and BFloat16 in float, integers and bools in 64 bits.
extern const kernel_op cumsum_op, cumprod_op;
/// Extremes (of the input's dtype) and their positions (Long). The last of equal elements or NaNs
/// wins.
extern const kernel_op cummax_op, cummax_indices_op, cummin_op, cummin_indices_op;
/// log(sum(exp(x))), accumulated in double. Takes floating dtypes.
extern const kernel_op logcumsumexp_op;

}  // namespace sinter::scan

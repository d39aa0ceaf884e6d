// Scans: each element of the result combines the elements of its row up to its position. inputs[0]
// and the results have equal sizes. Attributes: scan_attributes.
#pragma once

#include "kernels/kernel_op.hpp"
#include "kernels/scan/fold_table.cuh"

namespace sinter::scan {

struct scan_attributes {
    int64_t dim;
    bool operator==(const scan_attributes&) const = default;
};

/// cumsum_op, cumprod_op: sums and products. The result has the input's dtype, or is Long for an
/// integral input. Float and Double accumulate in double, Half and BFloat16 in float, integers and
/// bools in 64 bits.
#define SINTER_OP(name, ...) extern const kernel_op name##_op;
SINTER_FOLD_SCANS(SINTER_OP)
#undef SINTER_OP
/// Two results: extremes (of the input's dtype) and their indices in the row (Long). The last of
/// equal elements or NaNs wins.
extern const kernel_op cummax_op, cummin_op;
/// log(sum(exp(x))), accumulated in double. Takes floating and complex dtypes.
extern const kernel_op logcumsumexp_op;

}  // namespace sinter::scan

// The expansion of each row into primitives, by row and machine type.
#pragma once

#include "jit/kernel_ir/kernel_ir.hpp"

#include <sinter/op/op.hpp>

namespace sinter::kernel_ir {

/// Appends the formula over `args` to the current builder and returns its result, not yet rounded
/// to a narrower logical type.
using expand_fn = value_id (*)(const value_id* args);

/// Returns the expansion of `row` computed in `t`; for rows of rule `random`, the one that draws a
/// `t`. Null if the row's rule refuses the type.
expand_fn row_expansion(uint16_t row, mtype t);

/// Returns true if a number among Half or BFloat16 operands stays a Float, as in PyTorch: `h * 0.1`
/// rounds once. In other rows, including + and -, a number is treated like a tensor of the
/// operands' dtype.
constexpr bool keeps_numbers_wide(uint16_t row, ScalarType in) {
    return is_narrow_float(in) && (row == op::mul || row == op::div);
}

}  // namespace sinter::kernel_ir

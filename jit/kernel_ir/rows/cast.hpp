// Conversion between logical types, by PyTorch's rules for values that the target cannot represent.
#pragma once

#include "jit/kernel_ir/kernel_ir.hpp"

namespace sinter::kernel_ir {

/// Appends the conversion of `v`, of logical type `from`, to the current builder; returns its
/// result.
///
/// Float to integer truncates. Out of range or NaN gives the minimum for i32 and i64, the low bits
/// of the i32 result for i8 and i16, and the low byte of the i64 result for u8. Anything to bool is
/// != 0; NaN is true. Conversions to Half and BFloat16 go through f32, as in PyTorch. Integers
/// wrap.
value_id cast_value(value_id v, ScalarType from, ScalarType to);

}  // namespace sinter::kernel_ir

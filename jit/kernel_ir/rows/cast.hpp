// Conversion between logical types, by PyTorch's rules where a value has no equal in the target.
#pragma once

#include "jit/kernel_ir/kernel_ir.hpp"

namespace sinter::kernel_ir {

/// Appends the conversion of `v`, of logical type `from`, to the current builder.
///
/// Float to integer truncates; out of range or NaN it gives i32 and i64 their minimum, i8 and i16
/// the low bits of the i32 result, u8 the low byte of the i64 result. Anything to bool is != 0, NaN
/// true. To Half and BFloat16 everything goes through f32, as in PyTorch. Integers wrap.
value_id cast_value(value_id v, ScalarType from, ScalarType to);

}  // namespace sinter::kernel_ir

// The opmath type of compositions: Half and BFloat16 compute in Float, so that only the result is
// rounded.
#pragma once

#include "ops/common/op_checks.hpp"
#include "runtime/types/dtypes.hpp"

namespace sinter::ops {

inline ScalarType opmath_type(ScalarType t) { return is_narrow_float(t) ? compute_dtype(t) : t; }
inline Tensor to_opmath(const tensor_base& t) { return t.to(opmath_type(t.scalar_type())); }

}  // namespace sinter::ops

// The opmath type of compositions: Half and BFloat16 compute in Float, so that only the result is
// rounded.
#pragma once

#include "ops/common/op_checks.hpp"
#include "runtime/types/dtypes.hpp"

namespace sinter::ops {

inline ScalarType opmath_type(ScalarType t) { return is_narrow_float(t) ? compute_dtype(t) : t; }
inline Tensor to_opmath(const tensor_base& t) { return t.to(opmath_type(t.scalar_type())); }

/// Throws NotImplementedError unless the dtype is floating.
inline void require_floating(const char* op, ScalarType dtype) {
    require_real(op, dtype);
    if (!isFloatingType(dtype))
        fail<NotImplementedError>(op, "the dtype is not floating", toString(dtype),
                                  "a floating dtype", "to(kFloat) first");
}

}  // namespace sinter::ops

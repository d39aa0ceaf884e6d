// Norms of elements, for the functions composed of them.
#pragma once

#include "ops/common/op_checks.hpp"

namespace sinter::ops {

/// Returns the p-norm of x over `dims`, or over all dimensions if there are none. x must be
/// floating or complex, and not Half or BFloat16.
Tensor power_norm(const Tensor& x, double p, IntArrayRef dims, bool keepdim);
/// Throws if there are no elements and the norm is undefined for none.
void require_value(const char* op, const TensorImpl& t, double p, IntArrayRef dims);
/// Throws Error: a norm of `from` elements cannot be computed in `to`.
[[noreturn]] void refuse_norm_dtype(const char* op, ScalarType from, ScalarType to);

}  // namespace sinter::ops

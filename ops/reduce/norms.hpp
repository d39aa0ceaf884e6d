// Norms of elements, for the functions that are made of them.
#pragma once

#include "ops/common/op_checks.hpp"

namespace sinter::front {

/// The p-norm of x, which is inexact and not narrow, over `dims`; of all dimensions if there is
/// none.
Tensor power_norm(const Tensor& x, double p, IntArrayRef dims, bool keepdim);
/// Throws where there is no element and the norm has no value for that.
void require_value(const char* op, const geometry& g, double p, IntArrayRef dims);

}  // namespace sinter::front

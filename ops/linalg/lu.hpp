// LU factors, and systems solved with them.
#pragma once

#include "ops/linalg/routine_call.hpp"

namespace sinter::front {

/// Of A, or of its transpose where that is what lies by columns.
struct lu_factors {
    Tensor lu, pivots, info;
    bool transposed;
};
/// `as_it_is`: of A itself.
lu_factors factor_now(const char* op, const TensorImpl& A, bool as_it_is = false);
lu_factors factor_later(const char* op, const TensorImpl& A, bool as_it_is = false);

/// X of A X = B, or X A = B if not `left`; B (batch..., n, k) or (batch..., k, n). `adjoint`: of
/// A^H for A, from the left and from A's own factors.
Tensor solve_now(const char* op, const lu_factors& a, const Tensor& B, bool left,
                 bool adjoint = false);
Tensor solve_later(const char* op, const lu_factors& a, const Tensor& B, bool left);

}  // namespace sinter::front

// LU factors, and systems solved with them.
#pragma once

#include "ops/linalg/routine_call.hpp"

namespace sinter::ops {

/// Factors of A, or of its transpose if that is column-major.
struct lu_factors {
    Tensor lu, pivots, info;
    bool transposed;
};
/// `as_it_is`: factor A itself, never its transpose.
lu_factors factor_now(const char* op, const TensorImpl& A, bool as_it_is = false);
lu_factors factor_later(const char* op, const TensorImpl& A, bool as_it_is = false);

/// Returns true if these functions factor the transpose of A.
bool factors_transpose(const TensorImpl& A);

/// Returns X of A X = B, or of X A = B if not `left`; B is (batch..., n, k) or (batch..., k, n).
/// `adjoint` uses A^H for A; it requires `left` and factors that are not transposed.
Tensor solve_now(const char* op, const lu_factors& a, const Tensor& B, bool left,
                 bool adjoint = false);
Tensor solve_later(const char* op, const lu_factors& a, const Tensor& B, bool left,
                   bool adjoint = false);

/// Returns X of A^H X = B, or of X A^H = B if not `left`.
Tensor solve_adjoint_later(const char* op, const lu_factors& a, const Tensor& B, bool left);

}  // namespace sinter::ops

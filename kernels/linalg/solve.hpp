// Linear systems by LU with partial pivoting: LAPACK's gesv.
#pragma once

#include "jit/graph/graph.hpp"

namespace sinter::blas {

/// x of a x = b for (batch..., n, n) and (batch..., n, k), both of x's dtype (Float or Double) and
/// batch sizes, in any layout. x is contiguous, as b's shape. Throws LinAlgError on the first
/// singular matrix; x is then undefined.
void solve(const library_input& a, const library_input& b, char* x);

}  // namespace sinter::blas

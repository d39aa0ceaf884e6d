// Sources of the formulas: PyTorch, torch/csrc/autograd/FunctionsManual.cpp (cholesky_backward,
// linalg_qr_backward, lu_factor_ex_backward, pinv_backward), and M. Giles, "An extended collection
// of matrix derivative results for forward and reverse mode algorithmic differentiation" (2008).
#include "ops/linalg/gradients.hpp"

#include <sinter/expr/expr.hpp>
#include <sinter/functions/functions.hpp>
#include <sinter/functions/linalg.hpp>
#include <sinter/functions/products.hpp>

namespace sinter::ops {
namespace {

/// Returns T^-H X for a triangular T, which is `upper`.
Tensor after_adjoint(const Tensor& T, const Tensor& X, bool upper, bool unit = false) {
    return linalg_solve_triangular(T.mH(), X, !upper, true, unit);
}
/// Returns X T^-H.
Tensor before_adjoint(const Tensor& X, const Tensor& T, bool upper) {
    return linalg_solve_triangular(T.mH(), X, !upper, false);
}

/// Returns the triangle with half its diagonal.
Tensor half_diagonal(const Tensor& triangle) {
    return triangle - 0.5 * triangle.diagonal(0, -2, -1).diag_embed();
}

}  // namespace

Tensor sum_of_gradients(const Tensor& a, const Tensor& b) {
    if (!a.defined()) return b;
    return b.defined() ? Tensor(a + b) : a;
}

// With A = L L^H, L^-1 dA L^-H is the Hermitian sum of L^-1 dL and its adjoint, so L^-1 dL is its
// lower triangle with half the diagonal.
Tensor gradient_of_cholesky(const Tensor& g, const Tensor& factor, bool upper) {
    const Tensor L = upper ? factor.mH() : factor;
    const Tensor gradient = upper ? g.mH() : g;
    const Tensor half = half_diagonal(matmul(L.mH(), gradient).tril());
    const Tensor middle = 0.5 * (half + half.mH());
    return linalg_solve_triangular(L, after_adjoint(L, middle, false), false, false);
}

// A wide A = Q [R, Q^H A2] has a square part in front. The rest adds to the gradient of Q.
Tensor gradient_of_qr(const Tensor& of_q, const Tensor& of_r, const Tensor& Q, const Tensor& R) {
    const int64_t k = R.size(-2), behind = R.size(-1) - k;
    const Tensor square = R.narrow(-1, 0, k);
    Tensor gq = of_q, gr = of_r, rest;
    if (behind > 0) {
        const Tensor g =
            of_r.defined() ? of_r.narrow(-1, k, behind) : zeros_like(R.narrow(-1, k, behind));
        rest = matmul(Q, g);
        if (of_r.defined()) {
            gr = of_r.narrow(-1, 0, k);
            gq = sum_of_gradients(gq, matmul(matmul(Q, R.narrow(-1, k, behind)), g.mH()));
        }
    }
    Tensor m;
    if (gr.defined()) m = matmul(gr, square.mH());
    if (gq.defined()) m = sum_of_gradients(m, -matmul(Q.mH(), gq));
    const Tensor half = half_diagonal(m.triu());
    const Tensor of_front =
        before_adjoint(sum_of_gradients(matmul(Q, half + half.mH()), gq), square, true);
    return behind > 0 ? cat({of_front, rest}, -1) : of_front;
}

Tensor gradient_of_lu(const Tensor& g, const Tensor& P, const Tensor& L, const Tensor& U) {
    const int64_t m = L.size(-2), n = U.size(-1), k = U.size(-2);
    const Tensor gl = g.narrow(-1, 0, k).tril(-1), gu = g.narrow(-2, 0, k).triu();
    const Tensor l = L.narrow(-2, 0, k), u = U.narrow(-1, 0, k);
    Tensor below = matmul(l.mH(), gl.narrow(-2, 0, k));
    Tensor above = matmul(gu.narrow(-1, 0, k), u.mH());
    if (n > k) below = below - matmul(gu.narrow(-1, k, n - k), U.narrow(-1, k, n - k).mH());
    if (m > k) above = above - matmul(L.narrow(-2, k, m - k).mH(), gl.narrow(-2, k, m - k));
    Tensor middle = below.tril(-1) + above.triu();
    if (n > k) {
        middle = cat({before_adjoint(middle, u, true), gu.narrow(-1, k, n - k)}, -1);
        return matmul(P, after_adjoint(l, middle, false, true));
    }
    middle = after_adjoint(l, middle, false, true);
    if (m > k) middle = cat({middle, gl.narrow(-2, k, m - k)}, -2);
    return matmul(P, before_adjoint(middle, u, true));
}

// G. H. Golub and V. Pereyra, "The differentiation of pseudo-inverses and nonlinear least squares
// problems whose variables separate", SIAM J. Numer. Anal. 10 (1973): dP = -P dA P
// + P P^H dA^H (I - A P) + (I - P A) dA^H P^H P.
Tensor gradient_of_pinv(const Tensor& g, const Tensor& P, const Tensor& A) {
    const Tensor ph = P.mH(), gh = g.mH();
    const Tensor right = matmul(gh, matmul(P, ph)), left = matmul(matmul(ph, P), gh);
    return right - matmul(A, matmul(P, right)) + left - matmul(matmul(left, P), A) -
           matmul(ph, matmul(g, ph));
}

}  // namespace sinter::ops

// Gradients of singular and eigenvalue decompositions. Sources of the formulas: PyTorch,
// torch/csrc/autograd/FunctionsManual.cpp (svd_backward, linalg_eig_backward).
#include "ops/linalg/gradients.hpp"

#include "runtime/base/fail.hpp"

#include <sinter/expr/expr.hpp>
#include <sinter/functions/functions.hpp>
#include <sinter/functions/linalg.hpp>
#include <sinter/functions/pointwise.hpp>
#include <sinter/functions/products.hpp>

namespace sinter::ops {
namespace {

/// Returns values[j] - values[i] off the diagonal and 1 on it.
Tensor differences(const Tensor& values) {
    return values.unsqueeze(-2) - values.unsqueeze(-1) + eye(values.size(-1), values.options());
}

Tensor skew(const Tensor& X) { return X - X.mH(); }

/// Throws Error if a gradient turns phases of complex vectors, which are arbitrary: then the loss
/// has no derivative. The tolerance is PyTorch's, but grows with the gradients. `inside` are
/// products V^H G of vectors and their gradients, which are columns.
void refuse_phases(const char* op, std::initializer_list<Tensor> inside,
                   std::initializer_list<Tensor> columns) {
    NoGradGuard unrecorded;
    Tensor turning, size;
    for (const Tensor& X : inside)
        if (X.defined()) turning = sum_of_gradients(turning, imag(X.diagonal(0, -2, -1)));
    for (const Tensor& g : columns)
        if (g.defined()) size = sum_of_gradients(size, linalg_vector_norm(g, 2, {-2}));
    if (turning.numel() == 0) return;
    const Tensor excess = abs(turning) - 1e-2 * size.clamp_min(1);
    if (!(excess > 0).any().item<bool>()) return;
    runtime::fail(
        op, "the loss depends on the phases of complex vectors, which are arbitrary",
        runtime::text("a derivative of ", abs(turning).max().item<double>(), " by a phase"), "0",
        "abs() of the vectors, or a product in which phases cancel");
}

/// Returns the diagonal of a matrix as a matrix.
Tensor on_diagonal(const Tensor& X) { return X.diagonal(0, -2, -1).diag_embed(); }

}  // namespace

Tensor gradient_of_svd(Tensor of_u, const Tensor& of_s, Tensor of_vh, Tensor U, const Tensor& S,
                       Tensor Vh) {
    const int64_t k = S.size(-1), m = U.size(-2), n = Vh.size(-1);
    U = U.narrow(-1, 0, k);
    Vh = Vh.narrow(-2, 0, k);
    if (!of_u.defined() && !of_vh.defined()) return matmul(U * of_s.unsqueeze(-2), Vh);
    const Tensor row = S.unsqueeze(-2), column = S.unsqueeze(-1);
    // The squares differ by the product of difference and sum, which does not overflow so soon.
    const Tensor E =
        where(eye(k, S.options()) != 0, ones({}, S.options()), differences(S) * (row + column));
    Tensor middle, beside;
    Tensor inside_u, inside_v;
    if (of_u.defined()) {
        of_u = of_u.narrow(-1, 0, k);
        inside_u = matmul(U.mH(), of_u);
    }
    if (of_vh.defined()) {
        of_vh = of_vh.narrow(-2, 0, k);
        inside_v = matmul(Vh, of_vh.mH());
    }
    if (U.is_complex())
        refuse_phases("linalg_svd", {inside_u, inside_v},
                      {of_u, of_vh.defined() ? of_vh.mH() : of_vh});
    if (of_s.defined()) middle = of_s.diag_embed();
    if (of_u.defined()) {
        const Tensor turning = skew(inside_u);
        middle = sum_of_gradients(middle, turning / E * row);
        // The phases of both vectors of a value turn together: what one of them gives is all.
        if (U.is_complex() && of_vh.defined()) middle = middle + on_diagonal(turning) / (2 * row);
        if (m > k) beside = matmul((of_u - matmul(U, inside_u)) / row, Vh);
    }
    if (of_vh.defined()) {
        middle = sum_of_gradients(middle, column * (skew(inside_v) / E));
        if (n > k)
            beside = sum_of_gradients(beside,
                                      matmul(U / row, of_vh - matmul(matmul(of_vh, Vh.mH()), Vh)));
    }
    return sum_of_gradients(matmul(matmul(U, middle), Vh), beside);
}

Tensor gradient_of_eigh(const Tensor& of_values, const Tensor& of_vectors, const Tensor& values,
                        const Tensor& V) {
    if (!of_vectors.defined()) return matmul(V * of_values.unsqueeze(-2), V.mH());
    // Vectors stay orthogonal: they turn into each other by a skew matrix. So the gradient is
    // Hermitian.
    const Tensor inside = matmul(V.mH(), of_vectors), X = 0.5 * skew(inside);
    if (V.is_complex()) refuse_phases("linalg_eigh", {inside}, {of_vectors});
    Tensor middle = (X - on_diagonal(X)) / differences(values);
    if (of_values.defined()) middle = middle + of_values.diag_embed();
    return matmul(matmul(V, middle), V.mH());
}

Tensor gradient_of_eig(const Tensor& of_values, const Tensor& of_vectors, const Tensor& values,
                       const Tensor& V) {
    Tensor middle;
    if (of_values.defined()) middle = of_values.diag_embed();
    if (of_vectors.defined()) {
        const Tensor X = matmul(V.mH(), of_vectors);
        refuse_phases("linalg_eig", {X}, {of_vectors});
        // The norm of a vector stays 1, so its length does not follow A.
        const Tensor length = real(X.diagonal(0, -2, -1)).unsqueeze(-2);
        const Tensor turned = X - matmul(V.mH(), V * length);
        middle =
            sum_of_gradients(middle, (turned - on_diagonal(turned)) / conj(differences(values)));
    }
    return std::get<0>(linalg_solve_ex(V.mH(), matmul(middle, V.mH())));
}

}  // namespace sinter::ops

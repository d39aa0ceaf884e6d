// Determinants, from the diagonal of LU and the parity of its pivots: one library call and a fused
// kernel.
#include "ops/autograd/function.hpp"
#include "ops/linalg/checks.hpp"
#include "ops/linalg/lu.hpp"
#include "ops/linalg/tiny.hpp"

#include <sinter/functions/complex_math.hpp>
#include <sinter/expr/expr.hpp>
#include <sinter/functions/functions.hpp>
#include <sinter/functions/pointwise.hpp>
#include <sinter/functions/products.hpp>

#include <sinter/limits.hpp>

#include <cmath>
#include <limits>

namespace sinter::inline v1 {

namespace {

struct diagonal_of_lu {
    ops::lu_factors f;
    Tensor values;  // the diagonal of U
    Tensor signs;   // -1 for each swap of rows, else 1; real

    explicit diagonal_of_lu(const char* op, const tensor_base& A, bool as_it_is = false)
        : f(ops::factor_later(op, ops::square_matrices(op, A), as_it_is)) {
        const TensorImpl& a = ops::body(op, A);
        values = f.lu.diagonal(0, -2, -1);
        const Tensor in_place = arange(1, ops::rows(a) + 1, ops::beside(a, kInt));
        signs = 1 - 2 * (f.pivots != in_place).to(toRealValueType(a.dtype));
    }
};

Tensor det_of(const tensor_base& A) {
    if (const TensorImpl& a = ops::square_matrices("linalg_det", A); ops::are_tiny(a, 0)) {
        const ops::tiny_elimination e(A.self(), {});
        Tensor product = e.sign;
        for (std::size_t i = 0; i < e.rows.size(); ++i) product = product * e.rows[i][i];
        return product;
    }
    const diagonal_of_lu d("linalg_det", A);
    return (d.values * d.signs).prod(-1);
}

std::tuple<Tensor, Tensor> slogdet_of(const tensor_base& A) {
    const diagonal_of_lu d("linalg_slogdet", A);
    const bool complex = d.values.is_complex();
    const Tensor directions = complex ? Tensor(sgn(d.values)) : Tensor(sign(d.values));
    return {(directions * d.signs).prod(-1), log(abs(d.values)).sum(-1)};
}

/// Returns a number for each matrix that is small beside its elements, but not 0.
Tensor small_beside(const Tensor& A, double relative) {
    const Tensor largest = abs(A).amax({-2, -1});
    return where(largest > 0, largest, ones({}, largest.options())) * relative;
}

constexpr const char* det_name = "linalg_det";

Tensor as_matrices(const Tensor& numbers) { return numbers.unsqueeze(-1).unsqueeze(-1); }

/// Returns A + e I with a small e where A is nearly singular, so that the inverse exists.
Tensor invertible(const Tensor& A) {
    const double small = std::sqrt(finfo(toRealValueType(A.scalar_type())).eps);
    Tensor moved;
    {
        NoGradGuard unrecorded;
        const Tensor pivots = abs(diagonal_of_lu(det_name, A).values),
                     limit = small_beside(A, small);
        moved = where(pivots.amin(-1) < limit, limit, 0);
    }
    return A + as_matrices(moved) * eye(A.size(-1), A.options());
}

/// Returns conj(det(A)) A^-H, whose elements are conjugate polynomials of those of A: a singular A
/// has them as well. A pivot of 0 becomes a very small one.
Tensor computed_cofactors(const Tensor& A) {
    diagonal_of_lu d(det_name, A, true);
    const double eps = finfo(toRealValueType(A.scalar_type())).eps;
    const Tensor moved = where(d.values == 0, small_beside(A, eps).unsqueeze(-1), 0);
    const Tensor det = ((d.values + moved) * d.signs).prod(-1);
    d.f.lu = d.f.lu + moved.diag_embed();
    const Tensor unit = eye(A.size(-1), A.options()).expand(A.sizes());
    return as_matrices(conj(det)) * ops::solve_later(det_name, d.f, unit, true, true);
}

/// The same with a gradient. With X = A^-H and the gradient H it is
/// conj(det(A)) (tr(H^H X) X - X H^H X).
Tensor cofactors(const Tensor& A) {
    return autograd::with_rule(
        det_name, {&A}, {1, 0}, [&] { return computed_cofactors(A); },
        [](const autograd::rule_call& c) -> autograd::variable_list {
            const Tensor B = invertible(c.operand(0)), X = std::get<0>(linalg_inv_ex(B)).mH();
            const Tensor h = c.grad().mH();
            const Tensor trace = (conj(c.grad()) * X).sum({-2, -1});
            return {as_matrices(conj(linalg_det(B))) *
                    (as_matrices(trace) * X - matmul(matmul(X, h), X))};
        });
}

/// With the sign s = det(A) / |det(A)|, whose angle turns by the imaginary part of tr(A^-1 dA).
Tensor gradient_of_slogdet(const autograd::rule_call& c) {
    const Tensor A = c.operand(0);
    const Tensor& of_log = c.grad(1);
    Tensor factor = of_log;
    if (A.is_complex() && c.grad(0).defined()) {
        const Tensor w = conj(c.grad(0)) * c.result(0), turning = (conj(w) - w) / 2;
        factor = factor.defined() ? Tensor(factor + turning) : turning;
    }
    if (!factor.defined()) return {};  // a real sign is constant
    const auto [inverse, info] = linalg_inv_ex(A);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return where(as_matrices(info) != 0, nan, as_matrices(factor) * inverse.mH());
}

}  // namespace

Tensor linalg_det(const tensor_base& A) {
    return autograd::with_rule(
        det_name, {&A}, {1, 0, true}, [&] { return det_of(A); },
        [](const autograd::rule_call& c) -> autograd::variable_list {
            const Tensor A = c.operand(0);
            return {A.numel() == 0 ? zeros_like(A) : as_matrices(c.grad()) * cofactors(A)};
        });
}

std::tuple<Tensor, Tensor> linalg_slogdet(const tensor_base& A) {
    return autograd::with_rule(
        "linalg_slogdet", {&A}, {1, 1, true}, [&] { return slogdet_of(A); },
        [](const autograd::rule_call& c) -> autograd::variable_list {
            return {gradient_of_slogdet(c)};
        });
}

Tensor logdet(const tensor_base& A) {
    auto [direction, size] = linalg_slogdet(A);
    if (direction.is_complex()) return log(direction) + size;
    return size.where(direction != -1, std::numeric_limits<double>::quiet_NaN());
}

Tensor det(const tensor_base& A) { return linalg_det(A); }
std::tuple<Tensor, Tensor> slogdet(const tensor_base& A) { return linalg_slogdet(A); }
Tensor tensor_base::det() const { return linalg_det(*this); }
Tensor tensor_base::logdet() const { return sinter::logdet(*this); }
std::tuple<Tensor, Tensor> tensor_base::slogdet() const { return linalg_slogdet(*this); }

}  // namespace sinter::inline v1

// Least squares.
#include "ops/linalg/checks.hpp"
#include "ops/linalg/gradients.hpp"
#include "ops/linalg/reflectors.hpp"

#include <sinter/expr/expr.hpp>
#include <sinter/functions/functions.hpp>
#include <sinter/functions/pointwise.hpp>
#include <sinter/functions/products.hpp>
#include <sinter/limits.hpp>

#include <array>
#include <limits>

namespace sinter::inline v1 {

using ops::body;
using ops::cols;
using ops::rows;
using runtime::fail;
using runtime::text;

namespace {

constexpr const char* lstsq = "linalg_lstsq";

using driver = lapack::least_squares_driver;

/// The default is PyTorch's, which has "gels" alone on a GPU.
driver driver_of(const optional<std::string_view>& name, bool on_gpu) {
    constexpr std::array<std::string_view, 4> names{"gels", "gelsy", "gelsd", "gelss"};
    if (!name) return on_gpu ? driver::gels : driver::gelsy;
    for (std::size_t i = 0; i < names.size(); ++i)
        if (*name == names[i]) return static_cast<driver>(i);
    ops::refuse_option(lstsq, "driver", *name, "\"gels\", \"gelsy\", \"gelsd\" or \"gelss\"",
                       "gelsy");
}

/// Returns the info of LAPACK's gels: where R has a zero on the diagonal, or an operand is not
/// finite.
Tensor info_of_gels(const Tensor& A, const Tensor& B, const Tensor& R) {
    const auto finite = [](const Tensor& t) { return isfinite(t).all(-1).all(-1); };
    const Tensor zero = R.diagonal(0, -2, -1) == 0;
    const Tensor first = zero.to(kInt).argmax(-1) + 1;
    const Tensor singular = where(zero.any(-1), first, zeros_like(first));
    return where(logical_and(finite(A), finite(B)), singular,
                 full_like(first, lapack::info_not_finite))
        .to(kInt);
}

/// The steps of gels as operations of their own, because no GPU library has all of them for a
/// batch. `padded` has the batch of the result and is padded to max(m, n) rows, as the routine's.
/// Returns what that makes of it.
Tensor solved_by_qr(const Tensor& A, const Tensor& padded, const source_line& line) {
    const int64_t m = A.size(-2), n = A.size(-1);
    if (A.numel() == 0) return zeros_like(padded);  // as LAPACK
    const bool tall = m >= n;
    const Tensor B = padded.narrow(-2, 0, m);
    const ops::reflectors f = ops::reflectors_of(lstsq, tall ? A : A.mH());
    const Tensor R = f.a.narrow(-2, 0, std::min(m, n));
    ops::check_info(lstsq, lapack::gels, info_of_gels(A, B, R), line);
    if (tall) {
        const Tensor rotated = ops::times_q(lstsq, f, B, true, true);
        const Tensor x = linalg_solve_triangular(R, rotated.narrow(-2, 0, n), true);
        return cat({x, rotated.narrow(-2, n, m - n)}, -2);
    }
    const Tensor y = linalg_solve_triangular(R.mH(), B, false);
    return ops::times_q(lstsq, f, cat({y, padded.narrow(-2, m, n - m)}, -2), true, false);
}

}  // namespace

namespace {

/// X = P B with the pseudo-inverse P, if the rank is constant. The residuals are least, so they
/// depend on A and B directly, but not through X. Rank and singular values have no gradient.
autograd::variable_list gradients_of_lstsq(const autograd::rule_call& c) {
    const bool vector = c.operand(1).dim() < c.operand(0).dim();
    const auto column = [vector](const Tensor& t) { return vector ? t.unsqueeze(-1) : t; };
    const Tensor A = c.operand(0), B = column(c.operand(1)), X = column(c.result(0));
    autograd::variable_list g(2);
    if (c.grad(0).defined()) {
        const Tensor of_x = column(c.grad(0)), P = linalg_pinv(A);
        if (c.needs(0)) g[0] = ops::gradient_of_pinv(matmul(of_x, B.mH()), P, A);
        if (c.needs(1)) g[1] = matmul(P.mH(), of_x);
    }
    if (c.grad(1).defined() && c.grad(1).numel() > 0) {
        const Tensor change = 2 * c.grad(1).unsqueeze(-2) * (matmul(A, X) - B);
        if (c.needs(0)) g[0] = ops::sum_of_gradients(g[0], matmul(change, X.mH()));
        if (c.needs(1)) g[1] = ops::sum_of_gradients(g[1], -change);
    }
    if (vector && g[1].defined()) g[1] = g[1].squeeze(-1);
    return g;
}

std::tuple<Tensor, Tensor, Tensor, Tensor> solved(const tensor_base& A, const tensor_base& B,
                                                  optional<double> rcond,
                                                  optional<std::string_view> by,
                                                  const source_line& line) {
    const TensorImpl &a = ops::matrices(lstsq, A), &b = body(lstsq, B);
    ops::require_same_dtype(lstsq, a, b);
    const int32_t fewer = a.shape->ndim - b.shape->ndim;
    if (b.shape->ndim == 0 || fewer < 0 || fewer > 1)
        fail(
            lstsq, "the right-hand side has the wrong number of dimensions", ops::shapes(a, b),
            text(a.shape->ndim, " dimensions for matrices, or ", a.shape->ndim - 1, " for vectors"),
            "unsqueeze() on the right-hand side");
    const bool vector = fewer == 1;
    const Tensor right = vector ? B.unsqueeze(-1) : B.self();
    const int64_t m = rows(a), n = cols(a), k = right.size(-1);
    if (right.size(-2) != m) ops::refuse_right_side(lstsq, a, b, m);
    const bool on_gpu = a.device != runtime::main_memory;
    const driver d = driver_of(by, on_gpu);
    const std::vector<int64_t> batch =
        broadcast_shapes(lstsq, ops::batch_of(a), ops::batch_of(body(lstsq, right)));

    // The solution has n rows and overwrites the right side, which is padded to n rows.
    std::vector<int64_t> sizes = batch;
    sizes.insert(sizes.end(), {std::max(m, n), k});
    Tensor wide = right;
    if (n > m) {
        wide = zeros(sizes, ops::beside(a, a.dtype));
        wide.narrow(-2, 0, m).copy_(right);
    }
    const ScalarType real = toRealValueType(a.dtype);
    const bool of_values = d == driver::gelsd || d == driver::gelss;
    Tensor solved, rank, values;
    if (d == driver::gels && on_gpu && body(lstsq, right).device == a.device) {
        solved = solved_by_qr(A.self(), wide.expand(sizes), line);
    } else {
        ops::routine_call call(lstsq, lapack::gels, batch);
        call.changes(A, {m, n}).changes(wide, {std::max(m, n), k});
        call.makes(kLong, {}).makes(real, of_values ? std::min(m, n) : 0).makes(kInt, {});
        call.with(lapack::least_squares_attributes{
            d, rcond.value_or(finfo(real).eps * static_cast<double>(std::max(m, n)))});
        const std::vector<Tensor> r = call.now();
        ops::check_info(lstsq, lapack::gels, r[4], line);
        solved = r[1], rank = r[2], values = r[3];
    }

    Tensor x = solved.narrow(-2, 0, n);
    Tensor residuals = empty(0, ops::beside(a, real));
    const bool full = d == driver::gels || (d != driver::gelsy && rank.eq(n).all().item<bool>());
    if (m > n && full) residuals = abs(solved.narrow(-2, n, m - n)).square().sum({-2});
    if (vector) x = x.squeeze(-1);
    if (d == driver::gels) rank = empty(0, ops::beside(a, kLong));
    if (!of_values) values = empty(0, ops::beside(a, real));
    return {std::move(x), std::move(residuals), std::move(rank), std::move(values)};
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor, Tensor> linalg_lstsq(const tensor_base& A, const tensor_base& B,
                                                        optional<double> rcond,
                                                        optional<std::string_view> by,
                                                        const source_line& line) {
    Tensor rank, values;
    auto [x, residuals] = autograd::with_rule(
        lstsq, {&A, &B}, {3, 1},
        [&]() -> std::tuple<Tensor, Tensor> {
            auto r = solved(A, B, rcond, by, line);
            rank = std::get<2>(r), values = std::get<3>(r);
            return {std::move(std::get<0>(r)), std::move(std::get<1>(r))};
        },
        gradients_of_lstsq);
    return {std::move(x), std::move(residuals), std::move(rank), std::move(values)};
}

}  // namespace sinter::inline v1

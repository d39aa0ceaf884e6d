// exp(A) by a Taylor polynomial of A / 2^s, squared s times. The degrees, the evaluation with the
// fewest products, and the norms up to which each degree is exact enough are from P. Bader, S.
// Blanes and F. Casas, "Computing the matrix exponential with an optimized Taylor polynomial
// approximation", Mathematics 7 (2019) 1174.
#include "ops/autograd/function.hpp"
#include "ops/common/devices.hpp"
#include "ops/common/opmath.hpp"

#include <sinter/expr/expr.hpp>
#include <sinter/functions/functions.hpp>
#include <sinter/functions/gathering.hpp>
#include <sinter/functions/linalg.hpp>
#include <sinter/functions/reductions.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <span>
#include <tuple>

namespace sinter::inline v1 {
namespace {

using ops::body;

constexpr const char* operation = "linalg_matrix_exp";
constexpr std::size_t degrees = 6;  // 1, 2, 4, 8, 12 and 18

/// The largest 1-norms for which the relative backward error is below 2^-24 and 2^-53.
constexpr std::array<double, degrees> float_norms{1.192092800768788e-07, 5.978858893805233e-04,
                                                  5.116619363445086e-02, 5.800524627688768e-01,
                                                  1.461661507209034e+00, 3.010066362817634e+00};
constexpr std::array<double, degrees> double_norms{2.220446049250313e-16, 2.580956802971767e-08,
                                                   3.397168839976962e-04, 4.991228871115323e-02,
                                                   2.996158913811580e-01, 1.090863719290036e+00};

/// Returns the sum of the powers, each times its factor.
Tensor combined(std::span<const double> factors, std::initializer_list<Tensor> powers) {
    Tensor sum;
    const double* factor = factors.data();
    for (const Tensor& power : powers) {
        const double f = *factor++;
        if (f == 0) continue;
        const Tensor term = f == 1 ? power : Tensor(power * f);
        sum = sum.defined() ? Tensor(sum + term) : term;
    }
    return sum;
}
Tensor combined(std::initializer_list<double> factors, std::initializer_list<Tensor> powers) {
    return combined(std::span(factors.begin(), factors.size()), powers);
}

Tensor polynomial_8(const Tensor& I, const Tensor& A, const Tensor& A2) {
    const double root = std::sqrt(177.), x3 = 2. / 3;
    const double x1 = x3 * (1 + root) / 88, x2 = x3 * (1 + root) / 352;
    const double x4 = (-271 + 29 * root) / (315 * x3), x5 = 11 * (-1 + root) / (1260 * x3);
    const double x6 = 11 * (-9 + root) / (5040 * x3), x7 = (89 - root) / (5040 * x3 * x3);
    const double y2 = (857 - 58 * root) / 630;
    const Tensor A4 = A2.bmm(combined({x1, x2}, {A, A2}));
    const Tensor A8 = combined({x3, 1}, {A2, A4}).bmm(combined({x4, x5, x6, x7}, {I, A, A2, A4}));
    return A8 + combined({1, 1, y2}, {I, A, A2});
}

Tensor polynomial_12(const Tensor& I, const Tensor& A, const Tensor& A2) {
    constexpr double b[4][4] = {
        {9.0198e-16, 0.46932117595418237389, -0.20099424927047284052, -0.04623946134063071740},
        {5.31597895759871264183, 1.19926790417132231573, 0.01179296240992997031,
         0.01108844528519167989},
        {0.18188869982170434744, 0.05502798439925399070, 0.09351590770535414968,
         0.00610700528898058230},
        {-2.0861320e-13, -0.13181061013830184015, -0.02027855540589259079,
         -0.00675951846863086359}};
    const Tensor A3 = A2.bmm(A);
    const auto q = [&](std::size_t i) { return combined(b[i], {I, A, A2, A3}); };
    const Tensor q3 = q(3), A6 = q3.bmm(q3) + q(2);
    return (q(1) + A6).bmm(A6) + q(0);
}

Tensor polynomial_18(const Tensor& I, const Tensor& A, const Tensor& A2) {
    constexpr double b[5][5] = {
        {0, -1.00365581030144618291e-01, -8.02924648241156932449e-03, -8.92138498045729985177e-04,
         0},
        {0, 3.97849749499645077844e-01, 1.36783778460411720168e+00, 4.98289622525382669416e-01,
         -6.37898194594723280150e-04},
        {-1.09676396052962061844e+01, 1.68015813878906206114e+00, 5.71779846478865511061e-02,
         -6.98210122488052056106e-03, 3.34975017086070470649e-05},
        {-9.04316832390810593223e-02, -6.76404519071381882256e-02, 6.75961301770459654925e-02,
         2.95552570429315521194e-02, -1.39180257516060693404e-05},
        {0, 0, -9.23364619367118555360e-02, -1.69364939002081722752e-02,
         -1.40086798182036094347e-05}};
    const Tensor A3 = A2.bmm(A), A6 = A3.bmm(A3);
    const auto q = [&](std::size_t i) { return combined(b[i], {I, A, A2, A3, A6}); };
    const Tensor A9 = q(0).bmm(q(4)) + q(3);
    return (q(2) + A9).bmm(A9) + q(1);
}

/// Returns the polynomial of matrices (k, n, n). `degree` is an index into the six degrees.
Tensor polynomial(std::size_t degree, const Tensor& A) {
    const Tensor I = eye(A.size(-1), A.options());
    if (degree == 0) return A + I;
    const Tensor A2 = A.bmm(A);
    switch (degree) {
        case 1: return combined({1, 1, 0.5}, {I, A, A2});
        case 2: return A2.bmm(combined({1. / 2, 1. / 6, 1. / 24}, {I, A, A2})) + (A + I);
        case 3: return polynomial_8(I, A, A2);
        case 4: return polynomial_12(I, A, A2);
        default: return polynomial_18(I, A, A2);
    }
}

/// The polynomial degree and number of squarings for one matrix.
struct recipe {
    std::size_t degree;
    int squarings;
};

recipe recipe_for(double norm, const std::array<double, degrees>& norms) {
    for (std::size_t d = 0; d < degrees; ++d)
        if (norm <= norms[d]) return {d, 0};
    if (!std::isfinite(norm)) return {degrees - 1, 0};  // the result is NaN
    return {degrees - 1, static_cast<int>(std::ceil(std::log2(norm / norms.back())))};
}

std::vector<recipe> recipes_for(const Tensor& A) {
    const Tensor norms = ops::on_host(abs(A).sum(-2).amax(-1)).to(kDouble).contiguous();
    const double* norm = norms.const_data_ptr<double>();
    const bool wide = toRealValueType(A.scalar_type()) == kDouble;
    std::vector<recipe> all;
    for (int64_t i = 0; i < A.size(0); ++i)
        all.push_back(recipe_for(norm[i], wide ? double_norms : float_norms));
    return all;
}

/// Returns the exponentials of matrices of one degree, sorted by falling numbers of squarings.
Tensor exponentials(const Tensor& A, std::span<const recipe> recipes) {
    const int most = recipes.front().squarings;
    if (most == 0) return polynomial(recipes.front().degree, A);
    std::vector<double> scales;
    for (const recipe& r : recipes) scales.push_back(std::ldexp(1., -r.squarings));
    const Tensor scale =
        tensor(scales, ops::beside(A, toRealValueType(A.scalar_type()))).reshape({-1, 1, 1});
    Tensor X = polynomial(recipes.front().degree, A * scale);
    std::vector<Tensor> done;
    for (int s = 1; s <= most; ++s) {
        const auto left =
            std::ranges::count_if(recipes, [&](const recipe& r) { return r.squarings >= s; });
        if (left < X.size(0)) {
            done.push_back(X.narrow(0, left, X.size(0) - left));
            X = X.narrow(0, 0, left);
        }
        X = X.bmm(X);
    }
    if (done.empty()) return X;
    done.push_back(X);
    std::ranges::reverse(done);
    return cat(done);
}

/// Returns the exponentials of matrices (k, n, n) in Float, Double or a complex type of these.
Tensor exponentials(const Tensor& A) {
    const std::vector<recipe> recipes = recipes_for(A);
    std::vector<int64_t> order(recipes.size());
    std::iota(order.begin(), order.end(), int64_t{0});
    const auto of = [&](int64_t i) { return recipes[static_cast<std::size_t>(i)]; };
    std::ranges::sort(order, {},
                      [&](int64_t i) { return std::tuple(of(i).degree, -of(i).squarings, i); });
    std::vector<recipe> sorted;
    std::vector<int64_t> back(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        sorted.push_back(of(order[i]));
        back[static_cast<std::size_t>(order[i])] = static_cast<int64_t>(i);
    }
    const bool in_order = std::ranges::is_sorted(order);
    const Tensor from = in_order ? A : A.index_select(0, tensor(order, ops::beside(A, kLong)));
    std::vector<Tensor> parts;
    for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
        while (end < sorted.size() && sorted[end].degree == sorted[begin].degree) ++end;
        parts.push_back(exponentials(
            from.narrow(0, static_cast<int64_t>(begin), static_cast<int64_t>(end - begin)),
            std::span(sorted).subspan(begin, end - begin)));
    }
    const Tensor all = parts.size() == 1 ? parts[0] : cat(parts);
    return in_order ? all : all.index_select(0, tensor(back, ops::beside(A, kLong)));
}

/// The gradient is the derivative at A^H in the direction G, which is a block of the exponential of
/// [[A^H, G], [0, A^H]]. Source: R. Mathias, "A chain rule for matrix functions and applications",
/// SIAM J. Matrix Anal. Appl. 17 (1996).
Tensor gradient_of_exp(const Tensor& g, const Tensor& A) {
    const int64_t n = A.size(-1);
    const Tensor adjoint = A.mH();
    const Tensor blocks = cat({cat({adjoint, g}, -1), cat({zeros_like(adjoint), adjoint}, -1)}, -2);
    return linalg_matrix_exp(blocks).narrow(-2, 0, n).narrow(-1, n, n);
}

}  // namespace

Tensor linalg_matrix_exp(const tensor_base& A) {
    const TensorImpl& t = body(operation, A);
    const int64_t dims = t.shape->ndim;
    ops::require_inexact(operation, t.dtype);
    ops::require_dims_from(operation, t, 2, "exp() for the exponential of each element");
    const int64_t n = t.shape->sizes()[dims - 1];
    if (t.shape->sizes()[dims - 2] != n)
        ops::refuse_not_square(operation, t, "exp() for the exponential of each element");
    if (t.shape->numel == 0) return A.clone();
    if (n == 1) return exp(A);
    return autograd::with_rule(
        operation, {&A}, {1, 0},
        [&] {
            return exponentials(ops::to_opmath(A).reshape({-1, n, n}))
                .reshape(A.sizes())
                .to(t.dtype);
        },
        [](const autograd::rule_call& c) -> autograd::variable_list {
            return {gradient_of_exp(c.grad(), c.operand(0))};
        });
}

Tensor matrix_exp(const tensor_base& A) { return linalg_matrix_exp(A); }
Tensor tensor_base::matrix_exp() const { return linalg_matrix_exp(*this); }

}  // namespace sinter::inline v1

// The matrix exponential, compared with closed forms, and with the series with many more terms.
#include <sinter/sinter.hpp>

#include "tests/seed.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace sinter;

namespace {

double largest(const Tensor& t) { return t.numel() == 0 ? 0 : abs(t).max().item<double>(); }

/// Returns the series of A / 2^s with 40 terms, squared s times, in Double.
Tensor by_series(const Tensor& A) {
    const Tensor x = A.to(A.is_complex() ? kComplexDouble : kDouble).eval();
    int squarings = 0;
    double norm = linalg::matrix_norm(x, 1).max().item<double>();
    while (norm > 0.5) norm /= 2, ++squarings;
    const Tensor scaled = (x * std::ldexp(1., -squarings)).eval();
    Tensor sum = eye(x.size(-1), x.scalar_type()).expand(x.sizes()), term = sum;
    for (int k = 1; k < 40; ++k) {
        term = (term.matmul(scaled) / static_cast<double>(k)).eval();
        sum = (sum + term).eval();
    }
    for (int s = 0; s < squarings; ++s) sum = sum.matmul(sum).eval();
    return sum;
}

/// Returns the error in units of eps times the result's norm and the norm of A, which is the
/// problem's condition.
double error_of(const Tensor& A, const Tensor& r) {
    const double eps = finfo(toRealValueType(A.scalar_type())).eps;
    const Tensor expected = by_series(A);
    const double norm = std::max(1., linalg::matrix_norm(A, 1).max().item<double>());
    return largest((r - expected).to(expected.scalar_type())) /
           (eps * norm * std::max(largest(expected), 1e-300));
}

}  // namespace

TEST_CASE("every degree of the polynomial, and squarings") {
    for (ScalarType t : {kFloat, kDouble, kComplexFloat, kComplexDouble}) {
        manual_seed(test::seed());
        const Tensor base = randn({5, 5}, t);
        const Tensor unit = base / linalg::matrix_norm(base, 1);
        for (double norm : {0., 1e-17, 1e-9, 1e-7, 1e-5, 2e-4, 3e-3, 0.03, 0.1, 0.29, 0.5, 1., 1.4,
                            2., 2.9, 4., 10., 40.}) {
            CAPTURE(norm);
            CAPTURE(toString(t));
            const Tensor A = (unit * norm).eval();
            CHECK(error_of(A, linalg::matrix_exp(A)) < 20);
        }
    }
}

TEST_CASE("a batch takes for each matrix what its norm asks for") {
    for (ScalarType t : {kFloat, kDouble, kComplexDouble}) {
        manual_seed(test::seed());
        const Tensor norms =
            tensor({30., 0., 1e-3, 2., 1e-12, 7., 0.2, 1e-6, 30., 0.04, 1., 60.}, kDouble);
        const Tensor base = randn({12, 3, 3}, t);
        const Tensor A = (base / linalg::matrix_norm(base, 1).reshape({12, 1, 1}) *
                          norms.reshape({12, 1, 1}).to(toRealValueType(t)))
                             .eval();
        const Tensor r = linalg::matrix_exp(A.reshape({3, 4, 3, 3})).reshape({12, 3, 3});
        for (int64_t i = 0; i < 12; ++i) {
            CAPTURE(i);
            CHECK(error_of(A[i], r[i]) < 20);
            // A GPU's library may add the products of a batch in another order.
            if (!r.is_cuda()) CHECK(equal(r[i], linalg::matrix_exp(A[i])));
        }
    }
}

TEST_CASE("exponentials with a closed form") {
    const double pi = 3.14159265358979323846;
    const auto turn = [](double a) {
        return tensor({{std::cos(a), -std::sin(a)}, {std::sin(a), std::cos(a)}}, kDouble);
    };
    for (double a : {0.1, pi / 3, pi, 10.})
        CHECK(allclose(matrix_exp(tensor({{0., -a}, {a, 0.}}, kDouble)), turn(a), 1e-13, 1e-13));
    CHECK(equal(matrix_exp(zeros({3, 3}, kDouble)), eye(3, kDouble)));
    // Nilpotent, so the series ends.
    const Tensor shift = tensor({{0., 1., 0.}, {0., 0., 1.}, {0., 0., 0.}}, kDouble);
    CHECK(allclose(matrix_exp(shift), tensor({{1., 1., .5}, {0., 1., 1.}, {0., 0., 1.}}, kDouble),
                   1e-14, 1e-14));
    const Tensor d = tensor({-3., 0.5, 2.}, kDouble);
    CHECK(allclose(d.diag().matrix_exp(), exp(d).diag(), 1e-14, 1e-14));
    // exp(A) exp(-A) = I
    manual_seed(test::seed());
    const Tensor A = randn({40, 40}, kDouble);
    CHECK(largest(matrix_exp(A).mm(matrix_exp(-A)) - eye(40, kDouble)) <
          1e-13 * largest(matrix_exp(A)) * largest(matrix_exp(-A)) * 40);
    CHECK(equal(matrix_exp(tensor({{{2.f}}, {{0.f}}})), exp(tensor({{{2.f}}, {{0.f}}}))));
}

TEST_CASE("Half and BFloat16 compute in Float; layouts, empty ones, what is no number") {
    const Tensor a = ones({2, 2}), e = matrix_exp(a);
    for (ScalarType t : {kHalf, kBFloat16}) {
        CHECK((matrix_exp(a.to(t)).scalar_type() == t));
        CHECK(equal(matrix_exp(a.to(t)), e.to(t)));
    }
    const Tensor x = rand({4, 4, 3}).eval().permute({2, 1, 0});
    CHECK(equal(matrix_exp(x), matrix_exp(x.contiguous())));
    CHECK((matrix_exp(zeros({2, 0, 0})).sizes() == IntArrayRef{2, 0, 0}));
    CHECK((matrix_exp(zeros({0, 3, 3})).sizes() == IntArrayRef{0, 3, 3}));
    const float inf = std::numeric_limits<float>::infinity();
    CHECK(isnan(matrix_exp(full({2, 2}, NAN))).all().item<bool>());
    CHECK(isnan(matrix_exp(full({2, 2}, inf))).all().item<bool>());
    CHECK(equal(matrix_exp(full({2, 2}, 1e30)), full({2, 2}, inf)));
    CHECK(equal(matrix_exp(tensor({{-1000.f, 0.f}, {0.f, -2000.f}})), zeros({2, 2})));
    // The other matrices of the batch are not affected.
    const Tensor both = matrix_exp(stack({full({2, 2}, NAN), a}));
    CHECK(equal(both[1], e));
}

TEST_CASE("errors of matrix_exp") {
    const auto of = [](const Tensor& t) {
        try {
            matrix_exp(t);
        } catch (const Error& e) {
            return std::string(e.what());
        }
        return std::string("no error");
    };
    CHECK(of(zeros({2, 3})) ==
          "[linalg_matrix_exp] the matrix is not square; got shape [2, 3], expected shape [..., n, "
          "n]; try exp() for the exponential of each element");
    CHECK(of(zeros({3})) ==
          "[linalg_matrix_exp] the tensor has too few dimensions; got shape [3], expected at least "
          "2 dimensions; try exp() for the exponential of each element");
    CHECK_THROWS_AS(matrix_exp(ones({2, 2}, kInt)), NotImplementedError);
    CHECK_THROWS_AS(matrix_exp(zeros({0, 0}, kBool)), NotImplementedError);
}

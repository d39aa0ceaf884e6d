// Pseudo-inverses and ranks, tensors as matrices: the values of PyTorch 2.15, the four conditions
// of Moore and Penrose, tolerances, and errors.
#include <sinter/sinter.hpp>

#include "tests/seed.hpp"

#include "tests/linalg/products/products_case.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

using namespace sinter;
using namespace sinter::test;

namespace {

bool nearly_equal(const Tensor& a, const Tensor& b) { return allclose(a, b, 1e-4, 1e-4); }

/// An (m, n) matrix of that rank.
Tensor of_rank(int64_t m, int64_t n, int64_t rank, ScalarType t) {
    return randn({m, rank}, t).mm(randn({rank, n}, t)).eval();
}

/// Returns the largest violation of A P A = A, P A P = P, and of A P and P A being Hermitian, in
/// units of eps times the norms of the products.
double violation(const Tensor& A, const Tensor& P) {
    const double eps = finfo(toRealValueType(A.scalar_type())).eps;
    const auto largest = [](const Tensor& t) { return abs(t).max().item<double>(); };
    const double a = linalg::matrix_norm(A).max().item<double>();
    const double p = linalg::matrix_norm(P).max().item<double>();
    const Tensor AP = A.matmul(P), PA = P.matmul(A);
    return std::max({largest(AP.matmul(A) - A) / (a * a * p),
                     largest(PA.matmul(P) - P) / (a * p * p), largest(AP - AP.mH()) / (a * p),
                     largest(PA - PA.mH()) / (a * p)}) /
           (eps * static_cast<double>(A.size(-1) + A.size(-2)));
}

Tensor symmetric() { return tensor({{2.f, 1.f}, {1.f, 3.f}}); }
Tensor batch() { return stack({symmetric(), symmetric() * 2}); }

}  // namespace

TEST_CASE("pseudo-inverses hold the conditions of Moore and Penrose") {
    manual_seed(test::seed());
    for (ScalarType t : {kFloat, kDouble, kComplexFloat, kComplexDouble}) {
        for (const auto& [m, n, rank] : {std::array<int64_t, 3>{4, 4, 4},
                                         {7, 3, 3},
                                         {3, 7, 3},
                                         {6, 5, 2},
                                         {1, 4, 1},
                                         {30, 20, 11}}) {
            CAPTURE(m);
            CAPTURE(n);
            const Tensor A = of_rank(m, n, rank, t);
            const Tensor P = linalg::pinv(A);
            CHECK((sizes(P) == list{n, m}));
            CHECK(violation(A, P) < 30);
            CHECK(linalg::matrix_rank(A).item<int64_t>() == rank);
        }
        const Tensor B = of_rank(5, 5, 3, t), H = B.mm(B.mH()).eval();
        CHECK(violation(H, linalg::pinv(H, 0., 1e-4, true)) < 100);
        CHECK(linalg::matrix_rank(H, 0., 1e-4, true).item<int64_t>() == 3);
    }
    const Tensor many = randn({2, 3, 4, 2}, kDouble);
    CHECK(violation(many, linalg::pinv(many)) < 30);
}

TEST_CASE("tolerances of pseudo-inverses: numbers, and one for each matrix") {
    // With the larger eigenvalue only.
    const Tensor one = tensor({{.0764f, .1236f}, {.1236f, .2f}});
    const Tensor all = tensor({{.6f, -.2f}, {-.2f, .4f}}), b = batch();
    CHECK(nearly_equal(linalg::pinv(b), stack({all, all / 2})));
    CHECK(nearly_equal(linalg::pinv(b, nullopt, 0.9), stack({one, one / 2})));
    CHECK(nearly_equal(linalg::pinv(b, 3., nullopt), stack({one, one / 2})));
    CHECK(nearly_equal(linalg::pinv(b, 0.9), stack({one, one / 2})));
    CHECK(nearly_equal(pinverse(b, 0.9), stack({one, one / 2})));
    CHECK(nearly_equal(symmetric().pinverse(), all));
    CHECK(nearly_equal(linalg::pinv(b, nullopt, tensor({0.1f, 0.9f})), stack({all, one / 2})));
    CHECK(nearly_equal(linalg::pinv(b, tensor({3.f, 3.f}), nullopt), stack({one, one / 2})));
    CHECK(nearly_equal(linalg::pinv(b, tensor({3, 3}), nullopt), stack({one, one / 2})));
    CHECK(nearly_equal(linalg::pinv(b, tensor({0.1f, 0.9f})), stack({all, one / 2})));
    CHECK(nearly_equal(linalg::pinv(symmetric(), tensor({0.1f, 0.9f})), stack({all, one})));
    CHECK((linalg::pinv(b, tensor({3., 3.}, kDouble), nullopt).scalar_type() == kFloat));
    CHECK(nearly_equal(linalg::pinv(symmetric(), nullopt, 0.9, true), one));
    // Two numbers are two tolerances; a truth value is not a tolerance.
    CHECK(nearly_equal(linalg::pinv(b, 0., 0.9), stack({one, one / 2})));
    CHECK(nearly_equal(linalg::pinv(b, 1e-3, true), stack({all, all / 2})));
    // An absolute tolerance of 0 is no tolerance.
    const Tensor low = tensor({{1.f, 2.f}, {2.f, 4.f}});
    CHECK(nearly_equal(linalg::pinv(low, 0., nullopt), low / 25));
}

TEST_CASE("ranks and their tolerances") {
    const Tensor b = batch();  // eigenvalues 1.38 and 3.62, and twice these
    CHECK(equal(linalg::matrix_rank(b), tensor({2, 2})));
    CHECK(equal(linalg::matrix_rank(b, nullopt, 0.9), tensor({1, 1})));
    CHECK(equal(linalg::matrix_rank(b, 3.), tensor({1, 1})));
    CHECK(equal(linalg::matrix_rank(b, 1., 0.9), tensor({1, 1})));
    CHECK(equal(linalg::matrix_rank(b, tensor({3.f, 0.1f})), tensor({1, 2})));
    CHECK(equal(linalg::matrix_rank(b, tensor({{3.f}, {0.1f}, {9.f}})),
                tensor({{1, 1}, {2, 2}, {0, 0}})));
    CHECK(equal(linalg::matrix_rank(b, nullopt, tensor({0.1f, 0.9f})), tensor({2, 1})));
    CHECK(equal(linalg::matrix_rank(-b, 0., nullopt, true), tensor({2, 2})));
    CHECK(equal(linalg::matrix_rank(zeros({2, 2})), tensor(0)));
    CHECK(equal(linalg::matrix_rank(zeros({2, 2}), 0., nullopt, true), tensor(0)));
    Tensor out = empty({0}, kInt);
    linalg::matrix_rank_out(out, b);
    CHECK(equal(out, tensor({2, 2}, kInt)));
}

TEST_CASE("pseudo-inverses and ranks of nothing") {
    CHECK((sizes(linalg::pinv(zeros({2, 0, 3}))) == list{2, 3, 0}));
    CHECK((sizes(linalg::pinv(zeros({0, 2, 3}))) == list{0, 3, 2}));
    CHECK(equal(linalg::matrix_rank(zeros({0, 3})), tensor(0)));
    CHECK(equal(linalg::matrix_rank(zeros({2, 0, 3})), zeros({2}, kLong)));
    CHECK((sizes(linalg::matrix_rank(zeros({0, 2, 3}))) == list{0}));
}

TEST_CASE("errors of pseudo-inverses and ranks") {
    CHECK(error_of([] { linalg::pinv(zeros({3})); }) ==
          "[linalg_pinv] the tensor has too few dimensions; got shape [3], expected at least 2 "
          "dimensions; try unsqueeze(-1), which makes a vector a column");
    CHECK(error_of([] { linalg::matrix_rank(zeros({0, 3}, kInt)); }) ==
          "[linalg_matrix_rank] the dtype is not supported; got Int, expected Float, Double, "
          "ComplexFloat or ComplexDouble; try .to(kDouble) first");
    const Tensor b = batch(), z = complex(b.select(2, 0), b.select(2, 1));
    CHECK(error_of([&] { linalg::pinv(b, z.select(0, 0), nullopt); }) ==
          "[linalg_pinv] the absolute tolerance is complex; got ComplexFloat, expected a real "
          "dtype; try real() on the tolerance");
    CHECK_THROWS_AS(linalg::pinv(b, tensor({1.f, 2.f, 3.f})).eval(), Error);
    CHECK_THROWS_AS(linalg::pinv(ones({2, 3}), 0., nullopt, true), Error);
    CHECK_THROWS_AS(linalg::pinv(full({2, 2}, NAN)), LinAlgError);
    CHECK_THROWS_AS(linalg::matrix_rank(full({2, 2}, NAN)), LinAlgError);
}

TEST_CASE("tensorinv inverts between groups of dimensions") {
    manual_seed(test::seed());
    const Tensor A =
        (randn({4, 6, 8, 3}, kDouble) + 5 * eye(24, kDouble).reshape({4, 6, 8, 3})).eval();
    const Tensor inverse = linalg::tensorinv(A);
    CHECK((sizes(inverse) == list{8, 3, 4, 6}));
    CHECK(allclose(tensordot(inverse, A), eye(24, kDouble).reshape({8, 3, 8, 3}), 1e-9, 1e-9));
    const Tensor B = A.reshape({24, 8, 3});
    CHECK((sizes(linalg::tensorinv(B, 1)) == list{8, 3, 24}));
    CHECK((sizes(linalg::tensorinv(zeros({0, 0}), 1)) == list{0, 0}));
    Tensor out = empty({0}, kDouble);
    CHECK(equal(linalg::tensorinv_out(out, A), inverse));
    CHECK_THROWS_AS(linalg::tensorinv(zeros({2, 2}), 1), LinAlgError);
    CHECK_THROWS_AS(linalg::tensorinv(A.to(kInt)), NotImplementedError);
    CHECK(error_of([&] { linalg::tensorinv(A, 1); }) ==
          "[linalg_tensorinv] the first 1 dimensions and the others have different numbers of "
          "elements; got shape [4, 6, 8, 3], expected equal products of sizes; try another ind, "
          "which says where to divide the shape");
    CHECK(error_of([&] { linalg::tensorinv(A, 0); }) ==
          "[linalg_tensorinv] ind is not positive; got 0, expected 1 or more; try 2, the default");
    CHECK_THROWS_AS(linalg::tensorinv(ones({1}), 2), Error);
}

TEST_CASE("tensorsolve solves for a tensor") {
    manual_seed(test::seed());
    const Tensor A =
        (randn({6, 4, 2, 3, 4}, kDouble) + 5 * eye(24, kDouble).reshape({6, 4, 2, 3, 4})).eval();
    const Tensor B = randn({6, 4}, kDouble);
    const Tensor X = linalg::tensorsolve(A, B);
    CHECK((sizes(X) == list{2, 3, 4}));
    CHECK(allclose(tensordot(A, X, 3), B, 1e-9, 1e-9));
    const Tensor moved = A.movedim({2, 4}, {0, 1});
    CHECK((sizes(linalg::tensorsolve(moved, B, IntArrayRef{0, 1})) == list{3, 2, 4}));
    CHECK(allclose(tensordot(moved.movedim({0, 1}, {3, 4}),
                             linalg::tensorsolve(moved, B, IntArrayRef{0, 1}), 3),
                   B, 1e-9, 1e-9));
    CHECK(linalg::tensorsolve(tensor(2.f), tensor(3.f)).item<float>() == 1.5f);
    CHECK((sizes(linalg::tensorsolve(zeros({0, 0}), zeros({0}))) == list{0}));
    Tensor out = empty({0}, kDouble);
    CHECK(equal(linalg::tensorsolve_out(out, A, B), X));
    CHECK_THROWS_AS(linalg::tensorsolve(zeros({2, 2}), ones({2})), LinAlgError);
    CHECK_THROWS_AS(linalg::tensorsolve(A, B.to(kFloat)), Error);
    CHECK_THROWS_AS(linalg::tensorsolve(A, B, IntArrayRef{7}), IndexError);
    CHECK_THROWS_AS(linalg::tensorsolve(A, B, IntArrayRef{0, 0}), Error);
    CHECK(error_of([&] { linalg::tensorsolve(A, B.reshape({24})); }) ==
          "[linalg_tensorsolve] the first tensor does not reshape to a square matrix; got shapes "
          "[6, 4, 2, 3, 4] and [24], expected the sizes of the second, then sizes whose product is "
          "24; try dims, which moves dimensions to the end");
}

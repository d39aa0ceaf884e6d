// Corner cases of NumPy's own tests of its linear algebra (numpy/linalg/tests/test_linalg.py; each
// case names the class and test), with PyTorch's answer where the two differ.
#include "tests/ops/check.hpp"

#include <algorithm>
#include <cmath>

using namespace sinter;
using namespace sinter::test;

namespace {

using shape = std::vector<int64_t>;
shape sizes_of(const Tensor& t) { return t.sizes().vec(); }
const double infinity = INFINITY;
constexpr ScalarType dtypes[] = {kFloat, kDouble, kComplexFloat, kComplexDouble};

}  // namespace

TEST_CASE("numpy: systems without elements") {  // TestSolve.test_0_size, test_0_size_k, test_1_d,
                                                // test_types
    for (ScalarType t : dtypes) {
        CHECK(sizes_of(linalg::solve(zeros({0, 0}, t), zeros({0, 1}, t))) == shape{0, 1});
        CHECK(sizes_of(linalg::solve(zeros({2, 0, 0}, t), zeros({2, 0, 3}, t))) == shape{2, 0, 3});
        CHECK(sizes_of(linalg::solve(zeros({0, 0}, t), zeros({0}, t))) == shape{0});
        CHECK_THROWS_AS(linalg::solve(zeros({0, 0}, t), zeros({1, 0}, t)), Error);
        CHECK_THROWS_AS(linalg::solve(zeros({0, 1}, t), zeros({0}, t)), Error);
        CHECK(sizes_of(linalg::solve(eye(4, t), zeros({4, 0}, t))) == shape{4, 0});
        CHECK(sizes_of(linalg::solve(eye(4, t).expand({1, 4, 4}), zeros({1, 4, 0}, t))) ==
              shape{1, 4, 0});
        const Tensor x = linalg::solve(eye(2, t) * 2, tensor({1., 2.}, t));
        CHECK((x.scalar_type() == t));
        CHECK(equal(x, tensor({0.5, 1.}, t)));
    }
}

TEST_CASE("numpy: decompositions without elements") {
    // TestInv, TestDet, TestEigvals, TestEig, TestEigvalsh, TestEigh, TestCholesky .test_0_size,
    // TestSVD.test_empty_identity, TestQR.test_qr_empty, TestPinv, TestLstsq.test_empty_a_b
    for (ScalarType t : dtypes) {
        const ScalarType real = toRealValueType(t), complex = toComplexType(t);
        for (const shape& stack : {shape{}, shape{0}, shape{2, 3}}) {
            const auto with = [&](shape last) {
                last.insert(last.begin(), stack.begin(), stack.end());
                return last;
            };
            const Tensor none = zeros(with({0, 0}), t);
            CHECK(sizes_of(linalg::inv(none)) == with({0, 0}));
            CHECK(equal(linalg::det(none), ones(stack, t)));
            CHECK(equal(std::get<0>(linalg::slogdet(none)), ones(stack, t)));
            CHECK(equal(std::get<1>(linalg::slogdet(none)), zeros(stack, real)));
            CHECK(sizes_of(linalg::cholesky(none)) == with({0, 0}));
            CHECK(sizes_of(linalg::eigvals(none)) == with({0}));
            CHECK((linalg::eigvals(none).scalar_type() == complex));
            CHECK(sizes_of(std::get<1>(linalg::eig(none))) == with({0, 0}));
            CHECK(sizes_of(linalg::eigvalsh(none)) == with({0}));
            CHECK((linalg::eigvalsh(none).scalar_type() == real));
            CHECK(sizes_of(std::get<1>(linalg::eigh(none))) == with({0, 0}));
            const auto [u, s, v] = linalg::svd(zeros(with({4, 0}), t));
            CHECK(equal(u, eye(4, t).expand(u.sizes())));
            CHECK(sizes_of(u) == with({4, 4}));
            CHECK(sizes_of(s) == with({0}));
            CHECK(sizes_of(v) == with({0, 0}));
            const auto [u2, s2, v2] = linalg::svd(zeros(with({0, 4}), t));
            CHECK(sizes_of(v2) == with({4, 4}));
            CHECK(equal(v2, eye(4, t).expand(v2.sizes())));
            const auto [q, r] = linalg::qr(zeros(with({3, 0}), t), "complete");
            CHECK(sizes_of(q) == with({3, 3}));
            CHECK(equal(q, eye(3, t).expand(q.sizes())));
            CHECK(sizes_of(r) == with({3, 0}));
            CHECK(sizes_of(linalg::pinv(zeros(with({0, 3}), t))) == with({3, 0}));
            CHECK(equal(linalg::matrix_rank(zeros(with({0, 3}), t)), zeros(stack, kLong)));
        }
        for (const auto& [m, n, k] : {std::tuple<int64_t, int64_t, int64_t>{4, 2, 2},
                                      {0, 4, 1},
                                      {0, 4, 2},
                                      {4, 0, 1},
                                      {4, 0, 2},
                                      {4, 2, 0},
                                      {0, 0, 0}}) {
            // The driver is the default of the CPU, but not of a GPU.
            const auto [x, residuals, rank, values] =
                linalg::lstsq(eye(m, n, t), ones({m, k}, t), nullopt, "gelsy");
            CHECK(sizes_of(x) == shape{n, k});
            // Without right sides, PyTorch leaves the rank to LAPACK, which finds 0.
            if (k > 0) CHECK(rank.item<int64_t>() == std::min(m, n));
            if (m == 0) CHECK(equal(x, zeros({n, k}, t)));
        }
    }
    CHECK_THROWS_AS(linalg::lstsq(ones({3, 2}), ones({2, 1})),
                    Error);  // TestLstsq.test_incompatible_dims
}

TEST_CASE("numpy: products without elements") {  // test_matmul, TestMultiDot, numpy's matmul tests
    for (ScalarType t : {kFloat, kDouble, kComplexFloat, kComplexDouble, kInt, kLong}) {
        CHECK(equal(matmul(zeros({3, 0}, t), zeros({0, 2}, t)), zeros({3, 2}, t)));
        CHECK(equal(matmul(zeros({0}, t), zeros({0}, t)), zeros({}, t)));
        CHECK(sizes_of(matmul(zeros({0, 3}, t), zeros({3, 2}, t))) == shape{0, 2});
        CHECK(sizes_of(matmul(zeros({5, 0, 3}, t), zeros({3, 2}, t))) == shape{5, 0, 2});
        CHECK(equal(linalg::multi_dot({zeros({2, 0}, t), zeros({0, 3}, t), ones({3, 1}, t)}),
                    zeros({2, 1}, t)));
        CHECK(equal(outer(zeros({0}, t), ones({2}, t)), zeros({0, 2}, t)));
        CHECK(sizes_of(kron(zeros({0, 2}, t), ones({2, 2}, t))) == shape{0, 4});
        CHECK(equal(tensordot(zeros({2, 0}, t), zeros({0, 3}, t), 1), zeros({2, 3}, t)));
    }
    CHECK_THROWS_AS(linalg::multi_dot({}), Error);  // TestMultiDot.test_too_few_input_arrays
    CHECK_THROWS_AS(linalg::multi_dot({ones({2, 2})}), Error);
}

TEST_CASE("numpy: matrices of one element") {  // the "1x1" cases of all classes
    for (ScalarType t : dtypes) {
        const Tensor a = tensor({{4.}}, t);
        CHECK(equal(linalg::inv(a), tensor({{0.25}}, t)));
        CHECK(equal(linalg::det(a), tensor(4., t)));
        CHECK(equal(linalg::cholesky(a), tensor({{2.}}, t)));
        CHECK(equal(linalg::solve(a, tensor({2.}, t)), tensor({0.5}, t)));
        CHECK(linalg::eigvals(a)[0].item<complex<double>>() == complex<double>(4, 0));
        CHECK(linalg::eigvalsh(a).item<double>() == 4);
        CHECK(linalg::svdvals(-a).item<double>() == 4);
        CHECK(std::get<1>(linalg::qr(a)).abs().item<double>() == 4);
        CHECK(std::fabs(linalg::pinv(a).abs().item<double>() - 0.25) < 1e-7);
        CHECK(linalg::matrix_rank(a).item<int64_t>() == 1);
        CHECK(linalg::cond(a).item<double>() == 1);
        CHECK(std::fabs(linalg::matrix_exp(a).abs().item<double>() - std::exp(4)) < 1e-4);
    }
}

TEST_CASE("numpy: singular matrices, alone and in stacks") {
    // TestInv.test_..., TestCond.test_singular, test_stacked_singular, TestDet.test_zero
    CHECK_THROWS_AS(linalg::inv(tensor({{1., 2.}, {2., 4.}})), LinAlgError);
    CHECK_THROWS_AS(linalg::solve(tensor({{1., 2.}, {2., 4.}}), ones({2})), LinAlgError);
    CHECK(linalg::det(tensor({{0.}})).item<double>() == 0);
    CHECK(linalg::det(tensor({{0.}}, kComplexDouble)).abs().item<double>() == 0);
    const auto [sign, log] = linalg::slogdet(tensor({{0.}}));
    CHECK(sign.item<double>() == 0);
    CHECK(log.item<double>() == -infinity);
    // The condition number of a singular matrix is infinite or very large.
    for (const Tensor& a :
         {zeros({2, 2}, kDouble), ones({2, 2}, kDouble), tensor({{1., 2.}, {2., 4.}}, kDouble)}) {
        for (double p : {1., -1., infinity, -infinity})
            CHECK(linalg::cond(a, p).item<double>() == infinity);
        CHECK(linalg::cond(a, "fro").item<double>() == infinity);
        if (a.abs().sum().item<double>() > 0) CHECK(linalg::cond(a).item<double>() > 1e15);
    }
    // Only the singular matrices of a stack have infinite values.
    Tensor stack = eye(2, kDouble).repeat({2, 2, 1, 1});
    stack[0][1].zero_();
    for (double p : {1., infinity}) {
        const Tensor c = linalg::cond(stack, p);
        CHECK(equal(c.isinf(), tensor({{false, true}, {false, false}})));
        CHECK(c[1][0].item<double>() == 1);
    }
    CHECK(equal(linalg::det(stack), tensor({{1., 0.}, {1., 1.}}, kDouble)));
    CHECK_THROWS_AS(linalg::inv(stack), LinAlgError);
    CHECK(equal(std::get<1>(linalg::inv_ex(stack)) != 0, tensor({{false, true}, {false, false}})));
}

TEST_CASE("numpy: conditions") {  // TestCond.test_basic_nonsvd, test_nan, TestCondCases
    const Tensor a = tensor({{1., 0., 1.}, {0., -2., 0.}, {0., 0., 3.}}, kDouble);
    CHECK(std::fabs(linalg::cond(a, infinity).item<double>() - 4) < 1e-14);
    CHECK(std::fabs(linalg::cond(a, -infinity).item<double>() - 2.0 / 3) < 1e-14);
    CHECK(std::fabs(linalg::cond(a, 1).item<double>() - 4) < 1e-14);
    CHECK(std::fabs(linalg::cond(a, -1).item<double>() - 0.5) < 1e-14);
    CHECK(std::fabs(linalg::cond(a, "fro").item<double>() - std::sqrt(265.0 / 12)) < 1e-13);
    CHECK(std::fabs(linalg::cond(a, 2).item<double>() * linalg::cond(a, -2).item<double>() - 1) <
          1e-14);
    CHECK(linalg::cond(tensor({{3., 0.}, {0., 1.}, {0., 0.}})).item<double>() ==
          3);  // not square: by singular values
    CHECK_THROWS_AS(linalg::cond(ones({3, 2}), 1), Error);
}

TEST_CASE("numpy: powers") {  // TestMatrixPower
    for (ScalarType t : {kFloat, kDouble, kComplexFloat, kComplexDouble, kInt, kLong}) {
        const Tensor noise = tensor({{0, 1}, {-1, 0}}, t),
                     shift = tensor({{0, 1, 0}, {0, 0, 1}, {0, 0, 0}}, t);
        for (const Tensor& a :
             {noise, shift, tensor({{0, 2}, {2, 0}}, t)}) {  // test_power_is_zero, _one, _two
            CHECK(equal(linalg::matrix_power(a, 0), eye(a.size(0), t)));
            CHECK(equal(linalg::matrix_power(a, 1), a));
            CHECK(equal(linalg::matrix_power(a, 2), a.matmul(a)));
            const Tensor stacked = a.expand({2, 2, a.size(0), a.size(0)});
            CHECK(
                equal(linalg::matrix_power(stacked, 0), eye(a.size(0), t).expand(stacked.sizes())));
            CHECK(equal(linalg::matrix_power(stacked, 5),
                        linalg::matrix_power(a, 5).expand(stacked.sizes())));
        }
        // test_large_power: of period 4
        CHECK(equal(linalg::matrix_power(noise, (int64_t{1} << 40) + 1), noise));
        CHECK(equal(linalg::matrix_power(shift, 1000), zeros({3, 3}, t)));
        CHECK_THROWS_AS(linalg::matrix_power(ones({2, 3}, t), 2), Error);  // test_not_square
        if (!isFloatingType(t) && !isComplexType(t)) continue;
        CHECK(equal(linalg::matrix_power(noise, -1), -noise));  // test_power_is_minus_one
        CHECK(equal(linalg::matrix_power(noise, -3), noise));
        CHECK_THROWS_AS(linalg::matrix_power(shift, -1),
                        LinAlgError);  // test_exceptions_not_invertible
    }
    CHECK_THROWS_AS(linalg::matrix_power(eye(2, kLong), -1), Error);
}

TEST_CASE("numpy: which triangle") {  // TestEigvalsh, TestEigh .test_invalid, test_UPLO;
                                      // TestCholesky.test_upper_lower_arg
    const Tensor low = tensor({{0., 0.}, {1., 0.}}), up = tensor({{0., 1.}, {0., 0.}}),
                 expected = tensor({-1., 1.});
    CHECK(allclose(linalg::eigvalsh(low), expected));
    CHECK(allclose(linalg::eigvalsh(low, "L"), expected));
    CHECK(allclose(linalg::eigvalsh(low, "l"), expected));
    CHECK(allclose(linalg::eigvalsh(up, "U"), expected));
    CHECK(allclose(linalg::eigvalsh(up, "u"), expected));
    CHECK(allclose(std::get<0>(linalg::eigh(low)), expected));
    CHECK(allclose(std::get<0>(linalg::eigh(up, "U")), expected));
    for (const char* other : {"lrong", "lower", "", "upper"}) {
        CHECK_THROWS_AS(linalg::eigvalsh(low, other), Error);
        CHECK_THROWS_AS(linalg::eigh(low, other), Error);
    }
    const Tensor c = tensor({complex<double>(1, 0), complex<double>(0, 1), complex<double>(0, -1),
                             complex<double>(2, 0)})
                         .view({2, 2});
    CHECK(equal(linalg::cholesky(c), linalg::cholesky(c, true).mH()));
}

TEST_CASE("numpy: norms") {  // _TestNorm, TestNorm: test_empty, test_vector, test_matrix_2x2,
                             // test_matrix_3x3, test_bad_args
    CHECK(linalg::norm(zeros({0})).item<double>() == 0);
    CHECK(linalg::norm(zeros({0, 0})).item<double>() == 0);
    for (const Tensor& v :
         {tensor({1., 2., 3., 4.}), tensor({-1., -2., -3., -4.}), tensor({-1., 2., -3., 4.})}) {
        const auto is = [&](const Scalar& p, double expected) {
            CHECK(std::fabs(linalg::norm(v, p).item<double>() - expected) < 1e-6);
        };
        is(infinity, 4);
        is(-infinity, 1);
        is(1, 10);
        is(-1, 12.0 / 25);
        is(2, std::sqrt(30));
        is(-2, std::pow(205.0 / 144, -0.5));
        is(0, 4);
    }
    const auto holds = [](const Tensor& m, const std::vector<std::pair<double, double>>& values,
                          double fro, double nuc) {
        CHECK(std::fabs(linalg::norm(m).item<double>() - fro) < 1e-6);
        CHECK(std::fabs(linalg::norm(m, "fro").item<double>() - fro) < 1e-6);
        CHECK(std::fabs(linalg::norm(m, "nuc").item<double>() - nuc) < 1e-6);
        for (const auto& [p, expected] : values) {
            CAPTURE(p);
            CHECK(std::fabs(linalg::norm(m, p).item<double>() - expected) < 1e-6);
        }
        CHECK_THROWS_AS(linalg::norm(m, Scalar(0)), Error);
        CHECK_THROWS_AS(linalg::norm(m, 3), Error);
        CHECK_THROWS_AS(linalg::norm(m, "nofro"), Error);
    };
    holds(tensor({{1., 3.}, {5., 7.}}, kDouble),
          {{infinity, 12},
           {-infinity, 4},
           {1, 10},
           {-1, 6},
           {2, 9.1231056256176615},
           {-2, 0.87689437438234041}},
          std::sqrt(84), 10);
    holds(tensor({{3., 0.}, {0., -4.}}, kDouble),
          {{infinity, 4}, {-infinity, 3}, {1, 4}, {-1, 3}, {2, 4}, {-2, 3}}, 5, 7);
    CHECK_THROWS_AS(linalg::norm(ones({2}), "fro"), Error);
    CHECK_THROWS_AS(linalg::norm(ones({2}), "nuc"), Error);
    CHECK_THROWS_AS(linalg::norm(ones({2, 2, 2}), 1), Error);  // three dimensions must be given
    CHECK_THROWS_AS(linalg::norm(ones({2, 2, 2}), 2, IntArrayRef{0, 1, 2}), Error);
    CHECK_THROWS_AS(linalg::norm(ones({2, 2, 2}), nullopt, IntArrayRef{3}), IndexError);
    // test_axis, test_keepdims
    const Tensor a = tensor({{1., 2., 3.}, {4., 5., 6.}}, kDouble);
    for (const Scalar& p :
         {Scalar(1), Scalar(2), Scalar(infinity), Scalar(-infinity), Scalar(0), Scalar(3)})
        for (int64_t i = 0; i < 2; ++i)
            CHECK(std::fabs((linalg::norm(a, p, IntArrayRef{1})[i] - linalg::norm(a[i], p))
                                .item<double>()) < 1e-12);
    CHECK(sizes_of(linalg::norm(a, nullopt, nullopt, true)) == shape{1, 1});
    CHECK(sizes_of(linalg::norm(a, 1, IntArrayRef{0}, true)) == shape{1, 3});
    // test_vector_return_type
    CHECK((linalg::norm(ones({2}, kComplexFloat)).scalar_type() == kFloat));
    CHECK_THROWS_AS(linalg::norm(ones({2}, kLong)), Error);  // PyTorch: floating and complex only
}

TEST_CASE("numpy: ranks") {  // TestMatrixRank.test_matrix_rank, test_symmetric_rank
    CHECK(linalg::matrix_rank(eye(4)).item<int64_t>() == 4);
    Tensor i = eye(4);
    i.view({-1})[-1] = 0.0;
    CHECK(linalg::matrix_rank(i).item<int64_t>() == 3);
    CHECK(linalg::matrix_rank(zeros({4, 4})).item<int64_t>() == 0);
    CHECK(linalg::matrix_rank(tensor({{1., 0., 0., 0.}})).item<int64_t>() == 1);
    CHECK(linalg::matrix_rank(zeros({4, 1})).item<int64_t>() == 0);
    CHECK(equal(linalg::matrix_rank(stack({i, eye(4), zeros({4, 4})})), tensor({3, 4, 0})));
    CHECK(linalg::matrix_rank(i, optional<double>(), nullopt, true).item<int64_t>() == 3);
    CHECK(linalg::matrix_rank(1e-8 * i, 0.99e-8, nullopt, true).item<int64_t>() == 3);
    CHECK(linalg::matrix_rank(1e-8 * i, 1.01e-8, nullopt, true).item<int64_t>() == 0);
}

TEST_CASE("numpy: tensors as matrices") {  // TestTensorinv, TestTensorsolve
    CHECK_THROWS_AS(linalg::tensorinv(ones({4, 6, 8}), 2), Error);  // test_non_square_handling
    const Tensor a = eye(24, kDouble).view({4, 6, 8, 3});
    const Tensor i = linalg::tensorinv(a, 2);
    CHECK(sizes_of(i) == shape{8, 3, 4, 6});          // test_tensorinv_shape
    CHECK_THROWS_AS(linalg::tensorinv(a, 0), Error);  // test_tensorinv_ind_limit
    CHECK_THROWS_AS(linalg::tensorinv(a, -2), Error);
    const Tensor b = arange(24., kDouble).view({4, 6});
    CHECK(equal(tensordot(i, b, 2), linalg::tensorsolve(a, b)));  // test_tensorinv_result
    CHECK(equal(tensordot(a, linalg::tensorsolve(a, b), 2), b));
    CHECK_THROWS_AS(linalg::tensorsolve(ones({4, 4, 2}), ones({4, 4})), Error);
}

TEST_CASE("numpy: products of several") {  // TestMultiDot
    const auto numbers = [](const shape& sizes, int64_t start) {
        int64_t n = 1;
        for (int64_t s : sizes) n *= s;
        return ((arange(start, start + n) * 7) % 11 - 5).to(kDouble).reshape(sizes);
    };
    const Tensor a = numbers({6, 2}, 1), b = numbers({2, 6}, 3), c = numbers({6, 2}, 4),
                 d = numbers({2, 1}, 5), v = numbers({6}, 2), w = numbers({2}, 7);
    CHECK(equal(linalg::multi_dot({a, b}), a.matmul(b)));
    CHECK(equal(linalg::multi_dot({a, b, c}), a.matmul(b).matmul(c)));
    CHECK(equal(linalg::multi_dot({a, b, c, d}), a.matmul(b).matmul(c).matmul(d)));
    CHECK(equal(linalg::multi_dot({v, a, b}),
                v.matmul(a).matmul(b)));  // test_vector_as_first_argument
    CHECK(equal(linalg::multi_dot({a, b, c, w}), a.matmul(b).matmul(c).matmul(w)));  // ..._as_last
    CHECK(linalg::multi_dot({v, a, b, c, w}).dim() == 0);  // ..._as_first_and_last
}

// Gradients of determinants and of Cholesky, LU and QR factors.
#include "tests/ops/autograd/check_gradients.hpp"

#include <string_view>

using namespace sinter;
using namespace sinter::test::gradients;

TEST_CASE("determinants have gradients") {
    manual_seed(5);
    check_matrices([](const Tensor& x) { return linalg_det(x); }, {{3, 3}, {2, 2, 2}, {1, 1}});
    check_matrices([](const Tensor& x) { return abs(linalg_det(x)) * x.det(); }, {{2, 2}});
    check_function(
        [](const variable_list& x) -> variable_list {
            auto [sign, log] = linalg_slogdet(x[0]);
            return {sign, log};
        },
        {{3, 3}});
    check_matrices([](const Tensor& x) { return std::get<1>(linalg_slogdet(x)); }, {{2, 2, 2}});
    check_matrices([](const Tensor& x) { return logdet(positive_definite(x)); }, {{2, 2}});
}

TEST_CASE("the determinant of a singular matrix has a gradient") {
    manual_seed(6);
    for (const ScalarType dtype : real_and_complex) {
        CAPTURE(dtype);
        Tensor x = randn({4, 3, 3}, dtype).eval();
        x.select(0, 0).select(0, 1).copy_(x.select(0, 0).select(0, 2));
        x.select(0, 1).select(1, 1).zero_();
        x.select(0, 2).select(0, 0).zero_();
        x = x.eval().requires_grad_();
        const auto f = [](const variable_list& a) -> variable_list { return {linalg_det(a[0])}; };
        CHECK(gradcheck(f, {x}, 1e-6, 1e-5, 1e-3, true, true, true));
        CHECK(gradgradcheck(f, {x}));
    }
    // The adjugate of a matrix whose rank is n - 2 is 0.
    const Tensor x = zeros({3, 3}, kDouble).requires_grad_();
    linalg_det(x).backward();
    CHECK(abs(x.grad()).max().item<double>() < 1e-12);
}

TEST_CASE("Cholesky factors have gradients") {
    manual_seed(7);
    for (const bool upper : {false, true}) {
        check_matrices(
            [=](const Tensor& x) { return linalg_cholesky(positive_definite(x), upper); },
            {{3, 3}, {2, 2, 2}});
        check_matrices(
            [=](const Tensor& x) {
                return std::get<0>(linalg_cholesky_ex(positive_definite(x), upper));
            },
            {{2, 2}}, false);
        check_matrices(
            [=](const Tensor& x) {
                return cholesky_inverse(linalg_cholesky(positive_definite(x), upper), upper);
            },
            {{2, 2}, {2, 2, 2}});
        check_function(
            [=](const variable_list& x) -> variable_list {
                return {
                    cholesky_solve(x[1], linalg_cholesky(positive_definite(x[0]), upper), upper)};
            },
            {{2, 2}, {2, 3}});
        check_function(
            [=](const variable_list& x) -> variable_list {
                return {
                    cholesky_solve(x[1], linalg_cholesky(positive_definite(x[0]), upper), upper)};
            },
            {{2, 2, 2}, {2, 1}}, false);
    }
    // Elements outside the triangle are not read.
    const Tensor L = (randn({2, 2}, kDouble) + 3 * eye(2, kDouble)).eval().requires_grad_();
    for (const bool upper : {false, true}) {
        CHECK(gradcheck([=](const variable_list& x)
                            -> variable_list { return {cholesky_inverse(x[0], upper)}; },
                        {L}));
        CHECK(gradcheck([=](const variable_list& x)
                            -> variable_list { return {cholesky_solve(x[0], x[0], upper)}; },
                        {L}));
    }
}

TEST_CASE("LU factors have gradients") {
    manual_seed(8);
    const auto factor = [](const Tensor& x) { return std::get<0>(linalg_lu_factor(x)); };
    check_matrices(factor, {{3, 3}, {2, 2, 2}, {2, 4}, {4, 2}, {1, 3}, {3, 1}});
    check_matrices([](const Tensor& x) { return std::get<0>(linalg_lu_factor_ex(x)); }, {{2, 2}});
    for (const std::vector<int64_t>& sizes : sizes_list{{3, 3}, {2, 3}, {3, 2}, {2, 2, 2}})
        check_function(
            [](const variable_list& x) -> variable_list {
                auto [P, L, U] = linalg_lu(x[0]);
                return {L, U};
            },
            {sizes});
    check_function(
        [](const variable_list& x) -> variable_list {
            auto [LU, pivots] = linalg_lu_factor(x[0]);
            auto [P, L, U] = lu_unpack(LU, pivots);
            return {matmul(L, U)};
        },
        {{3, 3}}, false);
    for (const bool left : {true, false})
        for (const bool adjoint : {true, false})
            check_function(
                [=](const variable_list& x) -> variable_list {
                    auto [LU, pivots] = linalg_lu_factor(x[0]);
                    return {linalg_lu_solve(LU, pivots, x[1], left, adjoint)};
                },
                {{2, 2, 2}, {2, 2}});
    const Tensor a = randn({2, 2}, kDouble).eval();
    check_matrices(
        [&](const Tensor& x) {
            auto [LU, pivots] = linalg_lu_factor(a.to(x.scalar_type()));
            return lu_solve(x, LU, pivots);
        },
        {{2, 1}});
}

TEST_CASE("QR factors have gradients") {
    manual_seed(9);
    for (const char* mode : {"reduced", "complete", "r"})
        for (const std::vector<int64_t>& sizes :
             sizes_list{{3, 3}, {3, 2}, {2, 4}, {2, 2, 2}, {2, 3, 2}, {2, 2, 3}, {3, 1}, {1, 3}}) {
            if (std::string_view(mode) == "complete" && sizes[sizes.size() - 2] > sizes.back())
                continue;
            check_function(
                [=](const variable_list& x) -> variable_list {
                    auto [Q, R] = linalg_qr(x[0], mode);
                    return Q.numel() > 0 ? variable_list{Q, R} : variable_list{R};
                },
                {sizes});
        }
    check_matrices([](const Tensor& x) { return std::get<0>(qr(x)); }, {{3, 2}, {2, 3}});
    check_matrices([](const Tensor& x) { return std::get<1>(qr(x)); }, {{3, 2}, {2, 3}});
    const Tensor tall = randn({3, 2}, kDouble).eval().requires_grad_();
    const Tensor Q = std::get<0>(linalg_qr(tall, "complete"));
    CHECK_THROWS_AS(Q.sum().backward(), NotImplementedError);
}

TEST_CASE("products of reflectors have gradients") {
    manual_seed(10);
    check_function(
        [](const variable_list& x) -> variable_list {
            return {linalg_householder_product(x[0], x[1])};
        },
        {{3, 2}, {2}});
    check_function(
        [](const variable_list& x) -> variable_list {
            return {linalg_householder_product(x[0], x[1])};
        },
        {{2, 2, 2}, {2, 1}}, false);
    for (const bool left : {true, false})
        for (const bool transpose : {true, false})
            check_function(
                [=](const variable_list& x) -> variable_list {
                    return {ormqr(x[0], x[1], x[2], left, transpose)};
                },
                {{2, 2}, {2}, {2, 2}}, false);
    const Tensor A = randn({3, 2}, kDouble).eval();
    auto [a, tau] = geqrf(A);
    a = a.eval().requires_grad_();
    CHECK(allclose(linalg_householder_product(a, tau).detach(),
                   linalg_householder_product(a.detach(), tau)));
    const Tensor x = A.clone().requires_grad_();
    CHECK_THROWS_WITH_AS(std::get<0>(geqrf(x)).sum().backward(),
                         doctest::Contains("the derivative for 'geqrf' is not implemented"),
                         NotImplementedError);
}

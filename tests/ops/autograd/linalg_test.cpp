// Gradients of linear algebra, against finite differences. Decompositions are made unique by
// functions that do not depend on signs and phases.
#include <doctest/doctest.h>
#include <sinter/sinter.hpp>

#include <functional>
#include <vector>

using namespace sinter;
using autograd::checked_function;
using autograd::gradcheck;
using autograd::gradgradcheck;
using autograd::variable_list;

namespace {

using sizes_list = std::vector<std::vector<int64_t>>;

constexpr ScalarType real_and_complex[] = {kDouble, kComplexDouble};

/// Checks first and second derivatives of `f` at random numbers of these sizes.
void check(const checked_function& f, const sizes_list& sizes, bool twice = true) {
    for (const ScalarType dtype : real_and_complex) {
        variable_list inputs;
        for (const auto& s : sizes) inputs.push_back(randn(s, dtype).eval().requires_grad_());
        CAPTURE(dtype);
        CAPTURE(sizes[0]);
        CHECK(gradcheck(f, inputs));
        if (twice) CHECK(gradgradcheck(f, inputs));
        if (inputs.size() < 2) continue;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            variable_list one;
            for (std::size_t k = 0; k < inputs.size(); ++k)
                one.push_back(k == i ? inputs[k] : inputs[k].detach());
            CHECK(gradcheck(f, one));
        }
    }
}

/// Checks a function of one matrix.
void check_one(const std::function<Tensor(const Tensor&)>& f, const sizes_list& of,
               bool twice = true) {
    for (const auto& sizes : of)
        check([&](const variable_list& x) -> variable_list { return {f(x[0])}; }, {sizes}, twice);
}

/// A matrix with a positive definite Hermitian part.
Tensor positive(const Tensor& x) {
    return matmul(x, x.mH()) + eye(x.size(-1), x.detach().options());
}
Tensor hermitian(const Tensor& x) { return x + x.mH(); }
/// A matrix with singular values and eigenvalues apart from each other and from 0.
Tensor apart(const Tensor& x) {
    const int64_t m = x.size(-2), n = x.size(-1);
    return x * 0.3 +
           diag_embed(arange(1, std::max(m, n) + 1, kDouble) * 2).narrow(0, 0, m).narrow(1, 0, n);
}
/// The part of a decomposition's vectors that phases do not change.
Tensor sizes_of(const Tensor& vectors) { return abs(vectors).square(); }

}  // namespace

TEST_CASE("solutions of systems have gradients") {
    manual_seed(1);
    for (const bool left : {true, false})
        for (const auto& [a, b] :
             {std::pair<std::vector<int64_t>, std::vector<int64_t>>{{3, 3}, {3, 2}},
              {{2, 2, 2}, {2, 3}},
              {{2, 2}, {2, 2, 2}},
              {{2, 2, 2}, {2}},
              {{2, 3, 3}, {2, 3}},
              {{2, 2}, {2}}}) {
            const bool vector = b.size() == 1 || b.size() + 1 == a.size();
            if (!left && vector && b != std::vector<int64_t>{2, 3}) continue;
            if (!left && vector) continue;
            std::vector<int64_t> right = b;
            if (!left) std::swap(right[right.size() - 1], right[right.size() - 2]);
            check(
                [&](const variable_list& x) -> variable_list {
                    return {linalg_solve(apart(x[0]), x[1], left)};
                },
                {a, right});
            check(
                [&](const variable_list& x) -> variable_list {
                    return {std::get<0>(linalg_solve_ex(apart(x[0]), x[1], left))};
                },
                {a, right}, false);
        }
}

TEST_CASE("systems whose transpose is factored have gradients") {
    manual_seed(20);
    for (const ScalarType dtype : real_and_complex)
        for (const bool left : {true, false}) {
            CAPTURE(dtype);
            const Tensor unit = eye(40, kDouble);
            Tensor A = randn({40, 40}, dtype) + 20 * unit, B = randn({40, 40}, dtype);
            A = A.eval().requires_grad_();
            B = B.eval().requires_grad_();
            const Tensor g = randn({40, 40}, dtype).eval();
            linalg_solve(A, B, left).backward(g);
            const Tensor a = A.grad().clone(), b = B.grad().clone();
            A.mutable_grad().reset();
            B.mutable_grad().reset();
            const Tensor inverse = linalg_inv(A);
            (left ? matmul(inverse, B) : matmul(B, inverse)).backward(g);
            CHECK(allclose(A.grad(), a));
            CHECK(allclose(B.grad(), b));
        }
}

TEST_CASE("solutions of many small systems have gradients") {
    manual_seed(2);
    const Tensor A = (randn({400, 2, 2}, kDouble) + 4 * eye(2, kDouble)).eval().requires_grad_();
    const Tensor B = randn({400, 2, 1}, kDouble).eval().requires_grad_();
    linalg_solve(A, B).square().sum().backward();
    const Tensor a = A.grad().clone(), b = B.grad().clone();
    A.mutable_grad().reset();
    B.mutable_grad().reset();
    matmul(linalg_inv(A), B).square().sum().backward();
    CHECK(allclose(A.grad(), a));
    CHECK(allclose(B.grad(), b));
    A.mutable_grad().reset();
    linalg_det(A).sum().backward();
    const Tensor adjugate = stack({A.select(-2, 1).select(-1, 1), -A.select(-2, 1).select(-1, 0),
                                   -A.select(-2, 0).select(-1, 1), A.select(-2, 0).select(-1, 0)},
                                  -1)
                                .view({400, 2, 2});
    CHECK(allclose(A.grad(), adjugate.detach()));
}

TEST_CASE("inverses have gradients") {
    manual_seed(3);
    check_one([](const Tensor& x) { return linalg_inv(apart(x)); }, {{3, 3}, {2, 2, 2}});
    check_one([](const Tensor& x) { return std::get<0>(linalg_inv_ex(apart(x))); }, {{3, 3}});
    check_one([](const Tensor& x) { return apart(x).inverse(); }, {{1, 1}});
    check_one([](const Tensor& x) { return matrix_power(apart(x), -2); }, {{2, 2}});
    check_one([](const Tensor& x) { return linalg_tensorinv(apart(x).view({2, 2, 4}), 2); },
              {{4, 4}}, false);
    check(
        [](const variable_list& x) -> variable_list {
            return {linalg_tensorsolve(apart(x[0]).view({2, 2, 4}), x[1])};
        },
        {{4, 4}, {2, 2}}, false);
}

TEST_CASE("triangular systems have gradients") {
    manual_seed(4);
    for (const bool upper : {true, false})
        for (const bool left : {true, false})
            for (const bool unit : {true, false}) {
                const auto f = [=](const variable_list& x) -> variable_list {
                    return {linalg_solve_triangular(apart(x[0]), x[1], upper, left, unit)};
                };
                check(f, {{2, 2, 2}, {2, 2}});
                check(
                    [=](const variable_list& x) -> variable_list {
                        return {linalg_solve_triangular(apart(x[0]).mT(), x[1].mT(), upper, left,
                                                        unit)};
                    },
                    {{2, 2}, {2, 2}}, false);
            }
    check(
        [](const variable_list& x) -> variable_list {
            return {std::get<0>(triangular_solve(x[1], apart(x[0]), true, true))};
        },
        {{2, 2}, {2, 1}});
}

TEST_CASE("determinants have gradients") {
    manual_seed(5);
    check_one([](const Tensor& x) { return linalg_det(x); }, {{3, 3}, {2, 2, 2}, {1, 1}});
    check_one([](const Tensor& x) { return abs(linalg_det(x)) * x.det(); }, {{2, 2}});
    check(
        [](const variable_list& x) -> variable_list {
            auto [sign, log] = linalg_slogdet(x[0]);
            return {sign, log};
        },
        {{3, 3}});
    check_one([](const Tensor& x) { return std::get<1>(linalg_slogdet(x)); }, {{2, 2, 2}});
    check_one([](const Tensor& x) { return logdet(positive(x)); }, {{2, 2}});
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
        CHECK(gradcheck(f, {x}));
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
        check_one([=](const Tensor& x) { return linalg_cholesky(positive(x), upper); },
                  {{3, 3}, {2, 2, 2}});
        check_one(
            [=](const Tensor& x) { return std::get<0>(linalg_cholesky_ex(positive(x), upper)); },
            {{2, 2}}, false);
        check_one(
            [=](const Tensor& x) {
                return cholesky_inverse(linalg_cholesky(positive(x), upper), upper);
            },
            {{2, 2}, {2, 2, 2}});
        check(
            [=](const variable_list& x) -> variable_list {
                return {cholesky_solve(x[1], linalg_cholesky(positive(x[0]), upper), upper)};
            },
            {{2, 2}, {2, 3}});
        check(
            [=](const variable_list& x) -> variable_list {
                return {cholesky_solve(x[1], linalg_cholesky(positive(x[0]), upper), upper)};
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
    check_one(factor, {{3, 3}, {2, 2, 2}, {2, 4}, {4, 2}, {1, 3}, {3, 1}});
    check_one([](const Tensor& x) { return std::get<0>(linalg_lu_factor_ex(x)); }, {{2, 2}});
    for (const std::vector<int64_t>& sizes : sizes_list{{3, 3}, {2, 3}, {3, 2}, {2, 2, 2}})
        check(
            [](const variable_list& x) -> variable_list {
                auto [P, L, U] = linalg_lu(x[0]);
                return {L, U};
            },
            {sizes});
    check(
        [](const variable_list& x) -> variable_list {
            auto [LU, pivots] = linalg_lu_factor(x[0]);
            auto [P, L, U] = lu_unpack(LU, pivots);
            return {matmul(L, U)};
        },
        {{3, 3}}, false);
    for (const bool left : {true, false})
        for (const bool adjoint : {true, false})
            check(
                [=](const variable_list& x) -> variable_list {
                    auto [LU, pivots] = linalg_lu_factor(x[0]);
                    return {linalg_lu_solve(LU, pivots, x[1], left, adjoint)};
                },
                {{2, 2, 2}, {2, 2}});
    const Tensor a = randn({2, 2}, kDouble).eval();
    check_one(
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
            check(
                [=](const variable_list& x) -> variable_list {
                    auto [Q, R] = linalg_qr(x[0], mode);
                    return Q.numel() > 0 ? variable_list{Q, R} : variable_list{R};
                },
                {sizes});
        }
    check_one([](const Tensor& x) { return std::get<0>(qr(x)); }, {{3, 2}, {2, 3}});
    check_one([](const Tensor& x) { return std::get<1>(qr(x)); }, {{3, 2}, {2, 3}});
    const Tensor tall = randn({3, 2}, kDouble).eval().requires_grad_();
    const Tensor Q = std::get<0>(linalg_qr(tall, "complete"));
    CHECK_THROWS_AS(Q.sum().backward(), NotImplementedError);
}

TEST_CASE("products of reflectors have gradients") {
    manual_seed(10);
    check(
        [](const variable_list& x) -> variable_list {
            return {linalg_householder_product(x[0], x[1])};
        },
        {{3, 2}, {2}});
    check(
        [](const variable_list& x) -> variable_list {
            return {linalg_householder_product(x[0], x[1])};
        },
        {{2, 2, 2}, {2, 1}}, false);
    for (const bool left : {true, false})
        for (const bool transpose : {true, false})
            check(
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

TEST_CASE("Hermitian eigenvalues and eigenvectors have gradients") {
    manual_seed(11);
    for (const char* triangle : {"L", "U"}) {
        check_one([=](const Tensor& x) { return linalg_eigvalsh(hermitian(x), triangle); },
                  {{3, 3}, {2, 2, 2}, {1, 1}});
        check(
            [=](const variable_list& x) -> variable_list {
                auto [values, V] = linalg_eigh(hermitian(apart(x[0])), triangle);
                return {values, sizes_of(V)};
            },
            {{3, 3}});
    }
    check(
        [](const variable_list& x) -> variable_list {
            auto [values, V] = linalg_eigh(hermitian(apart(x[0])));
            return {matmul(V * values.exp().unsqueeze(-2), V.mH())};
        },
        {{2, 2, 2}});
}

TEST_CASE("eigenvalues and eigenvectors of any matrix have gradients") {
    manual_seed(12);
    check_one([](const Tensor& x) { return linalg_eigvals(apart(x)); }, {{3, 3}, {2, 2, 2}});
    check(
        [](const variable_list& x) -> variable_list {
            auto [values, V] = linalg_eig(apart(x[0]));
            return {values, sizes_of(V)};
        },
        {{3, 3}});
    check(
        [](const variable_list& x) -> variable_list {
            auto [values, V] = linalg_eig(apart(x[0]));
            return {matmul(V * values.unsqueeze(-2), linalg_inv(V))};
        },
        {{2, 2, 2}});
    // A pair of complex eigenvalues of real matrices.
    const Tensor turn = tensor({1., -2., 3., 0.5}).view({2, 2}).to(kDouble).eval().requires_grad_();
    const auto f = [](const variable_list& x) -> variable_list {
        auto [values, V] = linalg_eig(x[0]);
        return {values, sizes_of(V)};
    };
    CHECK(gradcheck(f, {turn}));
    CHECK(gradgradcheck(f, {turn}));
}

TEST_CASE("singular values and vectors have gradients") {
    manual_seed(13);
    check_one([](const Tensor& x) { return linalg_svdvals(x); },
              {{3, 3}, {2, 3}, {3, 2}, {2, 2, 2}, {1, 3}});
    for (const std::vector<int64_t>& sizes : sizes_list{{3, 3}, {2, 4}, {4, 2}, {3, 1}}) {
        check(
            [](const variable_list& x) -> variable_list {
                auto [U, S, Vh] = linalg_svd(apart(x[0]), false);
                return {sizes_of(U), S, sizes_of(Vh)};
            },
            {sizes});
        check(
            [](const variable_list& x) -> variable_list {
                auto [U, S, Vh] = linalg_svd(apart(x[0]), false);
                return {matmul(U, Vh)};
            },
            {sizes});
        check(
            [](const variable_list& x) -> variable_list {
                auto [U, S, Vh] = linalg_svd(apart(x[0]), true);
                const int64_t k = S.size(-1);
                return {sizes_of(U.narrow(-1, 0, k)), S,
                        matmul(U.narrow(-1, 0, k) * S.square().unsqueeze(-2), Vh.narrow(-2, 0, k))};
            },
            {sizes}, false);
        check(
            [](const variable_list& x) -> variable_list {
                auto [U, S, Vh] = linalg_svd(apart(x[0]), false);
                return {sizes_of(U)};
            },
            {sizes}, false);
        check(
            [](const variable_list& x) -> variable_list {
                auto [U, S, V] = svd(apart(x[0]));
                return {sizes_of(V)};
            },
            {sizes}, false);
    }
    check_one([](const Tensor& x) { return std::get<1>(svd(x, true, false)); }, {{2, 2}}, false);
}

TEST_CASE("a loss that depends on the phases of complex vectors has no gradient") {
    manual_seed(21);
    const Tensor x = apart(randn({3, 3}, kComplexDouble)).eval().requires_grad_();
    const auto refuses = [](const Tensor& vectors) {
        CHECK_THROWS_WITH_AS(real(vectors).sum().backward(),
                             doctest::Contains("depends on the phases"), Error);
    };
    refuses(std::get<1>(linalg_eigh(hermitian(x))));
    refuses(std::get<1>(linalg_eig(x)));
    refuses(std::get<0>(linalg_svd(x)));
    refuses(std::get<2>(linalg_svd(x, false)));
    const Tensor turn = tensor({1., -2., 3., 0.5}).view({2, 2}).to(kDouble).eval();
    refuses(std::get<1>(linalg_eig(turn.requires_grad_())));
}

TEST_CASE("pseudo-inverses have gradients") {
    manual_seed(14);
    check_one([](const Tensor& x) { return linalg_pinv(apart(x)); }, {{3, 3}, {2, 3}, {3, 2}});
    check_one([](const Tensor& x) { return linalg_pinv(hermitian(apart(x)), 1e-15, true); },
              {{2, 2}});
    check_one([](const Tensor& x) { return x.pinverse(); }, {{2, 2, 3}}, false);
    // Of rank 1, which the function keeps.
    check(
        [](const variable_list& x) -> variable_list {
            return {linalg_pinv(matmul(x[0], x[1]), 1e-9)};
        },
        {{3, 1}, {1, 2}});
    // Equal singular values are no exception.
    const Tensor unit = eye(2, kDouble).requires_grad_();
    linalg_pinv(unit).sum().backward();
    CHECK(allclose(unit.grad(), -ones({2, 2}, kDouble)));
}

TEST_CASE("least squares have gradients") {
    manual_seed(15);
    for (const char* driver : {"gels", "gelsy", "gelsd", "gelss"}) {
        CAPTURE(driver);
        for (const sizes_list& sizes : {sizes_list{{4, 2}, {4, 1}}, sizes_list{{2, 3}, {2, 2}},
                                        sizes_list{{2, 3, 2}, {2, 3}}})
            check(
                [=](const variable_list& x) -> variable_list {
                    auto [X, residuals, rank, values] =
                        linalg_lstsq(apart(x[0]), x[1], nullopt, driver);
                    return residuals.numel() > 0 ? variable_list{X, residuals} : variable_list{X};
                },
                sizes, std::string_view(driver) == "gelsd");
    }
}

TEST_CASE("exponentials of matrices have gradients") {
    manual_seed(16);
    for (const double scale : {1e-9, 0.01, 0.2, 1., 4.})
        check_one([=](const Tensor& x) { return linalg_matrix_exp(x * scale); }, {{2, 2}});
    check_one([](const Tensor& x) { return matrix_exp(x); }, {{1, 1}, {2, 3, 3}}, false);
}

TEST_CASE("norms and condition numbers have gradients") {
    manual_seed(17);
    const double inf = std::numeric_limits<double>::infinity();
    for (const Scalar& order :
         {Scalar(1), Scalar(-1), Scalar(2), Scalar(-2), Scalar(inf), Scalar(-inf)}) {
        check_one([=](const Tensor& x) { return linalg_matrix_norm(x, order); }, {{2, 3}});
        check_one([=](const Tensor& x) { return linalg_cond(apart(x), order); }, {{2, 2}});
    }
    for (const char* order : {"fro", "nuc"}) {
        check_one([=](const Tensor& x) { return linalg_matrix_norm(x, order); }, {{2, 2, 3}});
        check_one([=](const Tensor& x) { return linalg_cond(apart(x), order); }, {{2, 2}});
    }
    for (const double order : {0.5, 1., 1.5, 2., 3., inf, -inf, -1.})
        check_one([=](const Tensor& x) { return linalg_vector_norm(x, order); }, {{2, 3}});
    check_one([](const Tensor& x) { return linalg_norm(x); }, {{2, 2}});
}

TEST_CASE("other functions of linear algebra have gradients") {
    manual_seed(18);
    check_one([](const Tensor& x) { return linalg_vander(x); }, {{3}, {2, 2}});
    check_one([](const Tensor& x) { return linalg_vander(x, 2); }, {{1}});
    check_one([](const Tensor& x) { return linalg_diagonal(x); }, {{2, 3}});
    check_one([](const Tensor& x) { return x.trace(); }, {{2, 3}});
    // The image of random vectors is all of a matrix with q columns.
    for (const ScalarType dtype : real_and_complex) {
        const Tensor x = apart(randn({4, 2}, dtype)).eval().requires_grad_();
        CHECK(gradcheck(
            [](const variable_list& a) -> variable_list {
                manual_seed(5);
                auto [U, S, V] = svd_lowrank(a[0], 2);
                return {S, matmul(U, V.mH())};
            },
            {x}));
    }
}

TEST_CASE("matrices in any layout have gradients") {
    manual_seed(19);
    const std::function<Tensor(const Tensor&)> functions[] = {
        [](const Tensor& x) { return linalg_inv(x); },
        [](const Tensor& x) { return linalg_det(x); },
        [](const Tensor& x) { return linalg_solve(x, x.narrow(-1, 0, 2)); },
        [](const Tensor& x) { return linalg_solve(x, x.narrow(-2, 0, 2), false); },
        [](const Tensor& x) { return linalg_solve_triangular(x, x.mT(), true); },
        [](const Tensor& x) { return linalg_cholesky(positive(x)); },
        [](const Tensor& x) { return cholesky_solve(x, x); },
        [](const Tensor& x) { return std::get<0>(linalg_lu_factor(x)); },
        [](const Tensor& x) { return std::get<0>(linalg_qr(x)); },
        [](const Tensor& x) { return linalg_eigvalsh(hermitian(x)); },
        // Their order follows the layout, which a finite difference does not keep.
        [](const Tensor& x) { return linalg_eigvals(x).exp().sum(); },
        [](const Tensor& x) { return linalg_svdvals(x); },
        [](const Tensor& x) { return linalg_pinv(x); },
        [](const Tensor& x) { return linalg_matrix_exp(x); },
        [](const Tensor& x) { return matmul(x, x); },
        [](const Tensor& x) { return std::get<0>(linalg_lstsq(x, x)); }};
    for (std::size_t i = 0; i < std::size(functions); ++i)
        for (const ScalarType dtype : real_and_complex) {
            // Functions that take numbers on the diagonal as real are given such.
            const Tensor x = apart(randn({3, 3}, i == 6 ? kDouble : dtype)).eval();
            Tensor wide = zeros({6, 6}, x.options());
            const Tensor part = wide.slice(0, 0, 6, 2).slice(1, 1, 6, 2);
            part.copy_(x);
            const Tensor layouts[] = {x.mT().contiguous().mT(), part,
                                      x.flip({0}).contiguous().mT().flip({1}).mT()};
            for (const Tensor& layout : layouts) {
                CAPTURE(i);
                CAPTURE(dtype);
                CAPTURE(layout.strides());
                const Tensor leaf = layout.eval().detach().requires_grad_();
                CHECK(gradcheck(
                    [&](const variable_list& a) -> variable_list { return {functions[i](a[0])}; },
                    {leaf}));
                // A part of what is differentiated.
                const Tensor all = stack({x, x}).eval().requires_grad_();
                CHECK(gradcheck(
                    [&](const variable_list& a) -> variable_list {
                        return {functions[i](a[0].select(0, 1).mT())};
                    },
                    {all}));
            }
        }
}

TEST_CASE("factors without a derivative say so") {
    const Tensor A = (eye(2, kDouble) * 2).eval().requires_grad_();
    CHECK_THROWS_WITH_AS(
        std::get<0>(linalg_ldl_factor(A)).sum().backward(),
        doctest::Contains("the derivative for 'linalg_ldl_factor' is not implemented"),
        NotImplementedError);
    CHECK_THROWS_WITH_AS(
        std::get<0>(linalg_ldl_factor_ex(A)).sum().backward(),
        doctest::Contains("the derivative for 'linalg_ldl_factor_ex' is not implemented"),
        NotImplementedError);
    auto [LD, pivots] = linalg_ldl_factor(A.detach());
    CHECK_THROWS_AS(linalg_ldl_solve(LD, pivots, A).sum().backward(), NotImplementedError);
    CHECK_FALSE(linalg_matrix_rank(A).requires_grad());
}

TEST_CASE("empty matrices have gradients") {
    const auto sum_of = [](const variable_list& results) {
        Tensor sum = zeros({}, kDouble);
        for (const Tensor& t : results) sum = sum + abs(t).sum();
        return sum;
    };
    for (const std::vector<int64_t>& sizes : sizes_list{{0, 0}, {2, 0, 0}, {0, 2, 2}}) {
        const std::function<variable_list(const Tensor&)> functions[] = {
            [](const Tensor& x) { return variable_list{linalg_inv(x)}; },
            [](const Tensor& x) { return variable_list{linalg_det(x)}; },
            [](const Tensor& x) { return variable_list{std::get<1>(linalg_slogdet(x))}; },
            [](const Tensor& x) { return variable_list{linalg_solve(x, x)}; },
            [](const Tensor& x) { return variable_list{linalg_solve_triangular(x, x, true)}; },
            [](const Tensor& x) { return variable_list{linalg_cholesky(x)}; },
            [](const Tensor& x) { return variable_list{cholesky_inverse(x)}; },
            [](const Tensor& x) { return variable_list{std::get<0>(linalg_lu_factor(x))}; },
            [](const Tensor& x) { return variable_list{std::get<0>(linalg_qr(x))}; },
            [](const Tensor& x) { return variable_list{linalg_eigvalsh(x)}; },
            [](const Tensor& x) { return variable_list{std::get<1>(linalg_eigh(x))}; },
            [](const Tensor& x) { return variable_list{linalg_eigvals(x)}; },
            [](const Tensor& x) { return variable_list{linalg_svdvals(x)}; },
            [](const Tensor& x) { return variable_list{std::get<0>(linalg_svd(x, false))}; },
            [](const Tensor& x) { return variable_list{linalg_pinv(x)}; },
            [](const Tensor& x) { return variable_list{linalg_matrix_exp(x)}; },
            [](const Tensor& x) { return variable_list{linalg_matrix_norm(x)}; },
            [](const Tensor& x) { return variable_list{std::get<0>(linalg_lstsq(x, x))}; }};
        for (std::size_t i = 0; i < std::size(functions); ++i) {
            CAPTURE(i);
            CAPTURE(sizes);
            const Tensor x = zeros(sizes, kDouble).requires_grad_();
            const Tensor y = sum_of(functions[i](x));
            REQUIRE(y.requires_grad());
            y.backward();
            REQUIRE(x.grad().defined());
            CHECK(x.grad().sizes() == x.sizes());
        }
    }
}

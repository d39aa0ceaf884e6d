// Gradients of systems, inverses and least squares, and of matrices of all layouts and sizes.
#include "tests/ops/autograd/check_gradients.hpp"

#include <string_view>

using namespace sinter;
using namespace sinter::test::gradients;

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
            const bool vectors =
                b.size() == 1 || std::equal(b.begin(), b.end(), a.begin(), a.end() - 1);
            if (!left && vectors) continue;
            std::vector<int64_t> right = b;
            if (!left) std::swap(right[right.size() - 1], right[right.size() - 2]);
            check_function(
                [&](const variable_list& x) -> variable_list {
                    return {linalg_solve(spread_out(x[0]), x[1], left)};
                },
                {a, right});
            check_function(
                [&](const variable_list& x) -> variable_list {
                    return {std::get<0>(linalg_solve_ex(spread_out(x[0]), x[1], left))};
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
    check_matrices([](const Tensor& x) { return linalg_inv(spread_out(x)); }, {{3, 3}, {2, 2, 2}});
    check_matrices([](const Tensor& x) { return std::get<0>(linalg_inv_ex(spread_out(x))); },
                   {{3, 3}});
    check_matrices([](const Tensor& x) { return spread_out(x).inverse(); }, {{1, 1}});
    check_matrices([](const Tensor& x) { return matrix_power(spread_out(x), -2); }, {{2, 2}});
    check_matrices(
        [](const Tensor& x) { return linalg_tensorinv(spread_out(x).view({2, 2, 4}), 2); },
        {{4, 4}}, false);
    check_function(
        [](const variable_list& x) -> variable_list {
            return {linalg_tensorsolve(spread_out(x[0]).view({2, 2, 4}), x[1])};
        },
        {{4, 4}, {2, 2}}, false);
}

TEST_CASE("triangular systems have gradients") {
    manual_seed(4);
    for (const bool upper : {true, false})
        for (const bool left : {true, false})
            for (const bool unit : {true, false}) {
                const auto f = [=](const variable_list& x) -> variable_list {
                    return {linalg_solve_triangular(spread_out(x[0]), x[1], upper, left, unit)};
                };
                check_function(f, {{2, 2, 2}, {2, 2}});
                check_function(
                    [=](const variable_list& x) -> variable_list {
                        return {linalg_solve_triangular(spread_out(x[0]).mT(), x[1].mT(), upper,
                                                        left, unit)};
                    },
                    {{2, 2}, {2, 2}}, false);
            }
    check_function(
        [](const variable_list& x) -> variable_list {
            return {std::get<0>(triangular_solve(x[1], spread_out(x[0]), true, true))};
        },
        {{2, 2}, {2, 1}});
}

TEST_CASE("pseudo-inverses have gradients") {
    manual_seed(14);
    check_matrices([](const Tensor& x) { return linalg_pinv(spread_out(x)); },
                   {{3, 3}, {2, 3}, {3, 2}});
    check_matrices(
        [](const Tensor& x) { return linalg_pinv(hermitian_of(spread_out(x)), 1e-15, true); },
        {{2, 2}});
    check_matrices([](const Tensor& x) { return x.pinverse(); }, {{2, 2, 3}}, false);
    // Of rank 1, which the function keeps.
    check_function(
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
            check_function(
                [=](const variable_list& x) -> variable_list {
                    auto [X, residuals, rank, values] =
                        linalg_lstsq(spread_out(x[0]), x[1], nullopt, driver);
                    return residuals.numel() > 0 ? variable_list{X, residuals} : variable_list{X};
                },
                sizes, std::string_view(driver) == "gelsd");
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
        [](const Tensor& x) { return linalg_cholesky(positive_definite(x)); },
        [](const Tensor& x) { return cholesky_solve(x, x); },
        [](const Tensor& x) { return std::get<0>(linalg_lu_factor(x)); },
        [](const Tensor& x) { return std::get<0>(linalg_qr(x)); },
        [](const Tensor& x) { return linalg_eigvalsh(hermitian_of(x)); },
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
            const Tensor x = spread_out(randn({3, 3}, i == 6 ? kDouble : dtype)).eval();
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

TEST_CASE("gradients of pending functions of matrices are pending" * doctest::test_suite("host")) {
    manual_seed(22);
    const std::function<Tensor(const Tensor&)> functions[] = {
        [](const Tensor& x) { return matmul(x, x); },
        [](const Tensor& x) { return einsum("ij,jk->ki", {x, x}); },
        [](const Tensor& x) { return std::get<0>(linalg_inv_ex(x)); },
        [](const Tensor& x) { return std::get<0>(linalg_solve_ex(x, x)); },
        [](const Tensor& x) { return linalg_solve_triangular(x, x, true); },
        [](const Tensor& x) { return linalg_det(x); },
        [](const Tensor& x) { return std::get<1>(linalg_slogdet(x)); },
        [](const Tensor& x) { return std::get<0>(linalg_cholesky_ex(matmul(x, x.mH()))); },
        [](const Tensor& x) { return cholesky_solve(x, x); },
        [](const Tensor& x) { return std::get<1>(linalg_qr(x)); }};
    for (std::size_t i = 0; i < std::size(functions); ++i) {
        CAPTURE(i);
        const Tensor x = spread_out(randn({3, 3}, kDouble)).eval().requires_grad_();
        const stats_report before = stats();
        functions[i](x).sum().backward();
        CHECK(stats().library_calls == before.library_calls);
        CHECK(stats().flushes == before.flushes);
        x.grad().eval();
        CHECK(stats().library_calls > before.library_calls);
    }
}

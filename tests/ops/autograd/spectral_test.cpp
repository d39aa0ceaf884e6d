// Gradients of eigenvalues, singular values, and functions of matrices that are made of them.
// Decompositions are made unique by functions that do not depend on signs and phases.
#include "tests/ops/autograd/check_gradients.hpp"

#include <limits>

using namespace sinter;
using namespace sinter::test::gradients;

TEST_CASE("Hermitian eigenvalues and eigenvectors have gradients") {
    manual_seed(11);
    for (const char* triangle : {"L", "U"}) {
        check_matrices([=](const Tensor& x) { return linalg_eigvalsh(hermitian_of(x), triangle); },
                       {{2, 2}, {2, 2, 2}, {1, 1}});
        check_function(
            [=](const variable_list& x) -> variable_list {
                auto [values, V] = linalg_eigh(hermitian_of(spread_out(x[0])), triangle);
                return {values, magnitudes(V)};
            },
            {{3, 3}});
    }
    check_function(
        [](const variable_list& x) -> variable_list {
            auto [values, V] = linalg_eigh(hermitian_of(spread_out(x[0])));
            return {matmul(V * values.exp().unsqueeze(-2), V.mH())};
        },
        {{2, 2, 2}});
}

TEST_CASE("eigenvalues and eigenvectors of any matrix have gradients") {
    manual_seed(12);
    check_matrices([](const Tensor& x) { return linalg_eigvals(spread_out(x)); },
                   {{3, 3}, {2, 2, 2}});
    check_function(
        [](const variable_list& x) -> variable_list {
            auto [values, V] = linalg_eig(spread_out(x[0]));
            return {values, magnitudes(V)};
        },
        {{3, 3}});
    check_function(
        [](const variable_list& x) -> variable_list {
            auto [values, V] = linalg_eig(spread_out(x[0]));
            return {matmul(V * values.unsqueeze(-2), linalg_inv(V))};
        },
        {{2, 2, 2}});
    // A pair of complex eigenvalues of real matrices.
    const Tensor turn = tensor({1., -2., 3., 0.5}).view({2, 2}).to(kDouble).eval().requires_grad_();
    const auto f = [](const variable_list& x) -> variable_list {
        auto [values, V] = linalg_eig(x[0]);
        return {values, magnitudes(V)};
    };
    CHECK(gradcheck(f, {turn}, 1e-6, 1e-5, 1e-3, true, true, true));
    CHECK(gradgradcheck(f, {turn}));
}

TEST_CASE("singular values and vectors have gradients") {
    manual_seed(13);
    check_matrices([](const Tensor& x) { return linalg_svdvals(x); },
                   {{2, 2}, {2, 3}, {3, 2}, {2, 2, 2}, {1, 3}});
    for (const std::vector<int64_t>& sizes : sizes_list{{2, 2}, {2, 3}, {3, 2}, {3, 1}}) {
        check_function(
            [](const variable_list& x) -> variable_list {
                auto [U, S, Vh] = linalg_svd(spread_out(x[0]), false);
                return {magnitudes(U), S, magnitudes(Vh)};
            },
            {sizes});
        check_function(
            [](const variable_list& x) -> variable_list {
                auto [U, S, Vh] = linalg_svd(spread_out(x[0]), false);
                return {matmul(U, Vh)};
            },
            {sizes});
        check_function(
            [](const variable_list& x) -> variable_list {
                auto [U, S, Vh] = linalg_svd(spread_out(x[0]), true);
                const int64_t k = S.size(-1);
                return {magnitudes(U.narrow(-1, 0, k)), S,
                        matmul(U.narrow(-1, 0, k) * S.square().unsqueeze(-2), Vh.narrow(-2, 0, k))};
            },
            {sizes}, false);
        check_function(
            [](const variable_list& x) -> variable_list {
                auto [U, S, Vh] = linalg_svd(spread_out(x[0]), false);
                return {magnitudes(U)};
            },
            {sizes}, false);
        check_function(
            [](const variable_list& x) -> variable_list {
                auto [U, S, V] = svd(spread_out(x[0]));
                return {magnitudes(V)};
            },
            {sizes}, false);
    }
    check_matrices([](const Tensor& x) { return std::get<1>(svd(x, true, false)); }, {{2, 2}},
                   false);
}

TEST_CASE("a loss that depends on the phases of complex vectors has no gradient") {
    manual_seed(21);
    const Tensor x = spread_out(randn({3, 3}, kComplexDouble)).eval().requires_grad_();
    const auto refuses = [](const Tensor& vectors) {
        CHECK_THROWS_WITH_AS(real(vectors).sum().backward(),
                             doctest::Contains("depends on the phases"), Error);
    };
    refuses(std::get<1>(linalg_eigh(hermitian_of(x))));
    refuses(std::get<1>(linalg_eig(x)));
    refuses(std::get<0>(linalg_svd(x)));
    refuses(std::get<2>(linalg_svd(x, false)));
    const Tensor turn = tensor({1., -2., 3., 0.5}).view({2, 2}).to(kDouble).eval();
    refuses(std::get<1>(linalg_eig(turn.requires_grad_())));
}

TEST_CASE("exponentials of matrices have gradients") {
    manual_seed(16);
    for (const double scale : {1e-9, 0.01, 0.2, 1., 4.})
        check_matrices([=](const Tensor& x) { return linalg_matrix_exp(x * scale); }, {{2, 2}});
    check_matrices([](const Tensor& x) { return matrix_exp(x); }, {{1, 1}, {2, 3, 3}}, false);
}

TEST_CASE("norms and condition numbers have gradients") {
    manual_seed(17);
    const double inf = std::numeric_limits<double>::infinity();
    // Condition numbers are made of norms, inverses and singular values.
    const bool twice = false;
    for (const Scalar& order :
         {Scalar(1), Scalar(-1), Scalar(2), Scalar(-2), Scalar(inf), Scalar(-inf)}) {
        check_matrices([=](const Tensor& x) { return linalg_matrix_norm(x, order); }, {{2, 2}});
        check_matrices([=](const Tensor& x) { return linalg_cond(spread_out(x), order); }, {{2, 2}},
                       twice);
    }
    for (const char* order : {"fro", "nuc"}) {
        check_matrices([=](const Tensor& x) { return linalg_matrix_norm(x, order); }, {{2, 1, 2}});
        check_matrices([=](const Tensor& x) { return linalg_cond(spread_out(x), order); }, {{2, 2}},
                       twice);
    }
    for (const double order : {0.5, 1., 1.5, 2., 3., inf, -inf, -1.})
        check_matrices([=](const Tensor& x) { return linalg_vector_norm(x, order); }, {{3}});
    check_matrices([](const Tensor& x) { return linalg_norm(x); }, {{2, 2}});
}

TEST_CASE("other functions of linear algebra have gradients") {
    manual_seed(18);
    check_matrices([](const Tensor& x) { return linalg_vander(x); }, {{3}, {2, 2}});
    check_matrices([](const Tensor& x) { return linalg_vander(x, 2); }, {{1}});
    check_matrices([](const Tensor& x) { return linalg_diagonal(x); }, {{2, 3}});
    check_matrices([](const Tensor& x) { return x.trace(); }, {{2, 3}});
    // The image of random vectors is all of a matrix with q columns.
    for (const ScalarType dtype : real_and_complex) {
        const Tensor x = spread_out(randn({4, 2}, dtype)).eval().requires_grad_();
        CHECK(gradcheck(
            [](const variable_list& a) -> variable_list {
                manual_seed(5);
                auto [U, S, V] = svd_lowrank(a[0], 2);
                return {S, matmul(U, V.mH())};
            },
            {x}));
    }
}

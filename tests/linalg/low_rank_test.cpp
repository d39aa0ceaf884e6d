#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

using namespace sinter;

TEST_CASE("svd_lowrank: the matrix of its rank, of tall, wide and stacked ones") {
    manual_seed(7);
    for (const std::vector<int64_t>& sizes :
         {std::vector<int64_t>{9, 6}, std::vector<int64_t>{5, 12}, std::vector<int64_t>{2, 8, 5}}) {
        std::vector<int64_t> left = sizes, right = sizes;
        left.back() = 3;
        right[right.size() - 2] = 3;
        const Tensor A = randn(left, kDouble).matmul(randn(right, kDouble));
        const auto [U, S, V] = svd_lowrank(A, 4);
        CHECK(U.size(-2) == sizes[sizes.size() - 2]);
        CHECK(V.size(-2) == sizes.back());
        CHECK(S.size(-1) == 4);
        CHECK(allclose((U * S.unsqueeze(-2)).matmul(V.mT()), A, 1e-9, 1e-9));
        CHECK(allclose(U.mT().matmul(U), eye(4, kDouble).expand_as(U.mT().matmul(U)), 1e-9, 1e-9));
    }
    const Tensor A = randn({6, 4}, kDouble), mean = A.mean({0}, true);
    const auto [U, S, V] = svd_lowrank(A, 4, 2, mean);
    CHECK(allclose((U * S).matmul(V.mT()), A - mean, 1e-9, 1e-9));
    try {
        svd_lowrank(ones({3}));
        FAIL("did not throw");
    } catch (const Error& e) {
        CHECK(std::string(e.what()) ==
              "[svd_lowrank] the tensor has too few dimensions; got shape [3], expected at least 2 "
              "dimensions; try unsqueeze(-1), which makes a vector a column");
    }
}

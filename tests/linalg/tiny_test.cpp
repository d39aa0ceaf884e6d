// Thousands of tiny systems: one fused kernel gives the same results as LAPACK for each.
#include "tests/seed.hpp"

#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace sinter;

namespace {

/// Compares `call` for the whole batch with `call` for each matrix alone, which uses LAPACK.
template <class F>
double difference(const Tensor& a, const Tensor& b, const F& call) {
    const Tensor all = call(a, b);
    std::vector<Tensor> each;
    for (int64_t i = 0; i < a.size(0); ++i) each.push_back(call(a[i], b[i]));
    const Tensor one = stack(each);
    return ((all - one).abs() / (1 + one.abs())).max().item().toDouble();
}

}  // namespace

TEST_CASE("solutions, inverses and determinants are LAPACK's within rounding") {
    manual_seed(static_cast<uint64_t>(test::seed()));
    for (const ScalarType t : {kFloat, kDouble})
        for (const int64_t n : {1, 2, 4, 6})
            for (const int64_t k : {t == kFloat ? 1 : 2}) {
                CAPTURE(n);
                const int64_t count = 64 * (2 * n + k);
                // Large off the diagonal, so that rows are swapped.
                const Tensor a = (rand({count, n, n}, t) - 0.5 + eye(n, t).flip(0)).eval();
                const Tensor b = rand({count, n, k}, t).eval();
                const double eps = t == kFloat ? 1e-3 : 1e-11;
                reset_stats();
                linalg::solve(a, b);
                if (n <= 4) CHECK(stats().library_calls == 0);
                const auto solve = [](const Tensor& x, const Tensor& y) {
                    return linalg::solve(x, y);
                };
                CHECK(difference(a, b, solve) < eps);
                CHECK(difference(a.mT(), b, solve) < eps);
                CHECK(difference(a, b.mT(), [](const Tensor& x, const Tensor& y) {
                          return linalg::solve(x, y, false);
                      }) < eps);
                CHECK(difference(a, b, [](const Tensor& x, const Tensor&) {
                          return linalg::inv(x);
                      }) < eps);
                CHECK(difference(a, b, [](const Tensor& x, const Tensor&) {
                          return linalg::det(x);
                      }) < eps);
            }
}

TEST_CASE("determinants of all permutations of four") {
    std::vector<Tensor> matrices;
    std::vector<double> signs;
    std::vector<int64_t> p{0, 1, 2, 3};
    do {
        matrices.push_back(eye(4).index_select(0, tensor(p)));
        int inversions = 0;
        for (int i = 0; i < 4; ++i)
            for (int j = i + 1; j < 4; ++j) inversions += p[i] > p[j];
        signs.push_back(inversions % 2 ? -1 : 1);
    } while (std::next_permutation(p.begin(), p.end()));
    const Tensor all = stack(matrices).repeat({20, 1, 1}), expected = tensor(signs).repeat({20});
    reset_stats();
    CHECK(equal(linalg::det(all), expected.to(kFloat)));
    CHECK(stats().library_calls == 0);
    CHECK(equal(linalg::inv(all), all.mT()));
}

TEST_CASE("a singular one among thousands is named") {
    Tensor a = eye(4).repeat({1000, 1, 1});
    a[613].zero_();
    a[613][0][0] = 1;
    std::string text;
    try {
        linalg::solve(a, ones({1000, 4, 1}));
    } catch (const LinAlgError& e) {
        text = e.what();
    }
    CHECK(text.find(
              "[linalg_solve] the matrix is singular; got a zero pivot at index 1 in matrix 613 of "
              "the batch (getrf)") == 0);
    CHECK_THROWS_AS(linalg::inv(a), LinAlgError);
    CHECK(linalg::det(a)[613].item<float>() == 0);
}

TEST_CASE("lazy and eager mode give the same bits, with NaN inside too") {
    manual_seed(static_cast<uint64_t>(test::seed()));
    Tensor a = rand({1000, 3, 3});
    a[5][1][1] = std::numeric_limits<float>::quiet_NaN();
    a[6].fill_(std::numeric_limits<float>::infinity());
    const Tensor b = rand({1000, 3, 1}).eval();
    const auto bits = [&] {
        return std::vector<Tensor>{linalg::solve(a, b), linalg::inv(a), linalg::det(a)};
    };
    const std::vector<Tensor> lazy = bits();
    const ModeGuard eager(Mode::eager);
    const std::vector<Tensor> at_once = bits();
    for (std::size_t i = 0; i < lazy.size(); ++i)
        CHECK(lazy[i].isclose(at_once[i], 0, 0, true).all().item<bool>());
}

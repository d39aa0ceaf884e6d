#include "tests/ops/cases.hpp"

#include <sinter/functions/reductions.hpp>

using namespace sinter;
using test::check;
using test::plain;

namespace {

/// The definition: weighted products of deviations from the weighted mean.
plain covariance(const plain& x, int64_t correction, const std::vector<double>& f,
                 const std::vector<double>& a) {
    const std::size_t rows = static_cast<std::size_t>(x.sizes[0]),
                      n = static_cast<std::size_t>(x.sizes[1]);
    double sum = 0, squares = 0;
    for (std::size_t k = 0; k < n; ++k) {
        sum += f[k] * a[k];
        squares += f[k] * a[k] * a[k];
    }
    std::vector<double> mean(rows);
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t k = 0; k < n; ++k) mean[i] += f[k] * a[k] * x.values[i * n + k];
        mean[i] /= sum;
    }
    const double divisor = sum - static_cast<double>(correction) * squares / sum;
    plain c({x.sizes[0], x.sizes[0]});
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < rows; ++j) {
            double s = 0;
            for (std::size_t k = 0; k < n; ++k)
                s +=
                    f[k] * a[k] * (x.values[i * n + k] - mean[i]) * (x.values[j * n + k] - mean[j]);
            c.values[i * rows + j] = s / divisor;
        }
    return c;
}

}  // namespace

TEST_CASE("covariance") {
    test::for_each_mode([] {
        const std::vector<double> one(6, 1), f = {1, 2, 0, 3, 1, 1}, a = {.5, 1, 2, .25, 1, .5};
        const Tensor fw = tensor({1, 2, 0, 3, 1, 1}),
                     aw = tensor({.5, 1.0, 2.0, .25, 1.0, .5}, kDouble);
        for (const Tensor& t :
             {test::some_values({3, 6}, kDouble, 1), test::some_values({6, 4}, kDouble, 2).t()})
            for (int64_t c : {0, 1, 2}) {
                const plain x(t);
                test::check_near(t.cov(c), covariance(x, c, one, one), 1e-12);
                test::check_near(t.cov(c, fw), covariance(x, c, f, one), 1e-12);
                test::check_near(cov(t, c, nullopt, aw), covariance(x, c, one, a), 1e-12);
                test::check_near(t.cov(c, fw, aw), covariance(x, c, f, a), 1e-12);
            }
        check<float>(tensor({1, 2, 3}).cov(), {}, {1});
        check<float>(tensor({1.0, 2.0, 3.0}).cov(0), {}, {2.0f / 3});
        check<float>(tensor({5.0}).cov(), {}, {std::numeric_limits<float>::quiet_NaN()});
        check<float>(tensor({5.0}).cov(1, tensor({2})), {}, {0});
    });
    CHECK_ERROR(Error, zeros({2, 2, 2}).cov(),
                "[cov] the tensor has too many dimensions; got shape [2, 2, 2], expected at most 2 "
                "dimensions; try flatten(1), which makes it a matrix");
    CHECK_ERROR(NotImplementedError, tensor({true}).cov(),
                "[cov] booleans are not supported; got Bool, expected a numeric dtype; try "
                ".to(kLong) first");
    CHECK_ERROR(Error, zeros({3}).cov(1, zeros({3})),
                "[cov] fweights has the wrong dtype; got Float, expected an integral dtype; try "
                ".to(kLong) on fweights");
    CHECK_ERROR(Error, zeros({3}).cov(1, nullopt, zeros({3}, kLong)),
                "[cov] aweights has the wrong dtype; got Long, expected a floating-point dtype; "
                "try .to(kFloat) on aweights");
    CHECK_ERROR(Error, zeros({3}).cov(1, ones({2}, kLong)),
                "[cov] fweights does not match the observations; got 2 weights for 3 observations, "
                "expected one weight for each observation; try transposing the tensor if its rows "
                "are the observations");
    CHECK_ERROR(Error, zeros({2}).cov(1, tensor({1, -1})),
                "[cov] fweights has a negative element; got -1, expected 0 or more; try "
                "clamp_min(0) on fweights");
    CHECK_ERROR(Error, zeros({2}).cov(1, zeros({2}, kLong)),
                "[cov] the weights sum to 0; got a sum of 0, expected a positive sum; try leaving "
                "the weights out");
    CHECK_ERROR(Error, zeros({2}).cov(1, ones({1, 2}, kLong)),
                "[cov] fweights has too many dimensions; got shape [1, 2], expected at most 1 "
                "dimension; try flatten() on fweights");
}

TEST_CASE("correlation") {
    test::for_each_mode([] {
        const Tensor t = test::some_values({3, 6}, kDouble, 5);
        const std::vector<double> one(6, 1);
        plain c = covariance(plain(t), 1, one, one);
        const plain v = c;
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j)
                c.values[i * 3 + j] /= std::sqrt(v.values[i * 4] * v.values[j * 4]);
        test::check_near(t.corrcoef(), c, 1e-12);
        check<float>(corrcoef(tensor({1.0, 2.0, 4.0})), {}, {1});
        check<float>(corrcoef(tensor({2.0, 2.0})), {}, {std::numeric_limits<float>::quiet_NaN()});
    });
    CHECK_ERROR(Error, zeros({2, 2, 2}).corrcoef(),
                "[corrcoef] the tensor has too many dimensions; got shape [2, 2, 2], expected at "
                "most 2 dimensions; try flatten(1), which makes it a matrix");
}

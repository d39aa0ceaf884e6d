// The named compositions of reductions fuse like their formulas.
#include "tests/engine/plan/one_kernel.hpp"

#include <sinter/functions/reductions.hpp>

#include <cmath>
#include <limits>

using namespace sinter;

namespace {

Tensor noise(IntArrayRef sizes, ScalarType dtype = kFloat) {
    Tensor t = randn(sizes, dtype);
    t.eval();
    return t;
}

}  // namespace

TEST_CASE("named patterns over rows are one kernel each") {
    for (ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16})
        for (int64_t dim : {-1, 0}) {
            CAPTURE(dtype);
            CAPTURE(dim);
            const Tensor x = noise({9, 33}, dtype), w = noise({9, 33}, dtype);
            CHECK(kernels_of(x.softmax(dim)) == 1);
            CHECK(kernels_of(softmax(x * 0.5, dim) * w) == 1);
            CHECK(kernels_of(x.log_softmax(dim)) == 1);
            CHECK(kernels_of(x.logsumexp(dim)) == 1);
            CHECK(kernels_of(x.logsumexp(dim, true)) == 1);
            CHECK(kernels_of(x / x.norm(2, {dim}, true)) == 1);
            CHECK(kernels_of(x.norm(3, {dim})) == 1);
            CHECK(kernels_of(x.nansum(dim)) == 1);
            CHECK(kernels_of(x.nanmean(dim)) == 1);
            CHECK(kernels_of(x.count_nonzero(dim)) == 1);
            CHECK(kernels_of(x.renorm(2, dim, 1)) == 1);
            CHECK(kernels_of((x > 0).any(dim)) == 1);
        }
}

TEST_CASE("comparisons and differences are one kernel each") {
    const Tensor x = noise({9, 33}), y = noise({9, 33}), v = noise({33});
    CHECK(kernels_of(x.isclose(y)) == 1);
    CHECK(kernels_of(where(isclose(x, y), x, y) + 1) == 1);
    CHECK(kernels_of(x.diff()) == 1);
    CHECK(kernels_of(v.diff() * 2 + 1) == 1);
    CHECK(kernels_of(x.dist(y)) == 1);
    CHECK(kernels_of(cdist(x, y.slice(0, 0, 5))) == 1);
    CHECK(kernels_of(trapezoid(v, 0.5)) <= 3);
    const auto [low, high] = x.aminmax();
    reset_stats();
    eval({low, high});
    CHECK(stats().kernels_launched == 1);
    const auto [var, mean] = var_mean(x, 1);
    reset_stats();
    eval({var, mean});
    CHECK(stats().kernels_launched == 1);
}

namespace {

/// Returns the first of the best values of column `c`, or the first of its NaN.
template <class T>
int64_t first_best(const Tensor& x, int64_t c, bool largest) {
    const Tensor column = x.select(1, c).contiguous();
    const T* v = column.const_data_ptr<T>();
    int64_t at = 0;
    for (int64_t i = 1; i < column.numel(); ++i) {
        if (v[at] != v[at]) break;
        if (v[i] != v[i] || (largest ? v[i] > v[at] : v[i] < v[at])) at = i;
    }
    return at;
}

template <class T>
void check_first(const Tensor& x) {
    const Tensor rows = x.t().contiguous();
    for (bool largest : {true, false}) {
        const Tensor along_rows = largest ? x.argmax(0) : x.argmin(0),
                     along_elements = largest ? rows.argmax(1) : rows.argmin(1);
        for (int64_t c = 0; c < x.size(1); ++c) {
            CAPTURE(c);
            const int64_t expected = first_best<T>(x, c, largest);
            CHECK(along_rows[c].item<int64_t>() == expected);
            CHECK(along_elements[c].item<int64_t>() == expected);
        }
    }
}

}  // namespace

TEST_CASE("argmax and argmin: the first of equals and of NaN, and the worst values") {
    manual_seed(5);
    for (int64_t n : {1, 2, 15, 31, 33, 100, 4096, 4097, 8200})
        for (int64_t columns : {5, 16, 70}) {
            if (n > 1000 && columns == 70) continue;
            CAPTURE(n);
            CAPTURE(columns);
            const double inf = std::numeric_limits<double>::infinity();
            const Tensor few = randint(-2, 3, {n, columns});
            check_first<float>(few.to(kFloat));
            check_first<double>(few.to(kDouble));
            check_first<int64_t>(few);
            check_first<uint8_t>(few.to(kByte));
            for (double worst : {inf, -inf}) {
                Tensor same = full({n, columns}, worst, kFloat);
                check_first<float>(same);
                same.slice(0, n / 2, n).masked_fill_(few.slice(0, n / 2, n) > 1, std::nan(""));
                check_first<float>(same);
            }
            check_first<int32_t>(full({n, columns}, std::numeric_limits<int32_t>::min(), kInt));
            check_first<int32_t>(full({n, columns}, std::numeric_limits<int32_t>::max(), kInt));
            Tensor zeros_of_both_signs = (few.to(kFloat) * 0) * few;
            check_first<float>(zeros_of_both_signs);
        }
}

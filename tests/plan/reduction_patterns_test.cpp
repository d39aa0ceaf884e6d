// The named compositions of reductions fuse as their formulas do.
#include "tests/plan/one_kernel.hpp"

#include <sinter/reductions.hpp>

using namespace sinter;

namespace {

Tensor noise(IntArrayRef sizes, ScalarType dtype = kFloat) {
    Tensor t = randn(sizes, dtype);
    t.eval();
    return t;
}

}  // namespace

TEST_CASE("named patterns over rows are one kernel each") {
    if (!plans_run()) return;
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
    if (!plans_run()) return;
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

// Fast math applies to the statements written under it.
#include "tests/engine/plan/one_kernel.hpp"
#include "tests/support/compiler.hpp"

#include <sinter/sinter.hpp>

#include <cmath>
#include <thread>

using namespace sinter;

namespace {

constexpr float e = 0x1p-14f;

/// Gives -e * e if the product is not rounded before the sum.
Tensor difference_of(const Tensor& a, const Tensor& b) { return a * b - 1; }

bool contracts() {
    if (default_executor() != plan::executor::blocks) return true;
    MESSAGE("[SKIP] block rows compute fast statements as exact ones");
    return false;
}

}  // namespace

TEST_CASE("fast math: off by default, scoped, and of one thread") {
    CHECK(!get_fast_math());
    {
        FastMathGuard fast;
        CHECK(get_fast_math());
        {
            FastMathGuard exact(false);
            CHECK(!get_fast_math());
        }
        CHECK(get_fast_math());
        bool elsewhere = true;
        std::thread([&] { elsewhere = get_fast_math(); }).join();
        CHECK(!elsewhere);
        ModeGuard lazy(Mode::lazy);
        CHECK(get_fast_math());
    }
    CHECK(!get_fast_math());
}

TEST_CASE("fast math: a statement keeps what it was written under") {
    if (!contracts()) return;
    ModeGuard lazy(Mode::lazy);
    const Tensor a = full({100}, 1 + e), b = full({100}, 1 - e);
    eval({a, b});
    for (int again = 0; again < 3; ++again) {  // first planned, then cached
        const Tensor exact = difference_of(a, b);
        FastMathGuard fast;
        const Tensor rough = difference_of(a, b);
        {
            FastMathGuard off(false);
            CHECK(rough[7].item<float>() == -e * e);
        }
        CHECK(exact[7].item<float>() == 0);
    }
}

TEST_CASE("fast math: exact and fast statements share a kernel, each with its own rounding") {
    if (!contracts()) return;
    ModeGuard lazy(Mode::lazy);
    const Tensor a = full({100}, 1 + e), b = full({100}, 1 - e);
    eval({a, b});
    Tensor exact = difference_of(a, b), sum;
    {
        FastMathGuard fast;
        sum = exact + difference_of(a, b);
    }
    CHECK(kernels_of(sum) == 1);
    CHECK(sum[3].item<float>() == -e * e);
    // A product from an exact statement is rounded, whoever adds to it.
    Tensor product = a * b;
    {
        FastMathGuard fast;
        sum = product - 1;
    }
    CHECK(kernels_of(sum) == 1);
    CHECK(sum[3].item<float>() == 0);
}

TEST_CASE("fast math: eager mode has nothing to contract") {
    ModeGuard eager(Mode::eager);
    FastMathGuard fast;
    const Tensor a = full({100}, 1 + e), b = full({100}, 1 - e);
    CHECK(difference_of(a, b)[0].item<float>() == 0);
}

TEST_CASE("fast math: results are close to exact ones") {
    ModeGuard lazy(Mode::lazy);
    for (ScalarType type : {kFloat, kDouble, kHalf, kBFloat16}) {
        manual_seed(5);
        const Tensor x = rand({1000}, kDouble).to(type) + 0.5, y = rand({1000}, kDouble).to(type);
        eval({x, y});
        const auto formula = [&] {
            return ((x * y + 1.5) * x - y * 0.25) / 3 + (x.square() + y).sqrt() / (x + 1);
        };
        const Tensor exact = formula();
        Tensor rough;
        {
            FastMathGuard fast;
            rough = formula();
        }
        CHECK(rough.dtype() == exact.dtype());
        const double tolerance = 8 * finfo(type).eps;
        CHECK(allclose(rough.to(kDouble), exact.to(kDouble), tolerance, tolerance));
        CHECK(!rough.isnan().any().item<bool>());
    }
}

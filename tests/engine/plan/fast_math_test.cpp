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

namespace {

/// Returns every function that has another form under fast math, of numbers in (0, 1).
std::vector<Tensor> functions_of(const Tensor& x) {
    return {exp(x),           exp2(x),          expm1(x),       log2(x),
            log10(x),         sin(x),           cos(x),         tan(x),
            sinh(x),          cosh(x),          tanh(x),        erf(x),
            erfc(x),          pow(x, 0.7),      sigmoid(x),     silu(x),
            mish(x),          softplus(x),      log_sigmoid(x), logit(x),
            gelu(x),          gelu(x, "tanh"),  xlogy(x, x),    special::xlog1py(x, x),
            special::entr(x), special::ndtr(x), softmax(x, 0),  log_softmax(x, 0)};
}

}  // namespace

TEST_CASE("fast math: functions are close to exact ones, which keep their bits") {
    ModeGuard lazy(Mode::lazy);
    manual_seed(6);
    for (ScalarType type : {kFloat, kDouble}) {
        const Tensor x = (rand({5000}, kDouble) * 0.998 + 0.001).to(type).eval();
        std::vector<Tensor> exact = functions_of(x), rough;
        eval(exact);
        {
            FastMathGuard fast;
            rough = functions_of(x);
        }
        eval(rough);
        std::vector<Tensor> again = functions_of(x);
        eval(again);
        std::size_t others = 0;
        for (std::size_t k = 0; k < exact.size(); ++k) {
            CAPTURE(k);
            CHECK(allclose(rough[k], exact[k], 8 * finfo(type).eps, 2 * finfo(type).eps));
            CHECK(equal(again[k], exact[k]));
            others += !equal(rough[k], exact[k]);
        }
        if (contracts()) CHECK(others >= 20);
    }
}

TEST_CASE("fast math: gradients computed under it use the fast forms") {
    if (!contracts()) return;
    ModeGuard lazy(Mode::lazy);
    manual_seed(7);
    const Tensor x = rand({1000}).eval().requires_grad_();
    const auto gradient = [&] {
        // The derivative has a sine, and its operand no other function.
        return autograd::grad({cos(x).sum()}, {x})[0].eval();
    };
    const Tensor exact = gradient();
    Tensor rough;
    {
        FastMathGuard fast;
        rough = gradient();
        CHECK(equal(rough, -sin(x.detach())));
    }
    CHECK(!equal(rough, exact));
    CHECK(allclose(rough, exact, 1e-6, 1e-7));
    CHECK(equal(exact, -sin(x.detach())));
}

// Values that several kernels read: stored, or computed again by each.
#include "tests/engine/plan/plan_of.hpp"
#include "tests/ops/check.hpp"

namespace sinter::test {
namespace {

Tensor noise(IntArrayRef sizes, ScalarType dtype = kFloat) {
    Tensor t = randn(sizes, dtype);
    t.eval();
    return t;
}

int count(const std::string& text, const std::string& part) {
    int n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++n;
    return n;
}

/// Sums of a value over rows and over columns need two kernels.
template <class F>
std::string two_sums(const F& f) {
    const Tensor v = f();
    return plan_of({v.sum({0}), v.sum({1})});
}

TEST_CASE("a cheap value is computed again by each kernel that reads it") {
    ModeGuard guard(Mode::lazy);
    const Tensor x = noise({512, 384}), mean = noise({512, 1});
    const std::string plan = two_sums([&] { return x - mean; });
    CAPTURE(plan);
    CHECK(plan.find("2 kernels") != std::string::npos);
    CHECK(count(plan, "%0=sub") == 2);
    CHECK(plan.find(plan::to_string(plan::cut::shared)) == std::string::npos);
}

TEST_CASE("a value that is dear, or made of many tensors, is stored once") {
    ModeGuard guard(Mode::lazy);
    const Tensor x = noise({512, 384});
    SUBCASE("dear") {
        const std::string plan = two_sums([&] { return lgamma(x); });
        CAPTURE(plan);
        CHECK(count(plan, "lgamma") == 1);
        CHECK(plan.find(plan::to_string(plan::cut::shared)) != std::string::npos);
    }
    SUBCASE("many tensors") {
        const Tensor a = noise({512, 384}), b = noise({512, 384}), c = noise({512, 384});
        const std::string plan = two_sums([&] { return x + a + b + c; });
        CAPTURE(plan);
        CHECK(count(plan, "add+add+add") == 1);
    }
    SUBCASE("a cheap one of a dear one is computed again, but not the dear one") {
        const Tensor dear = lgamma(x), cheap = dear * 2;
        const std::string plan = plan_of({cheap.sum({0}), cheap.sum({1})});
        CAPTURE(plan);
        CHECK(count(plan, "lgamma") == 1);
    }
}

TEST_CASE("what is computed again has the same bits") {
    const Tensor x = noise({300, 200}, kDouble), w = noise({200}, kDouble);
    const auto values = [&] {
        const Tensor d = x - x.mean({1}, true), e = d * w;
        return std::vector<Tensor>{e.sum({0}), e.sum({1}), (e * d).sum({0}), e.amax()};
    };
    std::vector<Tensor> lazy;
    {
        ModeGuard guard(Mode::lazy);
        lazy = values();
        for (const Tensor& t : lazy) t.eval();
    }
    ModeGuard guard(Mode::eager);
    const std::vector<Tensor> eager = values();
    for (std::size_t i = 0; i < lazy.size(); ++i) CHECK(equal(lazy[i], eager[i]));
}

TEST_CASE("a function and its gradient are one kernel, not cut for their size") {
    ModeGuard guard(Mode::lazy);
    Tensor x = noise({20000});
    x.requires_grad_();
    Tensor y = x;
    for (int i = 0; i < 10; ++i) y = sin(y) * 1.01 + 0.1;
    const Tensor gradient = autograd::grad({y.sum()}, {x})[0];
    const std::string plan = plan_of({y, gradient});
    CAPTURE(plan);
    CHECK(plan.find(" 1 kernel,") != std::string::npos);
    const NoGradGuard unrecorded;
    Tensor z = x.detach(), by_hand = ones({20000});
    ModeGuard at_once(Mode::eager);
    for (int i = 0; i < 10; ++i) {
        by_hand = by_hand * (cos(z) * 1.01);
        z = sin(z) * 1.01 + 0.1;
    }
    CHECK(equal(y, z));
    CHECK(allclose(gradient, by_hand, 1e-5, 1e-6));
}

TEST_CASE("a loss and its gradient are one kernel") {
    ModeGuard guard(Mode::lazy);
    const auto both = [](IntArrayRef sizes, auto&& f) {
        Tensor x = noise(sizes);
        x.requires_grad_();
        const Tensor loss = f(x);
        const Tensor gradient = autograd::grad({loss}, {x})[0];
        const std::string plan = plan_of({loss.detach(), gradient});
        eval({loss.detach(), gradient});
        // The bits of each alone, which does not depend on the kernel.
        CHECK(equal(loss, f(x.detach())));
        CHECK(equal(gradient, autograd::grad({f(x)}, {x})[0]));
        return plan;
    };
    const auto sines = [](Tensor y) {
        for (int i = 0; i < 10; ++i) y = sin(y) * 1.01 + 0.1;
        return y.sum();
    };
    const auto is_one = [](const std::string& plan) {
        return plan.find(" 1 kernel,") != std::string::npos;
    };
    SUBCASE("of a vector") { CHECK(is_one(both({20011}, sines))); }
    SUBCASE("of a table") { CHECK(is_one(both({30, 700}, sines))); }
    SUBCASE("of a mean") {
        CHECK(is_one(both({20011}, [](const Tensor& x) { return erf(tanh(x) * x).mean(); })));
    }
    SUBCASE("not where they share little") {
        CHECK(!is_one(both({20011}, [](const Tensor& x) { return x.abs().sum(); })));
    }
    SUBCASE("not where an operand repeats") {
        const Tensor scale = noise({700});
        const std::string plan =
            both({30, 700}, [&](const Tensor& x) { return (tanh(x) * scale).sum(); });
        CHECK(!is_one(plan));
    }
}

TEST_CASE("sums of long chains have the bits of eager mode") {
    const std::vector<std::vector<int64_t>> sizes{
        {3}, {1000}, {4096 * 3 + 77}, {37, 333}, {5, 4999}};
    for (const ScalarType dtype : {kFloat, kDouble})
        for (const std::vector<int64_t>& shape : sizes) {
            const Tensor x = noise(shape, dtype);
            const auto values = [&] {
                Tensor y = x;
                for (int i = 0; i < 8; ++i) y = sin(y * 1.5) * 1.01 + where(y > 0.3, y, 0.1);
                std::vector<Tensor> all{y.sum(), y.var(IntArrayRef({-1}), true), y.amax({-1}),
                                        y.argmin(), y};
                for (int i = 0; i < 40; ++i) y = (y * 1.25 + x) * 0.5;
                all.push_back(y.sum({-1}));
                return all;
            };
            std::vector<Tensor> lazy;
            {
                ModeGuard guard(Mode::lazy);
                lazy = values();
                eval(lazy);
            }
            ModeGuard guard(Mode::eager);
            const std::vector<Tensor> eager = values();
            CAPTURE(dtype);
            CAPTURE(shape.size());
            CAPTURE(shape[0]);
            for (std::size_t i = 0; i < lazy.size(); ++i) {
                CAPTURE(i);
                CHECK(equal(lazy[i], eager[i]));
            }
        }
}

TEST_CASE("a function that runs before its gradient stores what is dear to compute again") {
    ModeGuard guard(Mode::lazy);
    Tensor x = noise({20000});
    x.requires_grad_();
    const auto chain = [&](auto&& step) {
        Tensor y = x;
        for (int i = 0; i < 4; ++i) y = step(y);
        return y.sum();
    };
    const auto sine = [](const Tensor& y) { return Tensor(sin(y) * 1.01); };
    const auto square = [](const Tensor& y) { return Tensor(y * y * 0.9); };
    SUBCASE("dear") {
        const Tensor loss = chain(sine);
        const std::string plan = explain(loss);
        CAPTURE(plan);
        CHECK(plan.find("3 values stored for it, 240000 bytes") != std::string::npos);
        loss.item<float>();
        loss.backward();
        CHECK(explain(x.grad()).find("sin+") == std::string::npos);
    }
    SUBCASE("cheap") {
        const Tensor loss = chain(square);
        const std::string plan = explain(loss);
        CAPTURE(plan);
        CHECK(plan.find("stored for it") == std::string::npos);
        loss.item<float>();
        loss.backward();
        const std::string after = explain(x.grad());
        CAPTURE(after);
        CHECK(after.find(" 1 read, 1 write") != std::string::npos);  // the squares are not stored
    }
    SUBCASE("dear, read after backward() and before the gradient") {
        const Tensor loss = chain(sine);
        loss.backward();
        CHECK(explain(loss).find("stored for it") != std::string::npos);
        loss.item<float>();
        CHECK(explain(x.grad()).find("sin+") == std::string::npos);
    }
    SUBCASE("not if nothing will read it") {
        const NoGradGuard unrecorded;
        CHECK(explain(chain(sine)).find("stored for it") == std::string::npos);
    }
}

TEST_CASE("a loss that is held is computed with its gradients") {
    ModeGuard guard(Mode::lazy);
    Tensor x = noise({20000});
    x.requires_grad_();
    const auto chain = [&] {
        Tensor y = x;
        for (int i = 0; i < 4; ++i) y = sin(y) * 1.01;
        return y.sum();
    };
    const Tensor value = chain();
    value.eval();
    SUBCASE("held") {
        const Tensor loss = chain();
        loss.backward();
        CHECK(pending(loss));
        x.grad().eval();
        CHECK_FALSE(pending(loss));
        CHECK(equal(loss, value));
    }
    SUBCASE("by what depends on a gradient") {
        const Tensor loss = chain();
        loss.backward();
        const Tensor step = x.detach() - 0.1 * x.grad();
        CHECK(explain(step).find("=sum") != std::string::npos);
        step.eval();
        CHECK_FALSE(pending(loss));
    }
    SUBCASE("not if nothing holds it") {
        chain().backward();
        CHECK(explain(x.grad()).find("=sum") == std::string::npos);
        x.grad().eval();
    }
    SUBCASE("not by other work") {
        const Tensor loss = chain();
        loss.backward();
        (x.detach() * 2).eval();
        CHECK(pending(loss));
        x.mutable_grad() = Tensor();
        CHECK(pending(loss));
        CHECK(equal(loss, value));
    }
}

TEST_CASE("a plan says what a gradient has of its function's values") {
    ModeGuard guard(Mode::lazy);
    Tensor x = noise({256, 300});
    x.requires_grad_();
    const Tensor y = log_softmax(x, 1), u = noise({256, 300});
    const Tensor g = autograd::grad({y}, {x}, {u})[0];
    const std::string plan = plan_of({g, y.sum({0})});
    CAPTURE(plan);
    CHECK(plan.find("gradient: ") != std::string::npos);
    CHECK((plan.find("stored for it, ") != std::string::npos ||
           plan.find("computed again: ") != std::string::npos));
    CHECK(plan_of({(x.detach() * 2).sum()}).find("gradient:") == std::string::npos);
}

TEST_CASE("a long loop with a gradient is cut for its size") {
    ModeGuard guard(Mode::lazy);
    Tensor x = noise({100});
    x.requires_grad_();
    Tensor y = x;
    for (int i = 0; i < 300; ++i) y = sin(y) * 1.01 + 0.1;
    const Tensor gradient = autograd::grad({y.sum()}, {x})[0];
    CHECK(plan_of({gradient}).find(plan::to_string(plan::cut::size)) != std::string::npos);
}

TEST_CASE("the losses of rows are computed with their gradient") {
    const Tensor named = randint(40, {64}).to(kLong).eval();
    const auto of = [&](const Tensor& x, int64_t ignored) {
        const Tensor loss = nn::functional::cross_entropy(
            x, named, nn::functional::CrossEntropyFuncOptions().ignore_index(ignored));
        return std::vector<Tensor>{loss.detach(), autograd::grad({loss}, {x})[0]};
    };
    for (const ScalarType dtype : {kFloat, kDouble, kHalf}) {
        const Tensor x = noise({64, 40}, dtype).requires_grad_();
        const int64_t some = named[3].item<int64_t>();
        for (const int64_t ignored : {int64_t{-100}, some}) {
            CAPTURE(toString(dtype));
            CAPTURE(ignored);
            std::vector<Tensor> lazy;
            {
                const ModeGuard guard(Mode::lazy);
                lazy = of(x, ignored);
                const uint64_t before = stats().kernels_launched;
                eval(lazy);
                // The rows, and the mean of their losses.
                if (ignored == -100) CHECK(stats().kernels_launched - before == 2);
            }
            const ModeGuard guard(Mode::eager);
            const std::vector<Tensor> eager = of(x, ignored);
            for (std::size_t i = 0; i < lazy.size(); ++i) CHECK(equal(lazy[i], eager[i]));
        }
    }
}

TEST_CASE("a layer norm and its gradients are a kernel for the rows and one for the columns") {
    const auto of = [](const Tensor& x, const Tensor& w, const Tensor& b, const Tensor& g) {
        const Tensor y = nn::functional::layer_norm(
            x, nn::functional::LayerNormFuncOptions({x.size(1)}).weight(w).bias(b));
        std::vector<Tensor> all = autograd::grad({y}, {x, w, b}, {g});
        all.push_back(y.detach());
        return all;
    };
    for (const ScalarType dtype : {kFloat, kDouble}) {
        for (const std::vector<int64_t>& sizes :
             {std::vector<int64_t>{512, 384}, {64, 40}, {300, 5000}}) {
            CAPTURE(toString(dtype));
            CAPTURE(sizes[0]);
            const Tensor x = noise(sizes, dtype).requires_grad_(), g = noise(sizes, dtype);
            const Tensor w = noise({sizes[1]}, dtype).requires_grad_();
            const Tensor b = noise({sizes[1]}, dtype).requires_grad_();
            std::vector<Tensor> lazy;
            {
                const ModeGuard guard(Mode::lazy);
                lazy = of(x, w, b, g);
                const uint64_t before = stats().kernels_launched;
                eval(lazy);
                CHECK(stats().kernels_launched - before == 2);
            }
            const ModeGuard guard(Mode::eager);
            const std::vector<Tensor> eager = of(x, w, b, g);
            for (std::size_t i = 0; i < lazy.size(); ++i) CHECK(equal(lazy[i], eager[i]));
        }
    }
}

TEST_CASE("two values of rows that need one reduction of them are one kernel") {
    const ModeGuard guard(Mode::lazy);
    const Tensor x = noise({512, 384}), y = noise({512, 384});
    const auto of = [&] {
        const Tensor mean = x.mean({1}, true);
        return std::vector<Tensor>{Tensor((x - mean) * y),
                                   Tensor((x - mean).abs() + y.sum({1}, true))};
    };
    std::vector<Tensor> both = of();
    CHECK(plan_of({both[0], both[1]}).find("1 kernel,") != std::string::npos);
    // Without one they are two.
    const Tensor a = x - x.mean({1}, true), b = y - y.mean({1}, true);
    CHECK(plan_of({a, b}).find("2 kernels") != std::string::npos);
    std::vector<Tensor> lazy = of();
    eval(lazy);
    const ModeGuard eager(Mode::eager);
    const std::vector<Tensor> expected = of();
    for (std::size_t i = 0; i < lazy.size(); ++i) CHECK(equal(lazy[i], expected[i]));
}

}  // namespace
}  // namespace sinter::test

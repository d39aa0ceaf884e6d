// Specialised kernels run only for the values that they were compiled for, and change no bit.
#include "engine/measure/specialization.hpp"

#include "tests/engine/plan/one_kernel.hpp"
#include "tests/ops/check.hpp"

#include <algorithm>
#include <functional>
#include <thread>

namespace sinter::test {
namespace {

/// Makes every plan hot at once, and specialised kernels always win, until the end of the test.
struct eager_rules {
    eager_rules() { plan::set_special_rules({.after_ns = 0, .always_stays = true}); }
    ~eager_rules() { plan::set_special_rules({}); }
    eager_rules(const eager_rules&) = delete;
};

bool compiles() {
    if (default_executor() == plan::executor::compiled) return true;
    MESSAGE("[SKIP] special kernels are tested where kernels are compiled and waited for");
    return false;
}

std::string own_line(const Tensor& t) {
    const std::string text = explain(t);
    const std::size_t at = text.find("own kernel");
    return at == std::string::npos ? "" : text.substr(at, text.find(';', at) - at);
}

Tensor eager_of(const std::function<Tensor()>& compute) {
    ModeGuard eager(Mode::eager);
    return compute();
}

}  // namespace

TEST_CASE("rows that are reduced get a kernel of their length") {
    if (!compiles()) return;
    ModeGuard lazy(Mode::lazy);
    const eager_rules rules;
    for (const int64_t columns : {9, 16, 24, 64}) {
        CAPTURE(columns);
        const Tensor x = randn({400011 / columns, columns}).eval();
        const auto compute = [&x] {
            const Tensor c = x - x.mean({1}, true);
            return Tensor(c * rsqrt((c * c).mean({1}, true) + 1e-5));
        };
        const Tensor expected = eager_of(compute);
        reset_stats();
        for (int i = 0; i < 60; ++i) CHECK(equal(compute().eval(), expected));
        CHECK(stats().kernels_specialised == 1);
        CHECK(stats().kernels_generalised == 0);
        CHECK(own_line(compute()) ==
              "own kernel for rows of " + std::to_string(columns) + ", runs");
    }
}

TEST_CASE("long rows, little work and plain arithmetic get none") {
    if (!compiles()) return;
    ModeGuard lazy(Mode::lazy);
    const eager_rules rules;
    const Tensor x = randn({1200, 100}).eval(), little = randn({100, 16}).eval();
    const Tensor whole = randint(0, 1000, {200000}).eval();
    const auto sums = [&x] { return Tensor(softmax(x, 1)); };
    const auto few = [&little] { return Tensor(softmax(little, 1)); };
    const auto plain = [&whole] { return Tensor((whole * 3 + 7) * 11 - 2 * whole * whole + 1); };
    reset_stats();
    for (const std::function<Tensor()>& f : {std::function<Tensor()>(sums), {few}, {plain}}) {
        for (int i = 0; i < 60; ++i) f().eval();
        CHECK(own_line(f()) == "");
    }
    CHECK(stats().kernels_specialised == 0);
}

TEST_CASE("divisors that stay get a kernel of their own") {
    if (!compiles()) return;
    ModeGuard lazy(Mode::lazy);
    const eager_rules rules;
    struct form {
        const char* name;
        std::function<Tensor(const Tensor&, int64_t)> compute;
    };
    const std::vector<form> forms = {
        {"remainder", [](const Tensor& x, int64_t d) { return Tensor(x % d); }},
        {"floor_divide", [](const Tensor& x, int64_t d) { return Tensor(floor_divide(x, d)); }},
        {"fmod", [](const Tensor& x, int64_t d) { return Tensor(fmod(x, d)); }},
    };
    for (const ScalarType dtype : {kByte, kChar, kShort, kInt, kLong}) {
        const int64_t low = dtype == kByte ? 0 : dtype == kLong ? INT64_MIN : INT32_MIN;
        const Tensor x =
            cat({tensor({low, low + 1, int64_t{0}, int64_t{1}}), randint(-70000, 70000, {200000})})
                .to(dtype)
                .eval();
        for (const form& f : forms)
            for (const int64_t d : {7, -1, 1, -64, 10}) {
                if (dtype == kByte && d < 0) continue;
                CAPTURE(f.name);
                CAPTURE(dtype);
                CAPTURE(d);
                const auto compute = [&] { return f.compute(x, d); };
                const Tensor expected = eager_of(compute);
                for (int i = 0; i < 40; ++i) compute().eval();
                CHECK(equal(compute().eval(), expected));
            }
    }
}

TEST_CASE("other scalars run in the general kernel, and end the special one") {
    if (!compiles()) return;
    ModeGuard lazy(Mode::lazy);
    const eager_rules rules;
    const Tensor x = randint(-1000000, 1000000, {300007}, kInt).eval();
    const auto by = [&x](int64_t d, int64_t addend = 1) {
        const Tensor y = x % d;  // two statements, so a separate plan
        return Tensor(y + addend);
    };
    const auto check = [&](int64_t d) {
        return equal(by(d).eval(), eager_of([&] { return by(d); }));
    };
    const auto settle = [&](int64_t d) {
        for (int i = 0; i < 60; ++i) by(d, i).eval();  // what is added may change
    };
    reset_stats();
    settle(7);
    CHECK(own_line(by(7)) == "own kernel for scalar 7, runs");
    CHECK(stats().kernels_specialised == 1);
    CHECK(check(9));  // another divisor changes nothing for the specialised kernels
    CHECK(check(7));
    CHECK_THROWS_WITH_AS(by(0).eval(), doctest::Contains("ZeroDivisionError"), Error);
    CHECK(own_line(by(7)) == "own kernel for scalar 7, runs");
    for (int64_t d = 11; d < 31; ++d) CHECK(check(d));
    CHECK(stats().kernels_generalised == 1);
    settle(5);
    CHECK(own_line(by(5)) == "own kernel for scalar 5, runs");
    for (int64_t d = 11; d < 31; ++d) CHECK(check(d));
    CHECK(stats().kernels_generalised == 2);
    settle(3);
    CHECK(own_line(by(3)) == "own kernel for scalar 5, given up: scalars change");
    CHECK(stats().kernels_specialised == 2);
    CHECK(check(3));
}

TEST_CASE("however many lengths there are, few get kernels") {
    if (!compiles()) return;
    ModeGuard lazy(Mode::lazy);
    const eager_rules rules;
    reset_stats();
    for (int64_t columns = 10; columns < 30; ++columns) {
        const Tensor x = rand({400003 / columns, columns}).eval();
        for (int i = 0; i < 120; ++i) ((x * x + x) * x - x).sum({1}).eval();
    }
    CHECK(stats().kernels_specialised > 0);
    CHECK(stats().kernels_specialised <= 8);  // four per general kernel, of which there are two
}

TEST_CASE("threads share a special kernel") {
    if (!compiles()) return;
    ModeGuard lazy(Mode::lazy);
    const eager_rules rules;
    const Tensor x = randint(0, 1000000, {150001}).eval();
    std::vector<Tensor> expected;
    for (int64_t d = 3; d < 7; ++d) expected.push_back(eager_of([&] { return Tensor(x % d); }));
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 100; ++i) {  // equal at first, then all different
                const int64_t d = i < 40 ? 3 : 3 + (t + i / 20) % 4;
                wrong += !equal(Tensor(x % d).eval(), expected[static_cast<std::size_t>(d - 3)]);
            }
        });
    for (std::thread& t : threads) t.join();
    CHECK(wrong == 0);
}

}  // namespace sinter::test

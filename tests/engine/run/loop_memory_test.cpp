// Memory of loops whose statements stay pending: no more than the same statements need one by one.
#include "tests/seed.hpp"

#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace sinter;

namespace {

constexpr int64_t n = 256, bytes_of_x = n * n * 4;
constexpr int steps = 60;

Tensor rotated(const Tensor& x) { return cat({x.narrow(0, 1, n - 1), x.narrow(0, 0, 1)}); }

struct loop {
    const char* name;
    Tensor (*step)(const Tensor& x, const Tensor& a);
};
const loop loops[] = {
    {"products", [](const Tensor& x, const Tensor& a) { return x.mm(a); }},
    {"transposed", [](const Tensor& x, const Tensor&) -> Tensor { return (x + x.t()) * 0.5; }},
    {"scans", [](const Tensor& x, const Tensor&) -> Tensor { return x.cumsum(1) * 0.01; }},
    {"row chains", [](const Tensor& x, const Tensor&) -> Tensor { return x.softmax(1) + x; }},
    {"sorts",
     [](const Tensor& x, const Tensor&) -> Tensor { return std::get<0>(x.sort(1)) * 0.9; }},
    {"rolls",
     [](const Tensor& x, const Tensor&) -> Tensor { return (x.roll(1, 0) + x.roll(1, 1)) * 0.5; }},
    {"cats", [](const Tensor& x, const Tensor&) -> Tensor { return rotated(x) * 0.99; }},
    {"stacks",
     [](const Tensor& x, const Tensor& a) -> Tensor { return stack({x, a}).sum(0) * 0.5; }},
    {"slices",
     [](const Tensor& x, const Tensor& a) -> Tensor {
         Tensor y = x * 0.5;
         y.narrow(0, 1, n - 2).add_(a.narrow(0, 0, n - 2));
         return y;
     }},
    {"scatters",
     [](const Tensor& x, const Tensor& a) -> Tensor {
         return x.scatter_add(0, zeros({1, n}, kLong), a) * 0.5;
     }},
};

struct outcome {
    Tensor x;
    int64_t peak;
};

outcome run(const loop& l, Mode mode) {
    const ModeGuard guard(mode);
    Tensor x = (arange(n * n, kFloat).view({n, n}) * 1e-5).eval();
    const Tensor a = (ones({n, n}) * 0.003).eval();
    synchronize();
    reset_stats();
    const int64_t before = stats().bytes_live;
    for (int i = 0; i < steps; ++i) x = l.step(x, a);
    x.eval();
    return {x, stats().bytes_peak - before};
}

}  // namespace

TEST_CASE("a loop of pending statements needs no more memory than one by one") {
    for (const loop& l : loops) {
        CAPTURE(std::string(l.name));
        const outcome by_line = run(l, Mode::eager), pending = run(l, Mode::lazy);
        CHECK(pending.x.equal(by_line.x));
        CHECK(by_line.peak >= bytes_of_x);
        CHECK(pending.peak <= by_line.peak * 3 / 2 + bytes_of_x);
    }
}

namespace {

/// Conjugate gradients without the matrix: y is read at the end alone, p is replaced each time.
outcome accumulate(Mode mode, int64_t size) {
    const ModeGuard guard(mode);
    const Tensor a = (ones({size, size}) * (0.5 / static_cast<double>(size))).eval();
    Tensor p = (arange(size * size, kFloat).view({size, size}) * 1e-5).eval();
    Tensor y = zeros({size, size}).eval();
    synchronize();
    reset_stats();
    const int64_t before = stats().bytes_live;
    const int turns = test::sanitized() ? 30 : 100;  // 30 terms kept would fail, too
    for (int i = 0; i < turns; ++i) {
        const Tensor q = p.mm(a);
        const double alpha = (p * q).sum().item<double>();
        y += p * (0.1 / (1 + alpha));
        p = q + p * 0.25;
    }
    y.eval();
    return {y, stats().bytes_peak - before};
}

}  // namespace

TEST_CASE("an accumulator that is not read does not keep all terms in memory") {
    for (const int64_t size : {int64_t{512}, int64_t{700}}) {
        if (test::sanitized() && size > 512) continue;
        const outcome by_line = accumulate(Mode::eager, size),
                      pending = accumulate(Mode::lazy, size);
        CHECK(pending.x.equal(by_line.x));
        CHECK(pending.peak <= by_line.peak * 3 / 2 + 2 * size * size * 4);
    }
}

namespace {

/// What a step adds to a total, made of one or several large temporary values.
const loop terms[] = {
    {"scans", [](const Tensor& x, const Tensor&) -> Tensor { return x.cumsum(0); }},
    {"sums of products", [](const Tensor& x, const Tensor& a) -> Tensor { return x.mm(a).sum(); }},
    {"sums of sorts",
     [](const Tensor& x, const Tensor&) -> Tensor { return std::get<0>(x.sort(1))[0].sum(); }},
    {"two for each step",
     [](const Tensor& x, const Tensor& a) -> Tensor { return x.cumsum(1) + x.mm(a); }},
};

outcome add_up(const loop& l, Mode mode, int turns) {
    const ModeGuard guard(mode);
    const int64_t size = 520;
    const Tensor x = (arange(size * size, kFloat).view({size, size}) * 1e-6).eval();
    const Tensor a = (ones({size, size}) * 0.003).eval();
    Tensor total = zeros_like(l.step(x, a)).eval();
    synchronize();
    reset_stats();
    const int64_t before = stats().bytes_live;
    for (int i = 0; i < turns; ++i) total = total + l.step(x + i, a);
    total.eval();
    return {total, stats().bytes_peak - before};
}

}  // namespace

TEST_CASE("large terms of a sum are not all in memory at once") {
    const int64_t term = int64_t{520} * 520 * 4;
    for (const loop& l : terms) {
        CAPTURE(std::string(l.name));
        const outcome by_line = add_up(l, Mode::eager, 20), pending = add_up(l, Mode::lazy, 20);
        CHECK(pending.x.equal(by_line.x));
        CHECK(pending.peak <= by_line.peak * 3 / 2 + 5 * term);
    }
}

TEST_CASE("a loop that replaces its tensor stays pending") {
    Tensor x = (ones({700, 700}) * 0.5).eval(), u = x.clone().eval(), p = x.clone().eval();
    synchronize();
    reset_stats();
    for (int i = 0; i < 50; ++i) {
        x = x * 0.5 + 1;
        const Tensor next = 2 * u - p;
        p = u;
        u = next;
    }
    CHECK(stats().flushed(flush_reason::bounds) <= 2);
    eval({x, u, p});
    CHECK(x[3][4].item<double>() == doctest::Approx(2));
    CHECK(u[3][4].item<double>() == doctest::Approx(0.5));
}

TEST_CASE("explain says the most bytes of a plan") {
    const Tensor a = ones({100, 100}).eval(), x = a.clone().eval();
    Tensor y = x;
    for (int i = 0; i < 9; ++i) y = y.mm(a);
    CHECK(explain(y).find("9 library calls, at most 80000 bytes of values\n") != std::string::npos);
    const Tensor kept = x.mm(a), z = kept.mm(a).mm(a);
    CHECK(explain(z).find("at most 80000 bytes of values\n") != std::string::npos);
    CHECK(explain(x + 1).find("at most 40000 bytes of values\n") != std::string::npos);
    CHECK(explain(x.sum()).find("at most 4 bytes of values\n") != std::string::npos);
    const auto [sorted, order] = x.sort(0);
    // The order is a result as well, of 8 bytes an element.
    CHECK(explain(sorted).find("at most 120000 bytes of values\n") != std::string::npos);
}

TEST_CASE("values that the program still holds outlive their last read in a flush") {
    const Tensor a = (ones({n, n}) * 0.003).eval();
    Tensor x = (arange(n * n, kFloat).view({n, n}) * 1e-5).eval();
    std::vector<Tensor> held;
    for (int i = 0; i < 8; ++i) {
        x = x.mm(a);
        if (i % 3 == 0) held.push_back(x);
        if (i % 3 == 1) held.push_back(x.narrow(0, 5, 7));  // a view holds it, too
    }
    x.eval();
    const ModeGuard guard(Mode::eager);
    Tensor y = (arange(n * n, kFloat).view({n, n}) * 1e-5).eval();
    std::size_t next = 0;
    for (int i = 0; i < 8; ++i) {
        y = y.mm(a);
        if (i % 3 == 0) CHECK(held[next++].equal(y));
        if (i % 3 == 1) CHECK(held[next++].equal(y.narrow(0, 5, 7)));
    }
    CHECK(next == held.size());
}

TEST_CASE("what a partial write leaves survives its last read in the flush") {
    Tensor r = arange(1000, kFloat) * 0.5;
    const Tensor part = r.slice(0, 10, 20);
    // So many that the sum is several kernels: the first alone reads r.
    for (int i = 0; i < 3000; ++i) part += 0.5;
    CHECK(r[19].item<float>() == 1509.5);
    for (int64_t i = 0; i < 1000; i += i == 9 ? 11 : 1) CHECK(r[i].item<float>() == 0.5f * i);
}

TEST_CASE("a write that fails after the last read of the old value leaves that") {
    float memory[16];
    for (int i = 0; i < 16; ++i) memory[i] = static_cast<float>(i);
    Tensor x = from_blob(memory, {4, 4});
    const Tensor outside = zeros({2}, kLong) + 7;  // its values are not known yet
    CHECK_THROWS_AS(x.copy_(x.cumsum(0).index_select(0, outside).sum(0)), IndexError);
    for (int i = 0; i < 16; ++i) CHECK(x[i / 4][i % 4].item<float>() == static_cast<float>(i));
    // In memory of its own, as well.
    const ModeGuard guard(Mode::eager);
    Tensor y = arange(16, kFloat).view({4, 4});
    const Tensor late = zeros({2}, kLong) + 7;
    CHECK_THROWS_AS(y.copy_(y.cumsum(0).index_select(0, late).sum(0)), IndexError);
    CHECK(y.equal(arange(16, kFloat).view({4, 4})));
}

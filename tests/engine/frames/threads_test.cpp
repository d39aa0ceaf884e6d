// Several threads call one compiled function while tensors that it reads are written: under the
// thread sanitizer, too.
#include <sinter/functions/compile.hpp>
#include <sinter/random_engines.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

using namespace sinter;

namespace {

/// Calls `body(thread, i)` `times` times on each of several threads.
template <class F>
void on_threads(int times, const F& body) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < times; ++i) body(t, i);
        });
    for (std::thread& t : threads) t.join();
}

Tensor ramp(int64_t n, int from) { return (arange(n, kFloat) + from).eval(); }

}  // namespace

TEST_CASE("threads: one kernel, several kernels and several results") {
    const Tensor w = ramp(40, 1);
    const auto brief = [&w](const Tensor& x) { return x * w + 1; };
    const auto plans = [&w](const Tensor& x) {
        const Tensor y = std::get<0>((x * w).sort());
        return std::make_tuple(y.cumsum(0), Tensor(y.flip({0}) - x));
    };
    const auto step = compile(brief);
    const auto steps = compile(plans);
    std::atomic<int> wrong{0};
    on_threads(40, [&](int t, int i) {
        const Tensor x = ramp(40, t * 100 + i % 4);
        if (!step(x).equal(brief(x))) ++wrong;
        const auto [a, b] = steps(x);
        const auto [c, d] = plans(x);
        if (!a.equal(c) || !b.equal(d)) ++wrong;
    });
    CHECK(wrong == 0);
    CHECK(stats().functions_replayed > 0);
}

TEST_CASE("threads: a long kernel runs while another thread writes to its argument") {
    constexpr int64_t n = 50000;
    const auto step = compile([](const Tensor& x) { return (x * 2 + 1).abs(); });
    std::atomic<int> wrong{0};
    on_threads(20, [&](int t, int) {
        const Tensor x = full({n}, t).eval();
        const Tensor y = step(x);
        x.add_(1);
        const Tensor z = step(x);
        const Tensor before = x * 3;
        x.fill_(-1);
        if (!y.equal(full({n}, 2.0F * static_cast<float>(t) + 1)) ||
            !z.equal(full({n}, 2.0F * static_cast<float>(t) + 3)) ||
            !before.equal(full({n}, 3.0F * static_cast<float>(t + 1))))
            ++wrong;
    });
    CHECK(wrong == 0);
}

TEST_CASE("threads: several plans in a row read what all threads read, and write an argument") {
    const Tensor w = ramp(8, 1);
    const auto step = compile([&w](const Tensor& x) {
        Tensor rows = zeros({2, 8});
        rows[0] = x + w;
        x.mul_(2);
        rows[1] = x * w;
        return rows;
    });
    std::atomic<int> wrong{0};
    on_threads(60, [&](int t, int i) {
        const Tensor x = ramp(8, t * 10 + i % 3), before = x * 1;
        const Tensor rows = step(x);
        if (!rows[0].equal(before + w) || !rows[1].equal(before * 2 * w)) ++wrong;
        if (!x.equal(before * 2)) ++wrong;
    });
    CHECK(wrong == 0);
}

TEST_CASE("threads: draws of one generator are taken once") {
    const Generator g = make_generator<PhiloxGeneratorImpl>(3);
    const auto step = compile([&g](const Tensor& x) { return x * 0 + rand({4}, g); });
    constexpr int times = 50;
    std::vector<std::vector<float>> seen(3);
    const Tensor x = ramp(4, 0);
    on_threads(times, [&](int t, int) {
        const Tensor y = step(x);
        for (int64_t i = 0; i < 4; ++i)
            seen[static_cast<std::size_t>(t)].push_back(y[i].item<float>());
    });
    std::vector<float> all, expected;
    for (const auto& s : seen) all.insert(all.end(), s.begin(), s.end());
    const Tensor in_order = rand({4 * 3 * times}, make_generator<PhiloxGeneratorImpl>(3));
    for (int64_t i = 0; i < in_order.numel(); ++i) expected.push_back(in_order[i].item<float>());
    std::sort(all.begin(), all.end());
    std::sort(expected.begin(), expected.end());
    CHECK((all == expected));
}

TEST_CASE("threads: recordings are made, found stale and evicted at once") {
    Tensor w = ramp(8, 1);
    const auto step = compile([&w](const Tensor& x, int64_t n) { return x.sum() * n + w[0]; });
    std::atomic<int> wrong{0};
    on_threads(100, [&](int t, int i) {
        const Tensor x = ramp(4, t);
        const int64_t n = (t * 50 + i) % 90;
        if (step(x, n).item<float>() != static_cast<float>((6 + 4 * t) * n + 1)) ++wrong;
        if (i % 25 == 0) static_cast<void>(explain(step));
    });
    CHECK(wrong == 0);
}

// What loops of pending statements run: the kernels of one iteration again and again, as if each
// were evaluated, and none that computes the work of earlier iterations once more.
#include "tests/support/compiler.hpp"

#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <utility>

using namespace sinter;
using namespace sinter::indexing;

namespace {

/// Runs `loop` pending and in eager mode, and compares the results. Returns the counters of the
/// pending run.
template <class F>
stats_report run_pending(const F& loop) {
    const Tensor expected = [&] {
        const ModeGuard eager(Mode::eager);
        return loop().eval();
    }();
    const ModeGuard lazy(Mode::lazy);
    reset_stats();
    const Tensor x = loop().eval();
    const stats_report s = stats();
    CHECK(x.equal(expected));
    return s;
}

Tensor numbers(IntArrayRef sizes) {
    return Tensor(sin(arange(Tensor(ones(sizes)).numel(), kFloat)).view(sizes)).eval();
}

}  // namespace

TEST_CASE("lazy loops: a written slice is stored once, and no earlier step is computed again") {
    const Tensor start = numbers({5000});
    constexpr int steps = 20;
    const auto wave = [&] {
        Tensor u = start.clone().eval(), p = start.clone().eval();
        for (int i = 0; i < steps; ++i) {
            Tensor next = 2 * u - p;
            next.index({Slice(1, -1)}) +=
                0.1 * (u.index({Slice(2, None)}) - 2 * u.index({Slice(1, -1)}) +
                       u.index({Slice(None, -2)}));
            p = u;
            u = next;
        }
        return u;
    };
    const stats_report s = run_pending(wave);
    CHECK(s.kernels_launched <= 2 * steps + 2);
    CHECK(s.bytes_peak <= s.bytes_live + 4 * 20480);
}

TEST_CASE("lazy loops: writes into one part after each other are one write") {
    const Tensor start = numbers({1000}), term = numbers({800});
    const auto sum = [&] {
        const Tensor x = start.clone().eval(), part = x.slice(0, 100, 900);
        for (int i = 0; i < 10; ++i) {
            part.mul_(0.5);
            part.add_(term);
        }
        return x;
    };
    CHECK(run_pending(sum).kernels_launched <= 2);
    // Not with a reader of the value in between.
    const auto read = [&] {
        Tensor x = start.clone().eval(), part = x.slice(0, 100, 900);
        part.mul_(0.5);
        const Tensor before = x * 2;
        part.add_(term);
        part.add_(x.slice(0, 0, 800) * 3);
        part.add_(part * 2);
        return Tensor(before + x);
    };
    run_pending(read);
    // The part of another dtype's view is not the same part.
    const auto bits = [&] {
        const Tensor x = start.clone().eval();
        x.slice(0, 0, 4).mul_(2);
        x.view(kInt).slice(0, 0, 4).add_(1);
        x.slice(0, 0, 4).add_(x.slice(0, 0, 4));
        return x;
    };
    run_pending(bits);
}

TEST_CASE("lazy loops: what several partial writes read is computed once") {
    const Tensor start = numbers({64, 64});
    constexpr int steps = 10;
    const auto life = [&] {
        Tensor a = (start > 0).to(kInt).eval();
        for (int i = 0; i < steps; ++i) {
            Tensor n = zeros_like(a);
            for (int d = 1; d <= 4; ++d) n = n + a.roll({d % 2, d}, {0, 1});
            a = ((n == 3) | ((n == 2) & (a == 1))).to(kInt);
        }
        return a;
    };
    const stats_report s = run_pending(life);
    // Per step: up to four parts of each of four rolls, and the value itself.
    CHECK(s.kernels_launched <= 17 * steps);
}

TEST_CASE("lazy loops: row chains of several iterations are not one kernel") {
    if (!test::has_compiler()) return;
    const Tensor start = numbers({512, 512});
    constexpr int steps = 12;
    const auto chain = [&] {
        Tensor x = start;
        for (int i = 0; i < steps; ++i) x = x.softmax(1) + x;
        return x;
    };
    const stats_report s = run_pending(chain);
    CHECK(s.kernels_launched >= steps - 1);
    CHECK(s.kernels_launched <= 2 * steps);
    synchronize();
    CHECK(stats().kernels_compiled + stats().kernels_loaded <= 4);
}

TEST_CASE("lazy loops: the kernels of a long loop are those of a short one") {
    if (!test::has_compiler()) return;
    const auto paths = [](int steps) {
        return [steps] {
            manual_seed(7);
            Tensor s = full({1000}, 100.0), sum = zeros({1000});
            for (int i = 0; i < steps; ++i) {
                s = s * exp(-0.01 + 0.1 * randn({1000}));
                sum += s;
            }
            return sum;
        };
    };
    const stats_report once = run_pending(paths(60));
    CHECK(once.bytes_peak - once.bytes_live <= 4 * 4096);
    synchronize();
    const uint64_t compiled = stats().kernels_compiled + stats().kernels_loaded;
    CHECK(compiled <= 6);
    run_pending(paths(600));
    synchronize();
    CHECK(stats().kernels_compiled + stats().kernels_loaded <= 4);
}

TEST_CASE("lazy loops: the state of a long loop is made by one kernel") {
    const Tensor start = numbers({3, 1000});
    const auto lorenz = [&] {
        Tensor x = start[0], y = start[1], z = start[2] + 20;
        for (int i = 0; i < 60; ++i) {
            const Tensor dx = 10 * (y - x), dy = x * (28 - z) - y, dz = x * y - 2.5 * z;
            x = x + 0.001 * dx;
            y = y + 0.001 * dy;
            z = z + 0.001 * dz;
        }
        return Tensor(x + y + z);
    };
    const stats_report s = run_pending(lorenz);
    CHECK(s.kernels_launched >= 4);
    CHECK(s.kernels_launched <= 15);  // 14 operations an iteration, 64 to 128 in a kernel
}

TEST_CASE("lazy loops: sums of columns take over only the end of a long chain") {
    const Tensor a = numbers({200, 100}) + 2;
    const auto newton = [&] {
        Tensor x = a;
        for (int i = 0; i < 40; ++i) x = 0.5 * (x + a / x);
        return x.sum({0}, false, kDouble);
    };
    const std::string plan = explain(newton());
    CAPTURE(plan);
    CHECK(plan.find("2. kernel") != std::string::npos);
    CHECK(plan.find("120 operations, 1 reduction") == std::string::npos);
    run_pending(newton);
}

TEST_CASE("lazy loops: a read in each iteration computes no earlier iteration again") {
    const Tensor start = numbers({1000});
    constexpr int steps = 40;
    const auto reading = [&](const auto& step) {
        Tensor x = start.clone().eval(), before = x;
        double seen = 0;
        for (int i = 0; i < steps; ++i) {
            step(x, before);
            seen += x.sum().item<double>();
        }
        return Tensor(x + seen);
    };
    const std::pair<std::string, std::function<void(Tensor&, Tensor&)>> loops[] = {
        {"a new value", [](Tensor& x, Tensor&) { x = x * 0.9 + 0.1; }},
        {"in place", [](Tensor& x, Tensor&) { x.mul_(0.9).add_(0.1); }},
        {"a part", [](Tensor& x, Tensor&) { x.slice(0, 100, 900).mul_(0.9); }},
        {"two states",
         [](Tensor& x, Tensor& before) {
             const Tensor next = 1.5 * x - 0.5 * before;
             before = x;
             x = next;
         }},
        {"two statements that are held",
         [](Tensor& x, Tensor& before) {
             before = x * 0.5;
             x = before + 0.25;
         }},
    };
    for (const auto& [name, step] : loops) {
        CAPTURE(name);
        const stats_report s = run_pending([&, step = step] { return reading(step); });
        CHECK(s.plans_built <= 6);  // those of the first iterations, and of what is behind the loop
        CHECK(s.kernels_launched <= 2 * steps + 4);
        CHECK(s.nodes_pending <= 6);
    }
}

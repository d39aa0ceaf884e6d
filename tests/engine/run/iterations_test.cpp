// Long loops of pending statements: their iterations are planned once, and run as they would line
// by line.
#include "tests/seed.hpp"

#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace sinter;

namespace {

struct long_loop {
    const char* name;
    int operations;  // of one iteration
    void (*step)(std::vector<Tensor>& state, int i);
};

Tensor start(int64_t n, double by) { return (arange(n, kFloat) * by).eval(); }

const long_loop long_loops[] = {
    {"one operation", 1, [](auto& s, int) { s[0] = s[0] * 0.5f + 1; }},
    {"three that read each other", 6,
     [](auto& s, int) {
         const Tensor a = s[1] - s[0], b = s[0] * (3 - s[2]), c = s[0] * s[1];
         s[0] = s[0] + 0.001f * a;
         s[1] = s[1] * 0.99f + 0.001f * b;
         s[2] = s[2] * 0.99f + 0.001f * c;
     }},
    {"other numbers in each", 3,
     [](auto& s, int i) {
         s[0] = s[0] + 1.0 / (i + 1);
         s[1] = s[1] * 0.9 + s[0] * i;
         s[2] = s[1] - s[2];
     }},
    {"reductions and products", 4,
     [](auto& s, int) {
         const Tensor m = s[0].view({8, 8}), p = m.mm(m.t());
         s[0] = (p / p.abs().amax()).view({64});
     }},
    {"views and rows of a table", 2,
     [](auto& s, int i) { s[0] = 0.9f * s[0] + s[3].select(0, i) + s[0].flip(0) * 0.01f; }},
    {"random numbers", 2, [](auto& s, int) { s[0] = s[0] * 0.9f + randn({64}); }},
    {"scans and sorts", 3,
     [](auto& s, int) { s[0] = std::get<0>((s[0].cumsum(0) * 0.01f).sort(0)) + 1; }},
    {"every tenth is another", 1,
     [](auto& s, int i) {
         s[0] = s[0] * 0.5f + s[1];
         if (i % 10 == 0) s[1] = tanh(s[0]);
     }},
};

std::vector<Tensor> run_loop(const long_loop& l, int turns, std::vector<Tensor>* held) {
    manual_seed(7);
    std::vector<Tensor> s{start(64, 0.01), start(64, -0.02), start(64, 0.03),
                          start(2500 * 64, 1e-5).view({2500, 64})};
    for (int i = 0; i < turns; ++i) {
        l.step(s, i);
        if (held && i % 97 == 5) held->push_back(s[0]);
    }
    return s;
}

}  // namespace

TEST_CASE("iterations: long loops compute what they do line by line") {
    for (const long_loop& l : long_loops) {
        CAPTURE(std::string(l.name));
        const int turns = (test::sanitized() ? 1200 : 2500) / l.operations;
        std::vector<Tensor> held_pending, held_by_line;
        std::vector<Tensor> pending = run_loop(l, turns, &held_pending);
        // Only the last value is read, so most of the loop is pending until here.
        CHECK(stats().nodes_pending > 1000);
        const Tensor sum = (pending[0] + pending[1] + pending[2]).sum();
        CHECK(explain(sum).find("iterations of a loop") != std::string::npos);
        sum.item<float>();
        const ModeGuard guard(Mode::eager);
        const std::vector<Tensor> by_line = run_loop(l, turns, &held_by_line);
        CHECK(sum.equal((by_line[0] + by_line[1] + by_line[2]).sum()));
        for (std::size_t i = 0; i < pending.size(); ++i) CHECK(pending[i].equal(by_line[i]));
        REQUIRE(held_pending.size() == held_by_line.size());
        for (std::size_t i = 0; i < held_pending.size(); ++i)
            CHECK(held_pending[i].equal(held_by_line[i]));
    }
}

TEST_CASE("iterations: a longer loop has no more plans") {
    const long_loop& l = long_loops[1];
    const auto plans_of = [&](int turns) {
        reset_stats();
        const std::vector<Tensor> s = run_loop(l, turns, nullptr);
        (s[0] + s[1] + s[2]).sum().item<float>();
        return stats().plans_built;
    };
    const auto first = plans_of(1000);
    CHECK(first <= 10);  // 4 of the initial values, 5 of the loop, 1 of the sum
    CHECK(plans_of(1000) == 0);
    CHECK(plans_of(5000) <= 2);  // the last iterations
    CHECK(stats().plans_replayed > 50);
}

TEST_CASE("iterations: explain and dump_graph show the parts") {
    const std::vector<Tensor> s = run_loop(long_loops[1], 1000, nullptr);
    const std::string text = explain(s[0]);
    CAPTURE(text.substr(0, 300));
    CHECK(text.find(" times, iterations of a loop: plan: ") != std::string::npos);
    CHECK(text.size() < 40000);
    CHECK(explain((s[0] * 2).eval() + 1).find("iterations of a loop") == std::string::npos);
    const std::string dot = dump_graph(s[0]);
    uint64_t boxes = 0;
    for (std::size_t at = dot.find("subgraph"); at != std::string::npos;
         at = dot.find("subgraph", at + 1))
        ++boxes;
    reset_stats();
    s[0].eval();
    CHECK(boxes == stats().kernels_launched);
}

TEST_CASE("iterations: an error in the middle reaches what depends on it, and nothing else") {
    const Tensor table = start(64, 1);
    const auto run_until = [&](int bad) {
        Tensor x = start(64, 0.5), y = start(64, 0.25), early;
        for (int i = 0; i < 1500; ++i) {
            x = x * 0.5f + 1;
            if (i == bad) x = x + table.index_select(0, zeros({64}, kLong) + 64);
            y = y * 0.5f - 1;
            if (i == bad - 100) early = x;
        }
        return std::vector<Tensor>{x, y, early};
    };
    for (const int bad : {150, 700, 1499}) {
        const std::vector<Tensor> got = run_until(bad);
        CHECK_THROWS_AS(got[0].sum().item<float>(), IndexError);
        CHECK(got[1].sum().item<float>() == -128);
        CHECK(got[2].sum().item<float>() == doctest::Approx(128));
        CHECK_THROWS_AS(got[0].eval(), IndexError);
    }
}

TEST_CASE("iterations: memory of a long loop does not grow with it") {
    const auto peak_of = [](int turns) {
        Tensor x = start(20000, 0.5), y = start(20000, 0.25);
        synchronize();
        reset_stats();
        const int64_t before = stats().bytes_live;
        for (int i = 0; i < turns; ++i) {
            x = x * 0.5f + y.flip(0);
            y = y * 0.5f - x;
        }
        (x + y).eval();
        return stats().bytes_peak - before;
    };
    const int64_t few = peak_of(100);
    CHECK(peak_of(1500) <= few + 3 * 80000);
}

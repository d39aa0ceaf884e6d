// Plans that are replayed as graphs: what they compute, what they update, and what ends the replay.
#include "engine/measure/undecided.hpp"
#include "engine/run/executable/gpu_replay.hpp"
#include "jit/launch/gpu/launch.hpp"
#include "tests/on_gpu/emulator_control.hpp"
#include "tests/runtime/again.hpp"

#include <sinter/benchmark.hpp>
#include <sinter/cuda.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <thread>

using namespace sinter;
using plan::replay_mode;
using testing::contains;
using testing::counts;
using testing::has_emulator;
using testing::has_gpu;
using testing::make_fail;
using testing::text_of;

namespace {

class replaying {
public:
    explicit replaying(replay_mode how) : before_(plan::replays()) { plan::force_replays(how); }
    ~replaying() { plan::force_replays(before_); }
    replaying(const replaying&) = delete;
    replaying& operator=(const replaying&) = delete;

private:
    replay_mode before_;
};

/// A plan of several kernels: means of rows and of columns do not fuse.
Tensor normed(Tensor x, double scale) {
    for (int i = 0; i < 6; ++i) x = (x - x.mean({i % 2}, true)) * scale + i;
    return x;
}

Tensor values(int64_t n, double from) {
    return (arange(n * 3, kDouble) * 0.37 + from).sin().view({n, 3});
}

uint64_t replayed() { return stats().graph_launches; }

}  // namespace

TEST_CASE("gpu replay: other inputs, scalars and addresses give the CPU's bits") {
    if (!has_gpu()) return;
    const replaying on(replay_mode::on);
    reset_stats();
    std::vector<Tensor> kept;
    for (int run = 0; run < 6; ++run) {
        const Tensor x = values(70, run);
        kept.push_back(normed(x.cuda(), 1 + run * 0.25).eval());
        CHECK(replayed() == static_cast<uint64_t>(run + 1));
        CHECK(equal(kept.back().cpu(), normed(x, 1 + run * 0.25)));
    }
    for (int run = 0; run < 6; ++run)
        CHECK(equal(kept[static_cast<std::size_t>(run)].cpu(),
                    normed(values(70, run), 1 + run * 0.25)));
    // The same launches, one by one.
    const replaying off(replay_mode::off);
    CHECK(equal(normed(values(70, 2).cuda(), 1.5), kept[2]));
    CHECK(replayed() == 6);
}

TEST_CASE("gpu replay: only launches that differ are changed") {
    if (!has_emulator()) return;
    const replaying on(replay_mode::on);
    const Tensor x = values(71, 0).cuda();
    for (int run = 0; run < 3; ++run) normed(x, 2).eval();
    const auto launches = counts("launch"), graphs = counts("graph"), updates = counts("update");
    for (int run = 0; run < 10; ++run) normed(x, 2).eval();
    CHECK(counts("launch") == launches);
    CHECK(counts("graph") == graphs + 10);
    CHECK(counts("update") == updates);
    CHECK(equal(normed(x, 3).cpu(), normed(values(71, 0), 3)));
    CHECK(counts("update") > updates);
    CHECK(counts("launch") == launches);
}

TEST_CASE("gpu replay: reductions of parts, partial writes, and addresses that are known") {
    if (!has_gpu()) return;
    const replaying on(replay_mode::on);
    const auto of_parts = [](const Tensor& x) {
        const Tensor rows = x / x.sum({1}, true);
        return rows - rows.amax();
    };
    const Tensor table = values(30000, 0).view({2, 45000});
    Tensor target = zeros({4, 72, 3}, kDouble), on_gpu = target.cuda();
    Tensor known = zeros({72, 3}, kDouble).cuda();
    known.data_ptr();
    for (int run = 0; run < 3; ++run) {
        reset_stats();
        CHECK(equal(of_parts(table.cuda() + run).cpu(), of_parts(table + run)));
        CHECK(replayed() > 0);
        const Tensor x = values(72, run);
        reset_stats();
        on_gpu[run].copy_(normed(x.cuda(), 2));
        target[run].copy_(normed(x, 2));
        on_gpu.eval();
        CHECK(replayed() > 0);
        CHECK(equal(on_gpu.cpu(), target));
        reset_stats();
        known.copy_(normed(x.cuda(), 2) + known);
        known.eval();
        CHECK(replayed() > 0);
    }
    Tensor expected = zeros({72, 3}, kDouble);
    for (int run = 0; run < 3; ++run) expected.copy_(normed(values(72, run), 2) + expected);
    CHECK(equal(known.cpu(), expected));
}

TEST_CASE("gpu replay: values that are read on other streams, and written there before") {
    if (!has_gpu()) return;
    const replaying on(replay_mode::on);
    Tensor x = values(73, 0).cuda(), on_cpu = values(73, 0);
    for (int run = 0; run < 20; ++run) {
        const cuda::CUDAStreamGuard guard(cuda::getStreamFromPool());
        x = normed(x, 0.5);
        x.eval();
        on_cpu = normed(on_cpu, 0.5);
    }
    CHECK(equal(x.cpu(), on_cpu));
}

TEST_CASE("gpu replay: other streams wait for what it writes, and to write what it reads") {
    if (!has_gpu()) return;
    const replaying on(replay_mode::on);
    const Tensor x = values(88, 0), large = values(20000, 0).cuda();
    for (int run = 0; run < 3; ++run) {
        Tensor y = x.cuda(), result;
        y.data_ptr();
        {
            const cuda::CUDAStreamGuard guard(cuda::getStreamFromPool());
            normed(large, 2).eval();  // keeps the stream busy
            result = normed(y, 2).eval();
        }
        const cuda::CUDAStreamGuard guard(cuda::getStreamFromPool());
        if (run == 1) {
            y.fill_(1);
            y.eval();
        }
        CHECK(equal((result * 2).cpu(), normed(x, 2) * 2));
    }
}

TEST_CASE("gpu replay: threads that run one plan") {
    if (!has_gpu()) return;
    const replaying on(replay_mode::on);
    (void)normed(values(74, 0).cuda(), 2).cpu();
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([t, &wrong] {
            for (int run = 0; run < 15; ++run) {
                const Tensor x = values(74, t * 100 + run);
                if (!equal(normed(x.cuda(), run).cpu(), normed(x, run))) ++wrong;
            }
        });
    for (std::thread& t : threads) t.join();
    CHECK(wrong == 0);
}

TEST_CASE("gpu replay: what the driver refuses is launched one by one") {
    if (!has_emulator()) return;
    const replaying on(replay_mode::on);
    int64_t n = 150;
    for (const char* what : {"graph", "instantiate", "update"}) {
        const Tensor x = values(++n, 0), y = x.cuda();
        if (std::string(what) == "update") normed(y, 1).eval();
        reset_stats();
        make_fail(what, 1);
        CHECK(equal(normed(y, 2).cpu(), normed(x, 2)));
        CHECK(replayed() == 0);
        CHECK(equal(normed(y, 3).cpu(), normed(x, 3)));
        CHECK(replayed() == 0);  // permanently
    }
}

TEST_CASE("gpu replay: a launch that fails leaves what was before it, and can be tried again") {
    if (!has_emulator()) return;
    const replaying on(replay_mode::on);
    for (int nth : {1, 4, 7}) {
        const Tensor x = values(76 + nth, 0);
        Tensor y = x.cuda();
        const Tensor first = y * 2 + 1, second = first - first.mean(), third = normed(second, 2);
        const auto pending = stats().nodes_pending;
        make_fail("graph", 1);
        make_fail("launch", nth);
        CHECK(contains(text_of([&] { third.eval(); }), "[cuda:0] launching a kernel failed; got "));
        CHECK((stats().nodes_pending < pending) == (nth > 1));
        const Tensor f = x * 2 + 1, s = f - f.mean();
        CHECK(equal(third.cpu(), normed(s, 2)));
        CHECK(equal(second.cpu(), s));
        CHECK(equal(first.cpu(), f));
    }
}

TEST_CASE("gpu replay: a graph that goes while it runs, and a tensor that goes with it") {
    if (!has_emulator()) return;
    const replaying on(replay_mode::on);
    const Tensor x = values(86, 0), y = x.cuda(), large = values(20000, 0).cuda();
    normed(y, 1).eval();
    normed(large, 1).eval();
    Tensor last;
    {
        const Tensor before = normed(large, 2).eval();  // keeps the stream busy
        last = normed(y, 2).eval();
        make_fail("update", 1);
        CHECK(equal(normed(y, 3).cpu(), normed(x, 3)));
    }
    CHECK(equal(last.cpu(), normed(x, 2)));
    CHECK(testing::finding() == "");
}

TEST_CASE("gpu replay: a value that the program holds is not seen before it is on its way") {
    if (!has_gpu()) return;
    const replaying on(replay_mode::on);
    const Tensor x = values(87, 0), expected = (x - x.mean({0}, true)) * 3, y = x.cuda();
    int wrong = 0;
    for (int run = 0; run < 100; ++run) {
        const Tensor held = (y - y.mean({0}, true)) * 3, last = normed(held, 2);
        std::atomic<bool> go{false};
        std::thread other([&] {
            const cuda::CUDAStreamGuard guard(cuda::getStreamFromPool());
            while (!go) {
            }
            if (!equal(held.cpu(), expected)) ++wrong;
        });
        go = true;
        last.eval();
        other.join();
    }
    CHECK(wrong == 0);
}

TEST_CASE("gpu replay: memory or a compiler that fails in the middle") {
    if (!has_emulator()) return;
    const replaying on(replay_mode::on);
    const Tensor x = values(77, 0), y = x.cuda();
    const auto unusual = [](const Tensor& t) {
        const Tensor a = exp2(t - t.mean({0}, true)), b = erf(a - a.mean({1}, true));
        return sinh(b - b.mean({0}, true));
    };
    const Tensor last = unusual(y);
    // In their base forms, kernels are compiled by their launches.
    runtime::limit_gpu_forms(runtime::gpu_forms::base);
    make_fail("compile", 2);
    CHECK(text_of([&] { last.eval(); }) != "nothing was thrown");
    make_fail("compile", 0);
    runtime::limit_gpu_forms(runtime::gpu_forms::all);
    CHECK(equal(last.cpu(), unusual(x)));
    // A dozen values of 768 KiB. There is room for two of them, and for what fits between others.
    const Tensor base = values(1 << 15, 0);
    const auto steps = [](const Tensor& t) {
        std::vector<Tensor> all{t};
        for (int i = 0; i < 12; ++i) all.push_back(all.back() - all.back().mean({i % 2}, true));
        return all;
    };
    const Tensor on_gpu = base.cuda();
    cuda::empty_cache();
    const auto total = static_cast<double>(cuda::get_device_properties().total_memory);
    const auto held = static_cast<double>(cuda::memory_reserved());
    cuda::set_per_process_memory_fraction((held + (2 << 20)) / total);
    const std::vector<Tensor> all = steps(on_gpu);
    CHECK(contains(text_of([&] { all.back().eval(); }), "out of memory"));
    cuda::set_per_process_memory_fraction(1);
    const std::vector<Tensor> expected = steps(base);
    for (std::size_t i = 0; i < all.size(); ++i) CHECK(equal(all[i].cpu(), expected[i]));
}

TEST_CASE("gpu replay: graphs of many plans are bounded, and one that is not used gives way") {
    if (!has_gpu()) return;
    const replaying on(replay_mode::on);
    const auto run = [](int64_t n) {
        const Tensor x = values(n, 0);
        CHECK(equal(normed(x.cuda(), 2).cpu(), normed(x, 2)));
    };
    const std::size_t most = plan::limit_launches_in_graphs(0), others = plan::launches_in_graphs();
    plan::limit_launches_in_graphs(most);
    run(78);
    const std::size_t one = plan::launches_in_graphs() - others;
    CHECK(one >= 6);
    // Room for two graphs, without those of other tests.
    plan::limit_launches_in_graphs(2 * one);
    for (int i = 0; i < 100 && plan::launches_in_graphs() > 2 * one; ++i) run(78);
    for (int i = 0; i < 10; ++i) run(178 + i % 2);
    REQUIRE(plan::launches_in_graphs() <= 2 * one);
    reset_stats();
    for (int round = 0; round < 4; ++round)
        for (int64_t n : {178, 179, 180}) run(n);
    CHECK(replayed() == 8);  // no room for the third
    CHECK(plan::launches_in_graphs() == 2 * one);
    reset_stats();
    for (int i = 0; i < 7; ++i) run(181);
    CHECK(replayed() > 0);
    CHECK(plan::launches_in_graphs() == 2 * one);
    plan::limit_launches_in_graphs(most);
}

TEST_CASE("gpu replay: measured, it is tried in turns and settles, and explain says so") {
    if (!has_gpu()) return;
    const replaying measured(replay_mode::measured);
    const Tensor x = values(79, 0), y = x.cuda(), expected = normed(x, 2);
    reset_stats();
    CHECK(explain(normed(y, 2)).find("launches: ") == std::string::npos);
    for (int run = 0; run < 8; ++run) CHECK(equal(normed(y, 2).cpu(), expected));
    CHECK(replayed() > 0);
    CHECK(contains(explain(normed(y, 2)), "\n  launches: tried in turns; one by one best of "));
    for (int run = 0; run < 30; ++run) CHECK(equal(normed(y, 2).cpu(), expected));
    const std::string text = explain(normed(y, 2));
    CHECK(contains(text, "; one by one best of 8 "));
    CHECK(contains(text, ", as a graph best of 8 "));
    const auto before = replayed();
    normed(y, 2).eval();
    CHECK((replayed() > before) == (text.find("launches: a graph of ") != std::string::npos));
}

TEST_CASE("gpu replay: few launches, large ones, and guarded kernels are no candidates") {
    if (!has_gpu()) return;
    {
        const replaying measured(replay_mode::measured);
        reset_stats();
        const Tensor x = values(80, 0).cuda();
        for (int run = 0; run < 12; ++run) (x - x.mean({0})).eval();
        CHECK(replayed() == 0);
    }
    const replaying on(replay_mode::on);
    reset_stats();
    const Tensor i = arange(800).cuda();
    CHECK(equal(((i % 7).sum() + i.amax() - i.sum()).cpu(),
                (arange(800) % 7).sum() + arange(800).amax() - arange(800).sum()));
    const Tensor guarded = floor_divide(i, i + 1).sum() + i;
    CHECK(equal(guarded.cpu(), [] {
        const Tensor c = arange(800);
        return floor_divide(c, c + 1).sum() + c;
    }()));
}

TEST_CASE("gpu replay: a driver without graphs") {
    if (!has_emulator()) return;
    const replaying on(replay_mode::on);
    auto& api = const_cast<runtime::driver&>(*runtime::gpu_at(0).api);
    api.has_graphs = false;
    reset_stats();
    const Tensor x = values(89, 0);
    CHECK(equal(normed(x.cuda(), 2).cpu(), normed(x, 2)));
    CHECK(replayed() == 0);
    api.has_graphs = true;
    CHECK(equal(normed(x.cuda(), 2).cpu(), normed(x, 2)));
    CHECK(replayed() > 0);
}

TEST_CASE("gpu replaying: the environment decides" * doctest::skip()) {
    REQUIRE(has_gpu());
    const Tensor y = values(81, 0).cuda();
    reset_stats();
    for (int run = 0; run < 3; ++run) normed(y, 2).eval();
    CHECK(replayed() == 3);
}

TEST_CASE("gpu replay: the environment decides, and blocking launches go one by one") {
    if (!has_emulator()) return;
    CHECK(test::run_again("gpu replaying: the environment*", "SINTER_GRAPHS", "on") == 0);
    CHECK(test::run_again("gpu replaying: the environment*", "SINTER_GRAPHS", "off") == 1);
    CHECK(test::run_again("gpu replaying: the environment*", "SINTER_GRAPHS", "maybe") == 1);
    setenv("SINTER_GRAPHS", "on", 1);
    CHECK(test::run_again("gpu replaying: the environment*", "SINTER_LAUNCH_BLOCKING", "1") == 1);
    unsetenv("SINTER_GRAPHS");
}

TEST_CASE("gpu replay: a timer waits until it is known whether a plan's launches are one graph") {
    if (!has_gpu()) return;
    const replaying measured(replay_mode::measured);
    const ModeGuard lazy(Mode::lazy);
    const Tensor x = arange(4096, kFloat).view({64, 64}).to(kCUDA).eval();
    const auto statement = [&] { return normed(x, 0.375); };
    statement().eval();
    const uint64_t before = plan::undecided_runs();
    statement().eval();
    CHECK(plan::undecided_runs() > before);
    const benchmark::Measurement m = benchmark::Timer(statement).timeit(1);
    CHECK(m.circumstances().settled);
    const uint64_t after = plan::undecided_runs();
    statement().eval();
    CHECK(plan::undecided_runs() == after);
}

// What a Timer runs, how often and under which settings. No test depends on how long anything
// takes.
#include "engine/measure/undecided.hpp"
#include "engine/run/lower.hpp"
#include "runtime/base/environment.hpp"

#include <sinter/benchmark.hpp>
#include <sinter/error.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <thread>

using namespace sinter;
using benchmark::Compare;
using benchmark::Measurement;
using benchmark::Timer;
using benchmark::TimerOptions;

namespace {

double total(const std::vector<double>& times) {
    return std::accumulate(times.begin(), times.end(), 0.0);
}

/// Times five calls of a statement, each of which launches this many kernels.
template <class F>
void check_evaluated(const F& statement, uint64_t kernels) {
    int calls = 0;
    const uint64_t before = stats().kernels_launched;
    const Measurement m = Timer([&]() -> decltype(auto) {
                              ++calls;
                              return statement();
                          }).timeit(5);
    CHECK(calls >= 9);  // the first, two or more until it has settled, one to warm up, five
    CHECK(stats().kernels_launched - before == static_cast<uint64_t>(calls) * kernels);
    REQUIRE(m.circumstances().call.has_value());
    CHECK(m.circumstances().call->kernels_launched == kernels);
    CHECK(m.circumstances().call->nodes_pending == 0);
    CHECK(m.circumstances().settled);
    CHECK(m.number_per_run() == 5);
    CHECK(m.raw_times().size() == 1);
}

/// Times a statement whose plan has an open choice at first, and none when the clock runs.
template <class F>
void check_decided(const F& statement) {
    statement().eval();
    const uint64_t before = plan::undecided_runs();
    statement().eval();
    REQUIRE(plan::undecided_runs() > before);
    int calls = 0;
    const Measurement m = Timer([&] {
                              ++calls;
                              return statement();
                          }).timeit(1);
    CHECK(m.circumstances().settled);
    CHECK(calls > 16);  // eight turns of each side
    const uint64_t after = plan::undecided_runs();
    statement().eval();
    CHECK(plan::undecided_runs() == after);
}

}  // namespace

TEST_CASE("benchmark: whatever a statement returns is computed") {
    const ModeGuard lazy(Mode::lazy);
    const Tensor x = arange(10, kFloat).eval(), y = arange(6, kFloat).eval();
    SUBCASE("a tensor") {
        check_evaluated([&] { return Tensor(x * 2 + 1); }, 1);
    }
    SUBCASE("an expression") {
        check_evaluated([&] { return x * 2 + 1; }, 1);
    }
    SUBCASE("a constant tensor") {
        check_evaluated([&]() -> const Tensor { return x * 3; }, 1);
    }
    SUBCASE("a list") {
        check_evaluated([&] { return std::vector<Tensor>{x * 2, y + 1}; }, 2);
    }
    SUBCASE("a tree") {
        check_evaluated(
            [&] {
                return std::make_tuple(Tensor(x - 7), std::pair<Tensor, Tensor>(y * 5, Tensor()));
            },
            2);
    }
    SUBCASE("a number") {
        check_evaluated([&] { return (x * 2 + 1).sum().item<float>(); }, 1);
    }
    SUBCASE("nothing") {
        check_evaluated([&] { (x * 2 + 1).eval(); }, 1);
    }
    SUBCASE("a reference to a tensor that is there") {
        check_evaluated([&]() -> const Tensor& { return x; }, 0);
    }
    SUBCASE("an undefined tensor") {
        check_evaluated([] { return Tensor(); }, 0);
    }
}

TEST_CASE("benchmark: a statement that leaves operations pending gets a warning") {
    const ModeGuard lazy(Mode::lazy);
    const Tensor x = arange(10, kFloat).eval();
    std::vector<Tensor> left;
    const Measurement m = Timer([&] { left.emplace_back(x * 2); }).timeit(1);
    REQUIRE(m.circumstances().call.has_value());
    CHECK(m.circumstances().call->nodes_pending == 1);
    CHECK(m.to_string().find("left 1 operation pending") != std::string::npos);
}

TEST_CASE("benchmark: the first call is timed by itself") {
    using namespace std::chrono_literals;
    int calls = 0;
    const Timer t([&] {
        if (++calls == 1) std::this_thread::sleep_for(20ms);
    });
    const Measurement first = t.timeit(3);
    REQUIRE(first.circumstances().first_call.has_value());
    CHECK(*first.circumstances().first_call >= 0.02);  // a sleep is never shorter
    CHECK(calls == 7);
    // It happens once, also where a copy measures.
    const Timer copy = t;  // NOLINT: a copy is the point
    const Measurement second = copy.timeit(3);
    CHECK(calls == 13);
    CHECK(second.circumstances().first_call == first.circumstances().first_call);
}

TEST_CASE("benchmark: timing waits until measured choices are made" * doctest::test_suite("host")) {
    const runtime::settings& set = runtime::environment();
    if (default_executor() != plan::executor::compiled ||
        set.fuse != runtime::fuse_choice::measured ||
        set.specialise == runtime::specialise_choice::off) {
        MESSAGE("[SKIP] choices are measured where kernels are compiled and waited for");
        return;
    }
    const ModeGuard lazy(Mode::lazy);
    SUBCASE("between plans") {
        const Tensor x = randn({240, 500}).eval();
        check_decided([&] {
            const Tensor t = tanh(x);
            return t.sum({0});
        });
    }
    SUBCASE("between kernels") {
        const Tensor x = rand({20000, 20}).eval();
        check_decided([&] { return ((x * x + x) * x - x).sum({1}); });
    }
}

TEST_CASE("benchmark: a statement that never settles is measured with a warning") {
    const ModeGuard lazy(Mode::lazy);
    const Timer t([] { plan::note_undecided(); });
    const Measurement m = t.timeit(1);
    CHECK_FALSE(m.circumstances().settled);
    CHECK(m.to_string().find("still being chosen") != std::string::npos);
}

TEST_CASE("benchmark: settings hold while a statement runs, and are restored") {
    const int threads = get_num_threads();
    const ModeGuard lazy(Mode::lazy);
    std::vector<int> seen;
    std::vector<Mode> modes;
    const auto statement = [&] {
        seen.push_back(get_num_threads());
        modes.push_back(get_mode());
    };
    Timer(statement).timeit(1);
    CHECK(seen == std::vector<int>(5, 1));
    CHECK(modes == std::vector<Mode>(5, Mode::lazy));
    seen.clear();
    modes.clear();
    Timer(statement, TimerOptions().num_threads(3).mode(Mode::eager)).timeit(1);
    CHECK(seen == std::vector<int>(5, 3));
    CHECK(modes == std::vector<Mode>(5, Mode::eager));
    CHECK(get_num_threads() == threads);
    CHECK((get_mode() == Mode::lazy));
}

TEST_CASE("benchmark: a statement whose bytes are known is compared with the triad") {
    const Tensor x = rand({1000}).eval();
    const auto statement = [&] { return x + 1; };
    const auto options = TimerOptions().bytes(8000);
    const int threads = get_num_threads();
    const ModeGuard eager(Mode::eager);
    std::vector<Measurement> all = benchmark::compare({Timer(statement, options)}, 0);
    all.push_back(Timer(statement, options).timeit(10));
    all.push_back(Timer(statement, options).blocked_autorange(0));
    for (const Measurement& m : all) {
        CHECK(m.circumstances().bytes == 8000);
        CHECK(m.circumstances().triad_rate.value_or(0) > 0);
        CHECK(m.share_of_triad().value_or(0) > 0);
    }
    CHECK_FALSE(Timer(statement).timeit(1).circumstances().triad_rate.has_value());
    CHECK(get_num_threads() == threads);
    CHECK((get_mode() == Mode::eager));
    CHECK_THROWS_WITH_AS(Timer(statement, TimerOptions().bytes(-1)),
                         "[Timer] the number of bytes is negative; got -1, expected 0 or more; try "
                         "0, if it is not known",
                         ValueError);
}

TEST_CASE("benchmark: settings are restored after an exception") {
    set_num_threads(2);
    const ModeGuard lazy(Mode::lazy);
    const TimerOptions options = TimerOptions().num_threads(3).mode(Mode::eager);
    int left = 0;
    const auto statement = [&] {
        if (left-- == 0) throw std::runtime_error("thrown");
    };
    const Timer t(statement, options);
    const auto check = [&](int calls, auto&& f) {
        left = calls;
        CHECK_THROWS_WITH_AS(f(), "thrown", std::runtime_error);
        CHECK(get_num_threads() == 2);
        CHECK((get_mode() == Mode::lazy));
    };
    for (const int calls : {0, 1, 3}) {  // the first, one until it has settled, the timed one
        check(calls, [&] { Timer(statement, options).timeit(1); });
        check(calls, [&] { Timer(statement, options).blocked_autorange(0); });
        check(calls, [&] { Timer(statement, options).adaptive_autorange(1, 0, 0); });
        check(calls, [&] { benchmark::compare({Timer(statement, options)}, 0); });
        check(calls, [&] { benchmark::compare_modes(statement, options, 0); });
    }
    check(-1, [&] {
        Timer([] {}, TimerOptions(options).setup([] {
            throw std::runtime_error("thrown");
        })).timeit(1);
    });
}

TEST_CASE("benchmark: the set-up runs before each block") {
    std::string log;
    const Timer t([&] { log += 's'; }, TimerOptions().setup([&] { log += '-'; }));
    t.timeit(3);
    CHECK(log == "-s-s-s-s-sss");
    log.clear();
    t.timeit(200);
    CHECK(log == "-s-s-ss-" + std::string(200, 's'));
}

TEST_CASE("benchmark: blocks are measured until the time is over") {
    int calls = 0;
    const Timer t([&] { ++calls; });
    CHECK(t.blocked_autorange(0).raw_times().size() == 1);
    const Measurement some = t.blocked_autorange(1e-3);
    CHECK(total(some.raw_times()) >= 1e-3);
    CHECK(total(some.raw_times()) - some.raw_times().back() < 1e-3);
    CHECK(calls > some.number_per_run() * static_cast<int64_t>(some.raw_times().size()));
}

TEST_CASE("benchmark: an adaptive measurement ends by its spread or its time") {
    const Timer t([] {});
    // Any spread will do, but of four blocks.
    CHECK(t.adaptive_autorange(1e9, 0, 10).raw_times().size() == 4);
    const Measurement longer = t.adaptive_autorange(1e9, 1e-3, 10);
    CHECK(total(longer.raw_times()) >= 1e-3);
    // Hardly any spread will do.
    const Measurement all = t.adaptive_autorange(1e-9, 0, 1e-3);
    const bool by_time = total(all.raw_times()) > 1e-3;
    CHECK((by_time || all.meets_confidence(1e-9)));
}

TEST_CASE("benchmark: a statement is named by its options, or by its line") {
    const Timer named([] {}, TimerOptions()
                                 .stmt("nothing")
                                 .label("l")
                                 .sub_label("s")
                                 .description("d")
                                 .env("e")
                                 .num_threads(2));
    CHECK(named.timeit(1).task_spec() == benchmark::TaskSpec{"nothing", "l", "s", "d", "e", 2});
    const int line = __LINE__ + 1;
    const Timer unnamed([] {});
    CHECK(unnamed.task_spec().stmt == "timer_test.cpp:" + std::to_string(line));
    CHECK(unnamed.task_spec().num_threads == 1);
}

TEST_CASE("benchmark: one call's counters are a difference, and the user's stay" *
          doctest::test_suite("host")) {
    const ModeGuard lazy(Mode::lazy);
    const Tensor x = arange(1000, kFloat).eval();
    reset_stats();
    const Measurement m = Timer([&] { return x + 1; }).timeit(1);
    const stats_report call = m.circumstances().call.value();
    CHECK(call.kernels_launched == 1);
    CHECK(call.flushed(flush_reason::eval) == 1);
    CHECK(call.bytes_allocated >= 4000);
    CHECK(call.bytes_live == 0);
    CHECK(call.bytes_peak == 0);
    CHECK(call.kernels_compiled == 0);
    CHECK(stats().kernels_launched == 5);
    std::vector<Tensor> kept;
    const stats_report grown = Timer([&] {
                                   kept.push_back(x + 1);
                                   kept.back().eval();
                               })
                                   .timeit(1)
                                   .circumstances()
                                   .call.value();
    CHECK(grown.bytes_live >= 4000);
    CHECK(grown.bytes_peak == 0);
}

TEST_CASE("benchmark: rivals take turns") {
    std::string log;
    const auto rival = [&log](char name) {
        return Timer(
            [&log, name] {
                if (log.empty() || log.back() != name) log += name;
            },
            TimerOptions().sub_label(std::string(1, name)));
    };
    const auto found = benchmark::compare({rival('a'), rival('b'), rival('c')}, 0);
    // Each is looked at, then there are five rounds.
    CHECK(log == "abcabcabcabcabcabc");
    REQUIRE(found.size() == 3);
    CHECK(found[0].task_spec().sub_label == "a");
    CHECK(found[2].task_spec().sub_label == "c");
    for (const Measurement& m : found) CHECK(m.raw_times().size() == 5);
    // As many blocks as take the time for each.
    const auto longer = benchmark::compare({rival('a'), rival('b')}, 0.02);
    CHECK(longer[0].raw_times().size() == longer[1].raw_times().size());
    CHECK(longer[0].raw_times().size() >= 5);
}

TEST_CASE("benchmark: each rival runs under its own settings") {
    const int threads = get_num_threads();
    std::vector<int> a, b;
    benchmark::compare(
        {Timer([&] { a.push_back(get_num_threads()); }),
         Timer([&] { b.push_back(get_num_threads()); }, TimerOptions().num_threads(2))},
        0);
    CHECK(a == std::vector<int>(a.size(), 1));
    CHECK(b == std::vector<int>(b.size(), 2));
    CHECK(get_num_threads() == threads);
}

TEST_CASE("benchmark: both modes of a statement") {
    const ModeGuard eager(Mode::eager);
    const Tensor x = arange(100, kFloat).eval();
    int lazily = 0, eagerly = 0;
    const benchmark::ModeComparison c = benchmark::compare_modes(
        [&] {
            ++(get_mode() == Mode::lazy ? lazily : eagerly);
            return std::make_pair(Tensor((x * 2 + 1) / (x - 3)), Tensor((x - x) / (x - x)));
        },
        TimerOptions().label("both"), 0);
    CHECK((get_mode() == Mode::eager));
    CHECK(lazily > 5);
    CHECK(eagerly > 5);
    CHECK(c.lazy.circumstances().call->kernels_launched <
          c.eager.circumstances().call->kernels_launched);
    CHECK(c.ratio() == c.lazy.median() / c.eager.median());
    CHECK(c.lazy.title() == "both");
}

TEST_CASE("benchmark: a comparison of modes as text") {
    const benchmark::TaskSpec spec{.stmt = "file.cpp:7", .num_threads = 2};
    const benchmark::ModeComparison c{Measurement(1, {1, 1}, spec, {0.5}),
                                      Measurement(1, {2, 6}, spec)};
    CHECK(c.ratio() == 0.25);
    CHECK(c.to_string() ==
          "sinter::benchmark::ModeComparison\n"
          "file.cpp:7\n"
          "  Lazy:  1.00 s, first call 500.00 ms\n"
          "  Eager: 4.00 s, IQR of 50.0% of it\n"
          "  Lazy takes 0.25 of the time of eager; 2 threads");
}

TEST_CASE("benchmark: modes that differ, and calls that differ, are refused") {
    const ModeGuard lazy(Mode::lazy);
    CHECK_THROWS_WITH_AS(
        benchmark::compare_modes([] { return full({2}, get_mode() == Mode::lazy ? 1 : 2, kInt); },
                                 {}, 0),
        "[compare_modes] the statement returns other values in eager mode; got other values in "
        "tensor 1 of 1 tensor of Int [2], expected equal values in both modes; try "
        "set_fast_math(false), and a statement that does not depend on the mode itself",
        Error);
    CHECK_THROWS_WITH_AS(
        benchmark::compare_modes([] { return zeros({get_mode() == Mode::lazy ? 1 : 2}); }, {}, 0),
        doctest::Contains("in eager mode; got other values in tensor 1 of 1 tensor of Float [1]"),
        Error);
    // Written in place: each call returns the same tensor.
    const Tensor counter = zeros({}).eval();
    CHECK_THROWS_WITH_AS(
        benchmark::compare_modes([&] { return counter.add_(1); }, {}, 0),
        "[compare_modes] the statement returns other values at another call; got other values in "
        "tensor 1 of 1 tensor of Float [], expected equal values at each call; try a set-up that "
        "seeds the generator and restores what the statement writes",
        Error);
    int number = 0;
    CHECK_THROWS_WITH_AS(benchmark::compare_modes([&] { return ++number; }, {}, 0),
                         doctest::Contains("at another call"), Error);
    CHECK((get_mode() == Mode::lazy));
    // NaN equals NaN, whatever its sign.
    benchmark::compare_modes(
        [] {
            const int64_t bits = get_mode() == Mode::lazy ? 0x7fc00000 : -0x400000;
            return full({2}, bits, kInt).view(kFloat);
        },
        {}, 0);
    // A set-up makes them equal.
    benchmark::compare_modes([&] { return counter.add_(1); },
                             TimerOptions().setup([&] { counter.zero_().eval(); }), 0);
    benchmark::compare_modes([] { return randn({8}); },
                             TimerOptions().setup([] { manual_seed(3); }), 0);
}

TEST_CASE("benchmark: numbers that make no sense are refused") {
    const Timer t([] {});
    CHECK_THROWS_WITH_AS(t.timeit(0),
                         "[timeit] the number of calls is not positive; got 0, expected 1 or more; "
                         "try blocked_autorange(), which chooses it",
                         ValueError);
    CHECK_THROWS_WITH_AS(Timer([] {}, TimerOptions().num_threads(0)),
                         "[Timer] the number of threads is not positive; got 0, expected 1 or "
                         "more; try get_num_threads()",
                         ValueError);
    CHECK_THROWS_WITH_AS(t.blocked_autorange(-1),
                         "[blocked_autorange] min_run_time is negative or not finite; got -1, "
                         "expected 0 seconds or more; try 0.2, the default of blocked_autorange()",
                         ValueError);
    CHECK_THROWS_AS(t.blocked_autorange(std::numeric_limits<double>::quiet_NaN()), ValueError);
    CHECK_THROWS_AS(t.blocked_autorange(std::numeric_limits<double>::infinity()), ValueError);
    CHECK_THROWS_WITH_AS(t.adaptive_autorange(0),
                         "[adaptive_autorange] the threshold is not positive; got 0, expected a "
                         "positive share of the median; try 0.1, the default",
                         ValueError);
    CHECK_THROWS_WITH_AS(t.adaptive_autorange(0.1, 2, 1),
                         "[adaptive_autorange] max_run_time is less than min_run_time; got 1 and "
                         "2, expected max_run_time of at least min_run_time; try max_run_time = "
                         "10, the default",
                         ValueError);
    CHECK_THROWS_WITH_AS(benchmark::compare({}),
                         "[compare] there is nothing to time; got 0 timers, expected 1 timer or "
                         "more; try compare({a, b}) of two timers",
                         Error);
    CHECK_THROWS_WITH_AS(benchmark::compare({t}, -0.5),
                         doctest::Contains("[compare] min_run_time is negative"), ValueError);
}

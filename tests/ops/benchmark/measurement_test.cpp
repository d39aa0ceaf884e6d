// Statistics of given times, compared with values computed by hand, and a measurement as text.
#include <sinter/benchmark.hpp>
#include <sinter/error.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <sstream>

using namespace sinter;
using benchmark::Circumstances;
using benchmark::Measurement;
using benchmark::TaskSpec;

namespace {

Measurement of(std::vector<double> times) { return Measurement(1, std::move(times)); }

}  // namespace

TEST_CASE("benchmark: median, mean and quartiles are of one call, and interpolate") {
    const Measurement five(2, {8, 2, 20, 6, 4});
    CHECK(five.times() == std::vector<double>{4, 1, 10, 3, 2});
    CHECK(five.raw_times() == std::vector<double>{8, 2, 20, 6, 4});
    CHECK(five.number_per_run() == 2);
    CHECK(five.median() == 3);
    CHECK(five.mean() == 4);
    CHECK(five.iqr() == 2);
    const Measurement four = of({4, 3, 1, 2});
    CHECK(four.median() == 2.5);
    CHECK(four.iqr() == 3.25 - 1.75);
    const Measurement one = of({7});
    CHECK(one.median() == 7);
    CHECK(one.mean() == 7);
    CHECK(one.iqr() == 0);
}

TEST_CASE("benchmark: significant figures are those of the middle half") {
    CHECK(of({1, 1, 1}).significant_figures() == 4);
    // The interval is at least 25 ns: 1 us is 40 of them, 1 ms 40,000.
    CHECK(of({1e-6, 1e-6}).significant_figures() == 1);
    CHECK(of({1e-5, 1e-5}).significant_figures() == 2);
    CHECK(of({1e-3, 1e-3}).significant_figures() == 4);
    CHECK(of({0, 0}).significant_figures() == 1);
    // Of 1.01 to 1.04 the deviation is 0.01118; 1.645 times that over 2 is 1.025 / 111.5.
    CHECK(of({1, 1, 1.01, 1.02, 1.03, 1.04, 9, 9}).significant_figures() == 2);
    // Of five, the second to the fourth: 1, 1 and 1.1.
    CHECK(of({1, 1, 1, 1.1, 9}).significant_figures() == 1);
    CHECK(of({1, 1, 1, 1, 9}).significant_figures() == 4);
}

TEST_CASE("benchmark: the rate of bytes that must be moved, and its share of the triad's") {
    const auto of_bytes = [](int64_t bytes, optional<double> triad) {
        Circumstances c;
        c.bytes = bytes;
        c.triad_rate = triad;
        return Measurement(2, {4, 4, 8}, {}, c);
    };
    CHECK(of_bytes(6'000'000'000, 4e9).rate() == 3e9);
    CHECK(of_bytes(6'000'000'000, 4e9).share_of_triad() == 0.75);
    CHECK(
        of_bytes(6'000'000'000, 4e9).to_string().find("  Moves: 3.00 GB/s, 0.75 of the triad\n") !=
        std::string::npos);
    CHECK(of_bytes(6'000'000'000, {}).to_string().find("  Moves: 3.00 GB/s\n") !=
          std::string::npos);
    CHECK_FALSE(of_bytes(6, {}).share_of_triad().has_value());
    CHECK_FALSE(of_bytes(6, 0.0).share_of_triad().has_value());
    CHECK_FALSE(of_bytes(0, 4e9).rate().has_value());
    CHECK_FALSE(of_bytes(0, 4e9).share_of_triad().has_value());
}

TEST_CASE("benchmark: a spread of a tenth of the median is a warning") {
    // Quartiles at 1 - h and 1 + h.
    const auto spread = [](double h) { return of({1 - h, 1 - h, 1, 1 + h, 1 + h}); };
    CHECK_FALSE(spread(0.046875).has_warnings());
    CHECK(spread(0.0625).has_warnings());
    CHECK(spread(0.0625).meets_confidence(0.25));
    CHECK_FALSE(spread(0.125).meets_confidence(0.25));
    CHECK_FALSE(of({0, 0}).has_warnings());
    CHECK(spread(0.0625).to_string().find("  WARNING: Interquartile range is 12.5% of the median "
                                          "measurement.\n           This could indicate system "
                                          "fluctuation.") != std::string::npos);
    CHECK(spread(0.125).to_string().find("  WARNING: Interquartile range is 25.0% of the median "
                                         "measurement.\n           This suggests significant "
                                         "environmental influence.") != std::string::npos);
}

TEST_CASE("benchmark: a measurement as text") {
    TaskSpec spec{.stmt = "file.cpp:7",
                  .label = "dot",
                  .sub_label = "by mul",
                  .description = "64 rows",
                  .num_threads = 2};
    stats_report call;
    call.kernels_launched = 1;
    call.library_calls = 2;
    call.flushes[1] = 1;
    call.flushes[3] = 1;
    call.bytes_allocated = 4096;
    const Measurement all(100, {1e-4, 2e-4, 3e-4, 2e-4, 2e-4}, spec, {0.0125, call});
    CHECK(all.to_string() ==
          "sinter::benchmark::Measurement\n"
          "dot: by mul\n"
          "64 rows\n"
          "  Median: 2.00 us\n"
          "  IQR:    0.00 us (2.00 to 2.00)\n"
          "  5 measurements, 100 runs per measurement, 2 threads\n"
          "  First call: 12.50 ms\n"
          "  One call: 1 kernel, 2 library calls, 2 flushes, 4096 bytes allocated");
    std::ostringstream out;
    out << all;
    CHECK(out.str() == all.to_string() + "\n");

    call = {};
    call.nodes_pending = 1;
    call.run_by_blocks = 3;
    const Measurement single(1, {2}, {.stmt = "file.cpp:7"}, {nullopt, call, false});
    CHECK(single.to_string() ==
          "sinter::benchmark::Measurement\n"
          "file.cpp:7\n"
          "  2.00 s\n"
          "  1 measurement, 1 run, 1 thread\n"
          "  One call: 0 kernels, 0 library calls, 0 flushes, 0 bytes allocated, 3 run without "
          "compiled code\n"
          "  WARNING: One call left 1 operation pending, which the times lack.\n"
          "           Return the tensors that should be computed.\n"
          "  WARNING: Kernels or plans were still being chosen when timing began.\n"
          "           Measure again, or for longer.");
}

TEST_CASE("benchmark: units follow the median") {
    const auto line = [](double seconds) {
        const std::string text = Measurement(1, {seconds}, {.stmt = "s"}).to_string();
        const std::size_t from = text.find("\n  ") + 3;
        return text.substr(from, text.find('\n', from) - from);
    };
    CHECK(line(0) == "0.00 ns");
    CHECK(line(2e-10) == "0.20 ns");
    CHECK(line(9.99e-7) == "999.00 ns");
    CHECK(line(1e-6) == "1.00 us");
    CHECK(line(1e-3) == "1.00 ms");
    CHECK(line(1) == "1.00 s");
    CHECK(line(1234.5) == "1234.50 s");
}

TEST_CASE("benchmark: titles") {
    CHECK(TaskSpec{.stmt = "s"}.title() == "s");
    CHECK(TaskSpec{.stmt = "s", .label = "l"}.title() == "l");
    CHECK(TaskSpec{.stmt = "s", .label = "l", .sub_label = "x"}.title() == "l: x");
    CHECK(TaskSpec{.stmt = "s", .sub_label = "x"}.title() == "s: x");
    CHECK(TaskSpec{.sub_label = "x"}.title() == "x");
}

TEST_CASE("benchmark: merge joins the times of equal tasks, for one call") {
    const TaskSpec a{.label = "a"}, b{.label = "a", .env = "b"};
    const std::vector<Measurement> merged =
        Measurement::merge({Measurement(10, {10, 30}, a, {0.5}), Measurement(1, {7}, b),
                            Measurement(2, {4}, a, {0.25})});
    REQUIRE(merged.size() == 2);
    CHECK(merged[0].task_spec() == a);
    CHECK(merged[0].number_per_run() == 1);
    CHECK(merged[0].raw_times() == std::vector<double>{1, 3, 2});
    CHECK(merged[0].circumstances().first_call == 0.5);
    CHECK(merged[1].task_spec() == b);
    CHECK(merged[1].raw_times() == std::vector<double>{7});
    CHECK(Measurement::merge({}).empty());
}

TEST_CASE("benchmark: measurements of no times are refused") {
    CHECK_THROWS_WITH_AS(Measurement(0, {1}),
                         "[Measurement] the number of calls is not positive; got 0, expected 1 or "
                         "more; try 1, for times of single calls",
                         ValueError);
    CHECK_THROWS_WITH_AS(Measurement(1, {}),
                         "[Measurement] there are no times; got an empty list, expected 1 time or "
                         "more; try the times of Timer::blocked_autorange()",
                         ValueError);
    CHECK_THROWS_WITH_AS(Measurement(1, {1, -2}),
                         "[Measurement] a time is negative or not finite; got -2, expected 0 "
                         "seconds or more; try times of std::chrono::steady_clock",
                         ValueError);
    CHECK_THROWS_AS(Measurement(1, {std::nan("")}), ValueError);
    CHECK_THROWS_AS(Measurement(1, {std::numeric_limits<double>::infinity()}), ValueError);
}

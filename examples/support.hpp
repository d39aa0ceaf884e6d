// Shared by the examples: the data folder, a clock, and a check that ends the program.
#pragma once

#include <sinter/sinter.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace example {

inline std::string data(const char* name) { return std::string(SINTER_EXAMPLE_DATA "/") + name; }

/// Every example is also a test: a wrong result ends it with a failure.
inline void check(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "WRONG: %s\n", what);
    std::exit(1);
}

/// Returns true if `value` equals `expected` to a relative 1e-10.
inline bool near(double value, double expected) {
    return std::abs(value - expected) <= 1e-10 * std::abs(expected);
}

/// Returns the milliseconds that one `run` takes.
template <class F>
double milliseconds(F&& run) {
    using clock = std::chrono::steady_clock;
    auto start = clock::now();
    run();
    return std::chrono::duration<double, std::milli>(clock::now() - start).count();
}

/// Returns the shortest of several runs, since other programs disturb them.
template <class F>
double least_milliseconds(F&& run) {
    double least = INFINITY, sum = 0;
    for (int i = 0; i < 10 && sum < 1000; ++i) {
        double each = milliseconds(run);
        least = std::min(least, each);
        sum += each;
    }
    return least;
}

/// Returns the number of kernels of a plan, from its text.
inline int kernels(const std::string& plan) {
    auto end = plan.find(" kernel");
    auto start = end == std::string::npos ? end : plan.rfind(' ', end - 1);
    return start == std::string::npos ? -1 : std::stoi(plan.substr(start + 1));
}

/// Runs a computation lazily for the first time and again, then eagerly, and prints the times.
template <class F>
void print_times(F&& run) {
    sinter::reset_stats();
    double cold = milliseconds(run);
    sinter::synchronize();  // until kernels are compiled; the first run did not wait for them
    sinter::stats_report first = sinter::stats();
    sinter::reset_stats();
    run();
    sinter::stats_report again = sinter::stats();
    double warm = least_milliseconds(run);
    sinter::ModeGuard eager_mode(sinter::Mode::eager);
    run();
    double eager = least_milliseconds(run);
    std::printf("time on %d threads\n", sinter::get_num_threads());
    std::printf("  lazy, first run  %9.3f ms  (%llu kernels compiled, %llu loaded from disk)\n",
                cold, static_cast<unsigned long long>(first.kernels_compiled),
                static_cast<unsigned long long>(first.kernels_loaded));
    std::printf("  lazy, warm       %9.3f ms  (%llu launches)\n", warm,
                static_cast<unsigned long long>(again.kernels_launched));
    std::printf("  eager            %9.3f ms\n", eager);
}

}  // namespace example

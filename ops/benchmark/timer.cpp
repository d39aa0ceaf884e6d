// Timing of one statement.
#include "engine/measure/undecided.hpp"
#include "ops/benchmark/timer_state.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/device/finish.hpp"

#include <sinter/error.hpp>
#include <sinter/stats.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>

namespace sinter::inline v1::benchmark {
namespace {

using timer_clock = std::chrono::steady_clock;

double seconds_since(timer_clock::time_point start) {
    return std::chrono::duration<double>(timer_clock::now() - start).count();
}

/// Returns what was added to the counters.
stats_report difference(const stats_report& after, const stats_report& before) {
    using words = std::array<uint64_t, sizeof(stats_report) / sizeof(uint64_t)>;
    static_assert(sizeof(words) == sizeof(stats_report), "all counters have 64 bits");
    auto found = std::bit_cast<words>(after);
    const auto subtracted = std::bit_cast<words>(before);
    for (std::size_t i = 0; i < found.size(); ++i) found[i] -= subtracted[i];
    auto report = std::bit_cast<stats_report>(found);
    report.bytes_peak = 0;
    return report;
}

TaskSpec spec_of(const TimerOptions& o, const std::source_location& place) {
    const std::string file = place.file_name();
    const std::string line =
        file.substr(file.find_last_of('/') + 1) + ":" + std::to_string(place.line());
    return {o.stmt().empty() ? line : o.stmt(),
            o.label(),
            o.sub_label(),
            o.description(),
            o.env(),
            o.num_threads()};
}

}  // namespace

void require_seconds(const char* op, const char* name, double seconds) {
    if (!(seconds >= 0) || std::isinf(seconds))
        runtime::fail<ValueError>(op, runtime::text(name, " is negative or not finite"),
                                  runtime::text(seconds), "0 seconds or more",
                                  "0.2, the default of blocked_autorange()");
}

double Timer::State::time(int64_t number) const {
    if (number > 0) prepare();
    runtime::finish_used_devices();
    const auto start = timer_clock::now();
    calls(number);
    runtime::finish_used_devices();
    return seconds_since(start);
}

double Timer::State::estimate(int64_t number) const {
    constexpr double is_long = 0.1;
    const double once = time(number);
    return once >= is_long ? once : std::min(once, time(number));
}

Circumstances Timer::State::settle() {
    constexpr int least_calls = 2, most_calls = 20000;
    constexpr double most_seconds = 5;
    if (!first_call) first_call = time(1);
    sinter::synchronize();
    Circumstances seen{first_call, {}, false};
    const auto start = timer_clock::now();
    for (int done = 0, quiet = 0; quiet < least_calls; ++done) {
        if (done >= most_calls || (done >= least_calls && seconds_since(start) > most_seconds))
            return seen;
        prepare();
        const stats_report before = stats();
        const uint64_t undecided = plan::undecided_runs();
        calls(1);
        seen.call = difference(stats(), before);
        runtime::finish_used_devices();
        sinter::synchronize();
        const stats_report after = stats();
        const bool changed = plan::undecided_runs() != undecided ||
                             after.kernels_compiled != before.kernels_compiled ||
                             after.kernels_loaded != before.kernels_loaded;
        quiet = changed ? 0 : quiet + 1;
    }
    seen.settled = true;
    return seen;
}

int64_t Timer::State::block_size(double min_run_time) const {
    constexpr double share_of_clock = 1e-4, share_of_time = 1e-3;
    constexpr int64_t most = 1'000'000'000'000;
    std::array<double, 5> empty{};
    for (double& t : empty) t = time(0);
    std::sort(empty.begin(), empty.end());
    const double overhead = empty[empty.size() / 2];
    for (int64_t number = 1;; number *= 10) {
        const double took = estimate(number);
        if (overhead <= share_of_clock * took && took >= share_of_time * min_run_time)
            return number;
        if (took > min_run_time || number >= most) return number;
    }
}

Measurement Timer::State::measured(int64_t number, std::vector<double> times,
                                   Circumstances seen) const {
    if (options.bytes() > 0) {
        seen.bytes = options.bytes();
        seen.triad_rate = measure_triad(options.bytes(), options.num_threads());
    }
    return {number, std::move(times), spec, std::move(seen)};
}

Timer::Timer(TimerOptions options, const std::source_location& place, detail::block calls) {
    if (options.num_threads() < 1)
        runtime::fail<ValueError>("Timer", "the number of threads is not positive",
                                  std::to_string(options.num_threads()), "1 or more",
                                  "get_num_threads()");
    if (options.bytes() < 0)
        runtime::fail<ValueError>("Timer", "the number of bytes is negative",
                                  std::to_string(options.bytes()), "0 or more",
                                  "0, if it is not known");
    TaskSpec spec = spec_of(options, place);
    state_ = std::make_shared<State>(State{std::move(options), std::move(spec), std::move(calls)});
}

const TaskSpec& Timer::task_spec() const { return state_->spec; }

Measurement Timer::timeit(int64_t number) const {
    if (number < 1)
        runtime::fail<ValueError>("timeit", "the number of calls is not positive",
                                  std::to_string(number), "1 or more",
                                  "blocked_autorange(), which chooses it");
    const StatementSettings now(state_->options);
    Circumstances seen = state_->settle();
    state_->time(std::max<int64_t>(number / 100, 1));
    return state_->measured(number, {state_->time(number)}, std::move(seen));
}

Measurement Timer::blocked_autorange(double min_run_time) const {
    require_seconds("blocked_autorange", "min_run_time", min_run_time);
    const StatementSettings now(state_->options);
    Circumstances seen = state_->settle();
    const int64_t number = state_->block_size(min_run_time);
    std::vector<double> times;
    double total = 0;
    do {
        times.push_back(state_->time(number));
        total += times.back();
    } while (total < min_run_time);
    return state_->measured(number, std::move(times), std::move(seen));
}

Measurement Timer::adaptive_autorange(double threshold, double min_run_time,
                                      double max_run_time) const {
    if (!(threshold > 0))
        runtime::fail<ValueError>("adaptive_autorange", "the threshold is not positive",
                                  runtime::text(threshold), "a positive share of the median",
                                  "0.1, the default");
    require_seconds("adaptive_autorange", "min_run_time", min_run_time);
    require_seconds("adaptive_autorange", "max_run_time", max_run_time);
    if (max_run_time < min_run_time)
        runtime::fail<ValueError>("adaptive_autorange", "max_run_time is less than min_run_time",
                                  runtime::text(max_run_time, " and ", min_run_time),
                                  "max_run_time of at least min_run_time",
                                  "max_run_time = 10, the default");
    constexpr std::size_t least_blocks = 4;
    constexpr double time_of_blocks = 0.05;
    const StatementSettings now(state_->options);
    Circumstances seen = state_->settle();
    const int64_t number = state_->block_size(time_of_blocks);
    std::vector<double> times;
    double total = 0;
    const auto enough = [&] {
        if (total > max_run_time) return true;
        return total >= min_run_time && times.size() >= least_blocks &&
               Measurement(number, times).meets_confidence(threshold);
    };
    do {
        times.push_back(state_->time(number));
        total += times.back();
    } while (!enough());
    return state_->measured(number, std::move(times), std::move(seen));
}

}  // namespace sinter::inline v1::benchmark

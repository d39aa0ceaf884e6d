// Statistics of times, and a measurement as text.
#include "ops/benchmark/format.hpp"
#include "runtime/base/fail.hpp"

#include <sinter/benchmark.hpp>
#include <sinter/error.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ostream>

namespace sinter::inline v1::benchmark {
namespace {

using benchmark_text::fixed, benchmark_text::time_text, benchmark_text::unit_for;
using runtime::count_of, runtime::text;

constexpr double gross = 0.25;  // of the median, beyond which a spread is more than fluctuation

uint64_t flushes_of(const stats_report& call) {
    return std::accumulate(call.flushes.begin(), call.flushes.end(), uint64_t{0});
}

/// Returns what one call added to the counters: the usual ones, and others that are not 0.
std::string counts(const stats_report& call) {
    const auto number = [](uint64_t n, const char* one, const char* many) {
        return std::to_string(n) + " " + (n == 1 ? one : many);
    };
    std::string line = number(call.kernels_launched, "kernel", "kernels") + ", " +
                       number(call.library_calls, "library call", "library calls") + ", " +
                       number(flushes_of(call), "flush", "flushes") + ", " +
                       number(call.bytes_allocated, "byte", "bytes") + " allocated";
    const auto more = [&line](uint64_t n, const char* what) {
        if (n > 0) line += ", " + std::to_string(n) + what;
    };
    more(call.run_by_blocks + call.interpreted, " run without compiled code");
    more(call.functions_replayed, " replayed by a compiled function");
    more(call.host_fallbacks, " computed by the CPU for a GPU");
    more(call.host_waits, " waits for a GPU");
    return line;
}

std::string spread_warning(const Measurement& m) {
    if (m.meets_confidence()) return "";
    return "  WARNING: Interquartile range is " + fixed(100 * m.iqr() / m.median(), 1) +
           "% of the median measurement.\n           " +
           (m.meets_confidence(gross) ? "This could indicate system fluctuation.\n"
                                      : "This suggests significant environmental influence.\n");
}

}  // namespace

std::string TaskSpec::title() const {
    const std::string& first = label.empty() ? stmt : label;
    if (sub_label.empty()) return first;
    return first.empty() ? sub_label : first + ": " + sub_label;
}

Measurement::Measurement(int64_t number_per_run, std::vector<double> raw_times, TaskSpec task_spec,
                         Circumstances circumstances)
    : number_per_run_(number_per_run),
      raw_times_(std::move(raw_times)),
      task_spec_(std::move(task_spec)),
      circumstances_(std::move(circumstances)) {
    if (number_per_run_ < 1)
        runtime::fail<ValueError>("Measurement", "the number of calls is not positive",
                                  std::to_string(number_per_run_), "1 or more",
                                  "1, for times of single calls");
    if (raw_times_.empty())
        runtime::fail<ValueError>("Measurement", "there are no times", "an empty list",
                                  "1 time or more", "the times of Timer::blocked_autorange()");
    for (const double t : raw_times_)
        if (!(t >= 0) || std::isinf(t))
            runtime::fail<ValueError>("Measurement", "a time is negative or not finite", text(t),
                                      "0 seconds or more", "times of std::chrono::steady_clock");
    sorted_ = times();
    std::sort(sorted_.begin(), sorted_.end());
}

std::vector<double> Measurement::times() const {
    std::vector<double> each = raw_times_;
    for (double& t : each) t /= static_cast<double>(number_per_run_);
    return each;
}

/// Interpolates between the two times around the place.
double Measurement::quantile(double share) const {
    const double place = share * static_cast<double>(sorted_.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted_.size() - 1);
    return sorted_[below] +
           (place - static_cast<double>(below)) * (sorted_[above] - sorted_[below]);
}

double Measurement::median() const { return quantile(0.5); }
double Measurement::iqr() const { return quantile(0.75) - quantile(0.25); }
double Measurement::mean() const {
    return std::accumulate(sorted_.begin(), sorted_.end(), 0.0) /
           static_cast<double>(sorted_.size());
}

int Measurement::significant_figures() const {
    // The half-width of a 90 % interval for the mean of the middle half, as if errors were normal,
    // and no less than a clock can tell.
    constexpr double width = 1.645, least = 25e-9;
    constexpr int most = 4;
    const std::size_t n = sorted_.size(), from = n / 4, to = (3 * n + 3) / 4;
    const auto count = static_cast<double>(to - from);
    double sum = 0, squares = 0;
    for (std::size_t i = from; i < to; ++i) sum += sorted_[i];
    for (std::size_t i = from; i < to; ++i) {
        const double off = sorted_[i] - sum / count;
        squares += off * off;
    }
    const double interval = std::max(width * std::sqrt(squares / count) / std::sqrt(count), least);
    if (median() <= interval) return 1;
    return std::clamp(static_cast<int>(std::floor(std::log10(median() / interval))), 1, most);
}

optional<double> Measurement::rate() const {
    if (circumstances_.bytes <= 0 || median() <= 0) return {};
    return static_cast<double>(circumstances_.bytes) / median();
}

optional<double> Measurement::share_of_triad() const {
    const optional<double> moved = rate();
    if (!moved || !circumstances_.triad_rate || *circumstances_.triad_rate <= 0) return {};
    return *moved / *circumstances_.triad_rate;
}

bool Measurement::meets_confidence(double threshold) const {
    return iqr() == 0 || iqr() < threshold * median();
}

std::string Measurement::to_string() const {
    const std::size_t n = sorted_.size();
    const benchmark_text::unit u = unit_for(median());
    const auto in_unit = [&u](double seconds) { return fixed(seconds / u.seconds, 2); };
    std::string out = "sinter::benchmark::Measurement\n" + title() + "\n";
    if (!task_spec_.description.empty()) out += task_spec_.description + "\n";
    out += std::string(n > 1 ? "  Median: " : "  ") + in_unit(median()) + " " + u.symbol + "\n";
    if (n >= 4)
        out += "  IQR:    " + in_unit(iqr()) + " " + u.symbol + " (" + in_unit(quantile(0.25)) +
               " to " + in_unit(quantile(0.75)) + ")\n";
    out += "  " + count_of(static_cast<int64_t>(n), "measurement") + ", " +
           count_of(number_per_run_, "run") + (n > 1 ? " per measurement, " : ", ") +
           count_of(task_spec_.num_threads, "thread") + "\n";
    if (circumstances_.first_call)
        out += "  First call: " + time_text(*circumstances_.first_call) + "\n";
    if (circumstances_.call) out += "  One call: " + counts(*circumstances_.call) + "\n";
    if (const optional<double> moved = rate()) {
        out += "  Moves: " + fixed(*moved / 1e9, 2) + " GB/s";
        if (const optional<double> share = share_of_triad())
            out += ", " + fixed(*share, 2) + " of the triad";
        out += "\n";
    }
    out += spread_warning(*this);
    if (circumstances_.call && circumstances_.call->nodes_pending > 0)
        out += "  WARNING: One call left " +
               count_of(circumstances_.call->nodes_pending, "operation") +
               " pending, which the times lack.\n"
               "           Return the tensors that should be computed.\n";
    if (!circumstances_.settled)
        out +=
            "  WARNING: Kernels or plans were still being chosen when timing began.\n"
            "           Measure again, or for longer.\n";
    out.pop_back();
    return out;
}

std::vector<Measurement> Measurement::merge(const std::vector<Measurement>& measurements) {
    std::vector<std::pair<const Measurement*, std::vector<double>>> groups;
    for (const Measurement& m : measurements) {
        auto group = std::find_if(groups.begin(), groups.end(), [&m](const auto& g) {
            return g.first->task_spec_ == m.task_spec_;
        });
        if (group == groups.end()) group = groups.insert(groups.end(), {&m, {}});
        const std::vector<double> each = m.times();
        group->second.insert(group->second.end(), each.begin(), each.end());
    }
    std::vector<Measurement> merged;
    for (auto& [first, all] : groups)
        merged.emplace_back(1, std::move(all), first->task_spec_, first->circumstances_);
    return merged;
}

std::ostream& operator<<(std::ostream& out, const Measurement& m) {
    return out << m.to_string() << '\n';
}

}  // namespace sinter::inline v1::benchmark

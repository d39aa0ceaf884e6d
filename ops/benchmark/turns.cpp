// Rivals in turns, and whether both modes give equal values.
#include "ops/benchmark/format.hpp"
#include "ops/benchmark/timer_state.hpp"
#include "runtime/base/fail.hpp"

#include <sinter/error.hpp>
#include <sinter/functions/functions.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ostream>

namespace sinter::inline v1::benchmark {
namespace {

/// Returns true for equal bits, and for floating values that are equal, where NaN equals NaN.
bool same_values(const Tensor& a, const Tensor& b) {
    if (a.scalar_type() != b.scalar_type() || a.sizes() != b.sizes()) return false;
    const auto bytes = static_cast<std::size_t>(a.numel()) * a.element_size();
    if (bytes == 0 || std::memcmp(a.data_ptr(), b.data_ptr(), bytes) == 0) return true;
    return (a.is_floating_point() || a.is_complex()) && a.allclose(b, 0, 0, true);
}

std::string describe(const std::vector<Tensor>& all) {
    std::string out = runtime::count_of(static_cast<int64_t>(all.size()), "tensor");
    for (const Tensor& t : all)
        out += runtime::text(&t == all.data() ? " of " : ", ", t.scalar_type(), ' ', t.sizes());
    return out;
}

/// Returns how the results differ, or an empty text.
std::string differing(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
    if (a.size() != b.size()) return describe(a) + ", then " + describe(b);
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!same_values(a[i], b[i]))
            return runtime::text("other values in tensor ", i + 1, " of ", describe(a));
    return "";
}

/// Returns copies in main memory of what one call in a mode returns.
std::vector<Tensor> results_in(Mode mode, const std::function<std::vector<Tensor>()>& results,
                               const TimerOptions& options) {
    const StatementSettings now(TimerOptions(options).mode(mode));
    if (options.setup()) options.setup()();
    std::vector<Tensor> all = results();
    sinter::eval(all);
    for (Tensor& t : all)
        t = Tensor(t.detach().resolve_conj().resolve_neg().cpu().contiguous()).clone().eval();
    return all;
}

}  // namespace

std::vector<Measurement> compare(const std::vector<Timer>& timers, double min_run_time) {
    require_seconds("compare", "min_run_time", min_run_time);
    if (timers.empty())
        runtime::fail("compare", "there is nothing to time", "0 timers", "1 timer or more",
                      "compare({a, b}) of two timers");
    struct entrant {
        Timer::State& state;
        Circumstances seen;
        int64_t number;  // of calls in a block
        double seconds;  // of such a block
        std::vector<double> times{};
    };
    std::vector<entrant> all;
    double target = 1e-9;
    for (const Timer& t : timers) {
        Timer::State& s = *t.state_;
        const StatementSettings now(s.options);
        Circumstances seen = s.settle();
        const int64_t number = s.block_size(min_run_time);
        all.push_back({s, std::move(seen), number, s.estimate(number)});
        target = std::max(target, all.back().seconds);
    }
    // Who is fast calls as often as takes the time of the longest block.
    for (entrant& e : all) {
        const double blocks = e.seconds > 0 ? std::round(target / e.seconds) : 1;
        e.number *= static_cast<int64_t>(std::clamp(blocks, 1.0, 1e6));
    }
    constexpr double least_rounds = 5;
    const double rounds = std::max(least_rounds, std::ceil(min_run_time / target));
    for (double round = 0; round < rounds; ++round)
        for (entrant& e : all) {
            const StatementSettings now(e.state.options);
            e.state.time(1);
            e.times.push_back(e.state.time(e.number));
        }
    std::vector<Measurement> found;
    for (entrant& e : all)
        found.push_back(e.state.measured(e.number, std::move(e.times), std::move(e.seen)));
    return found;
}

void detail::require_equal_modes(const std::function<std::vector<Tensor>()>& results,
                                 const TimerOptions& options) {
    const std::vector<Tensor> lazy = results_in(Mode::lazy, results, options);
    const std::string found = differing(lazy, results_in(Mode::eager, results, options));
    if (found.empty()) return;
    // A statement whose calls differ says nothing about the modes.
    const std::string later = differing(lazy, results_in(Mode::lazy, results, options));
    if (!later.empty())
        runtime::fail("compare_modes", "the statement returns other values at another call", later,
                      "equal values at each call",
                      "a set-up that seeds the generator and restores what the statement writes");
    runtime::fail("compare_modes", "the statement returns other values in eager mode", found,
                  "equal values in both modes",
                  "set_fast_math(false), and a statement that does not depend on the mode itself");
}

std::string ModeComparison::to_string() const {
    using benchmark_text::time_text;
    const auto line = [](const char* name, const Measurement& m) {
        std::string out = std::string("  ") + name + time_text(m.median());
        if (m.circumstances().first_call)
            out += ", first call " + time_text(*m.circumstances().first_call);
        return out + (m.has_warnings()
                          ? ", IQR of " + benchmark_text::fixed(100 * m.iqr() / m.median(), 1) +
                                "% of it\n"
                          : "\n");
    };
    return "sinter::benchmark::ModeComparison\n" + lazy.title() + "\n" + line("Lazy:  ", lazy) +
           line("Eager: ", eager) + "  Lazy takes " + benchmark_text::fixed(ratio(), 2) +
           " of the time of eager; " + runtime::count_of(lazy.task_spec().num_threads, "thread");
}

std::ostream& operator<<(std::ostream& out, const ModeComparison& c) {
    return out << c.to_string() << '\n';
}

}  // namespace sinter::inline v1::benchmark

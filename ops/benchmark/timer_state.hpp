// What a Timer knows of its statement, and how it runs it.
#pragma once

#include <sinter/benchmark.hpp>
#include <sinter/threads.hpp>

namespace sinter::inline v1::benchmark {

/// The settings of a statement, until the end of the scope.
class StatementSettings {
public:
    explicit StatementSettings(const TimerOptions& options) : threads_(get_num_threads()) {
        if (options.mode()) mode_.emplace(*options.mode());
        set_num_threads(options.num_threads());
    }
    ~StatementSettings() { set_num_threads(threads_); }
    StatementSettings(const StatementSettings&) = delete;
    StatementSettings& operator=(const StatementSettings&) = delete;

private:
    int threads_;
    optional<ModeGuard> mode_;
};

struct Timer::State {
    TimerOptions options;
    TaskSpec spec;
    detail::block calls;
    optional<double> first_call{};  // seconds

    // ---- within StatementSettings
    void prepare() const {
        if (options.setup()) options.setup()();
    }
    /// Returns the seconds of a block of calls; the set-up before it is not timed.
    double time(int64_t number) const;
    /// Returns the seconds of a block of calls, for a choice: of two blocks if they are short,
    /// since a thread that loses its processor for once would make one call look long.
    double estimate(int64_t number) const;
    /// Runs the statement until it has settled. Returns what was seen.
    Circumstances settle();
    /// Returns how many calls make a block that is long beside an empty one and takes a thousandth
    /// of the time or more.
    int64_t block_size(double min_run_time) const;

    Measurement measured(int64_t number, std::vector<double> times, Circumstances seen) const;
};

/// Returns the bytes a second of the triad a = b + s * c on the CPU, over arrays of as many bytes
/// in all. Takes some 50 ms, and that much memory.
double measure_triad(int64_t bytes, int num_threads);

/// Throws ValueError unless the time is a number of seconds that is finite and not negative.
void require_seconds(const char* op, const char* name, double seconds);

}  // namespace sinter::inline v1::benchmark

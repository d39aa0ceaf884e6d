// Timing of statements: names and meaning are those of torch.utils.benchmark. Not included by
// <sinter/sinter.hpp>.
//
//     benchmark::Timer t([&] { return x.matmul(w).relu(); });
//     std::cout << t.blocked_autorange();
//     std::cout << benchmark::compare_modes([&] { return (x * 2 + y).sum(); });  // lazy and eager
//
// What a statement returns is computed while the clock runs, and GPUs are waited for. All times are
// wall times in seconds; nothing is subtracted from them. docs/benchmark.md says what is measured.
#pragma once

#include <sinter/benchmark/callgrind.hpp>
#include <sinter/benchmark/fuzzer.hpp>
#include <sinter/benchmark/task_spec.hpp>
#include <sinter/core/tensor_fwd.hpp>
#include <sinter/func.hpp>
#include <sinter/functions/functions.hpp>
#include <sinter/mode.hpp>
#include <sinter/stats.hpp>
#include <sinter/tensor.hpp>

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sinter::inline v1::benchmark {

// One option: x.name(value) sets it and returns the options, x.name() reads it.
#define SINTER_OPTION(type, name, ...)                                                        \
private:                                                                                      \
    type name##_ = __VA_ARGS__;                                                               \
                                                                                              \
public:                                                                                       \
    /** Sets the option; returns these options. */ auto name(type value) -> decltype(*this) { \
        name##_ = std::move(value);                                                           \
        return *this;                                                                         \
    }                                                                                         \
    /** Returns the option. */ const type& name() const { return name##_; }

/// Options of a Timer: texts that tell measurements apart, and how the statement runs. `setup` runs
/// before each block of calls, untimed. `stmt` stands for the statement in tables; without it that
/// is the line where the Timer is made. `bytes` says how many bytes a call must move at least,
/// each array once: then measurements have their share of the machine's rate. `num_threads`, 1 at
/// first, of the whole process, and `mode`, at first the calling thread's, are set while the
/// statement runs and restored after it, also if it throws. PyTorch: arguments of
/// torch.utils.benchmark.Timer.
struct TimerOptions {
    SINTER_OPTION(std::function<void()>, setup, {})
    SINTER_OPTION(std::string, stmt, {})
    SINTER_OPTION(std::string, label, {})
    SINTER_OPTION(std::string, sub_label, {})
    SINTER_OPTION(std::string, description, {})
    SINTER_OPTION(std::string, env, {})
    SINTER_OPTION(int64_t, bytes, 0)
    SINTER_OPTION(int, num_threads, 1)
    SINTER_OPTION(optional<Mode>, mode, {})
};
#undef SINTER_OPTION

/// What is known of a measurement beside its times.
struct Circumstances {
    /// Seconds that the first call of the Timer took, in which kernels are looked for, run block by
    /// block and compiled beside it. It is none of the times.
    optional<double> first_call = {};
    /// What one warm call added to the counters of stats(): kernels launched, flushes, bytes
    /// allocated and so on. `nodes_pending` is how many operations it left pending, `bytes_live`
    /// how many bytes it left allocated; `bytes_peak` belongs to no call and is 0.
    optional<stats_report> call = {};
    /// False if plans or kernels were still being tried against each other when timing began.
    bool settled = true;
    /// How many bytes a call must move at least, as TimerOptions say; 0: they do not.
    int64_t bytes = 0;
    /// Bytes a second that the triad a = b + s * c moved on the CPU over arrays of as many bytes,
    /// right after the statement and on as many threads, if `bytes` is known.
    optional<double> triad_rate = {};
};

/// Times of a statement. PyTorch: torch.utils.benchmark.Measurement.
class SINTER_API Measurement {
public:
    /// Holds the times, in seconds, of blocks of `number_per_run` calls. Throws ValueError for less
    /// than one call, for no times, and for a time that is negative or not finite.
    Measurement(int64_t number_per_run, std::vector<double> raw_times, TaskSpec task_spec = {},
                Circumstances circumstances = {});

    /// Returns the number of calls in a block.
    int64_t number_per_run() const { return number_per_run_; }
    /// Returns the seconds of each block.
    const std::vector<double>& raw_times() const { return raw_times_; }
    /// Returns the texts and the number of threads.
    const TaskSpec& task_spec() const { return task_spec_; }
    /// Returns what is known beside the times.
    const Circumstances& circumstances() const { return circumstances_; }

    /// Returns the seconds of one call, for each block.
    std::vector<double> times() const;
    /// Return the median, the mean, and the difference of the quartiles, of times(), in seconds.
    ///@{
    double median() const;
    double mean() const;
    double iqr() const;
    ///@}
    /// Returns a rough estimate of how many figures of the median mean something: 1 to 4.
    int significant_figures() const;
    /// Returns the bytes that must be moved a second, at the median, if they are known.
    optional<double> rate() const;
    /// Returns rate() as a share of the triad's, if that is known.
    optional<double> share_of_triad() const;
    /// Returns true if iqr() is less than this share of the median, or 0.
    bool meets_confidence(double threshold = 0.1) const;
    /// Returns true if iqr() is a tenth of the median or more.
    bool has_warnings() const { return !meets_confidence(); }
    /// Returns label and sub_label.
    std::string title() const { return task_spec_.title(); }

    /// Returns title, median, quartiles and counts as text of several lines, then what the library
    /// knows: the first call, and the counters of one call. Warnings come last.
    std::string to_string() const;

    /// Returns a measurement for each TaskSpec, with the times of all that have it, for one call
    /// each. The first one's circumstances stay.
    static std::vector<Measurement> merge(const std::vector<Measurement>& measurements);

private:
    double quantile(double share) const;

    int64_t number_per_run_;
    std::vector<double> raw_times_, sorted_;  // sorted_: of one call
    TaskSpec task_spec_;
    Circumstances circumstances_;
};
/// Writes `to_string()`, and ends the line. PyTorch: print(measurement).
SINTER_API std::ostream& operator<<(std::ostream& out, const Measurement& m);

/// @cond
namespace detail {

/// Calls the statement this many times, and computes what each call returns.
using block = std::function<void(int64_t)>;

template <class T>
inline constexpr bool is_number =
    std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, Scalar>;

/// Returns the tensors of what a call returned.
template <class R>
std::vector<Tensor> tensors_of(R&& returned) {
    auto tree = func::detail::as_tree(std::forward<R>(returned));
    std::vector<Tensor> all;
    func::tree_traits<decltype(tree)>::each(tree, [&](Tensor& t) {
        if (t.defined()) all.push_back(t);
    });
    return all;
}

/// Calls the statement once, and computes what it returns.
template <class F>
void call(F& statement) {
    using result = std::decay_t<std::invoke_result_t<F&>>;
    if constexpr (std::is_void_v<result>) {
        statement();
    } else if constexpr (std::is_base_of_v<tensor_base, result>) {
        const Tensor t = func::detail::as_tree(statement());
        if (t.defined()) t.eval();
    } else if constexpr (is_number<result>) {
        const auto value = statement();
        asm volatile("" : : "r"(&value) : "memory");  // the compiler must think that it is read
    } else {
        static_assert(func::tree<result>,
                      "a statement that is timed returns a tensor, an expression, a tree of "
                      "tensors (<sinter/func.hpp>), a number, or nothing");
        sinter::eval(tensors_of(statement()));
    }
}

/// Calls the statement once. Returns what it returned, numbers as tensors.
template <class F>
std::vector<Tensor> results(F& statement) {
    using result = std::decay_t<std::invoke_result_t<F&>>;
    if constexpr (std::is_void_v<result>) {
        statement();
        return {};
    } else if constexpr (std::is_enum_v<result>) {
        return {scalar_tensor(static_cast<int64_t>(statement()), kLong)};
    } else if constexpr (std::is_integral_v<result>) {
        return {scalar_tensor(static_cast<int64_t>(statement()), kLong)};
    } else if constexpr (is_number<result>) {
        return {scalar_to_tensor(statement())};
    } else {
        return tensors_of(statement());
    }
}

/// Throws Error unless the statement returns equal values in both modes.
SINTER_API void require_equal_modes(const std::function<std::vector<Tensor>()>& results,
                                    const TimerOptions& options);

}  // namespace detail
/// @endcond

/// Times a statement: a callable without arguments. Copies share what is known of it.
///
/// What the statement returns is computed within the time: a tensor, an expression, or a tree of
/// tensors, as in <sinter/func.hpp>. It may return a number or nothing; operations that it leaves
/// pending are then not computed. GPUs that the process has used are waited for at both ends of a
/// block of calls.
///
/// Before the clock runs, the statement runs until its kernels are compiled and plans that are
/// tried against each other are chosen: at least three calls, at most five seconds or 20,000 calls
/// more. The first call is timed by itself. Calls run on the calling thread. They throw what the
/// statement throws. PyTorch: torch.utils.benchmark.Timer.
class SINTER_API Timer {
public:
    /// Holds the statement, and runs nothing. Throws ValueError for less than one thread, and for
    /// less than no bytes.
    template <class F>
        requires std::is_invocable_v<std::decay_t<F>&>
    explicit Timer(F&& statement, TimerOptions options = {},
                   const std::source_location& place = std::source_location::current())
        : Timer(std::move(options), place,
                [f = std::decay_t<F>(std::forward<F>(statement))](int64_t n) mutable {
                    for (int64_t i = 0; i < n; ++i) {
                        detail::call(f);
                        // Keeps the compiler from joining calls, or leaving out an empty one.
                        asm volatile("" : : : "memory");
                    }
                }) {}

    /// Times one block of `number` calls, after a hundredth as many untimed ones. Throws ValueError
    /// for less than one call.
    Measurement timeit(int64_t number = 1000000) const;
    /// Times blocks of calls until they have taken `min_run_time` seconds. A block takes a
    /// thousandth of that or more, and 10,000 times as long as an empty one. Throws ValueError for
    /// a time that is negative or not finite.
    Measurement blocked_autorange(double min_run_time = 0.2) const;
    /// Times blocks of calls until iqr() is less than `threshold` of the median, for at least
    /// `min_run_time` and about `max_run_time` seconds. Throws ValueError for a time that is
    /// negative or not finite, for a `max_run_time` below `min_run_time`, and unless `threshold` is
    /// positive.
    Measurement adaptive_autorange(double threshold = 0.1, double min_run_time = 0.01,
                                   double max_run_time = 10) const;

    /// Counts the instructions of `number` warm calls by valgrind's tool callgrind, which must be
    /// installed. The program is run again under it, with its arguments and folder, some 50 times
    /// slower and without AVX-512, and ends at this call; what it prints is not shown. It must make
    /// the same calls of collect_callgrind before this one, and they must all be on one thread.
    /// Throws ValueError for less than one call, and Error if there is no valgrind, or if the
    /// program does not come to this call. PyTorch: Timer.collect_callgrind.
    CallgrindStats collect_callgrind(int64_t number = 100) const;

    /// Returns the texts and the number of threads.
    const TaskSpec& task_spec() const;

private:
    friend SINTER_API std::vector<Measurement> compare(const std::vector<Timer>& timers,
                                                       double min_run_time);
    struct State;
    Timer(TimerOptions options, const std::source_location& place, detail::block calls);

    std::shared_ptr<State> state_;
};

/// Times rivals in turns: a block of calls of each, then of each again, so that a slow moment of
/// the machine slows all of them. Blocks of all rivals take about equally long, at least a
/// thousandth of `min_run_time`, and follow one untimed call, which brings the rival's data back
/// into the caches. There are as many blocks as take `min_run_time` seconds for each rival, but at
/// least 5. Returns a measurement for each timer, in their order. Throws ValueError for a time that
/// is negative or not finite, and Error if there is no timer. PyTorch: none.
SINTER_API std::vector<Measurement> compare(const std::vector<Timer>& timers,
                                            double min_run_time = 0.2);

/// A statement in both modes.
struct SINTER_API ModeComparison {
    Measurement lazy;   ///< In lazy mode.
    Measurement eager;  ///< In eager mode.

    /// Returns the median in lazy mode over that in eager mode.
    double ratio() const { return lazy.median() / eager.median(); }
    /// Returns both medians, their ratio and both first calls as text of several lines.
    std::string to_string() const;
};
/// Writes `to_string()`, and ends the line. PyTorch: none.
SINTER_API std::ostream& operator<<(std::ostream& out, const ModeComparison& c);

/// Times a statement in lazy and in eager mode, in turns, as compare() does, and restores the mode.
/// `mode` of the options is ignored. Both modes give equal bits, which is checked: throws Error if
/// the statement returns other values in eager mode, or other ones at its next call. Throws as
/// Timer and compare() do. PyTorch: none.
template <class F>
ModeComparison compare_modes(const F& statement, TimerOptions options = {},
                             double min_run_time = 0.2,
                             const std::source_location& place = std::source_location::current()) {
    std::vector<Timer> both;
    for (const Mode mode : {Mode::lazy, Mode::eager})
        both.emplace_back(statement, TimerOptions(options).mode(mode), place);
    std::vector<Measurement> found = compare(both, min_run_time);
    // Not before: the first calls that were timed would not be the first.
    std::decay_t<F> f = statement;
    detail::require_equal_modes([&f] { return detail::results(f); }, options);
    return {std::move(found[0]), std::move(found[1])};
}

/// Tables of measurements. There is a table for each label, a row for each number of threads, `env`
/// and `sub_label`, and a column for each description. Measurements of one TaskSpec are merged;
/// cells are medians. PyTorch: torch.utils.benchmark.Compare.
class SINTER_API Compare {
public:
    /// Holds these measurements.
    explicit Compare(std::vector<Measurement> results = {}) : results_(std::move(results)) {}

    /// Adds measurements.
    void extend_results(const std::vector<Measurement>& results);
    /// Prints no more figures than significant_figures().
    void trim_significant_figures() { trims_ = true; }
    /// Colours the text for terminals: what is close to the best of its column, or of its row, and
    /// what is far from it.
    void colorize(bool rowwise = false) {
        colours_ = rowwise ? colours::by_row : colours::by_column;
    }
    /// Writes iqr() as a share of the median beside medians that have warnings.
    void highlight_warnings() { highlights_ = true; }

    /// Return the tables as text, or as Markdown. Throw Error if there is no measurement.
    ///@{
    std::string to_string() const;
    std::string to_markdown() const;
    ///@}
    /// Returns the merged measurements as JSON: an array of objects. Times are in seconds, and
    /// fields that are not known are null. Throws Error if there is no measurement.
    std::string to_json() const;
    /// Writes `to_string()` to standard output. Throws Error if there is no measurement.
    void print() const;

private:
    enum class colours : uint8_t { none, by_column, by_row };

    std::vector<Measurement> results_;
    bool trims_ = false, highlights_ = false;
    colours colours_ = colours::none;
};
/// Writes `to_string()`. Throws Error if there is no measurement. PyTorch: print(compare).
SINTER_API std::ostream& operator<<(std::ostream& out, const Compare& c);

}  // namespace sinter::inline v1::benchmark

// Instructions that statements execute, as valgrind counts them: the same number on a busy machine.
// Included by <sinter/benchmark.hpp>.
#pragma once

#include <sinter/benchmark/task_spec.hpp>
#include <sinter/core/array_ref.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace sinter::inline v1::benchmark {

/// Instructions of one function. PyTorch: torch.utils.benchmark.FunctionCount.
struct FunctionCount {
    int64_t count = 0;          ///< How many instructions.
    std::string function = {};  ///< Its name and, in brackets, its library or program.

    /// Returns true if both are equal.
    bool operator==(const FunctionCount&) const = default;
};

/// Instructions by function, the largest number first; each function is there once, and none with
/// 0. PyTorch: torch.utils.benchmark.FunctionCounts.
class SINTER_API FunctionCounts {
public:
    /// Adds up what is given for one function.
    explicit FunctionCounts(std::vector<FunctionCount> counts = {});

    /// Iterate over the functions.
    ///@{
    auto begin() const { return all_.begin(); }
    auto end() const { return all_.end(); }
    ///@}
    /// Returns the number of functions.
    std::size_t size() const { return all_.size(); }
    /// Returns the n-th function. Throws IndexError if there are not as many.
    const FunctionCount& operator[](std::size_t n) const {
        if (n >= size()) sinter::detail::outside_list("FunctionCounts", n, size());
        return all_[n];
    }

    /// Returns the sum of all numbers.
    int64_t sum() const;
    /// Returns the functions whose names `keeps` accepts.
    FunctionCounts filter(const std::function<bool(const std::string&)>& keeps) const;
    /// Returns the functions under the names that `renamed` makes of theirs.
    FunctionCounts transform(const std::function<std::string(const std::string&)>& renamed) const;
    /// Return the sum or the difference, function by function.
    ///@{
    FunctionCounts operator+(const FunctionCounts& other) const;
    FunctionCounts operator-(const FunctionCounts& other) const;
    ///@}
    /// Returns a line for each of the first `most` functions, and the sum.
    std::string to_string(std::size_t most = 24) const;

private:
    std::vector<FunctionCount> all_;
};
/// Writes `to_string()`, and ends the line. PyTorch: print(counts).
SINTER_API std::ostream& operator<<(std::ostream& out, const FunctionCounts& c);

/// What Timer::collect_callgrind counted. Numbers are of all calls together. PyTorch:
/// torch.utils.benchmark.CallgrindStats.
class SINTER_API CallgrindStats {
public:
    /// Holds the instructions of `number_per_run` calls: those of each function itself
    /// (`exclusive`), those of each function and of what it calls (`inclusive`), and those of as
    /// many turns of an empty loop (`baseline`).
    CallgrindStats(TaskSpec task_spec, int64_t number_per_run, FunctionCounts exclusive,
                   FunctionCounts inclusive, int64_t baseline)
        : task_spec_(std::move(task_spec)),
          number_per_run_(number_per_run),
          exclusive_(std::move(exclusive)),
          inclusive_(std::move(inclusive)),
          baseline_(baseline) {}

    /// Returns the texts and the number of threads.
    const TaskSpec& task_spec() const { return task_spec_; }
    /// Returns the number of calls.
    int64_t number_per_run() const { return number_per_run_; }
    /// Returns the instructions of all calls, with those of the loop around them.
    int64_t counts() const { return exclusive_.sum(); }
    /// Returns the instructions of as many turns of an empty loop. PyTorch:
    /// baseline_exclusive_stats.
    int64_t baseline_counts() const { return baseline_; }
    /// Returns the instructions of each function itself or, if `inclusive`, with those of what it
    /// calls. Functions that call themselves are counted in each of their calls then.
    const FunctionCounts& stats(bool inclusive = false) const {
        return inclusive ? inclusive_ : exclusive_;
    }
    /// Returns what these calls have more than those of `other`, function by function.
    FunctionCounts delta(const CallgrindStats& other, bool inclusive = false) const {
        return stats(inclusive) - other.stats(inclusive);
    }
    /// Returns title, instructions in all and of one call, and counts as text of several lines.
    std::string to_string() const;

private:
    TaskSpec task_spec_;
    int64_t number_per_run_;
    FunctionCounts exclusive_, inclusive_;
    int64_t baseline_;
};
/// Writes `to_string()`, and ends the line. PyTorch: print(stats).
SINTER_API std::ostream& operator<<(std::ostream& out, const CallgrindStats& s);

}  // namespace sinter::inline v1::benchmark

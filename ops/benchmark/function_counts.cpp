// Instructions by function.
#include "ops/benchmark/format.hpp"
#include "runtime/base/fail.hpp"

#include <sinter/benchmark/callgrind.hpp>

#include <algorithm>
#include <map>
#include <ostream>

namespace sinter::inline v1::benchmark {
namespace {

std::string with_commas(int64_t n) {
    std::string digits = std::to_string(n);
    for (std::ptrdiff_t at = std::ssize(digits) - 3; at > (n < 0 ? 1 : 0); at -= 3)
        digits.insert(static_cast<std::size_t>(at), 1, ',');
    return digits;
}

}  // namespace

FunctionCounts::FunctionCounts(std::vector<FunctionCount> counts) {
    std::map<std::string, int64_t> sums;
    for (FunctionCount& c : counts) sums[std::move(c.function)] += c.count;
    for (const auto& [function, count] : sums)
        if (count != 0) all_.push_back({count, function});
    std::stable_sort(all_.begin(), all_.end(), [](const FunctionCount& a, const FunctionCount& b) {
        return a.count > b.count;
    });
}

int64_t FunctionCounts::sum() const {
    int64_t total = 0;
    for (const FunctionCount& c : all_) total += c.count;
    return total;
}

FunctionCounts FunctionCounts::filter(const std::function<bool(const std::string&)>& keeps) const {
    std::vector<FunctionCount> kept;
    for (const FunctionCount& c : all_)
        if (keeps(c.function)) kept.push_back(c);
    return FunctionCounts(std::move(kept));
}

FunctionCounts FunctionCounts::transform(
    const std::function<std::string(const std::string&)>& renamed) const {
    std::vector<FunctionCount> changed;
    for (const FunctionCount& c : all_) changed.push_back({c.count, renamed(c.function)});
    return FunctionCounts(std::move(changed));
}

FunctionCounts FunctionCounts::operator+(const FunctionCounts& other) const {
    std::vector<FunctionCount> both = all_;
    both.insert(both.end(), other.begin(), other.end());
    return FunctionCounts(std::move(both));
}

FunctionCounts FunctionCounts::operator-(const FunctionCounts& other) const {
    std::vector<FunctionCount> both = all_;
    for (const FunctionCount& c : other) both.push_back({-c.count, c.function});
    return FunctionCounts(std::move(both));
}

std::string FunctionCounts::to_string(std::size_t most) const {
    constexpr std::size_t width = 14;
    std::string out;
    const auto line = [&out](int64_t count, const std::string& what) {
        out += benchmark_text::right(with_commas(count), width) + "  " + what + "\n";
    };
    for (std::size_t i = 0; i < std::min(most, size()); ++i) line(all_[i].count, all_[i].function);
    if (size() > most) {
        int64_t rest = sum();
        for (std::size_t i = 0; i < most; ++i) rest -= all_[i].count;
        line(rest, runtime::count_of(static_cast<int64_t>(size() - most), "other function"));
    }
    line(sum(), "in all");
    out.pop_back();
    return out;
}

std::ostream& operator<<(std::ostream& out, const FunctionCounts& c) {
    return out << c.to_string() << '\n';
}

std::string CallgrindStats::to_string() const {
    std::string out = "sinter::benchmark::CallgrindStats\n" + task_spec_.title() + "\n";
    if (!task_spec_.description.empty()) out += task_spec_.description + "\n";
    return out + "  Instructions: " + with_commas(counts()) + ", of one call " +
           with_commas((counts() - baseline_) / number_per_run_) +
           "\n  Baseline:     " + with_commas(baseline_) + "\n  " +
           runtime::count_of(number_per_run_, "run") + ", " +
           runtime::count_of(task_spec_.num_threads, "thread");
}

std::ostream& operator<<(std::ostream& out, const CallgrindStats& s) {
    return out << s.to_string() << '\n';
}

}  // namespace sinter::inline v1::benchmark

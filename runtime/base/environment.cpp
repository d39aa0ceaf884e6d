#include "runtime/base/environment.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>

namespace sinter::runtime {
namespace {

struct words {
    const char* variable;
    std::string_view choices;  // separated by spaces; the first is the default
};
constexpr words all_words[] = {
    {"SINTER_MODE", "lazy eager"},
    {"SINTER_JIT", "background wait off interpret"},
    {"SINTER_JIT_PRIORITY", "low normal"},
    {"SINTER_FUSE", "measured fused apart"},
    {"SINTER_SPECIALISE", "measured off"},
    {"SINTER_GRAPHS", "measured on off"},
    {"SINTER_RNG", "philox mt19937"},
    {"SINTER_POOL", "on off 1 0"},
    {"SINTER_GPU_POOL", "on off"},
    {"SINTER_PERF_MAP", "0 1"},
    // Support by the processor is checked where the level is chosen.
    {"SINTER_ISA", "best baseline v3 v4"},
};

struct numbers {
    const char* variable;
    int64_t least, most;
};
constexpr int64_t most_mib = int64_t{1} << 40;  // as bytes it fits 64 bits
constexpr numbers all_numbers[] = {
    {"SINTER_NUM_THREADS", 1, INT32_MAX},   {"SINTER_MAX_PENDING", 1, INT64_MAX},
    {"SINTER_MAX_PENDING_MB", 1, most_mib}, {"SINTER_POOL_MAX_MB", 0, most_mib},
    {"SINTER_CACHE_SIZE_MB", 0, most_mib},  {"SINTER_TRACE_MAX_MB", 1, most_mib},
};

const char* text_of(const char* variable) {
    const char* text = std::getenv(variable);
    return text && *text ? text : nullptr;
}

template <class Row, std::size_t N>
const Row& row_of(const Row (&table)[N], const char* variable) {
    for (const Row& r : table)
        if (!std::strcmp(r.variable, variable)) return r;
    throw InternalError(std::string("[environment] no such variable; got ") + variable +
                        ", expected one of the table; try a row for it");
}

template <class F>
void for_each_choice(std::string_view choices, const F& f) {
    while (!choices.empty()) {
        const std::size_t space = std::min(choices.find(' '), choices.size());
        f(choices.substr(0, space));
        choices.remove_prefix(std::min(space + 1, choices.size()));
    }
}

std::string_view chosen(const words& w) {
    const char* text = text_of(w.variable);
    std::string_view found, first, last;
    for_each_choice(w.choices, [&](std::string_view c) {
        if (first.empty()) first = c;
        if (text && c == text) found = c;
        last = c;
    });
    if (!text) return first;
    if (!found.empty()) return found;
    std::string expected;
    for_each_choice(w.choices, [&](std::string_view c) {
        expected.append(expected.empty() ? "" : c == last ? " or " : ", ").append(c);
    });
    throw ValueError(std::string("[") + w.variable + "] no such choice; got " + text +
                     ", expected " + expected + "; try leaving it unset");
}

int64_t counted(const numbers& n, int64_t otherwise) {
    const char* text = text_of(n.variable);
    if (!text) return otherwise;
    int64_t value = 0;
    const char* end = text + std::strlen(text);
    const auto [stop, error] = std::from_chars(text, end, value);
    if (error == std::errc() && stop == end && value >= n.least && value <= n.most) return value;
    throw ValueError(std::string("[") + n.variable + "] not such a number; got " + text +
                     ", expected a whole number from " + std::to_string(n.least) + " to " +
                     std::to_string(n.most) + "; try leaving it unset");
}

}  // namespace

std::string_view environment_choice(const char* variable) {
    return chosen(row_of(all_words, variable));
}

int64_t environment_number(const char* variable, int64_t otherwise) {
    return counted(row_of(all_numbers, variable), otherwise);
}

void check_environment() {
    // Not a dynamically initialised static: a child forked during the initialisation would hang.
    // Checked again until it is valid, so that a program may correct the environment and go on.
    static constinit std::atomic<bool> understood{false};
    if (understood.load(std::memory_order_relaxed)) return;
    for (const words& w : all_words) chosen(w);
    for (const numbers& n : all_numbers) counted(n, 0);
    understood.store(true, std::memory_order_relaxed);
}

}  // namespace sinter::runtime

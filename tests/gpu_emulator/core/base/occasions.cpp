#include "core/base/occasions.hpp"

#include <array>
#include <atomic>
#include <cstdlib>
#include <string>

namespace gpu_emulator {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(occasion::none)> names = {
    "allocate",    "deallocate",     "launch",      "asynchronous", "copy",  "fill",   "module",
    "compile",     "compile_beside", "synchronize", "finding",      "blas",  "refuse", "graph",
    "instantiate", "update",         "ask",         "context",      "query", "low"};

struct counter {
    std::atomic<uint64_t> times{0};
    std::atomic<uint64_t> fails_at{0};  // 0: never
};

/// SINTER_EMULATOR_FAIL="allocate:3,launch:10"
std::array<counter, names.size()>& counters() {
    static auto& all = *[] {
        auto* made = new std::array<counter, names.size()>;
        const char* variable = std::getenv("SINTER_EMULATOR_FAIL");
        std::string text = variable ? variable : "";
        while (!text.empty()) {
            const std::size_t end = std::min(text.find(','), text.size());
            const std::string entry = text.substr(0, end);
            text.erase(0, end + 1);
            const std::size_t colon = entry.find(':');
            const occasion o = occasion_named(entry.substr(0, colon));
            if (o == occasion::none || colon == std::string::npos) continue;
            (*made)[static_cast<std::size_t>(o)].fails_at =
                std::strtoull(entry.c_str() + colon + 1, nullptr, 0);
        }
        return made;
    }();
    return all;
}

counter& counter_of(occasion o) { return counters()[static_cast<std::size_t>(o)]; }

}  // namespace

occasion occasion_named(std::string_view name) {
    for (std::size_t n = 0; n < names.size(); ++n)
        if (names[n] == name) return static_cast<occasion>(n);
    return occasion::none;
}

bool happens(occasion o) {
    counter& c = counter_of(o);
    return ++c.times == c.fails_at;
}

uint64_t times(occasion o) { return counter_of(o).times; }

void fail(occasion o, int nth) {
    counter& c = counter_of(o);
    c.fails_at = nth > 0 ? c.times + static_cast<uint64_t>(nth) : 0;
}

}  // namespace gpu_emulator

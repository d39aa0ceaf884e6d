#include "runtime/report/log.hpp"

#include "runtime/base/environment.hpp"
#include "runtime/base/fork.hpp"

#include <array>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <exception>
#include <mutex>
#include <unordered_set>

namespace sinter::runtime {

constinit std::atomic<bool> may_debug{true};

namespace {

constexpr std::array<std::string_view, 9> stage_names = {
    "expr", "graph", "plan", "kernel_ir", "codegen", "cache", "launch", "pool", "linalg"};
static_assert(stage_names.size() == static_cast<std::size_t>(debug_stage::linalg) + 1);

// Process-wide, as the environment is.
constinit std::array<std::atomic<int>, stage_names.size()> levels{};
constinit std::atomic<bool> levels_known{false};

/// Orders the lines and records the warnings given. Leaked: messages may come after main.
struct state {
    std::mutex mutex;
    std::unordered_set<std::string> warned;
};
state& log_state() {
    static auto* s = new state;
    return *s;
}
std::mutex& log_lock() { return log_state().mutex; }
[[maybe_unused]] const held_at_fork<log_lock> log_at_fork(fork_order::log);

void write_line(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

void warn(const std::string& key, std::string_view text) {
    state& s = log_state();
    std::lock_guard lock(s.mutex);
    if (!s.warned.insert(key).second) return;
    write_line("sinter: warning: " + std::string(text) + "\n");
}

void apply_one(std::string_view item) {
    std::size_t colon = item.find(':');
    std::string_view name = item.substr(0, colon);
    int level = 1;
    bool valid = true;
    if (colon != std::string_view::npos) {
        const char* begin = item.data() + colon + 1;
        const char* end = item.data() + item.size();
        auto [stop, error] = std::from_chars(begin, end, level);
        valid = error == std::errc() && stop == end && level >= 0;
    }
    bool known = name == "all";
    for (std::size_t i = 0; valid && i < stage_names.size(); ++i) {
        if (name != "all" && name != stage_names[i]) continue;
        levels[i].store(level, std::memory_order_relaxed);
        known = true;
    }
    if (valid && known) return;
    std::string expected = "all";
    for (std::string_view each : stage_names) expected.append(", ").append(each);
    warn("debug:" + std::string(item), "[SINTER_DEBUG] item not understood; got '" +
                                           std::string(item) +
                                           "', expected STAGE or STAGE:LEVEL with STAGE one of " +
                                           expected + "; try SINTER_DEBUG=plan:1,codegen:2");
}

void apply(std::string_view setting) {
    for (auto& level : levels) level.store(0, std::memory_order_relaxed);
    while (!setting.empty()) {
        std::size_t comma = setting.find(',');
        std::string_view item = setting.substr(0, comma);
        if (!item.empty()) apply_one(item);
        if (comma == std::string_view::npos) break;
        setting.remove_prefix(comma + 1);
    }
    bool any = false;
    for (const auto& level : levels) any = any || level.load(std::memory_order_relaxed) > 0;
    may_debug.store(any, std::memory_order_relaxed);
    levels_known.store(true, std::memory_order_release);
}

void apply_environment() try {
    const std::string& setting = environment().debug;
    const first_use alone;
    if (!levels_known.load(std::memory_order_relaxed)) apply(setting);
} catch (const std::exception&) {  // the first operation throws it, and the next call tries again
}

}  // namespace

bool debug_asked(debug_stage stage, int level) {
    auto i = static_cast<std::size_t>(stage);
    if (!levels_known.load(std::memory_order_acquire)) apply_environment();
    return levels[i].load(std::memory_order_relaxed) >= level;
}

void debug_print(debug_stage stage, std::string_view text) {
    std::string marked;
    std::string_view name = stage_names[static_cast<std::size_t>(stage)];
    while (!text.empty()) {
        std::size_t newline = text.find('\n');
        marked.append("[").append(name).append("] ").append(text.substr(0, newline)).append("\n");
        if (newline == std::string_view::npos) break;
        text.remove_prefix(newline + 1);
    }
    state& s = log_state();
    std::lock_guard lock(s.mutex);
    write_line(marked);
}

void warn_once(const std::string& key, std::string_view text) { warn(key, text); }

void set_debug(std::string_view setting) {
    const first_use alone;
    apply(setting);
}

}  // namespace sinter::runtime

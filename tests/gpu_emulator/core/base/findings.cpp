#include "core/base/findings.hpp"

#include "core/base/occasions.hpp"
#include "core/base/settings.hpp"

#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace gpu_emulator {
namespace {

struct last {
    std::mutex mutex;
    std::string text;
};
// Leaked, like everything that worker threads use: they may outlive the exit handlers.
last& kept() {
    static last& l = *new last;
    return l;
}

}  // namespace

void report(const std::string& text) {
    happens(occasion::finding);
    const std::lock_guard lock(kept().mutex);
    kept().text = text;
    const uint64_t seed = environment().seed;
    const std::string replay = seed ? " (SINTER_EMULATOR_SEED=" + std::to_string(seed) + ")" : "";
    std::fprintf(stderr, "[gpu emulator] %s%s\n", text.c_str(), replay.c_str());
    if (environment().abort) std::abort();
}

std::string last_finding() {
    const std::lock_guard lock(kept().mutex);
    return kept().text;
}

void forget_findings() {
    const std::lock_guard lock(kept().mutex);
    kept().text.clear();
}

}  // namespace gpu_emulator

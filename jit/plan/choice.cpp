#include "jit/plan/choice.hpp"

#include <sinter/error.hpp>

#include <cstdlib>
#include <string>

namespace sinter::plan {
namespace {

constexpr uint32_t trials = 8;    // of each side, after the one that finds memory cold
constexpr uint32_t between = 16;  // runs without a look for kernels that are being compiled
constexpr uint32_t most_looks = 256;
constexpr double margin = 1.03;  // by which the other plan has to be faster

choice::state from_environment() {
    const char* text = std::getenv("SINTER_FUSE");
    const std::string given = text ? text : "";
    if (given.empty() || given == "measured") return choice::state::measuring;
    if (given == "fused") return choice::state::fused;
    if (given == "apart") return choice::state::apart;
    throw ValueError("[SINTER_FUSE] no such choice; got " + given +
                     ", expected measured, fused or apart; try leaving it unset");
}

std::atomic<choice::state>& all_choices() {
    static std::atomic<choice::state> how{from_environment()};
    return how;
}

}  // namespace

void force_choices(choice::state how) { all_choices().store(how, std::memory_order_relaxed); }

choice::state choice::now() const {
    const state forced = all_choices().load(std::memory_order_relaxed);
    return forced != state::measuring ? forced : state_.load(std::memory_order_acquire);
}

bool choice::worth_a_look() {
    const uint32_t waits = waits_.fetch_add(1, std::memory_order_relaxed);
    if (waits % between != between / 2) return false;  // what runs only a few times pays nothing
    if (waits / between >= most_looks) settle(side::fused);
    return true;
}

void choice::record(side s, uint64_t ns) {
    times& t = times_[static_cast<int>(s)];
    uint64_t best = t.best_ns.load(std::memory_order_relaxed);
    while (ns < best && !t.best_ns.compare_exchange_weak(best, ns, std::memory_order_relaxed)) {
    }
    t.runs.fetch_add(1, std::memory_order_acq_rel);
    const times &fused = of(side::fused), &apart = of(side::apart);
    if (fused.runs.load(std::memory_order_acquire) < trials ||
        apart.runs.load(std::memory_order_acquire) < trials)
        return;
    const auto of_apart = static_cast<double>(apart.best_ns.load(std::memory_order_relaxed));
    const auto of_fused = static_cast<double>(fused.best_ns.load(std::memory_order_relaxed));
    state unsettled = state::measuring;
    state_.compare_exchange_strong(
        unsettled, settled(of_apart * margin < of_fused ? side::apart : side::fused),
        std::memory_order_acq_rel);
}

}  // namespace sinter::plan

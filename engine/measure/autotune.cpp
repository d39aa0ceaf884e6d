#include "engine/measure/autotune.hpp"

#include "runtime/base/environment.hpp"

namespace sinter::plan {
namespace {

autotuner::state from_environment() {
    switch (runtime::environment().fuse) {
        case runtime::fuse_choice::fused: return autotuner::state::fused;
        case runtime::fuse_choice::apart: return autotuner::state::apart;
        case runtime::fuse_choice::measured: break;
    }
    return autotuner::state::measuring;
}

std::atomic<autotuner::state>& forced_state() {
    static std::atomic<autotuner::state> how{from_environment()};
    return how;
}

}  // namespace

void force_autotuner(autotuner::state how) { forced_state().store(how, std::memory_order_relaxed); }

autotuner::state autotuner::now() const {
    const state forced = forced_state().load(std::memory_order_relaxed);
    return forced != state::measuring ? forced : state_.load(std::memory_order_acquire);
}

bool autotuner::worth_a_look() {
    const patience::answer a = patience_.ask();
    if (a == patience::answer::give_up) settle(side::fused);
    return a == patience::answer::look;
}

void autotuner::record(side s, uint64_t ns) {
    const std::optional<bool> apart_is_faster = timing_.record(static_cast<int>(s), ns);
    if (!apart_is_faster) return;
    state unsettled = state::measuring;
    state_.compare_exchange_strong(unsettled, settled(*apart_is_faster ? side::apart : side::fused),
                                   std::memory_order_acq_rel);
}

}  // namespace sinter::plan

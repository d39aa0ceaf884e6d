#include "engine/measure/autotune.hpp"

#include "runtime/base/environment.hpp"

#include <string_view>

namespace sinter::plan {
namespace {

choice::state from_environment() {
    const std::string_view given = runtime::environment_choice("SINTER_FUSE");
    return given == "fused"   ? choice::state::fused
           : given == "apart" ? choice::state::apart
                              : choice::state::measuring;
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
    const patience::answer a = patience_.ask();
    if (a == patience::answer::give_up) settle(side::fused);
    return a == patience::answer::look;
}

void choice::record(side s, uint64_t ns) {
    const std::optional<bool> apart_is_faster = race_.record(static_cast<int>(s), ns);
    if (!apart_is_faster) return;
    state unsettled = state::measuring;
    state_.compare_exchange_strong(unsettled, settled(*apart_is_faster ? side::apart : side::fused),
                                   std::memory_order_acq_rel);
}

}  // namespace sinter::plan

// A measured choice between two plans of one structure.
//
// If the cost model cannot tell whether to compute values inside the kernels that read them, a plan
// has a second plan that materialises them. Once the kernels of both are compiled, runs alternate
// between them, a bounded number of times, and the faster plan stays. Both give the same bits.
#pragma once

#include "engine/measure/ab_timing.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace sinter::plan {

class executable;

enum class side : uint8_t { fused, apart };

class autotuner {
public:
    explicit autotuner(std::shared_ptr<const executable> apart) : apart_(std::move(apart)) {}

    const executable& apart() const { return *apart_; }

    enum class state : uint8_t { measuring, fused, apart };
    /// Returns the settled state; a forced choice counts as settled.
    state now() const;
    void settle(side s) { state_.store(settled(s), std::memory_order_release); }

    /// Returns true if this run should first look for the other plan's kernels. Settles for the
    /// fused plan if they have been missing for too long.
    bool worth_a_look();
    bool apart_ready() const { return apart_ready_.load(std::memory_order_acquire); }
    void set_apart_ready() { apart_ready_.store(true, std::memory_order_release); }

    /// Returns the side that runs next. `record` takes its time; the last time needed settles the
    /// choice.
    side next() { return static_cast<side>(timing_.next()); }
    void record(side s, uint64_t ns);
    const ab_timing::times& of(side s) const { return timing_.of(static_cast<int>(s)); }

private:
    static state settled(side s) { return s == side::fused ? state::fused : state::apart; }

    std::shared_ptr<const executable> apart_;
    std::atomic<state> state_{state::measuring};
    std::atomic<bool> apart_ready_{false};
    patience patience_;
    ab_timing timing_;
};

/// Forces all choices, whatever is measured: for tests, and for SINTER_FUSE=fused or apart.
/// `measuring` undoes it.
void force_autotuner(autotuner::state how);

}  // namespace sinter::plan

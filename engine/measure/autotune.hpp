// A measured choice between two plans of one structure.
//
// Where the cost model cannot tell whether values had better be computed where they are read, a
// plan has a second one beside it that writes them out. Once the kernels of both are there, runs
// take them in turns, a bounded number of times, and then the faster one stays. Both give the same
// bits, so that nothing but time depends on it.
#pragma once

#include "engine/measure/race.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace sinter::plan {

struct plan;

enum class side : uint8_t { fused, apart };

class choice {
public:
    explicit choice(std::shared_ptr<const plan> apart) : apart_(std::move(apart)) {}

    const plan& apart() const { return *apart_; }

    enum class state : uint8_t { measuring, fused, apart };
    /// What is settled; what is forced counts as settled.
    state now() const;
    void settle(side s) { state_.store(settled(s), std::memory_order_release); }

    /// Whether to look for the other plan's kernels before this run. Settles for the fused one when
    /// they have not come for long.
    bool worth_a_look();
    bool apart_ready() const { return apart_ready_.load(std::memory_order_acquire); }
    void set_apart_ready() { apart_ready_.store(true, std::memory_order_release); }

    /// Whose turn it is, and what it took. The last one that is needed settles the choice.
    side next() { return static_cast<side>(race_.next()); }
    void record(side s, uint64_t ns);
    const race::times& of(side s) const { return race_.of(static_cast<int>(s)); }

private:
    static state settled(side s) { return s == side::fused ? state::fused : state::apart; }

    std::shared_ptr<const plan> apart_;
    std::atomic<state> state_{state::measuring};
    std::atomic<bool> apart_ready_{false};
    patience patience_;
    race race_;
};

/// Makes all choices one way, whatever is measured: for tests, and SINTER_FUSE=fused or apart.
/// `measuring` undoes it.
void force_choices(choice::state how);

}  // namespace sinter::plan

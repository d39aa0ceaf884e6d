// Kernels specialised for constant extents and scalars.
//
// Extents and scalars are arguments, so that new ones need no new kernel. If a plan has spent long
// in a kernel that reduces short rows, or that divides integers by scalars which do not change, a
// second kernel is compiled that knows them. Both run alternately, a bounded number of times, and
// the second one stays if it is faster. Other scalars run in the general kernel; after too many of
// those the second is given up. The number of special kernels is limited per process and per
// general kernel. Both give the same bits.
#pragma once

#include "engine/measure/ab_timing.hpp"
#include "jit/kernel_ir/call.hpp"
#include "jit/kernel_ir/kernel_ir.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace sinter::plan {

struct kernel_step;
struct kernel_timing;

/// Returns true if this many elements, of `cost` primitives each, may be worth a special kernel.
constexpr bool worth_specializing(int64_t elements, int64_t cost) {
    constexpr int64_t primitives = 1 << 20;  // about 15 us
    return std::min(elements, primitives) * cost >= primitives;
}
bool has_integer_scalars(const kernel_ir::kernel& k);

class specialization {
public:
    /// `extent`: row length of the special kernel; 0: any.
    specialization(const kernel_step& k, const kernel_timing& timing, int64_t extent);

    /// The kernel that a run calls, and the side that it is timed for: 0 general, 1 special.
    struct turn {
        kernel_ir::kernel_fn fn;
        int side = -1;
    };
    /// Returns the next turn. `wait`: a special kernel is compiled at once, not in the background.
    turn next(std::span<const uint64_t> scalars, kernel_ir::kernel_fn general, bool wait);
    void record(int side, uint64_t ns);

    /// Returns a line for `explain`; empty if there was never a special kernel.
    std::string describe() const;

private:
    enum class state : uint8_t { watching, compiling, racing, chosen, off };

    /// One special kernel and the scalars that it knows.
    struct variant {
        std::vector<kernel_ir::known_scalar> known;
        std::vector<uint8_t> key;
        kernel_ir::kernel_fn fn = nullptr;
        ab_timing measured;
        std::atomic<uint32_t> misses{0};

        bool matches(std::span<const uint64_t> scalars) const;
    };

    void watch(std::span<const uint64_t> scalars, kernel_ir::kernel_fn general, bool wait);
    void make(std::span<const uint64_t> scalars, kernel_ir::kernel_fn general, bool stable);
    void look(bool wait);
    void generalise(variant& v);
    bool move(state from, state to) {
        return state_.compare_exchange_strong(from, to, std::memory_order_acq_rel);
    }

    const kernel_step& step_;
    const kernel_timing& timing_;    // of its general kernel
    int64_t extent_;                 // 0: not specialised for an extent
    std::vector<int32_t> divisors_;  // numbers of the integer scalars that elements are divided by
    std::atomic<state> state_{state::watching};
    std::atomic<variant*> now_{nullptr};
    std::atomic<uint64_t> last_scalars_{0};
    std::atomic<uint32_t> same_{0};
    patience patience_;
    mutable std::mutex mutex_;                    // guards `made_`; runs use try_lock
    std::vector<std::unique_ptr<variant>> made_;  // never shrinks: another thread may run one
};

/// Returns null for a kernel that cannot gain from specialisation.
std::unique_ptr<specialization> make_specialization(const kernel_step& k,
                                                    const kernel_timing& timing);

/// Rules that tests change, because they must not depend on timing. `after_ns`: time in a kernel
/// before a special one is made. `always_stays`: the special kernel wins every race.
struct special_rules {
    uint64_t after_ns = 20'000'000;  // compiling takes 3 to 6 ms
    bool always_stays = false;
};
void set_special_rules(special_rules rules);

}  // namespace sinter::plan

// Kernels compiled for what stays the same.
//
// Extents and scalars are arguments, so that no new one compiles a kernel. Where a plan has spent
// long in a kernel that reduces short rows, or in one that divides integers by scalars which stay
// what they are, a second kernel is compiled that knows them. Both run in turns, a bounded number
// of times, and the second stays if it is faster; other scalars run in the general one, and when
// too many of them come the second is given up. A process makes a bounded number of them, and each
// general kernel only a few, whatever sizes it meets. Both give the same bits.
#pragma once

#include "engine/measure/race.hpp"
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

/// Whether so many elements, of so many primitives each, are enough to spend anything on.
constexpr bool worth_special(int64_t elements, int64_t cost) {
    constexpr int64_t primitives = 1 << 20;  // some 15 us
    return std::min(elements, primitives) * cost >= primitives;
}
bool has_integer_scalars(const kernel_ir::kernel& k);

class special {
public:
    /// `extent`: of the rows of the special kernel; 0: any.
    special(const kernel_step& k, int64_t extent);

    /// What a run calls, and for whom it is timed: 0 the general kernel, 1 the special one.
    struct turn {
        kernel_ir::kernel_fn fn;
        int side = -1;
    };
    /// `wait`: compiles at once what it wants, instead of in the background.
    turn next(std::span<const uint64_t> scalars, kernel_ir::kernel_fn general, bool wait);
    void record(int side, uint64_t ns);

    /// A line for `explain`; empty if there was never a special kernel.
    std::string describe() const;

private:
    enum class state : uint8_t { watching, compiling, racing, chosen, off };

    /// One special kernel, and what it is for.
    struct variant {
        std::vector<kernel_ir::known_scalar> known;
        std::vector<uint8_t> key;
        kernel_ir::kernel_fn fn = nullptr;
        race measured;
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
    int64_t extent_;                 // 0: of no use
    std::vector<int32_t> integers_;  // scalars
    std::atomic<state> state_{state::watching};
    std::atomic<variant*> now_{nullptr};
    std::atomic<uint64_t> last_scalars_{0};
    std::atomic<uint32_t> same_{0};
    patience patience_;
    mutable std::mutex mutex_;                    // of what follows; a run only tries it
    std::vector<std::unique_ptr<variant>> made_;  // all stay: another thread may run one
};

/// Null for a kernel that could gain nothing.
std::unique_ptr<special> make_special(const kernel_step& k);

/// For tests, which cannot wait and must not depend on times: nanoseconds in a kernel after which
/// it may have one of its own, and whether that one always stays.
struct special_rules {
    uint64_t after_ns = 20'000'000;  // compiling takes 3 to 6 ms
    bool always_stays = false;
};
void set_special_rules(special_rules rules);

}  // namespace sinter::plan

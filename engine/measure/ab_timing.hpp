// Two alternatives with the same result, timed alternately until one is known to be faster.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

namespace sinter::plan {

class ab_timing {
public:
    struct times {
        std::atomic<uint64_t> best_ns{~uint64_t{0}};
        std::atomic<uint32_t> runs{0};
    };
    const times& of(int side) const { return times_[side]; }

    /// Returns the side that runs next: 0 or 1.
    int next() { return static_cast<int>(turns_.fetch_add(1, std::memory_order_relaxed) % 2); }

    /// Records the time of a turn. Once both sides have enough runs, returns true if side 1 is
    /// faster by a margin.
    std::optional<bool> record(int side, uint64_t ns) {
        times& t = times_[side];
        uint64_t best = t.best_ns.load(std::memory_order_relaxed);
        while (ns < best && !t.best_ns.compare_exchange_weak(best, ns, std::memory_order_relaxed)) {
        }
        t.runs.fetch_add(1, std::memory_order_acq_rel);
        for (const times& s : times_)
            if (s.runs.load(std::memory_order_acquire) < trials) return std::nullopt;
        const auto best_of = [this](int s) {
            return static_cast<double>(times_[s].best_ns.load(std::memory_order_relaxed));
        };
        return best_of(1) * margin < best_of(0);
    }

private:
    static constexpr uint32_t trials = 8;  // runs of each side, including the cold one
    static constexpr double margin = 1.03;

    std::atomic<uint32_t> turns_{0};
    times times_[2];
};

/// Decides when to look for kernels that are being compiled: rarely, and for a limited time.
class patience {
public:
    enum class answer : uint8_t { run_on, look, give_up };
    answer ask() {
        const uint32_t waits = waits_.fetch_add(1, std::memory_order_relaxed);
        if (waits / between >= most_looks) return answer::give_up;
        // Not in the first runs: a plan that runs only a few times should not pay for a look.
        return waits % between == between / 2 ? answer::look : answer::run_on;
    }

private:
    static constexpr uint32_t between = 16, most_looks = 256;
    std::atomic<uint32_t> waits_{0};
};

}  // namespace sinter::plan

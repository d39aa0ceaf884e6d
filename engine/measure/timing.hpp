// Run times of a kernel, for `explain`.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace sinter::plan {

inline uint64_t ns_since(std::chrono::steady_clock::time_point start) {
    const auto took = std::chrono::steady_clock::now() - start;
    return static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(took).count());
}

/// Times of one kernel on all threads. Each number is valid by itself; the two are not a snapshot.
struct kernel_timing {
    std::atomic<uint64_t> runs{0}, best_ns{0};  // 0: not timed yet
};

/// Times a run: every run if the clock is cheap compared with the bytes moved, otherwise the second
/// run and then one in 64. The first run includes one-time costs.
class timed_run {
public:
    timed_run(kernel_timing& t, int64_t bytes) : t_(t) {
        const uint64_t before = t.runs.load(std::memory_order_relaxed);
        t.runs.store(before + 1, std::memory_order_relaxed);
        timed_ = bytes >= worth_timing || before % 64 == 1;
        if (timed_) start_ = clock::now();
    }
    ~timed_run() {
        if (!timed_) return;
        const uint64_t ns = ns_since(start_);
        const uint64_t best = t_.best_ns.load(std::memory_order_relaxed);
        if (best == 0 || ns < best) t_.best_ns.store(ns > 0 ? ns : 1, std::memory_order_relaxed);
    }
    timed_run(const timed_run&) = delete;

private:
    using clock = std::chrono::steady_clock;
    static constexpr int64_t worth_timing = int64_t{256} << 10;
    kernel_timing& t_;
    clock::time_point start_;
    bool timed_ = false;
};

}  // namespace sinter::plan

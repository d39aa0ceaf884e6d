// The counters behind sinter::stats(). Relaxed: each is right, and together they are a snapshot of
// no exact moment.
#pragma once

#include <sinter/reference_count.hpp>
#include <sinter/stats.hpp>

#include <atomic>

namespace sinter::runtime {

class counter {
public:
    void add(uint64_t n = 1) { detail::add_to(value_, n, std::memory_order_relaxed); }
    uint64_t get() const { return value_.load(std::memory_order_relaxed); }
    void reset() { value_.store(0, std::memory_order_relaxed); }

private:
    std::atomic<uint64_t> value_{0};
};

/// A quantity that rises and falls. Callers see to it that one thread at a time changes it.
class gauge {
public:
    void add(int64_t n) { value_.store(get() + n, std::memory_order_relaxed); }
    int64_t get() const { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<int64_t> value_{0};
};

/// Bytes handed out. Two rising sums, so that taking and giving back cost one atomic each.
class byte_meter {
public:
    void taken(uint64_t bytes) {
        uint64_t sum = detail::add_to(taken_, bytes, std::memory_order_relaxed) + bytes;
        auto live = static_cast<int64_t>(sum - given_.load(std::memory_order_relaxed));
        int64_t peak = peak_.load(std::memory_order_relaxed);
        while (live > peak && !peak_.compare_exchange_weak(peak, live, std::memory_order_relaxed)) {
        }
    }
    void given(uint64_t bytes) { detail::add_to(given_, bytes, std::memory_order_relaxed); }

    uint64_t total() const {
        return taken_.load(std::memory_order_relaxed) - base_.load(std::memory_order_relaxed);
    }
    /// `given_` first: what is given back between the two reads was taken before the second.
    int64_t live() const {
        uint64_t given = given_.load(std::memory_order_relaxed);
        return static_cast<int64_t>(taken_.load(std::memory_order_relaxed) - given);
    }
    int64_t peak() const { return peak_.load(std::memory_order_relaxed); }
    void reset() {
        base_.store(taken_.load(std::memory_order_relaxed), std::memory_order_relaxed);
        peak_.store(live(), std::memory_order_relaxed);
    }

private:
    std::atomic<uint64_t> taken_{0}, given_{0}, base_{0};
    std::atomic<int64_t> peak_{0};
};

struct counters {
    counter kernels_launched, kernels_compiled, kernels_loaded, cache_hits, interpreted;
    counter run_by_blocks, library_calls, epilogues, plans_built, plans_replayed, bytes_donated;
    counter flushes[flush_reason_count];
    gauge nodes_pending;
    byte_meter bytes;

    void flushed(flush_reason reason) { flushes[static_cast<std::size_t>(reason)].add(); }
};

/// Process-wide, as stats() is.
extern constinit counters count;

}  // namespace sinter::runtime

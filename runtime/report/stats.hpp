// The counters behind sinter::stats(). A thread counts for itself, because an addition to what
// threads share costs as much as a dozen others; reading adds up what all of them have counted.
// Relaxed: each number is right, and together they are a snapshot of no exact moment.
#pragma once

#include <sinter/stats.hpp>

#include <atomic>
#include <cstdint>

namespace sinter::runtime {

/// Rises. One thread at a time adds.
class counter {
public:
    void add(uint64_t n = 1) { set(get() + n); }
    void set(uint64_t n) { value_.store(n, std::memory_order_relaxed); }
    uint64_t get() const { return value_.load(std::memory_order_relaxed); }

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

/// Bytes handed out to a thread and given back by it. What it has not told the others is less than
/// `untold`: the highest number of bytes in use is right but for so much of each running thread.
class byte_meter {
public:
    void taken(uint64_t bytes) {
        total_.add(bytes);
        change(static_cast<int64_t>(bytes));
    }
    void given(uint64_t bytes) { change(-static_cast<int64_t>(bytes)); }

    uint64_t total() const { return total_.get(); }
    int64_t kept_back() const { return kept_back_.load(std::memory_order_relaxed); }
    void tell() noexcept;

private:
    static constexpr int64_t untold = 4096;

    void change(int64_t n) {
        const int64_t now = kept_back() + n;
        kept_back_.store(now, std::memory_order_relaxed);
        if (now >= untold || now <= -untold) tell();
    }
    counter total_;
    std::atomic<int64_t> kept_back_{0};
};

/// What one thread has counted, and those before it that have ended.
struct alignas(64) counters {
    counter kernels_launched, kernels_compiled, kernels_loaded, cache_hits, interpreted;
    counter kernels_specialised, kernels_generalised, host_fallbacks, graph_launches;
    counter run_by_blocks, library_calls, epilogues, plans_built, plans_replayed, bytes_donated;
    counter flushes[flush_reason_count];
    byte_meter bytes;
    std::atomic<bool> in_use{true};  // by a running thread
    counters* next = nullptr;

    void flushed(flush_reason reason) { flushes[static_cast<std::size_t>(reason)].add(); }
};

// Plain and initial-exec for the reasons of magazine.hpp. Null before a thread first counts.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local counters* own_counters;
counters& begin_counting() noexcept;

/// The calling thread's. Process-wide sums are what stats() tells.
inline counters& count() noexcept { return own_counters ? *own_counters : begin_counting(); }

/// Bytes in use by all threads.
int64_t bytes_live() noexcept;

/// Of all threads; under the graph mutex.
extern constinit gauge nodes_pending;

}  // namespace sinter::runtime

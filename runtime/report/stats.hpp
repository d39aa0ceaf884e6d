// The counters of sinter::stats(). Each thread has its own counters, because an addition to shared
// memory costs as much as a dozen others. A reader sums the counters of all threads with relaxed
// loads: each number is valid, but together they are not a consistent snapshot.
#pragma once

#include <sinter/stats.hpp>

#include <atomic>
#include <cstdint>

namespace sinter::runtime {

/// A number that only rises. One thread at a time adds.
class counter {
public:
    void add(uint64_t n = 1) { set(get() + n); }
    void set(uint64_t n) { value_.store(n, std::memory_order_relaxed); }
    uint64_t get() const { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<uint64_t> value_{0};
};

/// A number that rises and falls. Callers ensure that one thread at a time changes it.
class gauge {
public:
    void add(int64_t n) { value_.store(get() + n, std::memory_order_relaxed); }
    int64_t get() const { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<int64_t> value_{0};
};

/// Bytes that a thread has taken and given back. A thread keeps back less than `untold` bytes from
/// the shared sum, so the peak of bytes in use is exact up to that much per running thread.
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

/// The counts of one thread, and of ended threads that used these counters before it.
struct alignas(64) counters {
    counter kernels_launched, kernels_compiled, kernels_loaded, cache_hits, interpreted;
    counter kernels_specialised, kernels_generalised, host_fallbacks, host_waits;
    counter graph_launches;
    counter other_form_launches, base_form_launches;
    counter run_by_blocks, library_calls, epilogues, plans_built, plans_replayed, bytes_donated;
    counter functions_replayed;
    counter flushes[flush_reason_count];
    byte_meter bytes;
    std::atomic<bool> in_use{true};  // by a running thread
    counters* next = nullptr;

    void flushed(flush_reason reason) { flushes[static_cast<std::size_t>(reason)].add(); }
};

// Plain and initial-exec for the reasons in magazine.hpp. Null before a thread first counts.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local counters* own_counters;
counters& begin_counting() noexcept;

/// Returns the counters of the calling thread. stats() returns the sums over all threads.
inline counters& count() noexcept { return own_counters ? *own_counters : begin_counting(); }

/// Returns the bytes in use by all threads.
int64_t bytes_live() noexcept;

/// Pending nodes of all threads; changed under the graph mutex.
extern constinit gauge nodes_pending;

}  // namespace sinter::runtime

// A mutex for sections on hot paths that may wait, allocate or throw: nearly free while the process
// has one thread, and otherwise one atomic operation if uncontended.
#pragma once

#include <sinter/core/reference_count.hpp>

#include <atomic>
#include <cstdint>

namespace sinter::runtime {

class waiting_lock {
public:
    void lock() noexcept {
        if (detail::one_thread()) {
            state_.store(held, std::memory_order_relaxed);
            return;
        }
        uint32_t found = open;
        if (!state_.compare_exchange_strong(found, held, std::memory_order_acquire)) wait();
    }
    void unlock() noexcept {
        if (detail::one_thread())
            state_.store(open, std::memory_order_relaxed);
        else if (state_.exchange(open, std::memory_order_release) == awaited)
            state_.notify_one();
    }

private:
    static constexpr uint32_t open = 0, held = 1, awaited = 2;

    [[gnu::noinline]] void wait() noexcept {
        // A thread that has waited sets `awaited`, because others may still be waiting.
        while (state_.exchange(awaited, std::memory_order_acquire) != open) state_.wait(awaited);
    }
    std::atomic<uint32_t> state_{open};
};

}  // namespace sinter::runtime

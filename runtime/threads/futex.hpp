// Sleeping on a number in memory until another thread changes it: Linux's futex. Unlike
// std::atomic's wait, it neither spins before it sleeps nor shares tables with other waiters.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace sinter::runtime {

/// Sleeps if `at` has the value `expected`, until `futex_wake`. May also return earlier.
inline void futex_wait(std::atomic<uint32_t>& at, uint32_t expected) noexcept {
    syscall(SYS_futex, &at, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

/// Wakes a thread that sleeps on `at`.
inline void futex_wake(std::atomic<uint32_t>& at) noexcept {
    syscall(SYS_futex, &at, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

/// Tells the processor that this thread waits in a loop.
inline void pause_spinning() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory");
#endif
}

}  // namespace sinter::runtime

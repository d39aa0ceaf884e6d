// The waits of the host. What a driver need not have done before one, the emulator has not done.
#pragma once

#include "core/memory/awaited.hpp"

#include <atomic>
#include <cstdint>

namespace gpu_emulator {

/// Returns how many waits have begun.
uint64_t host_waits();
/// Counts a wait that begins.
void host_waits_now();

/// The next wait of the host, which is taken as begun after a while: a host that only asks gets an
/// answer.
class host_wait : public awaited {
public:
    bool is_met() const override { return host_waits() != since_; }
    bool may_be_met() const override { return true; }
    void wait() override;

private:
    const uint64_t since_ = host_waits();
};

/// Says "not ready" to the first questions after work was submitted, until the host waits for
/// anything. A real device is as late as it likes.
class late_answers {
public:
    void submitted();
    /// Returns true if the answer to this question is no, although it could be yes.
    bool denies() { return host_waits() == since_ && asked_++ < most_; }

private:
    std::atomic<int> asked_{0}, most_{0};
    std::atomic<uint64_t> since_{UINT64_MAX};  // nothing was submitted
};

}  // namespace gpu_emulator

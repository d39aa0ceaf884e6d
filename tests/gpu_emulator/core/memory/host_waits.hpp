// The waits of the host. What a driver need not have done before one, the emulator has not done.
#pragma once

#include <atomic>
#include <cstdint>

namespace gpu_emulator {

/// Returns how many waits have begun.
uint64_t host_waits();
/// Counts a wait that begins.
void host_waits_now();

/// Returns after the next wait of the host, or after a while: a host that only asks gets an answer.
/// `since`: host_waits() before.
void until_host_waits(uint64_t since);

/// Says "not ready" to the first questions after work was submitted, until the host waits for
/// anything. A real device is as late as it likes.
class late_answers {
public:
    void submitted() {
        asked_ = 0;
        since_ = host_waits();
    }
    /// Returns true if the answer to this question is no, although it could be yes.
    bool denies() {
        constexpr int most = 3;
        return host_waits() == since_ && asked_++ < most;
    }

private:
    std::atomic<int> asked_{0};
    std::atomic<uint64_t> since_{UINT64_MAX};  // nothing was submitted
};

}  // namespace gpu_emulator

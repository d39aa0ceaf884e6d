// A device: its memory, its streams and its sticky error.
#pragma once

#include "core/memory/device_memory.hpp"
#include "core/memory/stream.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace gpu_emulator {

class device {
public:
    /// Returns true if the system can reserve the addresses; reserves them.
    static bool are_usable();
    static int count();
    static device* get(int number);  // nullptr: there is none

    int number() const { return number_; }
    device_memory& memory() { return memory_; }

    // ---- streams

    const std::shared_ptr<stream>& default_stream() { return default_; }
    std::shared_ptr<stream> make_stream(bool waits_for_default, int priority);
    void forget(const std::shared_ptr<stream>& s);
    /// Submits in the order of the default stream: it and the streams that wait for it take turns.
    stream::position submit(const std::shared_ptr<stream>& s, std::function<void()> task,
                            awaited_list before = {});
    void finish();

    // ---- the sticky error: every call fails with it until it is cleared

    int error() const { return error_; }
    void fail(int code) {
        int none = 0;
        error_.compare_exchange_strong(none, code);
    }
    void forgive() { error_ = 0; }

    // ---- peers

    bool may_access(int peer) const { return peers_[static_cast<std::size_t>(peer)]; }
    bool open_peer(int peer) { return !peers_[static_cast<std::size_t>(peer)].exchange(true); }

private:
    explicit device(int number);
    static std::vector<device*>& all();

    const int number_;
    device_memory memory_;
    std::mutex mutex_;
    std::shared_ptr<stream> default_;
    std::vector<std::shared_ptr<stream>> streams_;
    std::atomic<int> error_{0};
    std::vector<std::atomic<bool>> peers_;
};

/// Returns the device that owns the address, or nullptr.
device* device_of(uintptr_t address);

}  // namespace gpu_emulator

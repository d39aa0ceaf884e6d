// One task at a time, of all streams, in an order that a seed chooses among those that are legal.
#pragma once

#include "core/memory/stream.hpp"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

namespace gpu_emulator {

/// Nothing runs before the host waits or asks. Then tasks run until what it waits for is done: of
/// streams whose next task is ready one with the highest priority, three times of four, and among
/// those the one with the highest rank. A stream's rank is random and changes at times, so that one
/// stream is far ahead of the others. With one thread of the host, the order depends on its calls
/// and the seed alone.
class turns {
public:
    /// Returns null if streams run by themselves, each on its thread.
    static turns* get();

    /// The stream has got a task.
    void submitted(const std::shared_ptr<stream>& s);
    /// Runs tasks until `done`. The host waits meanwhile.
    void run_until(const std::function<bool()>& done);
    /// Runs a task at times: the host asks for something.
    void asked();
    /// Returns a random number below `limit`.
    uint64_t draw(uint64_t limit);

private:
    explicit turns(uint64_t seed) : random_(seed) {}

    struct waiting {
        std::shared_ptr<stream> of;
        uint64_t rank;
    };
    /// Returns the stream whose task is next. `eager`: what may be met counts as met.
    std::shared_ptr<stream> choose(bool eager);
    bool step(std::unique_lock<std::mutex>& lock, bool eager);
    void work();

    std::mutex mutex_;
    std::condition_variable changed_, handed_;
    std::vector<waiting> streams_;  // those with tasks
    std::mt19937_64 random_;
    bool running_ = false, started_ = false;
    std::shared_ptr<stream> next_;  // for the thread that runs tasks
    int fruitless_ = 0;             // questions since a task could run
};

}  // namespace gpu_emulator

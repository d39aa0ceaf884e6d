// A queue of tasks and the thread that runs them one after another.
#pragma once

#include "core/memory/host_waits.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace gpu_emulator {

class stream : public std::enable_shared_from_this<stream> {
public:
    stream(int device, bool waits_for_default, int priority);
    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;

    int device() const { return device_; }
    bool waits_for_default() const { return waits_for_default_; }
    int priority() const { return priority_; }

    using position = uint64_t;  // number of tasks
    using places = std::vector<std::pair<std::shared_ptr<stream>, position>>;

    /// Appends a task that waits for all of `before`.
    position submit(std::function<void()> task, places before = {});
    position last() const;
    bool has_finished(position p) const { return finished_ >= p; }
    void finish(position p);
    void finish() { finish(last()); }

    /// Questions whether the last task has finished.
    late_answers& answers() { return answers_; }

    /// The thread ends after the last task.
    void close();

private:
    struct entry {
        std::function<void()> task;
        places before;
    };
    void work();

    const int device_;
    const bool waits_for_default_;
    const int priority_;
    mutable std::mutex mutex_;
    std::condition_variable arrival_, progress_;
    std::deque<entry> queue_;
    position submitted_ = 0;
    std::atomic<position> finished_{0};
    bool closed_ = false, started_ = false;
    std::mt19937_64 random_;
    late_answers answers_;
};

}  // namespace gpu_emulator

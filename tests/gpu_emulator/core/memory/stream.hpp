// A queue of tasks that run one after another: on a thread of its own, or in turns with those of
// other streams.
#pragma once

#include "core/memory/awaited.hpp"
#include "core/memory/host_waits.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <random>

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

    /// Appends a task that waits for all of `before`.
    position submit(std::function<void()> task, awaited_list before = {});
    position last() const;
    bool has_finished(position p) const { return finished_ >= p; }
    /// The calling thread is the host's, or another stream's.
    void finish(position p);
    void finish() { finish(last()); }
    /// Returns the end of the tasks up to `p`, for other streams to wait for.
    std::shared_ptr<awaited> end_of(position p);

    /// Questions whether the last task has finished.
    late_answers& answers() { return answers_; }

    /// The thread ends after the last task.
    void close();

    // ---- for turns

    bool has_tasks() const;
    /// Returns true if the next task need not wait. `eager`: what may be met counts as met.
    bool is_ready(bool eager) const;
    /// Returns whether more tasks are left.
    bool run_next();

private:
    struct entry {
        std::function<void()> task;
        awaited_list before;
    };
    entry take();
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

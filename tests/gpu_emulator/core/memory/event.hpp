// A mark in a stream.
#pragma once

#include "core/memory/awaited.hpp"
#include "core/memory/host_waits.hpp"
#include "core/memory/turns.hpp"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

namespace gpu_emulator {

/// One recording of an event, reached when its stream gets there.
class mark : public awaited {
public:
    using clock = std::chrono::steady_clock;

    mark() { answers_.submitted(); }
    void reach() {
        const std::lock_guard lock(mutex_);
        at_ = clock::now();
        reached_ = true;
        changed_.notify_all();
    }
    /// Questions whether it is reached.
    late_answers& answers() { return answers_; }
    bool is_met() const override {
        const std::lock_guard lock(mutex_);
        return reached_;
    }
    void wait() override {
        if (turns::get()) return turns::get()->run_until([this] { return is_met(); });
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return reached_; });
    }
    clock::time_point at() const {
        const std::lock_guard lock(mutex_);
        return at_;
    }

private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    bool reached_ = false;
    clock::time_point at_;
    late_answers answers_;
};

class event {
public:
    event(int device, bool timed) : device_(device), timed_(timed) {}
    int device() const { return device_; }
    bool is_timed() const { return timed_; }

    std::shared_ptr<mark> recorded() const {
        const std::lock_guard lock(mutex_);
        return mark_;
    }
    void record(std::shared_ptr<mark> m) {
        const std::lock_guard lock(mutex_);
        mark_ = std::move(m);
    }

private:
    const int device_;
    const bool timed_;
    mutable std::mutex mutex_;
    std::shared_ptr<mark> mark_;  // none: never recorded
};

}  // namespace gpu_emulator

#include "core/memory/stream.hpp"

#include "core/base/settings.hpp"

#include <cfenv>
#include <chrono>

namespace gpu_emulator {

stream::stream(int device, bool waits_for_default, int priority)
    : device_(device), waits_for_default_(waits_for_default), priority_(priority) {
    static std::atomic<uint64_t> count{0};
    random_.seed(environment().delay + ++count);
}

stream::position stream::submit(std::function<void()> task, places before) {
    const std::lock_guard lock(mutex_);
    queue_.push_back({std::move(task), std::move(before)});
    if (!started_) {
        started_ = true;
        std::thread([self = shared_from_this()] { self->work(); }).detach();
    }
    arrival_.notify_one();
    answers_.submitted();
    return ++submitted_;
}

stream::position stream::last() const {
    const std::lock_guard lock(mutex_);
    return submitted_;
}

void stream::finish(position p) {
    if (finished_ >= p) return;
    std::unique_lock lock(mutex_);
    progress_.wait(lock, [&] { return finished_ >= p; });
}

void stream::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    arrival_.notify_one();
}

void stream::work() {
    // The submitting thread may use another rounding or flush mode.
    std::fesetenv(FE_DFL_ENV);
    std::unique_lock lock(mutex_);
    for (;;) {
        arrival_.wait(lock, [&] { return !queue_.empty() || closed_; });
        if (queue_.empty()) return;
        entry next = std::move(queue_.front());
        queue_.pop_front();
        lock.unlock();
        for (const auto& [other, place] : next.before) other->finish(place);
        if (environment().delay && random_() % 4 == 0)
            std::this_thread::sleep_for(std::chrono::microseconds(random_() % 2000));
        next.task();
        next = {};
        lock.lock();
        ++finished_;
        progress_.notify_all();
    }
}

}  // namespace gpu_emulator

#include "core/memory/stream.hpp"

#include "core/base/settings.hpp"
#include "core/memory/turns.hpp"

#include <algorithm>
#include <cfenv>
#include <chrono>
#include <thread>

namespace gpu_emulator {
namespace {

class end_of_tasks : public awaited {
public:
    end_of_tasks(std::shared_ptr<stream> of, stream::position at) : of_(std::move(of)), at_(at) {}
    bool is_met() const override { return of_->has_finished(at_); }
    void wait() override { of_->finish(at_); }

private:
    const std::shared_ptr<stream> of_;
    const stream::position at_;
};

}  // namespace

stream::stream(int device, bool waits_for_default, int priority)
    : device_(device), waits_for_default_(waits_for_default), priority_(priority) {
    static std::atomic<uint64_t> count{0};
    random_.seed(environment().delay + ++count);
}

stream::position stream::submit(std::function<void()> task, awaited_list before) {
    answers_.submitted();
    position at;
    {
        const std::lock_guard lock(mutex_);
        queue_.push_back({std::move(task), std::move(before)});
        at = ++submitted_;
        if (!turns::get() && !started_) {
            started_ = true;
            std::thread([self = shared_from_this()] { self->work(); }).detach();
        }
        arrival_.notify_one();
    }
    if (turns::get()) turns::get()->submitted(shared_from_this());
    return at;
}

stream::position stream::last() const {
    const std::lock_guard lock(mutex_);
    return submitted_;
}

void stream::finish(position p) {
    if (finished_ >= p) return;
    if (turns::get()) return turns::get()->run_until([&] { return finished_ >= p; });
    std::unique_lock lock(mutex_);
    progress_.wait(lock, [&] { return finished_ >= p; });
}

std::shared_ptr<awaited> stream::end_of(position p) {
    return std::make_shared<end_of_tasks>(shared_from_this(), p);
}

void stream::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    arrival_.notify_one();
}

bool stream::has_tasks() const {
    const std::lock_guard lock(mutex_);
    return !queue_.empty();
}

bool stream::is_ready(bool eager) const {
    const std::lock_guard lock(mutex_);
    if (queue_.empty()) return false;
    const awaited_list& before = queue_.front().before;
    return std::all_of(before.begin(), before.end(), [&](const auto& each) {
        return eager ? each->may_be_met() : each->is_met();
    });
}

stream::entry stream::take() {
    entry next = std::move(queue_.front());
    queue_.pop_front();
    return next;
}

bool stream::run_next() {
    entry next = [&] {
        const std::lock_guard lock(mutex_);
        return take();
    }();
    next.task();
    next = {};
    const std::lock_guard lock(mutex_);
    ++finished_;
    return !queue_.empty();
}

void stream::work() {
    // The submitting thread may use another rounding or flush mode.
    std::fesetenv(FE_DFL_ENV);
    std::unique_lock lock(mutex_);
    for (;;) {
        arrival_.wait(lock, [&] { return !queue_.empty() || closed_; });
        if (queue_.empty()) return;
        entry next = take();
        lock.unlock();
        for (const auto& each : next.before) each->wait();
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

#include "core/memory/turns.hpp"

#include "core/base/settings.hpp"

#include <algorithm>
#include <cfenv>
#include <thread>

namespace gpu_emulator {

turns* turns::get() {
    // Leaked, because threads outlive the exit handlers.
    static turns* const made = environment().seed ? new turns(environment().seed) : nullptr;
    return made;
}

void turns::submitted(const std::shared_ptr<stream>& s) {
    const std::lock_guard lock(mutex_);
    const bool known =
        std::any_of(streams_.begin(), streams_.end(), [&](const waiting& w) { return w.of == s; });
    if (!known) streams_.push_back({s, random_()});
    changed_.notify_all();  // another thread may wait for it
}

std::shared_ptr<stream> turns::choose(bool eager) {
    std::vector<waiting*> ready;
    for (waiting& w : streams_)
        if (w.of->is_ready(eager)) ready.push_back(&w);
    if (ready.empty()) return nullptr;
    if (random_() % 4 != 0) {
        // Greater numbers are lower priorities.
        int highest = ready.front()->of->priority();
        for (const waiting* w : ready) highest = std::min(highest, w->of->priority());
        std::erase_if(ready, [&](const waiting* w) { return w->of->priority() != highest; });
    }
    waiting& next =
        **std::max_element(ready.begin(), ready.end(),
                           [](const waiting* a, const waiting* b) { return a->rank < b->rank; });
    if (random_() % 8 == 0) next.rank = random_();
    return next.of;
}

/// Runs one task, on a thread that has none of the host's locks and modes. Returns false if none
/// is ready.
bool turns::step(std::unique_lock<std::mutex>& lock, bool eager) {
    const std::shared_ptr<stream> s = choose(eager);
    if (!s) return false;
    if (!started_) {
        started_ = true;
        std::thread([this] { work(); }).detach();
    }
    running_ = true;
    fruitless_ = 0;
    next_ = s;
    handed_.notify_one();
    changed_.wait(lock, [&] { return !running_; });
    return true;
}

void turns::work() {
    std::fesetenv(FE_DFL_ENV);
    std::unique_lock lock(mutex_);
    for (;;) {
        handed_.wait(lock, [&] { return next_ != nullptr; });
        const std::shared_ptr<stream> s = std::move(next_);
        next_ = nullptr;
        lock.unlock();
        const bool more = s->run_next();
        lock.lock();
        if (!more)
            std::erase_if(streams_,
                          [&](const waiting& w) { return w.of == s && !w.of->has_tasks(); });
        running_ = false;
        changed_.notify_all();
    }
}

void turns::run_until(const std::function<bool()>& done) {
    std::unique_lock lock(mutex_);
    while (!done()) {
        // Of several waiting threads of the host one at a time runs tasks. Where nothing is ready,
        // another thread has still to submit what is waited for.
        if (running_ || (!step(lock, false) && !step(lock, true))) changed_.wait(lock);
    }
}

void turns::asked() {
    constexpr int patience = 4;
    std::unique_lock lock(mutex_);
    if (running_ || random_() % 2 == 0) return;
    // A host that only asks gets an answer in the end.
    if (!step(lock, false) && ++fruitless_ > patience) step(lock, true);
}

uint64_t turns::draw(uint64_t limit) {
    const std::lock_guard lock(mutex_);
    return random_() % limit;
}

}  // namespace gpu_emulator

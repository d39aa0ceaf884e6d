#include "core/memory/host_waits.hpp"

#include "core/memory/turns.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace gpu_emulator {
namespace {

struct all_waits {
    std::mutex mutex;
    std::condition_variable more;
    uint64_t begun = 0;
};
all_waits& waits() {
    static all_waits& w = *new all_waits;  // streams outlive the exit handlers
    return w;
}

}  // namespace

uint64_t host_waits() {
    const std::lock_guard lock(waits().mutex);
    return waits().begun;
}

void host_waits_now() {
    const std::lock_guard lock(waits().mutex);
    ++waits().begun;
    waits().more.notify_all();
}

void host_wait::wait() {
    constexpr std::chrono::milliseconds longest(20);
    std::unique_lock lock(waits().mutex);
    waits().more.wait_for(lock, longest, [&] { return waits().begun != since_; });
}

void late_answers::submitted() {
    constexpr int usual = 3, most_in_turns = 20;
    most_ = turns::get() ? static_cast<int>(turns::get()->draw(most_in_turns)) : usual;
    asked_ = 0;
    since_ = host_waits();
}

}  // namespace gpu_emulator

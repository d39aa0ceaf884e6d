#include "jit/graph/claim.hpp"

#include "runtime/pool.hpp"

#include <condition_variable>

#include <pthread.h>

namespace sinter::inline v1 {
namespace {

struct running_flushes {
    int count = 0;
    bool alone = false;
    int waiting = 0;
    std::condition_variable_any changed;
};

running_flushes& running() {
    static auto* r =
        new running_flushes;  // leaked: other threads may flush while the process exits
    return *r;
}

}  // namespace

bool enter_flush(bool alone) {
    running_flushes& r = running();
    if (r.alone || (alone && r.count > 0)) return false;
    ++r.count;
    r.alone = alone;
    return true;
}

bool may_enter_flush() { return !running().alone; }

void leave_flush() {
    running_flushes& r = running();
    --r.count;
    r.alone = false;
    if (r.waiting) r.changed.notify_all();
}

void wait_for_claims(std::unique_lock<runtime::waiting_lock>& graph_lock) {
    running_flushes& r = running();
    ++r.waiting;
    r.changed.wait(graph_lock);
    --r.waiting;
}

void settle_before_forks() {
    // Handlers run in the reverse order of registration: ours before the pool's, whose lock the
    // flushes that we wait for need.
    runtime::pool_enabled();
    pthread_atfork(
        [] {
            std::unique_lock lock(graph_mutex());
            while (running().count > 0) wait_for_claims(lock);
            lock.release();
            home_lock().lock();
        },
        [] {
            home_lock().unlock();
            graph_mutex().unlock();
        },
        [] {
            home_lock().unlock();
            graph_mutex().unlock();
        });
}

}  // namespace sinter::inline v1

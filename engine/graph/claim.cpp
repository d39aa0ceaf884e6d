#include "engine/graph/claim.hpp"

#include "runtime/base/fork.hpp"

#include <condition_variable>

namespace sinter::inline v1 {

constinit flush_bars bars{};

namespace {

struct running_flushes {
    int count = 0;
    int waiting = 0;
    std::condition_variable_any changed;
};

/// Leaked: other threads may flush while the process exits. A forked child gets a new one, because
/// threads that waited during the fork leave the condition variable unusable.
running_flushes*& place_of_running() {
    static auto* r = new running_flushes;
    return r;
}
running_flushes& running() { return *place_of_running(); }

/// Flushes entered by this thread. More than 0 if a fork happens inside one, as in a deleter.
[[gnu::tls_model("initial-exec")]] constinit thread_local int own = 0;

/// Before a fork: waits for the flushes of other threads, which the child could not finish.
void wait_until_none_runs() {
    running_flushes& r = running();
    std::unique_lock lock(graph_mutex());
    bars.forking = true;
    while (r.count > own) wait_for_claims(lock);
    lock.release();
}

void go_on() {
    bars.forking = false;
    notify_of_claims();
    graph_mutex().unlock();
}

void begin_in_child() {
    auto* fresh = new running_flushes;
    fresh->count = own;
    bars.forking = false;
    place_of_running() = fresh;
    // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): the old one stays, see above
    graph_mutex().unlock();
}

[[maybe_unused]] const runtime::at_fork flushes_at_fork((static_cast<void>(running()),
                                                         runtime::fork_order::flushes),
                                                        wait_until_none_runs, go_on,
                                                        begin_in_child);
[[maybe_unused]] const runtime::held_at_fork<home_lock> links_at_fork(runtime::fork_order::links);

}  // namespace

bool enter_flush(bool alone) {
    running_flushes& r = running();
    if (!may_enter_flush() || (alone && r.count > 0)) return false;
    ++r.count;
    ++own;
    bars.alone = alone;
    return true;
}

void notify_of_claims() {
    if (running().waiting) running().changed.notify_all();
}

void leave_flush() {
    running_flushes& r = running();
    --r.count;
    --own;
    bars.alone = false;
    notify_of_claims();
}

void wait_for_claims(std::unique_lock<runtime::waiting_lock>& graph_lock) {
    running_flushes& r = running();
    ++r.waiting;
    r.changed.wait(graph_lock);
    --r.waiting;
}

}  // namespace sinter::inline v1

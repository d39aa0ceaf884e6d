#include "runtime/background.hpp"

#include "runtime/threads.hpp"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>

namespace sinter::runtime {
namespace {

struct worker {
    std::mutex running;  // held while a job runs, and for good at the end
    std::mutex mutex;    // of what follows; whoever takes both takes it second
    std::condition_variable changed;
    std::deque<std::function<void()>> jobs;  // the first one is running
    bool started = false;
};

// Process-wide, as the thread is. Leaked, as the thread may outlive main; a forked child has
// another one, for the thread did not survive and its waiting left the old one unusable.
std::atomic<worker*> current{nullptr};
std::atomic<int> unfinished{0};  // jobs of the current worker
std::atomic<bool> ended{false};
std::atomic<bool> loaded{false};  // a job is done: its libraries are there

// ---- the end

void end_for_good() {
    if (ended.exchange(true)) return;
    worker& w = *current;
    w.running.lock();
    std::lock_guard lock(w.mutex);
    w.changed.notify_all();  // whoever waits for what will not be
}

/// Destructors of what a job is making may be registered before it is done. Those of a thread's own
/// variables run before any of them, if it is that thread that exits.
struct thread_end {
    ~thread_end() {
        if (getpid() == gettid()) {
            end_for_good();
        } else if (!loaded && !ended) {  // it may be but a thread that ends: wait for no more
            std::lock_guard wait(current.load()->running);
        }
    }
};

std::atomic<bool> idle{true};

void lower_priority() {
    if (!idle) return;
    sched_param none{};
    if (sched_setscheduler(0, SCHED_IDLE, &none) != 0)
        setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 19);
}

void work(worker& w) {
    lower_priority();
    for (;;) {
        std::unique_lock lock(w.mutex);
        w.changed.wait(lock, [&w] { return !w.jobs.empty(); });
        std::function<void()>& job = w.jobs.front();  // a deque moves nothing when it grows
        lock.unlock();
        {
            std::lock_guard run(w.running);
            job();
            job = nullptr;
        }
        loaded = true;
        end_background_before_now();
        lock.lock();
        w.jobs.pop_front();
        unfinished.fetch_sub(1, std::memory_order_release);
        w.changed.notify_all();
    }
}

// ---- fork

void before_fork() {
    if (ended) return;
    worker& w = *current;
    w.running.lock();
    w.mutex.lock();
}

void in_parent() {
    if (ended) return;
    worker& w = *current;
    w.mutex.unlock();
    w.running.unlock();
}

void in_child() {
    current = new worker;
    unfinished = 0;
    ended = false;
}

worker& the_worker() {
    static std::once_flag once;
    std::call_once(once, [] {
        current = new worker;
        pthread_atfork(before_fork, in_parent, in_child);
        std::atexit(end_for_good);
        on_synchronize(wait_for_background);
    });
    return *current;
}

void start(worker& w) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the program's own threads
    try {
        std::thread([&w] { work(w); }).detach();
        w.started = true;
    } catch (...) {
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        throw;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

void run_in_background(std::function<void()> job) {
    worker& w = the_worker();
    thread_local const thread_end end;
    (void)end;
    std::lock_guard lock(w.mutex);
    if (ended) return;
    if (!w.started) start(w);
    w.jobs.push_back(std::move(job));
    unfinished.fetch_add(1, std::memory_order_relaxed);
    w.changed.notify_all();
}

void set_background_idle(bool value) { idle = value; }

void wait_for_background() {
    worker* w = current;
    if (!w) return;
    std::unique_lock lock(w->mutex);
    w->changed.wait(lock, [w] { return w->jobs.empty() || ended; });
}

void end_background_before_now() {
    if (current.load()) std::atexit(end_for_good);
}

bool background_busy() { return unfinished.load(std::memory_order_acquire) > 0; }

}  // namespace sinter::runtime

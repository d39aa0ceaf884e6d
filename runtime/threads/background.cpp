#include "runtime/threads/background.hpp"

#include "runtime/base/fork.hpp"
#include "runtime/threads/quiet_thread.hpp"
#include "runtime/threads/threads.hpp"

#include <pthread.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <list>
#include <mutex>
#include <utility>

namespace sinter::runtime {
namespace {

using nanoseconds = std::chrono::nanoseconds;

struct entry {
    background_job job;
    int running = 0;  // threads
    bool done = false;
};
using job_list = std::list<entry>;

/// Returns the CPU time of a thread so far.
nanoseconds processor_time(clockid_t clock) {
    timespec t{};
    if (clock_gettime(clock, &t) != 0) return nanoseconds::max();  // unknown: counts as not starved
    return std::chrono::seconds(t.tv_sec) + nanoseconds(t.tv_nsec);
}
nanoseconds now() { return std::chrono::steady_clock::now().time_since_epoch(); }

struct workers {
    std::mutex mutex;  // guards all members
    std::condition_variable changed;
    job_list jobs;    // unfinished jobs, and finished ones that another thread is still repeating
    int running = 0;  // threads inside a job
    bool started = false, raised = false;
    // The first thread: the start of its current busy period, and its CPU time at that moment.
    clockid_t clock{};
    bool busy = false;
    nanoseconds busy_since{}, time_before{};
};

// Process-wide, as the threads are. Leaked, as the threads may outlive main. A forked child gets
// new ones: the threads do not exist there, and their waiting left the old condition variable
// unusable.
workers*& place_of_current() {
    static auto* w = new workers;
    return w;
}
workers& current() { return *place_of_current(); }

std::atomic<int> unfinished{0};  // jobs of the current workers
std::atomic<bool> ended{false};
std::atomic<bool> loaded{false};  // true once a job is done, so its libraries are loaded
std::atomic<bool> low{true};
std::atomic<nanoseconds::rep> patience{100'000'000};

// ---- the end

void wait_until_none_runs(workers& w, std::unique_lock<std::mutex>& lock) {
    w.changed.wait(lock, [&w] { return w.running == 0; });
}

void end_for_good() {
    if (ended.exchange(true)) return;
    workers& w = current();
    std::unique_lock lock(w.mutex);
    wait_until_none_runs(w, lock);
    w.changed.notify_all();  // wakes threads that wait for jobs that will never run
}

/// Ends the background work when the main thread exits. A running job may already have registered
/// destructors; those of thread_local variables of the exiting thread run before them.
struct thread_end {
    ~thread_end() {
        if (getpid() == gettid()) {
            end_for_good();
        } else if (!loaded &&
                   !ended) {  // perhaps only this thread ends: wait for running jobs only
            std::unique_lock lock(current().mutex);
            wait_until_none_runs(current(), lock);
        }
    }
};

// ---- the threads

void lower_priority() {
    constexpr int lower_by = 10, lowest = 19;
    const auto self = static_cast<id_t>(gettid());
    setpriority(PRIO_PROCESS, self, std::min(getpriority(PRIO_PROCESS, self) + lower_by, lowest));
}

uint64_t wanted(const entry& e) { return e.job.wanted ? e.job.wanted() : UINT64_MAX; }

/// Returns the next job, or `end`. The raised thread may repeat the job of the first one.
job_list::iterator next_job(workers& w, bool raised) {
    auto best = w.jobs.end();
    uint64_t most = 0;
    for (auto it = w.jobs.begin(); it != w.jobs.end(); ++it) {
        const bool open =
            !it->done && (it->running == 0 || (raised && it->running == 1 && it->job.repeatable));
        if (!open) continue;
        const uint64_t here = wanted(*it);
        if (best != w.jobs.end() && here <= most) continue;
        best = it;
        most = here;
    }
    return best;
}

void run_job(workers& w, job_list::iterator it, std::unique_lock<std::mutex>& lock) {
    ++it->running;
    ++w.running;
    lock.unlock();
    it->job.run();
    loaded = true;
    end_background_before_now();
    lock.lock();
    --w.running;
    --it->running;
    if (!std::exchange(it->done, true)) unfinished.fetch_sub(1, std::memory_order_release);
    background_job finished;  // destroyed without the lock
    if (it->running == 0) {
        finished = std::move(it->job);
        w.jobs.erase(it);
    }
    w.changed.notify_all();
    lock.unlock();
    finished = {};
    lock.lock();
}

void work(workers& w) {
    std::unique_lock lock(w.mutex);
    pthread_getcpuclockid(pthread_self(), &w.clock);
    for (int jobs = 0;;) {
        const auto it = next_job(w, false);
        if (it == w.jobs.end() || ended) {
            w.busy = false;
            w.changed.wait(lock);
            continue;
        }
        if (jobs++ == 1 && low) lower_priority();
        if (!w.busy) {
            w.busy = true;
            w.busy_since = now();
            w.time_before = processor_time(w.clock);
        }
        run_job(w, it, lock);
    }
}

void work_raised(workers& w) {
    std::unique_lock lock(w.mutex);
    for (auto it = next_job(w, true); it != w.jobs.end() && !ended; it = next_job(w, true))
        run_job(w, it, lock);
    w.raised = false;
    w.changed.notify_all();
}

bool starved(const workers& w) {
    if (!w.busy) return false;
    const nanoseconds had = processor_time(w.clock) - w.time_before;
    return now() - w.busy_since - had >= nanoseconds(patience.load(std::memory_order_relaxed));
}

void start(workers& w, void (*what)(workers&)) {
    start_quiet_thread([&w, what] { what(w); });
}

/// Under the lock.
void raise_if_starved(workers& w) noexcept {
    if (w.raised || !low || ended || !starved(w)) return;
    w.raised = true;
    try {
        start(w, work_raised);
    } catch (const std::exception&) {  // no thread or memory: the first one continues alone
        w.raised = false;
    }
}

// ---- fork

bool held_by_fork = false;  // fork handlers do not run concurrently

void before_fork() {
    held_by_fork = !ended;
    if (!held_by_fork) return;
    std::unique_lock lock(current().mutex);
    wait_until_none_runs(current(), lock);
    lock.release();
}

void in_parent() {
    if (std::exchange(held_by_fork, false)) current().mutex.unlock();
}

void in_child() {
    held_by_fork = false;
    place_of_current() = new workers;
    // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): the old ones stay, see above
    unfinished = 0;
    ended = false;
}

[[maybe_unused]] const at_fork background_at_fork((static_cast<void>(current()),
                                                   fork_order::background),
                                                  before_fork, in_parent, in_child);

void prepare() {
    static constinit std::atomic<const bool*> made{nullptr};
    made_once(made, [] {
        std::atexit(end_for_good);
        on_synchronize(wait_for_background);
        return new const bool(true);
    });
}

}  // namespace

void run_in_background(background_job job) {
    prepare();
    thread_local const thread_end end;
    (void)end;
    workers& w = current();
    std::lock_guard lock(w.mutex);
    if (ended) return;
    if (!w.started) start(w, work);
    w.started = true;
    w.jobs.push_back({std::move(job)});
    unfinished.fetch_add(1, std::memory_order_relaxed);
    w.changed.notify_all();
}

void set_background_low(bool value) { low = value; }

void set_background_patience(nanoseconds most) { patience = most.count(); }

void background_is_wanted() noexcept {
    if (!background_busy()) return;
    workers& w = current();
    const std::unique_lock lock(w.mutex, std::try_to_lock);
    if (lock) raise_if_starved(w);
}

void wait_for_background() {
    workers& w = current();
    std::unique_lock lock(w.mutex);
    // Also waits for the raised thread: it would take later jobs, which then could not be repeated.
    const auto done = [&w] { return (!background_busy() && !w.raised) || ended; };
    while (!w.changed.wait_for(lock, std::chrono::milliseconds(10), done)) raise_if_starved(w);
}

void end_background_before_now() { std::atexit(end_for_good); }

bool background_busy() { return unfinished.load(std::memory_order_acquire) > 0; }

}  // namespace sinter::runtime

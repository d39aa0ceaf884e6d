#include "runtime/threads/threads.hpp"

#include "runtime/base/device.hpp"
#include "runtime/base/environment.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/base/fork.hpp"
#include "runtime/threads/background.hpp"
#include "runtime/threads/openmp.hpp"
#include "runtime/threads/team.hpp"

#include <sinter/error.hpp>

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

namespace sinter::runtime {
namespace {

// Process-wide: the count is the user's setting, and the token and the fork flag are properties of
// the process.
std::atomic<int> thread_count{0};  // 0: not yet decided
std::atomic<bool> token_taken{false};
std::atomic<bool> forked{false};

// No thread of a team survives fork: ours is made again, OpenMP hangs in the child. Registered when
// the library is loaded, because the parent may have used OpenMP before its first use of Sinter.
[[maybe_unused]] const int fork_registered = pthread_atfork(nullptr, nullptr, [] {
    forked.store(true, std::memory_order_relaxed);
    token_taken.store(false, std::memory_order_relaxed);  // perhaps by a thread that is not here
    forget_team();
});

class token {
public:
    token() : owned_(!token_taken.exchange(true, std::memory_order_acquire)) {}
    ~token() {
        if (owned_) token_taken.store(false, std::memory_order_release);
    }
    token(const token&) = delete;
    token& operator=(const token&) = delete;
    explicit operator bool() const { return owned_; }

private:
    bool owned_;
};

int initial_count() {
    const int64_t wanted = environment().num_threads;
    if (wanted > 0) return static_cast<int>(std::min<int64_t>(wanted, max_threads));
    return std::clamp(openmp_threads(processors()), 1, max_threads);
}

std::atomic<int> interop_count{1};

/// Returns true if OpenMP runs loops, by the user's wish.
bool loops_by_openmp() {
    if (environment().threads == threads_choice::team) return false;
    if (!have_openmp)
        fail<ValueError>("SINTER_THREADS", "the library is built without OpenMP", "openmp", "team",
                         "leaving it unset");
    return true;
}

bool parallelism_excluded() {
    return in_team() || in_openmp_region() ||
           (loops_by_openmp() && forked.load(std::memory_order_relaxed));
}

/// Returns how many threads a loop may use now. While kernels are compiled and the program's
/// threads would take all processors, one is left to the compiler: a loop that ends when its last
/// thread does would wait for several time slices of the scheduler, often longer than it runs.
int threads_now() {
    const int all = get_num_threads();
    if (all == 1 || !background_busy()) return all;
    return all >= processors() ? all - 1 : all;
}

/// Returns into how many chunks a loop is cut. More chunks than threads leave little to wait for
/// where a helper comes late. Every thread gets equally many, since one chunk more would take
/// longer than larger chunks do.
int64_t chunks_of(int64_t ranges, int workers) {
    constexpr int64_t chunks_per_thread = 4;
    return std::min(ranges / workers, chunks_per_thread) * workers;
}

struct loop {
    int64_t begin, count;
    range_fn fn;
    void* context;
    std::mutex mutex{};
    int64_t failed = std::numeric_limits<int64_t>::max();  // the lowest range that threw
    std::exception_ptr error{};
};

void run_range(void* context, int64_t begin, int64_t end) {
    auto& l = *static_cast<loop*>(context);
    try {
        l.fn(l.context, begin, end);
    } catch (...) {
        std::lock_guard lock(l.mutex);
        if (begin < l.failed) {
            l.failed = begin;
            l.error = std::current_exception();
        }
    }
}

void run_worker(void* context, int worker, int workers) {
    const auto& l = *static_cast<const loop*>(context);
    const int64_t quotient = l.count / workers, rest = l.count % workers;
    const int64_t begin = l.begin + worker * quotient + std::min<int64_t>(worker, rest);
    const int64_t end = begin + quotient + (worker < rest ? 1 : 0);
    if (begin < end) run_range(context, begin, end);
}

std::atomic<bool> deterministic{false};

struct waiters {
    std::mutex mutex;
    std::vector<std::function<void()>> list;
};

waiters& all_waiters() {
    static auto* w = new waiters;  // leaked: synchronize() is valid until the process ends
    return *w;
}
std::mutex& waiters_lock() { return all_waiters().mutex; }
[[maybe_unused]] const held_at_fork<waiters_lock> waiters_at_fork(fork_order::waiters);

}  // namespace

void parallel_for_ranges(int64_t begin, int64_t end, int64_t grain, range_fn fn, void* context) {
    if (begin >= end) return;
    int64_t count = end - begin;
    int64_t ranges = count / std::max<int64_t>(grain, 1);
    if (ranges >= 2 && !parallelism_excluded()) {
        auto workers = static_cast<int>(std::min<int64_t>(threads_now(), ranges));
        if (workers > 1) {
            if (token t; t) {
                loop l{.begin = begin, .count = count, .fn = fn, .context = context};
                if (loops_by_openmp())
                    openmp_run(workers, run_worker, &l);
                else
                    run_on_team({.fn = run_range,
                                 .context = &l,
                                 .begin = begin,
                                 .count = count,
                                 .chunks = chunks_of(ranges, workers),
                                 .shares = workers});
                if (l.error) std::rethrow_exception(l.error);
                return;
            }
        }
    }
    fn(context, begin, end);
}

int available_threads() { return parallelism_excluded() ? 1 : threads_now(); }

bool in_forked_child() { return forked.load(std::memory_order_relaxed); }

void on_synchronize(std::function<void()> wait) {
    waiters& w = all_waiters();
    std::lock_guard lock(w.mutex);
    w.list.push_back(std::move(wait));
}

}  // namespace sinter::runtime

namespace sinter::inline v1 {

void set_num_threads(int count) {
    if (count < 1)
        runtime::fail<ValueError>("set_num_threads", "the number of threads is not positive",
                                  runtime::text(count), "1 or more",
                                  "std::thread::hardware_concurrency()");
    runtime::thread_count.store(std::min(count, runtime::max_threads), std::memory_order_relaxed);
}

int get_num_threads() {
    int n = runtime::thread_count.load(std::memory_order_relaxed);
    if (n == 0) {
        // The exchange keeps a count that another thread has set meanwhile.
        int decided = runtime::initial_count();
        if (runtime::thread_count.compare_exchange_strong(n, decided, std::memory_order_relaxed))
            n = decided;
    }
    return n;
}

void set_num_interop_threads(int count) {
    if (count < 1)
        runtime::fail("set_num_interop_threads", "Expected positive number of threads",
                      runtime::text(count), "1 or more", "1");
    runtime::interop_count.store(count, std::memory_order_relaxed);
}

int get_num_interop_threads() { return runtime::interop_count.load(std::memory_order_relaxed); }

void detail::parallel_ranges(int64_t begin, int64_t end, int64_t grain,
                             void (*fn)(void* context, int64_t begin, int64_t end), void* context) {
    if (grain < 0)
        runtime::fail("parallel_for", "the grain size is negative", runtime::text(grain),
                      "0 or more", "0, with which parallel_for chooses");
    if (begin < end) runtime::parallel_for_ranges(begin, end, grain, fn, context);
}

void use_deterministic_algorithms(bool on) {
    runtime::deterministic.store(on, std::memory_order_relaxed);
}

bool are_deterministic_algorithms_enabled() {
    return runtime::deterministic.load(std::memory_order_relaxed);
}

void synchronize() {
    std::vector<std::function<void()>> list;
    {
        runtime::waiters& w = runtime::all_waiters();
        std::lock_guard lock(w.mutex);
        list = w.list;
    }
    for (auto& wait : list) wait();
}

}  // namespace sinter::inline v1

#include "runtime/threads/thread_backend.hpp"

#ifdef SINTER_THREADS_STD

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <thread>

namespace sinter::runtime {
namespace {

thread_local bool inside = false;

class pool {
public:
    void run(int workers, worker_fn fn, void* context) {
        {
            std::lock_guard lock(mutex_);
            try {
                while (helpers_ < workers - 1) start_helper();
            } catch (const std::system_error&) {  // no more threads are available
                workers = helpers_ + 1;
            }
            job_ = {fn, context, workers};
            running_ = workers - 1;
            ++generation_;
        }
        wake_.notify_all();
        inside = true;
        fn(context, 0, workers);
        inside = false;
        std::unique_lock lock(mutex_);
        done_.wait(lock, [&] { return running_ == 0; });
    }

private:
    struct job {
        worker_fn fn;
        void* context;
        int workers;
    };

    /// A helper takes part from the generation after the one that is current when it starts.
    void start_helper() {
        const int worker = helpers_ + 1;
        const uint64_t seen = generation_;
        std::thread([this, worker, seen] { help(worker, seen); }).detach();
        helpers_ = worker;
    }

    void help(int worker, uint64_t seen) {
        inside = true;
        std::unique_lock lock(mutex_);
        for (;;) {
            wake_.wait(lock, [&] { return generation_ != seen; });
            seen = generation_;
            job j = job_;
            if (worker >= j.workers) continue;
            lock.unlock();
            j.fn(j.context, worker, j.workers);
            lock.lock();
            if (--running_ == 0) done_.notify_one();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_, done_;
    job job_{};
    uint64_t generation_ = 0;
    int helpers_ = 0;
    int running_ = 0;
};

pool& the_pool() {
    static auto* p = new pool;  // leaked: helpers never end
    return *p;
}

}  // namespace

void backend_run(int workers, worker_fn fn, void* context) { the_pool().run(workers, fn, context); }

int backend_available(int workers) { return workers; }

bool backend_in_parallel() { return inside; }

int backend_default_threads() {
    return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

}  // namespace sinter::runtime

#endif

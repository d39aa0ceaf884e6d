#include "kernels/linalg/blas_call.hpp"

#include "runtime/base/fork.hpp"
#include "runtime/threads/openmp.hpp"
#include "runtime/threads/team.hpp"
#include "runtime/threads/threads.hpp"

#include <algorithm>
#include <atomic>

namespace sinter::blas {
namespace {

// Process-wide, like the buffers of OpenBLAS that it protects. Another thread may hold or await a
// lock while this one forks, and does not exist in the child, so the child starts with new objects.
struct shared_state {
    caller_gate gate;
    std::mutex lapack_token;
    int places;
};
constinit std::atomic<shared_state*> made{nullptr};

shared_state* new_state(int places) { return new shared_state{caller_gate(places), {}, places}; }
shared_state& shared(const blas_library& l) {
    return runtime::made_once(made, [&l] { return new_state(l.report.max_callers); });
}

void close_at_fork() {
    if (shared_state* s = made.load()) s->gate.close();
}
void open_in_parent() {
    if (shared_state* s = made.load()) s->gate.open();
}
void renew_in_child() {
    if (const shared_state* s = made.load()) made = new_state(s->places);
}
[[maybe_unused]] const runtime::at_fork blas_at_fork(runtime::fork_order::blas, close_at_fork,
                                                     open_in_parent, renew_in_child);

/// The number of places that this thread holds.
constinit thread_local int own = 0;

int lapack_threads(const blas_library& l) {
    if (are_deterministic_algorithms_enabled() || runtime::in_forked_child()) return 1;
    return runtime::openmp_available(std::min(runtime::available_threads(), l.report.max_callers));
}

}  // namespace

void caller_gate::enter() {
    std::unique_lock lock(mutex_);
    left_.wait(lock, [this] { return free_ > 0; });
    --free_;
    ++own;
}

void caller_gate::leave() {
    {
        std::lock_guard lock(mutex_);
        ++free_;
        --own;
        if (closing_) left_.notify_all();
    }
    left_.notify_one();
}

void caller_gate::close() {
    std::unique_lock lock(mutex_);
    closing_ = true;
    left_.wait(lock, [this] { return free_ + own == places_; });
    closing_ = false;
    lock.release();
}

blas_call::blas_call(const blas_library& l, int threads) : library_(l) {
    shared(l).gate.enter();
    for (int i = 0; i < l.hook_count; ++i) {
        saved_[i] = l.hooks[i].get_max_threads();
        if (saved_[i] != threads) l.hooks[i].set_num_threads(threads);
    }
}

blas_call::~blas_call() {
    for (int i = 0; i < library_.hook_count; ++i) {
        if (library_.hooks[i].get_max_threads() != saved_[i])
            library_.hooks[i].set_num_threads(saved_[i]);
    }
    shared(library_).gate.leave();
}

// OpenMP gives the calling thread the same team here as inside the library, since both have the
// same size.
worker_environments::worker_environments(int threads)
    : of_(threads > 1 ? static_cast<std::size_t>(threads) : 0) {
    if (of_.empty()) return;
    runtime::rest_team();
    const auto hold = [](void* list, int worker, int) {
        (*static_cast<decltype(of_)*>(list))[static_cast<std::size_t>(worker)].emplace();
    };
    runtime::openmp_run(threads, hold, &of_);
}

worker_environments::~worker_environments() {
    if (of_.empty()) return;
    const auto release = [](void* list, int worker, int) {
        (*static_cast<decltype(of_)*>(list))[static_cast<std::size_t>(worker)].reset();
    };
    runtime::openmp_run(static_cast<int>(of_.size()), release, &of_);
}

lapack_call::lapack_call(const blas_library& l, bool worthwhile)
    : lapack_call(l,
                  worthwhile ? std::unique_lock(shared(l).lapack_token, std::try_to_lock)
                             : std::unique_lock<std::mutex>(),
                  worthwhile ? lapack_threads(l) : 1) {}

lapack_call::lapack_call(const blas_library& l, std::unique_lock<std::mutex> token, int threads)
    : token_(std::move(token)),
      call_(l, token_.owns_lock() ? threads : 1),
      workers_(token_.owns_lock() ? threads : 1) {}

}  // namespace sinter::blas

#include "kernels/linalg/blas_call.hpp"

#include "runtime/threads.hpp"

#include <pthread.h>

#include <algorithm>
#include <new>

namespace sinter::blas {
namespace {

// Process-wide, as the buffers that it protects are. A fork may happen while other threads hold
// either of them, and those threads do not exist in the child: it starts with new ones.
struct shared_state {
    caller_gate gate;
    std::mutex lapack_token;
    int places;
};

shared_state*& shared_slot() {
    static shared_state* s = nullptr;
    return s;
}

shared_state& shared(const blas_library& l) {
    static const bool made = [&l] {
        shared_slot() =
            new shared_state{caller_gate(l.report.max_callers), {}, l.report.max_callers};
        pthread_atfork(nullptr, nullptr, [] {
            int places = shared_slot()->places;
            new (shared_slot()) shared_state{caller_gate(places), {}, places};
        });
        return true;
    }();
    static_cast<void>(made);
    return *shared_slot();
}

int lapack_threads(const blas_library& l) {
#ifdef SINTER_THREADS_STD
    static_cast<void>(l);
    return 1;  // the library's threads would not be the ones that the build asked for
#else
    return std::min(runtime::available_threads(), l.report.max_callers);
#endif
}

}  // namespace

void caller_gate::enter() {
    std::unique_lock lock(mutex_);
    left_.wait(lock, [this] { return free_ > 0; });
    --free_;
}

void caller_gate::leave() {
    {
        std::lock_guard lock(mutex_);
        ++free_;
    }
    left_.notify_one();
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

lapack_call::lapack_call(const blas_library& l, bool worthwhile)
    : token_(worthwhile ? std::unique_lock(shared(l).lapack_token, std::try_to_lock)
                        : std::unique_lock<std::mutex>()),
      call_(l, token_.owns_lock() ? lapack_threads(l) : 1) {}

}  // namespace sinter::blas

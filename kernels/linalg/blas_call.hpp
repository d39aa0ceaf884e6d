// Limits on calls into BLAS: how many threads may be inside at a time, and how many threads a call
// may use.
#pragma once

#include "kernels/linalg/blas_library.hpp"
#include "runtime/base/fp_environment.hpp"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <vector>

namespace sinter::blas {

/// Lets at most `places` callers in at a time. OpenBLAS aborts the process if there are too many.
class caller_gate {
public:
    explicit caller_gate(int places) : places_(places), free_(places) {}
    void enter();
    void leave();
    /// Waits until only the calling thread is inside, and lets nobody in before `open`.
    void close();
    void open() { mutex_.unlock(); }

private:
    std::mutex mutex_;
    std::condition_variable left_;
    const int places_;
    int free_;
    bool closing_ = false;
};

/// While it lives, the calling thread may call BLAS. An OpenMP build then runs on this thread
/// alone. The thread count is set through OpenMP, per thread, because openblas_set_num_threads
/// would change it for the user too. Hold it for a run of calls, not for each.
class blas_call {
public:
    explicit blas_call(const blas_library& l, int threads = 1);
    ~blas_call();
    blas_call(const blas_call&) = delete;
    blas_call& operator=(const blas_call&) = delete;

private:
    const blas_library& library_;
    int saved_[2] = {0, 0};
    runtime::library_environment environment_;
};

/// Sets the default floating-point environment on the threads that a library call of this thread
/// will use. They may have been started by a thread that flushes subnormals to zero.
class worker_environments {
public:
    explicit worker_environments(int threads);
    ~worker_environments();
    worker_environments(const worker_environments&) = delete;
    worker_environments& operator=(const worker_environments&) = delete;

private:
    std::vector<std::optional<runtime::library_environment>> of_;  // empty for one thread
};

/// Lets LAPACK use several threads, but only for one caller at a time: OpenBLAS resizes data that
/// all callers share when the number of threads changes.
class lapack_call {
public:
    /// `worthwhile`: true if the problem is large enough for several threads.
    lapack_call(const blas_library& l, bool worthwhile);

private:
    lapack_call(const blas_library& l, std::unique_lock<std::mutex> token, int threads);

    std::unique_lock<std::mutex> token_;
    blas_call call_;
    worker_environments workers_;
};

}  // namespace sinter::blas

// The thread pool of parallel_for: OpenMP, so that kernels and OpenBLAS share one pool, or with
// SINTER_THREADS_STD a pool of std::threads, which the thread sanitizer understands.
#pragma once

namespace sinter::runtime {

inline constexpr int max_threads = 1024;

/// The function that worker `worker` of a team of `workers` runs.
using worker_fn = void (*)(void* context, int worker, int workers);

/// Returns the number of workers, 1 to `workers`, that the calling thread's team can have: OpenMP
/// aborts the process if it cannot start a thread.
int backend_available(int workers);

/// Calls fn(context, w, n) in parallel for w = 0 .. n-1, n <= `workers`, and returns when all have
/// returned. `fn` must not throw. Only one call at a time per process.
void backend_run(int workers, worker_fn fn, void* context);

/// Returns true if the calling thread is a worker of a running team, ours or another library's.
bool backend_in_parallel();

int backend_default_threads();

}  // namespace sinter::runtime

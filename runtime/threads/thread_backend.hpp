// What parallel_for needs of a pool of threads. OpenMP, so that kernels and OpenBLAS share one
// pool; with SINTER_THREADS_STD a pool of std::threads, which the thread sanitizer understands.
#pragma once

namespace sinter::runtime {

inline constexpr int max_threads = 1024;

/// What a worker of a team of `workers` does.
using worker_fn = void (*)(void* context, int worker, int workers);

/// As many of `workers`, 1 or more, as the calling thread's team can have: OpenMP ends the process
/// where it cannot start a thread.
int backend_available(int workers);

/// Calls fn(context, w, n) for w = 0 .. n-1 at the same time, n <= `workers`; returns when all have
/// returned. `fn` must not throw. One call at a time in a process.
void backend_run(int workers, worker_fn fn, void* context);

/// Whether the calling thread is a worker of a running team, also of a foreign one.
bool backend_in_parallel();

int backend_default_threads();

}  // namespace sinter::runtime

// What the library uses of OpenMP, where it is built with it: to see whether a program's region is
// running, to set up the threads that LAPACK uses, and for loops with SINTER_THREADS=openmp.
#pragma once

namespace sinter::runtime {

/// The function that worker `worker` of a team of `workers` runs.
using worker_fn = void (*)(void* context, int worker, int workers);

/// True if the library is built with OpenMP.
extern const bool have_openmp;

/// Returns the number of workers, 1 to `workers`, that the calling thread's team can have: OpenMP
/// aborts the process if it cannot start a thread. Without OpenMP 1.
int openmp_available(int workers);

/// Calls fn(context, w, n) in parallel for w = 0 .. n-1, n <= `workers`, and returns when all have
/// returned. `fn` must not throw.
void openmp_run(int workers, worker_fn fn, void* context);

/// Returns true if the calling thread is in a running parallel region.
bool in_openmp_region();

/// Returns how many threads OpenMP would use for the calling thread: OMP_NUM_THREADS, or what the
/// program has set, else `otherwise`.
int openmp_threads(int otherwise);

}  // namespace sinter::runtime

// How many threads kernels use, and waiting for what runs in the background.
#pragma once

#include <sinter/config.hpp>

namespace sinter::inline v1 {

/// Threads for every later launch of the process, 1 or more. Before the first call it is
/// SINTER_NUM_THREADS, else what OpenMP would use. No result depends on it, save where a LAPACK
/// routine's own does: use_deterministic_algorithms.
SINTER_API void set_num_threads(int count);
SINTER_API int get_num_threads();

/// Whether LAPACK's routines run on one thread each, so that none of their results depends on the
/// number of threads. Off at first; for the whole process.
SINTER_API void use_deterministic_algorithms(bool on);
SINTER_API bool are_deterministic_algorithms_enabled();

/// Waits for launched kernels and for background compilation. Forces no pending work.
SINTER_API void synchronize();

}  // namespace sinter::inline v1

// How many threads kernels use, and waiting for what runs in the background.
#pragma once

#include <sinter/config.hpp>

namespace sinter::inline v1 {

/// Threads for every later launch of the process, 1 or more. Before the first call it is
/// SINTER_NUM_THREADS, else what OpenMP would use. No result depends on it, save where a LAPACK
/// routine's own does.
SINTER_API void set_num_threads(int count);
SINTER_API int get_num_threads();

/// Waits for launched kernels and for background compilation. Forces no pending work.
SINTER_API void synchronize();

}  // namespace sinter::inline v1

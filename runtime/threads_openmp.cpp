#include "runtime/thread_backend.hpp"

#ifndef SINTER_THREADS_STD

#include <omp.h>

namespace sinter::runtime {

void backend_run(int workers, worker_fn fn, void* context) {
#pragma omp parallel num_threads(workers)
    fn(context, omp_get_thread_num(), omp_get_num_threads());
}

bool backend_in_parallel() { return omp_in_parallel() != 0; }

int backend_default_threads() { return omp_get_max_threads(); }

}  // namespace sinter::runtime

#endif

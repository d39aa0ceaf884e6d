#include "runtime/threads/thread_backend.hpp"

#ifndef SINTER_THREADS_STD

#include <omp.h>

#include <latch>
#include <system_error>
#include <thread>
#include <vector>

namespace sinter::runtime {

int backend_available(int workers) {
    constinit thread_local static int had = 1;  // threads of the team, which are never ended
    if (workers <= had) return workers;
    std::latch all_tried(1);
    std::vector<std::thread> more;
    more.reserve(static_cast<std::size_t>(workers - had));
    try {
        while (had + static_cast<int>(more.size()) < workers)
            more.emplace_back([&all_tried] { all_tried.wait(); });
    } catch (const std::system_error&) {  // no more threads are available
    }
    all_tried.count_down();
    for (std::thread& t : more) t.join();
    return had += static_cast<int>(more.size());
}

void backend_run(int workers, worker_fn fn, void* context) {
    workers = backend_available(workers);
#pragma omp parallel num_threads(workers)
    fn(context, omp_get_thread_num(), omp_get_num_threads());
}

bool backend_in_parallel() { return omp_in_parallel() != 0; }

int backend_default_threads() { return omp_get_max_threads(); }

}  // namespace sinter::runtime

#endif

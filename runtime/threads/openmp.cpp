#include "runtime/threads/openmp.hpp"

#ifdef _OPENMP

#include <omp.h>

#include <latch>
#include <system_error>
#include <thread>
#include <vector>

namespace sinter::runtime {

const bool have_openmp = true;

int openmp_available(int workers) {
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

void openmp_run(int workers, worker_fn fn, void* context) {
    workers = openmp_available(workers);
#pragma omp parallel num_threads(workers)
    fn(context, omp_get_thread_num(), omp_get_num_threads());
}

bool in_openmp_region() { return omp_in_parallel() != 0; }

int openmp_threads(int otherwise) {
    const int wanted = omp_get_max_threads();
    return wanted == omp_get_num_procs() ? otherwise : wanted;
}

}  // namespace sinter::runtime

#else

namespace sinter::runtime {

const bool have_openmp = false;
int openmp_available(int) { return 1; }
void openmp_run(int, worker_fn fn, void* context) { fn(context, 0, 1); }
bool in_openmp_region() { return false; }
int openmp_threads(int otherwise) { return otherwise; }

}  // namespace sinter::runtime

#endif

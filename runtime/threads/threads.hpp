// Runs loops on several threads. A token grants parallelism to one loop at a time: a loop that does
// not get it, or is inside another one or a parallel region of OpenMP, runs on one thread.
#pragma once

#include "runtime/threads/job_board.hpp"

#include <sinter/threads.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>

namespace sinter::runtime {

/// `parallel_for` without the template.
void parallel_for_ranges(int64_t begin, int64_t end, int64_t grain, range_fn fn, void* context);

/// Calls fn(b, e) for disjoint ranges that make up [begin, end), some for each thread. Each has at
/// least `grain` elements, unless the whole loop has fewer. The caller's thread takes whatever no
/// other thread has begun. Rethrows an exception after every range has ended; of several, that of
/// the lowest range.
template <class F>
void parallel_for(int64_t begin, int64_t end, int64_t grain, F&& fn) {
    using body = std::remove_reference_t<F>;
    parallel_for_ranges(
        begin, end, grain,
        [](void* context, int64_t b, int64_t e) { (*static_cast<body*>(context))(b, e); },
        const_cast<void*>(static_cast<const void*>(std::addressof(fn))));
}

/// Returns the number of threads that a parallel_for on this thread may get; 1 inside another one
/// and in a parallel region of OpenMP.
int available_threads();

/// Returns true if this process was forked after the library was loaded.
bool in_forked_child();

/// Registers a function that every synchronize() calls. For background work; launches on the CPU
/// are complete when they return.
void on_synchronize(std::function<void()> wait);

}  // namespace sinter::runtime

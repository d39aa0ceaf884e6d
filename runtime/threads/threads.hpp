// Runs loops on several threads. A token grants parallelism to one loop at a time: a loop that does
// not get it, is inside a parallel region, or is in a forked child, runs on one thread.
#pragma once

#include <sinter/threads.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>

namespace sinter::runtime {

using range_fn = void (*)(void* context, int64_t begin, int64_t end);

/// `parallel_for` without the template.
void parallel_for_ranges(int64_t begin, int64_t end, int64_t grain, range_fn fn, void* context);

/// Calls fn(b, e) for disjoint ranges that make up [begin, end), at most one per thread, in rising
/// order of threads. Each has at least `grain` elements, unless the whole loop has fewer. The
/// caller's thread takes part. Rethrows an exception after every range has ended; of several, that
/// of the lowest range.
template <class F>
void parallel_for(int64_t begin, int64_t end, int64_t grain, F&& fn) {
    using body = std::remove_reference_t<F>;
    parallel_for_ranges(
        begin, end, grain,
        [](void* context, int64_t b, int64_t e) { (*static_cast<body*>(context))(b, e); },
        const_cast<void*>(static_cast<const void*>(std::addressof(fn))));
}

/// Returns the number of threads that a parallel_for on this thread may get; 1 inside a parallel
/// region and in a forked child.
int available_threads();

/// Returns true if this process was forked after the library was loaded.
bool in_forked_child();

/// Registers a function that every synchronize() calls. For background work; launches on the CPU
/// are complete when they return.
void on_synchronize(std::function<void()> wait);

}  // namespace sinter::runtime

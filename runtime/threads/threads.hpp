// The one way to run a loop on several threads. One token grants parallelism to one loop at a time:
// who does not get it, is inside a parallel region, or runs in a forked child, runs on one thread.
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

/// Calls fn(b, e) for disjoint ranges that make up [begin, end), each of at least `grain` elements
/// (but for a range that is smaller as a whole), at most one a thread, in rising order of threads.
/// The caller's thread takes part. An exception is thrown again here, after every range has ended;
/// of several, that of the lowest range.
template <class F>
void parallel_for(int64_t begin, int64_t end, int64_t grain, F&& fn) {
    using body = std::remove_reference_t<F>;
    parallel_for_ranges(
        begin, end, grain,
        [](void* context, int64_t b, int64_t e) { (*static_cast<body*>(context))(b, e); },
        const_cast<void*>(static_cast<const void*>(std::addressof(fn))));
}

/// Threads that a parallel_for here and now may get: 1 where parallelism is out of the question.
int available_threads();

/// Whether this process is a child of the process that loaded the library.
bool in_forked_child();

/// `wait` is called by every synchronize(). For whoever works in the background; launches on the
/// CPU have ended when they return.
void on_synchronize(std::function<void()> wait);

}  // namespace sinter::runtime

// The number of threads that kernels use, and waiting for background work.
#pragma once

#include <sinter/config.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sinter::inline v1 {

/// Sets or returns the number of threads, 1 or more, of every later launch of the process. At first
/// it is SINTER_NUM_THREADS, else OMP_NUM_THREADS, else the number of processors that the affinity
/// mask and the control groups leave to the process. No result depends on it, except those of some
/// LAPACK routines: use_deterministic_algorithms(). Throws ValueError for less than 1.
/// PyTorch: torch.set_num_threads, torch.get_num_threads.
///@{
SINTER_API void set_num_threads(int count);
SINTER_API int get_num_threads();
///@}
/// Does nothing: libtorch's name. libtorch: at::init_num_threads.
inline void init_num_threads() {}
/// Sets or returns a number that nothing depends on: there is no second set of threads. Throws
/// Error for less than 1. PyTorch: torch.set_num_interop_threads, torch.get_num_interop_threads.
///@{
SINTER_API void set_num_interop_threads(int count);
SINTER_API int get_num_interop_threads();
///@}

/// Sets or returns whether each LAPACK routine runs on one thread, so that no result depends on the
/// number of threads. False at first; for the whole process. PyTorch:
/// torch.use_deterministic_algorithms, torch.are_deterministic_algorithms_enabled.
///@{
SINTER_API void use_deterministic_algorithms(bool on);
SINTER_API bool are_deterministic_algorithms_enabled();
///@}

/// Waits for launched kernels and for background compilation. Does not run pending operations.
/// PyTorch: none.
SINTER_API void synchronize();

namespace detail {
SINTER_API void parallel_ranges(int64_t begin, int64_t end, int64_t grain,
                                void (*fn)(void* context, int64_t begin, int64_t end),
                                void* context);
}  // namespace detail

/// Calls f(b, e) on the library's threads for disjoint ranges that make up [begin, end), each of at
/// least `grain` elements unless the whole is smaller. Operations on tensors within f run on one
/// thread. Rethrows the exception of the lowest range that threw. Throws Error if grain < 0.
/// libtorch: at::parallel_for.
template <class F>
void parallel_for(int64_t begin, int64_t end, int64_t grain, const F& f) {
    detail::parallel_ranges(
        begin, end, grain,
        [](void* context, int64_t b, int64_t e) { (*static_cast<const F*>(context))(b, e); },
        const_cast<void*>(static_cast<const void*>(&f)));
}
/// Returns f(b, e, ident) of ranges of at least `grain` elements, joined with `join` from the
/// lowest to the highest. The ranges, and so the result, do not depend on the number of threads.
/// libtorch: at::parallel_reduce.
template <class T, class F, class J>
T parallel_reduce(int64_t begin, int64_t end, int64_t grain, const T ident, const F& f,
                  const J& join) {
    if (begin >= end) return ident;
    constexpr int64_t most = 4096;
    const int64_t enough = (end - begin - 1) / most + 1, step = grain > enough ? grain : enough;
    const int64_t count = (end - begin - 1) / step + 1;
    struct part {  // no std::vector<bool>
        T value;
    };
    std::vector<part> parts(static_cast<std::size_t>(count), part{ident});
    parallel_for(0, count, 1, [&](int64_t from, int64_t to) {
        for (int64_t i = from; i < to; ++i) {
            const int64_t b = begin + i * step;
            parts[static_cast<std::size_t>(i)].value = f(b, end - b > step ? b + step : end, ident);
        }
    });
    T result = ident;
    for (const part& p : parts) result = join(result, p.value);
    return result;
}

}  // namespace sinter::inline v1

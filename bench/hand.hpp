// The loops to beat, written by hand on raw buffers with OpenMP.
//
// `hand` obeys the numerics of the library: no contraction, exp and erf within 1 ULP, division
// where the formula divides. `hand_fast` may contract and reassociate, and its math is within 4
// ULP. Both reduce in whatever order is fastest on this machine and thread count, which the library
// may not. `stream` asks for stores past the caches.
#pragma once

#include <cstdint>

namespace bench {

template <class T>
struct moments {
    T mean, var;
};

template <class T>
struct hand_table {
    void (*muladd)(const T* a, const T* b, const T* c, T* out, int64_t n, int threads, bool stream);
    void (*poly10)(const T* x, const T* coefficients, T* out, int64_t n, int threads, bool stream);
    void (*gelu)(const T* x, T* out, int64_t n, int threads, bool stream);
    T (*sum)(const T* x, int64_t n, int threads);
    moments<T> (*mean_var)(const T* x, int64_t n, int threads);
    void (*softmax)(const T* x, T* out, int64_t rows, int64_t columns, int threads, bool stream);
};

template <class T>
const hand_table<T>& hand();
template <class T>
const hand_table<T>& hand_fast();

/// a[i] = b[i] + s * c[i].
void hand_triad(float* a, const float* b, const float* c, float s, int64_t n, int threads,
                bool stream);

}  // namespace bench

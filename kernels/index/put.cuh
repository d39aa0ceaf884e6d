// Writes at places. If they are sorted, one thread combines all elements of one place, in their
// order.
//
// Macro definitions:
// T                     the element type
// KEY_DIMS, FREE_DIMS   the number of dimensions along which places vary or elements meet, and of
//                       the others
// PLACE, ORDER, INDEX   unsigned types
// ASSIGNS               1: the last element of a place is stored, and no other is read; 0: all are
//                       combined
// CLAIMED               1: places are in the order of the elements, and `words` has the number of
//                       the last element of each place, from 1; 0: they are sorted
// CARRIED               1: `order` has the values themselves, of at most 4 bytes; 0: their numbers
// COMBINE               a function below, which combines the stored element with the next one
// COMPUTED              1: COMBINE takes computed values (value_of); 0: it takes elements, for
//                       complex elements and those that are only moved
#pragma once

#include "kernels/index/outside.cuh"

namespace sinter::on_gpu {

template <int key_dims, int free_dims, class place_type, class order_type>
struct puts {
    const u64* outside;  // outside.cuh: nothing is written if an index is out of range
    i64 indices;
    i64 keys, free, unit;  // bytes from one place to the next
    const place_type* place;
    const order_type* order;
    const u32* words;
    char* indexed;
    const char* values;
    list<i64, key_dims> key_sizes, key_values;
    list<i64, free_dims> free_sizes, free_indexed, free_values;
};

#ifdef SINTER_DEVICE
// The same arithmetic as in scatter.cpp. Integers wrap.
static __device__ inline bool sum(bool a, bool b) { return a || b; }
static __device__ inline f32 sum(f32 a, f32 b) { return a + b; }
static __device__ inline f64 sum(f64 a, f64 b) { return a + b; }
template <class integer>
static __device__ inline u64 sum(integer a, integer b) {
    return (u64)a + (u64)b;
}
static __device__ inline bool product(bool a, bool b) { return a && b; }
static __device__ inline f32 product(f32 a, f32 b) { return a * b; }
static __device__ inline f64 product(f64 a, f64 b) { return a * b; }
template <class integer>
static __device__ inline u64 product(integer a, integer b) {
    return (u64)a * (u64)b;
}
// The sign decides between equal values, so that 0 is larger than -0.
static __device__ inline bool minus(f32 x) { return __float_as_int(x) < 0; }
static __device__ inline bool minus(f64 x) { return __double_as_longlong(x) < 0; }
template <class integer>
static __device__ inline bool minus(integer x) {
    return x < 0;
}
template <class real>
static __device__ inline real larger(real a, real b) {
    return b != b || (a == a && (b > a || (b == a && minus(a)))) ? b : a;
}
template <class real>
static __device__ inline real smaller(real a, real b) {
    return b != b || (a == a && (b < a || (b == a && minus(b)))) ? b : a;
}
template <class complex>
static __device__ inline complex complex_sum(complex a, complex b) {
    return complex{a.re + b.re, a.im + b.im};
}
template <class complex>
static __device__ inline complex complex_product(complex a, complex b) {
    return complex{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
#if !ASSIGNS
static __device__ inline T combine(T a, T b) {
#if COMPUTED
    return made<T>(COMBINE(value_of(a), value_of(b)));
#else
    return COMBINE(a, b);
#endif
}
#endif

static __device__ inline const char* value_at(const puts<KEY_DIMS, FREE_DIMS, PLACE, ORDER>& k,
                                              i64 key) {
    const char* p = k.values;
#pragma unroll
    for (int d = KEY_DIMS - 1; d >= 0; d--) {
        const INDEX rest = d ? (INDEX)key / (INDEX)k.key_sizes[d] : 0;
        p += (key - (i64)(rest * (INDEX)k.key_sizes[d])) * k.key_values[d];
        key = rest;
    }
    return p;
}
static __device__ inline T value_of_key(const puts<KEY_DIMS, FREE_DIMS, PLACE, ORDER>& k, i64 j,
                                        i64 from) {
#if CARRIED
    return of_bits<T>((bits_of<T>)k.order[j]);
#elif CLAIMED
    return *(const T*)(value_at(k, j) + from);
#else
    return *(const T*)(value_at(k, (i64)k.order[j]) + from);
#endif
}
#if !ASSIGNS
// Returns `x` combined with the elements from `j` on that have this place. Several are under way at
// a time, for places that receive many.
static __device__ inline T combine_all(const puts<KEY_DIMS, FREE_DIMS, PLACE, ORDER>& k, i64 j,
                                       PLACE place, i64 from, T x) {
    enum { together = 4 };
    x = combine(x, value_of_key(k, j, from));
    while (true) {
        j++;
        T value[together];
        bool same[together];
#pragma unroll
        for (int b = 0; b < together; b++) {
            same[b] = j + b < k.keys && k.place[j + b] == place;
            if (same[b]) value[b] = value_of_key(k, j + b, from);
        }
#pragma unroll
        for (int b = 0; b < together; b++) {
            if (!same[b]) return x;
            x = combine(x, value[b]);
        }
        j += together - 1;
    }
}
#endif
extern "C" __global__ void sinter_put(const puts<KEY_DIMS, FREE_DIMS, PLACE, ORDER> k) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    if (any_outside(k.outside, k.indices)) return;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < k.keys * k.free; i += step) {
        const i64 j = (INDEX)i / (INDEX)k.free;
        i64 rest = i - j * k.free, to = 0, from = 0;
        const PLACE place = k.place[j];
#if CLAIMED
        if (k.words[place] != (u32)j + 1) continue;
#elif ASSIGNS
        if (j + 1 < k.keys && k.place[j + 1] == place) continue;
#else
        if (j > 0 && k.place[j - 1] == place) continue;
#endif
#pragma unroll
        for (int d = FREE_DIMS - 1; d >= 0; d--) {
            const INDEX outer = d ? (INDEX)rest / (INDEX)k.free_sizes[d] : 0;
            const i64 n = rest - (i64)(outer * (INDEX)k.free_sizes[d]);
            to += n * k.free_indexed[d];
            from += n * k.free_values[d];
            rest = outer;
        }
        T* const p = (T*)(k.indexed + (i64)place * k.unit + to);
#if ASSIGNS
        *p = value_of_key(k, j, from);
#else
        *p = combine_all(k, j, place, from, *p);
#endif
    }
}
#endif

}  // namespace sinter::on_gpu

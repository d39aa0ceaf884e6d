// Cumulative maxima and minima: finds the last of the largest keys. NaN is the largest key for
// both. Macro definitions: KEY and INDEX, unsigned types.
#pragma once

#include "kernels/gpu/elements.cuh"
#include "kernels/sort/key.cuh"

namespace sinter::on_gpu {

// `indices` has the strides of the values, in elements.
struct extremes_source {
    elements of;
    u64 nan_is_least;
    char* values;
    i64* indices;
};

#ifdef SINTER_DEVICE
typedef extremes_source source;
typedef KEY item;
typedef INDEX result;
struct state {
    KEY key;
    INDEX where;
};
static __device__ inline state none(const source&) { return {0, ~(INDEX)0}; }
static __device__ inline state taken(const source&, item x, i64 i) { return {x, (INDEX)i}; }
static __device__ inline state joined(const source&, const state& a, const state& b) {
    return b.where != ~(INDEX)0 && (a.where == ~(INDEX)0 || b.key >= a.key) ? b : a;
}
static __device__ inline result result_of(const state& x) { return x.where; }
static __device__ inline item load(const source& k, const char* p) {
    const KEY key = key_at<KEY>(k.of, p);
    return k.nan_is_least && key == 0 ? ~(KEY)0 : key;
}
static __device__ inline void store(const source& k, char* p, const char* row, i64 step,
                                    result where) {
    const char* const from = row + (i64)where * step;
    i64 element = p - k.values;
    switch ((u32)k.of.bytes) {
        case 1: *(u8*)p = *(const u8*)from; break;
        case 2: *(u16*)p = *(const u16*)from, element >>= 1; break;
        case 4: *(u32*)p = *(const u32*)from, element >>= 2; break;
        default: *(u64*)p = *(const u64*)from, element >>= 3;
    }
    k.indices[element] = (i64)where;
}
#endif

}  // namespace sinter::on_gpu

#include "kernels/scan/scan.cuh"

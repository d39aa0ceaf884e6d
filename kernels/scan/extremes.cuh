// Cumulative maxima and minima: finds the last of the largest keys. NaN is the largest key for
// both. Macro definitions: ITEM, KEY and INDEX, unsigned types: of an element's size, of the keys
// and of positions in a row.
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
typedef ITEM item;
typedef INDEX result;
struct state {
    KEY key;
    INDEX where;
};
#define PACKS 0
static __device__ inline state none(const source&) { return {0, 0}; }
static __device__ inline state taken(const source& k, item x, i64 i) {
    const KEY key = key_of<KEY>(k.of, x);
    return {k.nan_is_least && key == 0 ? ~(KEY)0 : key, (INDEX)i};
}
static __device__ inline state joined(const source&, const state& a, const state& b) {
    return b.key > a.key || (b.key == a.key && b.where >= a.where) ? b : a;
}
static __device__ inline state lane_up(const state& x, int by, int width) {
    return {::lane_up(x.key, by, width), ::lane_up(x.where, by, width)};
}
static __device__ inline state lane_at(const state& x, int from, int width) {
    return {::lane_at(x.key, from, width), ::lane_at(x.where, from, width)};
}
static __device__ inline result result_of(const source&, const state& x) { return x.where; }
static __device__ inline void store(const source& k, char* p, const char* row, i64 step,
                                    result where) {
    *(item*)p = *(const item*)(row + (i64)where * step);
    k.indices[(item*)p - (item*)k.values] = (i64)where;
}
#endif

}  // namespace sinter::on_gpu

#include "kernels/scan/scan.cuh"

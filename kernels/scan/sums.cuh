// Cumulative sums and products. Macro definitions: SUM, 0: 64-bit integers; 1: narrow floats in
// f32; 2: f32 and f64 in f64; and TYPES, the types of elements.
#pragma once

#include "kernels/gpu/elements.cuh"
#include "kernels/scan/fold_table.cuh"

namespace sinter::on_gpu {

#define SINTER_FOLD(name, identity, combine) fold_##name,
enum fold { SINTER_FOLD_SCANS(SINTER_FOLD) };
#undef SINTER_FOLD

struct sums_source {
    u64 type, result_type, fold;
};

#ifdef SINTER_DEVICE
typedef sums_source source;
#if SUM == 0
typedef u64 item;
#elif SUM == 1
typedef f32 item;
#else
typedef f64 item;
#endif
typedef item state;
typedef item result;
static __device__ inline state none(const source& k) {
    switch ((u32)k.fold) {
#define SINTER_IDENTITY(name, identity, combine) \
    case fold_##name: return identity;
        SINTER_FOLD_SCANS(SINTER_IDENTITY)
        default: return 0;
    }
}
static __device__ inline state taken(const source&, item x, i64) { return x; }
static __device__ inline state joined(const source& k, state a, state b) {
    switch ((u32)k.fold) {
#define SINTER_COMBINE(name, identity, combine) \
    case fold_##name: return combine;
        SINTER_FOLD_SCANS(SINTER_COMBINE)
        default: return a;
    }
}
static __device__ inline result result_of(state x) { return x; }
static __device__ inline item load(const source& k, const char* p) {
    switch ((u32)k.type) {
#define SINTER_LOAD(number, element) \
    case number: return (item)value_of(*(const element*)p);
        TYPES(SINTER_LOAD)
        default: return 0;
    }
}
static __device__ inline void store(const source& k, char* p, const char*, i64, result x) {
    switch ((u32)k.result_type) {
#define SINTER_STORE(number, element) \
    case number: *(element*)p = made<element>(x); return;
        TYPES(SINTER_STORE)
    }
}
#endif

}  // namespace sinter::on_gpu

#include "kernels/scan/scan.cuh"

// Cumulative sums and products. Macro definitions: TYPE and RESULT, the types of an element and of
// a result; STATE, the type that accumulates: u64, f32 or f64; FOLD, a fold below.
#pragma once

#include "kernels/gpu/elements.cuh"
#include "kernels/scan/fold_table.cuh"

namespace sinter::on_gpu {

#define SINTER_FOLD(name, identity, combine) fold_##name,
enum fold { SINTER_FOLD_SCANS(SINTER_FOLD) };
#undef SINTER_FOLD

struct sums_source {
    u64 unused;  // compilers need not agree on the size of an empty struct
};

#ifdef SINTER_DEVICE
typedef sums_source source;
typedef bits_of<TYPE> item;
typedef bits_of<RESULT> result;
typedef STATE state;
#define PACKS 1
static __device__ inline state none(const source&) {
    switch (FOLD) {
#define SINTER_IDENTITY(name, identity, combine) \
    case fold_##name: return identity;
        SINTER_FOLD_SCANS(SINTER_IDENTITY)
        default: return 0;
    }
}
static __device__ inline state taken(const source&, item x, i64) {
    return (state)value_of(of_bits<TYPE>(x));
}
static __device__ inline state joined(const source&, state a, state b) {
    switch (FOLD) {
#define SINTER_COMBINE(name, identity, combine) \
    case fold_##name: return combine;
        SINTER_FOLD_SCANS(SINTER_COMBINE)
        default: return a;
    }
}
static __device__ inline result result_of(const source&, state x) {
    return to_bits(made<RESULT>(x));
}
static __device__ inline void store(const source&, char* p, const char*, i64, result x) {
    *(result*)p = x;
}
#endif

}  // namespace sinter::on_gpu

#include "kernels/scan/scan.cuh"

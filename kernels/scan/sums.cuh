// Cumulative sums and products. Macro definition: SUM. 0: 64-bit integers; 1: narrow floats in f32;
// 2: f32 and f64 in f64.
#pragma once

#include "kernels/gpu/elements.cuh"

namespace sinter::on_gpu {

struct sums_source {
    u64 type, result_type, product;
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
static __device__ inline state none(const source& k) { return k.product ? 1 : 0; }
static __device__ inline state taken(const source&, item x, i64) { return x; }
static __device__ inline state joined(const source& k, state a, state b) {
    return k.product ? a * b : a + b;
}
static __device__ inline result result_of(state x) { return x; }
static __device__ inline item load(const source& k, const char* p) {
    switch ((u32)k.type) {
#if SUM == 0
        case 0: return (item) * (const u8*)p;
        case 1: return (item) * (const i8*)p;
        case 2: return (item) * (const i16*)p;
        case 3: return (item) * (const i32*)p;
        case 4: return *(const u64*)p;
        default: return value_of(*(const boolean*)p);
#elif SUM == 1
        case 5: return value_of(*(const f16*)p);
        default: return value_of(*(const bf16*)p);
#else
        case 6: return *(const f32*)p;
        default: return *(const f64*)p;
#endif
    }
}
static __device__ inline void store(const source& k, char* p, const char*, i64, result x) {
    switch ((u32)k.result_type) {
#if SUM == 0
        case 0:
        case 1: *(u8*)p = (u8)x; return;
        case 2: *(u16*)p = (u16)x; return;
        case 3: *(u32*)p = (u32)x; return;
        case 4: *(u64*)p = x; return;
        default: *(u8*)p = x != 0; return;
#elif SUM == 1
        case 5: *(f16*)p = made<f16>(x); return;
        default: *(bf16*)p = made<bf16>(x); return;
#else
        case 6: *(f32*)p = (f32)x; return;
        default: *(f64*)p = x; return;
#endif
    }
}
#endif

}  // namespace sinter::on_gpu

#include "kernels/scan/scan.cuh"

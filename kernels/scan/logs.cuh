// Cumulative log-sum-exp. The host puts `f64 log_add_exp(f64, f64)` before this source, generated
// from the formula that the CPU uses. Macro definition: TYPES, the types of elements.
#pragma once

#include "kernels/gpu/elements.cuh"

namespace sinter::on_gpu {

struct logs_source {
    u64 type;
};

#ifdef SINTER_DEVICE
typedef logs_source source;
typedef f64 item;
typedef f64 state;
typedef f64 result;
static __device__ inline state none(const source&) { return -(f64)__int_as_float(0x7f800000); }
static __device__ inline state taken(const source&, item x, i64) { return x; }
static __device__ inline state joined(const source&, state a, state b) { return log_add_exp(a, b); }
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
    switch ((u32)k.type) {
#define SINTER_STORE(number, element) \
    case number: *(element*)p = made<element>(x); return;
        TYPES(SINTER_STORE)
    }
}
#endif

}  // namespace sinter::on_gpu

#include "kernels/scan/scan.cuh"

// Cumulative log-sum-exp. The host puts `f64 log_add_exp(f64, f64)` before this source, generated
// from the formula that the CPU uses. Macro definition: TYPE, the type of an element.
#pragma once

#include "kernels/gpu/elements.cuh"

namespace sinter::on_gpu {

struct logs_source {
    u64 unused;  // compilers need not agree on the size of an empty struct
};

#ifdef SINTER_DEVICE
typedef logs_source source;
typedef bits_of<TYPE> item;
typedef item result;
typedef f64 state;
#define PACKS 1
static __device__ inline state none(const source&) { return -(f64)__int_as_float(0x7f800000); }
static __device__ inline state taken(const source&, item x, i64) {
    return (state)value_of(of_bits<TYPE>(x));
}
static __device__ inline state joined(const source&, state a, state b) { return log_add_exp(a, b); }
static __device__ inline result result_of(const source&, state x) { return to_bits(made<TYPE>(x)); }
static __device__ inline void store(const source&, char* p, const char*, i64, result x) {
    *(result*)p = x;
}
#endif

}  // namespace sinter::on_gpu

#include "kernels/scan/scan.cuh"

// Finds elements of an index that are out of range. Macro definition: DIMS.
#pragma once

#include "kernels/index/outside.cuh"

namespace sinter::on_gpu {

// `outside` (outside.cuh) gets the first element that is not in [low, high).
template <int dims>
struct checked_index {
    i64 total, low, high;
    const char* data;
    u64* outside;
    list<i64, dims> sizes, strides;
};

#ifdef SINTER_DEVICE
extern "C" __global__ void sinter_check_index(const checked_index<DIMS> k) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < k.total; i += step) {
        i64 rest = i, at = 0;
#pragma unroll
        for (int d = DIMS - 1; d >= 0; d--) {
            const i64 outer = d ? rest / k.sizes[d] : 0;
            at += (rest - outer * k.sizes[d]) * k.strides[d];
            rest = outer;
        }
        const i64 x = *(const i64*)(k.data + at);
        if (x < k.low || x >= k.high) note_outside(k.outside, (u64)i, x);
    }
}
#endif

}  // namespace sinter::on_gpu

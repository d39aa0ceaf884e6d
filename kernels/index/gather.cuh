// Reads through indices. Macro definitions: those of space.cuh, and T, the type that elements are
// moved as.
#pragma once

#include "kernels/index/space.cuh"

namespace sinter::on_gpu {

#ifdef SINTER_DEVICE
extern "C" __global__ void sinter_gather(const space<DIMS, INDICES> k) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < k.total; i += step) {
        i64 from, to;
        if (find(k, (INDEX)i, from, to)) *(T*)(k.other + to) = *(const T*)(k.indexed + from);
    }
}
#endif

}  // namespace sinter::on_gpu

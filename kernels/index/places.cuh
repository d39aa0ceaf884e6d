// Finds the places that elements are written to through indices. Macro definitions: those of
// space.cuh, PLACE (an unsigned type) and ITEM (the bytes of an element).
#pragma once

#include "kernels/index/space.cuh"

namespace sinter::on_gpu {

template <int dims, int indices, class place>
struct found_places {
    space<dims, indices> s;
    place* to;
};

#ifdef SINTER_DEVICE
extern "C" __global__ void sinter_find_places(const found_places<DIMS, INDICES, PLACE> k) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < k.s.total; i += step) {
        i64 place, unused;
        find(k.s, (INDEX)i, place, unused);
        k.to[i] = (PLACE)(place / ITEM);
    }
}
#endif

}  // namespace sinter::on_gpu

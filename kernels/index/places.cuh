// Finds the places that elements are written to through indices. Macro definitions: those of
// space.cuh, and
// PLACE     an unsigned type
// CLAIMS    1: the word of each place gets the number of the last element that names it, from 1
// CARRIES   the bytes of the values that are copied to a dense array of u32, or 0
#pragma once

#include "kernels/index/space.cuh"

namespace sinter::on_gpu {

// Indexed strides of `s` are in places. `words` have zeros before.
template <int dims, int indices, class place>
struct found_places {
    space<dims, indices> s;
    place* to;
    u32 *words, *carried;
};

#ifdef SINTER_DEVICE
extern "C" __global__ void sinter_find_places(const found_places<DIMS, INDICES, PLACE> k) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < k.s.total; i += step) {
        i64 place, from;
        const bool inside = find(k.s, (INDEX)i, place, from);
        k.to[i] = (PLACE)place;
#if CLAIMS
        if (inside) atomicMax(k.words + place, (u32)i + 1);
#else
        (void)inside;
#endif
#if CARRIES
        k.carried[i] = *(const unsigned_of<CARRIES>::type*)(k.s.other + from);
#endif
    }
}
#endif

}  // namespace sinter::on_gpu

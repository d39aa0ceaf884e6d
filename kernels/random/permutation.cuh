// What a shuffle leads to that swaps elements one after the other: step i swaps the elements at i
// and at a random place behind it or i itself. Macro definition: T, the type of the result.
//
// After step i nothing reads or writes place i again, so result i is what the step finds at the
// place that it names. An earlier step that named the same place, the last of them, left there what
// it had found at its own place. If there is none, the place still has its own number. What step j
// finds at place j follows in the same way from the last earlier step that named j, its link. So
// result i is the end of a chain of links. Such a chain has less than two links on the average.
//
// The steps that name a place are neighbours once steps are sorted by the places.
#pragma once

#include "kernels/gpu/elements.cuh"

namespace sinter::on_gpu {

// `places` has the place that each step names. `sorted` are the same in order, of `steps`. The link
// of a step that has none is the step itself.
template <class element>
struct permutation {
    i64 n;
    const u64* words;
    u32 *places, *links;
    const u32 *sorted, *steps;
    element* out;
};

#ifdef SINTER_DEVICE
extern "C" __global__ void sinter_name_places(const permutation<T> k) {
    const i64 threads = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < k.n; i += threads) {
        k.places[i] = (u32)((u64)i + k.words[i] % (u64)(k.n - i));
        k.links[i] = (u32)i;
    }
}
extern "C" __global__ void sinter_link_steps(const permutation<T> k) {
    const i64 threads = (i64)gridDim.x * blockDim.x;
    for (i64 t = (i64)blockIdx.x * blockDim.x + threadIdx.x; t < k.n; t += threads) {
        const u32 place = k.sorted[t];
        const bool last = t + 1 == k.n || k.sorted[t + 1] != place;
        // Nothing follows the link of a place whose own step names it.
        if (last && k.steps[t] != place) k.links[place] = k.steps[t];
    }
}
extern "C" __global__ void sinter_put_permutation(const permutation<T> k) {
    const i64 threads = (i64)gridDim.x * blockDim.x;
    for (i64 t = (i64)blockIdx.x * blockDim.x + threadIdx.x; t < k.n; t += threads) {
        u32 found = k.sorted[t];
        if (t > 0 && k.sorted[t - 1] == found) {
            found = k.steps[t - 1];
            for (u32 link = k.links[found]; link != found; link = k.links[found]) found = link;
        }
        k.out[k.steps[t]] = made<T>(found);
    }
}
#endif

}  // namespace sinter::on_gpu

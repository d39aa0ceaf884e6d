// The space of an indexing operation (space.hpp), for GPU kernels. Macro definitions: DIMS and
// INDICES (the number of each), WRAPS (1: negative indices count from the end) and INDEX (an
// unsigned type that can count the elements).
#pragma once

#include "kernels/index/outside.cuh"

namespace sinter::on_gpu {

// An index, its byte strides, the size of the dimension that it indexes, and the byte stride there.
template <int dims>
struct placement {
    const char* index;
    i64 extent, step;
    list<i64, dims> strides;
};

template <int dims, int indices>
struct space {
    i64 total;
    char *indexed, *other;
    u64* outside;
    list<i64, dims> sizes, indexed_strides, other_strides;
    list<placement<dims>, indices> places;
};

#ifdef SINTER_DEVICE
/// Sets `indexed` and `other` to the byte offsets of element `i` in both operands. Returns false if
/// an index is out of range; k.outside (outside.cuh) then has the first such element of each index.
static __device__ __forceinline__ bool find(const space<DIMS, INDICES>& k, INDEX i, i64& indexed,
                                            i64& other) {
    i64 at[INDICES] = {};
    INDEX rest = i;
    indexed = other = 0;
#pragma unroll
    for (int d = DIMS - 1; d >= 0; d--) {
        const INDEX outer = d ? rest / (INDEX)k.sizes[d] : 0;
        const i64 n = (i64)(rest - outer * (INDEX)k.sizes[d]);
        rest = outer;
        indexed += n * k.indexed_strides[d];
        other += n * k.other_strides[d];
#pragma unroll
        for (int p = 0; p < INDICES; p++) at[p] += n * k.places[p].strides[d];
    }
    bool inside = true;
#pragma unroll
    for (int p = 0; p < INDICES; p++) {
        const i64 index = *(const i64*)(k.places[p].index + at[p]);
        const i64 x = WRAPS && index < 0 ? index + k.places[p].extent : index;
        if (x < 0 || x >= k.places[p].extent) {
            note_outside(k.outside + p * outside_words, (u64)i, index);
            inside = false;
        }
        indexed += x * k.places[p].step;
    }
    return inside;
}
#endif

}  // namespace sinter::on_gpu

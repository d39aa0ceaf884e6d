// Notes elements of an index that are out of range, for the error that names the first.
#pragma once

#include "kernels/gpu/elements.cuh"

namespace sinter::on_gpu {

// Words for each index. They hold 0 while no element is out of range. Each has the position of the
// first such element and 24 bits of the index there, such that earlier elements have larger words:
// one atomic instruction a word, and all words are those of one element.
constexpr int outside_words = 3, outside_piece = 24;

#ifdef SINTER_DEVICE
static __device__ inline void note_outside(u64* words, u64 position, i64 index) {
    for (int p = 0; p < outside_words; p++) {
        const u64 piece = (u64)index >> p * outside_piece & (((u64)1 << outside_piece) - 1);
        atomicMax(words + p, ~(position << outside_piece | piece));
    }
}
/// Returns true if an element was noted by an earlier kernel.
static __device__ inline bool any_outside(const u64* words, i64 indices) {
    for (i64 k = 0; k < indices; k++)
        if (words[k * outside_words]) return true;
    return false;
}
#endif

}  // namespace sinter::on_gpu

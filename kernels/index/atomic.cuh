// Combines elements with those that indices name, in any order: for whole numbers and truth values,
// whose bits do not depend on it. Macro definitions: those of space.cuh, T, the element type, and
// COMBINE, a function below.
#pragma once

#include "kernels/index/space.cuh"

namespace sinter::on_gpu {

#ifdef SINTER_DEVICE
static __device__ inline void add(i32* p, i32 x) { atomicAdd((u32*)p, (u32)x); }
static __device__ inline void add(i64* p, i64 x) { atomicAdd((u64*)p, (u64)x); }

static __device__ inline void keep_larger(i32* p, i32 x) { atomicMax(p, x); }
static __device__ inline void keep_smaller(i32* p, i32 x) { atomicMin(p, x); }
// Not all vendors compare signed words of 64 bits.
template <class better>
static __device__ inline void keep(i64* p, i64 x, better is_better) {
    u64 seen = (u64)x;  // a guess
    while (true) {
        const u64 before = atomicCAS((u64*)p, seen, (u64)x);
        if (before == seen || !is_better(x, (i64)before)) return;
        seen = before;
    }
}
static __device__ inline void keep_larger(i64* p, i64 x) {
    keep(p, x, [](i64 a, i64 b) { return a > b; });
}
static __device__ inline void keep_smaller(i64* p, i64 x) {
    keep(p, x, [](i64 a, i64 b) { return a < b; });
}

// A truth value is a byte of a word, in which only the byte's lowest bit can differ.
static __device__ inline u32* word_of(boolean* p, u32& bit) {
    const u64 at = (u64)p;
    bit = 1u << (at & 3) * 8;
    return (u32*)(at & ~(u64)3);
}
static __device__ inline void set(boolean* p, boolean x) {
    u32 bit;
    u32* const word = word_of(p, bit);
    if (x.byte) atomicOr(word, bit);
}
static __device__ inline void clear(boolean* p, boolean x) {
    u32 bit;
    u32* const word = word_of(p, bit);
    if (!x.byte) atomicAnd(word, ~bit);
}

extern "C" __global__ void sinter_put_in_any_order(const space<DIMS, INDICES> k) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < k.total; i += step) {
        i64 to, from;
        if (find(k, (INDEX)i, to, from)) COMBINE((T*)(k.indexed + to), *(const T*)(k.other + from));
    }
}
#endif

}  // namespace sinter::on_gpu

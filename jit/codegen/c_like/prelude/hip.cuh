// What all kernels for AMD's GPUs begin with: as cuda.cuh.
#pragma once

#define SINTER_DEVICE 1
#define SINTER_FUNCTION static __device__ inline
#define SINTER_MEMBER __device__
#define SINTER_LAUNCH_BOUNDS(threads, blocks) __launch_bounds__(threads)

#include "jit/codegen/c_like/prelude/types.cuh"

// The compiler takes a struct apart and does not always find the whole again, and it keeps narrow
// elements of words in memory unless they are shifted out.
typedef u32 u32x4 __attribute__((ext_vector_type(4)));
template <class P>
static __device__ inline P load_pack(const char* p) {
    if constexpr (sizeof(P) % 16 != 0) return *(const P*)p;
    u32x4 words[(sizeof(P) + 15) / 16];
#pragma unroll
    for (int i = 0; i < (int)(sizeof(P) / 16); i++) words[i] = ((const u32x4*)p)[i];
    P x;
    enum { size = sizeof(typename P::element), in_a_word = size < 4 ? 4 / size : 1 };
    if constexpr (size < 4) {
#pragma unroll
        for (int i = 0; i < P::count; i++)
            x.at[i] = (typename P::element)(words[i / in_a_word / 4][i / in_a_word % 4] >>
                                                i % in_a_word * size * 8 &
                                            (1u << size * 8) - 1u);
    } else {
        __builtin_memcpy(&x, words, sizeof x);
    }
    return x;
}
template <class P>
static __device__ inline void store_pack(char* p, const P& x) {
    if constexpr (sizeof(P) % 16 != 0) {
        *(P*)p = x;
        return;
    }
    u32x4 words[(sizeof(P) + 15) / 16] = {};
    enum { size = sizeof(typename P::element), in_a_word = size < 4 ? 4 / size : 1 };
    if constexpr (size < 4) {
#pragma unroll
        for (int i = 0; i < P::count; i++)
            words[i / in_a_word / 4][i / in_a_word % 4] |= ((u32)x.at[i] & (1u << size * 8) - 1u)
                                                           << i % in_a_word * size * 8;
    } else {
        __builtin_memcpy(words, &x, sizeof x);
    }
#pragma unroll
    for (int i = 0; i < (int)(sizeof(P) / 16); i++) ((u32x4*)p)[i] = words[i];
}

template <class T>
static __device__ inline T lane_down(T x, int by, int width) {
    return (T)__shfl_down(x, by, width);
}
template <class T>
static __device__ inline T lane_first(T x, int width) {
    return (T)__shfl(x, 0, width);
}
template <class T>
static __device__ inline T lane_up(T x, int by, int width) {
    return (T)__shfl_up(x, by, width);
}
template <class T>
static __device__ inline T lane_at(T x, int from, int width) {
    return (T)__shfl(x, from, width);
}
// A bit for each of 32 lanes: a wave has 32 or 64, all of which must call it.
static __device__ inline u32 lanes_where(bool x) {
    return (u32)(__ballot(x) >> (threadIdx.x & (warpSize - 1) & 32));
}
static __device__ inline u32 lanes_like(u32 x, u32 bit) {
    const u32 lanes = lanes_where((x & bit) != 0);
    return x & bit ? lanes : ~lanes;
}

extern "C" __device__ f64 __ocml_sqrt_f64(f64);
static __device__ inline f32 sqrt_f32(f32 x) { return (f32)__ocml_sqrt_f64(x); }

#ifdef __HIPCC_RTC__
#define SINTER_NATIVE_HALF 1
static __device__ inline u16 f32_to_f16(f32 x) { return __builtin_bit_cast(u16, (_Float16)x); }
static __device__ inline f32 f16_to_f32(u16 half) {
    return (f32) __builtin_bit_cast(_Float16, half);
}
#endif

#include "jit/codegen/c_like/prelude/shared.cuh"

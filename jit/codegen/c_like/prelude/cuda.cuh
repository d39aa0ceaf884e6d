// What all kernels for NVIDIA's GPUs begin with. In .cuh files, SINTER_DEVICE tells a kernel's text
// from what the host includes; a SINTER_FUNCTION and a SINTER_MEMBER of a class may be the host's,
// too.
#pragma once

#define SINTER_DEVICE 1
#define SINTER_FUNCTION static __device__ inline
#define SINTER_MEMBER __device__
// At least so many blocks on a multiprocessor. To HIP a second bound means something else.
#define SINTER_LAUNCH_BOUNDS(threads, blocks) __launch_bounds__(threads, blocks)

#include "jit/codegen/c_like/prelude/types.cuh"

template <class P>
static __device__ inline P load_pack(const char* p) {
    return *(const P*)p;
}
template <class P>
static __device__ inline void store_pack(char* p, const P& x) {
    *(P*)p = x;
}

template <class T>
static __device__ inline T lane_down(T x, int by, int width) {
    return (T)__shfl_down_sync(0xffffffffu, x, by, width);
}
template <class T>
static __device__ inline T lane_first(T x, int width) {
    return (T)__shfl_sync(0xffffffffu, x, 0, width);
}
template <class T>
static __device__ inline T lane_up(T x, int by, int width) {
    return (T)__shfl_up_sync(0xffffffffu, x, by, width);
}
template <class T>
static __device__ inline T lane_at(T x, int from, int width) {
    return (T)__shfl_sync(0xffffffffu, x, from, width);
}
// A bit for each of 32 lanes, all of which must call it.
static __device__ inline u32 lanes_where(bool x) { return __ballot_sync(0xffffffffu, x); }

// A bit for each of 32 lanes, all of which must call it: in which x & bit is 0 if it is here, and
// is not if not. In PTX four instructions; from the other the compiler makes seven.
#ifdef __CUDACC_RTC__
static __device__ inline u32 lanes_like(u32 x, u32 bit) {
    u32 lanes;
    asm volatile(
        "{ .reg .pred p;\n"
        "and.b32 %0, %1, %2;\n"
        "setp.ne.u32 p, %0, 0;\n"
        "vote.sync.ballot.b32 %0, p, 0xffffffff;\n"
        "@!p not.b32 %0, %0; }"
        : "=r"(lanes)
        : "r"(x), "r"(bit));
    return lanes;
}
#else
static __device__ inline u32 lanes_like(u32 x, u32 bit) {
    const u32 lanes = lanes_where((x & bit) != 0);
    return x & bit ? lanes : ~lanes;
}
#endif

// Other compilers may not know PTX.
#ifdef __CUDACC_RTC__
#define SINTER_NATIVE_HALF 1
static __device__ inline u16 f32_to_f16(f32 x) {
    u16 half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(x));
    return half;
}
static __device__ inline f32 f16_to_f32(u16 half) {
    f32 x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(half));
    return x;
}
#if __CUDA_ARCH__ >= 800
// One instruction of what are five otherwise. A NaN has other bits.
#define SINTER_NATIVE_MAXIMUM 1
static __device__ inline f32 maximum_f32(f32 a, f32 b) {
    f32 x;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(x) : "f"(a), "f"(b));
    return x;
}
static __device__ inline f32 minimum_f32(f32 a, f32 b) {
    f32 x;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(x) : "f"(a), "f"(b));
    return x;
}
#endif
#endif

#include "jit/codegen/c_like/prelude/shared.cuh"

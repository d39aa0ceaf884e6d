#include "core/compile/prelude.hpp"

namespace gpu_emulator {

// `ms_abi` passes each parameter as one LLVM value, and a larger struct by its address.
const char* const common_prelude = R"(
#define __global__ __attribute__((global, ms_abi))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared, annotate("gpu_emulator_shared")))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __emulated static inline __attribute__((device, always_inline))
#define __emulated_meeting __attribute__((device, convergent, noduplicate))

typedef unsigned long long __emulated_u64;
typedef long long __emulated_i64;
struct __emulated_index { unsigned x, y, z; };
struct __emulated_state {
    __emulated_index thread, block, threads, blocks;
    char* shared;
    void* launch;
};
struct dim3 { unsigned x, y, z; };
extern "C" {
__attribute__((device)) __emulated_state gpu_emulator_state;
__attribute__((device)) void gpu_emulator_fence(__emulated_state*);
__emulated_meeting void gpu_emulator_barrier(__emulated_state*, unsigned line);
__emulated_meeting int gpu_emulator_count(__emulated_state*, unsigned line, int value, int how);
__emulated_meeting const __emulated_u64* gpu_emulator_exchange(
    __emulated_state*, unsigned line, __emulated_u64 mask, __emulated_u64 value);
}
#define threadIdx (gpu_emulator_state.thread)
#define blockIdx (gpu_emulator_state.block)
#define blockDim (gpu_emulator_state.threads)
#define gridDim (gpu_emulator_state.blocks)

#define __syncthreads() gpu_emulator_barrier(&gpu_emulator_state, __LINE__)
#define __syncthreads_count(x) gpu_emulator_count(&gpu_emulator_state, __LINE__, (x) != 0, 0)
#define __syncthreads_and(x) gpu_emulator_count(&gpu_emulator_state, __LINE__, (x) != 0, 1)
#define __syncthreads_or(x) gpu_emulator_count(&gpu_emulator_state, __LINE__, (x) != 0, 2)
__emulated void __threadfence() { gpu_emulator_fence(&gpu_emulator_state); }
__emulated void __threadfence_system() { gpu_emulator_fence(&gpu_emulator_state); }
__emulated void __threadfence_block() {}

__emulated unsigned __emulated_lane() {
    const __emulated_state& s = gpu_emulator_state;
    return ((s.thread.z * s.threads.y + s.thread.y) * s.threads.x + s.thread.x) % warpSize;
}
template <class T>
__emulated __emulated_u64 __emulated_pack(T value) {
    static_assert(sizeof(T) <= 8, "shuffles take up to 8 bytes");
    __emulated_u64 bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    return bits;
}
template <class T>
__emulated T __emulated_shuffle(unsigned line, __emulated_u64 mask, T value, int from) {
    const __emulated_u64* slots =
        gpu_emulator_exchange(&gpu_emulator_state, line, mask, __emulated_pack(value));
    T result;
    __builtin_memcpy(&result, &slots[from], sizeof(T));
    return result;
}
__emulated int __emulated_from(int lane, int width) {
    return (int)(__emulated_lane() & ~(width - 1)) + (lane & (width - 1));
}
__emulated int __emulated_up(int by, int width) {
    const int lane = (int)__emulated_lane();
    return (lane & (width - 1)) < by ? lane : lane - by;
}
__emulated int __emulated_down(int by, int width) {
    const int lane = (int)__emulated_lane();
    return (lane & (width - 1)) + by >= width ? lane : lane + by;
}
__emulated int __emulated_xor(int by, int width) {
    const int lane = (int)__emulated_lane(), from = lane ^ by;
    return (from & ~(width - 1)) > (lane & ~(width - 1)) ? lane : from;
}
__emulated __emulated_u64 __emulated_vote(unsigned line, __emulated_u64 mask, bool value) {
    const __emulated_u64* slots =
        gpu_emulator_exchange(&gpu_emulator_state, line, mask, value ? 1 : 0);
    __emulated_u64 votes = 0;
    for (int lane = 0; lane < warpSize; lane++)
        if (mask >> lane & 1) votes |= (slots[lane] & 1) << lane;
    return votes;
}

#define __emulated_fetch(name, type, builtin) \
    __emulated type name(type* p, type v) { return builtin(p, v, __ATOMIC_RELAXED); }
#define __emulated_fetches(type)                               \
    __emulated_fetch(atomicAdd, type, __atomic_fetch_add)      \
    __emulated_fetch(atomicSub, type, __atomic_fetch_sub)      \
    __emulated_fetch(atomicMin, type, __atomic_fetch_min)      \
    __emulated_fetch(atomicMax, type, __atomic_fetch_max)      \
    __emulated_fetch(atomicAnd, type, __atomic_fetch_and)      \
    __emulated_fetch(atomicOr, type, __atomic_fetch_or)        \
    __emulated_fetch(atomicXor, type, __atomic_fetch_xor)      \
    __emulated_fetch(atomicExch, type, __atomic_exchange_n)    \
    __emulated type atomicCAS(type* p, type expected, type v) { \
        __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
        return expected;                                       \
    }
__emulated_fetches(int)
__emulated_fetches(unsigned)
__emulated_fetches(__emulated_u64)

__emulated int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
__emulated float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
__emulated unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
__emulated float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
__emulated long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
__emulated double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }

__emulated float floorf(float x) { return __builtin_floorf(x); }
__emulated double floor(double x) { return __builtin_floor(x); }
__emulated float ceilf(float x) { return __builtin_ceilf(x); }
__emulated double ceil(double x) { return __builtin_ceil(x); }
__emulated float truncf(float x) { return __builtin_truncf(x); }
__emulated double trunc(double x) { return __builtin_trunc(x); }
__emulated float rintf(float x) { return __builtin_rintf(x); }
__emulated double rint(double x) { return __builtin_rint(x); }
__emulated float fabsf(float x) { return __builtin_fabsf(x); }
__emulated double fabs(double x) { return __builtin_fabs(x); }
__emulated float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
__emulated double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
__emulated float sqrtf(float x) { return __builtin_sqrtf(x); }
__emulated double sqrt(double x) { return __builtin_sqrt(x); }
__emulated float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
__emulated double __dsqrt_rn(double x) { return __builtin_sqrt(x); }
__emulated float __fmaf_rn(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
__emulated double __fma_rn(double x, double y, double z) { return __builtin_fma(x, y, z); }
__emulated int __popc(unsigned x) { return __builtin_popcount(x); }
__emulated int __popcll(__emulated_u64 x) { return __builtin_popcountll(x); }
__emulated int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
__emulated int __clzll(long long x) { return x ? __builtin_clzll((__emulated_u64)x) : 64; }
__emulated int __ffs(int x) { return __builtin_ffs(x); }
__emulated unsigned __umulhi(unsigned x, unsigned y) {
    return (unsigned)((__emulated_u64)x * y >> 32);
}
__emulated __emulated_u64 __umul64hi(__emulated_u64 x, __emulated_u64 y) {
    return (__emulated_u64)((unsigned __int128)x * y >> 64);
}
template <class T>
__emulated T __ldg(const T* p) { return *p; }

struct alignas(8) float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(16) double2 { double x, y; };
struct alignas(8) int2 { int x, y; };
struct alignas(16) int4 { int x, y, z, w; };
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
struct alignas(16) longlong2 { long long x, y; };
struct alignas(16) ulonglong2 { __emulated_u64 x, y; };
__emulated float2 make_float2(float x, float y) { return {x, y}; }
__emulated float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
__emulated double2 make_double2(double x, double y) { return {x, y}; }
__emulated int2 make_int2(int x, int y) { return {x, y}; }
__emulated int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
__emulated uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
__emulated uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
)";

// Arithmetic with a rounding mode in its name is never contracted. Division is a call, because an
// operator would be contracted.
const char* const cuda_prelude = R"(
#define __syncwarp(...) __emulated_syncwarp(__LINE__, ##__VA_ARGS__)
__emulated void __emulated_syncwarp(unsigned line, unsigned mask = 0xffffffffu) {
    gpu_emulator_exchange(&gpu_emulator_state, line, mask, 0);
}
#define __emulated_sync(name, from)                                                          \
    template <class T>                                                                       \
    __emulated T __emulated_##name(unsigned line, unsigned mask, T v, int at, int width = 32) { \
        return __emulated_shuffle(line, mask, v, from(at, width));                           \
    }
__emulated_sync(shfl, __emulated_from)
__emulated_sync(shfl_up, __emulated_up)
__emulated_sync(shfl_down, __emulated_down)
__emulated_sync(shfl_xor, __emulated_xor)
#define __shfl_sync(...) __emulated_shfl(__LINE__, __VA_ARGS__)
#define __shfl_up_sync(...) __emulated_shfl_up(__LINE__, __VA_ARGS__)
#define __shfl_down_sync(...) __emulated_shfl_down(__LINE__, __VA_ARGS__)
#define __shfl_xor_sync(...) __emulated_shfl_xor(__LINE__, __VA_ARGS__)
#define __ballot_sync(mask, x) ((unsigned)__emulated_vote(__LINE__, mask, (x) != 0))
#define __any_sync(mask, x) (__emulated_vote(__LINE__, mask, (x) != 0) != 0)
#define __all_sync(mask, x) (__emulated_vote(__LINE__, mask, (x) != 0) == (mask))
__emulated float __fadd_rn(float x, float y) {
#pragma clang fp contract(off)
    return x + y;
}
__emulated double __dadd_rn(double x, double y) {
#pragma clang fp contract(off)
    return x + y;
}
__emulated float __fmul_rn(float x, float y) {
#pragma clang fp contract(off)
    return x * y;
}
__emulated double __dmul_rn(double x, double y) {
#pragma clang fp contract(off)
    return x * y;
}
__emulated float __fdiv_rn(float x, float y) { return x / y; }
__emulated double __ddiv_rn(double x, double y) { return x / y; }
)";

// All lanes of a wave that run the program at all take part.
const char* const hip_prelude = R"(
__emulated __emulated_u64 __emulated_wave() {
    const __emulated_state& s = gpu_emulator_state;
    const unsigned all = s.threads.x * s.threads.y * s.threads.z;
    const unsigned thread = (s.thread.z * s.threads.y + s.thread.y) * s.threads.x + s.thread.x;
    const unsigned rest = all - thread / warpSize * warpSize;
    const unsigned lanes = rest < warpSize ? rest : warpSize;
    return lanes >= 64 ? ~0ull : (1ull << lanes) - 1;
}
#define __syncwarp() gpu_emulator_exchange(&gpu_emulator_state, __LINE__, __emulated_wave(), 0)
#define __emulated_shfl_any(name, from)                                                 \
    template <class T>                                                                  \
    __emulated T __emulated_##name(unsigned line, T v, int at, int width = warpSize) {  \
        return __emulated_shuffle(line, __emulated_wave(), v, from(at, width));         \
    }
__emulated_shfl_any(shfl, __emulated_from)
__emulated_shfl_any(shfl_up, __emulated_up)
__emulated_shfl_any(shfl_down, __emulated_down)
__emulated_shfl_any(shfl_xor, __emulated_xor)
#define __shfl(...) __emulated_shfl(__LINE__, __VA_ARGS__)
#define __shfl_up(...) __emulated_shfl_up(__LINE__, __VA_ARGS__)
#define __shfl_down(...) __emulated_shfl_down(__LINE__, __VA_ARGS__)
#define __shfl_xor(...) __emulated_shfl_xor(__LINE__, __VA_ARGS__)
#define __ballot(x) __emulated_vote(__LINE__, __emulated_wave(), (x) != 0)
#define __any(x) (__emulated_vote(__LINE__, __emulated_wave(), (x) != 0) != 0)
#define __all(x) (__emulated_vote(__LINE__, __emulated_wave(), (x) != 0) == __emulated_wave())
extern "C" __attribute__((device, always_inline)) inline double __ocml_sqrt_f64(double x) {
    return __builtin_sqrt(x);
}
extern "C" __attribute__((device, always_inline)) inline float __ocml_sqrt_f32(float x) {
    return __builtin_sqrtf(x);
}
)";

}  // namespace gpu_emulator

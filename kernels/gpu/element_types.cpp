#include "kernels/gpu/element_types.hpp"

namespace sinter::gpu_kernels {

const char* const element_types_text = R"(
struct f16 { u16 bits; };
struct bf16 { u16 bits; };
struct boolean { u8 byte; };
struct alignas(8) c64 { f32 re, im; };
struct alignas(16) c128 { f64 re, im; };
struct alignas(16) bits16 { u64 low, high; };

template <class T> struct computed { typedef T type; };
template <> struct computed<f16> { typedef f32 type; };
template <> struct computed<bf16> { typedef f32 type; };
template <> struct computed<boolean> { typedef bool type; };

template <class T>
static __device__ inline T value_of(T x) { return x; }
static __device__ inline f32 value_of(f16 x) { return half_to_f32(x.bits); }
static __device__ inline f32 value_of(bf16 x) { return bfloat_to_f32(x.bits); }
static __device__ inline bool value_of(boolean x) { return x.byte != 0; }

template <class T> struct maker {
    template <class V>
    static __device__ inline T from(V x) { return (T)x; }
};
template <> struct maker<f16> {
    static __device__ inline f16 from(f32 x) { return f16{f32_to_half(x)}; }
};
template <> struct maker<bf16> {
    static __device__ inline bf16 from(f32 x) { return bf16{f32_to_bfloat(x)}; }
};
template <> struct maker<boolean> {
    static __device__ inline boolean from(bool x) { return boolean{(u8)x}; }
};
template <class T, class V>
static __device__ inline T made(V x) { return maker<T>::from(x); }
)";

}  // namespace sinter::gpu_kernels

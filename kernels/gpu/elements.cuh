// Element types of hand-written kernels, in addition to the types of generated kernels.
// `value_of(x)` is the value to compute with, `computed<T>::type` is its type, and `made<T>(value)`
// converts it back to an element. `bits16` can only be moved. `bits_of<T>` is the unsigned type of
// an element's size, which `of_bits<T>` and `to_bits` convert.
#pragma once

#ifndef SINTER_DEVICE
#include "kernels/gpu/arguments.hpp"
#define SINTER_FUNCTION inline
#define SINTER_MEMBER
#else

namespace sinter::on_gpu {

/// NVRTC knows no arrays without elements, so the shortest has one that means nothing.
template <class type, int length>
using list = type[length > 0 ? length : 1];

struct f16 {
    u16 bits;
};
struct bf16 {
    u16 bits;
};
struct boolean {
    u8 byte;
};
struct alignas(8) c64 {
    f32 re, im;
};
struct alignas(16) c128 {
    f64 re, im;
};
struct alignas(16) bits16 {
    u64 low, high;
};

template <class element>
struct computed {
    typedef element type;
};
template <>
struct computed<f16> {
    typedef f32 type;
};
template <>
struct computed<bf16> {
    typedef f32 type;
};
template <>
struct computed<boolean> {
    typedef bool type;
};

template <class element>
static __device__ inline element value_of(element x) {
    return x;
}
static __device__ inline f32 value_of(f16 x) { return f16_to_f32(x.bits); }
static __device__ inline f32 value_of(bf16 x) { return bf16_to_f32(x.bits); }
static __device__ inline bool value_of(boolean x) { return x.byte != 0; }

template <class element>
struct maker {
    template <class value>
    static __device__ inline element from(value x) {
        return (element)x;
    }
};
template <>
struct maker<f16> {
    static __device__ inline f16 from(f32 x) { return f16{f32_to_f16(x)}; }
};
template <>
struct maker<bf16> {
    static __device__ inline bf16 from(f32 x) { return bf16{f32_to_bf16(x)}; }
};
template <>
struct maker<boolean> {
    static __device__ inline boolean from(bool x) { return boolean{(u8)x}; }
};
template <class element, class value>
static __device__ inline element made(value x) {
    return maker<element>::from(x);
}

template <int bytes>
struct unsigned_of;
template <>
struct unsigned_of<1> {
    typedef u8 type;
};
template <>
struct unsigned_of<2> {
    typedef u16 type;
};
template <>
struct unsigned_of<4> {
    typedef u32 type;
};
template <>
struct unsigned_of<8> {
    typedef u64 type;
};
template <class element>
using bits_of = typename unsigned_of<sizeof(element)>::type;
template <class element>
static __device__ inline element of_bits(bits_of<element> bits) {
    return __builtin_bit_cast(element, bits);
}
template <class element>
static __device__ inline bits_of<element> to_bits(element x) {
    return __builtin_bit_cast(bits_of<element>, x);
}

}  // namespace sinter::on_gpu
#endif

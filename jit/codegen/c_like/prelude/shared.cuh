// What kernels of every dialect call. Over SINTER_FUNCTION, and SINTER_NATIVE_HALF where the
// dialect has conversions of half numbers already.
#pragma once

#include "jit/codegen/c_like/prelude/types.cuh"

// Integer quotients and remainders: by zero 0 and the dividend, the minimum by -1 wraps.
SINTER_FUNCTION u8 divide_u8(u8 a, u8 b) { return b == 0 ? 0 : a / b; }
SINTER_FUNCTION u8 remainder_u8(u8 a, u8 b) { return (u8)((u32)a - (u32)divide_u8(a, b) * (u32)b); }
SINTER_FUNCTION i32 divide_i32(i32 a, i32 b) {
    if (b == -1) return (i32)((u32)0 - (u32)a);
    return b == 0 ? 0 : a / b;
}
SINTER_FUNCTION i32 remainder_i32(i32 a, i32 b) {
    return (i32)((u32)a - (u32)divide_i32(a, b) * (u32)b);
}
SINTER_FUNCTION i64 divide_i64(i64 a, i64 b) {
    if (b == -1) return (i64)((u64)0 - (u64)a);
    return b == 0 ? 0 : a / b;
}
SINTER_FUNCTION i64 remainder_i64(i64 a, i64 b) {
    return (i64)((u64)a - (u64)divide_i64(a, b) * (u64)b);
}

// As in half.cpp and bfloat16.cpp, which say why.
#ifndef SINTER_NATIVE_HALF
SINTER_FUNCTION u16 f32_to_f16(f32 x) {
    const u32 word = (u32)__float_as_int(x), sign = word >> 16 & 0x8000u;
    const u32 magnitude = word & 0x7fffffffu;
    const u32 subnormal = (u32)__float_as_int(__int_as_float((i32)magnitude) + 0.5f) - 0x3f000000u;
    const u32 normal = (magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1u)) >> 13;
    const u32 special = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
    const u32 finite = magnitude < 0x38800000u ? subnormal : normal;
    return (u16)(sign | (magnitude < 0x47800000u ? finite : special));
}
SINTER_FUNCTION f32 f16_to_f32(u16 half) {
    const u32 sign = (u32)(half & 0x8000u) << 16, magnitude = (u32)(half & 0x7fffu) << 13;
    const f32 subnormal = __int_as_float((i32)(magnitude + 0x38800000u)) - 0x1p-14f;
    const u32 finite =
        magnitude < 0x00800000u ? (u32)__float_as_int(subnormal) : magnitude + 0x38000000u;
    const u32 special = magnitude + 0x70000000u;
    return __int_as_float((i32)(sign | (magnitude >= 0x0f800000u ? special : finite)));
}
#endif
SINTER_FUNCTION u16 f32_to_bf16(f32 x) {
    const u32 word = (u32)__float_as_int(x), top = word >> 16;
    if ((word & 0x7fffffffu) > 0x7f800000u) return (u16)(top | ((top & 0x7fu) == 0 ? 0x40u : 0u));
    return (u16)((word + 0x7fffu + (top & 1u)) >> 16);
}
SINTER_FUNCTION f32 bf16_to_f32(u16 bfloat) { return __int_as_float((i32)((u32)bfloat << 16)); }

// As in math/arith.hpp: 0 is above -0, and a NaN is the result.
#ifndef SINTER_NATIVE_MAXIMUM
SINTER_FUNCTION f32 maximum_f32(f32 a, f32 b) {
    const f32 equal = __int_as_float(__float_as_int(a) & __float_as_int(b));
    return a != a || a > b ? a : a == b ? equal : b;
}
SINTER_FUNCTION f32 minimum_f32(f32 a, f32 b) {
    const f32 equal = __int_as_float(__float_as_int(a) | __float_as_int(b));
    return a != a || a < b ? a : a == b ? equal : b;
}
#endif

// Of kernels of elements: form.hpp.
template <class T, int n, int size>
struct alignas(size) pack {
    typedef T element;
    enum { count = n };
    T at[n];
};
struct divisor {
    u32 d, factor, shift;
};
SINTER_FUNCTION u32 quotient(u32 n, divisor by) {
    return ((u32)((u64)n * by.factor >> 32) + n) >> by.shift;
}

// Of kernels by rows.
template <class T, int n>
struct alignas(n * sizeof(T)) row_pack {
    T w[n];
};
/// How many of the `length` elements from `begin` on a row of `n0` has.
SINTER_FUNCTION i64 held(i64 begin, i64 length, i64 n0) {
    return n0 - begin < length ? n0 - begin : length;
}

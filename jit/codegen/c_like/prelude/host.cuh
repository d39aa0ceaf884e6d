// What kernels as plain C++ for one thread begin with.
#pragma once

#define SINTER_FUNCTION static inline

#include "jit/codegen/c_like/prelude/types.cuh"

static inline void or_word(u64* word, u64 bits) { *word |= bits; }
static inline i32 __float_as_int(f32 x) { return __builtin_bit_cast(i32, x); }
static inline i64 __double_as_longlong(f64 x) { return __builtin_bit_cast(i64, x); }
static inline f32 __int_as_float(i32 x) { return __builtin_bit_cast(f32, x); }
static inline f64 __longlong_as_double(i64 x) { return __builtin_bit_cast(f64, x); }
template <class P>
static inline P load_pack(const char* p) {
    return *(const P*)p;
}
template <class P>
static inline void store_pack(char* p, const P& x) {
    *(P*)p = x;
}

#include "jit/codegen/c_like/prelude/shared.cuh"

#include "jit/codegen/c_like/program.hpp"

namespace sinter::codegen {

const dialect host_dialect = {
    .name = "host",
    .kernel = "extern \"C\" void",
    .bounded = "",
    .function = "static inline",
    .inlined = "static __attribute__((noinline))",
    .table = "static const",
    .shared = "",
    .launched = "",
    .block = "(i64)0",
    .blocks = "(i64)1",
    .local_thread = "0",
    .block_threads = "1",
    .threaded = false,
    .barrier = ";",
    .lanes = "",
    .or_word = "or_word",
    .fma = {"__builtin_fmaf", "__builtin_fma"},
    .sqrt = {"__builtin_sqrtf", "__builtin_sqrt"},
    .floor = {"__builtin_floorf", "__builtin_floor"},
    .ceil = {"__builtin_ceilf", "__builtin_ceil"},
    .trunc = {"__builtin_truncf", "__builtin_trunc"},
    .rint = {"__builtin_rintf", "__builtin_rint"},
    .abs = {"__builtin_fabsf", "__builtin_fabs"},
    .divide = {"", ""},
    .bits = {"bits_f32", "bits_f64"},
    .from_bits = {"from_bits_f32", "from_bits_f64"},
    .native_macro = "",
    .native_half = "",
    .declarations = R"(static inline void or_word(u64* word, u64 bits) { *word |= bits; }
static inline i32 bits_f32(f32 x) { return __builtin_bit_cast(i32, x); }
static inline i64 bits_f64(f64 x) { return __builtin_bit_cast(i64, x); }
static inline f32 from_bits_f32(i32 x) { return __builtin_bit_cast(f32, x); }
static inline f64 from_bits_f64(i64 x) { return __builtin_bit_cast(f64, x); }
template <class P>
static inline P load_pack(const char* p) { return *(const P*)p; }
template <class P>
static inline void store_pack(char* p, const P& x) { *(P*)p = x; }
)",
};

}  // namespace sinter::codegen

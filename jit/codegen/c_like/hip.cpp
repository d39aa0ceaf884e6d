#include "jit/codegen/c_like/hip.hpp"

#include "jit/codegen/c_like/architectures.hpp"

namespace sinter::codegen {

const dialect hip_dialect = {
    .name = "HIP",
    .kernel = "extern \"C\" __global__ void",
    .bounded = "__launch_bounds__",
    .function = "static __device__ inline",
    .inlined = "static __device__ __forceinline__",
    .table = "static __device__ const",
    .shared = "__shared__",
    .launched = "extern __shared__",
    .block = "(i64)blockIdx.x",
    .blocks = "(i64)gridDim.x",
    .local_thread = "(int)threadIdx.x",
    .block_threads = "(int)blockDim.x",
    .threaded = true,
    .barrier = "__syncthreads()",
    .lanes = R"(template <class T>
static __device__ inline T lane_down(T x, int by, int width) {
    return (T)__shfl_down(x, by, width);
}
template <class T>
static __device__ inline T lane_first(T x, int width) {
    return (T)__shfl(x, 0, width);
}
)",
    .or_word = "atomicOr",
    .fma = {"__builtin_fmaf", "__builtin_fma"},
    // The bare instructions are off by one ulp. The device library's root of a double is correctly
    // rounded, and so is the root of a float that is computed in double and rounded again.
    .sqrt = {"sqrt_f32", "__ocml_sqrt_f64"},
    .floor = {"__builtin_floorf", "__builtin_floor"},
    .ceil = {"__builtin_ceilf", "__builtin_ceil"},
    .trunc = {"__builtin_truncf", "__builtin_trunc"},
    .rint = {"__builtin_rintf", "__builtin_rint"},
    .abs = {"__builtin_fabsf", "__builtin_fabs"},
    .divide = {"", ""},
    .bits = {"__float_as_int", "__double_as_longlong"},
    .from_bits = {"__int_as_float", "__longlong_as_double"},
    .native_macro = "__HIPCC_RTC__",
    .native_half = R"(static __device__ inline u16 f32_to_half(f32 x) {
    return __builtin_bit_cast(u16, (_Float16)x);
}
static __device__ inline f32 half_to_f32(u16 half) {
    return (f32)__builtin_bit_cast(_Float16, half);
}
)",
    // The compiler splits a struct and does not always recombine the access. It also keeps narrow
    // elements of words in memory unless they are shifted out.
    .declarations = R"(typedef u32 u32x4 __attribute__((ext_vector_type(4)));
template <class P>
static __device__ inline P load_pack(const char* p) {
    if constexpr (sizeof(P) % 16 != 0) return *(const P*)p;
    u32x4 words[(sizeof(P) + 15) / 16];
    _Pragma("unroll") for (int i = 0; i < (int)(sizeof(P) / 16); i++)
        words[i] = ((const u32x4*)p)[i];
    P x;
    enum { size = sizeof(typename P::element), in_a_word = size < 4 ? 4 / size : 1 };
    if constexpr (size < 4) {
        _Pragma("unroll") for (int i = 0; i < P::count; i++)
            x.at[i] = (typename P::element)(words[i / in_a_word / 4][i / in_a_word % 4] >>
                                            i % in_a_word * size * 8 & (1u << size * 8) - 1u);
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
        _Pragma("unroll") for (int i = 0; i < P::count; i++)
            words[i / in_a_word / 4][i / in_a_word % 4] |=
                ((u32)x.at[i] & (1u << size * 8) - 1u) << i % in_a_word * size * 8;
    } else {
        __builtin_memcpy(words, &x, sizeof x);
    }
    _Pragma("unroll") for (int i = 0; i < (int)(sizeof(P) / 16); i++)
        ((u32x4*)p)[i] = words[i];
}
extern "C" __device__ f64 __ocml_sqrt_f64(f64);
static __device__ inline f32 sqrt_f32(f32 x) { return (f32)__ocml_sqrt_f64(x); }
)",
};

rtc_library& hip_compiler() {
    // Older releases have hiprtc inside the HIP runtime.
    static constexpr const char* places[] = {
        "libhiprtc.so.7",
        "libhiprtc.so.6",
        "libhiprtc.so.5",
        "libamdhip64.so.5",
        "/opt/rocm/lib/libhiprtc.so",
    };
    // Leaked, like the library it opens: compilations may run while the process exits.
    static rtc_library& library =
        *new rtc_library({"hiprtc", "SINTER_HIPRTC_LIBRARY", places, "hiprtc", "Code"});
    return library;
}

std::string hip_options(const std::string& architecture) {
    return "--offload-arch=" + architecture +
           " -std=c++17 -ffp-contract=off -fno-strict-aliasing "
           "-fhip-fp32-correctly-rounded-divide-sqrt -fno-gpu-flush-denormals-to-zero -w";
}

device_code compile_hip(const std::string& text, const std::string& architecture) {
    const rtc_library& hiprtc = hip_compiler();
    if (hiprtc.why_not().empty() && !hip_knows(hiprtc, architecture))
        return {{}, unknown_architecture(hiprtc, architecture, hip_architectures(hiprtc)), true};
    return hip_compiler().compile(text, hip_options(architecture));
}

}  // namespace sinter::codegen

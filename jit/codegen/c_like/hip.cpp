#include "jit/codegen/c_like/hip.hpp"

#include "jit/codegen/c_like/architectures.hpp"

namespace sinter::embedded {
extern const char prelude_hip[];  // prelude/hip.cuh
}

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
    .prelude = embedded::prelude_hip,
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

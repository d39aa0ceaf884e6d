#include "jit/codegen/c_like/cuda.hpp"

#include "jit/codegen/c_like/architectures.hpp"

#include <cstdlib>

namespace sinter::embedded {
extern const char prelude_cuda[];  // prelude/cuda.cuh
}

namespace sinter::codegen {

const dialect cuda_dialect = {
    .name = "CUDA",
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
    .fma = {"__fmaf_rn", "__fma_rn"},
    .sqrt = {"__fsqrt_rn", "__dsqrt_rn"},
    .floor = {"floorf", "floor"},
    .ceil = {"ceilf", "ceil"},
    .trunc = {"truncf", "trunc"},
    .rint = {"rintf", "rint"},
    .abs = {"fabsf", "fabs"},
    .divide = {"__fdiv_rn", "__ddiv_rn"},
    .prelude = embedded::prelude_cuda,
};

rtc_library& cuda_compiler() {
    // The toolkit's folder is not on the library search path by default.
    static constexpr const char* places[] = {
        "libnvrtc.so.13",
        "libnvrtc.so.12",
        "/usr/local/cuda/lib64/libnvrtc.so.13",
        "/usr/local/cuda/lib64/libnvrtc.so.12",
    };
    // Leaked, like the library it opens: compilations may run while the process exits.
    static rtc_library& library =
        *new rtc_library({"NVRTC", "SINTER_NVRTC_LIBRARY", places, "nvrtc", "CUBIN", "PTX"});
    return library;
}

std::string cuda_options(const std::string& architecture) {
    // Texture and runtime functions, which no kernel uses, take a tenth of a compilation.
    static const bool minimal = std::atoi(cuda_compiler().version().c_str()) >= 13;
    return "--gpu-architecture=" + architecture +
           " --std=c++17 --fmad=false --ftz=false --prec-div=true --prec-sqrt=true "
           "--disable-warnings" +
           (minimal ? " --minimal" : "");
}

device_code compile_cuda(const std::string& text, const std::string& architecture) {
    const rtc_library& nvrtc = cuda_compiler();
    if (!cuda_knows(nvrtc, architecture))
        return {{}, unknown_architecture(nvrtc, architecture, cuda_architectures(nvrtc)), true};
    return cuda_compiler().compile(text, cuda_options(architecture));
}

}  // namespace sinter::codegen

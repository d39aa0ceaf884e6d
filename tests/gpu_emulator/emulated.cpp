#include "tests/gpu_emulator/emulated.hpp"

namespace sinter::testing {

emulated_gpu& emulated_cuda::gpu() {
    static constexpr const char* places[] = {SINTER_EMULATED_CUDA};
    static emulated_gpu& g =
        *new emulated_gpu(runtime::cuda_vendor, SINTER_EMULATED_CUDA,
                          {"NVRTC", "SINTER_NVRTC_LIBRARY", places, "nvrtc", "CUBIN"});
    return g;
}

emulated_gpu& emulated_hip::gpu() {
    static constexpr const char* places[] = {SINTER_EMULATED_HIP};
    static emulated_gpu& g =
        *new emulated_gpu(runtime::hip_vendor, SINTER_EMULATED_HIP,
                          {"hiprtc", "SINTER_HIPRTC_LIBRARY", places, "hiprtc", "Code"});
    return g;
}

}  // namespace sinter::testing

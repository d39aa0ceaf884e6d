#include "tests/gpu_emulator/emulated.hpp"

namespace sinter::testing {
namespace {

/// Set before the library reads the environment, which it does once.
[[maybe_unused]] const int variables = [] {
    setenv("SINTER_EMULATOR_DEVICES", std::to_string(devices).c_str(), 1);
    setenv("SINTER_EMULATOR_MEMORY_MB", std::to_string(device_megabytes).c_str(), 1);
    setenv("SINTER_CUDA_LIBRARY", SINTER_EMULATED_CUDA, 1);
    return setenv("SINTER_HIP_LIBRARY", SINTER_EMULATED_HIP, 1);
}();

}  // namespace

emulated_gpu& emulated_cuda::gpu() {
    static constexpr const char* places[] = {SINTER_EMULATED_CUDA};
    static emulated_gpu& g =
        *new emulated_gpu(runtime::cuda_vendor, SINTER_EMULATED_CUDA,
                          {"NVRTC", &runtime::settings::nvrtc_library, places, "nvrtc", "CUBIN"});
    return g;
}

emulated_gpu& emulated_hip::gpu() {
    static constexpr const char* places[] = {SINTER_EMULATED_HIP};
    static emulated_gpu& g =
        *new emulated_gpu(runtime::hip_vendor, SINTER_EMULATED_HIP,
                          {"hiprtc", &runtime::settings::hiprtc_library, places, "hiprtc", "Code"});
    return g;
}

}  // namespace sinter::testing

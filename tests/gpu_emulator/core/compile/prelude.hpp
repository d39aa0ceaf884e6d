// The declarations that the compilers know without a header, put before each text: keywords,
// built-in variables and functions, for clang's CUDA language compiled for the host.
#pragma once

namespace gpu_emulator {

extern const char* const common_prelude;
extern const char* const cuda_prelude;
extern const char* const hip_prelude;

}  // namespace gpu_emulator

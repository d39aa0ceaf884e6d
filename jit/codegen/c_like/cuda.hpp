// Kernels as CUDA: the dialect, and its compiler NVRTC where it is installed.
#pragma once

#include "jit/codegen/c_like/compiler.hpp"
#include "jit/codegen/c_like/program.hpp"

namespace sinter::codegen {

extern const dialect cuda_dialect;

/// NVRTC, opened on the first call.
rtc_library& cuda_compiler();

/// The compiler's options for an architecture, with spaces between.
std::string cuda_options(const std::string& architecture);

/// A cubin for `architecture`, "sm_90" for instance.
device_code compile_cuda(const std::string& text, const std::string& architecture);

}  // namespace sinter::codegen

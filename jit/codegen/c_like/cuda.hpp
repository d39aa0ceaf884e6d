// CUDA: the dialect, and its compiler NVRTC if it is installed.
#pragma once

#include "jit/codegen/c_like/compiler.hpp"
#include "jit/codegen/c_like/program.hpp"

namespace sinter::codegen {

extern const dialect cuda_dialect;

/// Returns NVRTC, opened on the first call.
rtc_library& cuda_compiler();

/// Returns the compiler's options for an architecture, separated by spaces.
std::string cuda_options(const std::string& architecture);

/// Returns a cubin for `architecture`, for instance "sm_90", or PTX for a virtual one
/// ("compute_90").
device_code compile_cuda(const std::string& text, const std::string& architecture);

}  // namespace sinter::codegen

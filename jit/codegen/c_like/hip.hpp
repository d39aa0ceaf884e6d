// Kernels as HIP: the dialect, and its compiler hiprtc where it is installed.
#pragma once

#include "jit/codegen/c_like/compiler.hpp"
#include "jit/codegen/c_like/program.hpp"

namespace sinter::codegen {

extern const dialect hip_dialect;

/// hiprtc, opened on the first call.
rtc_library& hip_compiler();

/// The compiler's options for an architecture, with spaces between.
std::string hip_options(const std::string& architecture);

/// A code object for `architecture`, "gfx90a" for instance.
device_code compile_hip(const std::string& text, const std::string& architecture);

}  // namespace sinter::codegen

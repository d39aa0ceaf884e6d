// HIP: the dialect, and its compiler hiprtc if it is installed.
#pragma once

#include "jit/codegen/c_like/compiler.hpp"
#include "jit/codegen/c_like/program.hpp"

namespace sinter::codegen {

extern const dialect hip_dialect;

/// Returns hiprtc, opened on the first call.
rtc_library& hip_compiler();

/// Returns the compiler's options for an architecture, separated by spaces.
std::string hip_options(const std::string& architecture);

/// Returns a code object for `architecture`, for instance "gfx90a".
device_code compile_hip(const std::string& text, const std::string& architecture);

}  // namespace sinter::codegen

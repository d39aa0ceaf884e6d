// Which architectures a vendor's run-time compiler makes code for. It is asked before each
// compilation, because hiprtc 5 ends the process over one that it does not know.
#pragma once

#include "jit/codegen/c_like/compiler.hpp"

#include <string>
#include <vector>

namespace sinter::codegen {

/// As the compiler lists them, oldest first: "sm_90", "gfx90a". Empty: it cannot be asked.
std::vector<std::string> cuda_architectures(const rtc_library& nvrtc);
std::vector<std::string> hip_architectures(const rtc_library& hiprtc);

/// Whether the compiler may be given an architecture, its variants ("sm_90a") and features
/// ("gfx90a:xnack-") included. NVRTC that cannot be asked is given all, since it answers with an
/// error; hiprtc only what each of its releases knows.
bool cuda_knows(const rtc_library& nvrtc, const std::string& architecture);
bool hip_knows(const rtc_library& hiprtc, const std::string& architecture);

/// What to compile for a device: its own architecture, or, where NVRTC is older than the device,
/// the newest virtual one before it ("compute_90"), whose code the driver compiles.
std::string cuda_target(const rtc_library& nvrtc, const std::string& architecture);

/// Why the compiler is not asked for an architecture: what it was, what there is, what to do.
std::string unknown_architecture(const rtc_library& compiler, const std::string& architecture,
                                 const std::vector<std::string>& known);

}  // namespace sinter::codegen

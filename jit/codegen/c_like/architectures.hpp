// The architectures that a vendor's run-time compiler supports. Checked before each compilation,
// because hiprtc 5 aborts on an unknown architecture.
#pragma once

#include "jit/codegen/c_like/compiler.hpp"

#include <string>
#include <vector>

namespace sinter::codegen {

/// Returns the architectures that the compiler lists, oldest first: "sm_90", "gfx90a". Empty if it
/// cannot list them.
std::vector<std::string> cuda_architectures(const rtc_library& nvrtc);
std::vector<std::string> hip_architectures(const rtc_library& hiprtc);

/// Returns true if the compiler may be given an architecture, including variants ("sm_90a") and
/// features ("gfx90a:xnack-"). If NVRTC cannot list its architectures, all are allowed, since it
/// reports an error. If hiprtc cannot, only those that every supported release knows are allowed.
bool cuda_knows(const rtc_library& nvrtc, const std::string& architecture);
bool hip_knows(const rtc_library& hiprtc, const std::string& architecture);

/// Returns the target for a device: its architecture, or, if NVRTC is older than the device, the
/// newest virtual architecture before it ("compute_90"), whose code the driver compiles.
std::string cuda_target(const rtc_library& nvrtc, const std::string& architecture);

/// Returns the error text for an unknown architecture: what was asked for, what is supported, what
/// to try.
std::string unknown_architecture(const rtc_library& compiler, const std::string& architecture,
                                 const std::vector<std::string>& known);

}  // namespace sinter::codegen

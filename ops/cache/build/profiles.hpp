// Device profiles: what planning and code generation read of a GPU, so that kernels can be built
// for one that is not here.
#pragma once

#include "runtime/device/gpu.hpp"

#include <memory>
#include <string>

namespace sinter::cache_command {

/// Returns the GPU of a profile: of the file PATH.sdev, of a name in the table ("h200"), or, if
/// `profile` is empty, the first of the architecture there. It has no driver. Throws Error.
std::shared_ptr<const runtime::gpu> gpu_of_profile(const std::string& profile,
                                                   const std::string& architecture);

/// Returns the content of a file that describes a GPU.
std::string profile_text(const runtime::device_properties& p);

/// Returns the names in the table, with their architectures: "h200 (sm_90)".
std::string known_profiles();

}  // namespace sinter::cache_command

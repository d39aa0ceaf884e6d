// What this build and this machine offer.
#pragma once

#include <sinter/config.hpp>

#include <string>

namespace sinter::inline v1 {

/// Version, processor, compiler, kernel cache, BLAS and devices, one a line, each with the reason
/// where it is missing. Opens the plugin, the BLAS and the drivers to see them; for people, not for
/// parsing.
SINTER_API std::string info();

}  // namespace sinter::inline v1

// A report on this build and this machine.
#pragma once

#include <sinter/config.hpp>

#include <string>

namespace sinter::inline v1 {

/// Returns version, processor, compiler, kernel cache, BLAS and devices, one a line, with the
/// reason if one is missing. Opens the plugin, the BLAS and the drivers to see them. For people,
/// not for parsing. PyTorch: torch.__config__.show.
SINTER_API std::string info();

}  // namespace sinter::inline v1

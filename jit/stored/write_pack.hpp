// Makes a pack of kernels.
#pragma once

#include "jit/stored/artefact.hpp"

#include <span>

namespace sinter::code_cache {

/// Returns the bytes of a pack. The same kernels give the same bytes, in whatever order they come.
/// Of several with the same target, key and identity, the first is taken.
bytes write_pack(std::span<const artefact> kernels);

}  // namespace sinter::code_cache

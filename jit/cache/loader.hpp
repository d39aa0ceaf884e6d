// From an image in a file or fresh from the compiler to a function that can be called.
#pragma once

#include "jit/cache/artefact.hpp"
#include "jit/kernel_ir/call.hpp"

namespace sinter::cache {

/// Maps a copy of the image for execution. The mapping is never writable and executable at once,
/// and stays for good: a plan may call it at any time. Throws OutOfMemoryError.
kernel_ir::kernel_fn load_image(const artefact& a);

}  // namespace sinter::cache

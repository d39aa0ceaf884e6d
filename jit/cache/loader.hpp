// Turns an image, from a file or from the compiler, into a function that can be called.
#pragma once

#include "jit/cache/artefact.hpp"
#include "jit/kernel_ir/call.hpp"

namespace sinter::cache {

/// Maps a copy of the image for execution and returns its function. The mapping is never writable
/// and executable at once. It is never unmapped, since a plan may call it at any time. Throws
/// OutOfMemoryError.
kernel_ir::kernel_fn load_image(const artefact& a);

}  // namespace sinter::cache

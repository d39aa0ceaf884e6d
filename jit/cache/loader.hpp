// Turns an image, from a file or from the compiler, into a function that can be called.
#pragma once

#include "jit/stored/artefact.hpp"
#include "jit/kernel_ir/call.hpp"

namespace sinter::code_cache {

/// Returns the function of an image: in place if it is executable, else of a copy that is mapped
/// for execution, never writable and executable at once. Neither is ever unmapped, since a plan may
/// call it at any time. Throws OutOfMemoryError.
kernel_ir::kernel_fn load_image(const artefact& a);

}  // namespace sinter::code_cache

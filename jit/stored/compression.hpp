// Compressed code of GPUs: a driver takes a copy of it anyhow, and it shrinks to a quarter. Code of
// CPUs runs where it lies in its file, so it is never compressed.
#pragma once

#include "jit/stored/artefact.hpp"

namespace sinter::code_cache {

/// Compresses the image of an artefact into `memory`, with libzstd, which is opened by the first
/// call. Leaves it as it is if there is no libzstd, or nothing would be saved.
void compress(artefact& a, bytes& memory);

/// Returns the image of an artefact as it was before. Throws Error if there is no libzstd, or the
/// image is damaged.
bytes plain_image(const artefact& a);

}  // namespace sinter::code_cache

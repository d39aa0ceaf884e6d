// The written kernels for GPUs, by the names that recordings have for their sources.
#pragma once

#include "jit/codegen/c_like/gpu_compiler.hpp"
#include "jit/stored/artefact.hpp"

#include <string>

namespace sinter::cache_command {

/// Returns the source that a record asks for, which is the key of its kernels. Throws Error if this
/// library has none of its name.
std::string text_of_source(code_cache::byte_view request, const codegen::gpu_compiler& c);

}  // namespace sinter::cache_command

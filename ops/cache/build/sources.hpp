// The written kernels for GPUs, by the names that recordings have for their sources.
#pragma once

#include "jit/codegen/c_like/gpu_compiler.hpp"
#include "jit/stored/artefact.hpp"

#include <sinter/dtype.hpp>

#include <span>
#include <string>
#include <vector>

namespace sinter::cache_command {

/// Returns the source that a record asks for, which is the key of its kernels. Throws Error if this
/// library has none of its name.
std::string text_of_source(code_cache::byte_view request, const codegen::gpu_compiler& c);

/// Returns records of the sources that usual operations on these dtypes ask for: tensors of up to
/// two dimensions, with 32-bit offsets.
std::vector<code_cache::bytes> usual_sources(std::span<const ScalarType> dtypes);

/// Returns records of the copies that operations on these dtypes need.
std::vector<code_cache::bytes> usual_moves(std::span<const ScalarType> dtypes);

}  // namespace sinter::cache_command

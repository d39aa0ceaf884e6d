// The keys of GPU code where it is stored. That of a generated kernel is the kernel and the shape
// of its launch, not the text that is compiled: so a change of the generator that alters neither
// results nor arguments keeps stored kernels, and a missing one can be compared with those there.
// That of a handwritten kernel is its text, since nothing else says what its arguments are.
#pragma once

#include "jit/codegen/c_like/gpu_compiler.hpp"
#include "jit/stored/artefact.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::code_cache {

/// What the key of a generated kernel says.
struct device_subject {
    kernel_ir::kernel ir;
    codegen::loop_shape shape;
};

/// Returns the key of a kernel, which is serialised, for a shape.
bytes device_key(byte_view serialized_kernel, const codegen::loop_shape& shape);

/// Returns nothing for a text, and for a key that this library cannot read.
std::optional<device_subject> read_device_key(byte_view key);

/// Returns true for the text of handwritten kernels.
bool is_text(byte_view key);

/// Returns the compiler for what a target is called: "CUDA sm_90". Null for CPUs.
const codegen::gpu_compiler* compiler_of_target(std::string_view target);

/// Returns the text that is compiled for a key.
std::string source_of(const codegen::gpu_compiler& c, byte_view key);

/// Returns the identity of a generated kernel: that of its operations, as on CPUs, and in the ABI a
/// hash of all that the host must know to launch it: its argument, its parts and its memory.
identity identity_of_subject(const kernel_ir::kernel& ir, const codegen::loop_shape& shape,
                             const codegen::c_like_function& printed);

/// Returns the identity of code by its key, for a CPU or a GPU. Nothing if the library cannot read
/// the key.
std::optional<identity> identity_of(std::string_view target, byte_view key);

}  // namespace sinter::code_cache

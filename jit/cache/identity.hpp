// What must agree before code that another build made may run here, and what is only recorded.
#pragma once

#include "jit/kernel_ir/kernel_ir.hpp"
#include "jit/stored/artefact.hpp"

#include <optional>
#include <string_view>

namespace sinter::code_cache {

/// How compiled code is called: jit/kernel_ir/call.hpp, of which a test holds the layout, and for
/// GPUs what a block and a thread compute: jit/codegen/c_like/{program,form}.hpp. Raise this when
/// one of them changes. The argument of a GPU's kernel is hashed besides: device_key.hpp.
inline constexpr uint32_t kernel_abi = 1;

/// What generated code does with the same primitives. Raise this when their code gives other bits
/// than before, or was wrong: kernels of older builds are then compiled again.
inline constexpr uint32_t numerics_version = 1;

/// Returns the identity of a serialised kernel: the ABI, and a hash of the numerics version and of
/// all primitives to which the kernel's operations expand. So a formula that changes makes other
/// kernels; a new operation, or a comment in the generator, does not. Returns nothing for bytes
/// that are no kernel of this library.
std::optional<identity> identity_of_kernel(byte_view serialized);

/// Returns that hash for a kernel of primitives.
uint64_t semantics_of(const kernel_ir::kernel& primitives);

/// Returns the identity of the code of handwritten GPU kernels, whose key is their text.
identity identity_of_text();

/// Returns the version of LLVM and a hash of the generator's sources.
std::string_view cpu_producer();

}  // namespace sinter::code_cache

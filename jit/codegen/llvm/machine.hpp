// Compiles kernels with LLVM.
#pragma once

#include "jit/codegen/llvm/image.hpp"
#include "jit/codegen/protocol.hpp"
#include "jit/kernel_ir/kernel_ir.hpp"

#include <string>
#include <vector>

namespace sinter::codegen {

struct compiled {
    image code;
    std::string error;  // not empty if there is no code
};

/// Compiles kernels at primitive level in one module. If that fails, compiles them one by one, so
/// only the failing kernels carry an error.
std::vector<compiled> compile(const std::vector<kernel_ir::kernel>& kernels, target level,
                              uint32_t mode);

/// Returns LLVM's version as in the build identity.
const char* llvm_version();

}  // namespace sinter::codegen

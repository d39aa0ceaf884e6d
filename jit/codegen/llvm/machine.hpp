// LLVM itself: modules in, object code out.
#pragma once

#include "jit/codegen/llvm/image.hpp"
#include "jit/codegen/protocol.hpp"
#include "jit/kernel_ir/kernel_ir.hpp"

#include <string>
#include <vector>

namespace sinter::codegen {

struct compiled {
    image code;
    std::string error;  // not empty: there is no code
};

/// Compiles kernels at primitive level, in one module. A kernel that cannot be compiled alone
/// carries its error; the others are not affected.
std::vector<compiled> compile(const std::vector<kernel_ir::kernel>& kernels, target level,
                              uint32_t mode);

/// LLVM's version, as the build identity names it.
const char* llvm_version();

}  // namespace sinter::codegen

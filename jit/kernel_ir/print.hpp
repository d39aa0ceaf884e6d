// Text of single instructions, for messages; whole kernels are `print` of kernel_ir.hpp.
#pragma once

#include "jit/kernel_ir/kernel_ir.hpp"

namespace sinter::kernel_ir {

/// Returns one instruction as `print` of a kernel writes it. Never fails, even for an invalid
/// instruction.
std::string print(const instr& i, value_id id);

}  // namespace sinter::kernel_ir

// Text of single instructions, for messages; whole kernels are `print` of kernel_ir.hpp.
#pragma once

#include "jit/kernel_ir/kernel_ir.hpp"

namespace sinter::kernel_ir {

/// One instruction as `print` writes it. Never fails, whatever the instruction holds.
std::string print(const instr& i, value_id id);

}  // namespace sinter::kernel_ir

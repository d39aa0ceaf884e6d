// Emits one kernel of the IR, at primitive level, as LLVM functions: `name`, which is a kernel_fn,
// and helpers that it calls.
#pragma once

#include "jit/codegen/llvm/emit_lanes.hpp"
#include "jit/kernel_ir/kernel_ir.hpp"
#include "jit/kernel_ir/schedule.hpp"

#include <string>

namespace sinter::codegen {

struct emit_options {
    vector_shape shape;
    const char* cpu;
    uint32_t mode;  // protocol.hpp
};

void emit_kernel(llvm::Module& module, const kernel_ir::kernel& k, const emit_options& options,
                 const std::string& name);

}  // namespace sinter::codegen

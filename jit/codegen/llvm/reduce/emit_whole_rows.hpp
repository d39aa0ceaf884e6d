// Rows with reductions that have no more elements than the order has lanes: each is in registers
// from its loads to its stores, whatever the stages, and several go side by side.
#pragma once

#include "jit/codegen/llvm/emit_function.hpp"

namespace sinter::codegen {

/// Whether all rows of a kernel may go so: they are short, and the code is, too.
bool is_whole_in_registers(const kernel_context& context);
void emit_whole_rows(const kernel_context& context);

}  // namespace sinter::codegen

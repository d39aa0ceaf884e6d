// Rows with reductions that have at most as many elements as the order has lanes. Each row stays in
// registers from its loads to its stores through all stages, and several rows run side by side.
#pragma once

#include "jit/codegen/llvm/emit_function.hpp"

namespace sinter::codegen {

/// Returns true if all rows of a kernel are short enough, and its code too, to run this way.
bool is_whole_in_registers(const kernel_context& context);
void emit_whole_rows(const kernel_context& context);

}  // namespace sinter::codegen

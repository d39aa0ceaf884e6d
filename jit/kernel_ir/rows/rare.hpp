// The values that are computed for rare numbers only.
#pragma once

#include "jit/kernel_ir/kernel_ir.hpp"

#include <vector>

namespace sinter::kernel_ir {

/// Returns for each value of a body of primitives the `rare` instruction that owns it, or `none`. A
/// value is owned if only the rarely chosen operand of that instruction needs it, directly or
/// through other owned values.
std::vector<value_id> rare_owners(const std::vector<instr>& body);

}  // namespace sinter::kernel_ir

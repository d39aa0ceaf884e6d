// What is computed for rare numbers only.
#pragma once

#include "jit/kernel_ir/kernel_ir.hpp"

#include <vector>

namespace sinter::kernel_ir {

/// Of each value of a body of primitives the `rare` choice that nothing else needs it than, in
/// other such values or by itself; `none` of all others.
std::vector<value_id> rare_owners(const std::vector<instr>& body);

}  // namespace sinter::kernel_ir

// The cost of a kernel per element, by which launchers divide its rows among threads.
#pragma once

#include "jit/kernel_ir/kernel_ir.hpp"

namespace sinter::kernel_ir {

/// Returns the primitives per element of a kernel at row level. 64-bit primitives count twice,
/// since a vector holds half as many of them.
int64_t element_cost(const kernel& k);

/// Returns the cost of one row that computes in `in`, in the same unit.
int64_t row_cost(uint16_t row, ScalarType in);

}  // namespace sinter::kernel_ir

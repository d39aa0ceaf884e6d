// What a kernel computes for each element, for who divides its work among threads.
#pragma once

#include "jit/kernel_ir/kernel_ir.hpp"

namespace sinter::kernel_ir {

/// Primitives for each element of a kernel at row level, those of 64 bits twice: a vector holds
/// half as many of them.
int64_t element_cost(const kernel& k);

/// The same of one row that computes in `in`.
int64_t row_cost(uint16_t row, ScalarType in);

}  // namespace sinter::kernel_ir

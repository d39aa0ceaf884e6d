// The work of an expression that no program has computed: what it would ask the planner for.
#pragma once

#include <sinter/dtype.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace sinter::plan {

/// Returns the bytes (portable_work.hpp) of one operation: a program of rows over tensors and
/// numbers, in postfix order. All tensors are different ones, dense, of one shape and of this
/// dtype; masks are Bool: the condition of `where`, and operands of bitwise rows if the dtype is no
/// integer. Numbers are whole. Throws Error if the rows do not take such operands.
std::vector<uint8_t> write_expression(std::span<const uint16_t> words, ScalarType dtype);

}  // namespace sinter::plan

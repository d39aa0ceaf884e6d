// One primitive as one C expression.
#pragma once

#include "jit/codegen/c_like/program.hpp"

namespace sinter::codegen {

const char* c_type(kernel_ir::mtype t);

/// A literal of machine type `t`.
std::string c_literal(kernel_ir::mtype t, uint64_t bits);

/// The function that makes a float of the integer with its bits.
const char* c_from_bits(kernel_ir::mtype t);

/// Returns the expression of primitive `i` with operands named a, b and c. Not for memory, scalars,
/// reductions and guards.
std::string c_expression(const dialect& to, const kernel_ir::instr& i, const std::string& a,
                         const std::string& b, const std::string& c);

/// The type of an element in memory, and the conversions to it and from it.
const char* c_memory_type(ScalarType type);
std::string c_narrowed(ScalarType type, const std::string& value);
std::string c_widened(ScalarType type, const std::string& stored);

/// Returns the declarations at the start of every program: types, integer division, narrow types.
std::string c_prelude(const dialect& to);
/// Returns the definition of a constant table of math/tables/tables.hpp, and its name.
std::string c_table(const dialect& to, uint16_t table);
std::string c_table_name(uint16_t table);

}  // namespace sinter::codegen

// One primitive on one scalar: the interpreter's arithmetic, and the definition of each opcode's
// result. It shares no code with host<T> or any code generator.
#pragma once

#include "jit/kernel_ir/kernel_ir.hpp"

namespace sinter::kernel_ir {

/// Returns the result's bits (low bytes, the rest zero) from the operands' bits. Throws
/// InternalError if the formula that made `i` breaks the algebra's rules: a conversion, shift or
/// look-up out of range. Not for loads, stores, arguments, reductions and guards.
uint64_t evaluate(const instr& i, uint64_t a, uint64_t b, uint64_t c);

/// `narrowed` returns the bits in memory of a machine value of logical type `type`; `widened` is
/// the inverse. The bits differ for narrow types only.
uint64_t narrowed(ScalarType type, uint64_t bits);
uint64_t widened(ScalarType type, uint64_t bits);

}  // namespace sinter::kernel_ir

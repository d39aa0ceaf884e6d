// One primitive on one scalar: the interpreter's arithmetic, and the definition of what each opcode
// gives. It shares no code with host<T> or any code generator.
#pragma once

#include "jit/kernel_ir/kernel_ir.hpp"

namespace sinter::kernel_ir {

/// The result's bits, zeros above, from the operands' bits. Throws InternalError where the formula
/// that made `i` breaks the algebra's rules: a conversion, shift or look-up out of range. Not for
/// loads, stores, arguments, reductions and guards.
uint64_t evaluate(const instr& i, uint64_t a, uint64_t b, uint64_t c);

/// The bits in memory of a value of logical type `type`, and the value of such bits. They differ
/// for narrow types only.
uint64_t narrowed(ScalarType type, uint64_t bits);
uint64_t widened(ScalarType type, uint64_t bits);

}  // namespace sinter::kernel_ir

// Primitives of the kernel IR as LLVM values. A value is either uniform (one scalar for all lanes)
// or a vector with one element per lane. Operations accept both.
//
// No value is ever poison, even if a lane holds garbage: conversions are frozen, shift counts and
// table indices wrapped, divisors replaced. So unused arms of selects and inactive lanes are
// harmless.
#pragma once

#include "jit/kernel_ir/kernel_ir.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace sinter::codegen {

using kernel_ir::instr;
using kernel_ir::mtype;

class value_emitter {
public:
    /// `contract` plants a fault: the sum of a product and a value becomes a fused multiply-add.
    value_emitter(llvm::IRBuilder<>& builder, llvm::Module& module, bool contract)
        : b_(builder), module_(module), contract_(contract) {}

    llvm::Type* type(mtype t) const;
    /// Returns the type in memory of a value of a logical type.
    llvm::Type* memory_type(ScalarType t) const;

    llvm::Value* constant(mtype t, uint64_t bits) const;
    llvm::Value* splat(llvm::Value* v, unsigned width);
    /// Splats a uniform value if the other one is a vector.
    void unify(llvm::Value*& x, llvm::Value*& y);

    /// Emits a pure primitive. Unused operands are null; the others may mix uniform values and
    /// vectors.
    llvm::Value* emit(const instr& i, llvm::Value* x, llvm::Value* y, llvm::Value* z);

    /// Convert between a value in memory (memory_type) and its machine value.
    llvm::Value* from_memory(ScalarType t, llvm::Value* stored);
    llvm::Value* to_memory(ScalarType t, llvm::Value* value);

    /// Convert a uniform value to a 64-bit word, low bytes used, and back.
    llvm::Value* to_word(llvm::Value* value);
    llvm::Value* from_word(mtype t, llvm::Value* word);

private:
    llvm::Type* like(llvm::Type* scalar, llvm::Value* shape) const;
    llvm::Value* fence_logic(llvm::Value* v);
    llvm::Value* divide(const instr& i, llvm::Value* x, llvm::Value* y);
    llvm::Value* compare(const instr& i, llvm::Value* x, llvm::Value* y);
    llvm::Value* convert(mtype from, mtype to, llvm::Value* x);
    llvm::Value* convert_or_least(llvm::Value* inside, llvm::Value* whole, llvm::Value* outside);
    llvm::Value* shift_count(llvm::Value* x, llvm::Value* n);
    llvm::Value* lookup(const instr& i, llvm::Value* index);
    llvm::Value* widen_half(llvm::Value* x);
    llvm::Value* narrow_bfloat(llvm::Value* x);
    llvm::Value* widen_bfloat(llvm::Value* x);

    llvm::IRBuilder<>& b_;
    llvm::Module& module_;
    bool contract_;
};

}  // namespace sinter::codegen

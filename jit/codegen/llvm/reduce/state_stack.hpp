// The states of chunks in memory, merged pairwise by index as reduce_order.hpp says.
#pragma once

#include "jit/codegen/llvm/reduce/stage_reductions.hpp"

namespace sinter::codegen {

class state_stack {
public:
    /// Reserves memory for the stage's lanes and states.
    explicit state_stack(stage_reductions& stage, int64_t most_blocks = 1);
    state_stack(const state_stack&) = delete;

    /// Starts with the state of no elements.
    void start();
    /// Pushes the states of chunk `chunk`, of `count` elements, and merges as far as possible:
    /// `keep`, at the same depth for every block, then `raise`.
    void push(const folds& states, llvm::Value* chunk, llvm::Value* count);
    /// Returns the number of states.
    llvm::Value* depth() const { return f_.b.CreateLoad(f_.b.getInt64Ty(), depth_); }
    void keep(const folds& states, llvm::Value* depth);
    void raise(llvm::Value* chunk, llvm::Value* count);
    /// Merges all states, if there are any.
    void merge_rest() { merge(f_.b.CreateSub(depth(), f_.number(1))); }
    /// Sets the row values of the current block.
    void finish() const;

private:
    static constexpr int64_t most_states = 40;  // enough for 2^39 chunks

    /// Merges the two topmost states of every block, so many times.
    void merge(llvm::Value* times);

    stage_reductions& stage_;
    function_emitter& f_;
    llvm::AllocaInst* depth_;
    row_blocks one_;  // all blocks have the same counts
    frame_array counts_;
};

/// Writes the states of chunk `chunk` to kernel_call::partials.
void write_states(const stage_reductions& stage, const folds& states, llvm::Value* chunk,
                  llvm::Value* partials);

}  // namespace sinter::codegen

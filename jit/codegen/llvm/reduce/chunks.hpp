// Rows chunk by chunk. Chosen for stages of which no more is known: rows may be long, and threads
// may share one. Lanes stay in registers if they run along elements and fit, four at a time if they
// run along rows (panels.cpp), else in memory; states merge on a stack.
#pragma once

#include "jit/codegen/llvm/reduce/state_stack.hpp"

namespace sinter::codegen {

class chunk_reducer {
public:
    chunk_reducer(function_emitter& f, int stage) : stage_(f, stage), stack_(stage_) {}

    /// Runs the stage over chunks [begin, end) of the current row, with its element stores if
    /// `stores`. Writes every chunk's state to `partials`. If that is null, here or at run time,
    /// merges the states instead; `finish` may follow.
    void pass(llvm::Value* begin, llvm::Value* end, bool stores, llvm::Value* partials);
    /// Sets the row values of the reductions.
    void finish() const { stack_.finish(); }

private:
    stage_reductions stage_;
    state_stack stack_;
};

/// Returns the states of a chunk. The stage has reserved its lanes.
folds reduce_chunk(stage_reductions& stage, const std::vector<sweep>& sweeps,
                   const chunk_range& chunk);

}  // namespace sinter::codegen

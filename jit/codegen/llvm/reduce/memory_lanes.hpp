// Lanes in memory: accumulators that do not fit in registers, and the ends of those that do. The
// stage has reserved its lanes.
#pragma once

#include "jit/codegen/llvm/reduce/stage_reductions.hpp"

namespace sinter::codegen {

/// Sets the lanes to their start values.
void start_lanes(const stage_reductions& stage, const sweep& s);
/// Reduces [begin, end). If `masked`, skips elements before `from` (unless null) and after `end`.
/// If lanes run along elements, `begin` is at the first accumulator, or a whole number of rounds
/// after it.
void step_lanes(const stage_reductions& stage, const sweep& s, llvm::Value* begin, llvm::Value* end,
                bool masked, llvm::Value* from = nullptr);
/// Reduces a chunk along elements. A long pass is split into parts (loop_fission.hpp).
void step_parts(const stage_reductions& stage, const sweep& s, const chunk_range& chunk);
/// Returns the accumulators of a row as if they had been in registers.
values load_lanes(const stage_reductions& stage, const sweep& s);
/// Returns the states of the chunk that begins at `begin`. If lanes run along rows, folds lanes
/// [0, count), a power of two.
folds fold_lanes(const stage_reductions& stage, const sweep& s, llvm::Value* begin,
                 llvm::Value* count);

}  // namespace sinter::codegen

// The reductions of a stage, and the passes over a row in which their lanes accumulate.
#pragma once

#include "jit/codegen/llvm/loop_fission.hpp"
#include "jit/codegen/llvm/reduce/lane_algebra.hpp"

namespace sinter::codegen {

/// One pass over a chunk. The first sums; the second, if there are moments, sums deviations.
struct sweep {
    std::vector<const reduction*> reductions;
    std::vector<value_id> elements;  // stores included
    bool deviations;
};

/// Lanes folded to one, or states: per reduction of a sweep or a stage, and per row side by side.
using folds = std::vector<std::vector<values>>;

class stage_reductions {
public:
    /// `most` is the number of vectors that hold a whole row; 0: the row may be longer.
    stage_reductions(function_emitter& f, int stage, int64_t most = 0);
    stage_reductions(const stage_reductions&) = delete;
    /// Reserves memory for the lanes and for `most_states` states of each block; returns itself.
    stage_reductions& reserve(int64_t most_states, int64_t most_blocks = 1);
    /// Runs `body` for every block, which is then blocks.current.
    void each_block(const std::function<void()>& body);

    /// Returns the passes over a chunk, the last one with the stage's element stores if `stores`.
    std::vector<sweep> make_sweeps(bool stores) const;
    /// Returns the states after `count` elements of each row, which `fold` sweeps over.
    folds make_states(const std::vector<sweep>& sweeps, llvm::Value* count,
                      const std::function<folds(const sweep&)>& fold);
    /// Expands the results of a first pass to all reductions: some have the same lanes.
    folds for_all(const sweep& first, const folds& found) const;

    /// Splits a pass along elements whose values that are the same for a row are hoisted.
    std::vector<pass_part> split(const sweep& s) const;

    // Accumulators in registers are ordered by reduction, part, row and vector.
    /// Returns the start values of `count` vectors of lanes.
    values fresh(const sweep& s, std::size_t count) const;
    /// Returns the accumulators after a vector of elements for each.
    values round(const sweep& s, std::vector<lane_point>& points, const values& old) const;
    /// Stores the accumulators of a row in memory.
    void store(const sweep& s, const values& lanes) const;
    /// Returns the states of `rows` chunks that begin at `begin`.
    folds fold(const sweep& s, const values& lanes, std::size_t rows, llvm::Value* begin) const;

    function_emitter& f;
    const kernel_ir::stage& stage;
    std::vector<reduction> all;
    bool any_order;   // the result is the same in every order
    int64_t vectors;  // vectors of accumulators that hold the lanes of reduce_order.hpp
    row_blocks blocks;

private:
    sweep make_sweep(bool deviations, bool stores) const;

    std::vector<std::size_t> same_;  // per reduction: the first with the same lanes
};

/// The elements of a chunk.
struct chunk_range {
    llvm::Value *begin, *count, *end;
};
chunk_range range_of(function_emitter& f, llvm::Value* chunk);

}  // namespace sinter::codegen

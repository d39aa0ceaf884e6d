// The lane algebra: what a reduction does with the lanes and chunk states of reduce_order.hpp,
// wherever they are and whatever loops run over them.
#pragma once

#include "jit/codegen/llvm/reduce/frame_array.hpp"
#include "jit/kernel_ir/rows/fragments.hpp"

namespace sinter::codegen {

/// One reduction of a stage. A lane and a state have one or two parts; `values` has one per part.
class reduction {
public:
    /// `n` counts the reductions of a stage.
    reduction(function_emitter& f, value_id id, std::size_t n);

    bool is(op::reduction_kind kind) const { return parts.kind == kind; }
    /// Returns true if both accumulate the same lanes in a first pass.
    bool has_lanes_of(const reduction& other) const;

    /// Returns the start value of the lanes of accumulator `vector`.
    llvm::Value* identity(std::size_t part, llvm::Value* vector) const;
    /// Returns the operands that a vector of elements adds to its lanes, for a fold.
    values prepared(const lane_point& at) const;
    /// Returns the lanes after one more vector of elements; with `deviations`, those of the second
    /// pass of moments.
    values step(const values& old, const lane_point& at, bool deviations) const;
    /// Combines two sets of lanes.
    values combine(values low, const values& high) const;
    /// Folds the accumulators of a row, one for each vector, to one lane.
    values fold(std::vector<values> vectors) const;
    /// Returns the state of the chunk that begins at `begin` from its lanes, folded to one.
    values state_of(values lane, llvm::Value* begin) const;
    /// Returns the mean of `count` elements, the first part of a state of moments.
    llvm::Value* mean(llvm::Value* sum, llvm::Value* count) const;
    /// Merges the states of two ranges of so many elements.
    values merge(values low, llvm::Value* n_low, const values& high, llvm::Value* n_high) const;
    /// Sets the row value from the state of a row.
    void finish(values state) const;

    const value_id id;
    const std::size_t number;
    kernel_ir::reduction_fragments parts;
    std::vector<mtype> lane_types;   // types that a lane accumulates; an index within its chunk
    std::vector<mtype> state_types;  // types of a chunk's state
    frame_array lanes, states;       // those in memory
    values means;                    // of the chunk, one per row side by side; moments only

private:
    function_emitter& f_;
    bool keyed_;  // lanes hold integers that are ordered like the floats
};

/// Returns the width of states as vectors; 0: they are scalars.
inline unsigned state_width(const function_emitter& f) {
    return f.context.along_elements() ? 0 : f.lanes.width();
}

}  // namespace sinter::codegen

// The reductions of a stage, in the order of reduce_order.hpp.
#pragma once

#include "jit/codegen/llvm/emit_function.hpp"
#include "jit/kernel_ir/rows/fragments.hpp"

namespace sinter::codegen {

class reduce_emitter {
public:
    /// For `blocks` vectors of rows; more than one if lanes run along rows and the stage
    /// `goes_by_blocks`. `vectors` is the number of vectors that hold a whole row; 0: the row may
    /// be longer.
    reduce_emitter(function_emitter& f, int stage, int64_t blocks = 1, int64_t vectors = 0);

    /// Returns true if a stage is bound by reading; then adjacent cache lines should be read
    /// together.
    static bool goes_by_blocks(const kernel_context& context, const kernel_ir::stage& stage);
    /// Runs the stage over all chunks of up to `blocks` vectors of rows in [row, end), at least one
    /// vector of rows, one panel of each at a time, and finishes them. `before` emits the row
    /// values of a vector of rows after it is entered; `after` emits what follows the stage.
    void pass_blocks(llvm::Value* row, llvm::Value* end, llvm::Value* chunks,
                     const std::function<void()>& before, const std::function<void()>& after);

    /// Returns true if `pass_few` may run the stage over the current vector of rows and finish it:
    /// rows have few elements and the stage only folds.
    bool has_few() const;
    void pass_few();

    /// Runs the stage's pass over chunks [begin, end) of the current row: its reductions and, with
    /// `stores`, its element stores. If `partials` is not null at run time, every chunk's state is
    /// written there. Otherwise the states merge, and `finish` may follow. If `partials` itself is
    /// null, states always merge.
    void pass(llvm::Value* begin, llvm::Value* end, bool stores, llvm::Value* partials);
    /// Sets the row values of the reductions.
    void finish();
    /// Does what `pass` does without stores, for a row that the call describes run by run.
    void pass_runs(llvm::Value* begin, llvm::Value* end, llvm::Value* partials);

    /// Returns how many rows of one chunk have their accumulators in registers, side by side; 0 if
    /// not even one does.
    std::size_t rows_side_by_side(bool stores);
    /// Runs the stage over `rows` rows of one chunk, all of them entered, and sets their row
    /// values. If they do not fit in registers, `rows` must be 1.
    void pass_rows(std::size_t rows, bool stores);
    /// Does the same without stores for rows that lie wholly at these points, equally many per row.
    /// Values already computed at a point are not recomputed.
    void pass_at(std::vector<lane_point>& points, std::size_t rows);

private:
    using values = lane_emitter::values;

    struct reduction {
        value_id id;
        kernel_ir::reduction_fragments parts;
        std::vector<mtype> lane_types;         // types that a lane accumulates; an index within its
                                               // chunk
        std::vector<mtype> state_types;        // types of a chunk's state
        std::vector<llvm::AllocaInst*> lanes;  // per lane type: accumulators in memory
        std::vector<llvm::AllocaInst*> stack;  // per state type: states that wait to be merged
        values mean;                           // of the chunk, one per row, moments only
        bool keyed = false;                    // lanes hold integers that are ordered like the
                                               // floats
        std::size_t same = 0;                  // the first reduction with the same first pass
    };
    /// One pass over a chunk. The first sums; the second, if there are moments, sums deviations.
    struct sweep {
        std::vector<reduction*> reductions;
        std::vector<value_id> elements;  // stores included
        bool deviations;
    };

    values call(const kernel_ir::fragment& fragment, const values& arguments);
    /// Returns the start value of the lanes of accumulator `vector`.
    llvm::Value* identity(const reduction& r, std::size_t part, llvm::Value* vector);
    /// Combines the accumulators of two sets of lanes.
    values combine(const reduction& r, values low, const values& high);
    /// Returns the state of the chunk that begins at `begin` from its folded lanes.
    values state_of(const reduction& r, values lanes, llvm::Value* begin);
    /// Convert a float to an integer ordered like amax and amin order floats, and back.
    llvm::Value* to_key(const reduction& r, llvm::Value* x);
    llvm::Value* from_key(const reduction& r, llvm::Value* key);
    /// Returns the first reduction with the same lanes in a first pass; `r` itself if there is none
    /// before it.
    std::size_t find_same(const reduction& r) const;
    /// Expands the results of a first pass, one per distinct reduction, to all reductions.
    template <class T>
    std::vector<T> for_all(const sweep& s, const std::vector<T>& found) const {
        std::vector<T> all;
        for (const reduction& r : reductions_)
            for (std::size_t n = 0; n < found.size(); ++n)
                if (s.reductions[n] == &reductions_[r.same]) all.push_back(found[n]);
        return all;
    }
    sweep make_sweep(bool deviations, bool stores);
    std::vector<sweep> make_sweeps(bool stores);
    void chunk(llvm::Value* number, const std::vector<sweep>& sweeps, llvm::Value* partials);
    /// Returns the state of elements [begin, end) per reduction.
    std::vector<values> chunk_states(const std::vector<sweep>& sweeps, llvm::Value* begin,
                                     llvm::Value* end);
    void finish(const reduction& r, values state);
    void leave(const std::vector<values>& states, llvm::Value* number, llvm::Value* count,
               llvm::Value* partials);
    /// Returns the accumulators of the sweep after elements [begin, end), all lanes folded to one.
    std::vector<values> fold_chunk(const sweep& s, llvm::Value* begin, llvm::Value* end);
    /// The folded elements, per reduction of the sweep and per row side by side.
    using folds = std::vector<std::vector<values>>;
    folds fold_rows(const sweep& s, std::size_t rows);
    folds fold_points(const sweep& s, std::vector<lane_point>& points, std::size_t rows);
    /// Folds all accumulators, ordered by reduction, part, row and vector.
    folds fold_all(const sweep& s, const values& all, std::size_t rows);
    void finish_rows(const std::vector<sweep>& sweeps, std::size_t rows,
                     const std::function<folds(const sweep&)>& fold);
    /// Returns the start values of `count` vectors of lanes, ordered by reduction, part and vector.
    values fresh(const sweep& s, std::size_t count);
    /// Returns all accumulators in that order after a vector of elements for each.
    values round(const sweep& s, std::vector<lane_point>& points, const values& old);
    /// Returns the operands that a vector of elements adds to its lanes, for a fold.
    values prepared(const reduction& r, const lane_point& at);
    /// Returns the lane accumulators after one more vector of elements.
    values step(const sweep& s, const reduction& r, const values& old, const lane_point& at);

    /// If lanes run along rows: reduces the chunk's elements, four lanes of the order at a time in
    /// registers. Leaves the accumulators of the lanes that remain to be folded; returns their
    /// number.
    llvm::Value* sweep_quads(const sweep& s, llvm::Value* begin, llvm::Value* end);
    llvm::Value* quarter_of(llvm::Value* begin, llvm::Value* end);
    void sweep_panel(const sweep& s, llvm::Value* from, llvm::Value* begin, llvm::Value* end,
                     llvm::Value* quarter);
    bool in_quads(const sweep& s) const;
    values fold_quad(const reduction& r, const values* lanes);
    static void for_lane(const sweep& s, int64_t k, values& all,
                         const std::function<void(llvm::Value*&)>& visit);

    bool in_registers(const sweep& s, int64_t chunks) const;
    llvm::Value* sweep_registers(const sweep& s, llvm::Value* begin, llvm::Value* end);
    void read_ahead(const sweep& s, llvm::Value* first, int64_t count);
    /// Reduces [begin, end) with the accumulators in memory. If `masked`, skips elements before
    /// `from` (unless null) and after `end`.
    void sweep_memory(const sweep& s, llvm::Value* begin, llvm::Value* end, bool masked,
                      llvm::Value* from = nullptr);
    void fill_identities(const sweep& s);
    /// Returns the accumulators from memory.
    std::vector<values> kept_vectors(const reduction& r);
    values fold_vectors(const reduction& r, std::vector<values> vectors);
    /// Folds the accumulators of lanes [0, count), a power of two.
    values fold_memory(const reduction& r, llvm::Value* count);

    struct piece {
        llvm::Value *begin, *end;
    };
    llvm::Value* piece_words();
    piece enter_piece(const sweep& s, llvm::Value* pieces, llvm::Value* n);
    /// Returns the states of the pieces of the chunk that begins at `begin`.
    std::vector<values> fold_pieces(const sweep& s, llvm::Value* pieces, llvm::Value* count,
                                    llvm::Value* begin);
    std::vector<std::vector<values>> by_vector(const sweep& s, const values& all);

    llvm::Value* accumulator(const reduction& r, std::size_t part, llvm::Value* vector);
    llvm::Value* get(llvm::Value* address, mtype t, unsigned width);
    void put(llvm::Value* value, llvm::Value* address);
    unsigned state_width() const;

    void push(const std::vector<values>& states, llvm::Value* chunk, llvm::Value* count);
    void write(const std::vector<values>& states, llvm::Value* chunk, llvm::Value* partials);
    llvm::Value* state(const reduction& r, std::size_t part, llvm::Value* depth);
    void start();
    void keep(const std::vector<values>& states, llvm::Value* depth);
    void raise(llvm::Value* chunk, llvm::Value* count);
    void each_block(const std::function<void()>& body);
    /// Merges the two topmost states of every block.
    void merge_top();
    void merge(llvm::Value* times);

    function_emitter& f_;
    llvm::IRBuilder<>& b_;
    const kernel_ir::stage& stage_;
    bool any_order_;   // the result is the same in every order
    int64_t vectors_;  // vectors of accumulators that hold the lanes of reduce_order.hpp
    int64_t blocks_;
    // the current block; null: there is one
    llvm::Value *block_ = nullptr, *block_count_ = nullptr;
    std::vector<reduction> reductions_;
    llvm::AllocaInst *depth_ = nullptr, *counts_ = nullptr;
};

}  // namespace sinter::codegen

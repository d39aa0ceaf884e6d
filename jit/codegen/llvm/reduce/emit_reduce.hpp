// The reductions of a stage, in the order of reduce_order.hpp.
#pragma once

#include "jit/codegen/llvm/emit_function.hpp"
#include "jit/kernel_ir/rows/fragments.hpp"

namespace sinter::codegen {

class reduce_emitter {
public:
    /// Of `blocks` vectors of rows; more than one where lanes run along rows and the stage
    /// `goes_by_blocks`. `vectors`: that hold a whole row; 0: it may be longer.
    reduce_emitter(function_emitter& f, int stage, int64_t blocks = 1, int64_t vectors = 0);

    /// Whether a stage does little but read: then what counts is that lines are read together.
    static bool goes_by_blocks(const kernel_context& context, const kernel_ir::stage& stage);
    /// Runs the stage over all chunks of as many vectors of rows as there are blocks and rows from
    /// `row` to `end` (a vector at least), a panel of each at a time, and finishes them: `before`
    /// emits what a vector of rows needs, after it has been entered, `after` what follows.
    void pass_blocks(llvm::Value* row, llvm::Value* end, llvm::Value* chunks,
                     const std::function<void()>& before, const std::function<void()>& after);

    /// Whether `pass_few` may run the stage over the current vector of rows, and finish it: rows
    /// have few elements, of which it makes nothing but folds.
    bool has_few() const;
    void pass_few();

    /// Runs the stage's pass over chunks [begin, end) of the current row: its reductions and, with
    /// `stores`, its element stores. Where `partials` is not null at run time, every chunk's state
    /// goes there; else they merge, and `finish` may follow. `partials` itself null: always merge.
    void pass(llvm::Value* begin, llvm::Value* end, bool stores, llvm::Value* partials);
    /// Sets the row values of the reductions.
    void finish();
    /// What `pass` does without stores, of a row that the call describes run by run.
    void pass_runs(llvm::Value* begin, llvm::Value* end, llvm::Value* partials);

    /// How many rows of one chunk have room for their accumulators in registers, side by side; 0
    /// where not even one has.
    std::size_t rows_side_by_side(bool stores);
    /// Runs the stage over `rows` rows of one chunk, each entered, and sets their row values.
    /// More than have room: one.
    void pass_rows(std::size_t rows, bool stores);
    /// The same without stores, of rows that are whole at these points, as many for each row; what
    /// has been computed there is not computed again.
    void pass_at(std::vector<lane_point>& points, std::size_t rows);

private:
    using values = lane_emitter::values;

    struct reduction {
        value_id id;
        kernel_ir::reduction_fragments parts;
        std::vector<mtype> lane_types;         // what a lane accumulates; an index in its chunk
        std::vector<mtype> state_types;        // what a chunk leaves
        std::vector<llvm::AllocaInst*> lanes;  // per lane type: accumulators in memory
        std::vector<llvm::AllocaInst*> stack;  // per state type: states that wait for a merge
        values mean;                           // of the chunk, one a row, moments only
        bool keyed = false;                    // lanes hold integers in the order of floats
        std::size_t same = 0;                  // the first one that its first pass is the same of
    };
    /// The first pass over a chunk sums; the second, where there are moments, sums deviations.
    struct sweep {
        std::vector<reduction*> reductions;
        std::vector<value_id> elements;  // stores included
        bool deviations;
    };

    values call(const kernel_ir::fragment& fragment, const values& arguments);
    /// What the lanes of accumulator `vector` start with.
    llvm::Value* identity(const reduction& r, std::size_t part, llvm::Value* vector);
    /// Of what two sets of lanes accumulated.
    values combine(const reduction& r, values low, const values& high);
    /// The state of the chunk that begins at `begin`, from what its lanes folded to.
    values state_of(const reduction& r, values lanes, llvm::Value* begin);
    /// A float as an integer in the order of amax and amin, and back.
    llvm::Value* to_key(const reduction& r, llvm::Value* x);
    llvm::Value* from_key(const reduction& r, llvm::Value* key);
    /// The first reduction whose lanes do the same in a first pass; `r` itself if none before it.
    std::size_t find_same(const reduction& r) const;
    /// What a first pass has for each of its reductions, for all reductions.
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
    /// Per reduction, the state of elements [begin, end).
    std::vector<values> chunk_states(const std::vector<sweep>& sweeps, llvm::Value* begin,
                                     llvm::Value* end);
    void finish(const reduction& r, values state);
    void leave(const std::vector<values>& states, llvm::Value* number, llvm::Value* count,
               llvm::Value* partials);
    /// The accumulators of `sweep` after elements [begin, end), all lanes folded to one.
    std::vector<values> fold_chunk(const sweep& s, llvm::Value* begin, llvm::Value* end);
    /// Per reduction of the sweep, per row side by side: the row's elements folded.
    using folds = std::vector<std::vector<values>>;
    folds fold_rows(const sweep& s, std::size_t rows);
    folds fold_points(const sweep& s, std::vector<lane_point>& points, std::size_t rows);
    /// The same of all accumulators, which are by reduction, part, row and vector.
    folds fold_all(const sweep& s, const values& all, std::size_t rows);
    void finish_rows(const std::vector<sweep>& sweeps, std::size_t rows,
                     const std::function<folds(const sweep&)>& fold);
    /// What `count` vectors of lanes begin with: by reduction, part and vector.
    values fresh(const sweep& s, std::size_t count);
    /// All accumulators in that order after a vector of elements for each.
    values round(const sweep& s, std::vector<lane_point>& points, const values& old);
    /// What a vector of elements brings to its lanes, of a fold.
    values prepared(const reduction& r, const lane_point& at);
    /// Lane accumulators after one more vector of elements.
    values step(const sweep& s, const reduction& r, const values& old, const lane_point& at);

    /// Lanes along rows: the chunk's elements, four lanes of the order at a time in registers.
    /// Leaves the accumulators of the lanes that are left to fold; returns their number.
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
    /// Masked, nothing before `from` if that is not null.
    void sweep_memory(const sweep& s, llvm::Value* begin, llvm::Value* end, bool masked,
                      llvm::Value* from = nullptr);
    void fill_identities(const sweep& s);
    /// The accumulators, from memory.
    std::vector<values> kept_vectors(const reduction& r);
    values fold_vectors(const reduction& r, std::vector<values> vectors);
    /// Folds the accumulators of lanes [0, count), a power of two.
    values fold_memory(const reduction& r, llvm::Value* count);

    struct piece {
        llvm::Value *begin, *end;
    };
    llvm::Value* piece_words();
    piece enter_piece(const sweep& s, llvm::Value* pieces, llvm::Value* n);
    /// Of the chunk that begins at `begin`.
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
    /// Merges the two topmost states, of every block.
    void merge_top();
    void merge(llvm::Value* times);

    function_emitter& f_;
    llvm::IRBuilder<>& b_;
    const kernel_ir::stage& stage_;
    bool any_order_;   // the results are the same in every order
    int64_t vectors_;  // of accumulators that the lanes of reduce_order.hpp make
    int64_t blocks_;
    llvm::Value *block_ = nullptr, *block_count_ = nullptr;  // the current one; null: the only one
    std::vector<reduction> reductions_;
    llvm::AllocaInst *depth_ = nullptr, *counts_ = nullptr;
};

}  // namespace sinter::codegen

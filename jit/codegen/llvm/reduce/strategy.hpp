// How the reductions of a kernel run: the one place that chooses among the files of this folder.
#pragma once

#include "jit/codegen/llvm/reduce/stage_reductions.hpp"

#include <optional>

namespace sinter::codegen {

/// How rows run that stay in registers through all stages (whole_rows.cpp).
struct whole_rows {
    int64_t fewest;    // elements of a row
    int64_t vectors;   // of a row
    int64_t together;  // rows side by side
};
/// Returns nothing if rows may be longer than the order has lanes, or their code too long.
std::optional<whole_rows> choose_whole_rows(const kernel_context& context);
void emit_whole_rows(const kernel_context& context, const whole_rows& chosen);

/// How a stage with reductions runs otherwise; `chunks` is in chunks.hpp.
enum class strategy { side_by_side, runs, few, blocks, chunks };
strategy choose_strategy(const kernel_context& context, const kernel_ir::stage& stage);

/// side_by_side: runs a stage over `rows` rows, all of them entered, and sets their row values. If
/// they do not fit in registers, `rows` must be 1.
void reduce_rows(stage_reductions& stage, std::size_t rows, bool stores);
/// Does the same without stores for rows that lie wholly at these points, equally many per row.
/// Values already computed at a point are not recomputed.
void reduce_points(stage_reductions& stage, std::vector<lane_point>& points, std::size_t rows);
/// Returns how many rows of one chunk fit in registers side by side; 0 if not even one does.
std::size_t rows_in_registers(const stage_reductions& stage, bool stores);

/// runs: writes a stage's states of chunks [begin, end) of the current row to `partials`.
void reduce_runs(function_emitter& f, int stage, llvm::Value* begin, llvm::Value* end,
                 llvm::Value* partials);

/// few: runs a stage over the current vector of rows and sets its row values.
void reduce_few(function_emitter& f, int stage);

/// blocks: runs a kernel of one stage over rows [begin, end), at least one wide vector of them.
/// Narrow ones run by chunks.
void reduce_blocks(function_emitter& f, llvm::Value* begin, llvm::Value* end, llvm::Value* chunks);
/// Returns true if the first stage is the only one and bound by reading; then adjacent cache lines
/// should be read together.
bool is_bound_by_reading(const kernel_context& context);

/// Where the lanes of a sweep over a chunk are.
enum class lane_place { registers, panels, memory };
lane_place choose_place(const stage_reductions& stage, const sweep& s);
/// lane_place::panels: returns the states of a chunk. The stage has reserved its lanes.
folds reduce_panels(const stage_reductions& stage, const sweep& s, const chunk_range& chunk);

}  // namespace sinter::codegen

#include "jit/codegen/llvm/reduce/strategy.hpp"

#include "jit/codegen/protocol.hpp"
#include "jit/kernel_ir/reduce_order.hpp"

#include <algorithm>
#include <bit>

namespace sinter::codegen {

using kernel_ir::row_form;
using op::reduction_kind;

namespace {

bool has(const kernel_context& c, const kernel_ir::stage& stage, reduction_kind kind) {
    return std::any_of(stage.reduces.begin(), stage.reduces.end(),
                       [&](value_id r) { return op::reductions[c.at(r).row].kind == kind; });
}

bool in_registers(const stage_reductions& stage, const sweep& s, int64_t rows) {
    const vector_shape shape = stage.f.context.options.shape;
    int64_t work = static_cast<int64_t>(s.elements.size()), bits = 0;
    for (const reduction* r : s.reductions)
        for (mtype t : r->lane_types) {
            work += 4;
            bits += stage.f.lanes.width() * (t == mtype::f64 || t == mtype::i64 ? 64 : 32);
        }
    const int64_t vectors = stage.vectors * rows, registers = shape.bits == 512 ? 20 : 10;
    return bits * vectors <= registers * shape.bits && work * vectors <= 96;
}

}  // namespace

std::optional<whole_rows> choose_whole_rows(const kernel_context& c) {
    if (c.k.form != row_form::up_to_16 && c.k.form != row_form::up_to_32) return std::nullopt;
    int64_t fewest = c.k.form == row_form::up_to_16 ? 1 : 17, most = fewest + 15;
    if (c.k.extent > 0) fewest = most = c.k.extent;
    const auto width = static_cast<int64_t>(c.width);
    const auto full = static_cast<uint64_t>((most + width - 1) / width);
    const auto vectors = static_cast<int64_t>(std::bit_ceil(full));
    int64_t work = 0;  // instructions for one row
    for (const kernel_ir::stage& s : c.order.stages)
        work += static_cast<int64_t>(s.elements.size() + s.stores.size() + 6 * s.reduces.size());
    work *= vectors;
    if (c.fault(mode_fault_lane_order) || vectors > 4 || work > 400) return std::nullopt;
    if (lane_emitter::has_slow_tail(c.k, c.options.shape)) return std::nullopt;
    // Enough rows together that one row's instructions hide the latency of the others, without more
    // code than is worth compiling.
    int64_t together = 4;
    while (together > 1 && (together * work > 320 || together * vectors > 8)) together /= 2;
    return whole_rows{fewest, vectors, together};
}

strategy choose_strategy(const kernel_context& c, const kernel_ir::stage& stage) {
    if (c.k.form == row_form::runs) return strategy::runs;
    if (c.k.one_chunk()) return strategy::side_by_side;
    const bool folds =
        !has(c, stage, reduction_kind::arg) && !has(c, stage, reduction_kind::moments);
    // The code of an element is repeated for every leaf of the tree.
    if (c.k.form == row_form::few && folds && stage.stores.empty() && stage.elements.size() <= 12 &&
        !c.fault(mode_fault_lane_order))
        return strategy::few;
    if (!c.along_elements() && c.k.form != row_form::few && is_bound_by_reading(c))
        return strategy::blocks;
    return strategy::chunks;
}

bool is_bound_by_reading(const kernel_context& c) {
    const kernel_ir::stage& s = c.order.stages[0];
    return c.order.stages.size() == 1 && s.stores.empty() && s.elements.size() <= 4 &&
           !has(c, s, reduction_kind::moments) && !c.fault(mode_fault_lane_order);
}

std::size_t rows_in_registers(const stage_reductions& stage, bool stores) {
    const std::vector<sweep> sweeps = stage.make_sweeps(stores);
    for (std::size_t rows : {4, 2, 1})
        if (std::all_of(sweeps.begin(), sweeps.end(), [&](const sweep& s) {
                return in_registers(stage, s, static_cast<int64_t>(rows));
            }))
            return rows;
    return 0;
}

lane_place choose_place(const stage_reductions& stage, const sweep& s) {
    if (stage.f.context.along_elements())
        return in_registers(stage, s, 1) ? lane_place::registers : lane_place::memory;
    const bool in_quads = stage.any_order || stage.vectors == kernel_ir::reduce_lanes;
    return in_quads && s.elements.size() <= 24 ? lane_place::panels : lane_place::memory;
}

}  // namespace sinter::codegen

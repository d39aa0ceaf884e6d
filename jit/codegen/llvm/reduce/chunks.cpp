#include "jit/codegen/llvm/reduce/chunks.hpp"

#include "jit/codegen/llvm/reduce/memory_lanes.hpp"
#include "jit/codegen/llvm/reduce/strategy.hpp"
#include "jit/kernel_ir/reduce_order.hpp"

namespace sinter::codegen {

using llvm::Value;

namespace {

/// Prefetch distance in a chunk. The hardware prefetcher stops at page ends and restarts in each
/// page.
constexpr uint64_t bytes_ahead = 8192;

/// Prefetches the cache lines that are `bytes_ahead` after `count` elements from `first`, for all
/// operands that the sweep reads.
void read_ahead(function_emitter& f, const sweep& s, Value* first, int64_t count) {
    std::vector<bool> asked(f.context.k.operands.size());
    for (value_id id : s.elements) {
        const instr& i = f.context.at(id);
        if (i.op != kernel_ir::opcode::load || i.dom != kernel_ir::domain::element) continue;
        const auto o = static_cast<std::size_t>(i.a);
        const kernel_ir::operand& kind = f.context.k.operands[o];
        if (kind.lane != kernel_ir::stride_class::unit || asked[o]) continue;
        asked[o] = true;
        f.select_in_blocks();
        Value* at = f.b.CreateGEP(f.values.memory_type(kind.type), f.row_address(o), first);
        at = f.b.CreateConstGEP1_64(f.b.getInt8Ty(), at, bytes_ahead);
        const uint64_t size = elementSize(kind.type);
        for (uint64_t byte = 0; byte < static_cast<uint64_t>(count) * size; byte += 64)
            f.b.CreateIntrinsic(llvm::Intrinsic::prefetch, {f.b.getPtrTy()},
                                {f.b.CreateConstGEP1_64(f.b.getInt8Ty(), at, byte), f.b.getInt32(0),
                                 f.b.getInt32(3), f.b.getInt32(1)});
    }
}

/// Reduces whole rounds of elements [begin, end) in registers and leaves the accumulators in
/// memory. Returns the end of the rounds.
Value* sweep_registers(const stage_reductions& stage, const sweep& s, const chunk_range& chunk) {
    function_emitter& f = stage.f;
    const int64_t width = f.lanes.width(), group = width * stage.vectors;
    auto body = [&](Value* e, const values& old) {
        read_ahead(f, s, e, group);
        std::vector<lane_point> points;
        for (int64_t v = 0; v < stage.vectors; ++v)
            points.push_back(f.point(f.b.CreateAdd(e, f.number(v * width)), nullptr));
        return stage.round(s, points, old);
    };
    Value* whole = f.b.CreateAdd(chunk.begin, f.b.CreateAnd(chunk.count, f.number(-group)));
    const values start = stage.fresh(s, static_cast<std::size_t>(stage.vectors));
    stage.store(s, f.lanes.loop(chunk.begin, whole, group, start, body));
    return whole;
}

folds fold_chunk(const stage_reductions& stage, const sweep& s, const chunk_range& chunk) {
    function_emitter& f = stage.f;
    const lane_place place = choose_place(stage, s);
    if (place == lane_place::panels) return reduce_panels(stage, s, chunk);
    const bool along = f.context.along_elements();
    if (place == lane_place::registers) {
        step_lanes(stage, s, sweep_registers(stage, s, chunk), chunk.end, true);
    } else {
        start_lanes(stage, s);
        if (along)
            step_parts(stage, s, chunk);
        else
            step_lanes(stage, s, chunk.begin, chunk.end, false);
    }
    return fold_lanes(stage, s, chunk.begin, f.number(stage.vectors));
}

}  // namespace

folds reduce_chunk(stage_reductions& stage, const std::vector<sweep>& sweeps,
                   const chunk_range& chunk) {
    return stage.make_states(sweeps, chunk.count,
                             [&](const sweep& s) { return fold_chunk(stage, s, chunk); });
}

void chunk_reducer::pass(Value* begin, Value* end, bool stores, Value* partials) {
    function_emitter& f = stage_.f;
    const std::vector<sweep> sweeps = stage_.make_sweeps(stores);
    auto reduce = [&](Value* number) {
        const chunk_range chunk = range_of(f, number);
        const folds states = reduce_chunk(stage_, sweeps, chunk);
        if (!partials) return stack_.push(states, number, chunk.count);
        Value* merging = f.b.CreateIsNull(partials);
        f.lanes.if_then(merging, [&] { stack_.push(states, number, chunk.count); });
        f.lanes.if_then(f.b.CreateNot(merging),
                        [&] { write_states(stage_, states, number, partials); });
    };
    stack_.start();
    f.lanes.if_then(f.b.CreateICmpSLT(begin, end), [&] {
        for (const sweep& s : sweeps) f.hoist(s.elements);
        f.lanes.each(begin, end, 1, reduce);
        stack_.merge_rest();
    });
}

}  // namespace sinter::codegen

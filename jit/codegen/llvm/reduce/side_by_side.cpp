// Rows of one chunk, several side by side. Chosen if rows have at most one chunk: one row alone has
// few accumulators, each a dependency chain, and stalls while its lanes fold.
#include "jit/codegen/llvm/reduce/chunks.hpp"
#include "jit/codegen/llvm/reduce/strategy.hpp"

namespace sinter::codegen {

using llvm::Value;

namespace {

void finish(stage_reductions& stage, const folds& states, std::size_t rows) {
    stage.f.each_row(rows, [&](std::size_t row) {
        for (const reduction& r : stage.all) r.finish(states[r.number][row]);
    });
}

folds fold_rows(const stage_reductions& stage, const sweep& s, std::size_t rows) {
    function_emitter& f = stage.f;
    const int64_t width = f.lanes.width(), group = width * stage.vectors;
    const auto vectors = static_cast<std::size_t>(stage.vectors);
    f.each_row(rows, [&](std::size_t) { f.hoist(s.elements); });
    Value* whole = f.b.CreateAnd(f.n0, f.number(-group));
    auto body = [&](Value* e, const values& old) {
        std::vector<lane_point> at;
        f.each_row(rows, [&](std::size_t) {
            for (int64_t v = 0; v < stage.vectors; ++v)
                at.push_back(f.point(f.b.CreateAdd(e, f.number(v * width)), nullptr));
        });
        return stage.round(s, at, old);
    };
    values last = f.lanes.loop(f.number(0), whole, group, stage.fresh(s, rows * vectors), body);
    last.pop_back();
    // The rest, masked: the first vector of each row, and the other vectors that still have
    // elements.
    for (std::size_t v = 0; v < vectors; ++v) {
        Value* first = f.b.CreateAdd(whole, f.number(static_cast<int64_t>(v) * width));
        values old;
        for (std::size_t n = v; n < last.size(); n += vectors) old.push_back(last[n]);
        const values now = f.lanes.choose(f.b.CreateICmpSGE(first, f.n0), old, [&] {
            std::vector<lane_point> at;
            f.each_row(rows, [&](std::size_t) {
                at.push_back(f.point(first, f.b.CreateSub(f.n0, first)));
                at.back().mask = at[0].mask;
                f.lanes.mask(at.back());
            });
            return stage.round(s, at, old);
        });
        for (std::size_t n = 0; n < now.size(); ++n) last[v + n * vectors] = now[n];
    }
    return stage.fold(s, last, rows, f.number(0));
}

}  // namespace

void reduce_rows(stage_reductions& stage, std::size_t rows, bool stores) {
    function_emitter& f = stage.f;
    const std::vector<sweep> sweeps = stage.make_sweeps(stores);
    if (rows > rows_in_registers(stage, stores)) {
        stage.reserve(0);
        for (const sweep& s : sweeps) f.hoist(s.elements);
        finish(stage, reduce_chunk(stage, sweeps, {f.number(0), f.n0, f.n0}), 1);
        return;
    }
    auto fold = [&](const sweep& s) { return fold_rows(stage, s, rows); };
    finish(stage, stage.make_states(sweeps, f.n0, fold), rows);
}

void reduce_points(stage_reductions& stage, std::vector<lane_point>& points, std::size_t rows) {
    auto fold = [&](const sweep& s) {
        sweep rest = s;
        function_emitter::drop_computed(rest.elements, points[0]);
        const values lanes = stage.round(rest, points, stage.fresh(s, points.size()));
        return stage.fold(s, lanes, rows, stage.f.number(0));
    };
    finish(stage, stage.make_states(stage.make_sweeps(false), stage.f.n0, fold), rows);
}

}  // namespace sinter::codegen

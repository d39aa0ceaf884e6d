#include "jit/codegen/llvm/reduce/memory_lanes.hpp"

namespace sinter::codegen {

using llvm::Value;

void start_lanes(const stage_reductions& stage, const sweep& s) {
    stage.f.lanes.each(stage.f.number(0), stage.f.number(stage.vectors), 1, [&](Value* v) {
        for (const reduction* r : s.reductions)
            for (std::size_t p = 0; p < r->lane_types.size(); ++p)
                r->lanes.slot(p, v).set(r->identity(p, v));
    });
}

void step_lanes(const stage_reductions& stage, const sweep& s, Value* begin, Value* end,
                bool masked, Value* from) {
    function_emitter& f = stage.f;
    const bool along = f.context.along_elements();
    const int64_t width = along ? f.lanes.width() : 1;
    f.lanes.each(begin, end, width, [&](Value* e) {
        Value* active = masked ? f.lanes.at_most(f.b.CreateSub(end, e), width) : nullptr;
        std::vector<lane_point> points{f.point(e, active)};
        if (from) points[0].skipped = f.b.CreateSub(from, e);
        f.emit_elements(s.elements, points);
        Value* turn = along ? f.b.CreateUDiv(e, f.number(width)) : e;
        turn = f.b.CreateAnd(turn, f.number(stage.vectors - 1));
        for (const reduction* r : s.reductions) {
            const values old = r->lanes.get(turn);
            values next = r->step(old, points[0], s.deviations);
            for (std::size_t p = 0; p < next.size(); ++p) {
                if (masked) next[p] = f.b.CreateSelect(f.lanes.mask(points[0]), next[p], old[p]);
                r->lanes.slot(p, turn).set(next[p]);
            }
        }
    });
}

values load_lanes(const stage_reductions& stage, const sweep& s) {
    values all;
    for (const reduction* r : s.reductions) {
        std::vector<values> lanes;
        for (int64_t v = 0; v < stage.vectors; ++v)
            lanes.push_back(r->lanes.get(stage.f.number(v)));
        for (std::size_t p = 0; p < r->lane_types.size(); ++p)
            for (const values& lane : lanes) all.push_back(lane[p]);
    }
    return all;
}

folds fold_lanes(const stage_reductions& stage, const sweep& s, Value* begin, Value* count) {
    function_emitter& f = stage.f;
    folds states;
    for (const reduction* r : s.reductions) {
        if (f.context.along_elements()) {
            // The lanes of all reductions would not fit in registers together.
            const sweep one{{r}, {}, s.deviations};
            states.push_back(stage.fold(one, load_lanes(stage, one), 1, begin)[0]);
            continue;
        }
        Value* times = f.b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, count, f.b.getTrue());
        f.lanes.each(f.number(0), times, 1, [&](Value* n) {
            Value* half = f.b.CreateLShr(count, f.b.CreateAdd(n, f.number(1)));
            f.lanes.each(f.number(0), half, 1, [&](Value* l) {
                const values high = r->lanes.get(f.b.CreateAdd(l, half));
                r->lanes.set(l, r->combine(r->lanes.get(l), high));
            });
        });
        states.push_back({r->state_of(r->lanes.get(f.number(0)), begin)});
    }
    return states;
}

}  // namespace sinter::codegen

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

namespace {

/// Runs `body` for the points of elements [begin, end), `vectors` at a time as long as so many are
/// left, and adds what it leaves to the lanes. Returns the end of what was reduced.
Value* step(const stage_reductions& stage, const sweep& s, unsigned vectors, Value* begin,
            Value* end, bool masked, const std::function<void(std::vector<lane_point>&)>& body) {
    function_emitter& f = stage.f;
    const bool along = f.context.along_elements();
    const int64_t width = along ? f.lanes.width() : 1;
    Value* last = f.b.CreateSub(end, f.number(width * (vectors - 1)));
    return f.lanes.each(begin, last, width * vectors, [&](Value* e) {
        Value* active = masked ? f.lanes.at_most(f.b.CreateSub(end, e), width) : nullptr;
        std::vector<lane_point> points;
        for (unsigned v = 0; v < vectors; ++v)
            points.push_back(f.point(f.b.CreateAdd(e, f.number(v * width)), active));
        body(points);
        for (unsigned v = 0; v < vectors; ++v) {
            lane_point& at = points[v];
            Value* turn = along ? f.b.CreateUDiv(at.element, f.number(width)) : at.element;
            turn = f.b.CreateAnd(turn, f.number(stage.vectors - 1));
            for (const reduction* r : s.reductions) {
                const values old = r->lanes.get(turn);
                values next = r->step(old, at, s.deviations);
                for (std::size_t p = 0; p < next.size(); ++p) {
                    if (masked) next[p] = f.b.CreateSelect(f.lanes.mask(at), next[p], old[p]);
                    r->lanes.slot(p, turn).set(next[p]);
                }
            }
        }
    });
}

}  // namespace

void step_lanes(const stage_reductions& stage, const sweep& s, Value* begin, Value* end,
                bool masked, Value* from) {
    function_emitter& f = stage.f;
    step(stage, s, 1, begin, end, masked, [&](std::vector<lane_point>& points) {
        if (from) points[0].skipped = f.b.CreateSub(from, points[0].element);
        f.emit_elements(s.elements, points);
    });
}

void step_parts(const stage_reductions& stage, const sweep& s, const chunk_range& chunk) {
    function_emitter& f = stage.f;
    const std::vector<pass_part> parts = stage.split(s);
    const unsigned unroll = f.unroll_of(s.elements, parts.size());
    const auto last = [&](Value* from, Value* to) {
        const auto body = [&](std::vector<lane_point>& points) {
            f.run_part_at(parts.back(), points, from);
        };
        Value* whole = f.b.CreateAnd(f.b.CreateSub(to, from), f.number(-f.lanes.width()));
        whole = f.b.CreateAdd(from, whole);
        Value* rest = from;
        if (unroll > 1) rest = step(stage, s, unroll, rest, whole, false, body);
        rest = step(stage, s, 1, rest, whole, false, body);
        step(stage, s, 1, rest, to, true, body);
    };
    if (parts.size() == 1) return last(chunk.begin, chunk.end);
    f.lanes.each(chunk.begin, chunk.end, f.part_elements(), [&](Value* from) {
        Value* size = f.lanes.at_most(f.b.CreateSub(chunk.end, from), f.part_elements());
        Value* to = f.b.CreateAdd(from, size);
        for (std::size_t p = 0; p + 1 < parts.size(); ++p)
            f.run_part(parts[p], unroll, from, from, to);
        last(from, to);
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

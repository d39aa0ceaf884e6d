// Rows of few elements whose lanes run along rows. Chosen for form `few` if a stage only folds: the
// lanes of the order accumulate so little that the whole tree folds in registers, two leaves at a
// time, without memory.
#include "jit/codegen/llvm/reduce/strategy.hpp"
#include "jit/kernel_ir/reduce_order.hpp"

namespace sinter::codegen {

using llvm::Value;

void reduce_few(function_emitter& f, int number) {
    constexpr int64_t leaves = 8;  // per subtree
    stage_reductions stage(f, number);
    const sweep s = stage.make_sweeps(false)[0];
    const std::size_t count = s.reductions.size();
    // The lanes in use are as many as there are elements, or all. Lanes past the last element hold
    // the identity, which changes nothing. Every eight lanes, `step` apart, form one subtree.
    Value* last = f.b.CreateLShr(f.b.CreateSub(f.n0, f.number(1)), f.number(3));
    Value* bits = f.b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, last, f.b.getFalse());
    Value* step = f.b.CreateShl(f.number(1), f.b.CreateSub(f.number(64), bits));
    step = f.b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, step,
                                     f.number(kernel_ir::reduce_lanes / leaves));
    Value* half = f.b.CreateLShr(step, f.number(1));
    half = f.b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, half, f.number(1));
    Value* apart = f.b.CreateMul(step, f.number(leaves / 2));

    // A node of the tree of lanes has one value for each distinct reduction.
    const values identities = stage.fresh(s, 1);
    auto both = [&](const values& low, const values& high) {
        values made;
        for (std::size_t n = 0; n < count; ++n)
            made.push_back(s.reductions[n]->combine({low[n]}, {high[n]})[0]);
        return made;
    };
    auto upper = [&](const values& two) { return values(&two[count], &two[count] + count); };
    // Folds lanes `first` and `first + apart`. Their first elements are not combined with anything.
    auto pair = [&](Value* first) {
        auto next = [&](Value* e, const values& before) {
            Value* begins = f.b.CreateICmpEQ(e, first);
            auto more = [&](Value* at, const values& old) {
                std::vector<lane_point> points{f.point(at, nullptr)};
                f.emit_elements(s.elements, points);
                values x;
                for (const reduction* r : s.reductions) x.push_back(r->prepared(points[0])[0]);
                return f.lanes.choose(begins, x, [&] { return both(old, x); });
            };
            values now = more(e, before);
            Value* other = f.b.CreateAdd(e, apart);
            const values old = upper(before);
            for (Value* v : f.lanes.choose(f.b.CreateICmpSGE(other, f.n0), old,
                                           [&] { return more(other, old); }))
                now.push_back(v);
            return now;
        };
        values none = identities;
        none.insert(none.end(), identities.begin(), identities.end());
        const values lanes = f.lanes.loop(first, f.n0, kernel_ir::reduce_lanes, none, next);
        return both(lanes, upper(lanes));
    };
    auto four = [&](Value* first) {
        const values low = pair(first);
        return both(low, pair(f.b.CreateAdd(first, f.b.CreateMul(step, f.number(2)))));
    };
    // Subtrees n and n + step / 2 are the children of one node. If a tree is a single node, the
    // identity is the other operand. Lanes start without the identity, which turns a sum of -0 into
    // 0.
    auto node = [&](Value* n, const values& before) {
        auto child = [&](Value* tree, const values& other) {
            const values low = four(tree);
            return both(other, both(low, four(f.b.CreateAdd(tree, step))));
        };
        return both(before, f.lanes.loop(n, step, half, identities, child));
    };
    const values folded = f.lanes.loop(f.number(0), half, 1, identities, node);
    folds states;
    for (std::size_t n = 0; n < count; ++n)
        states.push_back({s.reductions[n]->state_of({folded[n]}, f.number(0))});
    states = stage.for_all(s, states);
    for (const reduction& r : stage.all) r.finish(states[r.number][0]);
}

}  // namespace sinter::codegen

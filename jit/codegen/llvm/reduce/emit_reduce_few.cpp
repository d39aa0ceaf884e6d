// Rows of few elements whose lanes run along rows. The lanes of the order accumulate so little that
// the whole tree folds in registers, two leaves at a time, without memory.
#include "jit/codegen/llvm/reduce/emit_reduce.hpp"
#include "jit/codegen/protocol.hpp"
#include "jit/kernel_ir/reduce_order.hpp"

#include <algorithm>

namespace sinter::codegen {

using llvm::Value;

namespace {

constexpr int64_t leaves = 8;  // per subtree
/// The limit on a leaf's operations, since its code is repeated for every leaf.
constexpr std::size_t most_work = 12;

std::vector<Value*> half_of(const std::vector<Value*>& all, std::size_t n) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(n * all.size() / 2);
    return {begin, begin + static_cast<std::ptrdiff_t>(all.size() / 2)};
}

}  // namespace

bool reduce_emitter::has_few() const {
    const bool folds = std::all_of(reductions_.begin(), reductions_.end(), [](const reduction& r) {
        return r.parts.kind == op::reduction_kind::fold;
    });
    return f_.context.k.form == kernel_ir::row_form::few && folds && stage_.stores.empty() &&
           stage_.elements.size() <= most_work && !f_.context.fault(mode_fault_lane_order);
}

void reduce_emitter::pass_few() {
    const sweep s = make_sweep(false, false);
    // The lanes in use are as many as there are elements, or all. Lanes past the last element hold
    // the identity, which changes nothing. Every eight lanes, `step` apart, form one subtree.
    Value* last = b_.CreateLShr(b_.CreateSub(f_.n0, f_.number(1)), f_.number(3));
    Value* bits = b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, last, b_.getFalse());
    Value* step = b_.CreateShl(f_.number(1), b_.CreateSub(f_.number(64), bits));
    step = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, step,
                                    f_.number(kernel_ir::reduce_lanes / leaves));
    Value* half = b_.CreateLShr(step, f_.number(1));
    half = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, half, f_.number(1));
    Value* apart = b_.CreateMul(step, f_.number(leaves / 2));

    const values identities = fresh(s, 1);
    auto both = [&](const values& low, const values& high) {
        values made;
        for (std::size_t r = 0; r < s.reductions.size(); ++r)
            made.push_back(combine(*s.reductions[r], {low[r]}, {high[r]})[0]);
        return made;
    };
    auto leaf = [&](Value* element) {
        std::vector<lane_point> points{f_.point(element, nullptr)};
        f_.emit_elements(s.elements, points);
        values made;
        for (const reduction* r : s.reductions) made.push_back(prepared(*r, points[0])[0]);
        return made;
    };
    // Folds lanes `first` and `first + apart`. Their first elements are not combined with anything.
    auto pair = [&](Value* first) {
        values none = identities;
        none.insert(none.end(), identities.begin(), identities.end());
        values lanes = f_.lanes.loop(
            first, f_.n0, kernel_ir::reduce_lanes, none, [&](Value* e, const values& before) {
                Value* begins = b_.CreateICmpEQ(e, first);
                auto more = [&](Value* at, const values& old) {
                    const values x = leaf(at);
                    return f_.lanes.choose(begins, x, [&] { return both(old, x); });
                };
                values now = more(e, half_of(before, 0));
                Value* other = b_.CreateAdd(e, apart);
                const values upper = half_of(before, 1);
                for (Value* v : f_.lanes.choose(b_.CreateICmpSGE(other, f_.n0), upper,
                                                [&] { return more(other, upper); }))
                    now.push_back(v);
                return now;
            });
        lanes.pop_back();
        return both(half_of(lanes, 0), half_of(lanes, 1));
    };
    auto four = [&](Value* first) {
        const values low = pair(first);
        const values high = pair(b_.CreateAdd(first, b_.CreateMul(step, f_.number(2))));
        return both(low, high);
    };
    // Subtrees n and n + step / 2 are the children of one node. If a tree is a single node, the
    // identity is the other operand. Lanes start without the identity, which turns a sum of -0 into
    // 0.
    values folded =
        f_.lanes.loop(f_.number(0), half, 1, identities, [&](Value* n, const values& before) {
            values node =
                f_.lanes.loop(n, step, half, identities, [&](Value* tree, const values& other) {
                    const values low = four(tree);
                    return both(other, both(low, four(b_.CreateAdd(tree, step))));
                });
            node.pop_back();
            return both(before, node);
        });
    folded.pop_back();
    std::vector<values> states;
    for (std::size_t n = 0; n < s.reductions.size(); ++n) {
        const reduction& r = *s.reductions[n];
        states.push_back({r.keyed ? from_key(r, folded[n]) : folded[n]});
    }
    states = for_all(s, states);
    for (std::size_t r = 0; r < reductions_.size(); ++r) finish(reductions_[r], states[r]);
}

}  // namespace sinter::codegen

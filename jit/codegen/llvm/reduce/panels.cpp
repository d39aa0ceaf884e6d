// Lanes along rows. Every lane of the order is a vector of rows, which are too many for registers:
// four lanes at a time stay in registers over a panel of elements that fits in a cache. Chosen if
// the elements' values leave registers for them. Blocks are several vectors of rows that run in
// turns, one panel of each at a time: chosen if the stage is bound by reading, since adjacent cache
// lines are then read together.
#include "jit/codegen/llvm/reduce/memory_lanes.hpp"
#include "jit/codegen/llvm/reduce/state_stack.hpp"
#include "jit/codegen/llvm/reduce/strategy.hpp"
#include "jit/kernel_ir/reduce_order.hpp"

namespace sinter::codegen {

using llvm::Value;

namespace {

constexpr int64_t most_blocks = 8;
constexpr std::size_t quad = 4;
// Elements of a panel: accumulators are loaded and stored once per panel. If vectors of rows
// alternate, their panels and accumulators share the second-level cache.
constexpr int64_t panel = 8 * kernel_ir::reduce_lanes;

/// Returns a quarter of the lanes in use. If a chunk has fewer elements than lanes, lanes that hold
/// the identity are skipped: they change nothing.
Value* quarter_of(const stage_reductions& stage, const chunk_range& chunk) {
    function_emitter& f = stage.f;
    Value* last = f.b.CreateLShr(f.b.CreateSub(chunk.count, f.number(1)), 2);
    Value* bits = f.b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, last, f.b.getFalse());
    Value* quarter = f.b.CreateShl(f.number(1), f.b.CreateSub(f.number(64), bits));
    return f.lanes.at_most(quarter, stage.vectors / static_cast<int64_t>(quad));
}

void append(values& all, const values& more) { all.insert(all.end(), more.begin(), more.end()); }

/// Returns each of the four lanes of each reduction. Registers hold them in this order.
folds by_lane(const sweep& s, const values& all) {
    folds lanes;
    auto next = all.begin();
    for (const reduction* r : s.reductions)
        for (values& lane : lanes.emplace_back(quad))
            while (lane.size() < r->lane_types.size()) lane.push_back(*next++);
    return lanes;
}

/// Reduces the panel at `from`. After the last panel, lanes l, l + q, l + 2q and l + 3q fold
/// together, where q is `quarter`.
void reduce_panel(const stage_reductions& stage, const sweep& s, const chunk_range& chunk,
                  Value* quarter, Value* from) {
    function_emitter& f = stage.f;
    Value* to = f.b.CreateAdd(from, f.number(panel));
    to = f.b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, to, chunk.end);
    auto at = [&](Value* first, std::size_t k) {
        Value* distance = f.b.CreateMul(quarter, f.number(static_cast<int64_t>(k)));
        return f.b.CreateAdd(first, distance);
    };
    auto round = [&](Value* first, const values& before) {
        folds now = by_lane(s, before);
        for (std::size_t k = 0; k < quad; ++k) {
            Value* e = at(first, k);
            values old;
            for (const auto& four : now) append(old, four[k]);
            const values more = f.lanes.choose(f.b.CreateICmpSGE(e, to), old, [&] {
                std::vector<lane_point> points{f.point(e, nullptr)};
                return stage.round(s, points, old);
            });
            auto next = more.begin();
            for (auto& four : now)
                for (Value*& part : four[k]) part = *next++;
        }
        values all;
        for (const auto& four : now)
            for (const values& lane : four) append(all, lane);
        return all;
    };
    f.lanes.each(f.number(0), quarter, 1, [&](Value* lane) {
        values fresh;
        for (const reduction* r : s.reductions)
            for (std::size_t k = 0; k < quad; ++k)
                for (std::size_t p = 0; p < r->lane_types.size(); ++p)
                    fresh.push_back(r->identity(p, at(lane, k)));
        const values start = f.lanes.choose(f.b.CreateICmpEQ(from, chunk.begin), fresh, [&] {
            values kept;
            for (const reduction* r : s.reductions)
                for (std::size_t k = 0; k < quad; ++k) append(kept, r->lanes.get(at(lane, k)));
            return kept;
        });
        Value* first = f.b.CreateAdd(from, lane);
        const folds sums = by_lane(s, f.lanes.loop(first, to, stage.vectors, start, round));
        Value* ends = f.b.CreateICmpEQ(to, chunk.end);
        f.lanes.if_then(f.b.CreateNot(ends), [&] {
            for (std::size_t n = 0; n < sums.size(); ++n)
                for (std::size_t k = 0; k < quad; ++k)
                    s.reductions[n]->lanes.set(at(lane, k), sums[n][k]);
        });
        f.lanes.if_then(ends, [&] {
            for (std::size_t n = 0; n < sums.size(); ++n) {
                const reduction& r = *s.reductions[n];
                const values odd = r.combine(sums[n][1], sums[n][3]);
                r.lanes.set(lane, r.combine(r.combine(sums[n][0], sums[n][2]), odd));
            }
        });
    });
}

}  // namespace

folds reduce_panels(const stage_reductions& stage, const sweep& s, const chunk_range& chunk) {
    Value* quarter = quarter_of(stage, chunk);
    stage.f.lanes.each(chunk.begin, chunk.end, panel,
                       [&](Value* from) { reduce_panel(stage, s, chunk, quarter, from); });
    return fold_lanes(stage, s, chunk.begin, quarter);
}

void reduce_blocks(function_emitter& f, Value* begin, Value* end, Value* chunks) {
    stage_reductions stage(f, 0);
    state_stack stack(stage, most_blocks);
    const sweep s = stage.make_sweeps(false)[0];
    const int64_t width = f.lanes.width();
    f.lanes.each(begin, end, most_blocks * width, [&](Value* row) {
        Value* left = f.b.CreateAdd(f.b.CreateSub(end, row), f.number(width - 1));
        stage.blocks.count = f.lanes.at_most(f.b.CreateSDiv(left, f.number(width)), most_blocks);
        Value* last = f.b.CreateSub(end, f.number(width));
        auto in_each = [&](const std::function<void()>& body) {
            stage.each_block([&] {
                Value* at =
                    f.b.CreateAdd(row, f.b.CreateMul(stage.blocks.current, f.number(width)));
                at = f.b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, at, last);
                f.enter_row(at, nullptr);
                f.emit_row(stage.stage.before);
                body();
            });
        };
        stack.start();
        f.lanes.each(f.number(0), chunks, 1, [&](Value* number) {
            const chunk_range chunk = range_of(f, number);
            Value* quarter = quarter_of(stage, chunk);
            f.lanes.each(chunk.begin, chunk.end, panel, [&](Value* from) {
                in_each([&] { reduce_panel(stage, s, chunk, quarter, from); });
            });
            Value* depth = stack.depth();
            stage.each_block([&] {
                const folds states = fold_lanes(stage, s, chunk.begin, quarter);
                stack.keep(stage.for_all(s, states), depth);
            });
            stack.raise(number, chunk.count);
        });
        stack.merge_rest();
        in_each([&] {
            stack.finish();
            f.emit_row(f.context.order.after);
        });
    });
}

}  // namespace sinter::codegen

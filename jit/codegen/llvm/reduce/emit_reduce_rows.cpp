// Reductions whose lanes run along rows. Every lane of the order is a vector of rows, which are too
// many for registers. Four lanes at a time stay in registers over a panel of elements that fits in
// a cache.
#include "jit/codegen/llvm/reduce/emit_reduce.hpp"
#include "jit/codegen/protocol.hpp"
#include "jit/kernel_ir/reduce_order.hpp"

namespace sinter::codegen {

using llvm::Value;

namespace {

constexpr int64_t quad = 4;
// Elements of a panel: accumulators are loaded and stored once per panel. If vectors of rows
// alternate, their panels and accumulators share the second-level cache.
constexpr int64_t panel = 8 * kernel_ir::reduce_lanes;

}  // namespace

bool reduce_emitter::in_quads(const sweep& s) const {
    return (any_order_ || vectors_ == kernel_ir::reduce_lanes) && s.elements.size() <= 24;
}

/// Returns a quarter of the lanes in use. If a chunk has fewer elements than lanes, lanes that hold
/// the identity are skipped: they change nothing.
Value* reduce_emitter::quarter_of(Value* begin, Value* end) {
    Value* last = b_.CreateSub(b_.CreateSub(end, begin), f_.number(1));
    Value* bits =
        b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, b_.CreateLShr(last, 2), b_.getFalse());
    Value* quarter = b_.CreateShl(f_.number(1), b_.CreateSub(f_.number(64), bits));
    return f_.lanes.at_most(quarter, vectors_ / quad);
}

Value* reduce_emitter::sweep_quads(const sweep& s, Value* begin, Value* end) {
    Value* quarter = quarter_of(begin, end);
    f_.lanes.loop(begin, end, panel, {}, [&](Value* from, const values&) {
        sweep_panel(s, from, begin, end, quarter);
        return values{};
    });
    return quarter;
}

/// Reduces the panel at `from` of the chunk [begin, end). After the last panel, lanes l, l + q, l +
/// 2q and l + 3q fold together, where q is a quarter of all lanes.
void reduce_emitter::sweep_panel(const sweep& s, Value* from, Value* begin, Value* end,
                                 Value* quarter) {
    Value* to = b_.CreateAdd(from, f_.number(panel));
    to = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, to, end);
    auto slot_of = [&](Value* lane, int64_t k) {
        return b_.CreateAdd(lane, b_.CreateMul(quarter, f_.number(k)));
    };
    // Visits the accumulators: each reduction, each of the four lanes, each part.
    auto each = [&](const std::function<void(const reduction&, int64_t, std::size_t)>& visit) {
        for (const reduction* r : s.reductions)
            for (int64_t k = 0; k < quad; ++k)
                for (std::size_t p = 0; p < r->lane_types.size(); ++p) visit(*r, k, p);
    };
    f_.lanes.loop(f_.number(0), quarter, 1, {}, [&](Value* lane, const values&) {
        values fresh;
        each([&](const reduction& r, int64_t k, std::size_t p) {
            fresh.push_back(identity(r, p, slot_of(lane, k)));
        });
        values start = f_.lanes.choose(b_.CreateICmpEQ(from, begin), fresh, [&] {
            values kept;
            each([&](const reduction& r, int64_t k, std::size_t p) {
                kept.push_back(
                    get(accumulator(r, p, slot_of(lane, k)), r.lane_types[p], f_.lanes.width()));
            });
            return kept;
        });
        auto round = [&](Value* first, const values& before) {
            values now = before;
            for (int64_t k = 0; k < quad; ++k) {
                Value* e = slot_of(first, k);
                values old;
                for_lane(s, k, now, [&](Value*& v) { old.push_back(v); });
                values more = f_.lanes.choose(b_.CreateICmpSGE(e, to), old, [&] {
                    std::vector<lane_point> points{f_.point(e, nullptr)};
                    f_.emit_elements(s.elements, points);
                    values made;
                    std::size_t at = 0;
                    for (const reduction* r : s.reductions) {
                        auto first_part = old.begin() + static_cast<std::ptrdiff_t>(at);
                        at += r->lane_types.size();
                        values mine(first_part, old.begin() + static_cast<std::ptrdiff_t>(at));
                        values stepped = step(s, *r, mine, points[0]);
                        made.insert(made.end(), stepped.begin(), stepped.end());
                    }
                    return made;
                });
                std::size_t n = 0;
                for_lane(s, k, now, [&](Value*& v) { v = more[n++]; });
            }
            return now;
        };
        values sums = f_.lanes.loop(b_.CreateAdd(from, lane), to, vectors_, start, round);
        sums.pop_back();
        Value* ends = b_.CreateICmpEQ(to, end);
        f_.lanes.if_then(b_.CreateNot(ends), [&] {
            std::size_t n = 0;
            each([&](const reduction& r, int64_t k, std::size_t p) {
                put(sums[n++], accumulator(r, p, slot_of(lane, k)));
            });
        });
        f_.lanes.if_then(ends, [&] {
            auto at = sums.begin();
            for (const reduction* r : s.reductions) {
                values lanes[quad];
                for (values& one : lanes) {
                    auto next = at + static_cast<std::ptrdiff_t>(r->lane_types.size());
                    one.assign(at, next);
                    at = next;
                }
                values folded = fold_quad(*r, lanes);
                for (std::size_t p = 0; p < folded.size(); ++p)
                    put(folded[p], accumulator(*r, p, lane));
            }
        });
        return values{};
    });
}

bool reduce_emitter::goes_by_blocks(const kernel_context& context, const kernel_ir::stage& s) {
    bool moments = false;
    for (value_id r : s.reduces)
        moments |= op::reductions[context.at(r).row].kind == op::reduction_kind::moments;
    return context.order.stages.size() == 1 && s.stores.empty() && !moments &&
           s.elements.size() <= 4 && !context.fault(mode_fault_lane_order);
}

void reduce_emitter::pass_blocks(Value* row, Value* end, Value* chunks,
                                 const std::function<void()>& before,
                                 const std::function<void()>& after) {
    const int64_t width = f_.lanes.width();
    Value* left = b_.CreateAdd(b_.CreateSub(end, row), f_.number(width - 1));
    block_count_ = f_.lanes.at_most(b_.CreateSDiv(left, f_.number(width)), blocks_);
    Value* last = b_.CreateSub(end, f_.number(width));
    const sweep s = make_sweep(false, false);
    auto in_each = [&](const std::function<void()>& body) {
        each_block([&] {
            Value* first = b_.CreateAdd(row, b_.CreateMul(block_, f_.number(width)));
            first = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, first, last);
            f_.enter_row(first, nullptr);
            before();
            body();
        });
    };
    start();
    f_.lanes.loop(f_.number(0), chunks, 1, {}, [&](Value* chunk, const values&) {
        Value* begin = b_.CreateMul(chunk, f_.number(kernel_ir::reduce_chunk));
        Value* length = f_.lanes.at_most(b_.CreateSub(f_.n0, begin), kernel_ir::reduce_chunk);
        Value* end = b_.CreateAdd(begin, length);
        Value* quarter = quarter_of(begin, end);
        f_.lanes.loop(begin, end, panel, {}, [&](Value* from, const values&) {
            in_each([&] { sweep_panel(s, from, begin, end, quarter); });
            return values{};
        });
        Value* depth = get(depth_, mtype::i64, 0);
        each_block([&] {
            std::vector<values> states;
            for (const reduction* r : s.reductions)
                states.push_back(state_of(*r, fold_memory(*r, quarter), begin));
            keep(for_all(s, states), depth);
        });
        raise(chunk, length);
        return values{};
    });
    merge(b_.CreateSub(get(depth_, mtype::i64, 0), f_.number(1)));
    in_each([&] {
        finish();
        after();
    });
}

/// Visits the parts of lane k of four in a list ordered like `each` in sweep_panel.
void reduce_emitter::for_lane(const sweep& s, int64_t k, values& all,
                              const std::function<void(Value*&)>& visit) {
    std::size_t first = 0;
    for (const reduction* r : s.reductions) {
        const std::size_t parts = r->lane_types.size();
        for (std::size_t p = 0; p < parts; ++p)
            visit(all[first + static_cast<std::size_t>(k) * parts + p]);
        first += quad * parts;
    }
}

reduce_emitter::values reduce_emitter::fold_quad(const reduction& r, const values* lanes) {
    return combine(r, combine(r, lanes[0], lanes[2]), combine(r, lanes[1], lanes[3]));
}

}  // namespace sinter::codegen

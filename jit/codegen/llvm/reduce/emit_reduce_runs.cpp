// Rows whose range has several dimensions: the reduced elements are in pieces and are read in
// place.
#include "jit/codegen/llvm/reduce/emit_reduce.hpp"
#include "jit/kernel_ir/reduce_order.hpp"

namespace sinter::codegen {

using llvm::Value;
using op::reduction_kind;

void reduce_emitter::pass_runs(Value* begin, Value* end, Value* partials) {
    const std::vector<sweep> sweeps = make_sweeps(false);
    Value* list = f_.field(offsetof(kernel_ir::kernel_call, pieces), b_.getPtrTy());
    f_.lanes.loop(begin, end, 1, {list}, [&](Value* number, const values& at) {
        Value* first = b_.CreateMul(number, f_.number(kernel_ir::reduce_chunk));
        Value* length = f_.lanes.at_most(b_.CreateSub(f_.n0, first), kernel_ir::reduce_chunk);
        Value* count = get(at[0], mtype::i64, 0);
        Value* pieces = b_.CreateGEP(b_.getInt64Ty(), at[0], f_.number(1));
        std::vector<values> states =
            for_all(sweeps[0], fold_pieces(sweeps[0], pieces, count, first));
        if (sweeps.size() > 1) {
            for (std::size_t r = 0; r < reductions_.size(); ++r)
                if (reductions_[r].parts.kind == reduction_kind::moments)
                    states[r] = reductions_[r].mean =
                        call(reductions_[r].parts.mean, {states[r][0], length});
            const std::vector<values> squares = fold_pieces(sweeps[1], pieces, count, first);
            for (std::size_t n = 0; n < squares.size(); ++n) {
                auto r = static_cast<std::size_t>(sweeps[1].reductions[n] - reductions_.data());
                states[r].push_back(squares[n][0]);
            }
        }
        write(states, number, partials);
        return values{b_.CreateGEP(b_.getInt64Ty(), pieces, b_.CreateMul(count, piece_words()))};
    });
}

Value* reduce_emitter::piece_words() {
    return f_.number(2 + static_cast<int64_t>(f_.context.k.operands.size()));
}

/// Moves to piece `n`; returns its begin and end.
reduce_emitter::piece reduce_emitter::enter_piece(const sweep& s, Value* pieces, Value* n) {
    Value* words = b_.CreateGEP(b_.getInt64Ty(), pieces, b_.CreateMul(n, piece_words()));
    auto word = [&](std::size_t at, bool address) {
        llvm::Type* type = b_.getInt64Ty();
        if (address) type = b_.getPtrTy();
        return b_.CreateLoad(type, b_.CreateConstGEP1_64(b_.getInt64Ty(), words, at));
    };
    for (std::size_t o = 0; o < f_.context.k.operands.size(); ++o) {
        const bool index = f_.context.k.operands[o].use == kernel_ir::role::index;
        f_.set_row_address(o, word(2 + o, !index));
    }
    f_.forget_hoisted();
    f_.hoist(s.elements);
    return {word(0, false), word(1, false)};
}

std::vector<reduce_emitter::values> reduce_emitter::fold_pieces(const sweep& s, Value* pieces,
                                                                Value* count, Value* begin) {
    const int64_t width = f_.lanes.width(), group = width * vectors_;
    // A piece has two parts: the elements before the first whole round of the lanes, with those
    // rounds; then the rest, without rounds.
    struct part {
        Value *from, *to, *end;
    };
    auto each_part = [&](const piece& p, const values& start,
                         const std::function<values(const part&, const values&)>& body) {
        Value* head = b_.CreateAnd(b_.CreateAdd(p.begin, f_.number(group - 1)), f_.number(-group));
        head = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, head, p.end);
        Value* length = b_.CreateAnd(b_.CreateSub(p.end, head), f_.number(-group));
        Value* whole = b_.CreateAdd(head, length);
        values last = f_.lanes.loop(f_.number(0), f_.number(2), 1, start,
                                    [&](Value* n, const values& before) {
                                        Value* first = b_.CreateICmpEQ(n, f_.number(0));
                                        return body({b_.CreateSelect(first, p.begin, whole),
                                                     b_.CreateSelect(first, head, p.end), whole},
                                                    before);
                                    });
        last.pop_back();
        return last;
    };
    std::vector<std::vector<values>> vectors;  // ordered by reduction and vector
    if (in_registers(s, 1)) {
        auto points = [&](Value* e, const part* masked) {
            std::vector<lane_point> made;
            for (int64_t v = 0; v < vectors_; ++v) {
                Value* first = b_.CreateAdd(e, f_.number(v * width));
                made.push_back(f_.point(first, masked ? b_.CreateSub(masked->to, first) : nullptr));
                if (!masked) continue;
                made.back().skipped = b_.CreateSub(masked->from, first);
                f_.lanes.mask(made.back());
            }
            return made;
        };
        auto run_part = [&](const part& p, const values& old) {
            const values now = f_.lanes.choose(b_.CreateICmpEQ(p.from, p.to), old, [&] {
                std::vector<lane_point> at = points(b_.CreateAnd(p.from, f_.number(-group)), &p);
                return round(s, at, old);
            });
            values swept =
                f_.lanes.loop(p.to, p.end, group, now, [&](Value* e, const values& before) {
                    std::vector<lane_point> at = points(e, nullptr);
                    return round(s, at, before);
                });
            swept.pop_back();
            return swept;
        };
        const values start = fresh(s, static_cast<std::size_t>(vectors_));
        values last =
            f_.lanes.loop(f_.number(0), count, 1, start, [&](Value* n, const values& old) {
                return each_part(enter_piece(s, pieces, n), old, run_part);
            });
        last.pop_back();
        vectors = by_vector(s, last);
    } else {
        fill_identities(s);
        f_.lanes.loop(f_.number(0), count, 1, {}, [&](Value* n, const values&) {
            each_part(enter_piece(s, pieces, n), {}, [&](const part& p, const values&) {
                sweep_memory(s, b_.CreateAnd(p.from, f_.number(-width)), p.to, true, p.from);
                sweep_memory(s, p.to, p.end, false);
                return values{};
            });
            return values{};
        });
        for (const reduction* r : s.reductions) vectors.push_back(kept_vectors(*r));
    }
    f_.forget_hoisted();
    std::vector<values> states;
    for (std::size_t r = 0; r < s.reductions.size(); ++r)
        states.push_back(state_of(*s.reductions[r],
                                  fold_vectors(*s.reductions[r], std::move(vectors[r])), begin));
    return states;
}

/// Reorders accumulators from (reduction, part, vector) to (reduction, vector, part).
std::vector<std::vector<reduce_emitter::values>> reduce_emitter::by_vector(const sweep& s,
                                                                           const values& all) {
    std::vector<std::vector<values>> sorted;
    const std::size_t count = static_cast<std::size_t>(vectors_);
    auto at = all.begin();
    for (const reduction* r : s.reductions) {
        std::vector<values>& vectors = sorted.emplace_back(count);
        for (std::size_t p = 0; p < r->lane_types.size(); ++p)
            for (values& vector : vectors) vector.push_back(*at++);
    }
    return sorted;
}

}  // namespace sinter::codegen

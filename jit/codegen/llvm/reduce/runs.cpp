// Rows whose reduced range has several dimensions. Chosen for form `runs`: the elements of a chunk
// are in pieces, which the call lists, and are read in place.
#include "jit/codegen/llvm/reduce/memory_lanes.hpp"
#include "jit/codegen/llvm/reduce/state_stack.hpp"
#include "jit/codegen/llvm/reduce/strategy.hpp"
#include "jit/kernel_ir/call.hpp"

namespace sinter::codegen {

using llvm::Value;

namespace {

class piece_reducer {
public:
    piece_reducer(const stage_reductions& stage, const sweep& s)
        : f_(stage.f),
          stage_(stage),
          sweep_(s),
          registers_(choose_place(stage, s) == lane_place::registers),
          width_(f_.lanes.width()),
          group_(width_ * stage.vectors) {}

    /// Returns the states of the chunk that begins at `begin` and has these pieces, of `words`
    /// words each.
    folds reduce(Value* pieces, Value* count, Value* words, Value* begin) {
        values start;
        if (registers_)
            start = stage_.fresh(sweep_, static_cast<std::size_t>(stage_.vectors));
        else
            start_lanes(stage_, sweep_);
        auto one = [&](Value* n, const values& old) {
            return piece(f_.b.CreateGEP(f_.b.getInt64Ty(), pieces, f_.b.CreateMul(n, words)), old);
        };
        const values last = f_.lanes.loop(f_.number(0), count, 1, start, one);
        f_.forget_hoisted();
        return stage_.fold(sweep_, registers_ ? last : load_lanes(stage_, sweep_), 1, begin);
    }

private:
    /// Reduces the piece that `words` describe: its begin, its end and its operands' addresses. It
    /// has two parts: the elements before the first whole round of the lanes, with those rounds;
    /// then the rest, without rounds.
    values piece(Value* words, const values& old) {
        llvm::Type* number = f_.b.getInt64Ty();
        auto word = [&](std::size_t n, llvm::Type* type) {
            return f_.b.CreateLoad(type, f_.b.CreateConstGEP1_64(number, words, n));
        };
        for (std::size_t o = 0; o < f_.context.k.operands.size(); ++o) {
            const bool index = f_.context.k.operands[o].use == kernel_ir::role::index;
            f_.set_row_address(o, word(2 + o, index ? number : f_.b.getPtrTy()));
        }
        f_.forget_hoisted();
        f_.hoist(sweep_.elements);
        Value *begin = word(0, number), *end = word(1, number);
        Value* head = round_down(f_.b.CreateAdd(begin, f_.number(group_ - 1)), group_);
        head = f_.b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, head, end);
        Value* whole = f_.b.CreateAdd(head, round_down(f_.b.CreateSub(end, head), group_));
        auto one = [&](Value* n, const values& before) {
            Value* first = f_.b.CreateICmpEQ(n, f_.number(0));
            Value* from = f_.b.CreateSelect(first, begin, whole);
            Value* to = f_.b.CreateSelect(first, head, end);
            if (registers_) return in_registers(from, to, whole, before);
            step_lanes(stage_, sweep_, round_down(from, width_), to, true, from);
            step_lanes(stage_, sweep_, to, whole, false);
            return values{};
        };
        values last = f_.lanes.loop(f_.number(0), f_.number(2), 1, old, one);
        last.pop_back();
        return last;
    }

    /// Reduces elements [from, to) and whole rounds [to, end).
    values in_registers(Value* from, Value* to, Value* end, const values& old) {
        auto round = [&](Value* e, const values& before, bool masked) {
            std::vector<lane_point> at;
            for (int64_t v = 0; v < stage_.vectors; ++v) {
                Value* first = f_.b.CreateAdd(e, f_.number(v * width_));
                at.push_back(f_.point(first, masked ? f_.b.CreateSub(to, first) : nullptr));
                if (!masked) continue;
                at.back().skipped = f_.b.CreateSub(from, first);
                f_.lanes.mask(at.back());
            }
            return stage_.round(sweep_, at, before);
        };
        const values now = f_.lanes.choose(f_.b.CreateICmpEQ(from, to), old, [&] {
            return round(round_down(from, group_), old, true);
        });
        values last = f_.lanes.loop(to, end, group_, now, [&](Value* e, const values& before) {
            return round(e, before, false);
        });
        last.pop_back();
        return last;
    }

    Value* round_down(Value* n, int64_t to) { return f_.b.CreateAnd(n, f_.number(-to)); }

    function_emitter& f_;
    const stage_reductions& stage_;
    const sweep& sweep_;
    bool registers_;
    int64_t width_, group_;
};

}  // namespace

void reduce_runs(function_emitter& f, int number, Value* begin, Value* end, Value* partials) {
    stage_reductions stage(f, number);
    stage.reserve(0);
    const std::vector<sweep> sweeps = stage.make_sweeps(false);
    llvm::Type* word = f.b.getInt64Ty();
    Value* words = f.number(2 + static_cast<int64_t>(f.context.k.operands.size()));
    Value* list = f.field(offsetof(kernel_ir::kernel_call, pieces), f.b.getPtrTy());
    f.lanes.loop(begin, end, 1, {list}, [&](Value* n, const values& at) {
        const chunk_range chunk = range_of(f, n);
        Value* count = f.b.CreateAlignedLoad(word, at[0], llvm::Align(1));
        Value* pieces = f.b.CreateGEP(word, at[0], f.number(1));
        const folds states = stage.make_states(sweeps, chunk.count, [&](const sweep& s) {
            return piece_reducer(stage, s).reduce(pieces, count, words, chunk.begin);
        });
        write_states(stage, states, n, partials);
        return values{f.b.CreateGEP(word, pieces, f.b.CreateMul(count, words))};
    });
}

}  // namespace sinter::codegen

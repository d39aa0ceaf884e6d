#include "jit/codegen/llvm/reduce/state_stack.hpp"

namespace sinter::codegen {

using llvm::Value;

state_stack::state_stack(stage_reductions& stage, int64_t most_blocks)
    : stage_(stage.reserve(most_states, most_blocks)),
      f_(stage.f),
      depth_(f_.lanes.slot(f_.b.getInt64Ty())),
      counts_(f_, one_, {mtype::i64}, 0, most_states) {}

void state_stack::start() {
    stage_.each_block([&] {
        for (const reduction& r : stage_.all) {
            values none;
            for (std::size_t p = 0; p < r.state_types.size(); ++p)
                none.push_back(f_.values.splat(
                    f_.values.constant(r.state_types[p], r.parts.empty[p]), state_width(f_)));
            r.states.set(f_.number(0), none);
        }
    });
    f_.b.CreateStore(f_.number(0), depth_);
}

void state_stack::push(const folds& states, Value* chunk, Value* count) {
    keep(states, depth());
    raise(chunk, count);
}

void state_stack::keep(const folds& states, Value* depth) {
    for (const reduction& r : stage_.all) r.states.set(depth, states[r.number][0]);
}

void state_stack::raise(Value* chunk, Value* count) {
    Value* top = depth();
    counts_.slot(0, top).set(count);
    f_.b.CreateStore(f_.b.CreateAdd(top, f_.number(1)), depth_);
    Value* zeros = f_.b.CreateNot(chunk);
    merge(f_.b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, zeros, f_.b.getFalse()));
}

void state_stack::merge(Value* times) {
    f_.lanes.each(f_.number(0), times, 1, [&](Value*) {
        Value* upper = f_.b.CreateSub(depth(), f_.number(1));
        f_.b.CreateStore(upper, depth_);
        Value* lower = f_.b.CreateSub(upper, f_.number(1));
        Value* n_lower = counts_.slot(0, lower).get();
        Value* n_upper = counts_.slot(0, upper).get();
        stage_.each_block([&] {
            for (const reduction& r : stage_.all) {
                const values low = r.states.get(lower);
                r.states.set(lower, r.merge(low, n_lower, r.states.get(upper), n_upper));
            }
        });
        counts_.slot(0, lower).set(f_.b.CreateAdd(n_lower, n_upper));
    });
}

void state_stack::finish() const {
    for (const reduction& r : stage_.all) r.finish(r.states.get(f_.number(0)));
}

void write_states(const stage_reductions& stage, const folds& states, Value* chunk,
                  Value* partials) {
    function_emitter& f = stage.f;
    const kernel_ir::partial_layout layout = make_partial_layout(f.context.k, stage.stage);
    Value* first = f.b.CreateMul(chunk, f.number(layout.words));
    for (const reduction& r : stage.all) {
        int64_t word = layout.offsets[r.number];
        for (Value* part : states[r.number][0]) {
            Value* at = f.b.CreateAdd(first, f.number(word++));
            at = f.b.CreateGEP(f.b.getInt64Ty(), partials, at);
            f.b.CreateStore(f.values.to_word(part), at);
        }
    }
}

}  // namespace sinter::codegen

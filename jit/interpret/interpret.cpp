#include "jit/interpret/interpret.hpp"

#include "jit/interpret/moves.hpp"
#include "jit/interpret/reduce_states.hpp"
#include "jit/kernel_ir/opcodes.hpp"
#include "jit/kernel_ir/print.hpp"
#include "jit/kernel_ir/reduce_order.hpp"
#include "jit/kernel_ir/rows/ir_number.hpp"
#include "jit/kernel_ir/rows/primitive.hpp"
#include "runtime/base/fail.hpp"

#include <sinter/error.hpp>

#include <algorithm>

namespace sinter::kernel_ir {

/// One call of one kernel, with the values of the current row and element.
class interpretation {
public:
    interpretation(const interpreter& code, const kernel_call& call, const operand_bounds* bounds)
        : code_(code), call_(call), bounds_(bounds), values_(code.kernel_.body.size(), 0) {}

    void run() {
        switch (call_.mode) {
            case call_mode::rows:
                for (row_ = 0; row_ < call_.n1; row_++) run_row();
                return;
            case call_mode::partials: run_partials(); return;
            case call_mode::elements: run_elements(); return;
            case call_mode::runs: break;  // for compiled code only; runners get copied operands
        }
        runtime::bug("interpret", "the call mode is unknown");
    }

    void finish_stage(uint64_t* row_values) {
        enter_stage();
        const stage& s = stage_at(call_.stage);
        const partial_layout layout = make_partial_layout(code_.kernel_, s);
        for (std::size_t r = 0; r < s.reduces.size(); r++) {
            const interpreter::reduction& reduction = reduction_of(s.reduces[r]);
            chunk_merger merger(reduction.parts, call_.n0);
            for (int64_t c = 0; c < chunk_count(call_.n0); c++) {
                const uint64_t* words = call_.partials + c * layout.words + layout.offsets[r];
                const bool one = reduction.parts.kind == op::reduction_kind::fold;
                merger.push({words[0], one ? 0 : words[1]});
            }
            row_values[slot_of(reduction.id)] = finish(reduction, merger);
        }
    }

    void finish_row() {
        take_row_values(static_cast<int64_t>(code_.schedule_.stages.size()));
        for (const stage& s : code_.schedule_.stages) compute(s.before);
        compute(code_.schedule_.after);
    }

private:
    const instr& at(value_id v) const { return code_.kernel_.body[static_cast<std::size_t>(v)]; }
    uint64_t& value(value_id v) { return values_[static_cast<std::size_t>(v)]; }
    uint64_t value_or_zero(value_id v) { return v == none ? 0 : value(v); }
    std::size_t slot_of(value_id v) const {
        return static_cast<std::size_t>(code_.slot_of_[static_cast<std::size_t>(v)]);
    }
    const interpreter::reduction& reduction_of(value_id v) const {
        return code_.reductions_[slot_of(v)];
    }
    const stage& stage_at(int64_t s) const {
        if (s < 0 || s >= static_cast<int64_t>(code_.schedule_.stages.size())) {
            runtime::bug("interpret", runtime::text("stage ", s, " does not exist"));
        }
        return code_.schedule_.stages[static_cast<std::size_t>(s)];
    }

    // ---- modes

    void run_row() {
        for (const stage& s : code_.schedule_.stages) {
            compute(s.before);
            std::vector<chunk_merger> mergers;
            for (value_id r : s.reduces) mergers.emplace_back(reduction_of(r).parts, call_.n0);
            for (int64_t c = 0; c < chunk_count(call_.n0); c++) {
                run_chunk(s, c, true);
                for (std::size_t r = 0; r < s.reduces.size(); r++) {
                    mergers[r].push(chunk_state(s, r, c));
                }
            }
            for (std::size_t r = 0; r < s.reduces.size(); r++) {
                value(s.reduces[r]) = finish(reduction_of(s.reduces[r]), mergers[r]);
            }
        }
        compute(code_.schedule_.after);
    }

    void run_partials() {
        enter_stage();
        const stage& s = stage_at(call_.stage);
        const partial_layout layout = make_partial_layout(code_.kernel_, s);
        for (int64_t c = call_.chunk_begin; c < call_.chunk_end; c++) {
            run_chunk(s, c, false);
            for (std::size_t r = 0; r < s.reduces.size(); r++) {
                const reduction_state state = chunk_state(s, r, c);
                std::copy_n(state.begin(), state_words(at(s.reduces[r])),
                            call_.partials + c * layout.words + layout.offsets[r]);
            }
        }
    }

    void run_elements() {
        enter_stage();
        for (int64_t c = call_.chunk_begin; c < call_.chunk_end; c++) {
            run_chunk(stage_at(call_.stage), c, true);
        }
    }

    /// Computes the row values up to those that `call_.stage` needs.
    void enter_stage() {
        stage_at(call_.stage);
        take_row_values(call_.stage);
        for (int64_t s = 0; s <= call_.stage; s++) compute(stage_at(s).before);
    }

    void take_row_values(int64_t stages) {
        for (int64_t s = 0; s < stages; s++) {
            for (value_id r : stage_at(s).reduces) value(r) = call_.row_values[slot_of(r)];
        }
    }

    // ---- a chunk of elements

    /// Computes the stage's elements of chunk `c` and keeps the operands of its reductions.
    void run_chunk(const stage& s, int64_t c, bool with_stores) {
        const int64_t begin = c * reduce_chunk, end = std::min(begin + reduce_chunk, call_.n0);
        reduced_.assign(s.reduces.size(), {});
        for (element_ = begin; element_ < end; element_++) {
            compute(s.elements);
            for (std::size_t r = 0; r < s.reduces.size(); r++) {
                reduced_[r].push_back(value(at(s.reduces[r]).a));
            }
            if (with_stores) compute(s.stores);
        }
    }

    reduction_state chunk_state(const stage& s, std::size_t r, int64_t c) const {
        return reduce_chunk_values(reduction_of(s.reduces[r]).parts, reduced_[r], c * reduce_chunk);
    }

    uint64_t finish(const interpreter::reduction& reduction, chunk_merger& merger) {
        return finish_reduction(reduction.parts, merger.result(), call_.n0,
                                value_or_zero(at(reduction.id).b));
    }

    // ---- values

    void compute(const std::vector<value_id>& list) {
        for (value_id v : list) compute(v);
    }

    void compute(value_id v) {
        const instr& i = at(v);
        switch (i.op) {
            case opcode::load: value(v) = load(v); return;
            case opcode::index: value(v) = index(i); return;
            case opcode::scalar: value(v) = scalar(i); return;
            case opcode::store: store(v); return;
            case opcode::guard:
                if (value(i.a)) *call_.status |= i.imm;
                value(v) = value(i.b);
                return;
            default: break;
        }
        const uint8_t slots = value_slots(i);
        value(v) = evaluate(i, slots & slot_a ? value(i.a) : 0, slots & slot_b ? value(i.b) : 0,
                            slots & slot_c ? value(i.c) : 0);
    }

    /// Returns the address of an operand's element. Throws InternalError if the access leaves its
    /// bounds.
    char* address(value_id v) const {
        const instr& i = at(v);
        const auto operand = static_cast<std::size_t>(i.a);
        const operand_arg& arg = call_.operands[operand];
        char* p = arg.ptr + row_ * arg.s1 + (i.dom == domain::element ? element_ * arg.s0 : 0);
        if (!bounds_) return p;
        const operand_bounds& b = bounds_[operand];
        const auto from = reinterpret_cast<uintptr_t>(p);
        const bool inside = from >= reinterpret_cast<uintptr_t>(b.lo) &&
                            from + elementSize(i.type) <= reinterpret_cast<uintptr_t>(b.hi);
        if (!inside || from % b.alignment != 0) {
            runtime::bug("interpret",
                         runtime::text("`", print(i, v), "` of row ", row_, ", element ", element_,
                                       " is ", inside ? "misaligned" : "outside its view"));
        }
        return p;
    }

    uint64_t load(value_id v) const {
        const ScalarType type = at(v).type;
        uint64_t bits = 0;
        std::memcpy(&bits, address(v), elementSize(type));
        return type == kBool ? bits != 0 : widened(type, bits);
    }

    void store(value_id v) {
        const instr& i = at(v);
        const uint64_t bits = narrowed(i.type, value(i.b));
        std::memcpy(address(v), &bits, elementSize(i.type));
    }

    uint64_t index(const instr& i) const {
        const operand_arg& arg = call_.operands[static_cast<std::size_t>(i.a)];
        const auto element = static_cast<uint64_t>(i.dom == domain::element ? element_ : 0);
        return reinterpret_cast<uintptr_t>(arg.ptr) +
               static_cast<uint64_t>(row_) * static_cast<uint64_t>(arg.s1) +
               element * static_cast<uint64_t>(arg.s0);
    }

    uint64_t scalar(const instr& i) const {
        const uint64_t bits = call_.scalars[i.a];
        if (i.mt == mtype::b1) return (bits & 0xff) != 0;
        return bit_width(i.mt) == 64 ? bits : bits & ((uint64_t{1} << bit_width(i.mt)) - 1);
    }

    const interpreter& code_;
    const kernel_call& call_;
    const operand_bounds* bounds_;
    std::vector<uint64_t> values_;
    std::vector<std::vector<uint64_t>>
        reduced_;  // per reduction of the stage: its operand's values
    int64_t row_ = 0;
    int64_t element_ = 0;
};

interpreter::interpreter(const kernel& k)
    : kernel_(k.primitive ? k : decompose(with_moves_as_integers(k))) {
    if (k.primitive) verify(k);
    schedule_ = make_schedule(kernel_);
    slot_of_.assign(kernel_.body.size(), -1);
    for (std::size_t v = 0; v < kernel_.body.size(); v++) {
        const instr& i = kernel_.body[v];
        if (i.op != opcode::reduce) continue;
        slot_of_[v] = static_cast<int32_t>(reductions_.size());
        reductions_.push_back({static_cast<value_id>(v), make_fragments(i.row, i.in)});
    }
}

void interpreter::run(const kernel_call& call, const operand_bounds* bounds) const {
    interpretation(*this, call, bounds).run();
}

void interpreter::run_call(const kernel_call& call) const {
    const auto stages = static_cast<int64_t>(schedule_.stages.size());
    if (call.mode == call_mode::elements && call.stage == stages)
        finish_row(call);
    else
        run(call);
}

void interpreter::finish_stage(const kernel_call& call, uint64_t* row_values) const {
    interpretation(*this, call, nullptr).finish_stage(row_values);
}

void interpreter::finish_row(const kernel_call& call, const operand_bounds* bounds) const {
    interpretation(*this, call, bounds).finish_row();
}

void interpret(const kernel& k, const kernel_call& call, const operand_bounds* bounds) {
    interpreter(k).run(call, bounds);
}

}  // namespace sinter::kernel_ir

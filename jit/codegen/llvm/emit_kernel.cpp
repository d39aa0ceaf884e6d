// The loops of a kernel: over rows and over stages, and the code of each call mode.
#include "jit/codegen/llvm/emit_kernel.hpp"

#include "jit/codegen/llvm/emit_function.hpp"
#include "jit/codegen/llvm/emit_tile.hpp"
#include "jit/codegen/llvm/reduce/chunks.hpp"
#include "jit/codegen/llvm/reduce/strategy.hpp"
#include "jit/kernel_ir/reduce_order.hpp"

#include <algorithm>

namespace sinter::codegen {

using kernel_ir::call_mode;
using kernel_ir::kernel_call;
using kernel_ir::mtype;
using llvm::Value;

namespace {

using row_body = std::function<void(Value* row, Value* active)>;

/// Runs `body` for every whole vector of rows; returns the first remaining row.
Value* for_whole_rows(function_emitter& f, Value* begin, Value* end, const row_body& body) {
    const int64_t width = f.lanes.width();
    return f.lanes.each(begin, f.b.CreateSub(end, f.number(width - 1)), width,
                        [&](Value* row) { body(row, nullptr); });
}

/// Runs `body` for whole vectors of rows; the last one starts earlier if it would not fit.
void for_overlapping_rows(function_emitter& f, Value* begin, Value* end, const row_body& body) {
    Value* last = f.b.CreateSub(end, f.number(f.lanes.width()));
    f.lanes.each(begin, end, f.lanes.width(), [&](Value* row) {
        body(f.b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, row, last), nullptr);
    });
}

/// Runs `body` for every vector of rows, always masked. This halves the code.
void for_masked_rows(function_emitter& f, Value* begin, Value* end, const row_body& body) {
    f.lanes.each(begin, end, f.lanes.width(), [&](Value* row) {
        body(row, f.lanes.at_most(f.b.CreateSub(end, row), f.lanes.width()));
    });
}

/// Runs `body` for every row. If lanes run along rows, runs it for whole vectors of rows and once
/// for the remaining rows.
void for_rows(function_emitter& f, Value* begin, Value* end, const row_body& body) {
    bool along = f.context.along_elements();
    Value* rest = along ? begin : for_whole_rows(f, begin, end, body);
    f.lanes.each(rest, end, along ? 1 : f.lanes.width(),
                 [&](Value* row) { body(row, along ? nullptr : f.b.CreateSub(end, row)); });
}

struct range {
    Value *begin, *end;
};

/// Returns the element range of chunks [chunk_begin, chunk_end) of the call.
range called_elements(function_emitter& f) {
    auto bound = [&](std::size_t field) {
        Value* chunk = f.field(field, f.b.getInt64Ty());
        return f.b.CreateMul(chunk, f.number(kernel_ir::reduce_chunk));
    };
    Value* end = bound(offsetof(kernel_call, chunk_end));
    end = f.b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, end, f.n0);
    return {bound(offsetof(kernel_call, chunk_begin)), end};
}

/// Emits a map kernel. All modes are one loop nest over a range of rows and a range of elements.
void emit_map(const kernel_context& context) {
    llvm::Type* pointer = llvm::PointerType::getUnqual(context.module.getContext());
    function_emitter f(context, context.add_function("", {pointer}, true));
    Value *rows = f.n1, *zero = f.number(0);
    range elements{zero, f.n0};
    if (context.along_elements()) {
        Value* mode = f.field(offsetof(kernel_call, mode), f.b.getInt64Ty());
        Value* whole = f.b.CreateICmpEQ(mode, f.number(static_cast<int64_t>(call_mode::rows)));
        range called = called_elements(f);
        rows = f.b.CreateSelect(whole, rows, f.number(1));
        elements = {f.b.CreateSelect(whole, zero, called.begin),
                    f.b.CreateSelect(whole, f.n0, called.end)};
    }
    auto run_row = [&](Value* begin, Value* end) {
        for (const kernel_ir::stage& s : context.order.stages) {
            f.emit_row(s.before);
            f.store_pass(s.stores, s.elements, begin, end);
        }
        f.emit_row(context.order.after);
    };
    const auto& operands = context.k.operands;
    if (std::any_of(operands.begin(), operands.end(), [](const kernel_ir::operand& o) {
            return o.lane == kernel_ir::stride_class::across;
        }))
        tile_emitter(f).for_tiles(rows, elements.begin, elements.end, run_row);
    else
        for_rows(f, zero, rows, [&](Value* row, Value* active) {
            f.enter_row(row, active);
            run_row(elements.begin, elements.end);
        });
    f.finish();
}

/// A kernel with reductions whose lanes run along rows: all stages of a vector of rows, one after
/// another. Most rows run in vectors of several registers. This shares the cost of values that are
/// the same for all rows, and reads adjacent memory together.
class rows_together {
public:
    explicit rows_together(const kernel_context& context)
        : context_(context), wide_(context), factor_(registers()) {
        wide_.width *= factor_;
    }

    void emit() {
        llvm::Type* pointer = llvm::PointerType::getUnqual(context_.module.getContext());
        function_emitter f(context_, context_.add_function("", {pointer}, true));
        Value *zero = f.number(0), *done = zero, *width = f.number(wide_.width);
        if (is_bound_by_reading(wide_))  // the last vector starts earlier if it would not fit
            done = f.b.CreateSelect(f.b.CreateICmpSGE(f.n1, width), f.n1, zero);
        else if (factor_ > 1)
            done = f.b.CreateAnd(f.n1, f.b.CreateNeg(width));
        narrow_is_rare_ = done != zero;
        if (done != zero) f.b.CreateCall(add_part(wide_, ".wide"), {f.call, zero, done});
        f.b.CreateCall(add_part(context_, ".rest"), {f.call, done, f.n1});
        f.finish();
    }

private:
    /// Returns the registers per vector, a power of two: four lanes of the order must stay in
    /// registers.
    unsigned registers() const {
        unsigned most = 4;
        for (const kernel_ir::operand& o : context_.k.operands)
            if (o.lane == kernel_ir::stride_class::other) most = 1;  // loads go lane by lane
        for (const kernel_ir::stage& s : context_.order.stages) {
            unsigned bits = 0;
            for (value_id r : s.reduces) {
                const kernel_ir::instr& i = context_.at(r);
                const mtype acc = kernel_ir::accumulator_type(i.row, i.in);
                bits += acc == mtype::f64 || acc == mtype::i64 ? 64 : 32;
                if (op::reductions[i.row].kind == op::reduction_kind::arg) bits += 32;
            }
            if (s.elements.size() > 24) most = 1;
            while (most > 1 && most * bits * context_.width * 4 > 16 * context_.options.shape.bits)
                most /= 2;
        }
        return most;
    }

    /// Adds a function (call, begin, end) over rows. The wide one takes whole vectors only.
    llvm::Function* add_part(const kernel_context& context, const char* suffix) {
        llvm::LLVMContext& c = context.module.getContext();
        llvm::Type *pointer = llvm::PointerType::getUnqual(c), *word = llvm::Type::getInt64Ty(c);
        function_emitter f(context, context.add_function(suffix, {pointer, word, word}, false));
        Value* zero = f.number(0);
        Value* chunks = f.b.CreateAdd(f.n0, f.number(kernel_ir::reduce_chunk - 1));
        chunks = f.b.CreateSDiv(chunks, f.number(kernel_ir::reduce_chunk));
        auto run_rows = [&](Value* row, Value* active) {
            f.enter_row(row, active);
            int number = 0;
            for (const kernel_ir::stage& s : context.order.stages) {
                f.emit_row(s.before);
                if (s.reduces.empty()) {
                    f.store_pass(s.stores, s.elements, zero, f.n0);
                } else if (choose_strategy(context, s) == strategy::few) {
                    reduce_few(f, number);
                } else {
                    chunk_reducer reduce(f, number);
                    reduce.pass(zero, chunks, !s.stores.empty(), nullptr);
                    reduce.finish();
                }
                ++number;
            }
            f.emit_row(context.order.after);
        };
        auto body = [&](Value* row, Value* active) {
            if (context.k.form == kernel_ir::row_form::few)
                f.each_time([&] { run_rows(row, active); });
            else
                run_rows(row, active);
        };
        Value *begin = f.function->getArg(1), *end = f.function->getArg(2);
        const bool wide = &context == &wide_;
        if (wide && choose_strategy(context, context.order.stages[0]) == strategy::blocks)
            reduce_blocks(f, begin, end, chunks);
        else if (wide && is_bound_by_reading(context))
            for_overlapping_rows(f, begin, end, body);
        else if (wide)
            for_whole_rows(f, begin, end, body);
        else if (f.lanes.has_slow_tail(context.k, context.options.shape) || !narrow_is_rare_)
            for_rows(f, begin, end, body);
        else
            for_masked_rows(f, begin, end, body);
        f.finish();
        return f.function;
    }

    const kernel_context& context_;
    kernel_context wide_;
    unsigned factor_;
    bool narrow_is_rare_ = false;  // wide vectors run most rows
};

/// A kernel with reductions whose lanes run along elements: one function per pass over a row, which
/// the call modes share. A pass is (call, row, begin, end, row_values, partials) and runs chunks
/// [begin, end).
class row_by_row {
public:
    explicit row_by_row(const kernel_context& context)
        : context_(context),
          pointer_(llvm::PointerType::getUnqual(context.module.getContext())),
          word_(llvm::Type::getInt64Ty(context.module.getContext())),
          parts_(!context.k.keeps_values() && !context.k.one_chunk()) {
        for (const kernel_ir::instr& i : context.k.body)
            words_ += i.op == kernel_ir::opcode::reduce;
    }

    void emit() {
        int count = static_cast<int>(context_.order.stages.size());
        for (int s = 0; s < count; ++s) {
            const kernel_ir::stage& stage = at(s);
            const bool reduces = !stage.reduces.empty(), stores = !stage.stores.empty();
            passes_.emplace_back();
            const strategy chosen = choose_strategy(context_, stage);
            if (reduces && chosen == strategy::runs) {
                passes_[s].reduce = add_runs(s);
                continue;
            }
            if (reduces && chosen == strategy::side_by_side) {
                add_rows(s, stores);
                continue;
            }
            if (reduces && (parts_ || !stores)) passes_[s].reduce = add_reduce(s, false);
            if (stores && (parts_ || !reduces)) passes_[s].store = add_store(s);
            if (reduces && stores) passes_[s].both = add_reduce(s, true);
        }
        if (!context_.order.after.empty()) after_ = add_after();
        emit_entry();
    }

private:
    struct pass {
        llvm::Function *reduce = nullptr, *store = nullptr, *both = nullptr;
        llvm::Function* rows = nullptr;  // the whole stage for several rows side by side
        int64_t row_count = 1;
    };
    static constexpr int64_t most_rows = 8, most_bytes = 32768;
    enum argument { arg_call, arg_row, arg_begin, arg_end, arg_row_values, arg_partials };

    const kernel_ir::stage& at(int s) const {
        return context_.order.stages[static_cast<std::size_t>(s)];
    }

    llvm::Function* add(const std::string& suffix) {
        return context_.add_function(suffix, {pointer_, word_, word_, word_, pointer_, pointer_},
                                     false);
    }

    /// Enters the row of the arguments, or the n-th one after it, with the row values that stages
    /// before `stages` produce and need.
    void enter(function_emitter& f, int stages, int64_t n = 0) {
        f.select_row(static_cast<std::size_t>(n));
        f.enter_row(f.b.CreateAdd(f.function->getArg(arg_row), f.number(n)), nullptr);
        for (int s = 0; s < stages; ++s)
            for (value_id r : at(s).reduces) {
                Value* word = f.b.CreateLoad(word_, row_value(f, r, n));
                f.set_row_value(r, f.values.from_word(context_.at(r).mt, word));
            }
        for (int s = 0; s < stages; ++s) f.emit_row(at(s).before);
    }
    Value* row_value(function_emitter& f, value_id reduce, int64_t n) {
        const int64_t number = context_.reduce_number[static_cast<std::size_t>(reduce)];
        return f.b.CreateGEP(word_, f.function->getArg(arg_row_values),
                             f.number(n * words_ + number));
    }
    void leave(function_emitter& f, int s, int64_t n) {
        for (value_id r : at(s).reduces)
            f.b.CreateStore(f.values.to_word(f.row_value(r)), row_value(f, r, n));
    }

    llvm::Function* add_reduce(int s, bool stores) {
        function_emitter f(context_,
                           add(".reduce." + std::to_string(s) + (stores ? ".store" : "")));
        enter(f, s);
        f.emit_row(at(s).before);
        chunk_reducer reduce(f, s);
        Value* partials = f.function->getArg(arg_partials);
        reduce.pass(f.function->getArg(arg_begin), f.function->getArg(arg_end), stores,
                    stores ? nullptr : partials);
        f.lanes.if_then(f.b.CreateIsNull(partials), [&] {
            reduce.finish();
            leave(f, s, 0);
        });
        f.finish();
        return f.function;
    }

    /// Adds functions for a whole stage of rows of one chunk: for one row and, if registers
    /// suffice, for several.
    void add_rows(int s, bool stores) {
        pass& p = passes_[static_cast<std::size_t>(s)];
        p.both = add_rows(s, stores, 1, &p.row_count);
        if (p.row_count > 1) p.rows = add_rows(s, stores, p.row_count, nullptr);
    }

    llvm::Function* add_rows(int s, bool stores, int64_t count, int64_t* room) {
        function_emitter f(context_,
                           add(".rows." + std::to_string(s) + "." + std::to_string(count)));
        stage_reductions reduce(f, s);
        if (room) *room = static_cast<int64_t>(rows_in_registers(reduce, stores));
        for (int64_t n = 0; n < count; ++n) {
            enter(f, s, n);
            f.emit_row(at(s).before);
        }
        reduce_rows(reduce, static_cast<std::size_t>(count), stores);
        f.each_row(static_cast<std::size_t>(count),
                   [&](std::size_t n) { leave(f, s, static_cast<int64_t>(n)); });
        f.finish();
        return f.function;
    }

    llvm::Function* add_runs(int s) {
        function_emitter f(context_, add(".runs." + std::to_string(s)));
        enter(f, s);
        f.emit_row(at(s).before);
        reduce_runs(f, s, f.function->getArg(arg_begin), f.function->getArg(arg_end),
                    f.function->getArg(arg_partials));
        f.finish();
        return f.function;
    }

    llvm::Function* add_store(int s) {
        function_emitter f(context_, add(".store." + std::to_string(s)));
        enter(f, s);
        f.emit_row(at(s).before);
        Value* size = f.number(kernel_ir::reduce_chunk);
        Value* begin = f.b.CreateMul(f.function->getArg(arg_begin), size);
        Value* end = f.b.CreateMul(f.function->getArg(arg_end), size);
        end = f.b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, end, f.n0);
        f.store_pass(at(s).stores, at(s).elements, begin, end);
        f.finish();
        return f.function;
    }

    llvm::Function* add_after() {
        function_emitter f(context_, add(".after"));
        enter(f, static_cast<int>(context_.order.stages.size()));
        f.emit_row(context_.order.after);
        f.finish();
        return f.function;
    }

    template <class T>
    static Value* is(function_emitter& f, Value* value, T expected) {
        return f.b.CreateICmpEQ(value, f.number(static_cast<int64_t>(expected)));
    }

    /// Returns the number of rows that run each stage together: as many as stay in the first-level
    /// cache. The end of one row's stage then overlaps with the start of the next row's.
    Value* rows_in_turn(function_emitter& f) {
        int64_t bytes = 0;
        for (const kernel_ir::operand& o : context_.k.operands)
            if (o.use != kernel_ir::role::index && o.lane != kernel_ir::stride_class::zero)
                bytes += static_cast<int64_t>(elementSize(o.type));
        Value* row = f.b.CreateAdd(f.b.CreateMul(f.n0, f.number(bytes)), f.number(1));
        Value* rows = f.lanes.at_most(f.b.CreateUDiv(f.number(most_bytes), row), most_rows);
        return f.b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, rows, f.number(1));
    }

    void emit_entry() {
        function_emitter f(context_, context_.add_function("", {pointer_}, true));
        if (context_.k.form != kernel_ir::row_form::runs) offer_rows(f);
        if (parts_) offer_parts(f);
        f.finish();
    }

    void offer_rows(function_emitter& f) {
        Value* null = llvm::ConstantPointerNull::get(llvm::cast<llvm::PointerType>(pointer_));
        Value* zero = f.number(0);
        Value* mode = f.field(offsetof(kernel_call, mode), word_);
        f.lanes.if_then(is(f, mode, call_mode::rows), [&] {
            Value* chunks = f.b.CreateAdd(f.n0, f.number(kernel_ir::reduce_chunk - 1));
            chunks = f.b.CreateSDiv(chunks, f.number(kernel_ir::reduce_chunk));
            Value* values = f.lanes.slot(word_, f.number(words_ * most_rows));
            Value* size = rows_in_turn(f);
            Value* groups = f.b.CreateAdd(f.n1, f.b.CreateSub(size, f.number(1)));
            groups = f.b.CreateSDiv(groups, size);
            f.lanes.each(zero, groups, 1, [&](Value* group) {
                Value* first = f.b.CreateMul(group, size);
                Value* end = f.b.CreateAdd(first, size);
                end = f.b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, end, f.n1);
                auto run = [&](llvm::Function* pass, Value* from, Value* to, int64_t step) {
                    return f.lanes.each(from, to, step, [&](Value* row) {
                        Value* at = f.b.CreateMul(f.b.CreateSub(row, first), f.number(words_));
                        at = f.b.CreateGEP(word_, values, at);
                        f.b.CreateCall(pass, {f.call, row, zero, chunks, at, null});
                    });
                };
                for (const pass& p : passes_) {
                    Value* rest = first;
                    if (p.rows) {
                        Value* last = f.b.CreateSub(end, f.number(p.row_count - 1));
                        rest = run(p.rows, first, last, p.row_count);
                    }
                    if (llvm::Function* whole = p.both ? p.both : p.reduce ? p.reduce : p.store)
                        run(whole, rest, end, 1);
                }
                if (after_) run(after_, first, end, 1);
            });
        });
    }

    /// Emits the modes that run one pass over a part of a row.
    void offer_parts(function_emitter& f) {
        Value *mode = f.field(offsetof(kernel_call, mode), word_), *zero = f.number(0);
        Value* null = llvm::ConstantPointerNull::get(llvm::cast<llvm::PointerType>(pointer_));
        Value* partials = f.field(offsetof(kernel_call, partials), pointer_);
        Value* values = f.field(offsetof(kernel_call, row_values), pointer_);
        Value* stage = f.field(offsetof(kernel_call, stage), word_);
        Value* begin = f.field(offsetof(kernel_call, chunk_begin), word_);
        Value* end = f.field(offsetof(kernel_call, chunk_end), word_);
        auto offer = [&](llvm::Function* pass, call_mode wanted, std::size_t s, Value* out) {
            if (!pass) return;
            Value* chosen = f.b.CreateAnd(is(f, mode, wanted), is(f, stage, s));
            f.lanes.if_then(chosen,
                            [&] { f.b.CreateCall(pass, {f.call, zero, begin, end, values, out}); });
        };
        for (std::size_t s = 0; s < passes_.size(); ++s) {
            offer(passes_[s].reduce,
                  context_.k.form == kernel_ir::row_form::runs ? call_mode::runs
                                                               : call_mode::partials,
                  s, partials);
            offer(passes_[s].store, call_mode::elements, s, null);
        }
        offer(after_, call_mode::elements, passes_.size(), null);
    }

    const kernel_context& context_;
    llvm::Type *pointer_, *word_;
    bool parts_;         // true if threads may share a row
    int64_t words_ = 0;  // row values per row
    std::vector<pass> passes_;
    llvm::Function* after_ = nullptr;
};

}  // namespace

void emit_kernel(llvm::Module& module, const kernel_ir::kernel& k, const emit_options& options,
                 const std::string& name) {
    kernel_context context(module, k, options, name);
    if (!k.has_reduction())
        emit_map(context);
    else if (const auto whole = choose_whole_rows(context))
        emit_whole_rows(context, *whole);
    else if (context.along_elements())
        row_by_row(context).emit();
    else
        rows_together(context).emit();
}

}  // namespace sinter::codegen

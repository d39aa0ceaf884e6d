#include "jit/codegen/llvm/emit_function.hpp"

#include "jit/codegen/llvm/emit_quotients.hpp"
#include "jit/codegen/llvm/pass_list.hpp"
#include "jit/codegen/protocol.hpp"
#include "jit/kernel_ir/opcodes.hpp"
#include "jit/kernel_ir/reduce_order.hpp"
#include "jit/kernel_ir/rows/rare.hpp"

#include <llvm/IR/PatternMatch.h>

#include <algorithm>

namespace sinter::codegen {

using kernel_ir::domain;
using kernel_ir::kernel_call;
using kernel_ir::opcode;
using kernel_ir::operand_arg;
using kernel_ir::stride_class;
using llvm::Type;
using llvm::Value;

namespace {

/// Returns the lanes of a vector: as many 32- or 64-bit numbers of the narrowest type in use as a
/// register holds. Wider values then take several registers, which is as good as unrolling.
unsigned lanes_for(const kernel& k, unsigned vector_bits) {
    bool words = false, doubles = false, bytes = false;
    for (const instr& i : k.body) {
        if (i.op == opcode::store || i.dom == domain::row) continue;
        words |= i.mt == mtype::i32 || i.mt == mtype::f32;
        doubles |= i.mt == mtype::i64 || i.mt == mtype::f64;
        bytes |= i.mt == mtype::u8;
    }
    unsigned narrowest = words || (doubles && bytes) ? 32 : doubles ? 64 : 16;
    return vector_bits / narrowest;
}

/// Returns true if rows may be short. Otherwise they are one long row, run as one row
/// (jit/launch/flat_rows.hpp), or have gaps between them.
bool has_short_rows(const kernel& k) {
    if (k.along != kernel_ir::lanes::element) return false;
    if (k.has_reduction()) return k.one_chunk();
    return std::any_of(k.operands.begin(), k.operands.end(), [](const kernel_ir::operand& o) {
        return o.use != kernel_ir::role::index && o.lane != stride_class::unit;
    });
}

/// Returns true if the kernel computes with parts of words: in a formula, or with small numbers.
bool uses_parts_of_words(const kernel& k) {
    return std::any_of(k.body.begin(), k.body.end(), is_of_formula) ||
           std::any_of(k.operands.begin(), k.operands.end(), [](const kernel_ir::operand& o) {
               return o.use != kernel_ir::role::index && elementSize(o.type) < 4;
           });
}

/// Returns true for a map over one dense row.
bool is_dense_map(const kernel& k) {
    if (k.along != kernel_ir::lanes::element || k.has_reduction()) return false;
    return std::all_of(k.operands.begin(), k.operands.end(), [](const kernel_ir::operand& o) {
        return o.use != kernel_ir::role::index &&
               (o.lane == stride_class::unit || o.lane == stride_class::pair);
    });
}

}  // namespace

bool is_of_formula(const instr& i) { return i.op == opcode::fma || i.op == opcode::from_bits; }

// ---- context

kernel_context::kernel_context(llvm::Module& module_, const kernel& k_,
                               const emit_options& options_, std::string name_)
    : module(module_),
      k(k_),
      order(kernel_ir::make_schedule(k_)),
      options(options_),
      name(std::move(name_)),
      width(lanes_for(k_, options_.shape.bits)),
      exact_tails(has_short_rows(k_)) {
    int reductions = 0;
    for (const instr& i : k.body)
        reduce_number.push_back(i.op == opcode::reduce ? reductions++ : -1);
    rare_owner = kernel_ir::rare_owners(k.body);
    for (std::size_t v = 0; v < k.body.size(); ++v)
        if (rare_owner[v] != kernel_ir::none)
            rare_parts[rare_owner[v]].push_back(static_cast<value_id>(v));
}

int64_t kernel_context::reduce_lanes() const {
    return fault(mode_fault_lane_order) ? width : kernel_ir::reduce_lanes;
}

std::vector<value_id> kernel_context::needed(const std::vector<value_id>& ids,
                                             const std::vector<value_id>& roots) const {
    std::vector<bool> wanted(k.body.size());
    for (value_id r : roots) wanted[static_cast<std::size_t>(r)] = true;
    std::vector<value_id> found;
    for (std::size_t n = ids.size(); n-- > 0;) {
        if (!wanted[static_cast<std::size_t>(ids[n])]) continue;
        found.push_back(ids[n]);
        kernel_ir::for_each_value(at(ids[n]),
                                  [&](value_id v) { wanted[static_cast<std::size_t>(v)] = true; });
    }
    std::reverse(found.begin(), found.end());
    return found;
}

llvm::Function* kernel_context::add_function(const std::string& suffix,
                                             llvm::ArrayRef<Type*> parameters,
                                             bool exported) const {
    auto* type = llvm::FunctionType::get(Type::getVoidTy(module.getContext()), parameters, false);
    auto linkage =
        exported ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::InternalLinkage;
    auto* f = llvm::Function::Create(type, linkage, name + suffix, module);
    f->setDSOLocal(true);
    f->addFnAttr(llvm::Attribute::NoUnwind);
    f->addFnAttr(llvm::Attribute::NoInline);
    f->addFnAttr("target-cpu", options.cpu);
    f->addFnAttr("prefer-vector-width", std::to_string(options.shape.bits));
    f->addFnAttr("no-jump-tables", "true");
    f->addFnAttr("no-builtins");
    if (uses_parts_of_words(k))
        f->addFnAttr(selects_in_blocks);
    else if (is_dense_map(k))
        f->addFnAttr(is_plain);
    return f;
}

// ---- prologue and end

function_emitter::function_emitter(const kernel_context& c, llvm::Function* f)
    : context(c),
      function(f),
      b(llvm::BasicBlock::Create(f->getContext(), "entry", f)),
      values(b, c.module, c.fault(mode_fault_contract)),
      lanes(b, values, c.options.shape, c.width),
      call(f->getArg(0)) {
    Type* word = b.getInt64Ty();
    n1 = field(offsetof(kernel_call, n1), word);
    n0 = k().extent > 0 ? number(k().extent) : field(offsetof(kernel_call, n0), word);
    Value* operands = field(offsetof(kernel_call, operands), b.getPtrTy());
    auto part = [&](Type* type, std::size_t operand, std::size_t offset) -> Value* {
        return b.CreateLoad(type, b.CreateConstGEP1_64(b.getInt8Ty(), operands,
                                                       operand * sizeof(operand_arg) + offset));
    };
    for (std::size_t o = 0; o < k().operands.size(); ++o) {
        bool index = k().operands[o].use == kernel_ir::role::index;
        operands_.push_back({part(index ? word : b.getPtrTy(), o, offsetof(operand_arg, ptr)),
                             part(word, o, offsetof(operand_arg, s1)),
                             part(word, o, offsetof(operand_arg, s0))});
    }
    select_row(0);
    Value* scalars = field(offsetof(kernel_call, scalars), b.getPtrTy());
    for (std::size_t s = 0; s < k().scalars.size(); ++s) {
        Value* bits = b.CreateLoad(word, b.CreateConstGEP1_64(word, scalars, s));
        scalars_.push_back(values.from_word(k().scalars[s], bits));
    }
    bool guards = std::any_of(k().body.begin(), k().body.end(),
                              [](const instr& i) { return i.op == opcode::guard; });
    if (guards) {
        status_ = lanes.slot(word);
        b.CreateStore(b.getInt64(0), status_);
    }
}

Value* function_emitter::field(std::size_t offset, Type* type) {
    return b.CreateLoad(type, b.CreateConstGEP1_64(b.getInt8Ty(), call, offset));
}

void function_emitter::finish() {
    if (status_) {
        Value* raised = b.CreateLoad(b.getInt64Ty(), status_);
        lanes.if_then(b.CreateICmpNE(raised, b.getInt64(0)), [&] {
            // Threads that share a row share its status word.
            Value* status = field(offsetof(kernel_call, status), b.getPtrTy());
            b.CreateAtomicRMW(llvm::AtomicRMWInst::Or, status, raised, llvm::Align(8),
                              llvm::AtomicOrdering::Monotonic);
        });
    }
    b.CreateRetVoid();
}

void function_emitter::select_in_blocks() {
    function->addFnAttr(selects_in_blocks);
    function->removeFnAttr(is_plain);
}

// ---- rows

void function_emitter::each_time(const std::function<void()>& body) {
    const std::vector<operand_value> first = operands_;
    Value* times = field(offsetof(kernel_call, n2), b.getInt64Ty());
    Value* arguments = field(offsetof(kernel_call, operands), b.getPtrTy());
    std::vector<Value*> steps;
    for (std::size_t o = 0; o < operands_.size(); ++o)
        steps.push_back(b.CreateLoad(
            b.getInt64Ty(),
            b.CreateConstGEP1_64(b.getInt8Ty(), arguments,
                                 o * sizeof(operand_arg) + offsetof(operand_arg, s2))));
    lanes.each(number(0), times, 1, [&](Value* time) {
        for (std::size_t o = 0; o < operands_.size(); ++o)
            operands_[o].ptr = moved(o, first[o].ptr, b.CreateMul(time, steps[o]));
        body();
    });
    operands_ = first;
}

void function_emitter::select_row(std::size_t n) {
    row_ = n;
    if (n < rows_.size()) return;
    rows_.resize(n + 1);
    row_state& state = rows_[n];
    state.addresses.resize(operands_.size());
    state.values.resize(k().body.size());
    state.hoisted.resize(k().body.size());
    state.point.row = n;
}

void function_emitter::each_row(std::size_t count, const std::function<void(std::size_t)>& body) {
    for (std::size_t n = 0; n < count; ++n) {
        select_row(n);
        body(n);
    }
}

void function_emitter::enter_row(Value* row, Value* active) {
    row_state& state = rows_[row_];
    state.point = {};
    state.point.row = row_;
    state.point.active = active;
    if (active) lanes.mask(state.point);
    std::fill(state.values.begin(), state.values.end(), nullptr);
    std::fill(state.hoisted.begin(), state.hoisted.end(), nullptr);
    for (std::size_t o = 0; o < operands_.size(); ++o)
        state.addresses[o] = moved(o, operands_[o].ptr, b.CreateMul(row, operands_[o].s1));
}

void function_emitter::enter_at(const std::vector<Value*>& addresses) {
    row_state& state = rows_[row_];
    state.point = {};
    state.point.row = row_;
    std::fill(state.values.begin(), state.values.end(), nullptr);
    forget_hoisted();
    state.addresses = addresses;
}

Value* function_emitter::moved(std::size_t o, Value* address, Value* bytes) {
    const bool index = k().operands[o].use == kernel_ir::role::index;
    return index ? b.CreateAdd(address, bytes) : b.CreateGEP(b.getInt8Ty(), address, bytes);
}

void function_emitter::emit_row(const std::vector<value_id>& ids) {
    row_state& state = rows_[row_];
    for (value_id id : ids)
        if (!state.values[index(id)]) state.values[index(id)] = emit_one(id, state.point);
}

void function_emitter::hoist(const std::vector<value_id>& ids) {
    if (!context.along_elements()) return;
    for (value_id id : ids) {
        const instr& i = context.at(id);
        bool uniform = i.op != opcode::index && i.op != opcode::store;
        if (i.op == opcode::load) uniform = k().operands[index(i.a)].lane == stride_class::zero;
        kernel_ir::for_each_value(i, [&](value_id v) { uniform &= find(v, nullptr) != nullptr; });
        if (uniform) rows_[row_].hoisted[index(id)] = emit_one(id, rows_[row_].point);
    }
}

// ---- elements

lane_point function_emitter::point(Value* element, Value* active) {
    lane_point at;
    at.row = row_;
    at.element = element;
    at.active = context.along_elements() ? active : rows_[row_].point.active;
    at.exact = context.exact_tails;
    if (!context.along_elements()) at.mask = rows_[row_].point.mask;
    at.values.resize(k().body.size());
    return at;
}

void function_emitter::emit_elements(const std::vector<value_id>& ids,
                                     std::vector<lane_point>& points) {
    for (value_id id : ids) {
        if (context.is_rare(id) || rows_[points[0].row].hoisted[index(id)]) continue;
        if (context.rare_parts.contains(id)) {
            emit_rare(id, points);
            continue;
        }
        if (divides_alike(context.at(id), points[0])) {
            emit_divisions(id, points);
            continue;
        }
        for (lane_point& at : points) at.values[index(id)] = emit_one(id, at);
    }
}

void function_emitter::emit_divisions(value_id id, std::vector<lane_point>& points) {
    const instr& i = context.at(id);
    select_in_blocks();
    for (std::size_t first = 0, end; first < points.size(); first = end) {
        lane_emitter::values dividends;
        for (end = first; end < points.size() && points[end].row == points[first].row; ++end)
            dividends.push_back(find(i.a, &points[end]));
        const auto quotients = emit_quotients(b, lanes, dividends, find(i.b, &points[first]));
        for (std::size_t p = first; p < end; ++p)
            points[p].values[index(id)] = quotients[p - first];
    }
}

void function_emitter::emit_rare(value_id id, std::vector<lane_point>& points) {
    const instr& i = context.at(id);
    Value* some = nullptr;
    lane_emitter::values usual;
    for (lane_point& at : points) {
        Value* here = lanes_of(i.a, at);
        some = some ? b.CreateOr(some, here) : here;
        usual.push_back(lanes_of(i.c, at));
    }
    const auto chosen = lanes.usually(b.CreateNot(b.CreateOrReduce(some)), usual, [&] {
        lane_emitter::values made;
        for (value_id part : context.rare_parts.at(id))
            for (lane_point& at : points)
                if (!find(part, &at)) at.values[index(part)] = emit_one(part, at);
        for (lane_point& at : points) made.push_back(values.splat(emit_one(id, at), lanes.width()));
        return made;
    });
    for (std::size_t p = 0; p < points.size(); ++p) points[p].values[index(id)] = chosen[p];
}

bool function_emitter::divides_alike(const instr& i, const lane_point& at) const {
    if (i.op != opcode::div || rows_are_few_vectors) return false;
    const row_state& state = rows_[at.row];
    const bool alike = state.hoisted[index(i.b)] || state.values[index(i.b)];
    return alike && find(i.a, &at)->getType()->isVectorTy();
}

// ---- values

Value* function_emitter::find(value_id id, const lane_point* at) const {
    if (at && !at->values.empty() && at->values[index(id)]) return at->values[index(id)];
    const row_state& state = rows_[at ? at->row : row_];
    return state.hoisted[index(id)] ? state.hoisted[index(id)] : state.values[index(id)];
}

Value* function_emitter::lanes_of(value_id id, const lane_point& at) {
    return values.splat(find(id, &at), lanes.width());
}

Value* function_emitter::emit_one(value_id id, lane_point& at) {
    const instr& i = context.at(id);
    switch (i.op) {
        case opcode::load: {
            const kernel_ir::operand& o = k().operands[index(i.a)];
            stride_class lane = is_vector(i.dom) ? lane_of(o) : stride_class::zero;
            return lanes.load(o.type, lane, address(i, at), lane_stride(i), at);
        }
        case opcode::index: return emit_index(i, at);
        case opcode::scalar: return scalars_[index(i.a)];
        case opcode::store: emit_store(i, at); return nullptr;
        case opcode::guard: return emit_guard(i, at);
        case opcode::reduce: return nullptr;  // the stage's pass sets it
        default: {
            auto value = [&](value_id v) { return v == kernel_ir::none ? nullptr : find(v, &at); };
            return values.emit(i, value(i.a), value(i.b), value(i.c));
        }
    }
}

Value* function_emitter::address(const instr& i, const lane_point& at) {
    Value* row = rows_[at.row].addresses[index(i.a)];
    if (i.dom == domain::row || !at.element) return row;
    const kernel_ir::operand& kind = k().operands[index(i.a)];
    if (context.along_elements() && lane_of(kind) == stride_class::unit)
        return element_address(values.memory_type(kind.type), row, at.element);
    return b.CreateGEP(b.getInt8Ty(), row, b.CreateMul(at.element, operands_[index(i.a)].s0));
}

Value* function_emitter::element_address(Type* type, Value* first, Value* element, Value* begin) {
    using namespace llvm::PatternMatch;
    const auto address = [&](Value* place) {
        return b.CreateGEP(type, first, begin ? b.CreateSub(place, begin) : place);
    };
    Value* place = nullptr;
    llvm::ConstantInt* distance = nullptr;
    if (!match(element, m_Add(m_Value(place), m_ConstantInt(distance)))) return address(element);
    return distance->isZero() ? address(place) : b.CreateGEP(type, address(place), distance);
}

Value* function_emitter::lane_stride(const instr& i) const {
    const operand_value& o = operands_[index(i.a)];
    return context.along_elements() ? o.s0 : o.s1;
}

Value* function_emitter::emit_index(const instr& i, const lane_point& at) {
    const operand_value& o = operands_[index(i.a)];
    Value* first = rows_[at.row].addresses[index(i.a)];
    if (i.dom == domain::element) first = b.CreateAdd(first, b.CreateMul(at.element, o.s0));
    if (!is_vector(i.dom)) return first;
    Value* steps =
        b.CreateMul(lanes.iota(b.getInt64Ty()), values.splat(lane_stride(i), lanes.width()));
    return b.CreateAdd(values.splat(first, lanes.width()), steps);
}

Value* function_emitter::emit_guard(const instr& i, lane_point& at) {
    Value* raised = find(i.a, &at);
    if (raised->getType()->isVectorTy()) {
        // A select, since an inactive lane may hold garbage.
        Value* none = llvm::Constant::getNullValue(raised->getType());
        if (at.active) raised = b.CreateSelect(lanes.mask(at), raised, none);
        raised = b.CreateOrReduce(raised);
    }
    Value* old = b.CreateLoad(b.getInt64Ty(), status_);
    Value* bits = b.CreateSelect(raised, b.getInt64(i.imm), b.getInt64(0));
    b.CreateStore(b.CreateOr(old, bits), status_);
    return find(i.b, &at);
}

void function_emitter::emit_store(const instr& i, lane_point& at) {
    const kernel_ir::operand& o = k().operands[index(i.a)];
    Value* value = find(i.b, &at);
    if (!is_vector(i.dom)) {
        b.CreateAlignedStore(values.to_memory(o.type, value), address(i, at), llvm::Align(1));
        return;
    }
    lanes.store(o.type, o.lane, value, address(i, at), lane_stride(i), at,
                context.fault(mode_fault_tail_mask));
}

}  // namespace sinter::codegen

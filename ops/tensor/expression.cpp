// The non-template half of expressions: joining operands, becoming tensors, sharing one value.
#include "engine/graph/device_check.hpp"
#include "engine/graph/infer.hpp"
#include "engine/run/record.hpp"
#include "ops/common/op_checks.hpp"

#include <sinter/expr/expr.hpp>

#include <cstring>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace sinter::inline v1 {

Tensor::Tensor(const detail::expr_base& e) : Tensor(e.self()) {}
Tensor::Tensor(detail::expr_base&& e) : Tensor(e.moved_value()) {}
Tensor& Tensor::operator=(const detail::expr_base& e) && { return copy_(e); }
Tensor& Tensor::operator=(detail::expr_base&& e) && { return copy_(std::move(e)); }

Tensor& tensor_base::copy_(detail::expr_base&& e) const {
    const TensorImpl* t = self().unsafeGetTensorImpl();
    const geometry* shape = e.code_ && !e.cell_.ready() ? e.meta_.shape.get() : nullptr;
    const bool as_it_is = t && shape && e.meta_.dtype == t->dtype && e.meta_.device == t->device &&
                          shape->sizes_ref() == t->shape->sizes_ref();
    if (!as_it_is) return copy_(static_cast<const tensor_base&>(e));
    ops::require_writable("copy_", *t);
    e.move_value_into(*t);
    return self();
}

namespace detail {

intrusive_ptr<TensorImpl> make_pointwise(const program_ref& program, const leaf* leaves,
                                         const Scalar* scalars, const expr_meta& meta) {
    return make_pending(
        pointwise_node(intern(program), std::span<const leaf>(leaves, program.leaves),
                       {scalars, program.scalars}, meta.dtype, meta.shape),
        meta.shape);
}

// leaf_room() relies on the only member of a derived class directly following the base.
static_assert(alignof(expr_base) == alignof(leaf) && alignof(leaf) == alignof(Scalar));
static_assert(sizeof(binary_expr<op::add>) == sizeof(expr_base) + 2 * sizeof(leaf));

namespace {

const program& body(const void* code) { return *static_cast<const program*>(code); }

/// Returns the node of a temporary, whose operands are moved into it. `leaf_dtype`: of all leaves,
/// if they are alike.
[[gnu::always_inline]] inline std::unique_ptr<Node> node_of(const program& p, leaf* leaves,
                                                            const Scalar* scalars,
                                                            ScalarType leaf_dtype,
                                                            const expr_meta& meta) {
    const std::span<leaf> all(leaves, p.leaves);
    if (leaf_dtype == ScalarType::Undefined)
        return pointwise_node(&p, all, {scalars, p.scalars}, meta.dtype, meta.shape);
    return alike_node(&p, all, {scalars, p.scalars}, leaf_dtype, meta.dtype, meta.shape);
}

/// Returns true if an operation that makes `result` would compute this operand so often that the
/// cost of a node for the operand is small by comparison. The planner may still fuse both into one
/// kernel.
bool repeats_much(const program& p, const geometry& operand, const geometry& result) {
    constexpr int64_t node = 100000;   // primitives, about 2 us
    constexpr int64_t fewest = 4;      // cheaper programs do not pay for a read
    constexpr int64_t one_number = 8;  // a scalar costs as much as this many vector lanes
    if (operand.numel >= result.numel || result.numel < node / 1000) return false;
    const int64_t last = result.sizes()[result.ndim - 1];
    const bool row_by_row = operand.ndim == 0 || operand.sizes()[operand.ndim - 1] != last;
    const int64_t times = row_by_row ? result.numel / last * one_number : result.numel;
    const int64_t cost = cost_of(p);
    return cost >= fewest && (times - operand.numel) * cost >= node;
}

/// Returns the device of the result. Throws if the operands are on different devices; a 0-d tensor
/// in main memory may be combined with GPU tensors.
int8_t common_place(const char* op, const meta_view* metas, const int8_t* devices, int arity) {
    const auto is_number = [&](int i) {
        return !metas[i].shape || (devices[i] == runtime::main_memory && metas[i].shape->ndim == 0);
    };
    int home = 0;
    for (int i = 1; i < arity; ++i) {
        if (is_number(i)) continue;
        if (is_number(home)) home = i;
        if (devices[i] == devices[home]) continue;
        refuse_apart(op, {metas[home].shape->sizes_ref(), devices[home]},
                     {metas[i].shape->sizes_ref(), devices[i]});
    }
    return devices[home];
}

/// Returns the program of one operation: its operands' words, then its row.
const program* joined(op::id row, const operand* operands, int arity) {
    std::vector<uint16_t> words;
    uint16_t leaves = 0, scalars = 0;
    for (int i = 0; i < arity; ++i) {
        if (operands[i].expression) {
            const program_ref p = operands[i].expression->program();
            words.insert(words.end(), p.words, p.words + p.size);
            leaves += p.leaves;
            scalars += p.scalars;
        } else if (operands[i].tensor) {
            words.push_back(token_leaf);
            ++leaves;
        } else {
            words.push_back(token_scalar);
            ++scalars;
        }
    }
    words.push_back(row);
    return intern({words.data(), static_cast<uint16_t>(words.size()), leaves, scalars,
                   program_digest(words.data(), words.size())});
}

}  // namespace

expr_base::expr_base(name_fn name) : tensor_base(name) {}

leaf* expr_base::leaf_room() const {
    return reinterpret_cast<leaf*>(const_cast<expr_base*>(this) + 1);
}
Scalar* expr_base::scalar_room() const {
    return reinterpret_cast<Scalar*>(leaf_room() + body(code_).leaves);
}

/// Moves an operand into its room. Returns true if the program outside may change the memory that
/// it reads.
[[gnu::always_inline]] inline bool expr_base::take_operand(operand& o, const TensorImpl* t,
                                                           leaf*& leaves, Scalar*& scalars) {
    if (t) {
        const leaf* l = ::new (leaves++) leaf(captured_leaf(*t));
        return l->external;
    }
    if (o.expression) {
        const sinter::program& p = body(o.expression->code_);
        o.expression->move_operands(leaves, scalars);
        leaves += p.leaves;
        scalars += p.scalars;
    } else {
        std::construct_at(scalars++, o.number);
    }
    return false;
}

/// A fast path of `join` for most operations: two operands of equal shape, dtype and device, or a
/// number and a tensor. Returns false, with nothing done, for anything else.
[[gnu::always_inline]] inline bool expr_base::join_alike(const void* known, op::id row, operand& a,
                                                         operand& b) {
    const TensorImpl *l = nullptr, *r = nullptr;
    const geometry *l_shape = nullptr, *r_shape = nullptr;
    int8_t l_device = -1, r_place = -1;
    ScalarType l_dtype = ScalarType::Undefined, r_dtype = ScalarType::Undefined;
    ScalarType l_leaves = ScalarType::Undefined, r_leaves = ScalarType::Undefined;
    const auto look = [](const operand& o, const TensorImpl*& t, const geometry*& shape,
                         ScalarType& dtype, int8_t& device, ScalarType& leaves) {
        if (const expr_base* e = o.expression) {
            // Otherwise it, or a part of it, was moved from a named expression.
            if (e->code_ && e->by_type_) shape = e->meta_.shape.get();
            dtype = e->meta_.dtype;
            device = e->meta_.device;
            leaves = e->leaf_dtype_;
        } else if (o.tensor) {
            t = o.tensor->self().unsafeGetTensorImpl();
            if (!t) return;
            shape = t->shape.get();
            leaves = dtype = t->dtype;
            device = t->device;
        }
    };
    look(a, l, l_shape, l_dtype, l_device, l_leaves);
    look(b, r, r_shape, r_dtype, r_place, r_leaves);
    const auto beside = [row](const operand& o, ScalarType dtype) {
        return !o.tensor && !o.expression && takes_plainly(row, dtype, o.number);
    };
    if (l_shape && !r_shape && beside(b, l_dtype)) {
        r_shape = l_shape;
        r_dtype = l_dtype;
        r_place = l_device;
        r_leaves = l_leaves;
    } else if (r_shape && !l_shape && beside(a, r_dtype)) {
        l_shape = r_shape;
        l_dtype = r_dtype;
        l_device = r_place;
        l_leaves = r_leaves;
    }
    if (!l_shape || l_shape != r_shape || l_dtype != r_dtype || l_device != r_place) return false;
    const ScalarType result = result_of_one_kind(row, *l_shape, l_dtype);
    if (result == ScalarType::Undefined) return false;
    meta_.dtype = result;
    meta_.device = l_device;
    if (l_leaves == r_leaves) leaf_dtype_ = l_leaves;
    if (a.expression)
        meta_.shape.swap(a.expression->meta_.shape);
    else
        meta_.shape = geometry_ptr(l_shape);
    leaf* leaves = leaf_room();
    auto* scalars = reinterpret_cast<Scalar*>(leaves + body(known).leaves);
    const bool first = take_operand(a, l, leaves, scalars);
    const bool second = take_operand(b, r, leaves, scalars);
    code_ = known;
    if (first || second) self();
    return true;
}

expr_base::expr_base(program_record& record, op::id row, operand* operands) : expr_base(&name) {
    const void* known = record.known.load(std::memory_order_acquire);
    if (!known || op::rows[row].arity != 2 || !join_alike(known, row, operands[0], operands[1]))
        join(record, row, operands);
}

/// Joins any operands. Throws if they do not fit.
[[gnu::noinline]] void expr_base::join(program_record& record, op::id row, operand* operands) {
    const int arity = op::rows[row].arity;
    const void* known = record.known.load(std::memory_order_acquire);
    const TensorImpl* tensors[3] = {};
    meta_view metas[3] = {};
    int8_t devices[3] = {-1, -1, -1};
    for (int i = 0; i < arity; ++i) {
        operand& o = operands[i];
        if (o.expression && !o.expression->code_) {  // moved from a named expression, so it is a
                                                     // tensor now
            o.tensor = std::exchange(o.expression, nullptr);
            by_type_ = false;
        }
        if (o.tensor) {
            const Tensor& t = o.tensor->self();
            if (!t.defined()) ops::body(op::rows[row].name, t);  // throws
            tensors[i] = t.unsafeGetTensorImpl();
            metas[i] = {tensors[i]->shape.get(), tensors[i]->dtype};
            devices[i] = tensors[i]->device;
        } else if (o.expression) {
            metas[i] = {o.expression->meta_.shape.get(), o.expression->meta_.dtype};
            devices[i] = o.expression->meta_.device;
            by_type_ = by_type_ && o.expression->by_type_;
        } else {
            metas[i] = {nullptr, o.number.type()};
        }
    }
    const int8_t device = common_place(op::rows[row].name, metas, devices, arity);
    const geometry* shape = nullptr;
    meta_.dtype = combine_alike(row, metas, arity, &shape);
    if (meta_.dtype == ScalarType::Undefined) {
        meta_ = combine(row, metas);
        shape = nullptr;
        for (int i = 0; i < arity; ++i) {
            operand& o = operands[i];
            if (!o.expression ||
                !repeats_much(body(o.expression->code_), *metas[i].shape, *meta_.shape))
                continue;
            tensors[i] = o.expression->self().unsafeGetTensorImpl();
            o.tensor = std::exchange(o.expression, nullptr);
            by_type_ = false;
        }
    }
    for (int i = 0; i < arity; ++i) {
        if (metas[i].shape) continue;
        const char* name = row == op::maximum ? "clamp_min" : "clamp_max";
        operands[i].number = ops::number_in(name, row, meta_.dtype, operands[i].number);
    }
    meta_.device = device;
    const void* code = by_type_ ? known : nullptr;
    if (!code) {
        code = joined(row, operands, arity);
        if (by_type_) record.known.store(code, std::memory_order_release);
    }
    // Nothing has been moved from the operands so far, and nothing throws from here on.
    if (shape && operands[0].expression && operands[0].expression->meta_.shape.get() == shape)
        meta_.shape = std::move(operands[0].expression->meta_.shape);
    else if (shape)
        meta_.shape = geometry_ptr(shape);
    leaf* leaves = leaf_room();
    auto* scalars = reinterpret_cast<Scalar*>(leaves + body(code).leaves);
    bool external = false;
    for (int i = 0; i < arity; ++i)
        external = take_operand(operands[i], tensors[i], leaves, scalars) || external;
    code_ = code;
    // The program outside may change such memory between two statements, so it is read in this one.
    // Operands that were temporaries read none: they would be tensors by now.
    if (external) self();
}

expr_base::expr_base(expr_base&& o) : expr_base(&name) {  // NOLINT: the header says why
    if (o.cell_.ready()) cell_.publish(Tensor(o.cell_.tensor));
    if (!o.code_) return;
    meta_ = o.meta_;
    code_ = o.code_;
    by_type_ = o.by_type_;
    leaf_dtype_ = o.leaf_dtype_;
    o.move_operands(leaf_room(), scalar_room());
}

expr_base::expr_base(const expr_base& o) : expr_base(&name) { cell_.publish(Tensor(o.self())); }

expr_base::~expr_base() {
    if (code_) drop_operands();
}

/// Moves the operands into uninitialised memory as bytes. The source keeps nothing to destroy.
void expr_base::move_operands(leaf* leaves, Scalar* scalars) {
    const sinter::program& p = body(code_);
    const leaf* from = leaf_room();
    for (int i = 0, n = p.leaves; i < n; ++i)  // only a few: faster than one call with a variable
                                               // size
        // NOLINTNEXTLINE(bugprone-undefined-memory-manipulation): see above
        std::memcpy(static_cast<void*>(leaves + i), from + i, sizeof(leaf));
    if (p.scalars)
        std::memcpy(static_cast<void*>(scalars), scalar_room(), p.scalars * sizeof(Scalar));
    code_ = nullptr;
}

void expr_base::drop_operands() {
    if (code_) std::destroy_n(leaf_room(), body(code_).leaves);
    code_ = nullptr;
}

program_ref expr_base::program() const {
    if (!code_) return {};
    const sinter::program& p = body(code_);
    return {p.words.data(), static_cast<uint16_t>(p.words.size()), p.leaves, p.scalars, p.digest};
}

Tensor expr_base::pending() const {
    if (!code_)
        runtime::fail("expression", "the expression has been moved from", "a use after std::move",
                      "an expression that still holds its value", "a copy before the move");
    const sinter::program& p = body(code_);
    return Tensor(make_pending(pointwise_node(&p, std::span<const leaf>(leaf_room(), p.leaves),
                                              {scalar_room(), p.scalars}, meta_.dtype, meta_.shape),
                               meta_.shape));
}

/// Returns the pending tensor of a temporary.
Tensor expr_base::moved_value() {
    if (cell_.ready()) return cell_.tensor;
    if (!code_) return pending();  // throws
    auto node = node_of(body(code_), leaf_room(), scalar_room(), leaf_dtype_, meta_);
    code_ = nullptr;  // the leaves have been moved out
    return Tensor(make_pending(std::move(node), std::move(meta_.shape)));
}

/// Assigns the value of a temporary with operands to a tensor.
void expr_base::move_value_into(const TensorImpl& target) {
    sinter::assign(target, node_of(body(code_), leaf_room(), scalar_room(), leaf_dtype_, meta_));
}

Tensor& expr_base::name(const tensor_base* base) {
    auto& e = const_cast<expr_base&>(static_cast<const expr_base&>(*base));
    if (e.cell_.ready() || !e.cell_.claim()) return e.cell_.tensor;
    try {
        Tensor t = e.pending();
        e.drop_operands();  // otherwise a write to an operand would preserve its old bytes for no
                            // reader
        e.cell_.publish(std::move(t));
    } catch (...) {
        e.cell_.abandon();
        throw;
    }
    return e.cell_.tensor;
}

void expr_base::assign(const tensor_base& value) {
    Tensor t(value.self());
    drop_operands();
    cell_.publish(std::move(t));
}

bool name_cell::claim() {
    int expected = 0;
    while (!state_.compare_exchange_weak(expected, 1, std::memory_order_acq_rel)) {
        if (expected == 2) return false;
        if (expected == 1) std::this_thread::yield();
        expected = 0;
    }
    return true;
}
void name_cell::publish(Tensor&& t) {
    tensor = std::move(t);
    state_.store(2, std::memory_order_release);
}
void name_cell::abandon() { state_.store(0, std::memory_order_release); }

}  // namespace detail
}  // namespace sinter::inline v1

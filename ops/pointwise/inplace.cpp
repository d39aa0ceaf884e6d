// In-place methods: the form with an underscore of every table row, copies and fills.
//
// All checks come before `assign`, so that a call that throws leaves the tensor unchanged.
#include "engine/graph/device_check.hpp"
#include "engine/graph/infer.hpp"
#include "engine/run/flush.hpp"
#include "engine/run/record.hpp"
#include "ops/common/devices.hpp"
#include "ops/common/sharing.hpp"

#include <sinter/functions/functions.hpp>

#include <boost/container/static_vector.hpp>

#include <atomic>
#include <iterator>
#include <span>

namespace sinter::inline v1 {

using ops::body;
using ops::read;
using ops::sequence;

namespace {

/// Writes a row's result into `target`. `code` ends in that result, which has the dtype and shape
/// of `result`.
void write_row(const char* name, const TensorImpl& target, sequence& code,
               const expr_meta& result) {
    ops::require_writable(name, target);
    ops::require_castable(name, result.dtype, target.dtype);
    ops::require_same_shape(name, target, result.shape->sizes_ref());
    if (result.dtype != target.dtype) code.cast(target.dtype);
    code.write(target);
}

/// Returns the program of a row over leaves, then numbers.
const program* program_of(op::id row, std::size_t leaves, std::size_t numbers) {
    static std::atomic<const program*> known[std::size(op::rows)][2];  // rows have one arity
    std::atomic<const program*>& at = known[row][numbers];
    if (const program* p = at.load(std::memory_order_acquire)) return p;
    boost::container::static_vector<uint16_t, 3> words(leaves, token_leaf);
    words.insert(words.end(), numbers, token_scalar);
    words.push_back(row);
    const program* p =
        intern({words.data(), static_cast<uint16_t>(words.size()), static_cast<uint16_t>(leaves),
                static_cast<uint16_t>(numbers), program_digest(words.data(), words.size())});
    at.store(p, std::memory_order_release);
    return p;
}

/// The short way of most writes: a row over the target, and another tensor of its dtype and plain
/// geometry or a number, if there is one, with a result of its dtype. Returns false, with nothing
/// done, for others.
bool write_alike(op::id row, const char* name, const TensorImpl& t, const TensorImpl* other,
                 const Scalar* number) {
    if (result_of_one_kind(row, *t.shape, t.dtype) != t.dtype) return false;
    if (number && !takes_plainly(row, t.dtype, *number)) return false;
    if (other && (other->shape.get() != t.shape.get() || other->dtype != t.dtype ||
                  other->device != t.device))
        return false;
    ops::require_writable(name, t);
    boost::container::static_vector<leaf, 2> leaves;
    leaves.push_back(captured_leaf(t));
    if (other) leaves.push_back(captured_leaf(*other));
    const std::span<const Scalar> numbers(number, number ? 1 : 0);
    assign(t, alike_node(program_of(row, leaves.size(), numbers.size()),
                         {leaves.data(), leaves.size()}, numbers, t.dtype, t.dtype, t.shape));
    return true;
}

void write_unary(op::id row, const char* name, const tensor_base& self) {
    const TensorImpl& t = body(name, self);
    if (write_alike(row, name, t, nullptr, nullptr)) return;
    const detail::meta_view operands[] = {{t.shape.get(), t.dtype}};
    const expr_meta result = detail::combine(row, operands);
    if (isComplexType(t.dtype) && !isComplexType(result.dtype) && result.dtype != kBool)
        runtime::fail(name, "the result is real, but the tensor is complex", toString(t.dtype),
                      "a real tensor", "the out-of-place form");
    sequence code;
    code.read(read(t)).row(row);
    write_row(name, t, code, result);
}

void write_binary(op::id row, const char* name, const tensor_base& self, const tensor_base& other) {
    const TensorImpl &t = body(name, self), &b = body(name, other);
    if (write_alike(row, name, t, &b, nullptr)) return;
    const IntArrayRef sizes = t.shape->sizes_ref(), others = b.shape->sizes_ref();
    if (sizes != others) ops::require_same_shape(name, t, broadcast_shapes(name, sizes, others));
    const bool number = b.device == runtime::main_memory && b.shape->ndim == 0;
    if (t.device != b.device && !number) refuse_apart(name, {sizes, t.device}, {others, b.device});
    const detail::meta_view operands[] = {{t.shape.get(), t.dtype}, {b.shape.get(), b.dtype}};
    const expr_meta result = detail::combine(row, operands);
    ops::require_no_partial_overlap(name, t, b);
    sequence code;
    code.read(read(t)).read(read(b)).row(row);
    write_row(name, t, code, result);
}

void write_scalar(op::id row, const char* name, const tensor_base& self, const Scalar& other) {
    const TensorImpl& t = body(name, self);
    if (write_alike(row, name, t, nullptr, &other)) return;
    const detail::meta_view operands[] = {{t.shape.get(), t.dtype}, {nullptr, other.type()}};
    const expr_meta result = detail::combine(row, operands);
    sequence code;
    code.read(read(t)).number(ops::number_in(name, row, result.dtype, other)).row(row);
    write_row(name, t, code, result);
}

}  // namespace

#define SINTER_UNARY(name, row)                 \
    Tensor& tensor_base::name##_() const {      \
        write_unary(op::row, #name "_", *this); \
        return self();                          \
    }
#define SINTER_BINARY(name, row)                                   \
    Tensor& tensor_base::name##_(const tensor_base& other) const { \
        write_binary(op::row, #name "_", *this, other);            \
        return self();                                             \
    }                                                              \
    Tensor& tensor_base::name##_(const Scalar& other) const {      \
        write_scalar(op::row, #name "_", *this, other);            \
        return self();                                             \
    }
#include <sinter/expr/each_row.inc>
#undef SINTER_UNARY
#undef SINTER_BINARY

namespace {

/// Copies from another device into memory whose address the program knows, so that nothing pending
/// reads it.
void copy_over(const TensorImpl& t, const TensorImpl& s, bool wait) {
    constexpr auto reason = static_cast<int>(flush_reason::device_copy);
    settle(*t.storage, reason);
    const Buffer& from = ready_buffer(s, reason);
    Buffer& to = *t.storage->current->buffer;
    const std::size_t item = elementSize(t.dtype);
    runtime::copy_bytes(to, static_cast<std::size_t>(t.shape->offset) * item, from,
                        static_cast<std::size_t>(s.shape->offset) * item,
                        static_cast<std::size_t>(t.shape->numel) * item, wait);
    ++t.storage->version;
}

/// Returns true if a byte copy gives the result and may bypass the graph.
bool copies_as_bytes(const TensorImpl& t, const TensorImpl& s) {
    return t.storage->external && !t.storage->differentiated && !s.storage->differentiated &&
           t.dtype == s.dtype && t.shape->numel > 0 &&
           t.shape->sizes_ref() == s.shape->sizes_ref() &&
           t.shape->strides_ref() == s.shape->strides_ref() &&
           extent_of(*t.shape) - t.shape->offset == t.shape->numel;
}

}  // namespace

Tensor& tensor_base::fill_(const tensor_base& value) const {
    const TensorImpl &t = body("fill_", *this), &v = body("fill_", value);
    if (v.shape->ndim != 0)
        runtime::fail(
            "fill_",
            runtime::text("fill_ only supports 0-dimension value tensor but got tensor with ",
                          v.shape->ndim, " dimensions"),
            ops::shape_of(v), "a 0-d tensor", "copy_(), which broadcasts");
    return copy_(t.storage == v.storage ? value.clone() : value.self());
}

Tensor& tensor_base::copy_(const tensor_base& source, bool non_blocking) const {
    const TensorImpl &t = body("copy_", *this), &s = body("copy_", source);
    if (&t == &s) return self();  // also if elements share memory
    const geometry& g = *t.shape;
    ops::require_writable("copy_", t);
    ops::require_same_shape("copy_", t,
                            broadcast_shapes("copy_", g.sizes_ref(), s.shape->sizes_ref()));
    ops::require_no_partial_overlap("copy_", t, s);
    ops::warn_of_cast(s.dtype, t.dtype);
    if (s.device != t.device) {
        if (!copies_as_bytes(t, s))
            return copy_(ops::moved(source.self(), t.device, !non_blocking));
        copy_over(t, s, !non_blocking);
        return self();
    }
    sequence code;
    code.read(read(s));
    if (s.dtype != t.dtype) code.cast(t.dtype);
    code.write(t);
    return self();
}

namespace {

/// Returns a view without the dimensions that an expanded tensor repeats. Writing to it writes
/// every element.
Tensor unexpanded(Tensor t) {
    for (int64_t d = 0; d < t.dim(); ++d)
        if (t.stride(d) == 0 && t.size(d) > 1) t = t.narrow(d, 0, 1);
    return t;
}

void write_number(const char* name, const tensor_base& t, const Scalar& value) {
    const TensorImpl& target = body(name, t);
    const geometry& g = *target.shape;
    bool expanded = false;
    for (int d = 0; d < g.ndim; ++d) expanded |= g.strides()[d] == 0 && g.sizes()[d] > 1;
    if (expanded && g.numel > 0) return write_number(name, unexpanded(t.self()), value);
    if (ops::overlaps_itself(g)) {
        const ops::shared_elements all(target);
        all.vector.index_fill_(0, all.places.flatten(), value);
        return;
    }
    ops::require_writable(name, target);
    sequence().number(value).cast(target.dtype).write(target);
}

}  // namespace

Tensor& tensor_base::fill_(const Scalar& value) const {
    runtime::require_fits("fill_", value, body("fill_", *this).dtype);
    write_number("fill_", *this, value);
    return self();
}

Tensor& tensor_base::zero_() const {
    write_number("zero_", *this, 0);
    return self();
}

}  // namespace sinter::inline v1

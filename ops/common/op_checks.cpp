#include "ops/common/op_checks.hpp"

#include "engine/run/flush.hpp"
#include "engine/run/record.hpp"
#include "ops/common/sharing.hpp"

#include <sinter/limits.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinter::ops {

// ---- dimensions

int64_t wrap_dim(const char* op, int64_t dim, int64_t ndim) {
    const int64_t n = ndim == 0 ? 1 : ndim;
    if (dim < -n || dim >= n)
        fail<IndexError>(op, "dimension out of range",
                         text("dimension ", dim, " of a tensor with ", ndim, " dimensions"),
                         text(-n, " to ", n - 1), "dim() to see how many there are");
    return dim < 0 ? dim + n : dim;
}

uint64_t wrap_dims(const char* op, IntArrayRef dims, int64_t ndim) {
    uint64_t bits = 0;
    for (int64_t d : dims) {
        const uint64_t bit = uint64_t{1} << wrap_dim(op, d, ndim);
        if (bits & bit)
            fail(op, "a dimension appears twice", text(dims), "each dimension at most once",
                 "removing the duplicate");
        bits |= bit;
    }
    return bits;
}

// ---- bodies

const TensorImpl& body(const char* op, const tensor_base& t) {
    const TensorImpl* impl = t.self().unsafeGetTensorImpl();
    if (!impl)
        fail(op, "the tensor is undefined", "a default-constructed Tensor", "one with a value",
             "zeros or empty");
    return *impl;
}

Tensor view_of(const TensorImpl& t, IntArrayRef sizes, IntArrayRef strides, int64_t offset) {
    return Tensor(make_view(t, make_geometry(sizes, strides, offset)));
}

leaf read(const TensorImpl& t) { return captured_leaf(t); }

leaf read(const TensorImpl& t, geometry_ptr shape) {
    leaf l = read(t);
    l.shape = std::move(shape);
    return l;
}

leaf index_leaf(IntArrayRef sizes, IntArrayRef strides, int64_t offset) {
    leaf l;
    l.shape = make_geometry(sizes, strides, offset);
    return l;
}

geometry_ptr layout_like(const geometry& g) {
    if (!g.contiguous) {
        geometry_ptr moved = make_geometry(g.sizes_ref(), g.strides_ref(), 0);
        if (covers(*moved, moved->numel)) return moved;
    }
    return make_contiguous(g.sizes_ref());
}

const char* values(const TensorImpl& t, flush_reason reason) {
    if (t.device != runtime::main_memory)
        throw InternalError("[front] the host reads a GPU's memory; this is a bug of sinter");
    return static_cast<const char*>(ready_buffer(t, static_cast<int>(reason)).data);
}

char* fresh(const TensorImpl& t) { return const_cast<char*>(values(t, flush_reason::other)); }

// ---- programs

const program* sequence::code() const {
    return intern({words_.data(), word_count_, leaf_count_, scalar_count_,
                   program_digest(words_.data(), word_count_)});
}

std::unique_ptr<Node> sequence::node(ScalarType dtype, geometry_ptr shape) {
    return pointwise_node(code(), std::span<const leaf>(leaves_.data(), leaf_count_),
                          {scalars_.data(), scalar_count_}, dtype, std::move(shape));
}

sequence& sequence::append(const sequence& other) {
    if (word_count_ + other.word_count_ >= word_max || leaf_count_ + other.leaf_count_ > leaf_max ||
        scalar_count_ + other.scalar_count_ > scalar_max)
        throw InternalError("[sequence] a program of the library's own is too long");
    for (int i = 0; i < other.word_count_; ++i) words_[word_count_++] = other.words_[i];
    for (int i = 0; i < other.leaf_count_; ++i) leaves_[leaf_count_++] = other.leaves_[i];
    for (int i = 0; i < other.scalar_count_; ++i) scalars_[scalar_count_++] = other.scalars_[i];
    return *this;
}

Tensor sequence::pending(ScalarType dtype, geometry_ptr shape) {
    std::unique_ptr<Node> n = node(dtype, shape);
    return Tensor(make_pending(std::move(n), std::move(shape)));
}

void sequence::write(const TensorImpl& target) {
    // The node's layout is dense. If the target is a part of its storage, `assign` places the
    // elements.
    std::unique_ptr<Node> n = node(target.dtype, make_contiguous(target.shape->sizes_ref()));
    for (leaf& l : leaves_)
        l = {};  // otherwise `assign` would take them for readers of the old
                 // value
    assign(target, std::move(n));
}

// ---- writing

void require_writable(const char* op, const TensorImpl& target) {
    if (target.storage->read_only)
        fail(op, "the memory is read-only", "a tensor over memory given by from_blob(const T*)",
             "writable memory", "clone() first");
    if (overlaps_itself(*target.shape))
        fail(op, "several elements of the written tensor share one address",
             text("sizes ", target.shape->sizes_ref(), " with strides ",
                  target.shape->strides_ref()),
             "an address for each element", "clone() first");
}

void require_castable(const char* op, ScalarType from, ScalarType to) {
    if (!can_cast(from, to))
        fail(op, text("result type ", from, " can't be cast to the desired output type ", to),
             text(from), text("a result that fits a ", to, " tensor"),
             text("the form without _, or to(k", from, ") first"));
}

void require_same_shape(const char* op, const TensorImpl& target, IntArrayRef result) {
    if (!(target.shape->sizes_ref() == result))
        fail(op, "the result does not have the shape of the tensor that is written",
             text("a result of ", result, " for a tensor of ", target.shape->sizes_ref()),
             "operands that broadcast to the tensor's shape", "the form without _");
}

}  // namespace sinter::ops

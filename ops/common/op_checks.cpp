#include "ops/common/op_checks.hpp"

#include "engine/run/flush.hpp"
#include "engine/run/record.hpp"
#include "engine/watch/watch.hpp"
#include "ops/common/sharing.hpp"

#include <sinter/limits.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinter::ops {

// ---- shapes and options

std::string shape_of(const TensorImpl& t) {
    return t.shape->ndim == 0 ? "a 0-d tensor" : runtime::text("shape ", t.shape->sizes_ref());
}

std::string shapes(const TensorImpl& a, const TensorImpl& b) {
    return runtime::text("shapes ", a.shape->sizes_ref(), " and ", b.shape->sizes_ref());
}

void refuse_empty_dims(const char* op, const TensorImpl& t) {
    runtime::fail<IndexError>(op, "the reduced dimensions are empty", shape_of(t),
                              "at least 1 element in them", "another dimension");
}

void require_matrix(const char* op, const TensorImpl& t, const char* remedy) {
    if (t.shape->ndim != 2)
        runtime::fail(op, "the tensor is not a matrix", shape_of(t), "2 dimensions", remedy);
}

void refuse_not_square(const char* op, const TensorImpl& t, const char* remedy) {
    runtime::fail(op, "the matrix is not square", shape_of(t), "shape [..., n, n]", remedy);
}

void refuse_same_dims(const char* op, int64_t a, int64_t b, const char* remedy) {
    runtime::fail(op, "the two dimensions are the same",
                  runtime::text("dimensions ", a, " and ", b), "two different dimensions", remedy);
}

void require_0d(const char* op, const TensorImpl& t, const char* what, const char* remedy) {
    if (t.shape->ndim != 0)
        runtime::fail(op, runtime::text(what, " is not a 0-d tensor"), shape_of(t), "a 0-d tensor",
                      remedy);
}

void require_pairs(const char* op, IntArrayRef padding) {
    if (padding.size() % 2 != 0)
        runtime::fail(op, "the padding has an odd number of values", runtime::text(padding),
                      "an even number", "two values for each dimension, the last dimension first");
}

void refuse_no_bounds(const char* op) {
    runtime::fail(op, "min and max are both missing", "nullopt and nullopt", "at least one of them",
                  "clone() for a copy");
}

void require_strides(const char* op, IntArrayRef sizes, IntArrayRef strides, const char* remedy) {
    if (sizes.size() != strides.size())
        runtime::fail(op, "sizes and strides have different lengths",
                      runtime::text("sizes ", sizes, " and strides ", strides),
                      "one stride for each size", remedy);
    for (const int64_t s : strides)
        if (s < 0)
            runtime::fail(op, "a stride is negative", runtime::text("strides ", strides),
                          "strides of 0 or more", "flip(), which reverses a dimension by a copy");
}

int64_t wrap_dim(const char* op, int64_t dim, int64_t ndim) {
    const int64_t n = ndim == 0 ? 1 : ndim;
    if (dim < -n || dim >= n)
        runtime::fail<IndexError>(
            op, "the dimension is out of range",
            runtime::text("dimension ", dim, " of a tensor with ", ndim, " dimensions"),
            runtime::text(-n, " to ", n - 1), "-1 for the last dimension");
    return dim < 0 ? dim + n : dim;
}

uint64_t wrap_dims(const char* op, IntArrayRef dims, int64_t ndim) {
    uint64_t bits = 0;
    for (int64_t d : dims) {
        const uint64_t bit = uint64_t{1} << wrap_dim(op, d, ndim);
        if (bits & bit)
            runtime::fail(
                op, "a dimension appears twice",
                runtime::text("dimensions ", dims, " of a tensor with ", ndim, " dimensions"),
                "each dimension at most once", "removing one of them; -1 is the last dimension");
        bits |= bit;
    }
    return bits;
}

// ---- dtypes

void require_real(const char* op, ScalarType dtype) {
    if (isComplexType(dtype)) runtime::refuse_complex(op, toString(dtype));
}
void require_floating(const char* op, ScalarType dtype) {
    require_real(op, dtype);
    if (!isFloatingType(dtype)) runtime::refuse_integers(op, toString(dtype));
}
void require_inexact(const char* op, ScalarType dtype) {
    if (!is_inexact(dtype))
        runtime::refuse_integers(op, toString(dtype), "a floating-point or complex dtype");
}
void require_numeric(const char* op, ScalarType dtype) {
    if (dtype == kBool) runtime::refuse_bool(op, toString(dtype));
}

void require_operand_dtype(const char* op, const char* what, ScalarType dtype, ScalarType wanted) {
    if (dtype != wanted)
        runtime::fail(op, runtime::text(what, " have the wrong dtype"), toString(dtype),
                      toString(wanted), runtime::text(".to(k", wanted, ") on ", what));
}

// ---- bodies

const TensorImpl& body(const char* op, const tensor_base& t) {
    const TensorImpl* impl = t.self().unsafeGetTensorImpl();
    if (!impl) runtime::refuse_undefined(op);
    return *impl;
}

Tensor view_of(const TensorImpl& t, IntArrayRef sizes, IntArrayRef strides, int64_t offset,
               const char* op) {
    return Tensor(make_view(t, make_geometry(sizes, strides, offset, op)));
}

leaf read(const TensorImpl& t) { return captured_leaf(t); }

leaf read(const TensorImpl& t, geometry_ptr shape) {
    if (t.storage->differentiated) return captured_leaf(*make_view(t, std::move(shape)));
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
    if (t.device != runtime::main_memory) runtime::bug("values", "the host reads a GPU's memory");
    return static_cast<const char*>(ready_buffer(t, static_cast<int>(reason)).data);
}

char* fresh(const TensorImpl& t) {
    if (watching) [[unlikely]]
        watching->uninitialised.erase(t.storage->current.get());
    return const_cast<char*>(values(t, flush_reason::other));
}

// ---- programs

const program* sequence::code() const {
    return intern({words_.data(), static_cast<uint16_t>(words_.size()),
                   static_cast<uint16_t>(leaves_.size()), static_cast<uint16_t>(scalars_.size()),
                   program_digest(words_.data(), words_.size())});
}

std::unique_ptr<Node> sequence::node(ScalarType dtype, geometry_ptr shape) {
    return pointwise_node(code(), std::span<const leaf>(leaves_.data(), leaves_.size()),
                          {scalars_.data(), scalars_.size()}, dtype, std::move(shape));
}

sequence& sequence::append(const sequence& other) {
    if (words_.size() + other.words_.size() >= word_max ||
        leaves_.size() + other.leaves_.size() > leaf_max ||
        scalars_.size() + other.scalars_.size() > scalar_max)
        runtime::bug("sequence", "a program is too long");
    words_.insert(words_.end(), other.words_.begin(), other.words_.end());
    leaves_.insert(leaves_.end(), other.leaves_.begin(), other.leaves_.end());
    scalars_.insert(scalars_.end(), other.scalars_.begin(), other.scalars_.end());
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
    leaves_.clear();  // otherwise `assign` would take them for readers of the old value
    assign(target, std::move(n));
}

// ---- writing

void require_writable(const char* op, const TensorImpl& target) {
    require_writable(op, *target.storage);
    if (overlaps_itself(*target.shape))
        runtime::fail(
            op, "more than one element of the written-to tensor refers to a single memory location",
            runtime::text(shape_of(target), " with strides ", target.shape->strides_ref()),
            "a memory location for each element", "clone() first");
}

void require_castable(const char* op, ScalarType from, ScalarType to) {
    if (!can_cast(from, to)) refuse_cast(op, from, to);
}

void require_same_shape(const char* op, const TensorImpl& target, IntArrayRef result) {
    if (!(target.shape->sizes_ref() == result))
        runtime::fail(op,
                      runtime::text("output with shape ", target.shape->sizes_ref(),
                                    " doesn't match the broadcast shape ", result),
                      shape_of(target), runtime::text("shape ", result),
                      "the out-of-place form, or operands that broadcast to the tensor's shape");
}

}  // namespace sinter::ops

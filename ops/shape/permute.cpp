// Functions that reorder dimensions, and in-place methods that change the view of a handle.
#include "engine/watch/watch.hpp"
#include "ops/common/op_checks.hpp"

#include <sinter/functions/functions.hpp>

namespace sinter::inline v1 {

using ops::body;
using ops::wrap_dim;
using runtime::fail;
using runtime::text;

namespace {

Tensor moved(const char* op, const tensor_base& self, IntArrayRef source, IntArrayRef destination) {
    const TensorImpl& t = body(op, self);
    const int64_t ndim = t.shape->ndim;
    if (source.size() != destination.size())
        fail(op, "source and destination have different lengths",
             text("source ", source, " and destination ", destination),
             "one destination for each source",
             "permute(), which takes the order of all dimensions");
    uint64_t taken = ops::wrap_dims(op, source, ndim);
    ops::wrap_dims(op, destination, ndim);
    if (ndim == 0) return self.permute({});
    std::vector<int64_t> order(static_cast<std::size_t>(ndim), -1);
    for (std::size_t i = 0; i < source.size(); ++i)
        order[static_cast<std::size_t>(wrap_dim(op, destination[i], ndim))] =
            wrap_dim(op, source[i], ndim);
    int64_t next = 0;
    for (int64_t& place : order) {
        if (place >= 0) continue;
        while (taken >> next & 1) ++next;
        place = next++;
    }
    return self.permute(order);
}

Tensor transposed_matrices(const char* op, const tensor_base& self) {
    const TensorImpl& t = body(op, self);
    if (t.shape->ndim == 0) return self.self();
    ops::require_dims_from(op, t, 2, "unsqueeze(0) first");
    return self.transpose(-2, -1);
}

Tensor swapped(const char* op, const tensor_base& self, int64_t dim0, int64_t dim1) {
    const int64_t ndim = body(op, self).shape->ndim;
    return self.transpose(wrap_dim(op, dim0, ndim), wrap_dim(op, dim1, ndim));
}

/// Gives all handles of `self`'s tensor the shape of `view`, which is a view of it.
Tensor& see_as(const tensor_base& self, const Tensor& view) {
    Tensor& t = self.self();
    TensorImpl& to = *t.unsafeGetTensorImpl();
    const TensorImpl& from = *view.unsafeGetTensorImpl();
    note_effect("changes the shape of a tensor in place");
    to.shape = from.shape;
    if (!to.storage->differentiated) return t;
    to.base = from.base;
    to.gradient = from.gradient;
    return t;
}

}  // namespace

Tensor tensor_base::movedim(int64_t source, int64_t destination) const {
    return moved("movedim", *this, source, destination);
}
Tensor tensor_base::movedim(IntArrayRef source, IntArrayRef destination) const {
    return moved("movedim", *this, source, destination);
}
Tensor tensor_base::moveaxis(int64_t source, int64_t destination) const {
    return moved("moveaxis", *this, source, destination);
}
Tensor tensor_base::moveaxis(IntArrayRef source, IntArrayRef destination) const {
    return moved("moveaxis", *this, source, destination);
}

Tensor tensor_base::swapaxes(int64_t axis0, int64_t axis1) const {
    return swapped("swapaxes", *this, axis0, axis1);
}
Tensor tensor_base::swapdims(int64_t dim0, int64_t dim1) const {
    return swapped("swapdims", *this, dim0, dim1);
}

Tensor tensor_base::numpy_T() const {
    const int32_t ndim = body("numpy_T", *this).shape->ndim;
    std::vector<int64_t> order;
    for (int64_t d = ndim - 1; d >= 0; --d) order.push_back(d);
    return permute(order);
}

Tensor tensor_base::T() const { return numpy_T(); }
Tensor tensor_base::H() const { return matrix_H(); }
Tensor tensor_base::mT() const { return transposed_matrices("mT", *this); }
Tensor tensor_base::mH() const { return transposed_matrices("mH", *this).conj(); }
Tensor tensor_base::adjoint() const { return transposed_matrices("adjoint", *this).conj(); }

Tensor tensor_base::matrix_H() const {
    const TensorImpl& t = body("matrix_H", *this);
    ops::require_dims_to("matrix_H", t, 2, "mH(), which takes a batch of matrices");
    return transposed_matrices("matrix_H", *this).conj();
}

// ---- in-place on the handle. Arguments are checked first, so that errors name this function.
Tensor& tensor_base::squeeze_() const {
    body("squeeze_", *this);
    return see_as(*this, squeeze());
}

Tensor& tensor_base::squeeze_(int64_t dim) const {
    wrap_dim("squeeze_", dim, body("squeeze_", *this).shape->ndim);
    return see_as(*this, squeeze(dim));
}

Tensor& tensor_base::squeeze_(IntArrayRef dims) const {
    ops::wrap_dims("squeeze_", dims, body("squeeze_", *this).shape->ndim);
    return see_as(*this, squeeze(dims));
}

Tensor& tensor_base::as_strided_(IntArrayRef sizes, IntArrayRef strides,
                                 optional<int64_t> storage_offset) const {
    body("as_strided_", *this);
    return see_as(*this, as_strided(sizes, strides, storage_offset));
}

Tensor& tensor_base::unsqueeze_(int64_t dim) const {
    wrap_dim("unsqueeze_", dim, body("unsqueeze_", *this).shape->ndim + 1);
    return see_as(*this, unsqueeze(dim));
}

Tensor& tensor_base::t_() const {
    const TensorImpl& t = body("t_", *this);
    ops::require_dims_to("t_", t, 2, "transpose_()");
    return see_as(*this, this->t());
}

Tensor& tensor_base::transpose_(int64_t dim0, int64_t dim1) const {
    return see_as(*this, swapped("transpose_", *this, dim0, dim1));
}
Tensor& tensor_base::swapaxes_(int64_t axis0, int64_t axis1) const {
    return see_as(*this, swapped("swapaxes_", *this, axis0, axis1));
}
Tensor& tensor_base::swapdims_(int64_t dim0, int64_t dim1) const {
    return see_as(*this, swapped("swapdims_", *this, dim0, dim1));
}

// ---- function forms
Tensor narrow(const tensor_base& t, int64_t dim, int64_t start, int64_t length) {
    return t.narrow(dim, start, length);
}
Tensor narrow(const tensor_base& t, int64_t dim, const tensor_base& start, int64_t length) {
    return t.narrow(dim, start, length);
}
Tensor narrow_copy(const tensor_base& t, int64_t dim, int64_t start, int64_t length) {
    return t.narrow_copy(dim, start, length);
}
Tensor& as_strided_(const tensor_base& t, IntArrayRef sizes, IntArrayRef strides,
                    optional<int64_t> storage_offset) {
    return t.as_strided_(sizes, strides, storage_offset);
}
Tensor& detach_(const tensor_base& t) { return t.detach_(); }
Tensor select(const tensor_base& t, int64_t dim, int64_t index) { return t.select(dim, index); }
Tensor slice(const tensor_base& t, int64_t dim, optional<int64_t> start, optional<int64_t> end,
             int64_t step) {
    return t.slice(dim, start, end, step);
}
Tensor as_strided(const tensor_base& t, IntArrayRef sizes, IntArrayRef strides,
                  optional<int64_t> storage_offset) {
    return t.as_strided(sizes, strides, storage_offset);
}
Tensor detach(const tensor_base& t) { return t.detach(); }
Tensor adjoint(const tensor_base& t) { return t.adjoint(); }
Tensor movedim(const tensor_base& t, int64_t source, int64_t destination) {
    return t.movedim(source, destination);
}
Tensor movedim(const tensor_base& t, IntArrayRef source, IntArrayRef destination) {
    return t.movedim(source, destination);
}
Tensor moveaxis(const tensor_base& t, int64_t source, int64_t destination) {
    return t.moveaxis(source, destination);
}
Tensor moveaxis(const tensor_base& t, IntArrayRef source, IntArrayRef destination) {
    return t.moveaxis(source, destination);
}
Tensor swapaxes(const tensor_base& t, int64_t axis0, int64_t axis1) {
    return t.swapaxes(axis0, axis1);
}
Tensor swapdims(const tensor_base& t, int64_t dim0, int64_t dim1) { return t.swapdims(dim0, dim1); }
Tensor unflatten(const tensor_base& t, int64_t dim, IntArrayRef sizes) {
    return t.unflatten(dim, sizes);
}
Tensor broadcast_to(const tensor_base& t, IntArrayRef sizes) { return t.broadcast_to(sizes); }
Tensor ravel(const tensor_base& t) { return t.ravel(); }

}  // namespace sinter::inline v1

// Nodes of indexing operations: the common part of gather, scatter and their kin.
#pragma once

#include "kernels/index/scatter.hpp"
#include "kernels/index/space.hpp"
#include "ops/common/op_checks.hpp"

namespace sinter::ops {

/// The space of an operation: its sizes, its layout in the indexed tensor, and its indices.
struct index_space {
    std::vector<int64_t> sizes;
    index_kernels::layout how;
    std::vector<leaf> indices;

    /// Makes a space in which `index` places dimension `dim` and every other dimension is walked.
    /// `index` has the space's sizes, or is a vector along `dim`.
    index_space(IntArrayRef sizes, int64_t dim, const Tensor& index, bool wraps);
    explicit index_space(bool wraps) { how.wraps = wraps; }
};

/// Returns the tensor, or a view of one element if it has no dimensions.
Tensor at_least_1d(const char* op, const tensor_base& t);
/// Returns `index` as Long. Throws Error unless it is Long, or Int if `or_int`.
Tensor index_tensor(const char* op, const tensor_base& index, bool or_int);
/// Returns the index over a space as Long. The dtype of an empty index is not checked.
Tensor space_index(const char* op, const tensor_base& index);
/// Returns a vector of indices, or a single index, with one dimension. Throws IndexError for more
/// dimensions.
Tensor index_vector(const char* op, const tensor_base& index, bool or_int = true);
/// Throws E: an index has another dtype than those `expected`.
template <class E = Error>
[[noreturn]] void refuse_index_dtype(const char* op, ScalarType dtype, const char* expected) {
    runtime::fail<E>(op, "the index has the wrong dtype", toString(dtype), expected,
                     ".to(kLong) on the index");
}
/// Throws E if an index that must be a vector has more dimensions.
template <class E = Error>
void require_index_vector(const char* op, const TensorImpl& index) {
    if (index.shape->ndim > 1)
        runtime::fail<E>(op, "the index has too many dimensions", shape_of(index),
                         "at most 1 dimension", "flatten() on the index");
}
/// Throws Error: an index is larger than the tensor, or has another number of dimensions.
[[noreturn]] void refuse_index_shape(const char* op, IntArrayRef index, IntArrayRef tensor,
                                     int64_t dim);
/// Throws Error if the dtype of the values differs from the tensor's.
void require_source_dtype(const char* op, const TensorImpl& t, const TensorImpl& source);
/// Throws Error if the source shares memory with the target and both are dense.
void require_apart(const char* op, const TensorImpl& target, const TensorImpl& source);

/// Returns the value of a 0-d tensor in another dtype. If that dtype may not hold it, the value is
/// read at the call, and Error is thrown for a value that does not fit.
Tensor value_as(const char* op, const tensor_base& value, ScalarType dtype);

Tensor gathered(const kernel_op& op, const Tensor& from, const index_space& space);

/// Values over a space, to be scattered into a tensor.
struct scattering {
    index_kernels::put_kind kind;
    Tensor values;
    geometry_ptr shape;  // the layout of the values over the space
    index_space space;
};
/// Returns a copy of `t` with the values put into it; scatter_into changes `t` itself. `name` is
/// that of the operation.
Tensor scattered(const char* name, const Tensor& t, const scattering& s);
void scatter_into(const char* name, const Tensor& t, const scattering& s);

}  // namespace sinter::ops

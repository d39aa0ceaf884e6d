// Nodes of operations on indices: what gather, scatter and their kin have in common.
#pragma once

#include "kernels/index/scatter.hpp"
#include "kernels/index/space.hpp"
#include "ops/common/op_checks.hpp"

namespace sinter::front {

/// The space of an operation: its sizes, how it runs through the indexed tensor, and the indices
/// over it.
struct index_space {
    std::vector<int64_t> sizes;
    index_kernels::layout how;
    std::vector<leaf> indices;

    /// A space in which every dimension is walked but `dim`, where `index` places: it has the
    /// space's sizes, or is a vector along `dim`.
    index_space(IntArrayRef sizes, int64_t dim, const Tensor& index, bool wraps);
    explicit index_space(bool wraps) { how.wraps = wraps; }
};

/// The tensor, or a view of one element where it has no dimensions.
Tensor at_least_1d(const char* op, const tensor_base& t);
/// `index` as Long; throws where it is not Long, or Int if `or_int`.
Tensor index_tensor(const char* op, const tensor_base& index, bool or_int);
/// The same of an index over a space, whose dtype does not count where it is empty.
Tensor space_index(const char* op, const tensor_base& index);
/// Of a vector of indices, or a single one: one dimension. Throws IndexError on more.
Tensor index_vector(const char* op, const tensor_base& index, bool or_int = true);
/// Throws where the dtypes are not equal.
void require_same_dtype(const char* op, const TensorImpl& t, const TensorImpl& source);
/// Throws where the source shares memory with what is written, and neither has gaps.
void require_apart(const char* op, const TensorImpl& target, const TensorImpl& source);

/// The value of a 0-d tensor in another dtype. Where that may not hold it, it is read at the line,
/// and one that it cannot hold is refused.
Tensor value_as(const char* op, const tensor_base& value, ScalarType dtype);

Tensor gathered(const kernel_op& op, const Tensor& from, const index_space& space);

/// Values over a space, to be put into a tensor.
struct scattering {
    index_kernels::put_kind kind;
    Tensor values;
    geometry_ptr shape;  // of the values over the space
    index_space space;
};
/// A copy of `t` with the values put into it, or `t` itself. `name` is that of the operation.
Tensor scattered(const char* name, const Tensor& t, const scattering& s);
void scatter_into(const char* name, const Tensor& t, const scattering& s);

}  // namespace sinter::front

// Reading and writing through tensors of indices and masks; each function is a method as well, with
// an in-place form where it changes its first argument (`scatter_`, `index_add_`, `masked_fill_`,
// ...).
//
// "Opaque" is a pending kernel of its own, which reads ready values; in place it writes the
// tensor's own memory. "At its line" computes at once, because the size of the result depends on
// values. Indices are Long (index, index_select, index_add, index_copy and index_fill take Int as
// well). One that is out of range throws IndexError, at the call if the indices are known by then,
// else where the result is read.
#pragma once

#include <sinter/indexing.hpp>

#include <string>
#include <vector>

namespace sinter::inline v1 {

// ---- reading: opaque
/// result[i][j] = t[index[i][j]][j] for dim 0, and so on; `index` has the dimensions of `t`, and
/// its sizes are at most those of `t` but in `dim`.
SINTER_API Tensor gather(const tensor_base& t, int64_t dim, const tensor_base& index,
                         bool sparse_grad = false);
/// As gather, over the broadcast of both but in `dim`; without a dimension, over all elements.
SINTER_API Tensor take_along_dim(const tensor_base& t, const tensor_base& indices,
                                 optional<int64_t> dim = nullopt);
/// The elements at positions in row-major order; -1 is the last one. Of the index's sizes.
SINTER_API Tensor take(const tensor_base& t, const tensor_base& index);
/// The slices of `dim` that a vector of indices names.
SINTER_API Tensor index_select(const tensor_base& t, int64_t dim, const tensor_base& index);

// ---- writing: copies of `t` with changes; opaque. Of equal indices the last one counts.
/// t[index[i][j]][j] = source[i][j] for dim 0, and so on. Dtypes are equal.
SINTER_API Tensor scatter(const tensor_base& t, int64_t dim, const tensor_base& index,
                          const tensor_base& source);
SINTER_API Tensor scatter(const tensor_base& t, int64_t dim, const tensor_base& index,
                          const Scalar& value);
/// `reduce` is "add" or "multiply".
SINTER_API Tensor scatter(const tensor_base& t, int64_t dim, const tensor_base& index,
                          const tensor_base& source, const std::string& reduce);
SINTER_API Tensor scatter(const tensor_base& t, int64_t dim, const tensor_base& index,
                          const Scalar& value, const std::string& reduce);
SINTER_API Tensor scatter_add(const tensor_base& t, int64_t dim, const tensor_base& index,
                              const tensor_base& source);
/// `reduce` is "sum", "prod", "mean", "amax" or "amin"; without `include_self`, elements that are
/// written to do not count themselves.
SINTER_API Tensor scatter_reduce(const tensor_base& t, int64_t dim, const tensor_base& index,
                                 const tensor_base& source, const std::string& reduce,
                                 bool include_self = true);
/// The slices of `dim` that a vector of indices names are changed: `source` has one for each.
SINTER_API Tensor index_add(const tensor_base& t, int64_t dim, const tensor_base& index,
                            const tensor_base& source, const Scalar& alpha = 1);
SINTER_API Tensor index_copy(const tensor_base& t, int64_t dim, const tensor_base& index,
                             const tensor_base& source);
SINTER_API Tensor index_fill(const tensor_base& t, int64_t dim, const tensor_base& index,
                             const Scalar& value);
/// `value` has no dimensions.
SINTER_API Tensor index_fill(const tensor_base& t, int64_t dim, const tensor_base& index,
                             const tensor_base& value);
/// `reduce` is "prod", "mean", "amax" or "amin".
SINTER_API Tensor index_reduce(const tensor_base& t, int64_t dim, const tensor_base& index,
                               const tensor_base& source, const std::string& reduce,
                               bool include_self = true);
/// What the methods of these names do.
SINTER_API Tensor index(const tensor_base& t, std::initializer_list<TensorIndex> indices);
SINTER_API Tensor index(const tensor_base& t, ArrayRef<TensorIndex> indices);
SINTER_API Tensor& index_put_(const tensor_base& t, std::initializer_list<TensorIndex> indices,
                              const tensor_base& values, bool accumulate = false);
SINTER_API Tensor& index_put_(const tensor_base& t, ArrayRef<TensorIndex> indices,
                              const tensor_base& values, bool accumulate = false);
/// As t.index({indices...}) = values; with `accumulate` values are added, those of equal indices
/// too.
SINTER_API Tensor index_put(const tensor_base& t, ArrayRef<TensorIndex> indices,
                            const tensor_base& values, bool accumulate = false);
/// At positions in row-major order; `index` and `source` have equally many elements.
SINTER_API Tensor put(const tensor_base& t, const tensor_base& index, const tensor_base& source,
                      bool accumulate = false);

// ---- classes and places
/// A dimension more, of `num_classes`, 1 at the class that an element names and 0 elsewhere: Long,
/// fused. Of Long. Reads the classes, which must be there; -1 takes as many as there are.
SINTER_API Tensor one_hot(const tensor_base& t, int64_t num_classes = -1);
/// For each dimension of a tensor of this shape the coordinates of elements counted in row-major
/// order. Integers; Long unless both are narrower. Fused.
SINTER_API std::vector<Tensor> unravel_index(const tensor_base& indices, IntArrayRef shape);

// ---- masks: of truth values, broadcast with the tensor
/// `value` where the mask is true. Fused. A tensor `value` has no dimensions.
SINTER_API Tensor masked_fill(const tensor_base& t, const tensor_base& mask, const Scalar& value);
SINTER_API Tensor masked_fill(const tensor_base& t, const tensor_base& mask,
                              const tensor_base& value);
/// The elements where the mask is true, as a vector. At its line.
SINTER_API Tensor masked_select(const tensor_base& t, const tensor_base& mask);
/// The source's elements, one after the other, where the mask is true. Opaque; throws where they
/// are too few.
SINTER_API Tensor masked_scatter(const tensor_base& t, const tensor_base& mask,
                                 const tensor_base& source);
/// The indices of elements other than zero, one a row. At its line.
SINTER_API Tensor nonzero(const tensor_base& t);
SINTER_API Tensor argwhere(const tensor_base& t);
/// The first `size` rows of nonzero, then rows of `fill_value`: a size that does not depend on
/// values. Pending: a scan, a search and a gather.
SINTER_API Tensor nonzero_static(const tensor_base& t, int64_t size, int64_t fill_value = -1);
/// The same as a vector of indices for each dimension. At its line.
SINTER_API std::vector<Tensor> nonzero_numpy(const tensor_base& t);
SINTER_API std::vector<Tensor> where(const tensor_base& condition);

}  // namespace sinter::inline v1

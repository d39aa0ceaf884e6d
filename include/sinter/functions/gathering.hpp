// Reading and writing through tensors of indices and masks. Each function is also a method, with an
// in-place form if it changes its first argument (`scatter_`, `index_add_`, `masked_fill_`, ...).
//
// Opaque functions are pending kernels of their own, which read computed values; in place they
// write the tensor's memory. Functions whose result size depends on values run at once. Indices are
// Long; index, index_select, index_add, index_copy and index_fill also take Int. An index out of
// range throws IndexError: at the call if the indices are known by then, else where the result is
// read.
#pragma once

#include <sinter/functions/indexing.hpp>

#include <string>
#include <vector>

namespace sinter::inline v1 {

// ---- reading
/// Returns t[index[i][j]][j] at [i][j] for dim 0, and so on. `index` has as many dimensions as `t`,
/// and at most its sizes except in `dim`; the result has the sizes of `index`. Opaque. PyTorch:
/// torch.gather.
SINTER_API Tensor gather(const tensor_base& t, int64_t dim, const tensor_base& index,
                         bool sparse_grad = false);
/// gather() over the broadcast of both, except in `dim`; without a dimension, over the flattened
/// tensors. Opaque. PyTorch: torch.take_along_dim.
SINTER_API Tensor take_along_dim(const tensor_base& t, const tensor_base& indices,
                                 optional<int64_t> dim = nullopt);
/// Returns the elements at positions in row-major order, -1 being the last, with the sizes of
/// `index`. Opaque. PyTorch: torch.take.
SINTER_API Tensor take(const tensor_base& t, const tensor_base& index);
/// Returns the slices of `dim` that a vector of indices names. Opaque. PyTorch: torch.index_select.
SINTER_API Tensor index_select(const tensor_base& t, int64_t dim, const tensor_base& index);

// ---- writing: copies of `t` with changes
/// Returns a copy in which [index[i][j]][j] is source[i][j], or `value`, for dim 0, and so on.
/// Dtypes must be equal; of equal indices the last one counts. Opaque. PyTorch: torch.scatter.
///@{
SINTER_API Tensor scatter(const tensor_base& t, int64_t dim, const tensor_base& index,
                          const tensor_base& source);
SINTER_API Tensor scatter(const tensor_base& t, int64_t dim, const tensor_base& index,
                          const Scalar& value);
///@}
/// Returns a copy in which elements are added to or multiplied: `reduce` is "add" or "multiply".
/// Opaque. PyTorch: torch.scatter.
///@{
SINTER_API Tensor scatter(const tensor_base& t, int64_t dim, const tensor_base& index,
                          const tensor_base& source, const std::string& reduce);
SINTER_API Tensor scatter(const tensor_base& t, int64_t dim, const tensor_base& index,
                          const Scalar& value, const std::string& reduce);
///@}
/// Returns a copy to which the source is added where scatter() would write it. Opaque. PyTorch:
/// torch.scatter_add.
SINTER_API Tensor scatter_add(const tensor_base& t, int64_t dim, const tensor_base& index,
                              const tensor_base& source);
/// Returns a copy in which elements are reduced with those of the source: `reduce` is "sum",
/// "prod", "mean", "amax" or "amin". Without `include_self`, elements that are written to do not
/// count themselves. Opaque. PyTorch: torch.scatter_reduce.
SINTER_API Tensor scatter_reduce(const tensor_base& t, int64_t dim, const tensor_base& index,
                                 const tensor_base& source, const std::string& reduce,
                                 bool include_self = true);
/// Returns a copy whose slices of `dim` that a vector of indices names are changed: the slices of
/// `source`, one for each index, are added (times `alpha`) or copied, or `value` is filled in.
/// Opaque. PyTorch: torch.index_add, torch.index_copy, torch.index_fill.
///@{
SINTER_API Tensor index_add(const tensor_base& t, int64_t dim, const tensor_base& index,
                            const tensor_base& source, const Scalar& alpha = 1);
SINTER_API Tensor index_copy(const tensor_base& t, int64_t dim, const tensor_base& index,
                             const tensor_base& source);
SINTER_API Tensor index_fill(const tensor_base& t, int64_t dim, const tensor_base& index,
                             const Scalar& value);
///@}
/// index_fill() with a 0-d tensor.
SINTER_API Tensor index_fill(const tensor_base& t, int64_t dim, const tensor_base& index,
                             const tensor_base& value);
/// Returns a copy whose slices that indices name are reduced with those of `source`: `reduce` is
/// "prod", "mean", "amax" or "amin". Opaque. PyTorch: torch.index_reduce.
SINTER_API Tensor index_reduce(const tensor_base& t, int64_t dim, const tensor_base& index,
                               const tensor_base& source, const std::string& reduce,
                               bool include_self = true);
/// Returns the elements that indices, slices and masks name, as Python's t[indices]: a view for
/// integers and slices, else opaque. A mask runs at once. The method of this name as a function.
///@{
SINTER_API Tensor index(const tensor_base& t, std::initializer_list<TensorIndex> indices);
SINTER_API Tensor index(const tensor_base& t, ArrayRef<TensorIndex> indices);
///@}
/// Writes values where the indices name, or adds them if `accumulate`, and returns `t`. The method
/// of this name as a function. PyTorch: torch.Tensor.index_put_.
///@{
SINTER_API Tensor& index_put_(const tensor_base& t, std::initializer_list<TensorIndex> indices,
                              const tensor_base& values, bool accumulate = false);
SINTER_API Tensor& index_put_(const tensor_base& t, ArrayRef<TensorIndex> indices,
                              const tensor_base& values, bool accumulate = false);
///@}
/// Returns a copy in which t[indices] are `values`; `accumulate` adds them, also those of equal
/// indices. Opaque. PyTorch: torch.index_put.
SINTER_API Tensor index_put(const tensor_base& t, ArrayRef<TensorIndex> indices,
                            const tensor_base& values, bool accumulate = false);
/// Returns a copy in which the elements at positions in row-major order are those of `source`, or
/// the sums if `accumulate`. `index` and `source` have equally many elements. Opaque. PyTorch:
/// torch.Tensor.put.
SINTER_API Tensor put(const tensor_base& t, const tensor_base& index, const tensor_base& source,
                      bool accumulate = false);

// ---- classes and places
/// Returns a Long tensor with one more dimension, of `num_classes`: 1 at the class that an element
/// (Long) names, and 0 elsewhere; -1 takes as many as there are. Reads the classes, then fused.
/// Throws Error for a class that does not exist. PyTorch: torch.nn.functional.one_hot.
SINTER_API Tensor one_hot(const tensor_base& t, int64_t num_classes = -1);
/// Returns, for each dimension of a tensor of this shape, the coordinates of elements counted in
/// row-major order: Long, unless both are narrower. Fused. PyTorch: torch.unravel_index.
SINTER_API std::vector<Tensor> unravel_index(const tensor_base& indices, IntArrayRef shape);

// ---- masks: Bool, broadcast with the tensor
/// Returns `value` (a number, or a 0-d tensor) where the mask is true, and `t` elsewhere. Fused.
/// PyTorch: torch.masked_fill.
///@{
SINTER_API Tensor masked_fill(const tensor_base& t, const tensor_base& mask, const Scalar& value);
SINTER_API Tensor masked_fill(const tensor_base& t, const tensor_base& mask,
                              const tensor_base& value);
///@}
/// Returns the elements where the mask is true, as a vector. Runs at once. PyTorch:
/// torch.masked_select.
SINTER_API Tensor masked_select(const tensor_base& t, const tensor_base& mask);
/// Returns a copy in which the elements of `source`, one after the other, stand where the mask is
/// true. Opaque; throws Error if they are too few. PyTorch: torch.masked_scatter.
SINTER_API Tensor masked_scatter(const tensor_base& t, const tensor_base& mask,
                                 const tensor_base& source);
/// Returns the indices of nonzero elements, one a row: Long (n, dim). Runs at once. PyTorch:
/// torch.nonzero, torch.argwhere.
///@{
SINTER_API Tensor nonzero(const tensor_base& t);
SINTER_API Tensor argwhere(const tensor_base& t);
///@}
/// Returns the first `size` rows of nonzero(), then rows of `fill_value`, so that the size does not
/// depend on values. Opaque: a scan, a search and a gather. PyTorch: torch.nonzero_static.
SINTER_API Tensor nonzero_static(const tensor_base& t, int64_t size, int64_t fill_value = -1);
/// Returns the indices of nonzero elements, as a vector for each dimension. Runs at once. PyTorch:
/// torch.nonzero(as_tuple=True), torch.where.
///@{
SINTER_API std::vector<Tensor> nonzero_numpy(const tensor_base& t);
SINTER_API std::vector<Tensor> where(const tensor_base& condition);
///@}

}  // namespace sinter::inline v1

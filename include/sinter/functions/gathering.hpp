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
/// Returns t[index[i][j]][j] at [i][j] for dim 0, and so on. `index` (Long or Int) has as many
/// dimensions as `t`, and at most its sizes except in `dim`; the result has the sizes of `index`.
/// Throws Error if the index has other sizes or another dtype, and IndexError if an index, or the
/// dimension, is out of range.
SINTER_API Tensor gather(const tensor_base& t, int64_t dim, const tensor_base& index,
                         bool sparse_grad = false);
/// gather() over the broadcast of both sizes, except in `dim`; without a dimension, over the
/// flattened tensors. Indices are Long, and wrap around the dimension. Throws Error if the sizes do
/// not broadcast, the numbers of dimensions differ or the dtype is another, and IndexError for a
/// 0-d tensor with a dimension.
SINTER_API Tensor take_along_dim(const tensor_base& t, const tensor_base& indices,
                                 optional<int64_t> dim = nullopt);
/// Returns the elements at positions (Long) in row-major order, -1 being the last, with the sizes
/// of `index`. Throws Error for another dtype of the index, and IndexError if a position is out of
/// range.
SINTER_API Tensor take(const tensor_base& t, const tensor_base& index);
/// Returns the slices of `dim` that a vector of indices (Long or Int) names: the tensor's sizes,
/// but in `dim` the number of indices. Throws Error for another dtype of the index, and IndexError
/// if the index has more dimensions or is out of range.
SINTER_API Tensor index_select(const tensor_base& t, int64_t dim, const tensor_base& index);

// ---- writing: copies of `t` with changes
/// Returns a copy in which [index[i][j]][j] is source[i][j], or `value`, for dim 0, and so on; of
/// equal indices the last one counts. `index` (Long or Int) has as many dimensions as `t` and at
/// most its sizes except in `dim`; `source` has at least the sizes of `index`. Throws Error if
/// sizes do not fit or dtypes differ, ValueError if the dtype does not hold `value`, and IndexError
/// if an index is out of range.
///@{
SINTER_API Tensor scatter(const tensor_base& t, int64_t dim, const tensor_base& index,
                          const tensor_base& source);
SINTER_API Tensor scatter(const tensor_base& t, int64_t dim, const tensor_base& index,
                          const Scalar& value);
///@}
/// Returns a copy in which elements are added to or multiplied: `reduce` is "add" or "multiply";
/// sizes are those of scatter() without it. Throws Error for another word, and what that throws.
///@{
SINTER_API Tensor scatter(const tensor_base& t, int64_t dim, const tensor_base& index,
                          const tensor_base& source, const std::string& reduce);
SINTER_API Tensor scatter(const tensor_base& t, int64_t dim, const tensor_base& index,
                          const Scalar& value, const std::string& reduce);
///@}
/// Returns a copy to which the source is added where scatter() would write it; sizes are those of
/// scatter(). Throws Error if sizes do not fit or dtypes differ, and IndexError if an index is out
/// of range.
SINTER_API Tensor scatter_add(const tensor_base& t, int64_t dim, const tensor_base& index,
                              const tensor_base& source);
/// Returns a copy in which elements are reduced with those of the source: `reduce` is "sum",
/// "prod", "mean", "amax" or "amin"; sizes are those of scatter(). Without `include_self`, elements
/// that are written to do not count themselves. Throws Error for another word, if sizes do not fit
/// or dtypes differ, IndexError if an index is out of range, and NotImplementedError for a mean of
/// Bool and extremes of complex numbers.
SINTER_API Tensor scatter_reduce(const tensor_base& t, int64_t dim, const tensor_base& index,
                                 const tensor_base& source, const std::string& reduce,
                                 bool include_self = true);
/// Returns a copy whose slices of `dim` that a vector of indices names are changed: the slices of
/// `source`, one for each index, are added (times `alpha`) or copied, or `value` is filled in.
/// `source` has the sizes of these slices. Indices are Long; index_add takes Int, too. Throws Error
/// if sizes do not fit or dtypes differ, and IndexError if an index is out of range; index_copy
/// throws IndexError for another number of slices, too.
///@{
SINTER_API Tensor index_add(const tensor_base& t, int64_t dim, const tensor_base& index,
                            const tensor_base& source, const Scalar& alpha = 1);
SINTER_API Tensor index_copy(const tensor_base& t, int64_t dim, const tensor_base& index,
                             const tensor_base& source);
///@}
/// Returns a copy whose slices of `dim` that a vector of indices (Long) names are filled with
/// `value`, in the tensor's sizes. Throws IndexError if an index is out of range or of another
/// dtype, Error if the index has more dimensions or the value is complex and the tensor real, and
/// ValueError if the dtype does not hold the value.
///@{
SINTER_API Tensor index_fill(const tensor_base& t, int64_t dim, const tensor_base& index,
                             const Scalar& value);
///@}
/// index_fill() with a 0-d tensor.
SINTER_API Tensor index_fill(const tensor_base& t, int64_t dim, const tensor_base& index,
                             const tensor_base& value);
/// Returns a copy whose slices that a vector of indices names are reduced with those of `source`,
/// which has their sizes: `reduce` is "prod", "mean", "amax" or "amin". Throws Error for another
/// word, if sizes do not fit or dtypes differ, IndexError if an index is out of range, and
/// NotImplementedError for a mean of Bool and extremes of complex numbers.
SINTER_API Tensor index_reduce(const tensor_base& t, int64_t dim, const tensor_base& index,
                               const tensor_base& source, const std::string& reduce,
                               bool include_self = true);
/// Returns the elements that indices, slices and masks name, as Python's t[indices]: a view for
/// integers and slices, else opaque. A mask is read at the call. Sizes are those of the parts; the
/// dimensions of the tensors, broadcast, stand where the first one was if they are neighbours, else
/// in front. Throws IndexError for an index out of range, for too many, of another dtype than Long,
/// Int, Byte and Bool, or that do not broadcast; ValueError for a step below 1; Error for an empty
/// list.
///@{
SINTER_API Tensor index(const tensor_base& t, std::initializer_list<TensorIndex> indices);
SINTER_API Tensor index(const tensor_base& t, ArrayRef<TensorIndex> indices);
///@}
/// Writes values where the indices name, or adds them if `accumulate`, and returns `t`. The method
/// of this name as a function.
///@{
SINTER_API Tensor& index_put_(const tensor_base& t, std::initializer_list<TensorIndex> indices,
                              const tensor_base& values, bool accumulate = false);
SINTER_API Tensor& index_put_(const tensor_base& t, ArrayRef<TensorIndex> indices,
                              const tensor_base& values, bool accumulate = false);
///@}
/// Returns a copy, of the tensor's sizes, in which t[indices] are `values`, which broadcast to the
/// sizes of t[indices]; `accumulate` adds them, also those of equal indices. Throws what index()
/// throws, and Error if the values do not broadcast or, beside tensors of indices, are of another
/// dtype.
SINTER_API Tensor index_put(const tensor_base& t, ArrayRef<TensorIndex> indices,
                            const tensor_base& values, bool accumulate = false);
/// Returns a copy in which the elements at positions (Long) in row-major order are those of
/// `source`, or the sums if `accumulate`, in the tensor's sizes. `index` and `source` have equally
/// many elements. Throws IndexError if they have not or a position is out of range, and Error if
/// the dtypes differ or the index is not Long.
SINTER_API Tensor put(const tensor_base& t, const tensor_base& index, const tensor_base& source,
                      bool accumulate = false);

// ---- classes and places
/// Returns a Long tensor with one more dimension, of `num_classes`: sizes (...) give (...,
/// num_classes), 1 at the class that an element (Long) names, and 0 elsewhere; -1 takes as many as
/// there are. Reads the classes at the call. Throws Error for a class that does not exist, for 0
/// classes, and unless the elements are Long.
SINTER_API Tensor one_hot(const tensor_base& t, int64_t num_classes = -1);
/// Returns, for each dimension of a tensor of this shape, the coordinates of elements counted in
/// row-major order, in the sizes of `indices`: Long. Throws TypeError unless the indices are
/// integers, and ValueError for a negative size and for elements of a tensor that has none.
SINTER_API std::vector<Tensor> unravel_index(const tensor_base& indices, IntArrayRef shape);

// ---- masks: Bool, broadcast with the tensor
/// Returns `value` (a number, or a 0-d tensor) where the mask (Bool) is true, and `t` elsewhere,
/// element by element; sizes broadcast. Throws Error for a mask of another dtype, if the sizes do
/// not broadcast or the value has dimensions, and ValueError if the dtype does not hold the value.
///@{
SINTER_API Tensor masked_fill(const tensor_base& t, const tensor_base& mask, const Scalar& value);
SINTER_API Tensor masked_fill(const tensor_base& t, const tensor_base& mask,
                              const tensor_base& value);
///@}
/// Returns the elements where the mask (Bool) is true, as a vector; sizes broadcast. Throws Error
/// for a mask of another dtype, and if the sizes do not broadcast.
SINTER_API Tensor masked_select(const tensor_base& t, const tensor_base& mask);
/// Returns a copy in which the elements of `source`, one after the other, stand where the mask
/// (Bool) is true; the tensor's and the mask's sizes broadcast. Throws Error if they do not, if
/// dtypes differ, for a mask of another dtype, and if the elements are too few.
SINTER_API Tensor masked_scatter(const tensor_base& t, const tensor_base& mask,
                                 const tensor_base& source);
/// Returns the indices of nonzero elements, one a row: Long, of sizes (n, dim). Takes any tensor.
///@{
SINTER_API Tensor nonzero(const tensor_base& t);
SINTER_API Tensor argwhere(const tensor_base& t);
///@}
/// Returns the first `size` rows of nonzero(), then rows of `fill_value`, sizes (size, dim), so
/// that the size does not depend on values: a scan, a search and a gather. Throws Error if `size`
/// is negative.
SINTER_API Tensor nonzero_static(const tensor_base& t, int64_t size, int64_t fill_value = -1);
/// Returns the indices of nonzero elements, as a vector for each dimension; a 0-d tensor counts as
/// having one. Takes any tensor.
///@{
SINTER_API std::vector<Tensor> nonzero_numpy(const tensor_base& t);
SINTER_API std::vector<Tensor> where(const tensor_base& condition);
///@}

}  // namespace sinter::inline v1

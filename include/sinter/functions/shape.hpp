// Functions that join, split, repeat and rearrange. Sizes, dimensions and indices are PyTorch's;
// negative ones count from the end.
//
// Views share storage and compute nothing. Copies are pending and fused. All check shapes at the
// call.
#pragma once

#include <sinter/core/tensor_list.hpp>

#include <string>
#include <vector>

namespace sinter::inline v1 {

// ---- joining: copies; dtypes are promoted; throw on an empty list
/// Returns the tensors one after another in dimension `dim`. Sizes are equal in the other
/// dimensions; 1-d tensors without elements are left out. Dtypes are promoted. A copy for each
/// part. Throws ValueError for an empty list, Error for other sizes or 0-d tensors, and IndexError
/// if there is no such dimension.
///@{
SINTER_API Tensor cat(TensorList tensors, int64_t dim = 0);
SINTER_API Tensor concat(TensorList tensors, int64_t dim = 0);
SINTER_API Tensor concatenate(TensorList tensors, int64_t dim = 0);
///@}
/// Returns tensors of equal sizes along a new dimension `dim`, whose size is their number; else as
/// cat. Throws Error for an empty list or other sizes, and IndexError for a dimension out of range.
SINTER_API Tensor stack(TensorList tensors, int64_t dim = 0);
/// Returns the tensors side by side: cat in dimension 1, or 0 of vectors; a 0-d tensor counts as a
/// vector. Throws Error for an empty list and for sizes that cat refuses.
SINTER_API Tensor hstack(TensorList tensors);
/// Returns the tensors below each other: cat in dimension 0 of tensors with at least 2 dimensions;
/// a vector counts as a row. Throws Error for an empty list and for sizes that cat refuses.
///@{
SINTER_API Tensor vstack(TensorList tensors);
SINTER_API Tensor row_stack(TensorList tensors);
///@}
/// Returns the tensors after each other in depth: cat in dimension 2 of tensors with at least 3
/// dimensions; sizes (n) count as (1, n, 1), (n, m) as (n, m, 1). Throws Error for an empty list
/// and for sizes that cat refuses.
SINTER_API Tensor dstack(TensorList tensors);
/// hstack, with vectors and 0-d tensors as columns: sizes (n) count as (n, 1). Throws Error for an
/// empty list and for sizes that cat refuses.
SINTER_API Tensor column_stack(TensorList tensors);
/// Returns a matrix with the given ones along its diagonal and zeros elsewhere: rows and columns
/// add up, and a vector counts as a row. Throws Error above 2 dimensions.
SINTER_API Tensor block_diag(TensorList tensors);

// ---- splitting: views; throw on 0-d tensors
/// Returns parts of `split_size` elements of a dimension, the last one perhaps smaller. One size in
/// braces means this one as well. Throws Error for a 0-d tensor and for a size below 1 (0 is
/// allowed for an empty dimension), and IndexError if there is no such dimension.
SINTER_API std::vector<Tensor> split(const tensor_base& t, int64_t split_size, int64_t dim = 0);
/// Returns parts of these sizes in a dimension. Throws Error for a 0-d tensor, for a negative size
/// and unless they add up to the dimension's size, and IndexError if there is no such dimension.
///@{
SINTER_API std::vector<Tensor> split(const tensor_base& t, IntArrayRef sizes, int64_t dim = 0);
SINTER_API std::vector<Tensor> split_with_sizes(const tensor_base& t, IntArrayRef sizes,
                                                int64_t dim = 0);
///@}
/// Returns at most `chunks` parts of a dimension, of one size but for the last. Throws Error for a
/// 0-d tensor and for fewer than 1 chunk, and IndexError if there is no such dimension.
SINTER_API std::vector<Tensor> chunk(const tensor_base& t, int64_t chunks, int64_t dim = 0);
/// Returns exactly `sections` parts of a dimension, whose sizes differ by at most 1. Throws Error
/// for a 0-d tensor and for fewer than 1 section, and IndexError if there is no such dimension.
SINTER_API std::vector<Tensor> tensor_split(const tensor_base& t, int64_t sections,
                                            int64_t dim = 0);
/// Returns the parts of a dimension before, between and after the indices, which are clipped to its
/// size. Throws Error for a 0-d tensor, and IndexError if there is no such dimension.
SINTER_API std::vector<Tensor> tensor_split(const tensor_base& t, IntArrayRef indices,
                                            int64_t dim = 0);
/// tensor_split() by a Long tensor of sections (0-d) or indices (1-d), which is read at the call.
/// Throws Error for another tensor, and what the other forms throw.
SINTER_API std::vector<Tensor> tensor_split(const tensor_base& t,
                                            const tensor_base& indices_or_sections,
                                            int64_t dim = 0);
/// split, split_with_sizes and chunk: without autograd they return the same views, of the same
/// sizes. Throws what those throw.
///@{
SINTER_API std::vector<Tensor> unsafe_split(const tensor_base& t, int64_t split_size,
                                            int64_t dim = 0);
SINTER_API std::vector<Tensor> unsafe_split_with_sizes(const tensor_base& t, IntArrayRef sizes,
                                                       int64_t dim = 0);
SINTER_API std::vector<Tensor> unsafe_chunk(const tensor_base& t, int64_t chunks, int64_t dim = 0);
///@}
/// tensor_split in dimension 1 (hsplit; 0 of a vector), 0 (vsplit) or 2 (dsplit). Throws Error if
/// the dimension is missing (vsplit: below 2 dimensions) or is not divisible by the number of
/// sections.
///@{
SINTER_API std::vector<Tensor> hsplit(const tensor_base& t, int64_t sections);
SINTER_API std::vector<Tensor> hsplit(const tensor_base& t, IntArrayRef indices);
SINTER_API std::vector<Tensor> vsplit(const tensor_base& t, int64_t sections);
SINTER_API std::vector<Tensor> vsplit(const tensor_base& t, IntArrayRef indices);
SINTER_API std::vector<Tensor> dsplit(const tensor_base& t, int64_t sections);
SINTER_API std::vector<Tensor> dsplit(const tensor_base& t, IntArrayRef indices);
///@}
/// Returns the parts at each index of dimension `dim`, without that dimension. Throws IndexError
/// for a 0-d tensor and if there is no such dimension.
SINTER_API std::vector<Tensor> unbind(const tensor_base& t, int64_t dim = 0);

// ---- views
/// Returns `length` elements of a dimension from `start` on, which in a 0-d tensor is read at the
/// call. Throws Error for a 0-d tensor, a negative length, one that leaves the dimension, and a
/// start that is no 0-d tensor of integers; IndexError if the start, or the dimension, is out of
/// range.
///@{
SINTER_API Tensor narrow(const tensor_base& t, int64_t dim, int64_t start, int64_t length);
SINTER_API Tensor narrow(const tensor_base& t, int64_t dim, const tensor_base& start,
                         int64_t length);
///@}
/// narrow(), copied, in the same sizes. Throws what narrow() throws.
SINTER_API Tensor narrow_copy(const tensor_base& t, int64_t dim, int64_t start, int64_t length);
/// Returns the part at `index` of a dimension, without that dimension. Throws IndexError for a 0-d
/// tensor and if the index, or the dimension, is out of range.
SINTER_API Tensor select(const tensor_base& t, int64_t dim, int64_t index);
/// Returns the elements start, start + step, ... before `end` of a dimension. Bounds are clipped.
/// Throws Error unless the step is positive, and IndexError for a 0-d tensor and if there is no
/// such dimension.
SINTER_API Tensor slice(const tensor_base& t, int64_t dim = 0, optional<int64_t> start = nullopt,
                        optional<int64_t> end = nullopt, int64_t step = 1);
/// Returns a view of the storage with these sizes, strides and offset, in elements. Throws Error
/// for a negative stride, unless there is one for each size, and if it leaves the storage.
SINTER_API Tensor as_strided(const tensor_base& t, IntArrayRef sizes, IntArrayRef strides,
                             optional<int64_t> storage_offset = nullopt);
/// Returns another tensor over the same storage, of the same sizes. Takes any tensor.
SINTER_API Tensor detach(const tensor_base& t);
/// Changes sizes and strides of this tensor and of all its handles, as the function without the
/// underscore does; returns it.
///@{
SINTER_API Tensor& as_strided_(const tensor_base& t, IntArrayRef sizes, IntArrayRef strides,
                               optional<int64_t> storage_offset = nullopt);
SINTER_API Tensor& detach_(const tensor_base& t);
///@}
/// Returns the last two dimensions swapped and conjugated: a view of a real tensor, pending (fused)
/// of a complex one. Throws Error for a vector.
SINTER_API Tensor adjoint(const tensor_base& t);
/// Returns a view in which dimension source[i] becomes dimension destination[i]; the others keep
/// their order. Throws Error if the lists differ in length or name a dimension twice, and
/// IndexError if there is no such dimension.
///@{
SINTER_API Tensor movedim(const tensor_base& t, int64_t source, int64_t destination);
SINTER_API Tensor movedim(const tensor_base& t, IntArrayRef source, IntArrayRef destination);
SINTER_API Tensor moveaxis(const tensor_base& t, int64_t source, int64_t destination);
SINTER_API Tensor moveaxis(const tensor_base& t, IntArrayRef source, IntArrayRef destination);
///@}
/// Returns a view with two dimensions swapped. Throws IndexError if there is no such dimension.
///@{
SINTER_API Tensor swapaxes(const tensor_base& t, int64_t axis0, int64_t axis1);
SINTER_API Tensor swapdims(const tensor_base& t, int64_t dim0, int64_t dim1);
///@}
/// Returns a view with several sizes in place of one dimension's; one of them may be -1. Throws
/// Error unless they multiply to the dimension's size, and IndexError for a 0-d tensor and if there
/// is no such dimension.
SINTER_API Tensor unflatten(const tensor_base& t, int64_t dim, IntArrayRef sizes);
/// Returns a view of these sizes, in which dimensions of size 1 repeat; -1 keeps a size. Throws
/// Error if the sizes do not broadcast.
SINTER_API Tensor broadcast_to(const tensor_base& t, IntArrayRef sizes);
/// Returns all tensors expanded to their common sizes. Throws Error if the sizes do not broadcast.
SINTER_API std::vector<Tensor> broadcast_tensors(TensorList tensors);
/// Returns the tensor itself if it has that many dimensions, else a view with more of size 1: in
/// front, and for a matrix or a vector in atleast_3d one at the end. Takes any tensor.
///@{
SINTER_API Tensor atleast_1d(const Tensor& t);
SINTER_API Tensor atleast_2d(const Tensor& t);
SINTER_API Tensor atleast_3d(const Tensor& t);
SINTER_API std::vector<Tensor> atleast_1d(TensorList tensors);
SINTER_API std::vector<Tensor> atleast_2d(TensorList tensors);
SINTER_API std::vector<Tensor> atleast_3d(TensorList tensors);
///@}
/// Returns a grid for each vector, which varies along its own dimension: sizes (a, b, ...), or (b,
/// a, ...) for indexing "xy". Expanded views, which cannot be written. Throws Error for an empty
/// list, above 1 dimension, for different dtypes and for another indexing.
SINTER_API std::vector<Tensor> meshgrid(TensorList tensors, const std::string& indexing = "ij");

// ---- repeating and turning: fused
/// Returns all elements in one dimension: a view if the tensor is contiguous, else a pending copy
/// (fused). Takes any tensor.
SINTER_API Tensor ravel(const tensor_base& t);
/// Returns the whole tensor `repeats` times in each dimension, new ones in front; missing repeats
/// are 1. Sizes multiply. Throws Error for a negative number.
SINTER_API Tensor tile(const tensor_base& t, IntArrayRef repeats);
/// Returns each element `repeats` times in a row, along `dim`, whose size multiplies, or of the
/// flattened tensor, as a vector. Throws Error for a negative number and if `output_size` is not
/// the result's size, and IndexError for a 0-d tensor with a dimension.
SINTER_API Tensor repeat_interleave(const tensor_base& t, int64_t repeats,
                                    optional<int64_t> dim = nullopt,
                                    optional<int64_t> output_size = nullopt);
/// Returns each element of the flattened tensor, or slice of `dim`, as often as `repeats` (Long or
/// Int, one for all or one for each) says. The repeats are read at the call, since they decide the
/// size. Runs: opaque. Throws Error for negative repeats, for another number of them and if
/// `output_size` is not their sum, IndexError for a 0-d tensor with a dimension, and
/// NotImplementedError for another dtype of the repeats.
SINTER_API Tensor repeat_interleave(const tensor_base& t, const tensor_base& repeats,
                                    optional<int64_t> dim = nullopt,
                                    optional<int64_t> output_size = nullopt);
/// Returns the index of each repeated element, a vector: 0 as often as repeats[0] says, and so on.
/// Runs: at its line. Throws Error unless the repeats are a vector of numbers of 0 or more and if
/// `output_size` is not their sum, and NotImplementedError unless they are Long or Int. Dtypes:
/// Long Int.
SINTER_API Tensor repeat_interleave(const tensor_base& repeats,
                                    optional<int64_t> output_size = nullopt);
/// Returns the elements in reverse order along dimension 1 (fliplr) or 0 (flipud), in the tensor's
/// sizes. Throws Error if the dimension is missing.
///@{
SINTER_API Tensor fliplr(const tensor_base& t);
SINTER_API Tensor flipud(const tensor_base& t);
///@}
/// Returns all choices of one element from each of k vectors, one a row, sizes (n, k); of one
/// vector itself. Throws Error for an empty list, unless all are vectors, and for different dtypes.
SINTER_API Tensor cartesian_prod(TensorList tensors);
/// Returns all choices of `r` elements of a vector in its order, one a row, sizes (n, r). Throws
/// Error unless it is a vector and for r < 0, and ValueError if there are too many.
SINTER_API Tensor combinations(const tensor_base& t, int64_t r = 2, bool with_replacement = false);
/// Returns the powers of a vector's n elements, one a column, sizes (n, N), from N - 1 (N is n by
/// default) down to 0, or `increasing`. Integers become Long. Throws Error unless it is a vector
/// and for N < 0.
SINTER_API Tensor vander(const tensor_base& x, optional<int64_t> N = nullopt,
                         bool increasing = false);

// ---- parts and diagonals
/// Returns a copy, in the tensor's sizes, in which `source` replaces the part that select(),
/// slice(), diagonal() or as_strided() with these arguments would give. Throws Error unless
/// `source` has the sizes of that part, and what those functions throw.
///@{
SINTER_API Tensor select_scatter(const tensor_base& t, const tensor_base& source, int64_t dim,
                                 int64_t index);
SINTER_API Tensor slice_scatter(const tensor_base& t, const tensor_base& source, int64_t dim = 0,
                                optional<int64_t> start = nullopt, optional<int64_t> end = nullopt,
                                int64_t step = 1);
SINTER_API Tensor diagonal_scatter(const tensor_base& t, const tensor_base& source,
                                   int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1);
SINTER_API Tensor as_strided_scatter(const tensor_base& t, const tensor_base& source,
                                     IntArrayRef sizes, IntArrayRef strides,
                                     optional<int64_t> storage_offset = nullopt);
///@}
/// Returns the matrix with this vector as its diagonal, or a copy of a matrix's diagonal;
/// `diagonal` > 0 is above the main one. Sizes (n) give a square matrix of n + |diagonal| rows.
/// Throws Error above 2 dimensions and for a 0-d tensor.
SINTER_API Tensor diag(const tensor_base& t, int64_t diagonal = 0);
/// Returns matrices, in dimensions dim1 and dim2 of the result, whose diagonals are the vectors
/// along the last dimension: sizes (..., n) give (..., m, m), m = n + |offset|. Throws Error if
/// dim1 and dim2 are the same, and IndexError for a 0-d tensor and a dimension out of range.
SINTER_API Tensor diag_embed(const tensor_base& t, int64_t offset = 0, int64_t dim1 = -2,
                             int64_t dim2 = -1);
/// Returns diag() of the flattened tensor: a square matrix. Takes any tensor.
SINTER_API Tensor diagflat(const tensor_base& t, int64_t offset = 0);
/// Returns the tensor, in its sizes, with zeros below (triu) or above (tril) a diagonal of the last
/// two dimensions. Throws Error below 2 dimensions.
///@{
SINTER_API Tensor triu(const tensor_base& t, int64_t diagonal = 0);
SINTER_API Tensor tril(const tensor_base& t, int64_t diagonal = 0);
///@}
/// Returns rows and columns of the elements that triu and tril keep of a matrix (row, col), of
/// sizes (2, n), in row-major order. Long unless the options name a dtype; computed at the call.
/// Throws Error for a negative size, and NotImplementedError for a complex dtype.
///@{
SINTER_API Tensor triu_indices(int64_t row, int64_t col, int64_t offset = 0,
                               const TensorOptions& options = {});
SINTER_API Tensor tril_indices(int64_t row, int64_t col, int64_t offset = 0,
                               const TensorOptions& options = {});
///@}

// ---- sizes
/// Returns the sizes that tensors of these sizes broadcast to. Throws Error if they do not
/// broadcast, and ValueError for a negative size. PyTorch: torch.broadcast_shapes.
///@{
SINTER_API std::vector<int64_t> broadcast_shapes(std::initializer_list<IntArrayRef> shapes);
SINTER_API std::vector<int64_t> broadcast_shapes(const std::vector<std::vector<int64_t>>& shapes);
///@}
/// Returns the sum over the dimensions that `sizes`, which broadcast to the tensor's, do not have.
/// The tensor itself if the sizes are equal. Throws Error if `sizes` do not broadcast to the
/// tensor's.
SINTER_API Tensor sum_to_size(const tensor_base& t, IntArrayRef sizes);
/// Returns the tensor with elements of `value` before and after each dimension: pairs, the last
/// dimension's first; negative numbers take elements away. Throws Error for an odd number of them,
/// more pairs than dimensions, or more taken away than there is, and ValueError if the dtype does
/// not hold the value.
SINTER_API Tensor constant_pad_nd(const tensor_base& t, IntArrayRef pad, const Scalar& value = 0);

// ---- creation
/// Returns uninitialised memory of these sizes under these strides (in elements, none negative), as
/// much as they reach. Throws Error for a negative stride, and unless there is one for each size.
SINTER_API Tensor empty_strided(IntArrayRef sizes, IntArrayRef strides,
                                const TensorOptions& options = {});
/// Returns uninitialised dense memory of these sizes, whose dimensions lie in this order, the
/// outermost first. Throws Error unless the order names each dimension once.
SINTER_API Tensor empty_permuted(IntArrayRef sizes, IntArrayRef physical_layout,
                                 const TensorOptions& options = {});
/// Returns a tensor of `t`'s sizes and dtype whose elements are all this number, or 0-d tensor.
/// Throws ValueError if the dtype does not hold the number, and Error for a tensor with dimensions.
///@{
SINTER_API Tensor fill(const tensor_base& t, const Scalar& value);
SINTER_API Tensor fill(const tensor_base& t, const tensor_base& value);
///@}
/// Returns base^start to base^end, a vector of `steps` elements with equally spaced exponents. Ends
/// in 0-d tensors are read at the call. Throws Error if `steps` is negative or an end has
/// dimensions, and ValueError if the dtype does not hold an end.
///@{
SINTER_API Tensor logspace(const Scalar& start, const Scalar& end, int64_t steps, double base = 10,
                           const TensorOptions& options = {});
SINTER_API Tensor logspace(const tensor_base& start, const tensor_base& end, int64_t steps,
                           double base = 10, const TensorOptions& options = {});
SINTER_API Tensor logspace(const tensor_base& start, const Scalar& end, int64_t steps,
                           double base = 10, const TensorOptions& options = {});
SINTER_API Tensor logspace(const Scalar& start, const tensor_base& end, int64_t steps,
                           double base = 10, const TensorOptions& options = {});
///@}

}  // namespace sinter::inline v1

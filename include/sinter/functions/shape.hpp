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
/// dimensions; 1-d tensors without elements are left out. Dtypes are promoted. Pending, fused: a
/// copy for each part. Throws ValueError for an empty list and Error for other sizes or 0-d
/// tensors.
///@{
SINTER_API Tensor cat(TensorList tensors, int64_t dim = 0);
SINTER_API Tensor concat(TensorList tensors, int64_t dim = 0);
SINTER_API Tensor concatenate(TensorList tensors, int64_t dim = 0);
///@}
/// Returns tensors of equal sizes along a new dimension `dim`; else as cat. Throws Error for an
/// empty list.
SINTER_API Tensor stack(TensorList tensors, int64_t dim = 0);
/// Returns the tensors side by side: cat in dimension 1, or 0 of vectors.
SINTER_API Tensor hstack(TensorList tensors);
/// Returns the tensors below each other: cat in dimension 0 of tensors with at least 2 dimensions.
///@{
SINTER_API Tensor vstack(TensorList tensors);
SINTER_API Tensor row_stack(TensorList tensors);
///@}
/// Returns the tensors after each other in depth: cat in dimension 2 of tensors with at least 3
/// dimensions.
SINTER_API Tensor dstack(TensorList tensors);
/// hstack, with vectors as columns.
SINTER_API Tensor column_stack(TensorList tensors);
/// Returns a matrix with the given ones along its diagonal and zeros elsewhere: pending, fused.
/// Throws Error above 2 dimensions.
SINTER_API Tensor block_diag(TensorList tensors);

// ---- splitting: views; throw on 0-d tensors
/// Returns parts of `split_size` elements of a dimension, the last one perhaps smaller. One size in
/// braces means this one as well. Like all functions of this section it returns views and throws
/// Error for a 0-d tensor.
SINTER_API std::vector<Tensor> split(const tensor_base& t, int64_t split_size, int64_t dim = 0);
/// Returns parts of these sizes. Throws Error unless they add up to the dimension's size.
///@{
SINTER_API std::vector<Tensor> split(const tensor_base& t, IntArrayRef sizes, int64_t dim = 0);
SINTER_API std::vector<Tensor> split_with_sizes(const tensor_base& t, IntArrayRef sizes,
                                                int64_t dim = 0);
///@}
/// Returns at most `chunks` parts, of one size but for the last.
SINTER_API std::vector<Tensor> chunk(const tensor_base& t, int64_t chunks, int64_t dim = 0);
/// Returns exactly `sections` parts, whose sizes differ by at most 1.
SINTER_API std::vector<Tensor> tensor_split(const tensor_base& t, int64_t sections,
                                            int64_t dim = 0);
/// Returns the parts before, between and after the indices.
SINTER_API std::vector<Tensor> tensor_split(const tensor_base& t, IntArrayRef indices,
                                            int64_t dim = 0);
/// tensor_split() by a Long tensor of sections (0-d) or indices (1-d), which is read at once.
SINTER_API std::vector<Tensor> tensor_split(const tensor_base& t,
                                            const tensor_base& indices_or_sections,
                                            int64_t dim = 0);
/// split, split_with_sizes and chunk: without autograd they return the same views.
///@{
SINTER_API std::vector<Tensor> unsafe_split(const tensor_base& t, int64_t split_size,
                                            int64_t dim = 0);
SINTER_API std::vector<Tensor> unsafe_split_with_sizes(const tensor_base& t, IntArrayRef sizes,
                                                       int64_t dim = 0);
SINTER_API std::vector<Tensor> unsafe_chunk(const tensor_base& t, int64_t chunks, int64_t dim = 0);
///@}
/// tensor_split in dimension 1 (hsplit; 0 of a vector), 0 (vsplit) or 2 (dsplit). Throws Error if
/// the sections are not equal or the dimension is missing.
///@{
SINTER_API std::vector<Tensor> hsplit(const tensor_base& t, int64_t sections);
SINTER_API std::vector<Tensor> hsplit(const tensor_base& t, IntArrayRef indices);
SINTER_API std::vector<Tensor> vsplit(const tensor_base& t, int64_t sections);
SINTER_API std::vector<Tensor> vsplit(const tensor_base& t, IntArrayRef indices);
SINTER_API std::vector<Tensor> dsplit(const tensor_base& t, int64_t sections);
SINTER_API std::vector<Tensor> dsplit(const tensor_base& t, IntArrayRef indices);
///@}
/// Returns the parts at each index of dimension `dim`, without that dimension. Throws IndexError
/// for a 0-d tensor.
SINTER_API std::vector<Tensor> unbind(const tensor_base& t, int64_t dim = 0);

// ---- views
/// Returns `length` elements of a dimension from `start` on, which in a 0-d tensor is read at once.
/// Like all functions of this section it returns a view, which computes nothing, unless it says
/// otherwise, and throws IndexError if an index or a dimension is out of range.
///@{
SINTER_API Tensor narrow(const tensor_base& t, int64_t dim, int64_t start, int64_t length);
SINTER_API Tensor narrow(const tensor_base& t, int64_t dim, const tensor_base& start,
                         int64_t length);
///@}
/// narrow(), copied: fused.
SINTER_API Tensor narrow_copy(const tensor_base& t, int64_t dim, int64_t start, int64_t length);
/// Returns the part at `index` of a dimension, without that dimension.
SINTER_API Tensor select(const tensor_base& t, int64_t dim, int64_t index);
/// Returns the elements start, start + step, ... before `end` of a dimension. Bounds are clipped;
/// the step is positive.
SINTER_API Tensor slice(const tensor_base& t, int64_t dim = 0, optional<int64_t> start = nullopt,
                        optional<int64_t> end = nullopt, int64_t step = 1);
/// Returns a view of the storage with these sizes, strides and offset, in elements. Throws Error
/// for a negative stride or if it leaves the storage.
SINTER_API Tensor as_strided(const tensor_base& t, IntArrayRef sizes, IntArrayRef strides,
                             optional<int64_t> storage_offset = nullopt);
/// Returns another tensor over the same storage.
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
/// their order. Throws Error if the lists differ in length.
///@{
SINTER_API Tensor movedim(const tensor_base& t, int64_t source, int64_t destination);
SINTER_API Tensor movedim(const tensor_base& t, IntArrayRef source, IntArrayRef destination);
SINTER_API Tensor moveaxis(const tensor_base& t, int64_t source, int64_t destination);
SINTER_API Tensor moveaxis(const tensor_base& t, IntArrayRef source, IntArrayRef destination);
///@}
/// Returns a view with two dimensions swapped.
///@{
SINTER_API Tensor swapaxes(const tensor_base& t, int64_t axis0, int64_t axis1);
SINTER_API Tensor swapdims(const tensor_base& t, int64_t dim0, int64_t dim1);
///@}
/// Returns a view with several sizes in place of one dimension's; one of them may be -1.
SINTER_API Tensor unflatten(const tensor_base& t, int64_t dim, IntArrayRef sizes);
/// Returns a view of these sizes, in which dimensions of size 1 repeat. Throws Error if the sizes
/// do not broadcast.
SINTER_API Tensor broadcast_to(const tensor_base& t, IntArrayRef sizes);
/// Returns all tensors expanded to their common sizes. Throws Error if there are none.
SINTER_API std::vector<Tensor> broadcast_tensors(TensorList tensors);
/// Returns the tensor itself if it has that many dimensions, else a view with more of size 1: in
/// front, and for a matrix or a vector in atleast_3d one at the end.
///@{
SINTER_API Tensor atleast_1d(const Tensor& t);
SINTER_API Tensor atleast_2d(const Tensor& t);
SINTER_API Tensor atleast_3d(const Tensor& t);
SINTER_API std::vector<Tensor> atleast_1d(TensorList tensors);
SINTER_API std::vector<Tensor> atleast_2d(TensorList tensors);
SINTER_API std::vector<Tensor> atleast_3d(TensorList tensors);
///@}
/// Returns a grid for each vector, which varies along its own dimension: sizes (a, b, ...), or (b,
/// a, ...) for indexing "xy". Expanded views, which cannot be written. Throws Error above 1
/// dimension, for different dtypes and for another indexing.
SINTER_API std::vector<Tensor> meshgrid(TensorList tensors, const std::string& indexing = "ij");

// ---- repeating and turning: fused
/// Returns all elements in one dimension: a view if the tensor is contiguous, else a pending copy
/// (fused).
SINTER_API Tensor ravel(const tensor_base& t);
/// Returns the whole tensor `repeats` times in each dimension; missing repeats are 1. Fused.
SINTER_API Tensor tile(const tensor_base& t, IntArrayRef repeats);
/// Returns each element `repeats` times in a row, along `dim` or of the flattened tensor: fused.
/// Throws Error if `output_size` is not the result's size.
SINTER_API Tensor repeat_interleave(const tensor_base& t, int64_t repeats,
                                    optional<int64_t> dim = nullopt,
                                    optional<int64_t> output_size = nullopt);
/// Returns each element, or slice of `dim`, as often as `repeats` (Long or Int) says: opaque. The
/// repeats are read at once, since they decide the size.
SINTER_API Tensor repeat_interleave(const tensor_base& t, const tensor_base& repeats,
                                    optional<int64_t> dim = nullopt,
                                    optional<int64_t> output_size = nullopt);
/// Returns the index of each repeated element: 0 as often as repeats[0] says, and so on. Runs at
/// once.
SINTER_API Tensor repeat_interleave(const tensor_base& repeats,
                                    optional<int64_t> output_size = nullopt);
/// Returns the elements in reverse order along dimension 1 (fliplr) or 0 (flipud): fused.
///@{
SINTER_API Tensor fliplr(const tensor_base& t);
SINTER_API Tensor flipud(const tensor_base& t);
///@}
/// Returns all choices of one element from each vector, one a row: fused copies. Throws Error above
/// 1 dimension.
SINTER_API Tensor cartesian_prod(TensorList tensors);
/// Returns all choices of `r` elements of a vector in its order, one a row. Runs at once. Throws
/// ValueError if there are too many.
SINTER_API Tensor combinations(const tensor_base& t, int64_t r = 2, bool with_replacement = false);
/// Returns the powers of a vector's elements, one a column, from N - 1 (N is the number of elements
/// by default) down to 0, or `increasing`: fused copies. Integers become Long.
SINTER_API Tensor vander(const tensor_base& x, optional<int64_t> N = nullopt,
                         bool increasing = false);

// ---- parts and diagonals
/// Returns a copy in which `source` replaces the part that select(), slice(), diagonal() or
/// as_strided() with these arguments would give: fused. Throws Error unless `source` has the sizes
/// of that part.
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
/// `diagonal` > 0 is above the main one. Fused. Throws Error above 2 dimensions and for a 0-d
/// tensor.
SINTER_API Tensor diag(const tensor_base& t, int64_t diagonal = 0);
/// Returns matrices, in dimensions dim1 and dim2 of the result, whose diagonals are the vectors
/// along the last dimension: fused.
SINTER_API Tensor diag_embed(const tensor_base& t, int64_t offset = 0, int64_t dim1 = -2,
                             int64_t dim2 = -1);
/// Returns diag() of the flattened tensor.
SINTER_API Tensor diagflat(const tensor_base& t, int64_t offset = 0);
/// Returns the tensor with zeros below (triu) or above (tril) a diagonal of the last two
/// dimensions: fused. Throws Error below 2 dimensions.
///@{
SINTER_API Tensor triu(const tensor_base& t, int64_t diagonal = 0);
SINTER_API Tensor tril(const tensor_base& t, int64_t diagonal = 0);
///@}
/// Returns rows and columns of the elements that triu and tril keep, of sizes (2, n), in row-major
/// order. Long unless the options name a dtype; computed at once.
///@{
SINTER_API Tensor triu_indices(int64_t row, int64_t col, int64_t offset = 0,
                               const TensorOptions& options = {});
SINTER_API Tensor tril_indices(int64_t row, int64_t col, int64_t offset = 0,
                               const TensorOptions& options = {});
///@}

// ---- sizes
/// Returns the sizes that tensors of these sizes broadcast to. Throws Error if there are none, and
/// ValueError for a negative size.
///@{
SINTER_API std::vector<int64_t> broadcast_shapes(std::initializer_list<IntArrayRef> shapes);
SINTER_API std::vector<int64_t> broadcast_shapes(const std::vector<std::vector<int64_t>>& shapes);
///@}
/// Returns the sum over the dimensions that `sizes`, which broadcast to the tensor's, do not have:
/// fused. The tensor itself if the sizes are equal.
SINTER_API Tensor sum_to_size(const tensor_base& t, IntArrayRef sizes);
/// Returns the tensor with elements of `value` before and after each dimension: pairs, the last
/// dimension's first; negative numbers take elements away. Fused. Throws Error for an odd number of
/// them or more pairs than dimensions, and ValueError if the dtype does not hold the value.
SINTER_API Tensor constant_pad_nd(const tensor_base& t, IntArrayRef pad, const Scalar& value = 0);

// ---- creation
/// Returns uninitialised memory under these strides (in elements, none negative), as much as they
/// reach. Allocated at once. Throws Error for a negative stride.
SINTER_API Tensor empty_strided(IntArrayRef sizes, IntArrayRef strides,
                                const TensorOptions& options = {});
/// Returns uninitialised dense memory whose dimensions lie in this order, the outermost first.
/// Allocated at once. Throws Error unless the order names each dimension once.
SINTER_API Tensor empty_permuted(IntArrayRef sizes, IntArrayRef physical_layout,
                                 const TensorOptions& options = {});
/// Returns a tensor of `t`'s sizes and dtype whose elements are all this number, or 0-d tensor:
/// fused. Throws ValueError if the dtype does not hold the number.
///@{
SINTER_API Tensor fill(const tensor_base& t, const Scalar& value);
SINTER_API Tensor fill(const tensor_base& t, const tensor_base& value);
///@}
/// Returns base^start to base^end with equally spaced exponents: fused. Ends in 0-d tensors are
/// read at once.
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

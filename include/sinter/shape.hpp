// Free functions that join, split, repeat and rearrange. Sizes, dims and indices as in PyTorch,
// negative ones from the end.
//
// "View" shares storage and costs nothing. "Fused" is pending and becomes part of its reader's
// kernel. "Copies" is an uninitialised result with a pending copy for each part. All of them check
// shapes at the call; which errors there are is said where it is not obvious.
#pragma once

#include <sinter/tensor_list.hpp>

#include <string>
#include <vector>

namespace sinter::inline v1 {

// ---- joining: copies; dtypes are promoted; throw on an empty list
/// Sizes are equal but in `dim`, where they add up. 1-d tensors without elements are left out.
SINTER_API Tensor cat(TensorList tensors, int64_t dim = 0);
SINTER_API Tensor concat(TensorList tensors, int64_t dim = 0);
SINTER_API Tensor concatenate(TensorList tensors, int64_t dim = 0);
/// Tensors of equal sizes along a new dimension.
SINTER_API Tensor stack(TensorList tensors, int64_t dim = 0);
/// Side by side: in dimension 1, or 0 of vectors.
SINTER_API Tensor hstack(TensorList tensors);
/// Below each other: in dimension 0, of at least 2.
SINTER_API Tensor vstack(TensorList tensors);
SINTER_API Tensor row_stack(TensorList tensors);
/// Behind each other: in dimension 2, of at least 3.
SINTER_API Tensor dstack(TensorList tensors);
/// As hstack, vectors as columns.
SINTER_API Tensor column_stack(TensorList tensors);
/// A matrix with the given ones along its diagonal, zeros elsewhere. Throws above 2 dimensions.
SINTER_API Tensor block_diag(TensorList tensors);

// ---- splitting: views; throw on 0-d tensors
/// Parts of `split_size`, the last one perhaps smaller. One size in braces is this one as well.
SINTER_API std::vector<Tensor> split(const tensor_base& t, int64_t split_size, int64_t dim = 0);
/// Parts of these sizes, which add up to the dimension's.
SINTER_API std::vector<Tensor> split(const tensor_base& t, IntArrayRef sizes, int64_t dim = 0);
SINTER_API std::vector<Tensor> split_with_sizes(const tensor_base& t, IntArrayRef sizes,
                                                int64_t dim = 0);
/// At most `chunks` parts, of one size but for the last.
SINTER_API std::vector<Tensor> chunk(const tensor_base& t, int64_t chunks, int64_t dim = 0);
/// Exactly `sections` parts, sizes differ by at most 1.
SINTER_API std::vector<Tensor> tensor_split(const tensor_base& t, int64_t sections,
                                            int64_t dim = 0);
/// The parts before, between and behind the indices.
SINTER_API std::vector<Tensor> tensor_split(const tensor_base& t, IntArrayRef indices,
                                            int64_t dim = 0);
/// Reads sections (0-d) or indices (1-d) at the call.
SINTER_API std::vector<Tensor> tensor_split(const tensor_base& t,
                                            const tensor_base& indices_or_sections,
                                            int64_t dim = 0);
/// split, split_with_sizes and chunk, of which PyTorch's autograd knows less: the same views.
SINTER_API std::vector<Tensor> unsafe_split(const tensor_base& t, int64_t split_size,
                                            int64_t dim = 0);
SINTER_API std::vector<Tensor> unsafe_split_with_sizes(const tensor_base& t, IntArrayRef sizes,
                                                       int64_t dim = 0);
SINTER_API std::vector<Tensor> unsafe_chunk(const tensor_base& t, int64_t chunks, int64_t dim = 0);
/// tensor_split in dimension 1 (0 of vectors), 0 and 2; equal sections only.
SINTER_API std::vector<Tensor> hsplit(const tensor_base& t, int64_t sections);
SINTER_API std::vector<Tensor> hsplit(const tensor_base& t, IntArrayRef indices);
SINTER_API std::vector<Tensor> vsplit(const tensor_base& t, int64_t sections);
SINTER_API std::vector<Tensor> vsplit(const tensor_base& t, IntArrayRef indices);
SINTER_API std::vector<Tensor> dsplit(const tensor_base& t, int64_t sections);
SINTER_API std::vector<Tensor> dsplit(const tensor_base& t, IntArrayRef indices);
/// All of dimension `dim`, without it.
SINTER_API std::vector<Tensor> unbind(const tensor_base& t, int64_t dim = 0);

// ---- views
SINTER_API Tensor narrow(const tensor_base& t, int64_t dim, int64_t start, int64_t length);
/// Reads the start at the call.
SINTER_API Tensor narrow(const tensor_base& t, int64_t dim, const tensor_base& start,
                         int64_t length);
SINTER_API Tensor narrow_copy(const tensor_base& t, int64_t dim, int64_t start, int64_t length);
SINTER_API Tensor select(const tensor_base& t, int64_t dim, int64_t index);
SINTER_API Tensor slice(const tensor_base& t, int64_t dim = 0, optional<int64_t> start = nullopt,
                        optional<int64_t> end = nullopt, int64_t step = 1);
SINTER_API Tensor as_strided(const tensor_base& t, IntArrayRef sizes, IntArrayRef strides,
                             optional<int64_t> storage_offset = nullopt);
SINTER_API Tensor detach(const tensor_base& t);
/// Other sizes and strides for this tensor and all its handles.
SINTER_API Tensor& as_strided_(const tensor_base& t, IntArrayRef sizes, IntArrayRef strides,
                               optional<int64_t> storage_offset = nullopt);
SINTER_API Tensor& detach_(const tensor_base& t);
SINTER_API Tensor adjoint(const tensor_base& t);
SINTER_API Tensor movedim(const tensor_base& t, int64_t source, int64_t destination);
SINTER_API Tensor movedim(const tensor_base& t, IntArrayRef source, IntArrayRef destination);
SINTER_API Tensor moveaxis(const tensor_base& t, int64_t source, int64_t destination);
SINTER_API Tensor moveaxis(const tensor_base& t, IntArrayRef source, IntArrayRef destination);
SINTER_API Tensor swapaxes(const tensor_base& t, int64_t axis0, int64_t axis1);
SINTER_API Tensor swapdims(const tensor_base& t, int64_t dim0, int64_t dim1);
SINTER_API Tensor unflatten(const tensor_base& t, int64_t dim, IntArrayRef sizes);
SINTER_API Tensor broadcast_to(const tensor_base& t, IntArrayRef sizes);
/// All of them expanded to their common shape; throws where there is none.
SINTER_API std::vector<Tensor> broadcast_tensors(TensorList tensors);
/// The tensor itself if it has that many dimensions, else a view with more of size 1: in front, and
/// for 3 one behind as well.
SINTER_API Tensor atleast_1d(const Tensor& t);
SINTER_API Tensor atleast_2d(const Tensor& t);
SINTER_API Tensor atleast_3d(const Tensor& t);
SINTER_API std::vector<Tensor> atleast_1d(TensorList tensors);
SINTER_API std::vector<Tensor> atleast_2d(TensorList tensors);
SINTER_API std::vector<Tensor> atleast_3d(TensorList tensors);
/// One grid a tensor, each varying along its own dimension: (a, b, ...), or (b, a, ...) for
/// indexing "xy". Expanded views, which cannot be written. Throws above 1 dimension and on
/// different dtypes.
SINTER_API std::vector<Tensor> meshgrid(TensorList tensors, const std::string& indexing = "ij");

// ---- repeating and turning: fused
/// A 1-d copy unless it is contiguous, then a view.
SINTER_API Tensor ravel(const tensor_base& t);
SINTER_API Tensor tile(const tensor_base& t, IntArrayRef repeats);
SINTER_API Tensor repeat_interleave(const tensor_base& t, int64_t repeats,
                                    optional<int64_t> dim = nullopt,
                                    optional<int64_t> output_size = nullopt);
/// Opaque; the repeats are read at the call, since they are the size of the result.
SINTER_API Tensor repeat_interleave(const tensor_base& t, const tensor_base& repeats,
                                    optional<int64_t> dim = nullopt,
                                    optional<int64_t> output_size = nullopt);
/// The index of each repeated element: 0 as often as repeats[0] says, and so on.
SINTER_API Tensor repeat_interleave(const tensor_base& repeats,
                                    optional<int64_t> output_size = nullopt);
SINTER_API Tensor fliplr(const tensor_base& t);
SINTER_API Tensor flipud(const tensor_base& t);
/// All choices of one element from each vector, one a row: copies.
SINTER_API Tensor cartesian_prod(TensorList tensors);
/// All choices of `r` elements of a vector in its order, one a row. Reads it at the call.
SINTER_API Tensor combinations(const tensor_base& t, int64_t r = 2, bool with_replacement = false);
/// Powers of a vector's elements, one a column, from N - 1 (default: as many as elements) down to
/// 0, or rising. Copies; integers become Long.
SINTER_API Tensor vander(const tensor_base& x, optional<int64_t> N = nullopt,
                         bool increasing = false);

// ---- parts and diagonals
/// A copy with one index, or one slice, of a dimension replaced. Throws unless sizes are equal.
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
/// The matrix with this vector as its diagonal, or a copy of a matrix's diagonal.
SINTER_API Tensor diag(const tensor_base& t, int64_t diagonal = 0);
/// Each vector along the last dimension becomes the diagonal of a matrix: fused, or copies into
/// zeros where the offset is not 0.
SINTER_API Tensor diag_embed(const tensor_base& t, int64_t offset = 0, int64_t dim1 = -2,
                             int64_t dim2 = -1);
/// diag of all elements.
SINTER_API Tensor diagflat(const tensor_base& t, int64_t offset = 0);
/// Zeros below, or above, a diagonal of the last two dimensions: fused.
SINTER_API Tensor triu(const tensor_base& t, int64_t diagonal = 0);
SINTER_API Tensor tril(const tensor_base& t, int64_t diagonal = 0);
/// Rows and columns of the elements that triu and tril keep, (2, n), in row-major order. Default
/// Long; computed at the call.
SINTER_API Tensor triu_indices(int64_t row, int64_t col, int64_t offset = 0,
                               const TensorOptions& options = {});
SINTER_API Tensor tril_indices(int64_t row, int64_t col, int64_t offset = 0,
                               const TensorOptions& options = {});

// ---- sizes
/// The sizes that tensors of these sizes broadcast to. Throws where there are none.
SINTER_API std::vector<int64_t> broadcast_shapes(std::initializer_list<IntArrayRef> shapes);
SINTER_API std::vector<int64_t> broadcast_shapes(const std::vector<std::vector<int64_t>>& shapes);
/// Summed over the dimensions that these sizes, which broadcast to the tensor's, do not have:
/// fused. The tensor itself where they are equal.
SINTER_API Tensor sum_to_size(const tensor_base& t, IntArrayRef sizes);
/// Elements of `value` before and behind each dimension, the last one's pair first; negative
/// numbers take elements away. A filled tensor with a pending copy.
SINTER_API Tensor constant_pad_nd(const tensor_base& t, IntArrayRef pad, const Scalar& value = 0);

// ---- creation
/// Uninitialised memory under these strides, as much as they reach; none is negative. At its line.
SINTER_API Tensor empty_strided(IntArrayRef sizes, IntArrayRef strides,
                                const TensorOptions& options = {});
/// The same, dense, with dimensions in this order in memory, the outermost first. At its line.
SINTER_API Tensor empty_permuted(IntArrayRef sizes, IntArrayRef physical_layout,
                                 const TensorOptions& options = {});
/// A tensor of `t`'s sizes and dtype whose elements are all this number, or 0-d tensor: fused.
SINTER_API Tensor fill(const tensor_base& t, const Scalar& value);
SINTER_API Tensor fill(const tensor_base& t, const tensor_base& value);
/// base^start to base^end, exponents equally spaced: fused.
SINTER_API Tensor logspace(const Scalar& start, const Scalar& end, int64_t steps, double base = 10,
                           const TensorOptions& options = {});
/// Ends in 0-d tensors are read at the call.
SINTER_API Tensor logspace(const tensor_base& start, const tensor_base& end, int64_t steps,
                           double base = 10, const TensorOptions& options = {});
SINTER_API Tensor logspace(const tensor_base& start, const Scalar& end, int64_t steps,
                           double base = 10, const TensorOptions& options = {});
SINTER_API Tensor logspace(const Scalar& start, const tensor_base& end, int64_t steps,
                           double base = 10, const TensorOptions& options = {});

}  // namespace sinter::inline v1

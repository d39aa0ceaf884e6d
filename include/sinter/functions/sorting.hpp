// Functions of the order of elements: sorting, medians, quantiles, sets, histograms, searching.
//
// NaN is larger than everything else, and equal elements keep their order, so that every result is
// defined. Any real dtype unless a function says otherwise, any layout, along any dimension; a 0-d
// tensor is one row.
//
// Pending, each an opaque kernel (values and indices are one each: what is not read is not
// computed), unless a function runs at once because the size of its result depends on values. Rows
// are shared among threads, and results do not depend on the number of threads.
#pragma once

#include <sinter/core/tensor_list.hpp>

namespace sinter::inline v1 {

// ---- sorting
/// Returns the sorted values and their indices (Long) along `dim`. Always stable, whatever `stable`
/// is; NaN is larger than everything else. Pending, opaque; what is not read of the two is not
/// computed. Not of complex numbers, as all functions of this file.
///@{
SINTER_API std::tuple<Tensor, Tensor> sort(const tensor_base& t, int64_t dim = -1,
                                           bool descending = false);
SINTER_API std::tuple<Tensor, Tensor> sort(const tensor_base& t, optional<bool> stable,
                                           int64_t dim = -1, bool descending = false);
///@}
/// Returns the indices of sort() alone: opaque.
///@{
SINTER_API Tensor argsort(const tensor_base& t, int64_t dim = -1, bool descending = false);
SINTER_API Tensor argsort(const tensor_base& t, int dim, bool descending = false);
SINTER_API Tensor argsort(const tensor_base& t, bool stable, int64_t dim = -1,
                          bool descending = false);
///@}
/// Returns the values sorted along dimension 0: opaque.
SINTER_API Tensor msort(const tensor_base& t);
/// Returns the k largest (or smallest) values along `dim` and their indices, in order, whatever
/// `sorted` is: opaque. Throws Error if k is not within 0 and the size.
SINTER_API std::tuple<Tensor, Tensor> topk(const tensor_base& t, int64_t k, int64_t dim = -1,
                                           bool largest = true, bool sorted = true);

// ---- one element of a row, and its index
/// Returns the k-th smallest value along `dim`, k from 1, and its index: opaque. Throws Error if k
/// is out of range and IndexError if a row has no elements.
SINTER_API std::tuple<Tensor, Tensor> kthvalue(const tensor_base& t, int64_t k, int64_t dim = -1,
                                               bool keepdim = false);
/// Returns the lower median, NaN if there is one: of all elements (NaN of none), or along `dim`
/// with its index. Opaque. Throws IndexError if a row has no elements.
///@{
SINTER_API Tensor median(const tensor_base& t);
SINTER_API std::tuple<Tensor, Tensor> median(const tensor_base& t, int64_t dim,
                                             bool keepdim = false);
///@}
/// median() of the elements that are not NaN.
///@{
SINTER_API Tensor nanmedian(const tensor_base& t);
SINTER_API std::tuple<Tensor, Tensor> nanmedian(const tensor_base& t, int64_t dim,
                                                bool keepdim = false);
///@}
/// Returns the most frequent value along `dim`, the smallest of several, and its last index:
/// opaque. Throws IndexError if a row has no elements.
SINTER_API std::tuple<Tensor, Tensor> mode(const tensor_base& t, int64_t dim = -1,
                                           bool keepdim = false);

// ---- quantiles
/// Returns the elements at q * (n - 1) of the sorted row, interpolated between two: "linear",
/// "lower", "higher", "midpoint" or "nearest". Without `dim`, of all elements; several quantiles, a
/// vector that is read at once, become a first dimension. Opaque; Float and Double. Throws Error
/// for another dtype or interpolation, if q is outside [0, 1], and if there are no elements.
///@{
SINTER_API Tensor quantile(const tensor_base& t, double q, optional<int64_t> dim = nullopt,
                           bool keepdim = false, const std::string& interpolation = "linear");
SINTER_API Tensor quantile(const tensor_base& t, const tensor_base& q,
                           optional<int64_t> dim = nullopt, bool keepdim = false,
                           const std::string& interpolation = "linear");
///@}
/// quantile() of the elements that are not NaN.
///@{
SINTER_API Tensor nanquantile(const tensor_base& t, double q, optional<int64_t> dim = nullopt,
                              bool keepdim = false, const std::string& interpolation = "linear");
SINTER_API Tensor nanquantile(const tensor_base& t, const tensor_base& q,
                              optional<int64_t> dim = nullopt, bool keepdim = false,
                              const std::string& interpolation = "linear");
///@}

// ---- sets
/// Returns the different elements in order (whatever `sorted` is); for each element its place among
/// them, in the tensor's shape (Long); and how often each came (Long). What was not asked for is
/// empty. Each NaN differs from all others. Runs at once. PyTorch: torch.unique.
///@{
SINTER_API std::tuple<Tensor, Tensor, Tensor> unique(const tensor_base& t, bool sorted = true,
                                                     bool return_inverse = false,
                                                     bool return_counts = false);
SINTER_API std::tuple<Tensor, Tensor, Tensor> _unique2(const tensor_base& t, bool sorted = true,
                                                       bool return_inverse = false,
                                                       bool return_counts = false);
///@}
/// unique() of the slices of a dimension, ordered by their first different element. Throws
/// IndexError for a 0-d tensor. PyTorch: torch.unique(dim=...).
SINTER_API std::tuple<Tensor, Tensor, Tensor> unique_dim(const tensor_base& t, int64_t dim,
                                                         bool sorted = true,
                                                         bool return_inverse = false,
                                                         bool return_counts = false);
/// unique() of each run of equal neighbours: elements in row-major order, or slices of `dim`.
SINTER_API std::tuple<Tensor, Tensor, Tensor> unique_consecutive(const tensor_base& t,
                                                                 bool return_inverse = false,
                                                                 bool return_counts = false,
                                                                 optional<int64_t> dim = nullopt);
/// Returns true for each element that is among those of `test` (or is not, if `invert`): Bool,
/// pending. NaN never is; dtypes are promoted; assume_unique changes nothing. Throws
/// NotImplementedError for Bool and complex dtypes.
///@{
SINTER_API Tensor isin(const tensor_base& elements, const tensor_base& test,
                       bool assume_unique = false, bool invert = false);
SINTER_API Tensor isin(const tensor_base& elements, const Scalar& test, bool assume_unique = false,
                       bool invert = false);
SINTER_API Tensor isin(const Scalar& element, const tensor_base& test, bool assume_unique = false,
                       bool invert = false);
///@}

// ---- histograms
/// Returns how often each number from 0 on came in a vector of integers (Long), or the sum of its
/// weights (Double; Float of Float weights). Runs at once: the largest number decides the size, at
/// least minlength. Throws Error for a negative number or weights of another shape.
SINTER_API Tensor bincount(const tensor_base& t, const optional<Tensor>& weights = nullopt,
                           int64_t minlength = 0);
/// Returns the counts of floating elements in `bins` equal parts of [min, max], or of their own
/// range if both are equal; in the tensor's dtype. Opaque. Throws Error if bins < 1 or min > max,
/// and NotImplementedError unless floating.
SINTER_API Tensor histc(const tensor_base& t, int64_t bins = 100, const Scalar& min = 0,
                        const Scalar& max = 0);
/// Returns the counts, or sums of weights, between edges, and the edges: opaque. `bins` is the
/// number of equal parts of `range` (of the elements' own without one), or a vector of edges. The
/// last part contains its upper edge; `density` divides by the total and by the parts' widths.
/// Floating, all tensors of one dtype. Throws Error for fewer than 1 part or 2 edges and for a
/// range that is not finite and rising.
///@{
SINTER_API std::tuple<Tensor, Tensor> histogram(const tensor_base& t, int64_t bins = 100,
                                                optional<ArrayRef<double>> range = nullopt,
                                                const optional<Tensor>& weight = nullopt,
                                                bool density = false);
SINTER_API std::tuple<Tensor, Tensor> histogram(const tensor_base& t, const tensor_base& bins,
                                                const optional<Tensor>& weight = nullopt,
                                                bool density = false);
///@}

/// histogram() of points, whose coordinates are the last dimension. `bins` is the number of parts
/// in each dimension, one number for all, or the edges; `range` has two numbers a dimension.
/// Opaque, and a sum.
///@{
SINTER_API std::tuple<Tensor, std::vector<Tensor>> histogramdd(
    const tensor_base& t, IntArrayRef bins, optional<ArrayRef<double>> range = nullopt,
    const optional<Tensor>& weight = nullopt, bool density = false);
SINTER_API std::tuple<Tensor, std::vector<Tensor>> histogramdd(
    const tensor_base& t, int64_t bins, optional<ArrayRef<double>> range = nullopt,
    const optional<Tensor>& weight = nullopt, bool density = false);
SINTER_API std::tuple<Tensor, std::vector<Tensor>> histogramdd(
    const tensor_base& t, TensorList bins, optional<ArrayRef<double>> range = nullopt,
    const optional<Tensor>& weight = nullopt, bool density = false);
///@}

// ---- searching, by halving
/// Returns where each value would go into a sorted row to keep it sorted: before equal elements, or
/// after them if `right` (or side "right"). Long, or Int if out_int32. Opaque, by bisection. The
/// sequence is a vector, or has the values' sizes but in the last dimension; `sorter` is argsort of
/// a row that is not sorted. Dtypes are promoted. Throws Error if sizes do not fit or side and
/// right contradict.
///@{
SINTER_API Tensor searchsorted(const tensor_base& sorted_sequence, const tensor_base& values,
                               bool out_int32 = false, bool right = false,
                               const optional<std::string>& side = nullopt,
                               const optional<Tensor>& sorter = nullopt);
SINTER_API Tensor searchsorted(const tensor_base& sorted_sequence, const Scalar& value,
                               bool out_int32 = false, bool right = false,
                               const optional<std::string>& side = nullopt,
                               const optional<Tensor>& sorter = nullopt);
///@}
/// searchsorted() with the operands exchanged. Throws Error unless the boundaries are a vector.
///@{
SINTER_API Tensor bucketize(const tensor_base& t, const tensor_base& boundaries,
                            bool out_int32 = false, bool right = false);
SINTER_API Tensor bucketize(const Scalar& value, const tensor_base& boundaries,
                            bool out_int32 = false, bool right = false);
///@}

}  // namespace sinter::inline v1

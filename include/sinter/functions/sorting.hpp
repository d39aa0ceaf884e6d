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
/// Returns the sorted values and their indices (Long) along `dim`, both in the tensor's sizes.
/// Always stable, whatever `stable` is; NaN is larger than everything else. What is not read of the
/// two is not computed. Throws IndexError if there is no such dimension, and NotImplementedError
/// for complex numbers.
///@{
SINTER_API std::tuple<Tensor, Tensor> sort(const tensor_base& t, int64_t dim = -1,
                                           bool descending = false);
SINTER_API std::tuple<Tensor, Tensor> sort(const tensor_base& t, optional<bool> stable,
                                           int64_t dim = -1, bool descending = false);
///@}
/// Returns the indices of sort() alone, in the tensor's sizes. Throws IndexError if there is no
/// such dimension, and NotImplementedError for complex numbers.
///@{
SINTER_API Tensor argsort(const tensor_base& t, int64_t dim = -1, bool descending = false);
SINTER_API Tensor argsort(const tensor_base& t, int dim, bool descending = false);
SINTER_API Tensor argsort(const tensor_base& t, bool stable, int64_t dim = -1,
                          bool descending = false);
///@}
/// Returns the values sorted along dimension 0, in the tensor's sizes. Throws NotImplementedError
/// for complex numbers.
SINTER_API Tensor msort(const tensor_base& t);
/// Returns the k largest (or smallest) values along `dim`, whose size becomes k, and their indices,
/// in order, whatever `sorted` is. Throws Error if k is not within 0 and the size, IndexError if
/// there is no such dimension, and NotImplementedError for complex numbers.
SINTER_API std::tuple<Tensor, Tensor> topk(const tensor_base& t, int64_t k, int64_t dim = -1,
                                           bool largest = true, bool sorted = true);

// ---- one element of a row, and its index
/// Returns the k-th smallest value along `dim`, k from 1, and its index, without that dimension or
/// with size 1 in its place if `keepdim`. Throws Error if k is out of range, IndexError if a row
/// has no elements, and NotImplementedError for complex numbers.
SINTER_API std::tuple<Tensor, Tensor> kthvalue(const tensor_base& t, int64_t k, int64_t dim = -1,
                                               bool keepdim = false);
/// Returns the lower median, NaN if there is one: of all elements, 0-d (NaN of none), or along
/// `dim` with its index, without that dimension or with size 1 in its place if `keepdim`. Throws
/// IndexError if a row has no elements, and NotImplementedError for complex numbers.
///@{
SINTER_API Tensor median(const tensor_base& t);
SINTER_API std::tuple<Tensor, Tensor> median(const tensor_base& t, int64_t dim,
                                             bool keepdim = false);
///@}
/// median() of the elements that are not NaN, in the same sizes. Throws what median() throws.
///@{
SINTER_API Tensor nanmedian(const tensor_base& t);
SINTER_API std::tuple<Tensor, Tensor> nanmedian(const tensor_base& t, int64_t dim,
                                                bool keepdim = false);
///@}
/// Returns the most frequent value along `dim`, the smallest of several, and its last index,
/// without that dimension or with size 1 in its place if `keepdim`. Throws IndexError if a row has
/// no elements, and NotImplementedError for complex numbers.
SINTER_API std::tuple<Tensor, Tensor> mode(const tensor_base& t, int64_t dim = -1,
                                           bool keepdim = false);

// ---- quantiles
/// Returns the elements at q * (n - 1) of the sorted row, interpolated between two: "linear",
/// "lower", "higher", "midpoint" or "nearest". The result lacks `dim`, or has size 1 in its place
/// if `keepdim`; without `dim`, of all elements, it is 0-d. Several quantiles, a vector that is
/// read at the call, become a first dimension. Throws Error unless Float or Double, for another
/// interpolation or dtype of the quantiles, if q is outside [0, 1], and if there are no elements.
///@{
SINTER_API Tensor quantile(const tensor_base& t, double q, optional<int64_t> dim = nullopt,
                           bool keepdim = false, const std::string& interpolation = "linear");
SINTER_API Tensor quantile(const tensor_base& t, const tensor_base& q,
                           optional<int64_t> dim = nullopt, bool keepdim = false,
                           const std::string& interpolation = "linear");
///@}
/// quantile() of the elements that are not NaN, in the same sizes. Throws what quantile() throws.
///@{
SINTER_API Tensor nanquantile(const tensor_base& t, double q, optional<int64_t> dim = nullopt,
                              bool keepdim = false, const std::string& interpolation = "linear");
SINTER_API Tensor nanquantile(const tensor_base& t, const tensor_base& q,
                              optional<int64_t> dim = nullopt, bool keepdim = false,
                              const std::string& interpolation = "linear");
///@}

// ---- sets
/// Returns the different elements in order (whatever `sorted` is), a vector; for each element its
/// place among them, in the tensor's sizes (Long); and how often each came (Long). What was not
/// asked for is empty. Each NaN differs from all others. The tensor is read at the call. Throws
/// NotImplementedError for complex numbers.
///@{
SINTER_API std::tuple<Tensor, Tensor, Tensor> unique(const tensor_base& t, bool sorted = true,
                                                     bool return_inverse = false,
                                                     bool return_counts = false);
SINTER_API std::tuple<Tensor, Tensor, Tensor> _unique2(const tensor_base& t, bool sorted = true,
                                                       bool return_inverse = false,
                                                       bool return_counts = false);
///@}
/// unique() of the slices of a dimension, ordered by their first different element: the tensor's
/// sizes but in `dim`, and two vectors. Throws IndexError for a 0-d tensor, Error if the slices
/// have no elements, and NotImplementedError for complex numbers.
SINTER_API std::tuple<Tensor, Tensor, Tensor> unique_dim(const tensor_base& t, int64_t dim,
                                                         bool sorted = true,
                                                         bool return_inverse = false,
                                                         bool return_counts = false);
/// unique() of each run of equal neighbours: elements in row-major order, a vector, or slices of
/// `dim`. Throws what unique() and unique_dim() throw.
SINTER_API std::tuple<Tensor, Tensor, Tensor> unique_consecutive(const tensor_base& t,
                                                                 bool return_inverse = false,
                                                                 bool return_counts = false,
                                                                 optional<int64_t> dim = nullopt);
/// Returns true for each element that is among those of `test` (or is not, if `invert`): Bool, in
/// the sizes of `elements`. NaN never is; dtypes are promoted; assume_unique changes nothing.
/// Throws NotImplementedError for Bool and complex dtypes.
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
/// weights (Double; Float of Float weights), as a vector. The numbers are read at the call, because
/// the largest decides the size, at least minlength. Throws Error unless it is a vector, for a
/// negative number or minlength and for weights of other sizes, and NotImplementedError unless
/// integers.
SINTER_API Tensor bincount(const tensor_base& t, const optional<Tensor>& weights = nullopt,
                           int64_t minlength = 0);
/// Returns the counts of the elements in `bins` equal parts of [min, max], or of their own range if
/// both are equal: a vector of `bins` elements in the tensor's dtype. Throws Error if bins < 1, min
/// > max or a bound is not finite, and NotImplementedError unless floating.
SINTER_API Tensor histc(const tensor_base& t, int64_t bins = 100, const Scalar& min = 0,
                        const Scalar& max = 0);
/// Returns the counts, or sums of weights, between edges, and the edges, one more: vectors. `bins`
/// is the number of equal parts of `range` (of the elements' own without one), or a vector of
/// edges. The last part contains its upper edge; `density` divides by the total and by the parts'
/// widths. Throws NotImplementedError unless floating, and Error for fewer than 1 part or 2 edges,
/// for a range that is not finite and rising, and for edges or weights of another dtype or weights
/// of other sizes.
///@{
SINTER_API std::tuple<Tensor, Tensor> histogram(const tensor_base& t, int64_t bins = 100,
                                                optional<ArrayRef<double>> range = nullopt,
                                                const optional<Tensor>& weight = nullopt,
                                                bool density = false);
SINTER_API std::tuple<Tensor, Tensor> histogram(const tensor_base& t, const tensor_base& bins,
                                                const optional<Tensor>& weight = nullopt,
                                                bool density = false);
///@}

/// histogram() of points, whose coordinates are the last dimension: the counts have a dimension for
/// each coordinate. `bins` is the number of parts in each dimension, one number for all, or the
/// edges; `range` has two numbers a dimension. Throws what histogram() throws, and Error below 2
/// dimensions and unless there are bins for each coordinate.
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
/// Returns where each value would go into a sorted row to keep it sorted, in the sizes of `values`:
/// before equal elements, or after them if `right` (or side "right"). Long, or Int if out_int32. By
/// bisection. The sequence is a vector, or has the values' sizes but in the last dimension;
/// `sorter` is argsort of a row that is not sorted. Dtypes are promoted. Throws Error if sizes do
/// not fit, side and right contradict, the sorter is not Long, or Int does not count the elements;
/// NotImplementedError for complex numbers.
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
/// searchsorted() with the operands exchanged, in the sizes of `t`. Throws Error unless the
/// boundaries are a vector, and NotImplementedError for complex numbers.
///@{
SINTER_API Tensor bucketize(const tensor_base& t, const tensor_base& boundaries,
                            bool out_int32 = false, bool right = false);
SINTER_API Tensor bucketize(const Scalar& value, const tensor_base& boundaries,
                            bool out_int32 = false, bool right = false);
///@}

}  // namespace sinter::inline v1

// Functions about the order of elements: sorting, medians, quantiles, sets, histograms, searching.
//
// NaN is larger than everything else, and equal elements keep their order, so every result is
// defined. Every dtype but as said, any layout, along any dimension; a 0-d tensor is one row.
//
// Pending, each an opaque kernel (values and indices are one each: what is not read is not
// computed), unless "at its line" is said: the size of the result depends on values then. Rows are
// shared among threads, and the results do not depend on how many there are.
#pragma once

#include <sinter/tensor_list.hpp>

namespace sinter::inline v1 {

// ---- sorting: by counting the bytes of keys, from the lowest; short rows by comparing
/// Values and indices. Always stable, whatever `stable` is.
SINTER_API std::tuple<Tensor, Tensor> sort(const tensor_base& t, int64_t dim = -1,
                                           bool descending = false);
SINTER_API std::tuple<Tensor, Tensor> sort(const tensor_base& t, optional<bool> stable,
                                           int64_t dim = -1, bool descending = false);
SINTER_API Tensor argsort(const tensor_base& t, int64_t dim = -1, bool descending = false);
SINTER_API Tensor argsort(const tensor_base& t, int dim, bool descending = false);
SINTER_API Tensor argsort(const tensor_base& t, bool stable, int64_t dim = -1,
                          bool descending = false);
/// Sorted values of dimension 0.
SINTER_API Tensor msort(const tensor_base& t);
/// The k largest (or smallest), in order, whatever `sorted` is.
SINTER_API std::tuple<Tensor, Tensor> topk(const tensor_base& t, int64_t k, int64_t dim = -1,
                                           bool largest = true, bool sorted = true);

// ---- one element of a row, and its index. They throw IndexError where a row has no elements.
/// The k-th smallest, k from 1.
SINTER_API std::tuple<Tensor, Tensor> kthvalue(const tensor_base& t, int64_t k, int64_t dim = -1,
                                               bool keepdim = false);
/// The lower median; NaN if there is one. Of no elements at all, NaN.
SINTER_API Tensor median(const tensor_base& t);
SINTER_API std::tuple<Tensor, Tensor> median(const tensor_base& t, int64_t dim,
                                             bool keepdim = false);
/// The lower median of what is not NaN.
SINTER_API Tensor nanmedian(const tensor_base& t);
SINTER_API std::tuple<Tensor, Tensor> nanmedian(const tensor_base& t, int64_t dim,
                                                bool keepdim = false);
/// The most frequent value: the smallest of several, and its last index.
SINTER_API std::tuple<Tensor, Tensor> mode(const tensor_base& t, int64_t dim = -1,
                                           bool keepdim = false);

// ---- quantiles of Float and Double: elements at q * (n - 1) of the sorted row, or between two.
// `q` is in [0, 1]; several, as a vector (read at the call), become a first dimension.
// Interpolation is "linear", "lower", "higher", "midpoint" or "nearest". Without a dimension, of
// all elements.
SINTER_API Tensor quantile(const tensor_base& t, double q, optional<int64_t> dim = nullopt,
                           bool keepdim = false, const std::string& interpolation = "linear");
SINTER_API Tensor quantile(const tensor_base& t, const tensor_base& q,
                           optional<int64_t> dim = nullopt, bool keepdim = false,
                           const std::string& interpolation = "linear");
/// Of what is not NaN.
SINTER_API Tensor nanquantile(const tensor_base& t, double q, optional<int64_t> dim = nullopt,
                              bool keepdim = false, const std::string& interpolation = "linear");
SINTER_API Tensor nanquantile(const tensor_base& t, const tensor_base& q,
                              optional<int64_t> dim = nullopt, bool keepdim = false,
                              const std::string& interpolation = "linear");

// ---- sets: at their line. Each NaN counts as different from all others.
/// Different elements in order (whatever `sorted` is); for each element where it went, in the
/// tensor's shape; how often each came. What was not asked for is empty.
SINTER_API std::tuple<Tensor, Tensor, Tensor> unique(const tensor_base& t, bool sorted = true,
                                                     bool return_inverse = false,
                                                     bool return_counts = false);
SINTER_API std::tuple<Tensor, Tensor, Tensor> _unique2(const tensor_base& t, bool sorted = true,
                                                       bool return_inverse = false,
                                                       bool return_counts = false);
/// Different slices of a dimension, ordered by their first different element.
SINTER_API std::tuple<Tensor, Tensor, Tensor> unique_dim(const tensor_base& t, int64_t dim,
                                                         bool sorted = true,
                                                         bool return_inverse = false,
                                                         bool return_counts = false);
/// One of each run of equal neighbours: elements in row-major order, or slices of a dimension.
SINTER_API std::tuple<Tensor, Tensor, Tensor> unique_consecutive(const tensor_base& t,
                                                                 bool return_inverse = false,
                                                                 bool return_counts = false,
                                                                 optional<int64_t> dim = nullopt);
/// Whether each element is among those of `test`: Bool. NaN never is. Dtypes are promoted. Pending.
SINTER_API Tensor isin(const tensor_base& elements, const tensor_base& test,
                       bool assume_unique = false, bool invert = false);
SINTER_API Tensor isin(const tensor_base& elements, const Scalar& test, bool assume_unique = false,
                       bool invert = false);
SINTER_API Tensor isin(const Scalar& element, const tensor_base& test, bool assume_unique = false,
                       bool invert = false);

// ---- histograms
/// How often each number from 0 came in a vector of integers, or the sum of its weights: Long, or
/// Double of weights (Float of Float ones). At its line; throws on a negative number.
SINTER_API Tensor bincount(const tensor_base& t, const optional<Tensor>& weights = nullopt,
                           int64_t minlength = 0);
/// Counts of floating elements in `bins` equal parts of [min, max], or of their own range where
/// both are equal; of the tensor's dtype.
SINTER_API Tensor histc(const tensor_base& t, int64_t bins = 100, const Scalar& min = 0,
                        const Scalar& max = 0);
/// Counts, or sums of weights, between edges, and the edges. The last part contains its upper edge.
/// Density divides by the total and by the parts' widths. Floating; dtypes are equal.
SINTER_API std::tuple<Tensor, Tensor> histogram(const tensor_base& t, int64_t bins = 100,
                                                optional<ArrayRef<double>> range = nullopt,
                                                const optional<Tensor>& weight = nullopt,
                                                bool density = false);
SINTER_API std::tuple<Tensor, Tensor> histogram(const tensor_base& t, const tensor_base& bins,
                                                const optional<Tensor>& weight = nullopt,
                                                bool density = false);

/// The same of points, whose coordinates the last dimension has: as many parts in each dimension,
/// or so many, or the edges. `range` has two numbers a dimension. Opaque, and a sum.
SINTER_API std::tuple<Tensor, std::vector<Tensor>> histogramdd(
    const tensor_base& t, IntArrayRef bins, optional<ArrayRef<double>> range = nullopt,
    const optional<Tensor>& weight = nullopt, bool density = false);
SINTER_API std::tuple<Tensor, std::vector<Tensor>> histogramdd(
    const tensor_base& t, int64_t bins, optional<ArrayRef<double>> range = nullopt,
    const optional<Tensor>& weight = nullopt, bool density = false);
SINTER_API std::tuple<Tensor, std::vector<Tensor>> histogramdd(
    const tensor_base& t, TensorList bins, optional<ArrayRef<double>> range = nullopt,
    const optional<Tensor>& weight = nullopt, bool density = false);

// ---- searching, by halving
/// Where each value would go into a sorted row to keep it sorted: before equal elements, or behind
/// them where `right` (or side "right"). `sorter` is argsort of a row that is not sorted. The
/// sequence is a vector, or has the values' sizes but in the last dimension. Dtypes are promoted.
/// Long, or Int.
SINTER_API Tensor searchsorted(const tensor_base& sorted_sequence, const tensor_base& values,
                               bool out_int32 = false, bool right = false,
                               const optional<std::string>& side = nullopt,
                               const optional<Tensor>& sorter = nullopt);
SINTER_API Tensor searchsorted(const tensor_base& sorted_sequence, const Scalar& value,
                               bool out_int32 = false, bool right = false,
                               const optional<std::string>& side = nullopt,
                               const optional<Tensor>& sorter = nullopt);
/// searchsorted with the operands exchanged; boundaries are a vector.
SINTER_API Tensor bucketize(const tensor_base& t, const tensor_base& boundaries,
                            bool out_int32 = false, bool right = false);
SINTER_API Tensor bucketize(const Scalar& value, const tensor_base& boundaries,
                            bool out_int32 = false, bool right = false);

}  // namespace sinter::inline v1

// Functions that reduce, normalise, take differences and compare.
//
// All are compositions of pointwise operations and reductions: pending, and fused with each other
// and with the operations around them, except the products in cov and corrcoef (library calls) and
// where a comment says otherwise. `dim` may be negative; an empty list means all dimensions. Shapes
// and dtypes are checked at the call. Half and BFloat16 are computed in Float and rounded once.
// Unless they say otherwise, functions take floating operands and throw NotImplementedError for
// others.
#pragma once

#include <sinter/core/tensor_list.hpp>

namespace sinter::inline v1 {

// ---- the element-wise larger and smaller
/// Returns the larger, or the smaller, of each pair of elements, as maximum and minimum do; sizes
/// broadcast, and NaN wins. Throws Error if the sizes do not broadcast, and NotImplementedError for
/// complex numbers.
///@{
SINTER_API Tensor max(const tensor_base& a, const tensor_base& b);
SINTER_API Tensor min(const tensor_base& a, const tensor_base& b);
///@}

// ---- counts and tests, of any dtype
/// Returns true where any, or all, elements over `dim` are not 0: Bool, for Byte tensors Byte. The
/// result lacks these dimensions, or has size 1 in their places if `keepdim`. An empty list reduces
/// nothing, no list all dimensions. Throws IndexError if there is no such dimension, and Error if
/// one is named twice.
///@{
SINTER_API Tensor any(const tensor_base& t, OptionalIntArrayRef dim, bool keepdim = false);
SINTER_API Tensor all(const tensor_base& t, OptionalIntArrayRef dim, bool keepdim = false);
///@}
/// Returns the number of elements that are not 0, of all (0-d) or along dimensions, which the
/// result lacks: Long. Throws IndexError if there is no such dimension, and Error if one is named
/// twice.
///@{
SINTER_API Tensor count_nonzero(const tensor_base& t, optional<int64_t> dim = nullopt);
SINTER_API Tensor count_nonzero(const tensor_base& t, int64_t dim);
SINTER_API Tensor count_nonzero(const tensor_base& t, IntArrayRef dim);
///@}
/// Returns the smallest and the largest element, of all (0-d) or along a dimension, which the
/// results lack or have with size 1 if `keepdim`. Throws Error, or IndexError for a dimension, if
/// there are no elements, and NotImplementedError for complex numbers.
SINTER_API std::tuple<Tensor, Tensor> aminmax(const tensor_base& t, optional<int64_t> dim = nullopt,
                                              bool keepdim = false);

// ---- moments
/// Returns the variance or the standard deviation over `dim`, or over all elements (0-d), with
/// divisor max(0, n - correction); the correction is 1 by default. The result lacks these
/// dimensions, or has size 1 in their places if `keepdim`, and is NaN for no elements. Throws
/// NotImplementedError for integers and Bool, IndexError if there is no such dimension, and Error
/// if one is named twice.
///@{
SINTER_API Tensor var(const tensor_base& t, OptionalIntArrayRef dim,
                      const optional<Scalar>& correction = nullopt, bool keepdim = false);
SINTER_API Tensor std(const tensor_base& t, OptionalIntArrayRef dim,
                      const optional<Scalar>& correction = nullopt, bool keepdim = false);
///@}
/// Returns variance (or standard deviation) and mean, of sizes and with errors as var and std;
/// `unbiased` is a correction of 1, else 0. Throws NotImplementedError for integers and Bool.
///@{
SINTER_API std::tuple<Tensor, Tensor> var_mean(const tensor_base& t, bool unbiased = true);
SINTER_API std::tuple<Tensor, Tensor> var_mean(const tensor_base& t, int dim);
SINTER_API std::tuple<Tensor, Tensor> var_mean(const tensor_base& t, IntArrayRef dim, bool unbiased,
                                               bool keepdim = false);
SINTER_API std::tuple<Tensor, Tensor> var_mean(const tensor_base& t, OptionalIntArrayRef dim,
                                               const optional<Scalar>& correction = nullopt,
                                               bool keepdim = false);
SINTER_API std::tuple<Tensor, Tensor> std_mean(const tensor_base& t, bool unbiased = true);
SINTER_API std::tuple<Tensor, Tensor> std_mean(const tensor_base& t, int dim);
SINTER_API std::tuple<Tensor, Tensor> std_mean(const tensor_base& t, IntArrayRef dim, bool unbiased,
                                               bool keepdim = false);
SINTER_API std::tuple<Tensor, Tensor> std_mean(const tensor_base& t, OptionalIntArrayRef dim,
                                               const optional<Scalar>& correction = nullopt,
                                               bool keepdim = false);
///@}

// ---- sums and means without NaN
/// Returns the sum of the elements that are not NaN, over `dim` or over all (0-d), converted to
/// `dtype` first if one is given. Sums of integers are Long. The result lacks these dimensions, or
/// has size 1 in their places if `keepdim`. Throws NotImplementedError for complex numbers,
/// IndexError if there is no such dimension, and Error if one is named twice.
///@{
SINTER_API Tensor nansum(const tensor_base& t, optional<ScalarType> dtype = nullopt);
SINTER_API Tensor nansum(const tensor_base& t, OptionalIntArrayRef dim, bool keepdim = false,
                         optional<ScalarType> dtype = nullopt);
///@}
/// Returns the mean of the elements that are not NaN, over `dim` or over all (0-d), as nansum; NaN
/// if there are none. Throws NotImplementedError unless floating.
///@{
SINTER_API Tensor nanmean(const tensor_base& t, optional<ScalarType> dtype = nullopt);
SINTER_API Tensor nanmean(const tensor_base& t, OptionalIntArrayRef dim, bool keepdim = false,
                          optional<ScalarType> dtype = nullopt);
///@}

// ---- exponentials
/// Returns log(sum(exp(x))) over `dim` without overflow. The result lacks these dimensions, or has
/// size 1 in their places if `keepdim`. Integers become floating. Throws IndexError if there is no
/// such dimension, and Error if one is named twice.
SINTER_API Tensor logsumexp(const tensor_base& t, IntArrayRef dim, bool keepdim = false);
/// Returns exp(x - m) / sum(exp(x - m)) along `dim`, m the largest element, or its logarithm, in
/// the tensor's sizes. Operands are converted to `dtype` first. Throws NotImplementedError unless
/// floating then, and IndexError if there is no such dimension.
///@{
SINTER_API Tensor softmax(const tensor_base& t, int64_t dim, optional<ScalarType> dtype = nullopt);
SINTER_API Tensor log_softmax(const tensor_base& t, int64_t dim,
                              optional<ScalarType> dtype = nullopt);
///@}

// ---- norms
/// Returns sum(|x|^p)^(1/p), real, of all elements (0-d) or over `dim`, which the result lacks or
/// has with size 1 if `keepdim`. p = 0 counts what is not 0; inf and -inf give the largest and the
/// smallest |x|; no p is 2. Throws NotImplementedError unless floating or complex, and Error if
/// `dtype` does not hold the operand's, or for p < 0 or infinite of no elements.
///@{
SINTER_API Tensor norm(const tensor_base& t, const Scalar& p = 2);
SINTER_API Tensor norm(const tensor_base& t, const optional<Scalar>& p, ScalarType dtype);
SINTER_API Tensor norm(const tensor_base& t, const optional<Scalar>& p, IntArrayRef dim,
                       bool keepdim = false);
SINTER_API Tensor norm(const tensor_base& t, const optional<Scalar>& p, IntArrayRef dim,
                       bool keepdim, ScalarType dtype);
///@}
/// Returns the root of the sum of squares, of all elements (0-d) or over at most two dimensions,
/// which the result lacks or has with size 1 if `keepdim`. Throws Error for more dimensions, and
/// NotImplementedError unless floating or complex.
///@{
SINTER_API Tensor frobenius_norm(const tensor_base& t);
SINTER_API Tensor frobenius_norm(const tensor_base& t, IntArrayRef dim, bool keepdim = false);
///@}
/// Returns the sum of a matrix's singular values; `dim` names the matrices' two dimensions, which
/// the result lacks or has with size 1 if `keepdim`. Throws Error for another number of dimensions,
/// LinAlgError for NaN and infinities, and NotImplementedError for another dtype.
///@{
SINTER_API Tensor nuclear_norm(const tensor_base& t, bool keepdim = false);
SINTER_API Tensor nuclear_norm(const tensor_base& t, IntArrayRef dim, bool keepdim = false);
///@}
/// Returns the cosine of the angle between vectors along `dim`, which the result lacks; lengths
/// count as eps at least, and sizes broadcast. Throws Error if they do not or the common dtype is
/// not floating, and IndexError if there is no such dimension.
SINTER_API Tensor cosine_similarity(const tensor_base& x1, const tensor_base& x2, int64_t dim = 1,
                                    double eps = 1e-8);
/// Returns the p-norm of x1 - x2 + eps along the last dimension, which the result lacks or has with
/// size 1 if `keepdim`; sizes broadcast. Integers become floating. Throws Error if the sizes do not
/// broadcast, and for p < 0 or infinite of no elements.
SINTER_API Tensor pairwise_distance(const tensor_base& x1, const tensor_base& x2, double p = 2,
                                    double eps = 1e-6, bool keepdim = false);
/// Returns the p-norm of a - b over all elements, 0-d and real; sizes broadcast. Throws Error if
/// they do not, and for p < 0 or infinite of no elements; NotImplementedError unless floating or
/// complex.
SINTER_API Tensor dist(const tensor_base& a, const tensor_base& b, const Scalar& p = 2);
/// Returns the p-norms of the differences of all pairs of rows: sizes (..., n, d) and (..., m, d)
/// give (..., n, m), and batches broadcast. The differences are not stored. compute_mode is
/// accepted and ignored. Throws Error below 2 dimensions, for rows of different lengths and for p <
/// 0, and NotImplementedError unless floating.
SINTER_API Tensor cdist(const tensor_base& a, const tensor_base& b, double p = 2,
                        optional<int64_t> compute_mode = nullopt);
/// Returns the tensor, in its sizes, with slices of `dim` whose p-norm is above maxnorm scaled down
/// to it. Throws Error below 2 dimensions, for p <= 0 and for maxnorm < 0, and NotImplementedError
/// unless floating or complex.
SINTER_API Tensor renorm(const tensor_base& t, const Scalar& p, int64_t dim, const Scalar& maxnorm);

// ---- covariance
/// Returns the covariance matrix (n, n) of the rows of a matrix (n, m), whose columns are
/// observations; of one row, or a vector, 0-d. `fweights` (integers) are how often each was seen,
/// `aweights` (floating) how much it counts: vectors of m elements that are read at the call.
/// Throws Error above 2 dimensions and for weights of another dtype or number, that are negative or
/// sum to 0, and NotImplementedError for Bool.
SINTER_API Tensor cov(const tensor_base& t, int64_t correction = 1,
                      const optional<Tensor>& fweights = nullopt,
                      const optional<Tensor>& aweights = nullopt);
/// Returns cov() divided by both standard deviations, of cov()'s sizes. Throws Error above 2
/// dimensions, and NotImplementedError for Bool.
SINTER_API Tensor corrcoef(const tensor_base& t);

// ---- differences along a dimension, of any dtype but as said
/// Returns x[1:] - x[:-1] along `dim`, n times, each time one element shorter; of Bool, where
/// neighbours differ. What is prepended or appended has the tensor's sizes but in `dim`. Throws
/// Error for a 0-d tensor, for n < 0 and if these sizes differ.
SINTER_API Tensor diff(const tensor_base& t, int64_t n = 1, int64_t dim = -1,
                       const optional<Tensor>& prepend = nullopt,
                       const optional<Tensor>& append = nullopt);
/// Returns the integral along `dim`, which the result lacks, by the trapezoid rule, of samples at
/// `x` (a vector, or of y's sizes) or at distances `dx`. Throws IndexError for a 0-d tensor,
/// NotImplementedError for Bool, and Error if the numbers of samples and coordinates differ or `dx`
/// is a bool.
///@{
SINTER_API Tensor trapezoid(const tensor_base& y, const tensor_base& x, int64_t dim = -1);
SINTER_API Tensor trapezoid(const tensor_base& y, const Scalar& dx = 1, int64_t dim = -1);
SINTER_API Tensor trapz(const tensor_base& y, const tensor_base& x, int64_t dim = -1);
SINTER_API Tensor trapz(const tensor_base& y, double dx = 1, int64_t dim = -1);
///@}
/// Returns the integrals up to each sample but the first: the tensor's sizes, one less along `dim`.
/// A fused kernel and a scan (opaque). Throws what trapezoid throws.
///@{
SINTER_API Tensor cumulative_trapezoid(const tensor_base& y, const tensor_base& x,
                                       int64_t dim = -1);
SINTER_API Tensor cumulative_trapezoid(const tensor_base& y, const Scalar& dx = 1,
                                       int64_t dim = -1);
///@}
/// Returns the derivative in each dimension, or in those named, each in the tensor's sizes: central
/// differences inside, one-sided ones of order `edge_order` (1 or 2) at the ends. `spacing` is one
/// number, one a dimension, or the coordinates in each. Throws Error if a dimension has fewer than
/// edge_order + 1 elements, if the spacings are not one for each dimension or the coordinates not
/// as many as its elements, and NotImplementedError for Byte.
///@{
SINTER_API std::vector<Tensor> gradient(const tensor_base& t,
                                        const optional<Scalar>& spacing = nullopt,
                                        OptionalIntArrayRef dim = nullopt, int64_t edge_order = 1);
SINTER_API std::vector<Tensor> gradient(const tensor_base& t, const Scalar& spacing,
                                        OptionalIntArrayRef dim = nullopt, int64_t edge_order = 1);
SINTER_API std::vector<Tensor> gradient(const tensor_base& t, ArrayRef<Scalar> spacing,
                                        OptionalIntArrayRef dim = nullopt, int64_t edge_order = 1);
SINTER_API std::vector<Tensor> gradient(const tensor_base& t, TensorList spacing,
                                        OptionalIntArrayRef dim = nullopt, int64_t edge_order = 1);
template <class T>
    requires std::is_arithmetic_v<T>
std::vector<Tensor> gradient(const tensor_base& t, T spacing, OptionalIntArrayRef dim = nullopt,
                             int64_t edge_order = 1) {
    return gradient(t, Scalar(spacing), dim, edge_order);
}
template <class D>
    requires(!std::is_arithmetic_v<D> && std::is_convertible_v<const D&, IntArrayRef>)
std::vector<Tensor> gradient(const tensor_base& t, const D& dim, int64_t edge_order = 1) {
    return gradient(t, optional<Scalar>(), OptionalIntArrayRef(IntArrayRef(dim)), edge_order);
}
///@}

// ---- comparison, of any dtype; dtypes are equal
/// Returns true where |a - b| <= atol + |rtol * b|, or where both are equal: Bool, element by
/// element; sizes broadcast. NaN is close to NaN if `equal_nan`. Throws Error if the dtypes differ,
/// the sizes do not broadcast or a tolerance is negative.
SINTER_API Tensor isclose(const tensor_base& a, const tensor_base& b, double rtol = 1e-5,
                          double atol = 1e-8, bool equal_nan = false);

}  // namespace sinter::inline v1

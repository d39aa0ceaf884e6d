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
/// Returns the larger, or the smaller, of each pair of elements, as maximum and minimum do: fused.
/// Sizes broadcast; NaN wins.
///@{
SINTER_API Tensor max(const tensor_base& a, const tensor_base& b);
SINTER_API Tensor min(const tensor_base& a, const tensor_base& b);
///@}

// ---- counts and tests, of any dtype
/// Returns true where any, or all, elements are not 0: Bool, for Byte tensors Byte. Fused. An empty
/// list reduces nothing, no list all dimensions.
///@{
SINTER_API Tensor any(const tensor_base& t, OptionalIntArrayRef dim, bool keepdim = false);
SINTER_API Tensor all(const tensor_base& t, OptionalIntArrayRef dim, bool keepdim = false);
///@}
/// Returns the number of elements that are not 0, of all or along dimensions: Long, fused.
///@{
SINTER_API Tensor count_nonzero(const tensor_base& t, optional<int64_t> dim = nullopt);
SINTER_API Tensor count_nonzero(const tensor_base& t, int64_t dim);
SINTER_API Tensor count_nonzero(const tensor_base& t, IntArrayRef dim);
///@}
/// Returns the smallest and the largest element, of all or along a dimension: fused. Throws Error,
/// or IndexError for a dimension, if there are no elements. Not of complex numbers.
SINTER_API std::tuple<Tensor, Tensor> aminmax(const tensor_base& t, optional<int64_t> dim = nullopt,
                                              bool keepdim = false);

// ---- moments
/// Returns the variance or the standard deviation over `dim`, with divisor max(0, n - correction);
/// the correction is 1 by default. Floating or complex; throws NotImplementedError for integers.
/// Fused.
///@{
SINTER_API Tensor var(const tensor_base& t, OptionalIntArrayRef dim,
                      const optional<Scalar>& correction = nullopt, bool keepdim = false);
SINTER_API Tensor std(const tensor_base& t, OptionalIntArrayRef dim,
                      const optional<Scalar>& correction = nullopt, bool keepdim = false);
///@}
/// Returns variance (or standard deviation) and mean: as var and std; `unbiased` is a correction of
/// 1, else 0.
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
/// Returns the sum of the elements that are not NaN: fused. Sums of integers are Long. Not of
/// complex numbers.
///@{
SINTER_API Tensor nansum(const tensor_base& t, optional<ScalarType> dtype = nullopt);
SINTER_API Tensor nansum(const tensor_base& t, OptionalIntArrayRef dim, bool keepdim = false,
                         optional<ScalarType> dtype = nullopt);
///@}
/// Returns the mean of the elements that are not NaN: fused. Throws NotImplementedError unless
/// floating.
///@{
SINTER_API Tensor nanmean(const tensor_base& t, optional<ScalarType> dtype = nullopt);
SINTER_API Tensor nanmean(const tensor_base& t, OptionalIntArrayRef dim, bool keepdim = false,
                          optional<ScalarType> dtype = nullopt);
///@}

// ---- exponentials
/// Returns log(sum(exp(x))) over `dim` without overflow: fused. Integers become floating.
SINTER_API Tensor logsumexp(const tensor_base& t, IntArrayRef dim, bool keepdim = false);
/// Returns exp(x - m) / sum(exp(x - m)) along `dim`, m the largest element, or its logarithm:
/// fused. Operands are converted to `dtype` first. Throws NotImplementedError unless floating.
///@{
SINTER_API Tensor softmax(const tensor_base& t, int64_t dim, optional<ScalarType> dtype = nullopt);
SINTER_API Tensor log_softmax(const tensor_base& t, int64_t dim,
                              optional<ScalarType> dtype = nullopt);
///@}

// ---- norms
/// Returns sum(|x|^p)^(1/p) of all elements or over `dim`: fused. p = 0 counts what is not 0; inf
/// and -inf give the largest and the smallest |x|; no p is 2. Floating or complex; the result is
/// real. Throws Error if `dtype` does not hold the operand's, or for p < 0 or infinite of no
/// elements.
///@{
SINTER_API Tensor norm(const tensor_base& t, const Scalar& p = 2);
SINTER_API Tensor norm(const tensor_base& t, const optional<Scalar>& p, ScalarType dtype);
SINTER_API Tensor norm(const tensor_base& t, const optional<Scalar>& p, IntArrayRef dim,
                       bool keepdim = false);
SINTER_API Tensor norm(const tensor_base& t, const optional<Scalar>& p, IntArrayRef dim,
                       bool keepdim, ScalarType dtype);
///@}
/// Returns the root of the sum of squares, of all elements or over at most two dimensions (Error
/// for more): fused.
///@{
SINTER_API Tensor frobenius_norm(const tensor_base& t);
SINTER_API Tensor frobenius_norm(const tensor_base& t, IntArrayRef dim, bool keepdim = false);
///@}
/// Returns the sum of a matrix's singular values, which a library call computes; the matrix's two
/// dimensions may be named. Throws Error for another number of dimensions.
///@{
SINTER_API Tensor nuclear_norm(const tensor_base& t, bool keepdim = false);
SINTER_API Tensor nuclear_norm(const tensor_base& t, IntArrayRef dim, bool keepdim = false);
///@}
/// Returns the cosine of the angle between vectors along `dim`; lengths count as eps at least.
/// Fused; sizes broadcast. Floating.
SINTER_API Tensor cosine_similarity(const tensor_base& x1, const tensor_base& x2, int64_t dim = 1,
                                    double eps = 1e-8);
/// Returns the p-norm of x1 - x2 + eps along the last dimension: fused; sizes broadcast.
SINTER_API Tensor pairwise_distance(const tensor_base& x1, const tensor_base& x2, double p = 2,
                                    double eps = 1e-6, bool keepdim = false);
/// Returns the p-norm of a - b over all elements: fused; sizes broadcast.
SINTER_API Tensor dist(const tensor_base& a, const tensor_base& b, const Scalar& p = 2);
/// Returns the p-norms of the differences of all pairs of rows: sizes (..., n, d) and (..., m, d)
/// give (..., n, m). Fused; the differences are not stored. compute_mode is accepted and ignored.
/// Throws Error below 2 dimensions, for rows of different lengths and for p < 0.
SINTER_API Tensor cdist(const tensor_base& a, const tensor_base& b, double p = 2,
                        optional<int64_t> compute_mode = nullopt);
/// Returns the tensor with slices of `dim` whose p-norm is above maxnorm scaled down to it: fused.
/// Throws Error below 2 dimensions, for p <= 0 and for maxnorm < 0.
SINTER_API Tensor renorm(const tensor_base& t, const Scalar& p, int64_t dim, const Scalar& maxnorm);

// ---- covariance
/// Returns the covariance matrix of the rows of a matrix, whose columns are observations: a library
/// call. `fweights` are how often each was seen, `aweights` how much it counts; both are read at
/// once. Throws Error above 2 dimensions and for weights that are negative or sum to 0.
SINTER_API Tensor cov(const tensor_base& t, int64_t correction = 1,
                      const optional<Tensor>& fweights = nullopt,
                      const optional<Tensor>& aweights = nullopt);
/// Returns cov() divided by both standard deviations: a library call.
SINTER_API Tensor corrcoef(const tensor_base& t);

// ---- differences along a dimension, of any dtype but as said
/// Returns x[1:] - x[:-1] along `dim`, n times; of Bool, where neighbours differ. Fused. Throws
/// Error for a 0-d tensor or n < 0.
SINTER_API Tensor diff(const tensor_base& t, int64_t n = 1, int64_t dim = -1,
                       const optional<Tensor>& prepend = nullopt,
                       const optional<Tensor>& append = nullopt);
/// Returns the integral along `dim` by the trapezoid rule, of samples at `x` or at distances `dx`:
/// fused. Throws NotImplementedError for Bool and Error if the numbers of samples and coordinates
/// differ.
///@{
SINTER_API Tensor trapezoid(const tensor_base& y, const tensor_base& x, int64_t dim = -1);
SINTER_API Tensor trapezoid(const tensor_base& y, const Scalar& dx = 1, int64_t dim = -1);
SINTER_API Tensor trapz(const tensor_base& y, const tensor_base& x, int64_t dim = -1);
SINTER_API Tensor trapz(const tensor_base& y, double dx = 1, int64_t dim = -1);
///@}
/// Returns the integrals up to each sample but the first: a fused kernel and a scan (opaque). Else
/// as trapezoid.
///@{
SINTER_API Tensor cumulative_trapezoid(const tensor_base& y, const tensor_base& x,
                                       int64_t dim = -1);
SINTER_API Tensor cumulative_trapezoid(const tensor_base& y, const Scalar& dx = 1,
                                       int64_t dim = -1);
///@}
/// Returns the derivative in each dimension, or in those named: central differences inside,
/// one-sided ones of order `edge_order` (1 or 2) at the ends. `spacing` is one number, one a
/// dimension, or the coordinates in each. Fused copies. Throws Error if a dimension has fewer than
/// edge_order + 1 elements or the spacings are not one for each dimension, and NotImplementedError
/// for Byte.
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
/// Returns true where |a - b| <= atol + |rtol * b|, or where both are equal: Bool, fused. NaN is
/// close to NaN if `equal_nan`. Throws Error if the dtypes differ or a tolerance is negative.
SINTER_API Tensor isclose(const tensor_base& a, const tensor_base& b, double rtol = 1e-5,
                          double atol = 1e-8, bool equal_nan = false);

}  // namespace sinter::inline v1

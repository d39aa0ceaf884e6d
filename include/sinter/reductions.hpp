// Free functions that reduce, normalise, take differences and compare.
//
// All of them are compositions of element operations and reductions: pending, and fused with each
// other and with what stands around them, but for the products in cov and corrcoef (library calls)
// and where a comment says otherwise. `dim` may be negative; an empty list means all dimensions.
// Shapes and dtypes are checked at the call. Half and BFloat16 are computed in Float and rounded
// once. Unless said otherwise operands are floating and NotImplementedError says when they are not.
#pragma once

#include <sinter/tensor_list.hpp>

namespace sinter::inline v1 {

// ---- the element-wise larger and smaller
SINTER_API Tensor max(const tensor_base& a, const tensor_base& b);
SINTER_API Tensor min(const tensor_base& a, const tensor_base& b);

// ---- counts and tests, of any dtype
/// Whether any, or all, elements are not 0: Bool, of Byte tensors Byte. An empty list reduces
/// nothing, no list all dimensions.
SINTER_API Tensor any(const tensor_base& t, OptionalIntArrayRef dim, bool keepdim = false);
SINTER_API Tensor all(const tensor_base& t, OptionalIntArrayRef dim, bool keepdim = false);
/// How many elements are not 0: Long.
SINTER_API Tensor count_nonzero(const tensor_base& t, optional<int64_t> dim = nullopt);
SINTER_API Tensor count_nonzero(const tensor_base& t, int64_t dim);
SINTER_API Tensor count_nonzero(const tensor_base& t, IntArrayRef dim);
/// Smallest and largest, of any dtype. Throws IndexError where there is no element.
SINTER_API std::tuple<Tensor, Tensor> aminmax(const tensor_base& t, optional<int64_t> dim = nullopt,
                                              bool keepdim = false);

// ---- moments: divided by max(0, n - correction); `unbiased` is a correction of 1, the default
SINTER_API Tensor var(const tensor_base& t, OptionalIntArrayRef dim,
                      const optional<Scalar>& correction = nullopt, bool keepdim = false);
SINTER_API Tensor std(const tensor_base& t, OptionalIntArrayRef dim,
                      const optional<Scalar>& correction = nullopt, bool keepdim = false);
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

// ---- sums and means that leave NaN out; nansum of integers is sum
SINTER_API Tensor nansum(const tensor_base& t, optional<ScalarType> dtype = nullopt);
SINTER_API Tensor nansum(const tensor_base& t, OptionalIntArrayRef dim, bool keepdim = false,
                         optional<ScalarType> dtype = nullopt);
SINTER_API Tensor nanmean(const tensor_base& t, optional<ScalarType> dtype = nullopt);
SINTER_API Tensor nanmean(const tensor_base& t, OptionalIntArrayRef dim, bool keepdim = false,
                          optional<ScalarType> dtype = nullopt);

// ---- exponentials
/// log(sum(exp(x))) without overflow: the largest element is taken out. Integers become floating.
SINTER_API Tensor logsumexp(const tensor_base& t, IntArrayRef dim, bool keepdim = false);
/// exp(x - m) / sum(exp(x - m)) and its logarithm, m the largest element.
SINTER_API Tensor softmax(const tensor_base& t, int64_t dim, optional<ScalarType> dtype = nullopt);
SINTER_API Tensor log_softmax(const tensor_base& t, int64_t dim,
                              optional<ScalarType> dtype = nullopt);

// ---- norms: sum(|x|^p)^(1/p); p = 0 counts what is not 0, p = inf and -inf are the largest and
// smallest |x|. No p is 2.
SINTER_API Tensor norm(const tensor_base& t, const Scalar& p = 2);
SINTER_API Tensor norm(const tensor_base& t, const optional<Scalar>& p, ScalarType dtype);
SINTER_API Tensor norm(const tensor_base& t, const optional<Scalar>& p, IntArrayRef dim,
                       bool keepdim = false);
SINTER_API Tensor norm(const tensor_base& t, const optional<Scalar>& p, IntArrayRef dim,
                       bool keepdim, ScalarType dtype);
/// The root of the sum of squares, of all elements or along at most two dimensions. The norm of a
/// matrix; PyTorch has the first form for any tensor.
SINTER_API Tensor frobenius_norm(const tensor_base& t);
SINTER_API Tensor frobenius_norm(const tensor_base& t, IntArrayRef dim, bool keepdim = false);
/// The sum of a matrix's singular values (a library call), in two dimensions that may be named.
SINTER_API Tensor nuclear_norm(const tensor_base& t, bool keepdim = false);
SINTER_API Tensor nuclear_norm(const tensor_base& t, IntArrayRef dim, bool keepdim = false);
/// The cosine of the angle between vectors along `dim`; no vector counts as shorter than eps.
/// Broadcasts. Floats.
SINTER_API Tensor cosine_similarity(const tensor_base& x1, const tensor_base& x2, int64_t dim = 1,
                                    double eps = 1e-8);
/// The norm of x1 - x2 + eps along the last dimension. Broadcasts.
SINTER_API Tensor pairwise_distance(const tensor_base& x1, const tensor_base& x2, double p = 2,
                                    double eps = 1e-6, bool keepdim = false);
/// The norm of the difference; shapes are broadcast.
SINTER_API Tensor dist(const tensor_base& a, const tensor_base& b, const Scalar& p = 2);
/// Norms of the differences of all pairs of rows: (..., n, d) and (..., m, d) give (..., n, m). The
/// differences are never written out. PyTorch's compute_mode is taken and changes nothing.
SINTER_API Tensor cdist(const tensor_base& a, const tensor_base& b, double p = 2,
                        optional<int64_t> compute_mode = nullopt);
/// Slices of `dim` whose norm is above maxnorm are scaled down to it.
SINTER_API Tensor renorm(const tensor_base& t, const Scalar& p, int64_t dim, const Scalar& maxnorm);

// ---- covariance of the rows of a matrix, whose columns are observations. `fweights` are how often
// each was seen, `aweights` how much it counts; both are read at the call.
SINTER_API Tensor cov(const tensor_base& t, int64_t correction = 1,
                      const optional<Tensor>& fweights = nullopt,
                      const optional<Tensor>& aweights = nullopt);
/// Covariance divided by both deviations.
SINTER_API Tensor corrcoef(const tensor_base& t);

// ---- differences along a dimension, of any dtype but as said
/// x[1:] - x[:-1], n times; of bools, where neighbours differ.
SINTER_API Tensor diff(const tensor_base& t, int64_t n = 1, int64_t dim = -1,
                       const optional<Tensor>& prepend = nullopt,
                       const optional<Tensor>& append = nullopt);
/// The integral by the trapezoid rule, of samples at x or at distances dx. Not of bools.
SINTER_API Tensor trapezoid(const tensor_base& y, const tensor_base& x, int64_t dim = -1);
SINTER_API Tensor trapezoid(const tensor_base& y, const Scalar& dx = 1, int64_t dim = -1);
SINTER_API Tensor trapz(const tensor_base& y, const tensor_base& x, int64_t dim = -1);
SINTER_API Tensor trapz(const tensor_base& y, double dx = 1, int64_t dim = -1);
/// The integrals up to each sample but the first: one kernel, and a scan (scans.hpp).
SINTER_API Tensor cumulative_trapezoid(const tensor_base& y, const tensor_base& x,
                                       int64_t dim = -1);
SINTER_API Tensor cumulative_trapezoid(const tensor_base& y, const Scalar& dx = 1,
                                       int64_t dim = -1);
/// The derivative in each dimension, or in those named: central differences inside, one-sided ones
/// of order `edge_order` (1 or 2) at the ends. Spacing is one number, one a dimension, or the
/// coordinates in each. Three kernels a dimension. Not of Byte.
SINTER_API std::vector<Tensor> gradient(const tensor_base& t,
                                        const optional<Scalar>& spacing = nullopt,
                                        OptionalIntArrayRef dim = nullopt, int64_t edge_order = 1);
SINTER_API std::vector<Tensor> gradient(const tensor_base& t, const Scalar& spacing,
                                        OptionalIntArrayRef dim = nullopt, int64_t edge_order = 1);
SINTER_API std::vector<Tensor> gradient(const tensor_base& t, ArrayRef<Scalar> spacing,
                                        OptionalIntArrayRef dim = nullopt, int64_t edge_order = 1);
SINTER_API std::vector<Tensor> gradient(const tensor_base& t, TensorList spacing,
                                        OptionalIntArrayRef dim = nullopt, int64_t edge_order = 1);
/// A number is a spacing, and no list of one dimension; what a list is made of is one.
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

// ---- comparison, of any dtype; dtypes are equal
/// |a - b| <= atol + |rtol * b|, element by element: Bool. Equal infinities are close.
SINTER_API Tensor isclose(const tensor_base& a, const tensor_base& b, double rtol = 1e-5,
                          double atol = 1e-8, bool equal_nan = false);

}  // namespace sinter::inline v1

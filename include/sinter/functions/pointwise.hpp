// Pointwise functions with parameters, and functions that write their first operand.
//
// All are pending and fuse with the operations before and after them, unless they say otherwise.
// Operands broadcast. Half and BFloat16 are computed in Float and rounded once. Functions with an
// underscore write their first operand and return it; they throw Error if the result's dtype cannot
// be cast to the operand's.
#pragma once

#include <sinter/expr/expr.hpp>

#include <string_view>

namespace sinter::inline v1 {

// ---- sums and quotients
/// Returns self + alpha * other, self - alpha * other, or other - alpha * self (rsub), element by
/// element; sizes broadcast, and dtypes are promoted. Throws Error if the sizes do not broadcast,
/// or if alpha is a fraction for an integer result, complex for a real one or a bool for another;
/// ValueError if the dtype does not hold alpha. Differences throw NotImplementedError for Bool.
///@{
SINTER_API Tensor add(const tensor_base& self, const tensor_base& other, const Scalar& alpha);
SINTER_API Tensor add(const tensor_base& self, const Scalar& other, const Scalar& alpha);
SINTER_API Tensor sub(const tensor_base& self, const tensor_base& other, const Scalar& alpha);
SINTER_API Tensor sub(const tensor_base& self, const Scalar& other, const Scalar& alpha);
SINTER_API Tensor subtract(const tensor_base& self, const tensor_base& other, const Scalar& alpha);
SINTER_API Tensor subtract(const tensor_base& self, const Scalar& other, const Scalar& alpha);
SINTER_API Tensor rsub(const tensor_base& self, const tensor_base& other, const Scalar& alpha);
SINTER_API Tensor rsub(const tensor_base& self, const Scalar& other, const Scalar& alpha);
///@}
/// Returns the quotients of pairs of elements, whose sizes broadcast: towards zero for "trunc" and
/// downwards for "floor", which keep integers integers, else exact and floating. Throws Error for
/// another rounding mode and if the sizes do not broadcast; with a rounding mode,
/// NotImplementedError for Bool and complex numbers.
///@{
SINTER_API Tensor div(const tensor_base& self, const tensor_base& other,
                      optional<std::string_view> rounding_mode);
SINTER_API Tensor div(const tensor_base& self, const Scalar& other,
                      optional<std::string_view> rounding_mode);
SINTER_API Tensor divide(const tensor_base& self, const tensor_base& other,
                         optional<std::string_view> rounding_mode);
SINTER_API Tensor divide(const tensor_base& self, const Scalar& other,
                         optional<std::string_view> rounding_mode);
///@}

// ---- of three operands
/// Returns self + weight * (end - self), element by element; sizes broadcast. Throws Error if the
/// sizes do not broadcast or the dtypes differ (a 0-d weight may have another one that does not
/// raise theirs), and NotImplementedError unless they are floating or complex.
///@{
SINTER_API Tensor lerp(const tensor_base& self, const tensor_base& end, const tensor_base& weight);
SINTER_API Tensor lerp(const tensor_base& self, const tensor_base& end, const Scalar& weight);
///@}
/// Returns self + value * tensor1 * tensor2, element by element; sizes broadcast, and dtypes are
/// promoted. An integer result drops the fraction of `value`. Throws Error if the sizes do not
/// broadcast, ValueError if an integer dtype does not hold `value`, and NotImplementedError for
/// Bool.
SINTER_API Tensor addcmul(const tensor_base& self, const tensor_base& tensor1,
                          const tensor_base& tensor2, const Scalar& value = 1);
/// Returns self + value * tensor1 / tensor2, element by element; sizes broadcast, and dtypes are
/// promoted. Throws Error if both tensor1 and tensor2 are integers or Bool, or if the sizes do not
/// broadcast.
SINTER_API Tensor addcdiv(const tensor_base& self, const tensor_base& tensor1,
                          const tensor_base& tensor2, const Scalar& value = 1);
/// Returns the elements within bounds that are tensors; all sizes broadcast, and dtypes are
/// promoted. NaN in any operand gives NaN; max wins if min > max. Throws Error if there is no bound
/// or the sizes do not broadcast, and NotImplementedError for complex numbers and for Bool with
/// both bounds.
///@{
SINTER_API Tensor clamp(const tensor_base& self, const tensor_base& min);
SINTER_API Tensor clamp(const tensor_base& self, const optional<Tensor>& min,
                        const optional<Tensor>& max = nullopt);
SINTER_API Tensor clip(const tensor_base& self, const tensor_base& min);
SINTER_API Tensor clip(const tensor_base& self, const optional<Tensor>& min,
                       const optional<Tensor>& max = nullopt);
///@}

// ---- numbers and their parts
/// Replaces, element by element, NaN (by 0 if no number is given) and infinities (by the dtype's
/// largest and smallest numbers). Integers stay. nan_to_num_ writes `self` and returns it. Takes
/// any tensor.
///@{
SINTER_API Tensor nan_to_num(const tensor_base& self, optional<double> nan = nullopt,
                             optional<double> posinf = nullopt, optional<double> neginf = nullopt);
SINTER_API Tensor& nan_to_num_(const tensor_base& self, optional<double> nan = nullopt,
                               optional<double> posinf = nullopt,
                               optional<double> neginf = nullopt);
///@}
/// Returns log(x / (1 - x)) of each element x clamped to [eps, 1 - eps], element by element. logit_
/// writes `self` and returns it. Throws NotImplementedError for complex numbers.
///@{
SINTER_API Tensor logit(const tensor_base& self, optional<double> eps);
SINTER_API Tensor& logit_(const tensor_base& self, optional<double> eps);
///@}
/// Returns self * 2^other, element by element; sizes broadcast. Of a floating tensor and integer
/// exponents the result neither overflows nor rounds on the way. Throws Error if the sizes do not
/// broadcast, and NotImplementedError for Bool exponents of a floating tensor.
SINTER_API Tensor ldexp(const tensor_base& self, const tensor_base& other);
/// Returns mantissas, 1/2 <= |m| < 1, and exponents (Int), both in the tensor's sizes: a kernel
/// each if both are read. Throws NotImplementedError unless floating.
SINTER_API std::tuple<Tensor, Tensor> frexp(const tensor_base& self);
/// Returns the power of each pair of elements, computed in Double (ComplexDouble for complex
/// operands); sizes broadcast. Throws Error if they do not.
///@{
SINTER_API Tensor float_power(const tensor_base& self, const tensor_base& exponent);
SINTER_API Tensor float_power(const tensor_base& self, const Scalar& exponent);
SINTER_API Tensor float_power(const Scalar& self, const tensor_base& exponent);
///@}
/// Returns the derivative of order n of digamma, element by element. Throws Error if n < 0. Runs:
/// fused for n < 2, opaque from there.
SINTER_API Tensor polygamma(int64_t n, const tensor_base& self);
/// Returns the logarithm of the multivariate gamma function of dimension p of each element, element
/// by element. Throws Error if p < 1, and NotImplementedError for Bool and complex numbers.
/// PyTorch: torch.mvlgamma, torch.special.multigammaln.
SINTER_API Tensor mvlgamma(const tensor_base& self, int64_t p);
/// Returns the regularised incomplete gamma functions P(self, other) (igamma) and Q = 1 - P
/// (igammac): the share of the integral of exp(-t) t^(self - 1) below, or above, `other`. Element
/// by element, computed in double; sizes broadcast. Throws Error if they do not, and
/// NotImplementedError unless floating.
///@{
SINTER_API Tensor igamma(const tensor_base& self, const tensor_base& other);
SINTER_API Tensor igammac(const tensor_base& self, const tensor_base& other);
///@}
/// Returns the angle of each element in radians, element by element: of complex ones in (-pi, pi];
/// of real ones 0, pi below zero, and NaN of NaN. Takes any tensor.
SINTER_API Tensor angle(const tensor_base& self);
/// Returns true where the imaginary part is 0: Bool, element by element. Takes any tensor.
SINTER_API Tensor isreal(const tensor_base& self);
/// Returns the tensor itself, of any sizes. Throws NotImplementedError for Bool.
SINTER_API Tensor positive(const tensor_base& self);

// ---- complex numbers
/// Returns the conjugate of a complex tensor, element by element, pending and fused, and a real
/// tensor itself; resolve_conj and resolve_neg return the tensor itself. Unlike in PyTorch, no
/// result is a view with a conjugate bit. Takes any tensor.
///@{
SINTER_API Tensor conj(const tensor_base& self);
SINTER_API Tensor conj_physical(const tensor_base& self);
SINTER_API Tensor resolve_conj(const tensor_base& self);
SINTER_API Tensor resolve_neg(const tensor_base& self);
///@}
/// Returns false: tensors have no conjugate or negative bit. PyTorch: torch.is_conj, torch.is_neg.
///@{
inline bool is_conj(const tensor_base&) { return false; }
inline bool is_neg(const tensor_base&) { return false; }
///@}
/// Returns a view of the real or imaginary parts, Float or Double, in the tensor's sizes; writes
/// through it change the tensor. real() of a real tensor is the tensor itself; imag() throws
/// TypeError for one. PyTorch: torch.real, torch.imag.
///@{
SINTER_API Tensor real(const tensor_base& self);
SINTER_API Tensor imag(const tensor_base& self);
///@}
/// Returns a view of sizes (..., 2): the last dimension holds the real and the imaginary part.
/// Throws TypeError for a real tensor.
SINTER_API Tensor view_as_real(const tensor_base& self);
/// Returns a complex view of pairs: sizes (..., 2) give (...). Throws Error unless the last
/// dimension has size 2 and stride 1 and all other strides and the offset are even, TypeError for a
/// complex tensor, and NotImplementedError for another dtype than Float and Double.
SINTER_API Tensor view_as_complex(const tensor_base& self);
/// Returns complex numbers of modulus `abs` and angle `angle` in radians; sizes broadcast. Throws
/// Error if the dtypes differ or the sizes do not broadcast, and NotImplementedError unless both
/// are Float or Double.
SINTER_API Tensor polar(const tensor_base& abs, const tensor_base& angle);

/// The result of `complex(re, im)`: a pending (fused) complex tensor.
template <>
class SINTER_API complex<Tensor> : public Tensor {
public:
    /// Makes re + i im. Throws Error unless both are Float or both Double.
    complex(const tensor_base& re, const tensor_base& im);
};
/// Lets `complex(re, im)` of tensors and expressions, whose sizes broadcast, make a
/// complex<Tensor>. Throws Error if the dtypes differ or the sizes do not broadcast, and
/// NotImplementedError unless both are Float or Double.
///@{
template <tensor_like L, tensor_like R>
complex(const L&, const R&) -> complex<Tensor>;
// As special as the constructor from two real numbers, whose constraint Clang does not look at.
template <tensor_like T>
complex(T, T) -> complex<Tensor>;
///@}

/// Rounds each element to `decimals` decimal places, as rint(x 10^n) / 10^n, element by element.
/// round_ writes `self` and returns it. Throws NotImplementedError for Bool and complex numbers,
/// and for integers unless `decimals` is 0.
///@{
SINTER_API Tensor round(const tensor_base& self, int64_t decimals);
SINTER_API Tensor& round_(const tensor_base& self, int64_t decimals);
///@}

// ---- activations; floats only, but for hardtanh and threshold
/// Returns x Phi(x) of each element, element by element, Phi the normal distribution, or its
/// approximation by "tanh"; gelu_ writes `self` and returns it. Throws Error for another
/// `approximate`, and NotImplementedError unless floating.
///@{
SINTER_API Tensor gelu(const tensor_base& self, std::string_view approximate = "none");
SINTER_API Tensor& gelu_(const tensor_base& self, std::string_view approximate = "none");
///@}
/// Returns scale * x above 0, else scale * alpha * (exp(input_scale * x) - 1), element by element;
/// elu_ writes `self` and returns it. Throws NotImplementedError unless floating.
///@{
SINTER_API Tensor elu(const tensor_base& self, const Scalar& alpha = 1, const Scalar& scale = 1,
                      const Scalar& input_scale = 1);
SINTER_API Tensor& elu_(const tensor_base& self, const Scalar& alpha = 1, const Scalar& scale = 1,
                        const Scalar& input_scale = 1);
///@}
/// Returns x above 0, else alpha * (exp(x / alpha) - 1), element by element; celu_ writes `self`
/// and returns it. Throws Error if alpha is 0, and NotImplementedError unless floating.
///@{
SINTER_API Tensor celu(const tensor_base& self, const Scalar& alpha = 1.0);
SINTER_API Tensor& celu_(const tensor_base& self, const Scalar& alpha = 1.0);
///@}
/// Returns elu with the constants of self-normalising networks, alpha = 1.6733 and scale = 1.0507,
/// element by element; selu_ writes `self` and returns it. Throws NotImplementedError unless
/// floating.
///@{
SINTER_API Tensor selu(const tensor_base& self);
SINTER_API Tensor& selu_(const tensor_base& self);
///@}
/// Returns x above 0, else negative_slope * x, element by element; leaky_relu_ writes `self` and
/// returns it. Throws NotImplementedError unless floating.
///@{
SINTER_API Tensor leaky_relu(const tensor_base& self, const Scalar& negative_slope = 0.01);
SINTER_API Tensor& leaky_relu_(const tensor_base& self, const Scalar& negative_slope = 0.01);
///@}
/// Returns x within [min_val, max_val], element by element; integers take the bounds' whole parts.
/// hardtanh_ writes `self` and returns it. Throws Error for a bound beyond which an integer dtype
/// has no values, ValueError for one that a floating dtype does not hold, and NotImplementedError
/// for Bool and complex numbers.
///@{
SINTER_API Tensor hardtanh(const tensor_base& self, const Scalar& min_val = -1,
                           const Scalar& max_val = 1);
SINTER_API Tensor& hardtanh_(const tensor_base& self, const Scalar& min_val = -1,
                             const Scalar& max_val = 1);
///@}
/// Returns x above the threshold, else `value`, element by element; threshold_ writes `self` and
/// returns it. Throws ValueError if an integer dtype does not hold these numbers, and
/// NotImplementedError for Bool and complex numbers.
///@{
SINTER_API Tensor threshold(const tensor_base& self, const Scalar& threshold, const Scalar& value);
SINTER_API Tensor& threshold_(const tensor_base& self, const Scalar& threshold,
                              const Scalar& value);
///@}
/// Returns log(1 + exp(beta x)) / beta, and x where beta x is above the threshold, element by
/// element. Throws NotImplementedError unless floating.
SINTER_API Tensor softplus(const tensor_base& self, const Scalar& beta,
                           const Scalar& threshold = 20);
/// Returns 0 where |x| <= lambd, else x (hardshrink) or x moved by lambd towards 0 (softshrink),
/// element by element. Throws NotImplementedError unless floating; softshrink throws Error if lambd
/// < 0.
///@{
SINTER_API Tensor hardshrink(const tensor_base& self, const Scalar& lambd = 0.5);
SINTER_API Tensor softshrink(const tensor_base& self, const Scalar& lambd = 0.5);
///@}
/// Returns each element, below zero times weight: one number, or a vector of one for each channel
/// (dimension 1). Throws Error for another number of weights or another dtype, and
/// NotImplementedError unless floating.
SINTER_API Tensor prelu(const tensor_base& self, const tensor_base& weight);

// ---- rows of one operand, as functions that write
#define SINTER_UNARY(name, row) \
    inline Tensor& name##_(const tensor_base& t) { return t.name##_(); }
#define SINTER_BINARY(name, row)
// Writes `t`, each element becoming the function of this name of itself; returns it. Pending,
// fused. Throws Error if the result's dtype cannot be cast to t's.
#include <sinter/expr/each_row.inc>
#undef SINTER_UNARY
#undef SINTER_BINARY

// ---- further functions that write
/// Writes `t` as the method of this name does; returns it.
///@{
inline Tensor& zero_(const tensor_base& t) { return t.zero_(); }
inline Tensor& fill_(const tensor_base& t, const Scalar& value) { return t.fill_(value); }
inline Tensor& fill_(const tensor_base& t, const tensor_base& value) { return t.fill_(value); }
///@}

#define SINTER_BOUND(name)                                                           \
    inline Tensor& name(const tensor_base& t, const Scalar& b) { return t.name(b); } \
    inline Tensor& name(const tensor_base& t, const tensor_base& b) { return t.name(b); }
/// Writes `t`, each element raised (clamp_min_) or lowered (clamp_max_) to a bound; returns it.
///@{
SINTER_BOUND(clamp_min_)
SINTER_BOUND(clamp_max_)
///@}
#undef SINTER_BOUND

// ---- Python's names of the operators on bits
#define SINTER_PYTHON(name, row)                              \
    template <class L, class R>                               \
        requires detail::binary_parts<L, R>                   \
    auto name(L&& a, R&& b) {                                 \
        return row(static_cast<L&&>(a), static_cast<R&&>(b)); \
    }
/// Returns bitwise_and, bitwise_or, bitwise_xor, bitwise_left_shift or bitwise_right_shift of the
/// operands, by Python's names of the operators.
///@{
// NOLINTBEGIN(bugprone-reserved-identifier): they are PyTorch's names.
SINTER_PYTHON(__and__, bitwise_and)
SINTER_PYTHON(__or__, bitwise_or)
SINTER_PYTHON(__xor__, bitwise_xor)
SINTER_PYTHON(__lshift__, bitwise_left_shift)
SINTER_PYTHON(__rshift__, bitwise_right_shift)
// NOLINTEND(bugprone-reserved-identifier)
///@}
#undef SINTER_PYTHON

}  // namespace sinter::inline v1

// Pointwise functions with parameters, and function forms that write.
//
// Each is one program over its operands: pending, and fused with what it reads and what reads it.
// Operands broadcast. A narrow float is computed in f32 and rounded once. Functions with an
// underscore write their first operand, whose dtype the result must be castable to.
#pragma once

#include <sinter/expr/expr.hpp>

#include <string_view>

namespace sinter::inline v1 {

// ---- sums and quotients
/// self + alpha * other, self - alpha * other, other - alpha * self. alpha of integers is one.
SINTER_API Tensor add(const tensor_base& self, const tensor_base& other, const Scalar& alpha);
SINTER_API Tensor add(const tensor_base& self, const Scalar& other, const Scalar& alpha);
SINTER_API Tensor sub(const tensor_base& self, const tensor_base& other, const Scalar& alpha);
SINTER_API Tensor sub(const tensor_base& self, const Scalar& other, const Scalar& alpha);
SINTER_API Tensor subtract(const tensor_base& self, const tensor_base& other, const Scalar& alpha);
SINTER_API Tensor subtract(const tensor_base& self, const Scalar& other, const Scalar& alpha);
SINTER_API Tensor rsub(const tensor_base& self, const tensor_base& other, const Scalar& alpha);
SINTER_API Tensor rsub(const tensor_base& self, const Scalar& other, const Scalar& alpha);
/// The quotient, rounded as the mode says: "trunc" and "floor" keep integers, none does not.
SINTER_API Tensor div(const tensor_base& self, const tensor_base& other,
                      optional<std::string_view> rounding_mode);
SINTER_API Tensor div(const tensor_base& self, const Scalar& other,
                      optional<std::string_view> rounding_mode);
SINTER_API Tensor divide(const tensor_base& self, const tensor_base& other,
                         optional<std::string_view> rounding_mode);
SINTER_API Tensor divide(const tensor_base& self, const Scalar& other,
                         optional<std::string_view> rounding_mode);

// ---- of three operands
/// self + weight * (end - self). Floats of one dtype.
SINTER_API Tensor lerp(const tensor_base& self, const tensor_base& end, const tensor_base& weight);
SINTER_API Tensor lerp(const tensor_base& self, const tensor_base& end, const Scalar& weight);
/// self + value * tensor1 * tensor2. Numbers; value of integers is one.
SINTER_API Tensor addcmul(const tensor_base& self, const tensor_base& tensor1,
                          const tensor_base& tensor2, const Scalar& value = 1);
/// self + value * tensor1 / tensor2. Not of integers alone.
SINTER_API Tensor addcdiv(const tensor_base& self, const tensor_base& tensor1,
                          const tensor_base& tensor2, const Scalar& value = 1);
/// Bounds as tensors; NaN in any operand gives NaN.
SINTER_API Tensor clamp(const tensor_base& self, const tensor_base& min);
SINTER_API Tensor clamp(const tensor_base& self, const optional<Tensor>& min,
                        const optional<Tensor>& max = nullopt);
SINTER_API Tensor clip(const tensor_base& self, const tensor_base& min);
SINTER_API Tensor clip(const tensor_base& self, const optional<Tensor>& min,
                       const optional<Tensor>& max = nullopt);

// ---- numbers and their parts
/// NaN and infinities replaced: by 0 and the dtype's largest numbers where none is given. Integers
/// stay.
SINTER_API Tensor nan_to_num(const tensor_base& self, optional<double> nan = nullopt,
                             optional<double> posinf = nullopt, optional<double> neginf = nullopt);
SINTER_API Tensor& nan_to_num_(const tensor_base& self, optional<double> nan = nullopt,
                               optional<double> posinf = nullopt,
                               optional<double> neginf = nullopt);
/// log(x / (1 - x)) of x within [eps, 1 - eps].
SINTER_API Tensor logit(const tensor_base& self, optional<double> eps);
SINTER_API Tensor& logit_(const tensor_base& self, optional<double> eps);
/// self * 2^other; the power is of the default dtype where `other` is of integers.
SINTER_API Tensor ldexp(const tensor_base& self, const tensor_base& other);
/// Mantissa, 1/2 <= |m| < 1, and exponent, an Int. Floats only; two kernels where both are read.
SINTER_API std::tuple<Tensor, Tensor> frexp(const tensor_base& self);
/// The power in Double.
SINTER_API Tensor float_power(const tensor_base& self, const tensor_base& exponent);
SINTER_API Tensor float_power(const tensor_base& self, const Scalar& exponent);
SINTER_API Tensor float_power(const Scalar& self, const tensor_base& exponent);
/// The derivative of order n of digamma; n >= 2 is a loop (opaque), lower ones are rows.
SINTER_API Tensor polygamma(int64_t n, const tensor_base& self);
/// The logarithm of the multivariate gamma function of dimension p.
SINTER_API Tensor mvlgamma(const tensor_base& self, int64_t p);
/// The regularised incomplete gamma functions P(self, other) and Q = 1 - P: how much of the
/// integral of exp(-t) t^(self - 1) lies below, or above, `other`. Floats only; opaque: loops in
/// double.
SINTER_API Tensor igamma(const tensor_base& self, const tensor_base& other);
SINTER_API Tensor igammac(const tensor_base& self, const tensor_base& other);
/// Of real elements 0, pi below zero, NaN of NaN; of complex ones the angle, in (-pi, pi].
SINTER_API Tensor angle(const tensor_base& self);
/// Whether the imaginary part is 0.
SINTER_API Tensor isreal(const tensor_base& self);
/// The tensor itself; throws of Bool.
SINTER_API Tensor positive(const tensor_base& self);

// ---- complex numbers
/// The conjugate, pending; a real tensor itself. Not a view: nothing has PyTorch's conjugate bit.
SINTER_API Tensor conj(const tensor_base& self);
SINTER_API Tensor conj_physical(const tensor_base& self);
SINTER_API Tensor resolve_conj(const tensor_base& self);
SINTER_API Tensor resolve_neg(const tensor_base& self);
inline bool is_conj(const tensor_base&) { return false; }
inline bool is_neg(const tensor_base&) { return false; }
/// Views of the parts, of Float or Double; writes through them change the numbers. `real` of a real
/// tensor is the tensor itself, `imag` throws.
SINTER_API Tensor real(const tensor_base& self);
SINTER_API Tensor imag(const tensor_base& self);
/// A view with one more dimension, of size 2: both parts.
SINTER_API Tensor view_as_real(const tensor_base& self);
/// The other way: the last dimension has size 2 and stride 1, all other strides are even.
SINTER_API Tensor view_as_complex(const tensor_base& self);
/// Of size `abs` and angle `angle`, of one dtype, Float or Double.
SINTER_API Tensor polar(const tensor_base& abs, const tensor_base& angle);

/// What `complex(re, im)` of tensors of one dtype, Float or Double, gives: a pending tensor.
template <>
class SINTER_API complex<Tensor> : public Tensor {
public:
    complex(const tensor_base& re, const tensor_base& im);
};
template <tensor_like L, tensor_like R>
complex(const L&, const R&) -> complex<Tensor>;
// As special as the constructor from two real numbers, whose constraint Clang does not look at.
template <tensor_like T>
complex(T, T) -> complex<Tensor>;

/// To so many decimal places, as rint(x 10^n) / 10^n; floats only unless it is 0.
SINTER_API Tensor round(const tensor_base& self, int64_t decimals);
SINTER_API Tensor& round_(const tensor_base& self, int64_t decimals);

// ---- activations; floats only, but for hardtanh and threshold
/// approximate: "none", or "tanh".
SINTER_API Tensor gelu(const tensor_base& self, std::string_view approximate = "none");
SINTER_API Tensor& gelu_(const tensor_base& self, std::string_view approximate = "none");
SINTER_API Tensor elu(const tensor_base& self, const Scalar& alpha = 1, const Scalar& scale = 1,
                      const Scalar& input_scale = 1);
SINTER_API Tensor& elu_(const tensor_base& self, const Scalar& alpha = 1, const Scalar& scale = 1,
                        const Scalar& input_scale = 1);
SINTER_API Tensor celu(const tensor_base& self, const Scalar& alpha = 1.0);
SINTER_API Tensor& celu_(const tensor_base& self, const Scalar& alpha = 1.0);
SINTER_API Tensor selu(const tensor_base& self);
SINTER_API Tensor& selu_(const tensor_base& self);
SINTER_API Tensor leaky_relu(const tensor_base& self, const Scalar& negative_slope = 0.01);
SINTER_API Tensor& leaky_relu_(const tensor_base& self, const Scalar& negative_slope = 0.01);
/// x within [min_val, max_val]; integers take the bounds' whole parts.
SINTER_API Tensor hardtanh(const tensor_base& self, const Scalar& min_val = -1,
                           const Scalar& max_val = 1);
SINTER_API Tensor& hardtanh_(const tensor_base& self, const Scalar& min_val = -1,
                             const Scalar& max_val = 1);
/// x above the threshold, else value.
SINTER_API Tensor threshold(const tensor_base& self, const Scalar& threshold, const Scalar& value);
SINTER_API Tensor& threshold_(const tensor_base& self, const Scalar& threshold,
                              const Scalar& value);
/// log(1 + exp(beta x)) / beta, x where beta x is above the threshold.
SINTER_API Tensor softplus(const tensor_base& self, const Scalar& beta,
                           const Scalar& threshold = 20);
SINTER_API Tensor hardshrink(const tensor_base& self, const Scalar& lambd = 0.5);
SINTER_API Tensor softshrink(const tensor_base& self, const Scalar& lambd = 0.5);
/// x, below zero times weight: one number, or one for each channel (dimension 1).
SINTER_API Tensor prelu(const tensor_base& self, const tensor_base& weight);

// ---- rows of one operand, as functions that write
#define SINTER_UNARY(name, row) \
    inline Tensor& name##_(const tensor_base& t) { return t.name##_(); }
#define SINTER_BINARY(name, row)
#include <sinter/expr/each_row.inc>
#undef SINTER_UNARY
#undef SINTER_BINARY

// ---- further functions that write
inline Tensor& zero_(const tensor_base& t) { return t.zero_(); }
inline Tensor& fill_(const tensor_base& t, const Scalar& value) { return t.fill_(value); }
inline Tensor& fill_(const tensor_base& t, const tensor_base& value) { return t.fill_(value); }
#define SINTER_BOUND(name)                                                           \
    inline Tensor& name(const tensor_base& t, const Scalar& b) { return t.name(b); } \
    inline Tensor& name(const tensor_base& t, const tensor_base& b) { return t.name(b); }
SINTER_BOUND(clamp_min_)
SINTER_BOUND(clamp_max_)
#undef SINTER_BOUND

// ---- Python's names of the operators on bits
#define SINTER_PYTHON(name, row)                              \
    template <class L, class R>                               \
        requires detail::binary_parts<L, R>                   \
    auto name(L&& a, R&& b) {                                 \
        return row(static_cast<L&&>(a), static_cast<R&&>(b)); \
    }
SINTER_PYTHON(__and__, bitwise_and)
SINTER_PYTHON(__or__, bitwise_or)
SINTER_PYTHON(__xor__, bitwise_xor)
SINTER_PYTHON(__lshift__, bitwise_left_shift)
SINTER_PYTHON(__rshift__, bitwise_right_shift)
#undef SINTER_PYTHON

}  // namespace sinter::inline v1

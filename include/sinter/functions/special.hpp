// PyTorch's special functions by their own names: `special::gammaln(x)` and `special_gammaln(x)`.
// They are the same operations as the functions of namespace sinter that special.def names, with
// their _out forms.
//
// The functions of two operands (zeta and the polynomials) broadcast, and one operand may be a
// number. They are opaque and computed in double. Integers become floating; complex numbers throw
// NotImplementedError.
#pragma once

#include <sinter/expr/expr.hpp>
#include <sinter/functions/functions.hpp>
#include <sinter/functions/out.hpp>
#include <sinter/functions/pointwise.hpp>
#include <sinter/functions/reductions.hpp>

#define SPECIAL_CALL(name, function)                                      \
    template <class... T>                                                 \
        requires requires(T&&... t) { function(static_cast<T&&>(t)...); } \
    auto name(T&&... t) {                                                 \
        return function(static_cast<T&&>(t)...);                          \
    }
#define SPECIAL_OUT_CALL(name, function)                                                          \
    template <class... T>                                                                         \
        requires requires(Tensor& out, T&&... t) { function##_out(out, static_cast<T&&>(t)...); } \
    Tensor& name##_out(Tensor& out, T&&... t) {                                                   \
        return function##_out(out, static_cast<T&&>(t)...);                                       \
    }

namespace sinter::inline v1::special {

#define SPECIAL(name) \
    using v1::name;   \
    using v1::name##_out;
#define SPECIAL_AS(name, function) \
    SPECIAL_CALL(name, function)   \
    SPECIAL_OUT_CALL(name, function)
#include <sinter/functions/special.def>
#undef SPECIAL
#undef SPECIAL_AS
// A template cannot take `{0}`.
using v1::logsumexp;
using v1::logsumexp_out;

// ---- of two operands
#define SINTER_SPECIAL(name)                                                      \
    SINTER_API Tensor name(const tensor_base& a, const tensor_base& b);           \
    SINTER_API Tensor name(const Scalar& a, const tensor_base& b);                \
    SINTER_API Tensor name(const tensor_base& a, const Scalar& b);                \
    SINTER_API Tensor& name##_out(Tensor& out, const Tensor& a, const Tensor& b); \
    SINTER_API Tensor& name##_out(Tensor& out, const Scalar& a, const Tensor& b); \
    SINTER_API Tensor& name##_out(Tensor& out, const Tensor& a, const Scalar& b);
#include <sinter/functions/special_pairs.def>
#undef SINTER_SPECIAL

}  // namespace sinter::inline v1::special

namespace sinter::inline v1 {

#define SPECIAL_AS(name, function)         \
    SPECIAL_CALL(special_##name, function) \
    SPECIAL_OUT_CALL(special_##name, function)
#define SPECIAL(name) SPECIAL_AS(name, name)
#include <sinter/functions/special.def>
#undef SPECIAL
#undef SPECIAL_AS
#define SINTER_SPECIAL(name)                    \
    SPECIAL_CALL(special_##name, special::name) \
    SPECIAL_OUT_CALL(special_##name, special::name)
#include <sinter/functions/special_pairs.def>
#undef SINTER_SPECIAL
/// Returns logsumexp() of `t`.
inline Tensor special_logsumexp(const tensor_base& t, IntArrayRef dim, bool keepdim = false) {
    return logsumexp(t, dim, keepdim);
}

}  // namespace sinter::inline v1

#undef SPECIAL_CALL
#undef SPECIAL_OUT_CALL

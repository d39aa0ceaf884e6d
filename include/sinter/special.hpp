// PyTorch's special functions under their own names: `special::gammaln(x)` and
// `special_gammaln(x)`. The same operations as the functions of this namespace that they name.
#pragma once

#include <sinter/expr/expr.hpp>
#include <sinter/functions.hpp>
#include <sinter/pointwise.hpp>
#include <sinter/reductions.hpp>

namespace sinter::inline v1::special {

using v1::digamma;
using v1::entr;
using v1::erf;
using v1::erfc;
using v1::erfcx;
using v1::erfinv;
using v1::exp2;
using v1::expm1;
using v1::i0;
using v1::i0e;
using v1::i1;
using v1::i1e;
using v1::log1p;
using v1::log_ndtr;
using v1::log_softmax;
using v1::logit;
using v1::logsumexp;
using v1::ndtr;
using v1::ndtri;
using v1::polygamma;
using v1::round;
using v1::sinc;
using v1::softmax;
using v1::spherical_bessel_j0;
using v1::xlog1py;
using v1::xlogy;

template <detail::tensor_part T>
auto gammaln(T&& t) {
    return lgamma(static_cast<T&&>(t));
}
template <detail::tensor_part T>
auto psi(T&& t) {
    return digamma(static_cast<T&&>(t));
}
template <detail::tensor_part T>
auto expit(T&& t) {
    return sigmoid(static_cast<T&&>(t));
}
inline Tensor multigammaln(const tensor_base& t, int64_t p) { return mvlgamma(t, p); }

}  // namespace sinter::inline v1::special

namespace sinter::inline v1 {

#define SPECIAL(name, function)                                           \
    template <class... T>                                                 \
        requires requires(T&&... t) { function(static_cast<T&&>(t)...); } \
    auto special_##name(T&&... t) {                                       \
        return function(static_cast<T&&>(t)...);                          \
    }
#include <sinter/special.def>
#undef SPECIAL
inline Tensor special_logsumexp(const tensor_base& t, IntArrayRef dim, bool keepdim = false) {
    return logsumexp(t, dim, keepdim);
}

}  // namespace sinter::inline v1

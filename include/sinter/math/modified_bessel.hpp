// The modified Bessel functions of the second kind, of order 0 and 1, and those times exp x. In
// double: up to 1 by -log(x) I(x) and a rest that does not cancel it; from there exp(x) sqrt(x)
// K(x) is sqrt(pi / 2) and a quotient of polynomials of 1 / x, whose coefficients have one sign
// each.
#pragma once

#include <sinter/math/bessel.hpp>
#include <sinter/math/tables/bessel_coefficients.hpp>

namespace sinter::math {
namespace detail {

/// K_n(x), 0 < x <= 1.
template <int order, class V>
V bessel_k_near(V x) {
    pair<V> l = log_number(x);
    V z = x * x;
    if constexpr (order == 0) {
        V first = polynomial<coefficients::k0_first>(z);
        V rest = polynomial<coefficients::k0_rest>(z);
        return fma(-l.hi, first, fma(-l.lo, first, rest));
    } else {
        V first = x * polynomial<coefficients::k1_first>(z);
        V rest = polynomial<coefficients::k1_rest>(z) / x;
        return fma(l.hi, first, fma(l.lo, first, rest));
    }
}

/// exp(x) K_n(x), x >= 1.
template <int order, class V>
V bessel_k_far(V x) {
    V t = V(1) / x, rest;
    if constexpr (order == 0)
        rest = polynomial<coefficients::k0_far>(t) / polynomial<coefficients::k0_far_divisor>(t);
    else
        rest = polynomial<coefficients::k1_far>(t) / polynomial<coefficients::k1_far_divisor>(t);
    return fma(t, rest, V(0x1.40d931ff62706p+0)) / sqrt(x);
}

template <int order, bool scaled, class V>
V bessel_k_double(V x) {
    auto large = x > V(1);
    V inner = select((x > V(0)) & (x < V(1)), x, V(1)), outer = select(large, x, V(1));
    V near = bessel_k_near<order>(inner), far = bessel_k_far<order>(outer);
    // exp 0 takes the place of what a range does not need
    V exponent = scaled ? select(large, V(0), inner)
                        : select(large, -select(outer < V(800), outer, V(800)), V(0));
    auto e = split_exp(exponent, V(0));
    V y = select(large, far, near);
    y = select(y < highest<V>(), scale(times(y, exp_reduced(e)), e.k), y);
    V outside = select(x == V(0), highest<V>(), not_a_number<V>());
    return select(x > V(0), y, outside);
}

}  // namespace detail

template <class V>
V bessel_k0(V x) {
    return detail::in_double(x, [](auto d) { return detail::bessel_k_double<0, false>(d); });
}
template <class V>
V bessel_k1(V x) {
    return detail::in_double(x, [](auto d) { return detail::bessel_k_double<1, false>(d); });
}
template <class V>
V bessel_k0e(V x) {
    return detail::in_double(x, [](auto d) { return detail::bessel_k_double<0, true>(d); });
}
template <class V>
V bessel_k1e(V x) {
    return detail::in_double(x, [](auto d) { return detail::bessel_k_double<1, true>(d); });
}

}  // namespace sinter::math

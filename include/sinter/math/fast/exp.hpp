// Exponentials under fast math: plain numbers where the exact forms have pairs. Where exp x has its
// whole range it is the square of t = exp(x / 2), which one power of two scales: the square rounds
// into the subnormal numbers, to zero or to infinity by itself.
#pragma once

#include <sinter/math/pair.hpp>

namespace sinter::math::fast {

using namespace detail;

/// x = k unit + r. 2^(k + shift) is power << fraction bits.
template <class V, class I = decltype(bits(V(0)))>
struct multiple {
    V r;
    I power;
};
/// A sum with it rounds to an integer k and has the bias of 2^(k + shift) in its low bits.
template <class V>
V power_magic(int shift) {
    return V(is_double<V> ? 0x1.8p52 + 1023 : 0x1.8p23 + 127) + V(shift);
}
template <class V>
V power(multiple<V> m) {
    return from_bits<V>(m.power << fraction_bits<V>);
}

/// By units of ln2.
template <class V>
multiple<V> split_exp(V x, int shift) {
    V magic = power_magic<V>(shift);
    V shifted = fma(x, constant<V>(0x1.71547652b82fep+0, 0x1.715476p+0), magic);
    V k = shifted - magic;
    return {fma(-k, ln2_rest<V>(), fma(-k, ln2_near<V>(), x)), bits(shifted)};
}
/// exp r.
template <class V>
V exp_near_zero(V r) {
    V slope = fma(quick_polynomial_of<coefficients::exp_f64, coefficients::exp_f32>(r), r, V(1));
    return fma(slope, r, V(1));
}

/// exp x shifted by so many places, where that is in the normal range.
template <class V>
V exp_shifted(V x, int shift) {
    auto m = split_exp(x, shift);
    return exp_near_zero(m.r) * power(m);
}

/// exp(x / 2).
template <class V>
V root_exp(V x) {
    V magic = power_magic<V>(0);
    V shifted = fma(x, constant<V>(0x1.71547652b82fep-1, 0x1.715476p-1), magic);
    V k = shifted - magic;
    V r = fma(-k, constant<V>(0x1.62e42fefa39efp+0, 0x1.62e43p+0), x);
    r = fma(-k, constant<V>(0x1.abc9e3b39803fp-55, -0x1.05c610p-28), r);
    V p = quick_polynomial_of<coefficients::root_exp_f64, coefficients::root_exp_f32>(r);
    return fma(p, r, V(1)) * power(multiple<V>{r, bits(shifted)});
}

/// x, at most or at least `limit`; NaN stays.
template <class V>
V at_most(V x, V limit) {
    return select(x > limit, limit, x);
}
template <class V>
V at_least(V x, V limit) {
    return select(x < limit, limit, x);
}

/// Below the lower bounds the power of two has the bits of zero, so that what is far below the
/// range is no subnormal number, which would be slow.
template <class V>
V exp(V x) {
    V t = root_exp(at_least(at_most(x, constant<V>(710, 89)), constant<V>(-1418, -176)));
    return t * t;
}

template <class V>
V exp2(V x) {
    V inside = at_least(at_most(x, constant<V>(1025, 129)), constant<V>(-2046, -254));
    V magic = power_magic<V>(0), shifted = fma(inside, V(0.5), magic);
    V r = fma(shifted - magic, V(-2), inside);
    V p = quick_polynomial_of<coefficients::root_exp2_f64, coefficients::root_exp2_f32>(r);
    V t = fma(p, r, V(1)) * power(multiple<V>{r, bits(shifted)});
    return t * t;
}

/// With exp x = 2^k (1 + t) it is 2 (h t + (h - 1/2)), h = 2^(k-1).
template <class V>
V expm1(V x) {
    auto m = split_exp(at_least(at_most(x, constant<V>(710, 89)), V(-40)), -1);
    V tail = quick_polynomial_of<coefficients::expm1_f64, coefficients::expm1_f32>(m.r);
    V half = power(m), y = fma(half, fma(m.r * m.r, tail, m.r), half - V(0.5));
    return select(x == V(0), x, y + y);
}

template <class V>
V sinh(V x) {
    V ax = abs(x), z = x * x;
    V p = polynomial_of<coefficients::sinh_below_one_f64, coefficients::sinh_below_one_f32>(z);
    V t = root_exp(at_most(ax, constant<V>(711, 90)));
    V far = fma(V(0.5) * t, t, V(-0.5) / (t * t));
    return copysign(select(ax < V(1), fma(ax * z, p, ax), far), x);
}

template <class V>
V cosh(V x) {
    V t = root_exp(at_most(abs(x), constant<V>(711, 90)));
    return fma(V(0.5) * t, t, V(0.5) / (t * t));
}

/// 2 h / (1 + h^2), h = n / d at most 1, with the sign of x. Near 1 it loses the errors of h.
template <class V>
V doubled(V n, V d, V x) {
    V y = (n + n) * d / fma(n, n, d * d);
    return copysign(at_most(y, V(1)), x);
}

template <class V>
V tanh(V x) {
    using namespace coefficients;
    V ax = at_most(abs(x), constant<V>(19.1, 9.02)), z = ax * ax;
    V n = ax * polynomial_of<half_tanh_f64_top, half_tanh_f32_top>(z);
    V d = polynomial_of<half_tanh_f64_bottom, half_tanh_f32_bottom>(z);
    return doubled(n, d, x);
}

}  // namespace sinter::math::fast

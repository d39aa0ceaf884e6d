// Under fast math: the tail of the normal distribution by one polynomial, and what is made of it.
#pragma once

#include <sinter/math/fast/logistic.hpp>

namespace sinter::math::fast {

/// exp(c x^2), c a power of two, shifted by `shift` places.
template <class V>
V bell(V x, double c, int shift) {
    V square = x * x;
    auto m = split_exp(V(c) * square, shift);
    return exp_near_zero(fma(fma(x, x, -square), V(c), m.r)) * power(m);
}

/// s R, where ndtr(-x) is exp(-x^2 / 2) R, x = hi + lo. The derivative of R, x R - 1 / sqrt(2 pi),
/// weighs what the argument of the polynomial is off.
template <class V>
V times_tail_ratio(V s, V x, V x_lo) {
    V offset = constant<V>(5, 4), sum = x + offset, v = V(1) / sum;
    V q = fma(v, V(-2) * offset, V(1));
    V p = polynomial_of<coefficients::tail_ratio_f64, coefficients::tail_ratio_f32>(q);
    V ratio = v * p, rest = fma(v, x, fma(v, offset, V(-1)));
    V slope = fma(x, ratio, V(-0.3989422804014327));
    return fma(s, fma(slope, fma(rest, sum, x_lo), fma(v, p, -ratio)), s * ratio);
}

template <class V>
V ndtr(V x) {
    V inside = at_most(abs(x), constant<V>(38.82, 15.23));
    V s = bell(inside, -0.5, logistic_shift<V>);
    V y = times_tail_ratio(s, inside, V(0)) * (V(1) / logistic_scale<V>());
    return select(x > V(0), V(1) - y, y);
}

/// 2 ndtr(-sqrt(2) x).
template <class V>
V erfc(V x) {
    V inside = at_most(abs(x), constant<V>(27.46, 10.79));
    V root = constant<V>(0x1.6a09e667f3bcdp+0, 0x1.6a09e6p+0), scaled = inside * root;
    V rest = inside * constant<V>(-0x1.bdd3413b26456p-54, 0x1.9fcef3p-26);
    V s = bell(inside, -1, logistic_shift<V> + 1);
    V y = times_tail_ratio(s, scaled, fma(inside, root, -scaled) + rest) *
          (V(1) / logistic_scale<V>());
    return select(x < V(0), V(2) - y, y);
}

/// Of a float; of a double the exact form takes no longer.
template <class V>
V erf(V x) {
    V ax = at_most(abs(x), V(3.95)), z = ax * ax;
    V n = ax * polynomial<coefficients::half_erf_f32_top>(z);
    V d = polynomial<coefficients::half_erf_f32_bottom>(z);
    return doubled(n, d, x);
}

}  // namespace sinter::math::fast

// asin, acos and atan. asin near 1 is pi/2 - 2 asin sqrt((1 - x) / 2); atan reduces to |t| <=
// tan(pi / 8) by one division, about 0, 1 or infinity. Polynomials from fit_math.py. f32 is
// computed in double.
#pragma once

#include <sinter/math/pair.hpp>

namespace sinter::math {
namespace detail {

template <class V>
pair<V> half_pi() {
    return {V(0x1.921fb54442d18p+0), V(0x1.1a62633145c07p-54)};
}

/// asin |x| up to 1/2 is s + tail; above, pi/2 - 2 (s + tail). Float results take the short
/// polynomial.
template <class V>
struct asin_parts {
    typename V::mask large;
    V s, tail;
};

template <bool narrow, class V>
asin_parts<V> split_asin(V x) {
    V ax = abs(x);
    auto large = ax > V(0.5);
    V z = select(large, V(0.5) - V(0.5) * ax, ax * ax);
    V root = sqrt(z);
    V s = select(large, root, ax);
    V p;
    if constexpr (narrow)
        p = polynomial<coefficients::asin_f32>(z);
    else
        p = polynomial<coefficients::asin_f64>(z);
    V correction = V(0);
    if constexpr (!narrow)
        correction = select(large & (root != V(0)), fma(-root, root, z) / (root + root), V(0));
    return {large, s, fma(s * z, p, correction)};
}

template <bool narrow, class V>
V asin_of(V x) {
    auto a = split_asin<narrow>(x);
    pair<V> head = fast_sum(half_pi<V>().hi, V(-2) * a.s);
    V large = head.hi + (head.lo + (half_pi<V>().lo - (a.tail + a.tail)));
    return copysign(select(a.large, large, a.s + a.tail), x);
}

template <bool narrow, class V>
V acos_of(V x) {
    auto a = split_asin<narrow>(x);
    V sign = select(x < V(0), V(-1), V(1));
    // small: pi/2 - sign (s + tail); near 1: 2 (s + tail); near -1: pi - 2 (s + tail)
    V times = select(a.large, V(2) * sign, -sign);
    V base = select(a.large, select(x < V(0), V(2), V(0)), V(1));
    pair<V> head = fast_sum(base * half_pi<V>().hi, times * a.s);
    return head.hi + (head.lo + fma(base, half_pi<V>().lo, times * a.tail));
}

template <bool narrow, class V>
V atan_of(V x) {
    V ax = select(abs(x) > V(0x1p60), V(0x1p60), abs(x));
    auto middle = ax > V(0x1.a827999fcef32p-2), far = ax > V(0x1.3504f333f9de6p+1);
    pair<V> less = sum(ax, V(-1)), more = sum(ax, V(1));
    pair<V> numerator = {select(far, V(-1), select(middle, less.hi, ax)),
                         select(far, V(0), select(middle, less.lo, V(0)))};
    pair<V> denominator = {select(far, ax, select(middle, more.hi, V(1))),
                           select(far, V(0), select(middle, more.lo, V(0)))};
    V base = select(far, V(1), select(middle, V(0.5), V(0)));
    V hi, lo = V(0);
    if constexpr (narrow) {
        hi = numerator.hi / denominator.hi;
    } else {
        pair<V> t = quotient(numerator, denominator);
        hi = t.hi;
        lo = t.lo;
    }
    V z = hi * hi, p;
    if constexpr (narrow)
        p = polynomial<coefficients::atan_f32>(z);
    else
        p = polynomial<coefficients::atan_f64>(z);
    pair<V> head = fast_sum(base * half_pi<V>().hi, hi);
    V tail = fma(hi * z, p, fma(base, half_pi<V>().lo, lo));
    return copysign(head.hi + (head.lo + tail), x);
}

}  // namespace detail

template <class V>
V asin(V x) {
    if constexpr (is_double<V>)
        return detail::asin_of<false>(x);
    else
        return convert<float>(detail::asin_of<true>(convert<double>(x)));
}

template <class V>
V acos(V x) {
    if constexpr (is_double<V>)
        return detail::acos_of<false>(x);
    else
        return convert<float>(detail::acos_of<true>(convert<double>(x)));
}

template <class V>
V atan(V x) {
    if constexpr (is_double<V>)
        return detail::atan_of<false>(x);
    else
        return convert<float>(detail::atan_of<true>(convert<double>(x)));
}

}  // namespace sinter::math

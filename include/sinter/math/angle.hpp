// Degrees, angles of points, sinc.
#pragma once

#include <sinter/math/inverse_trig.hpp>
#include <sinter/math/trig.hpp>

namespace sinter::math {

// The factors are rounded down, so that both parts have one sign and infinities stay.
template <class V>
V deg2rad(V x) {
    using namespace detail;
    return times(x, pair<V>{constant<V>(0x1.1df46a2529d39p-6, 0x1.1df46ap-6),
                            constant<V>(0x1.5c1d8becdd291p-62, 0x1.294e9cp-33)});
}
template <class V>
V rad2deg(V x) {
    using namespace detail;
    return times(x, pair<V>{constant<V>(0x1.ca5dc1a63c1f7p+5, 0x1.ca5dc0p+5),
                            constant<V>(0x1.70c2a5d4dfd03p-48, 0x1.a63c20p-19)});
}

namespace detail {

/// sin(pi x) / (pi x) of a double: |x| = n + r, and sin(pi r) by sine or cosine of up to pi / 4.
template <class V>
V sinc_of(V x) {
    V ax = abs(x), n = rint(ax), half = V(0.5) * n;
    V r = ax - n, distance = abs(r);
    auto steep = distance > V(0.25);
    V part = select(steep, V(0.5) - distance, distance);
    pair<V> pi = {V(0x1.921fb54442d18p+1), V(0x1.1a62633145c07p-53)};
    pair<V> angle = product(part, pi.hi);
    angle = fast_sum(angle.hi, fma(part, pi.lo, angle.lo));
    auto both = sin_cos_reduced(angle);
    pair<V> bottom = product(ax, pi.hi);
    bottom.lo = fma(ax, pi.lo, bottom.lo);
    V y = total(quotient(select_pair(steep, both.cos, both.sin), bottom));
    y = select((r < V(0)) ^ (trunc(half) != half), -y, y);
    y = select(r == V(0), V(0), y);
    return select(ax < V(0x1p-30), V(1), y);
}

/// The angle of the point (x, y), x and y >= 0 and not both 0; taken from pi where sign is -1. Not
/// far from 0, infinity or the end of the range.
template <bool narrow, class V>
V angle_of(V y, V x, V sign) {
    auto middle = y > V(0x1.a827999fcef32p-2) * x, far = y > V(0x1.3504f333f9de6p+1) * x;
    pair<V> less = sum(y, -x), more = sum(y, x);
    pair<V> numerator = {select(far, -x, select(middle, less.hi, y)),
                         select(far, V(0), select(middle, less.lo, V(0)))};
    pair<V> denominator = {select(far, y, select(middle, more.hi, x)),
                           select(far, V(0), select(middle, more.lo, V(0)))};
    V base = select(far, V(1), select(middle, V(0.5), V(0)));
    pair<V> t = {V(0), V(0)};
    if constexpr (narrow)
        t.hi = numerator.hi / denominator.hi;
    else
        t = quotient(numerator, denominator);
    V z = t.hi * t.hi, p;
    if constexpr (narrow)
        p = polynomial<coefficients::atan_f32>(z);
    else
        p = polynomial<coefficients::atan_f64>(z);
    base = select(sign < V(0), V(2) - base, base);
    pair<V> head = fast_sum(base * half_pi<V>().hi, sign * t.hi);
    V tail = fma(base, half_pi<V>().lo, sign * fma(t.hi * z, p, t.lo));
    return head.hi + (head.lo + tail);
}

}  // namespace detail

/// sin(pi x) / (pi x).
template <class V>
V sinc(V x) {
    V y;
    if constexpr (is_double<V>)
        y = detail::sinc_of(x);
    else
        y = convert<float>(detail::sinc_of(convert<double>(x)));
    return detail::finite_or_nan(x, y);
}

/// The angle of the point (x, y).
template <class V>
V atan2(V y, V x) {
    using namespace detail;
    V ay = abs(y), ax = abs(x);
    ay = select(isinf(y), V(1), select(isinf(x), V(0), ay));
    ax = select(isinf(x), V(1), select(isinf(y), V(0), ax));
    ax = select(ax + ay == V(0), V(1), ax);
    V angle;
    if constexpr (is_double<V>) {
        // The quotient's remainder needs room below, the sum above.
        V large = select(ay > ax, ay, ax);
        V factor = select(large > V(0x1p400), V(0x1p-24), V(0x1p500));
        angle = angle_of<false>(ay * factor, ax * factor, copysign(V(1), x));
    } else {
        using D = decltype(convert<double>(x));
        D value = angle_of<true>(convert<double>(ay), convert<double>(ax),
                                 copysign(D(1), convert<double>(x)));
        angle = convert<float>(value);
    }
    return select((x != x) | (y != y), not_a_number<V>(), copysign(angle, y));
}

}  // namespace sinter::math

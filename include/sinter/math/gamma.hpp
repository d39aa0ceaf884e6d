// The logarithm of the gamma function and its derivatives, in double. Large arguments take
// Stirling's series, small ones polynomials around 2 (lgamma) and in [1, 2] (digamma) and the
// recurrence; negative ones the reflection. Near a negative zero the two sides of the reflection
// cancel, so the error there is absolute.
#pragma once

#include <sinter/math/angle.hpp>
#include <sinter/math/normal.hpp>

namespace sinter::math {
namespace detail {

/// sin(pi x) and cos(pi x), up to their signs, of ax = |x|; `steep`: r, the distance of ax from the
/// next integer, is above 1/4, and they stand in each other's place.
template <class V>
struct half_turn {
    V r;
    pair<V> sin, cos;
};
template <class V>
half_turn<V> turn_of(V ax) {
    V r = ax - rint(ax), distance = abs(r);
    auto steep = distance > V(0.25);
    V part = select(steep, V(0.5) - distance, distance);
    pair<V> angle = product(part, V(0x1.921fb54442d18p+1));
    angle = fast_sum(angle.hi, fma(part, V(0x1.1a62633145c07p-53), angle.lo));
    auto both = sin_cos_reduced(angle);
    return {r, select_pair(steep, both.cos, both.sin), select_pair(steep, both.sin, both.cos)};
}

template <class V>
pair<V> add(pair<V> a, pair<V> b) {
    pair<V> head = sum(a.hi, b.hi);
    return fast_sum(head.hi, head.lo + (a.lo + b.lo));
}

/// log gamma(x), 0 < x < 1e305.
template <class V>
pair<V> lgamma_positive(V x) {
    auto large = x >= V(6.5);
    V inner = select(large, V(2), x);
    V shift = rint(inner - V(2));  // -2 to 4
    V t = inner - (shift + V(2));
    pair<V> factor = {V(1), V(0)};
    for (int i = 1; i <= 4; ++i) {
        V next = select(shift >= V(i), inner - V(i), V(1));
        pair<V> p = product(factor.hi, next);
        factor = {p.hi, fma(factor.lo, next, p.lo)};
    }
    pair<V> after = sum(inner, V(1));
    pair<V> two = product(inner, after.hi);
    two.lo = select(inner > V(1e-280), fma(inner, after.lo, two.lo), V(0));
    auto below = shift < V(0);
    pair<V> one = {inner, V(0)};
    factor = select_pair(shift == V(-2), two, select_pair(below, one, factor));
    factor = select_pair(large, pair<V>{x, V(0)}, factor);
    pair<V> l = log_sum(factor);
    // around 2: t (1 - euler + t P)
    pair<V> first = product(t, V(0x1.b0ee6072093cep-2));
    V rest = t * t * polynomial<coefficients::lgamma_two>(t);
    pair<V> near = fast_sum(first.hi, rest);
    near.lo = near.lo + fma(t, V(0x1.6cb90701fbfabp-58), first.lo);
    near = add(near, {select(below, -l.hi, l.hi), select(below, -l.lo, l.lo)});
    // Stirling: (x - 1/2) (log x - 1) + log(2 pi) / 2 - 1/2 + P / x
    V inverse = V(1) / x;
    V tail = inverse * polynomial<coefficients::lgamma_far>(inverse * inverse);
    pair<V> far = sum(x, V(-0.5)) * add(l, pair<V>{V(-1), V(0)});
    pair<V> head = sum(far.hi, V(0x1.acfe390c97d69p-2));
    far = fast_sum(head.hi, head.lo + (far.lo + tail));
    return select_pair(large, far, near);
}

template <class V>
V lgamma_double(V x) {
    V ax = abs(x), limit = V(0x1.74c4p+1014);
    V inner = select((ax > V(0)) & (ax < limit), ax, V(1));
    pair<V> positive = lgamma_positive(inner);
    // -(log(|x| sin(pi x) / pi) + lgamma |x|); below 2^-70 it is as on the right
    V sided = within(inner, V(0x1p-70), V(0x1p54));
    auto turn = turn_of(sided);
    pair<V> s = product(turn.sin.hi, sided);
    s.lo = fma(turn.sin.lo, sided, s.lo);
    s = s * pair<V>{V(0x1.45f306dc9c883p-2), V(-0x1.6b01ec5417056p-56)};
    s = select_pair(turn.r == V(0), pair<V>{V(1), V(0)}, s);
    pair<V> mirrored = add(log_sum(s), positive);
    V negative = select(turn.r == V(0), highest<V>(), -total(mirrored));
    auto reflect = (x < V(0)) & (ax > V(0x1p-70));
    V y = select(reflect, negative, total(positive));
    y = select((x == V(0)) | (ax >= limit), highest<V>(), y);
    return select(x == x, y, x);
}

/// digamma of x > 0.
template <class V>
pair<V> digamma_positive(V x) {
    auto large = x >= V(7);
    V inner = select(large, V(1), x);
    V shift = floor(inner) - V(1);  // -1 to 5
    V y = inner - shift;
    V d = (y - V(coefficients::digamma_root[0])) - V(coefficients::digamma_root[1]);
    d = d - V(coefficients::digamma_root[2]);
    V near = d * polynomial<coefficients::digamma_near>(y - V(1.5));
    // sum of 1 / (x - i) as a quotient
    pair<V> top = {V(0), V(0)}, bottom = {V(1), V(0)};
    for (int i = 1; i <= 5; ++i) {
        auto used = shift >= V(i);
        V f = select(used, inner - V(i), V(1));
        pair<V> raised_top = product(top.hi, f);
        pair<V> more = sum(raised_top.hi, select(used, bottom.hi, V(0)));
        V low = fma(top.lo, f, raised_top.lo) + select(used, bottom.lo, V(0));
        top = {more.hi, more.lo + low};
        pair<V> next = product(bottom.hi, f);
        bottom = {next.hi, fma(bottom.lo, f, next.lo)};
    }
    auto below = shift < V(0);
    pair<V> steps = quotient(select_pair(below, pair<V>{V(-1), V(0)}, top),
                             select_pair(below, pair<V>{inner, V(0)}, bottom));
    pair<V> sides = raised(sum(steps.hi, near), steps.lo);
    // of a subnormal number the quotient's parts are not finite
    sides = select_pair(x < V(0x1p-900), pair<V>{V(-1) / x, V(0)}, sides);
    V far_x = select(large, x, V(7));
    V inverse = V(1) / far_x;
    V z = inverse * inverse;
    pair<V> l = log_number(select(far_x < highest<V>(), far_x, V(7)));
    V tail = fma(-z, polynomial<coefficients::digamma_far>(z), l.lo);
    pair<V> far = {l.hi, fma(V(-0.5), inverse, tail)};
    far = select_pair(far_x < highest<V>(), far, pair<V>{far_x, V(0)});
    return select_pair(large, far, sides);
}

/// digamma(1 - x) - pi / tan(pi x) below zero.
template <class V>
V digamma_double(V x) {
    auto left = x < V(0);
    V ax = abs(x);
    V inner = select(left, V(1) - x, x);
    pair<V> p = digamma_positive(select(inner > V(0), inner, V(1)));
    auto turn = turn_of(select(ax < V(0x1p52), ax, V(0)));
    pair<V> pi = {V(0x1.921fb54442d18p+1), V(0x1.1a62633145c07p-53)};
    auto whole = turn.r == V(0);
    pair<V> sine = select_pair(whole, pair<V>{V(1), V(0)}, turn.sin);
    pair<V> cotangent = quotient(pi * turn.cos, sine);
    // x is -ax: the tangent of pi x has the sign of -r.
    pair<V> c = {copysign(cotangent.hi, turn.r), cotangent.lo};
    c.lo = select(turn.r < V(0), -cotangent.lo, cotangent.lo);
    pair<V> head = sum(c.hi, p.hi);
    V mirrored = head.hi + (head.lo + (c.lo + p.lo));
    // Where the angle underflows, it is the pole's -1 / x.
    mirrored = select(ax < V(0x1p-70), V(-1) / x, mirrored);
    V y = select(left, select(whole & (ax >= V(0x1p-70)), not_a_number<V>(), mirrored), total(p));
    y = select(x == V(0), -copysign(highest<V>(), x), y);
    return select(x == lowest<V>(), not_a_number<V>(), select(x == x, y, x));
}

/// The derivative of digamma, of x > 0.
template <class V>
V trigamma_positive(V x) {
    V near = V(0);
    auto small = x < V(8);
    V inner = select(small, x, V(1));
    for (int i = 7; i >= 0; --i) {
        V f = inner + V(i);
        near = near + V(1) / (f * f);
    }
    V at = select(small, x + V(8), x);
    V inverse = V(1) / at;
    V z = inverse * inverse;
    V tail = fma(inverse * z, polynomial<coefficients::trigamma_far>(z), V(0.5) * z);
    V far = inverse + tail;
    return select(small, near + far, far);
}

template <class V>
V trigamma_double(V x) {
    auto left = x < V(0);
    V ax = abs(x);
    V y = trigamma_positive(select(left, V(1) - x, select(x > V(0), x, V(1))));
    auto turn = turn_of(select(ax < V(0x1p52), ax, V(0)));
    auto whole = turn.r == V(0);
    pair<V> pi = {V(0x1.921fb54442d18p+1), V(0x1.1a62633145c07p-53)};
    pair<V> root = quotient(pi, select_pair(whole, pair<V>{V(1), V(0)}, turn.sin));
    pair<V> square = root * root;
    V mirrored = select(whole, highest<V>(), square.hi + (square.lo - y));
    y = select(left, mirrored, y);
    // The square of a tiny number would be subnormal, or 0, where that of its inverse is in range.
    V inverse = V(1) / x;
    y = select(ax < V(0x1p-70), inverse * inverse, y);
    y = select(x == V(0), highest<V>(), y);
    return select(x == lowest<V>(), not_a_number<V>(), select(x == x, y, x));
}

}  // namespace detail

/// log |gamma(x)|.
template <class V>
V lgamma(V x) {
    return detail::in_double(x, [](auto d) { return detail::lgamma_double(d); });
}
template <class V>
V digamma(V x) {
    return detail::in_double(x, [](auto d) { return detail::digamma_double(d); });
}
template <class V>
V trigamma(V x) {
    return detail::in_double(x, [](auto d) { return detail::trigamma_double(d); });
}

}  // namespace sinter::math

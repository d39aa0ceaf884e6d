// erf and erfc. erf is its Taylor series about the nearest multiple of 1/64, whose erf and
// derivative are tabulated. The derivatives are Hermite polynomials of the centre. erfc from 15/32
// on is exp(-x^2) by a polynomial of (x - 4) / (x + 4), over 1 + 2 x. In f32 erf has two
// polynomials, and erfc is twice the tail of the normal distribution, in double.
#pragma once

#include <sinter/math/exp.hpp>
#include <sinter/math/fast/normal.hpp>
#include <sinter/math/tables/tables.hpp>

namespace sinter::math {
namespace detail {

/// erf |x| = base + slope d (1 + d Q), as a pair; |x| at most 6.
template <class V>
pair<V> erf_of(V ax) {
    using I32 = typename V::template as<int32_t>;
    auto step = round_to_integer(ax * V(64));
    V c = step.value * V(0x1p-6);
    V d = ax - c;
    I32 first = convert<int32_t>(step.integer) * I32(3);
    V base_hi = lookup<V>(table::erf, first), base_lo = lookup<V>(table::erf, first + I32(1));
    V slope = lookup<V>(table::erf, first + I32(2));
    V cc = c * c;
    V a1 = -c;
    V a2 = fma(cc, V(2.0 / 3), V(-1.0 / 3));
    V a3 = c * fma(cc, V(-1.0 / 3), V(0.5));
    V a4 = fma(cc, fma(cc, V(4.0 / 30), V(-0.4)), V(0.1));
    V a5 = c * fma(cc, fma(cc, V(-4.0 / 90), V(20.0 / 90)), V(-15.0 / 90));
    V a6 = fma(cc, fma(cc, fma(cc, V(8.0 / 630), V(-60.0 / 630)), V(90.0 / 630)), V(-15.0 / 630));
    V q = fma(fma(fma(fma(fma(a6, d, a5), d, a4), d, a3), d, a2), d, a1);
    pair<V> linear = product(slope, d);
    // Beside a base of zero the slope's own rounding would show.
    linear.lo = fma(select(c == V(0), V(0x1.1ae3a914fed80p-56), V(0)), d, linear.lo);
    pair<V> head = fast_sum(base_hi, linear.hi);
    return {head.hi, head.lo + (base_lo + fma(linear.hi * d, q, linear.lo))};
}

/// exp(x^2) erfc x of x in [15/32, 28].
template <class V>
pair<V> erfcx_tail(V x) {
    pair<V> q = quotient(sum(x, V(-4)), sum(x, V(4)));
    V rest = polynomial<coefficients::erfc_f64, 1>(q.hi);
    pair<V> step = product(q.hi, rest);
    pair<V> p = fast_sum(V(coefficients::erfc_f64[0]), step.hi);
    // About the derivative: what q.lo weighs.
    V square_q = q.hi * q.hi;
    V slope = rest + select(q.hi < V(0), V(1.5) * square_q * square_q, V(0));
    p.lo = p.lo + (step.lo + fma(q.lo, slope, V(-0x1.aa9c415679e6fp-55)));
    return quotient(p, sum(V(1), x + x));
}

/// erfc of x in [15/32, 28].
template <class V>
V erfc_tail(V x) {
    pair<V> square = product(x, x);
    auto e = split_exp(-square.hi, -square.lo);
    return scale(total(exp_reduced(e) * erfcx_tail(x)), e.k);
}

template <class V>
V erfc_of(V x) {
    V ax = abs(x), edge = V(15.0 / 32);
    auto far = x >= edge;
    V tail = erfc_tail(select(far, within(x, V(0), V(28)), edge));
    pair<V> near = erf_of(select(far, edge, select(ax < V(6), ax, V(6))));
    pair<V> head = sum(V(1), -copysign(near.hi, x));
    V y = select(far, tail, head.hi + (head.lo - select(x < V(0), -near.lo, near.lo)));
    return select(x == x, y, x);
}

/// 1 / x in float for positive normal x, to 2^-19, as a start for more. By bits and products:
/// a division has branches on GPUs, across which nothing is scheduled.
template <class V>
V inverse_start(V x) {
    using I = decltype(bits(x));
    V y = from_bits<V>(I(0x7ef32800) - bits(x));
    y = y * fma(-x, y, V(2.0013));
    return fma(fma(-x, y, V(1)), y, y);
}

/// ndtr(-root x) of a float x >= 0 for results in float, in double. Where those are zero it is as
/// at root x = 14.5.
template <class V>
auto normal_tail(V x, double root) {
    V inside = select(x > V(14.5 / root), V(14.5 / root), x), offset = V(3.4375);
    auto d = convert<double>(inside);
    using D = decltype(d);
    D v = convert<double>(inverse_start(fma(inside, V(root), offset)));
    v = fma(fma(-fma(d, D(root), D(3.4375)), v, D(1)), v, v);
    D power = exp2_short(d * d, D(-0.72134752044448170 * root * root));
    return power * polynomial<coefficients::normal_tail>(v);
}

/// erf of a float: x + x P(x^2), or 1 - exp(x P(x) - x).
template <class V>
V erf_float(V x) {
    V ax = abs(x), square = x * x;
    V near = fma(x, polynomial<coefficients::erf_near_f32>(square), x);
    V inside = select(ax > V(4), V(4), ax);
    V slope = polynomial<coefficients::erf_far_f32>(inside);
    V power = fma(inside, slope, -inside), power_lo = fma(inside, slope, -inside - power);
    auto m = reduce_exp(power);
    V r = m.r + power_lo;
    V far = V(1) - fma(exp_slope(r), r, V(1)) * power_of<V>(m.word);
    return select(ax < V(0.96875), near, copysign(far, x));
}

}  // namespace detail

template <class V>
V erf(V x) {
    if constexpr (is_double<V>) {
        V ax = select(abs(x) < V(6), abs(x), V(6));
        return select(x == x, copysign(detail::total(detail::erf_of(ax)), x), x);
    } else {
        return V::fast() ? fast::erf(x) : detail::erf_float(x);
    }
}

template <class V>
V erfc(V x) {
    if (V::fast()) return fast::erfc(x);
    if constexpr (is_double<V>) {
        return detail::erfc_of(x);
    } else {
        auto half = detail::normal_tail(abs(x), 1.4142135623730951);
        using D = decltype(half);
        return convert<float>(D(2) * select(x < V(0), D(1) - half, half));
    }
}

}  // namespace sinter::math

// sin, cos and tan over the whole range. Up to 2^17 (f64: 2^20) the reduction is Cody and Waite's,
// with pi/2 in three parts. What is larger is rare; there it is Payne and Hanek's: the bits of 2/pi
// that matter for x's exponent come from a table, in parts that make the products exact, and f32 is
// computed in double.
#pragma once

#include <sinter/math/pair.hpp>
#include <sinter/math/tables/tables.hpp>

namespace sinter::math {

/// Whether an angle is beyond what three parts of pi/2 reduce, infinite or NaN.
template <class V>
typename V::mask is_far_angle(V x) {
    return !(abs(x) <= detail::constant<V>(0x1p20, 0x1p17));
}

namespace detail {

/// x = (4 n + q) pi/2 + r, |r| <= pi / 4; q as an integer, of which the low two bits count.
template <class V, class I = decltype(bits(V(0)))>
struct quadrant {
    I q;
    pair<V> r;
};

/// x modulo 4, within [-2, 2].
template <class V>
V modulo_four(V x) {
    return fma(V(-4), rint(V(0.25) * x), x);
}

template <class V>
V table_entry(table t, typename V::template as<int32_t> first, int part) {
    using I32 = typename V::template as<int32_t>;
    return lookup<V>(t, first + I32(part));
}

/// The row of a table whose rows are 16 exponents apart, for the exponent of x: row 0 up to
/// `origin`. The bound is arithmetic; a select makes compilers load the first row on a path of its
/// own.
template <class V>
auto exponent_row(V x, int origin) {
    using I = decltype(bits(x));
    I above = lshr(bits(abs(x)), 52) - I(origin);
    return lshr(above & ~(above >> 63), 4);
}

template <class V>
quadrant<V> finish_reduction(V x, V fraction_hi, V fraction_lo, V whole) {
    pair<V> r = pair<V>{fraction_hi, fraction_lo} *
                pair<V>{V(0x1.921fb54442d18p+0), V(0x1.1a62633145c07p-54)};
    r = fast_sum(r.hi, r.lo);
    auto small = abs(x) <= V(0x1.921fb54442d18p-1);
    auto q = round_to_integer(select(small, V(0), whole));
    return {q.integer, {select(small, x, r.hi), select(small, V(0), r.lo)}};
}

/// Of a double. The fraction's least magnitude is near 2^-61; it is good to 2^-139.
template <class V>
quadrant<V> reduce(V x) {
    auto row = exponent_row(x, 1011);
    using I = decltype(row);
    auto first = convert<int32_t>(row << 2);
    V integer = x * exp2_integer<V>(I(64) - (row << 4));
    pair<V> p1 = product(integer, table_entry<V>(table::two_over_pi_f64, first, 0));
    pair<V> p2 = product(integer, table_entry<V>(table::two_over_pi_f64, first, 1));
    pair<V> p3 = product(integer, table_entry<V>(table::two_over_pi_f64, first, 2));
    V p4 = integer * table_entry<V>(table::two_over_pi_f64, first, 3);
    pair<V> middle = sum(p1.lo, p2.hi);
    pair<V> top = sum(modulo_four(p1.hi), modulo_four(middle.hi));
    V whole = rint(top.hi);
    pair<V> low = sum(sum(middle.lo, p2.lo).hi, sum(p3.hi, top.lo).hi);
    V lowest_parts = sum(middle.lo, p2.lo).lo + sum(p3.hi, top.lo).lo + low.lo + (p3.lo + p4);
    pair<V> fraction = sum(top.hi - whole, low.hi);
    fraction = fast_sum(fraction.hi, fraction.lo + lowest_parts);
    return finish_reduction(x, fraction.hi, fraction.lo, whole);
}

/// Of a float, held in a double.
template <class V>
quadrant<V> reduce_float(V x) {
    auto row = exponent_row(x, 998);
    using I = decltype(row);
    row = row & I(15);  // keeps infinity, above every float, inside the table
    auto first = convert<int32_t>(row * I(3));
    V integer = x * exp2_integer<V>(I(48) - (row << 4));
    V p1 = modulo_four(integer * table_entry<V>(table::two_over_pi_f32, first, 0));
    V p2 = modulo_four(integer * table_entry<V>(table::two_over_pi_f32, first, 1));
    V p3 = integer * table_entry<V>(table::two_over_pi_f32, first, 2);
    pair<V> top = sum(p1, p2);
    V whole = rint(top.hi);
    V fraction = (top.hi - whole) + (top.lo + p3);
    return finish_reduction(x, fraction, V(0), whole);
}

/// -y where the second bit of q is set.
template <class V, class I>
V negate_by(V y, I q) {
    return from_bits<V>(bits(y) ^ ((q & I(2)) << (width<V> - 2)));
}

/// sin r and cos r.
template <class V>
struct sin_cos {
    pair<V> sin, cos;
};

/// The polynomials of r^2.
template <class V>
V sin_tail(V z) {
    return polynomial_of<coefficients::sin_f64, coefficients::sin_near_f32>(z);
}
template <class V>
V cos_tail(V z) {
    return polynomial_of<coefficients::cos_f64, coefficients::cos_near_f32>(z);
}

/// Of r = hi + lo, where lo need not be small against hi.
template <class V>
sin_cos<V> sin_cos_reduced(pair<V> r) {
    V z = r.hi * r.hi;
    pair<V> half = product(V(0.5) * r.hi, r.hi);
    pair<V> less = fast_sum(V(1), -half.hi);
    V cos_rest = fma(z * z, cos_tail(z), fma(-r.hi, r.lo, less.lo - half.lo));
    return {fast_sum(r.hi, fma(r.hi * z, sin_tail(z), r.lo * less.hi)),
            fast_sum(less.hi, cos_rest)};
}

/// The same as sums that are not rounded yet, good enough to be rounded at once.
template <class V>
sin_cos<V> sin_cos_plain(pair<V> r) {
    V z = r.hi * r.hi, half = V(0.5) * z, less = V(1) - half;
    V cos_rest = fma(z * z, cos_tail(z), fma(-r.hi, r.lo, (V(1) - less) - half));
    return {{r.hi, fma(r.hi * z, sin_tail(z), r.lo)}, {less, cos_rest}};
}

/// For float results.
template <class V>
V sin_short(V r) {
    V z = r * r;
    return fma(r * z, polynomial<coefficients::sin_f32>(z), r);
}
template <class V>
V cos_short(V r) {
    V z = r * r;
    return fma(z * z, polynomial<coefficients::cos_f32>(z), fma(V(-0.5), z, V(1)));
}

/// The value; NaN where x is infinite.
template <class V>
V finite_or_nan(V x, V value) {
    return select(isfinite(x), value, not_a_number<V>());
}

/// sin(x + turn pi/2) of any x.
template <class V>
V sin_far(V x, int turn) {
    V y;
    if constexpr (is_double<V>) {
        auto reduced = reduce(x);
        using I = decltype(reduced.q);
        auto both = sin_cos_reduced(reduced.r);
        I q = reduced.q + I(turn);
        y = negate_by(select(is_odd<V>(q), total(both.cos), total(both.sin)), q);
    } else {
        auto reduced = reduce_float(convert<double>(x));
        using I = decltype(reduced.q);
        I q = reduced.q + I(turn);
        using D = decltype(reduced.r.hi);
        D value = select(is_odd<D>(q), cos_short(reduced.r.hi), sin_short(reduced.r.hi));
        y = convert<float>(negate_by(value, q));
    }
    return finite_or_nan(x, y);
}

template <class V>
V tan_far(V x) {
    V y;
    if constexpr (is_double<V>) {
        auto reduced = reduce(x);
        auto odd = is_odd<V>(reduced.q);
        auto both = sin_cos_reduced(reduced.r);
        pair<V> numerator = {select(odd, -both.cos.hi, both.sin.hi),
                             select(odd, -both.cos.lo, both.sin.lo)};
        pair<V> denominator = {select(odd, both.sin.hi, both.cos.hi),
                               select(odd, both.sin.lo, both.cos.lo)};
        y = total(quotient(numerator, denominator));
    } else {
        auto reduced = reduce_float(convert<double>(x));
        auto odd = is_odd<decltype(reduced.r.hi)>(reduced.q);
        auto s = sin_short(reduced.r.hi), c = cos_short(reduced.r.hi);
        y = convert<float>(select(odd, -c, s) / select(odd, s, c));
    }
    return finite_or_nan(x, y);
}

/// Of x >= 0. pi/2 = p1 + p2 + p3; x - n p1 is exact, since x and n p1 are near each other and
/// multiples of p1's last place (of half of it below 1).
template <class V>
quadrant<V> reduce_near(V x) {
    V magic = constant<V>(0x1.8p52, 0x1.8p23);
    V shifted = fma(x, constant<V>(0x1.45f306dc9c883p-1, 0x1.45f306p-1), magic);
    V n = shifted - magic;
    V first = fma(-n, constant<V>(0x1.921fb54442d18p+0, 0x1.921fb6p+0), x);
    V second = constant<V>(0x1.1a626331p-54, -0x1.777a5cp-25),
      third = constant<V>(0x1.1701b839a252p-88, -0x1.ee59dap-50);
    V step = n * second;
    V r = first - step;
    V rest = (first - r) - step;
    // In double the second part has so few bits that the step is exact.
    if constexpr (!is_double<V>) rest = rest - fma(n, second, -step);
    return {bits(shifted), {r, fma(-n, third, rest)}};
}

/// sin r and cos r for results of 11 bits.
template <class V>
V sin_brief(V r) {
    V z = r * r;
    return fma(r * z, polynomial<coefficients::sin_brief>(z), r);
}
template <class V>
V cos_brief(V r) {
    V z = r * r;
    return fma(z, fma(z, polynomial<coefficients::cos_brief>(z), V(-0.5)), V(1));
}

/// Of x of any sign, in one part: its error is half a unit in its last place and what three parts
/// of pi/2 leave.
template <class V, class I = decltype(bits(V(0)))>
struct plain_quadrant {
    I q;
    V r;
};
template <class V>
plain_quadrant<V> reduce_plain(V x) {
    V magic = constant<V>(0x1.8p52, 0x1.8p23);
    V shifted = fma(x, constant<V>(0x1.45f306dc9c883p-1, 0x1.45f306p-1), magic);
    V n = shifted - magic;
    // The parts are positive, so that -0 stays.
    V r = fma(-n, constant<V>(0x1.921fb54442d18p+0, 0x1.921fb4p+0), x);
    r = fma(-n, constant<V>(0x1.1a626331p-54, 0x1.4442dp-24), r);
    return {bits(shifted), fma(-n, constant<V>(0x1.1701b839a252p-88, 0x1.84698ap-48), r)};
}
template <class V>
V sin_near_zero(V r) {
    V z = r * r;
    return fma(z, quick_polynomial_of<coefficients::sin_f64, coefficients::sin_near_f32>(z), V(1)) *
           r;
}
template <class V>
V cos_near_zero(V r) {
    V z = r * r, tail = quick_polynomial_of<coefficients::cos_f64, coefficients::cos_near_f32>(z);
    return fma(z, fma(z, tail, V(-0.5)), V(1));
}

/// sin(x + turn pi/2) of floats under fast math; of doubles the exact form takes no longer.
template <class V>
V sin_turned_fast(V x, int turn) {
    auto reduced = reduce_plain(x);
    using I = decltype(reduced.q);
    I q = reduced.q + I(turn);
    V y = negate_by(select(is_odd<V>(q), cos_near_zero(reduced.r), sin_near_zero(reduced.r)), q);
    return rarely(is_far_angle(x), sin_far(x, turn), y);
}

/// sin(x + turn pi/2).
template <class V>
V sin_turned(V x, int turn) {
    if constexpr (!is_double<V>) {
        if (V::fast() && !V::brief()) return sin_turned_fast(x, turn);
    }
    V ax = abs(x);
    auto reduced = reduce_near(ax);
    using I = decltype(reduced.q);
    I q = reduced.q + I(turn);
    V s, c;
    if (V::brief()) {
        s = sin_brief(reduced.r.hi);
        c = cos_brief(reduced.r.hi);
    } else {
        auto both = sin_cos_plain(reduced.r);
        s = total(both.sin);
        c = total(both.cos);
    }
    V y = negate_by(select(is_odd<V>(q), c, s), q);
    if (turn == 0) y = from_bits<V>(bits(y) ^ (bits(x) & bits(V(-0.0))));
    return rarely(is_far_angle(x), sin_far(x, turn), y);
}

}  // namespace detail

template <class V>
V sin(V x) {
    return detail::sin_turned(x, 0);
}

template <class V>
V cos(V x) {
    return detail::sin_turned(x, 1);
}

template <class V>
V tan(V x) {
    using namespace detail;
    if (V::fast()) {
        auto reduced = reduce_plain(x);
        auto odd = is_odd<V>(reduced.q);
        V s = sin_near_zero(reduced.r), c = cos_near_zero(reduced.r);
        return rarely(is_far_angle(x), tan_far(x), select(odd, -c, s) / select(odd, s, c));
    }
    V ax = abs(x);
    auto reduced = reduce_near(ax);
    using I = decltype(reduced.q);
    auto odd = is_odd<V>(reduced.q);
    auto both = sin_cos_reduced(reduced.r);
    pair<V> q =
        quotient(select_pair(odd, both.cos, both.sin), select_pair(odd, both.sin, both.cos));
    I sign = bits(x) ^ (reduced.q << (width<V> - 1));
    V y = from_bits<V>(bits(total(q)) ^ (sign & bits(V(-0.0))));
    return rarely(is_far_angle(x), tan_far(x), y);
}

}  // namespace sinter::math

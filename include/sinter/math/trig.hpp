// sin, cos and tan over the whole range, without branches. The reduction is Payne and Hanek's: the
// bits of 2/pi that matter for x's exponent come from a table, in parts that make the products
// exact. f32 is computed in double.
#pragma once

#include <sinter/math/pair.hpp>
#include <sinter/math/tables.hpp>

namespace sinter::math {
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

template <class V>
sin_cos<V> sin_cos_reduced(pair<V> r) {
    V z = r.hi * r.hi;
    pair<V> half = product(V(0.5) * r.hi, r.hi);
    pair<V> one_less = fast_sum(V(1), -half.hi);
    V sin_tail = polynomial<coefficients::sin_f64>(z);
    V cos_tail = polynomial<coefficients::cos_f64>(z);
    return {fast_sum(r.hi, fma(r.hi * z, sin_tail, r.lo * one_less.hi)),
            fast_sum(one_less.hi, one_less.lo + (fma(z * z, cos_tail, -half.lo) - r.hi * r.lo))};
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

/// sin(x + turn pi/2).
template <class V>
V sin_turned(V x, int turn) {
    if constexpr (is_double<V>) {
        auto reduced = reduce(x);
        using I = decltype(reduced.q);
        auto both = sin_cos_reduced(reduced.r);
        I q = reduced.q + I(turn);
        return negate_by(select(is_odd<V>(q), total(both.cos), total(both.sin)), q);
    } else {
        auto reduced = reduce_float(convert<double>(x));
        using I = decltype(reduced.q);
        I q = reduced.q + I(turn);
        using D = decltype(reduced.r.hi);
        D y = select(is_odd<D>(q), cos_short(reduced.r.hi), sin_short(reduced.r.hi));
        return convert<float>(negate_by(y, q));
    }
}

/// The value; NaN where x is infinite.
template <class V>
V finite_or_nan(V x, V value) {
    return select(isfinite(x), value, not_a_number<V>());
}

}  // namespace detail

template <class V>
V sin(V x) {
    using namespace detail;
    V y = sin_turned(x, 0);
    return finite_or_nan(x, select(x == V(0), x, y));
}

template <class V>
V cos(V x) {
    using namespace detail;
    return finite_or_nan(x, sin_turned(x, 1));
}

template <class V>
V tan(V x) {
    using namespace detail;
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
    return finite_or_nan(x, select(x == V(0), x, y));
}

}  // namespace sinter::math

// The Bessel functions of the first and second kind, of order 0 and 1. In double, in three ranges:
//
//   |x| < 8 pi   a table of quarter turns, each a polynomial of the distance to the zero or
//                extremum that is in it; so the error near a zero is that of the result
//   beyond       modulus times sine of a phase, x - pi / 4 and what the asymptotic series adds,
//                reduced as trig.hpp reduces
//   Y, x < pi    log(x / zero) J(x) and a rest, which has the factor x^2 - zero^2
#pragma once

#include <sinter/math/bessel.hpp>
#include <sinter/math/tables/bessel_coefficients.hpp>
#include <sinter/math/trig.hpp>

namespace sinter::math {
namespace detail {

/// Where a wave's argument is beyond what three parts of pi/2 reduce.
inline constexpr double far_wave = 0x1p19;
/// The end of the tables: a little less than 8 pi.
inline constexpr double table_end = 25.125;

/// One number of a row.
template <table T, class V, class I32>
V row_entry(I32 first, int part) {
    return lookup<V>(T, first + I32(part));
}
/// The polynomial whose coefficients are parts `part` to `last` of a row. Steps, not a loop, as
/// everywhere.
template <table T, int part, int last, class V, class I32>
V row_polynomial(I32 first, V d) {
    V c = row_entry<T, V>(first, part);
    if constexpr (part == last)
        return c;
    else
        return fma(row_polynomial<T, part + 1, last>(first, d), d, c);
}
/// A row of a table: centre in two parts, value there, and so many coefficients of what the
/// distance to it adds.
template <table T, int terms, class V, class I32>
V table_row(I32 row, V x) {
    I32 first = row * I32(terms + 3);
    V d = (x - row_entry<T, V>(first, 0)) - row_entry<T, V>(first, 1);
    return fma(row_polynomial<T, 3, terms + 2>(first, d), d, row_entry<T, V>(first, 2));
}
/// x >= 0 rounded down, modulo `count`, a power of two: a row of a table for any x. With a select
/// in its place compilers would load a row on a path of its own.
template <int count, class V>
auto row_of(V x) {
    auto word = bits((x - V(0.5)) + V(0x1.8p52));
    return convert<int32_t>(word & decltype(word)(count - 1));
}
/// The same of the quarter turn of x.
template <class V>
auto quarter_turn(V x) {
    return row_of<16>(x * V(0x1.45f306dc9c883p-1));
}

/// sin(s + q pi/2).
template <class V, class I>
V wave_value(pair<V> s, I q) {
    auto both = sin_cos_plain(s);
    return negate_by(select(is_odd<V>(q), total(both.cos), total(both.sin)), q);
}

/// The same for x = (q + 1/2) pi/2 + s - more, x up to far_wave; as reduce_near.
template <class V>
V near_wave_of(V x, pair<V> more, int turn) {
    V magic = V(0x1.8p52);
    V shifted = fma(x, V(0x1.45f306dc9c883p-1), V(-0.5)) + magic;
    V turns = (shifted - magic) + V(0.5);
    V first = fma(-turns, V(0x1.921fb54442d18p+0), x);
    V step = turns * V(0x1.1a626331p-54);
    V r = first - step;
    V rest = fma(-turns, V(0x1.1701b839a252p-88), (first - r) - step);
    pair<V> s = sum(r, more.hi);
    auto q = bits(shifted);
    return wave_value(raised(s, rest + more.lo), q + decltype(q)(turn));
}
template <class V>
V far_wave_of(V x, pair<V> more, int turn) {
    auto reduced = reduce(x);
    using I = decltype(reduced.q);
    // x = q pi/2 + r, of which the next odd multiple of pi/4 is taken off
    V side = copysign(V(1), reduced.r.hi);
    pair<V> r = sum(reduced.r.hi, side * V(-0x1.921fb54442d18p-1));
    V rest = r.lo + fma(side, V(-0x1.1a62633145c07p-55), reduced.r.lo);
    pair<V> s = sum(r.hi, more.hi);
    // The low parts may be as large as what is left of the difference.
    s = sum(s.hi, s.lo + (rest + more.lo));
    return wave_value(s, reduced.q + (bits(reduced.r.hi) >> 63) + I(turn));
}

/// sin(x - pi/4 + more + turn pi/2), x >= 0.
template <class V>
V wave(V x, pair<V> more, int turn) {
    return rarely(!(x <= V(far_wave)), far_wave_of(x, more, turn), near_wave_of(x, more, turn));
}

/// first / x + P(1 / x^2) / x^3, P with coefficients C.
template <const auto& C, class V>
pair<V> wave_phase(V x, V inverse, V z, pair<V> first) {
    V inverse_lo = fma(-inverse, x, V(1)) * inverse;
    pair<V> p = product(inverse, first.hi);
    V tail = fma(first.hi, inverse_lo, fma(inverse, first.lo, p.lo));
    return fast_sum(p.hi, fma(inverse * z, polynomial<C>(z), tail));
}

/// J or Y of x >= table_end: modulus / sqrt(x) sin(x - pi/4 + phase + turn pi/2).
template <int order, class V>
V bessel_wave(V x, int turn) {
    V at = select(x < V(table_end), V(table_end), x);
    V inverse = V(1) / at, z = inverse * inverse;
    if constexpr (order == 0) {
        auto phase = wave_phase<coefficients::j0_phase>(at, inverse, z, {V(-0.125), V(0)});
        return polynomial<coefficients::j0_modulus>(z) * wave(at, phase, turn) / sqrt(at);
    } else {
        auto phase = wave_phase<coefficients::j1_phase>(at, inverse, z, {V(0.375), V(0)});
        return polynomial<coefficients::j1_modulus>(z) * wave(at, phase, turn) / sqrt(at);
    }
}

template <int order, class V>
V bessel_j_double(V x) {
    V ax = abs(x);
    constexpr table rows = order == 0 ? table::bessel_j0 : table::bessel_j1;
    V y = select(ax < V(table_end), table_row<rows, 14>(quarter_turn(ax), ax),
                 bessel_wave<order>(ax, order == 0 ? 1 : 0));
    if constexpr (order == 1) y = from_bits<V>(bits(y) ^ (bits(x) & bits(V(-0.0))));
    return select(ax < highest<V>(), y, not_a_number<V>());
}

/// Y(x), 0 < x < 3.15. The rest of Y0 is a pair: from 2 on it is twice the result.
template <int order, class V>
V bessel_y_near(V x) {
    using namespace coefficients;
    constexpr const auto& zero = order == 0 ? y0_zero : y1_zero;
    constexpr const auto& square = order == 0 ? y0_zero_square : y1_zero_square;
    pair<V> l = log_ratio(pair<V>{x, V(0)}, pair<V>{V(zero[0]), V(zero[1])});
    pair<V> x2 = product(x, x);
    pair<V> factor = raised(sum(x2.hi, V(-square[0])), x2.lo - V(square[1]));
    V u = x2.hi - V(5);
    if constexpr (order == 0) {
        V first = polynomial<y0_first>(u);
        V tail = polynomial<y0_rest, 1>(u), start = V(y0_rest[0]);
        V r = fma(tail, u, start);
        V r_lo = fma(tail, u, start - r);
        pair<V> rest = factor * pair<V>{r, r_lo};
        return fma(l.hi, first, rest.hi) + fma(l.lo, first, rest.lo);
    } else {
        V first = x * polynomial<y1_first>(u);
        V rest = total(factor) * polynomial<y1_rest>(u) / x;
        return fma(l.hi, first, fma(l.lo, first, rest));
    }
}

template <int order, class V>
V bessel_y_double(V x) {
    constexpr double near_end = 3.1416;  // in the third quarter turn; the rows before it are empty
    V near = bessel_y_near<order>(select((x > V(0)) & (x < V(near_end)), x, V(1)));
    constexpr table rows = order == 0 ? table::bessel_y0 : table::bessel_y1;
    V y = select(x < V(table_end), table_row<rows, 17>(quarter_turn(x), x),
                 bessel_wave<order>(x, order == 0 ? 0 : 3));
    y = select(x < V(near_end), near, y);
    V outside = select(x == V(0), lowest<V>(), not_a_number<V>());
    return select((x > V(0)) & (x < highest<V>()), y, outside);
}

}  // namespace detail

template <class V>
V bessel_j0(V x) {
    return detail::in_double(x, [](auto d) { return detail::bessel_j_double<0>(d); });
}
template <class V>
V bessel_j1(V x) {
    return detail::in_double(x, [](auto d) { return detail::bessel_j_double<1>(d); });
}
template <class V>
V bessel_y0(V x) {
    return detail::in_double(x, [](auto d) { return detail::bessel_y_double<0>(d); });
}
template <class V>
V bessel_y1(V x) {
    return detail::in_double(x, [](auto d) { return detail::bessel_y_double<1>(d); });
}

/// Whether one of the four takes long at x.
template <class V>
typename V::mask is_far_wave(V x) {
    return !(abs(x) <= V(detail::far_wave));
}

}  // namespace sinter::math

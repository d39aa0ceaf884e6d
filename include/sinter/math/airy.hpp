// The Airy function Ai, in double. With zeta = 2/3 |x|^(3/2) as a pair: left of 0 as the Bessel
// functions of the first kind (bessel_kinds.hpp), by a table of zeta's quarter turns and a wave
// beyond; right of 0 by the same table up to 2, and by exp(-zeta) times a quotient of polynomials.
#pragma once

#include <sinter/math/bessel_kinds.hpp>

namespace sinter::math {
namespace detail {

/// Ai(x), x >= 2, given zeta and the root of x.
template <class V>
V airy_falling(pair<V> zeta, V root) {
    V at = select(zeta.hi > V(1.8), zeta.hi, V(1.8)), v = V(1) / at;
    V rest = polynomial<coefficients::airy_far>(v) / polynomial<coefficients::airy_far_divisor>(v);
    V factor = fma(v, rest, V(0x1.20dd750429b6dp-2)) / sqrt(root);
    auto inside = at < V(800);
    auto e = split_exp(-select(inside, at, V(800)), -select(inside, zeta.lo, V(0)));
    return scale(times(factor, exp_reduced(e)), e.k);
}

/// Ai(x), x <= -11.24.
template <class V>
V airy_wave(pair<V> zeta, V root) {
    V at = select(zeta.hi < V(25.12), V(25.12), zeta.hi);
    V inverse = V(1) / at, z = inverse * inverse;
    auto phase = wave_phase<coefficients::airy_phase>(
        at, inverse, z, {V(-0x1.1c71c71c71c72p-4), V(0x1.c71c71c71c71cp-59)});
    // Far out a pair has no place of the phase left, and its low part is a number of turns.
    V low = select(at < V(0x1p48), zeta.lo, V(0));
    phase.lo = fma(z * low, V(0x1.1c71c71c71c72p-4), phase.lo);
    pair<V> more = sum(low, phase.hi);
    V height = polynomial<coefficients::airy_modulus>(z) / sqrt(root);
    return height * wave(at, raised(more, phase.lo), 1);
}

template <class V>
V airy_double(V x) {
    auto left = x < V(0);
    V ax = abs(x);
    pair<V> root = square_root(pair<V>{ax, V(0)});
    pair<V> cube = product(ax, root.hi);
    pair<V> zeta = pair<V>{cube.hi, fma(ax, root.lo, cube.lo)} *
                   pair<V>{V(0x1.5555555555555p-1), V(0x1.5555555555555p-55)};
    // The row for either side, by bits: row_of says why, and the mask that it is one of 32.
    auto sign = convert<int32_t>(bits(x) >> 63);
    auto right = row_of<4>(ax + ax) + decltype(sign)(16);
    auto row = ((quarter_turn(zeta.hi) & sign) | (right & ~sign)) & decltype(sign)(31);
    V near = table_row<table::airy_ai, 18>(row, x);
    V wave = airy_wave(zeta, root.hi);
    V far = select(left, wave, airy_falling(zeta, root.hi));
    V y = select((x > V(-11.24)) & (x < V(2)), near, far);
    return select(ax < highest<V>(), y, not_a_number<V>());
}

}  // namespace detail

template <class V>
V airy_ai(V x) {
    return detail::in_double(x, [](auto d) { return detail::airy_double(d); });
}

/// Whether it takes long at x.
template <class V>
typename V::mask is_far_airy(V x) {
    return x < V(-8192);
}

}  // namespace sinter::math

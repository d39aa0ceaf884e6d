// Division with a remainder: exact for floats over the full range, flooring and truncating for
// integers.
#pragma once

#include <sinter/math/pair.hpp>

#include <cstdint>

namespace sinter::math {

/// kernel_ir::status_zero_division, which this layer cannot include.
inline constexpr uint64_t zero_division_status = 1;

/// Whether the quotient has more bits than a rounded one shows, or is none.
template <class V>
typename V::mask has_long_quotient(V a, V b) {
    return !(abs(a) / abs(b) <= detail::constant<V>(0x1p51, 0x1p22));
}

namespace detail {

/// x brought from |x| <= m to |x| <= m / 2, modulo m.
template <class V>
V halve_residue(V x, V m) {
    V half = V(0.5) * m;
    return x - select(x > half, m, select(x < -half, -m, V(0)));
}

/// a * b modulo m, for doubles that are integers, 2^52 <= m < 2^53 and |a|, |b| <= m / 2. Every
/// step is exact: the quotient is off by less than one, and the low half of the product is below
/// 2^51.
template <class V>
V multiply_modulo(V a, V b, V m, V inverse) {
    V high = a * b;
    V low = fma(a, b, -high);
    V quotient = rint(high * inverse);
    V rest = halve_residue(fma(-quotient, m, high), m);
    return halve_residue(rest + low, m);
}

/// 2^d modulo m, |result| <= m / 2, by squaring from the top bits of d down. Unrolled, so that the
/// loop around it vectorises.
template <int bit, class V, class I>
V power_modulo(V power, I d, V m, V inverse) {
    if constexpr (bit < 0) {
        return power;
    } else {
        V squared = multiply_modulo(power, power, m, inverse);
        V doubled = halve_residue(squared + squared, m);
        squared = select(is_odd<V>(lshr(d, bit)), doubled, squared);
        return power_modulo<bit - 1>(squared, d, m, inverse);
    }
}

/// fmod of positive finite doubles a >= b: with a = p 2^(d + e) and b = m 2^e, p and m integers of
/// 53 bits, it is (p 2^d mod m) 2^e, and 2^d comes by squaring. `steps` squarings reach d < 32 <<
/// steps.
template <int steps, class V>
V long_fmod(V a, V b) {
    using I = decltype(bits(a));
    // Subnormals are scaled to have 53 bits.
    V tiny = V(0x1p-1022);
    auto small_a = a < tiny, small_b = b < tiny;
    I bits_a = bits(select(small_a, a * V(0x1p54), a));
    I bits_b = bits(select(small_b, b * V(0x1p54), b));
    I exponent_a = lshr(bits_a, 52) - select(small_a, I(54), I(0));
    I exponent_b = lshr(bits_b, 52) - select(small_b, I(54), I(0));
    I fraction = I::from((int64_t{1} << 52) - 1), fifty_two = I::from(int64_t{1075} << 52);
    V p = from_bits<V>((bits_a & fraction) | fifty_two);
    V m = from_bits<V>((bits_b & fraction) | fifty_two);
    V inverse = V(1) / m;
    I d = exponent_a - exponent_b;
    V power = power_modulo<steps - 1>(exp2_integer<V>(lshr(d, steps)), d, m, inverse);
    p = halve_residue(select(p >= m, p - m, p), m);
    V rest = multiply_modulo(p, power, m, inverse);
    rest = select(rest < V(0), rest + m, rest);
    // rest 2^(exponent_b - 1075), in two exact steps: it is a multiple of the last place of b.
    I low = select(exponent_b > I(100), exponent_b - I(1075), exponent_b - I(75));
    return rest * exp2_integer<V>(low) * select(exponent_b > I(100), V(1), V(0x1p-1000));
}

/// The remainder of floats by truncated division. `defined`: a is finite and b neither zero nor
/// NaN; elsewhere `rest` is some number, for the caller to replace at the end, which vectorises
/// better.
template <class V>
struct float_rest {
    V rest;
    typename V::mask defined;
};
template <class V>
float_rest<V> truncated_rest(V a, V b) {
    auto defined = (abs(a) < highest<V>()) & (b != V(0)) & (b == b);
    V dividend = select(defined, abs(a), V(0)), divisor = select(defined, abs(b), V(1));
    V rest;
    if constexpr (is_double<V>) {
        rest = long_fmod<6>(dividend, divisor);
    } else {
        rest = convert<float>(long_fmod<4>(convert<double>(dividend), convert<double>(divisor)));
    }
    // A quotient up to the bound of has_long_quotient is rounded by less than one half. So its
    // whole part is right, or too large by one, where it was rounded up to a whole number. Both
    // differences are below |b|. For |a| >= |b| they are multiples of b's last place, so they have
    // no more bits than b, and nothing is rounded.
    V short_rest = fma(-trunc(abs(a) / abs(b)), abs(b), abs(a));
    short_rest = select(short_rest < V(0), short_rest + abs(b), short_rest);
    rest = rarely(has_long_quotient(a, b), rest, short_rest);
    return {copysign(select(abs(a) < abs(b), abs(a), rest), a), defined};
}

/// Whether a quotient truncates above its floor: the remainder is not zero and its sign is not b's.
template <class V>
typename V::mask is_above_floor(V rest, V b) {
    if constexpr (is_real<V>) {
        using I = decltype(bits(b));
        return (rest != V(0)) & ((bits(rest) ^ bits(b)) < I(0));
    } else {
        return (rest != V(0)) & ((rest ^ b) < V(0));
    }
}

}  // namespace detail

/// The remainder of the truncated quotient; it has the sign of a.
template <class V>
V fmod(V a, V b) {
    if constexpr (is_integer<V>) {
        return guard(b == V(0), zero_division_status, irem(a, b));
    } else {
        auto t = detail::truncated_rest(a, b);
        return select(t.defined, t.rest, detail::not_a_number<V>());
    }
}

/// The remainder of the floored quotient; it has the sign of b.
template <class V>
V remainder(V a, V b) {
    if constexpr (is_integer<V>) {
        V rest = fmod(a, b);
        return select(detail::is_above_floor(rest, b), rest + b, rest);
    } else {
        auto t = detail::truncated_rest(a, b);
        V rest = select(detail::is_above_floor(t.rest, b), t.rest + b, t.rest);
        return select(t.defined, rest, detail::not_a_number<V>());
    }
}

/// The floored quotient. Of floats it is Python's: the quotient that belongs to `remainder`, a
/// whole number even where a / b rounds up to the next one; a / b where b is 0.
template <class V>
V floor_divide(V a, V b) {
    if constexpr (is_integer<V>) {
        V quotient = idiv(a, b);
        V rest = a - quotient * b;
        auto above = detail::is_above_floor(rest, b);
        return guard(b == V(0), zero_division_status, select(above, quotient - V(1), quotient));
    } else {
        auto t = detail::truncated_rest(a, b);
        V quotient = (a - t.rest) / b;
        quotient = select(detail::is_above_floor(t.rest, b), quotient - V(1), quotient);
        V whole = floor(quotient);
        whole = select(quotient - whole > V(0.5), whole + V(1), whole);
        whole = select(quotient == V(0), copysign(V(0), a / b), whole);
        return select(b == V(0), a / b, select(t.defined, whole, detail::not_a_number<V>()));
    }
}

}  // namespace sinter::math

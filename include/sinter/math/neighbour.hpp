// The next number of a format, the parts of a number, and what integers share.
#pragma once

#include <sinter/math/pair.hpp>

namespace sinter::math {

/// The number next to a in the direction of b; b where they are equal.
template <class V>
V nextafter(V a, V b) {
    using I = decltype(bits(a));
    I word = bits(a);
    // Away from zero the word of the magnitude grows. Comparing words keeps subnormal numbers.
    auto up = (a < b) == (word >= I(0));
    V next = from_bits<V>(select(up, word + I(1), word - I(1)));
    V tiny = copysign(from_bits<V>(I(1)), b);
    V y = select((word << 1) == I(0), tiny, next);
    y = select(a == b, b, y);
    return select((a != a) | (b != b), detail::not_a_number<V>(), y);
}

namespace detail {

/// x = m 2^e, 1/2 <= |m| < 1; a subnormal is scaled up first. Of 0, infinities and NaN m is x and e
/// 0.
template <class V>
struct mantissa_and_exponent {
    V mantissa, exponent;
};
template <class V>
mantissa_and_exponent<V> split_exponent(V x) {
    using I = decltype(bits(x));
    auto small = abs(x) < V::from(std::numeric_limits<typename V::scalar>::min());
    constexpr int shift = 64;
    I word = bits(select(small, x * V(0x1p64), x));
    I mask = I::from(((typename I::scalar{1} << (width<V> - 1 - fraction_bits<V>)) - 1)
                     << fraction_bits<V>);
    I half = bits(V(0.5));
    auto usual = (x != V(0)) & (abs(x) < highest<V>());
    V mantissa = from_bits<V>((word & ~mask) | half);
    V exponent =
        convert<typename V::scalar>(lshr(word & mask, fraction_bits<V>) - I(exponent_bias<V> - 1));
    exponent = select(small, exponent - V(shift), exponent);
    return {select(usual, mantissa, x), select(usual, exponent, V(0))};
}

}  // namespace detail

template <class V>
V frexp_mantissa(V x) {
    return detail::split_exponent(x).mantissa;
}
template <class V>
V frexp_exponent(V x) {
    return detail::split_exponent(x).exponent;
}

namespace detail {

/// One step of Euclid's algorithm with the remainder of least magnitude, which halves the second
/// number at least. Of (g, 0) it makes (0, g), as a remainder by 0 is the dividend.
template <class V>
void divide_out(V& a, V& b) {
    V rest = abs(irem(a, b));
    V other;
    if constexpr (std::is_unsigned_v<typename V::scalar>)
        other = select(b < rest, rest, b - rest);
    else
        other = abs(b - rest);
    a = b;
    b = select(other < rest, other, rest);
}

}  // namespace detail

/// The greatest common divisor, not negative but where it is 2^(bits - 1), which wraps. The steps
/// are as many as two numbers of this width can need: a step divides by 1 + sqrt 2 on average.
template <class V>
V gcd(V a, V b) {
    constexpr int steps = sizeof(typename V::scalar) == 1   ? 8
                          : sizeof(typename V::scalar) == 4 ? 26
                                                            : 51;
    V x = abs(a), y = abs(b);
    for (int i = 0; i < steps; ++i) detail::divide_out(x, y);
    return x | y;
}

/// The least common multiple, wrapped; 0 where an operand is 0.
template <class V>
V lcm(V a, V b) {
    return abs(idiv(a, gcd(a, b)) * b);
}

}  // namespace sinter::math

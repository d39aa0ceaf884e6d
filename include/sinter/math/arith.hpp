// Arithmetic, order and classification beyond the algebra's own operators, on every number type.
#pragma once

#include <sinter/math/algebra.hpp>

namespace sinter::math {

/// Bits of the element type.
template <class V>
inline constexpr int width = static_cast<int>(sizeof(typename V::scalar)) * 8;

template <class V>
typename V::mask isnan(V x) {
    return x != x;
}

/// The smallest and largest value: infinities for floats, false and true for bool.
template <class V>
V lowest() {
    using limits = std::numeric_limits<typename V::scalar>;
    if constexpr (is_real<V>)
        return V::from(-limits::infinity());
    else
        return V::from(limits::lowest());
}
template <class V>
V highest() {
    using limits = std::numeric_limits<typename V::scalar>;
    if constexpr (is_real<V>)
        return V::from(limits::infinity());
    else
        return V::from(limits::max());
}

template <class V>
V add(V a, V b) {
    if constexpr (is_mask<V>)
        return a | b;
    else
        return a + b;
}
template <class V>
V mul(V a, V b) {
    if constexpr (is_mask<V>)
        return a & b;
    else
        return a * b;
}

/// Whether the sign bit is set, of zeros and NaN too.
template <class V>
typename V::mask signbit(V x) {
    using I = decltype(bits(x));
    return bits(x) < I(0);
}

/// |x| with the sign of s.
template <class V>
V copysign(V x, V s) {
    using I = decltype(bits(x));
    I sign_bit = I::from(std::numeric_limits<typename I::scalar>::min());
    return from_bits<V>((bits(x) & ~sign_bit) | (bits(s) & sign_bit));
}

/// Whether x is below zero or -0. False of NaN: the sign of a NaN that an operation made depends on
/// the processor and on which operand came first.
template <class V>
typename V::mask is_negative(V x) {
    if constexpr (is_real<V>)
        return signbit(x) & (x == x);
    else if constexpr (is_mask<V>)
        return x != x;
    else
        return x < V(0);
}

/// |x| with the sign of s, positive where s is NaN.
template <class V>
V with_sign_of(V x, V s) {
    return copysign(x, select(s == s, s, V(1)));
}

/// -1, 0 or 1; 0 of NaN.
template <class V>
V sign(V x) {
    if constexpr (is_mask<V>)
        return x;
    else if constexpr (std::is_unsigned_v<typename V::scalar>)
        return select(x == V(0), x, V(1));
    else
        return select(x > V(0), V(1), select(x < V(0), V(-1), V(0)));
}

// ---- order: -0 < +0. Where a == b, their bits differ in the sign of zero only, so OR gives the
// lower and AND the higher.

template <class V>
V minimum(V a, V b) {
    if constexpr (is_mask<V>) {
        return a & b;
    } else if constexpr (is_real<V>) {
        V equal = from_bits<V>(bits(a) | bits(b));
        V number = select(a < b, a, select(a == b, equal, b));
        return select(a != a, a, number);
    } else {
        return select(a < b, a, b);
    }
}
template <class V>
V maximum(V a, V b) {
    if constexpr (is_mask<V>) {
        return a | b;
    } else if constexpr (is_real<V>) {
        V equal = from_bits<V>(bits(a) & bits(b));
        V number = select(a > b, a, select(a == b, equal, b));
        return select(a != a, a, number);
    } else {
        return select(a > b, a, b);
    }
}

/// The other operand where one is NaN.
template <class V>
V fmin(V a, V b) {
    if constexpr (is_real<V>)
        return select(a != a, b, select(b != b, a, minimum(a, b)));
    else
        return minimum(a, b);
}
template <class V>
V fmax(V a, V b) {
    if constexpr (is_real<V>)
        return select(a != a, b, select(b != b, a, maximum(a, b)));
    else
        return maximum(a, b);
}

/// 1 above zero, 0 below and of NaN, b at zero.
template <class V>
V heaviside(V a, V b) {
    if constexpr (is_mask<V>)
        return a | b;
    else
        return select(a == V(0), b, select(a > V(0), V(1), V(0)));
}

/// x where positive, else +0; NaN stays.
template <class V>
V relu(V x) {
    if constexpr (is_mask<V>)
        return x;
    else
        return select(x <= V(0), V(0), x);
}

// ---- classification

template <class V>
typename V::mask isinf(V x) {
    if constexpr (is_real<V>)
        return abs(x) == highest<V>();
    else
        return x != x;
}
template <class V>
typename V::mask isfinite(V x) {
    if constexpr (is_real<V>)
        return abs(x) < highest<V>();
    else
        return x == x;
}

template <class V>
typename V::mask is_positive_infinity(V x) {
    if constexpr (is_real<V>)
        return x == highest<V>();
    else
        return x != x;
}
template <class V>
typename V::mask is_negative_infinity(V x) {
    if constexpr (is_real<V>)
        return x == lowest<V>();
    else
        return x != x;
}

}  // namespace sinter::math

// pow: exp(y log x) with the logarithm as a pair good to 2^-65; the special cases of C99 annex F.
// f32 is computed in double with short polynomials. Integers by repeated squaring, wrapping.
#pragma once

#include <sinter/math/exp.hpp>
#include <sinter/math/log.hpp>

namespace sinter::math {
namespace detail {

/// log x of positive finite x, in double, to about 2^-65 of itself.
template <class V>
pair<V> log_exact(V x) {
    auto b = split_binade(x);
    pair<V> s = half_tanh(b.m - V(1), V(0));
    pair<V> z = s * s;
    pair<V> cube = s * z;
    // q = 2/3 + z P(z)
    V tail = z.hi * polynomial<coefficients::log_tail>(z.hi);
    pair<V> q = fast_sum(V(0x1.5555555555555p-1), tail);
    q.lo = q.lo + V(0x1.5555555555555p-55);
    pair<V> p = cube * q;
    pair<V> small = fast_sum(s.hi + s.hi, p.hi);
    small.lo = small.lo + (s.lo + s.lo + p.lo);
    pair<V> head = sum(b.k * ln2_hi<V>(), small.hi);
    return fast_sum(head.hi, head.lo + fma(b.k, ln2_lo<V>(), small.lo));
}

/// x^y of x >= 0, in double; log 0 and log inf as such. NaN stays; so it is of 1 to infinity.
template <class V>
V pow_positive(V x, V y) {
    pair<V> l = log_exact(x);
    auto proper = (x > V(0)) & (x < highest<V>());
    l.hi = select(proper, l.hi, select(x == V(0), lowest<V>(), x));
    l.lo = select(proper, l.lo, V(0));
    V hi = y * l.hi;
    V lo = fma(y, l.lo, fma(y, l.hi, -hi));
    V limited = within(hi, V(-800), V(800));
    auto e = split_exp(limited, select(limited == hi, lo, V(0)));
    return scale(total(exp_reduced(e)), e.k);
}

/// The same of floats, for float results.
template <class V>
V pow_positive_short(V x, V y) {
    auto d = convert<double>(x);
    using D = decltype(d);
    // The lower word of the root is zero, which saves a carry.
    auto b = split_normal(d, D(0x1.6a09ep-1));
    D f = b.m - D(1);
    D p = V::fast() ? polynomial_in_halves<coefficients::log2_short>(f)
                    : polynomial<coefficients::log2_short>(f);
    D l = fma(f, p, b.k);
    l = select(x < highest<V>(), select(x == V(0), lowest<D>(), l), d);
    D power = convert<double>(y) * l;
    power = select(abs(power) > D(200), copysign(D(200), power), power);
    return convert<float>(exp2_short(power, D(1)));
}

/// The same for results of 11 bits, in float.
template <class V>
V pow_positive_brief(V x, V y) {
    auto b = split_binade(x);
    V f = b.m - V(1);
    V l = fma(f, polynomial<coefficients::log2_brief>(f), b.k);
    l = select(x < highest<V>(), select(x == V(0), lowest<V>(), l), x);
    V power = y * l;
    power = select(abs(power) > V(160), copysign(V(160), power), power);
    auto m = nearest_multiple(power, V(1));
    auto scale = split_power<V>(m.word);
    return polynomial<coefficients::exp2_brief>(power - m.k) * scale.a * scale.b;
}

template <class V>
V pow_real(V x, V y) {
    V ax = abs(x), magnitude;
    if constexpr (is_double<V>)
        magnitude = pow_positive(ax, y);
    else
        magnitude = V::brief() ? pow_positive_brief(ax, y) : pow_positive_short(ax, y);
    magnitude = select((ax == V(1)) | (y == V(0)), V(1), magnitude);
    V half = V(0.5) * y;
    auto whole = trunc(y) == y;
    auto odd = whole & (trunc(half) != half);
    V result = select(odd, copysign(magnitude, x), magnitude);
    // A negative finite base has no power that is not whole.
    return select((x < V(0)) & isfinite(x) & !whole, not_a_number<V>(), result);
}

template <class V>
V pow_integer(V x, V n) {
    V result = V(1), square = x;
    constexpr bool is_signed = std::is_signed_v<typename V::scalar>;
    for (int bit = 0; bit < width<V> - is_signed; ++bit) {
        V one_or_zero = lshr(n, bit) & V(1);
        result = result * (V(1) + one_or_zero * (square - V(1)));
        square = square * square;
    }
    if constexpr (is_signed) {
        // 1 / x^-n, truncated: only of 1 and -1 it is not zero.
        V reciprocal = select(x == V(1), V(1), V(0));
        V sign = select((n & V(1)) != V(0), V(-1), V(1));
        reciprocal = select(x == V(-1), sign, reciprocal);
        result = select(n < V(0), reciprocal, result);
    }
    return result;
}

}  // namespace detail

template <class V>
V pow(V x, V y) {
    if constexpr (is_real<V>)
        return detail::pow_real(x, y);
    else
        return detail::pow_integer(x, y);
}

}  // namespace sinter::math

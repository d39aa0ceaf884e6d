// Logarithms. x = 2^k (1 + f), sqrt(1/2) <= 1 + f < sqrt(2), s = f / (2 + f), log(1 + f) = 2 atanh
// s; the tail of the series by polynomials (fit_math.py). log and log1p sum 2 atanh s as f - (f^2/2
// - s (f^2/2 + s^2 P)), which needs no pair, and in f32 have a polynomial of f, which needs no
// quotient; log2, log10 and pow use pairs.
#pragma once

#include <sinter/math/pair.hpp>

namespace sinter::math {
namespace detail {

template <class V, class I = decltype(bits(V(0)))>
struct binade {
    V k;       // x = 2^k m
    I biased;  // k + exponent bias
    V m;       // in [sqrt(1/2), sqrt(2))
};

/// Of normal x > 0; m in [root, 2 root), where root is near sqrt(1/2).
template <class V>
binade<V> split_normal(V x, V root) {
    using I = decltype(bits(x));
    I word = bits(x);
    // Adding the distance from the root to 1 carries into the exponent from twice the root on.
    I biased = lshr(word + (bits(V(1)) - bits(root)), fraction_bits<V>);
    V m = from_bits<V>(word - ((biased - I(exponent_bias<V>)) << fraction_bits<V>));
    V magic = constant<V>(0x1p52, 0x1p23);
    V k = from_bits<V>(biased + bits(magic)) - (magic + V(exponent_bias<V>));
    return {k, biased, m};
}

/// Of x > 0; a subnormal is scaled up first.
template <class V>
binade<V> split_binade(V x) {
    auto small = x < V::from(std::numeric_limits<typename V::scalar>::min());
    constexpr int shift = 64;
    V root = constant<V>(0x1.6a09e667f3bcdp-1, 0x1.6a09e6p-1);
    auto b = split_normal(select(small, x * V(0x1p64), x), root);
    return {select(small, b.k - V(shift), b.k), b.biased, b.m};
}

/// The logarithm's values off the positive finite numbers: -inf at 0, NaN below, x at inf and NaN.
template <class V>
V log_special(V x, V value) {
    V below = select(x == V(0), lowest<V>(), not_a_number<V>());
    return select(x < highest<V>(), select(x > V(0), value, below), x);
}

/// log(1 + f) - f, sqrt(1/2) <= 1 + f <= sqrt(2); `more` is added to it.
template <class V>
V log_rest(V f, V more) {
    if constexpr (is_double<V>) {
        V s = f / (V(2) + f);
        V z = s * s;
        V half_square = V(0.5) * f * f;
        return fma(s, half_square + z * polynomial<coefficients::log_f64>(z), more) - half_square;
    } else {
        return fma(f * f, polynomial<coefficients::log_near_f32>(f), more);
    }
}

/// s = f / (2 + f) for f = hi + lo.
template <class V>
pair<V> half_tanh(V hi, V lo) {
    pair<V> denominator = fast_sum(V(2), hi);
    return quotient(pair<V>{hi, lo}, {denominator.hi, denominator.lo + lo});
}

/// 2 atanh s = log((1 + s) / (1 - s)), good to about 2^-59 (f32: 2^-29) of itself.
template <class V>
pair<V> twice_atanh(pair<V> s) {
    V z = s.hi * s.hi;
    V tail = polynomial_of<coefficients::log_f64, coefficients::log_f32>(z);
    pair<V> twice = {s.hi + s.hi, s.lo + s.lo};
    return fast_sum(twice.hi, fma(s.hi * z, tail, twice.lo));
}

/// log(1 + f), likewise.
template <class V>
pair<V> log_pair(V hi, V lo) {
    return twice_atanh(half_tanh(hi, lo));
}

template <class V>
pair<V> one_over_ln2() {
    return {constant<V>(0x1.71547652b82fep+0, 0x1.715476p+0),
            constant<V>(0x1.777d0ffda0d24p-56, 0x1.4ae0cp-26)};
}

/// k ln2 + part.
template <class V>
pair<V> add_binades(V k, pair<V> part) {
    pair<V> head = sum(k * ln2_hi<V>(), part.hi);
    return {head.hi, head.lo + fma(k, ln2_lo<V>(), part.lo)};
}

/// log x of positive finite x; in f64 the error is that of the smaller part.
template <class V>
pair<V> log_number(V x) {
    auto b = split_binade(x);
    V f = b.m - V(1);
    // In f32 a product with that would be off by a place.
    if constexpr (!is_double<V>) return add_binades(b.k, log_pair(f, V(0)));
    pair<V> head = fast_sum(b.k * ln2_hi<V>(), f);
    return {head.hi, head.lo + log_rest(f, b.k * ln2_lo<V>())};
}

/// log x / log base: `scale` is 1 / log base, `binade` what log 2 is in it, with products by
/// exponents that are exact.
template <class V>
V log_in(V x, pair<V> scale, pair<V> binade) {
    auto b = split_binade(x);
    V f = b.m - V(1);
    pair<V> linear = product(f, scale.hi);
    pair<V> head = fast_sum(b.k * binade.hi, linear.hi);
    V tail = fma(b.k, binade.lo, fma(f, scale.lo, linear.lo));
    return log_special(x, head.hi + (head.lo + fma(log_rest(f, V(0)), scale.hi, tail)));
}

/// log(u.hi + u.lo) of positive finite u.hi; near 1 it is as good as u - 1 is.
template <class V>
pair<V> log_sum(pair<V> u) {
    using I = decltype(bits(u.hi));
    auto b = split_binade(u.hi);
    // u.lo 2^-k; it is lost for large k.
    I limit = I(exponent_bias<V> + 100);
    V scaled =
        u.lo *
        select(b.biased > limit, V(0),
               exp2_integer<V>(I(exponent_bias<V>) - select(b.biased > limit, limit, b.biased)));
    pair<V> f = fast_sum(b.m - V(1), scaled);
    return add_binades(b.k, log_pair(f.hi, f.lo));
}

/// log(a / b) of positive finite pairs; near 1 it is as good as a - b is.
template <class V>
pair<V> log_ratio(pair<V> a, pair<V> b) {
    V k = split_binade(a.hi / b.hi).k;
    auto minus_k = round_to_integer(-k).integer;
    V hi = scale(a.hi, minus_k), lo = scale(a.lo, minus_k);
    pair<V> numerator = raised(sum(hi, -b.hi), lo - b.lo);
    pair<V> denominator = raised(sum(hi, b.hi), lo + b.lo);
    return add_binades(k, twice_atanh(quotient(numerator, denominator)));
}

}  // namespace detail

template <class V>
V log(V x) {
    using namespace detail;
    auto b = split_binade(x);
    V f = b.m - V(1);
    if constexpr (is_double<V>) {
        V y = fma(b.k, ln2_hi<V>(), f + log_rest(f, b.k * ln2_lo<V>()));
        return log_special(x, y);
    } else {
        return log_special(x, fma(b.k, ln2_near<V>(), log_rest(f, f)));
    }
}

template <class V>
V log1p(V x) {
    using namespace detail;
    using I = decltype(bits(x));
    // 1 + x = 2^k (1 + f), f = 2^-k x - (1 - 2^-k)
    // In f32 3/2 is not halved: 1 + x is rounded, and below 1/2 the sum with ln2 errs by more.
    V first = constant<V>(0x1.6a09e667f3bcdp-1, 0x1.800002p-1);
    I biased = lshr(bits(V(1) + x) + (bits(V(1)) - bits(first)), fraction_bits<V>);
    I shift = (biased - I(exponent_bias<V>)) << fraction_bits<V>;
    V magic = constant<V>(0x1p52, 0x1p23);
    V minus_k = (magic + V(exponent_bias<V>)) - from_bits<V>(biased + bits(magic));
    V scaled = from_bits<V>(bits(x) - shift);
    V less = fma(V(-0.25), from_bits<V>(bits(V(4)) - shift), V(1));
    V y;
    if constexpr (is_double<V>) {
        pair<V> f = sum(scaled, -less);
        V small = fma(minus_k, -ln2_lo<V>(), fma(-f.hi, f.lo, f.lo));
        y = fma(minus_k, -ln2_hi<V>(), f.hi + log_rest(f.hi, small));
        y = select(x == V(0), x, y);
    } else {
        // The signs are such that -0 stays. Where 1 + f is in (3/4, 3/2] an f that is rounded comes
        // with a result that is not small.
        V f = scaled - less;
        V near = fma(f * f, polynomial<coefficients::log1p_f32>(f), f);
        y = fma(minus_k, -ln2_near<V>(), near);
    }
    V below = select(x == V(-1), lowest<V>(), not_a_number<V>());
    return select(x < highest<V>(), select(x > V(-1), y, below), x);
}

namespace detail {

/// log2 x without pairs.
template <class V>
V log2_fast(V x) {
    auto b = split_binade(x);
    V f = b.m - V(1);
    if constexpr (is_double<V>) {
        V s = f / (V(2) + f), z = s * s, half_square = V(0.5) * f * f;
        V tail = fma(z, polynomial_in_halves<coefficients::log_f64>(z), half_square);
        f = f - fma(-s, tail, half_square);
        return log_special(x, fma(f, one_over_ln2<V>().hi, b.k));
    } else {
        return log_special(x, fma(f, polynomial<coefficients::log2_fast_f32>(f), b.k));
    }
}

}  // namespace detail

template <class V>
V log2(V x) {
    using namespace detail;
    if (V::fast()) return log2_fast(x);
    if constexpr (is_double<V>) return log_in(x, one_over_ln2<V>(), {V(1), V(0)});
    // A polynomial of its own: near sqrt(2) the general way is off by a place.
    auto b = split_binade(x);
    V f = b.m - V(1);
    pair<V> linear = product(f, one_over_ln2<V>().hi);
    pair<V> head = fast_sum(b.k, linear.hi);
    V tail = fma(f, one_over_ln2<V>().lo, linear.lo);
    V rest = fma(f * f, polynomial<coefficients::log2_near_f32>(f), tail);
    return log_special(x, head.hi + (head.lo + rest));
}

template <class V>
V log10(V x) {
    using namespace detail;
    if (V::fast()) return log2_fast(x) * V(0x1.34413509f79ffp-2);
    pair<V> scale = {constant<V>(0x1.bcb7b1526e50ep-2, 0x1.bcb7b2p-2),
                     constant<V>(0x1.95355baaafad3p-57, -0x1.5b235ep-27)};
    return log_in(x, scale,
                  {constant<V>(0x1.34413509f78p-2, 0x1.3442p-2),
                   constant<V>(0x1.fef311f12b358p-46, -0x1.95ec1p-19)});
}

/// x log y, 0 where x is 0, unless y is NaN.
template <class V>
V xlogy(V x, V y) {
    using namespace detail;
    if (V::fast()) return select(y != y, y, select(x == V(0), V(0), x * log(y)));
    V value = times(x, log_number(y));
    // An infinite x would meet the tail's sign.
    V infinite = select(y < V(1), -x, select(y == V(1), not_a_number<V>(), x));
    value = select(abs(x) < highest<V>(), value, infinite);
    value = select(y > V(0), value, x * select(y == V(0), lowest<V>(), not_a_number<V>()));
    value = select(y < highest<V>(), value, x * y);
    return select(y != y, y, select(x == V(0), V(0), value));
}

}  // namespace sinter::math

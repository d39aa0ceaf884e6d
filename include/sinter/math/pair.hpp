// Numbers held as an unevaluated sum of two, their exact sums and products, and polynomials: the
// parts that the transcendental functions share. Sums and products are Dekker's, Knuth's and the
// fma product.
#pragma once

#include <sinter/math/arith.hpp>
#include <sinter/math/tables/coefficients.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace sinter::math::detail {

template <class V>
struct pair {
    V hi, lo;
};

/// a + b exactly, where |a| >= |b| or a is zero.
template <class V>
pair<V> fast_sum(V a, V b) {
    V hi = a + b;
    return {hi, (a - hi) + b};
}

/// a + b exactly.
template <class V>
pair<V> sum(V a, V b) {
    V hi = a + b;
    V part = hi - a;
    return {hi, (a - (hi - part)) + (b - part)};
}

/// a * b exactly, unless it underflows.
template <class V>
pair<V> product(V a, V b) {
    V hi = a * b;
    return {hi, fma(a, b, -hi)};
}

template <class V>
pair<V> operator*(pair<V> a, pair<V> b) {
    pair<V> p = product(a.hi, b.hi);
    return {p.hi, fma(a.hi, b.lo, fma(a.lo, b.hi, p.lo))};
}

template <class V>
pair<V> quotient(pair<V> a, pair<V> b) {
    V inverse = V(1) / b.hi;
    V q = a.hi * inverse;
    V rest = fma(-q, b.hi, a.hi) + fma(-q, b.lo, a.lo);
    return {q, rest * inverse};
}

/// The root of a >= 0; of 0 it is 0.
template <class V>
pair<V> square_root(pair<V> a) {
    V h = sqrt(a.hi);
    V rest = (fma(-h, h, a.hi) + a.lo) / (h + h);
    return {h, select(h > V(0), rest, V(0))};
}

/// x (a.hi + a.lo), rounded once but for what a.lo lacks.
template <class V>
V times(V x, pair<V> a) {
    return fma(x, a.hi, x * a.lo);
}

/// b added to the pair of an exact sum.
template <class V>
pair<V> raised(pair<V> a, V b) {
    return {a.hi, a.lo + b};
}

template <class V>
pair<V> select_pair(typename V::mask m, pair<V> a, pair<V> b) {
    return {select(m, a.hi, b.hi), select(m, a.lo, b.lo)};
}

template <class V>
V total(pair<V> a) {
    return a.hi + a.lo;
}

/// The polynomial with coefficients C, lowest first, by Horner's rule.
template <const auto& C, std::size_t I = 0, class V>
V polynomial(V x) {
    if constexpr (I + 1 == std::size(C))
        return V(C[I]);
    else
        return fma(polynomial<C, I + 1>(x), x, V(C[I]));
}

/// C64 or C32, as the type of V is.
template <const auto& C64, const auto& C32, class V>
V polynomial_of(V x) {
    if constexpr (is_double<V>)
        return polynomial<C64>(x);
    else
        return polynomial<C32>(x);
}

/// The even or the odd part of a polynomial, as one of x^2.
template <const auto& C, std::size_t I, class V>
V every_second(V square) {
    if constexpr (I + 2 >= std::size(C))
        return V(C[I]);
    else
        return fma(every_second<C, I + 2>(square), square, V(C[I]));
}

/// The polynomial as its even and its odd part, which a processor computes at the same time: a long
/// one under fast math, since it rounds more often than Horner's.
template <const auto& C, class V>
V polynomial_in_halves(V x) {
    V square = x * x;
    return fma(every_second<C, 1>(square), x, every_second<C, 0>(square));
}
/// C64 so, or C32 by Horner's rule.
template <const auto& C64, const auto& C32, class V>
V quick_polynomial_of(V x) {
    if constexpr (is_double<V>)
        return polynomial_in_halves<C64>(x);
    else
        return polynomial<C32>(x);
}

/// c64 or c32, as the type of V is.
template <class V>
V constant(double c64, double c32) {
    return V(is_double<V> ? c64 : c32);
}

// ---- the format

template <class V>
inline constexpr int fraction_bits = is_double<V> ? 52 : 23;
template <class V>
inline constexpr int exponent_bias = is_double<V> ? 1023 : 127;

/// 2^n, n an integer number of V's width and in the range of normal exponents.
template <class V, class I>
V exp2_integer(I n) {
    return from_bits<V>((n + I(exponent_bias<V>)) << fraction_bits<V>);
}

/// x 2^n for any n that a finite result can have, rounded once.
template <class V, class I>
V scale(V x, I n) {
    constexpr int offset = 4096;  // halves a negative n without an arithmetic shift
    I half = lshr(n + I(offset), 1) - I(offset / 2);
    return x * exp2_integer<V>(half) * exp2_integer<V>(n - half);
}

/// Whether n is odd, as a comparison of floats of its width: one that compilers vectorise.
template <class V, class I>
typename V::mask is_odd(I n) {
    return from_bits<V>((n << (width<V> - 1)) | bits(V(1))) < V(0);
}

/// x rounded to an integer, as a float and as an integer; |x| below 2^(fraction bits - 2).
template <class V, class I = decltype(bits(V(0)))>
struct rounded {
    V value;
    I integer;
};
template <class V>
rounded<V> round_to_integer(V x) {
    V magic = constant<V>(0x1.8p52, 0x1.8p23);
    V shifted = x + magic;
    return {shifted - magic, bits(shifted) - bits(magic)};
}

template <class V>
V not_a_number() {
    return V::from(std::numeric_limits<typename V::scalar>::quiet_NaN());
}

// ln 2 = hi + lo; the products of hi with exponents are exact
template <class V>
V ln2_hi() {
    return constant<V>(0x1.62e42fefa3800p-1, 0x1.62e4p-1);
}
template <class V>
V ln2_lo() {
    return constant<V>(0x1.ef35793c76730p-45, 0x1.7f7d1cp-20);
}

// ln2 rounded, and what it lacks. In an fma with x the product with k is exact, and so is the sum.
template <class V>
V ln2_near() {
    return constant<V>(0x1.62e42fefa39efp-1, 0x1.62e43p-1);
}
template <class V>
V ln2_rest() {
    return constant<V>(0x1.abc9e3b39803fp-56, -0x1.05c610p-29);
}

}  // namespace sinter::math::detail

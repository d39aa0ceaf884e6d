// exp, exp2, expm1 and sigmoid. Reduction x = k ln2 + r, |r| <= ln2 / 2, and exp r = 1 + t by one
// polynomial (fit_math.py). `exp_reduced` is for functions that need exp as a pair: the even and
// the odd part of exp r by polynomials, summed as pairs.
#pragma once

#include <sinter/math/fast/logistic.hpp>

namespace sinter::math {
namespace detail {

/// x = k ln2 + r. exp r = odd + even + 1, odd = sinh r and even = cosh r - 1, each as a leading
/// term and the rest.
template <class V, class I = decltype(bits(V(0)))>
struct exp_parts {
    I k;
    V r;
    pair<V> odd, even;
};

/// Of x = k ln2 + r + r_lo.
template <class V, class I>
exp_parts<V> expand_exp(I k, V r, V r_lo) {
    V half = V(0.5) * r;
    pair<V> square = product(half, r);
    V z = r * r;
    V sinh_tail = polynomial_of<coefficients::sinh_f64, coefficients::sinh_f32>(z);
    V cosh_tail = polynomial_of<coefficients::cosh_f64, coefficients::cosh_f32>(z);
    return {k,
            r,
            {r, fma(r * z, sinh_tail, r_lo)},
            {square.hi, fma(z * z, cosh_tail, fma(r, r_lo, square.lo))}};
}

/// Of hi + lo; |hi| below 1100 (f32: 150), |lo| small against hi.
template <class V>
exp_parts<V> split_exp(V hi, V lo) {
    auto n = round_to_integer(hi * constant<V>(0x1.71547652b82fep+0, 0x1.715476p+0));
    V exact = fma(-n.value, ln2_hi<V>(), hi);
    V tail = fma(n.value, ln2_lo<V>(), -lo);
    V r = exact - tail;
    return expand_exp(n.integer, r, (exact - r) - tail);
}

/// exp r - 1.
template <class V>
pair<V> expm1_reduced(const exp_parts<V>& e) {
    pair<V> head = fast_sum(e.odd.hi, e.even.hi);
    return {head.hi, head.lo + (e.odd.lo + e.even.lo)};
}

/// exp r, to a little more than the precision of V.
template <class V>
pair<V> exp_reduced(const exp_parts<V>& e) {
    pair<V> p = expm1_reduced(e);
    pair<V> head = fast_sum(V(1), p.hi);
    return fast_sum(head.hi, head.lo + p.lo);
}

/// x within [lo, hi]; NaN stays.
template <class V>
V within(V x, V lo, V hi) {
    return select(x < lo, lo, select(x > hi, hi, x));
}

/// 2^-n for n >= 0, zero where that is lost beside 1.
template <class V, class I>
V exp2_negative(I n) {
    I limit = I(is_double<V> ? 120 : 60);
    return select(n > limit, V(0), exp2_integer<V>(-select(n > limit, I(0), n)));
}

}  // namespace detail

namespace detail {

/// x = k ln2 + r, |r| <= ln2 / 2, or k + r, |r| <= 1/2. `word` has k and twice the exponent's bias
/// in its low bits: as much as two powers of two need.
template <class V, class I = decltype(bits(V(0)))>
struct multiple {
    V k;
    I word;
    V r;
};

/// A sum with it rounds to an integer.
template <class V>
V multiple_magic() {
    return constant<V>(0x1.80000000007fep52, 0x1.8001fcp23);
}

/// x rounded to an integer after a product with `factor`; r is left to the caller.
template <class V>
multiple<V> nearest_multiple(V x, V factor) {
    V magic = multiple_magic<V>();
    V shifted = fma(x, factor, magic);
    return {shifted - magic, bits(shifted), x};
}

template <class V>
V log2_e() {
    return constant<V>(0x1.71547652b82fep+0, 0x1.715476p+0);
}

/// |x| below 1100 (f32: 150). The error of r is half a unit in its last place.
template <class V>
multiple<V> reduce_exp(V x) {
    auto m = nearest_multiple(x, log2_e<V>());
    m.r = fma(-m.k, ln2_rest<V>(), fma(-m.k, ln2_near<V>(), x));
    return m;
}

/// (exp r - 1) / r
template <class V>
V exp_slope(V r) {
    return fma(polynomial_of<coefficients::exp_f64, coefficients::exp_f32>(r), r, V(1));
}

/// 2^k = a b for any k that a finite result can have.
template <class V>
struct powers {
    V a, b;
};
template <class V, class I>
powers<V> split_power(I word) {
    I half = lshr(word, 1);
    return {from_bits<V>(half << fraction_bits<V>),
            from_bits<V>((word - half) << fraction_bits<V>)};
}

/// exp r 2^k, zero where `gone`: what is far below the range would be slow, as all subnormal
/// numbers are, and is frequent where infinities mask elements.
template <class V, class I>
V exp_scaled(V r, I word, typename V::mask gone) {
    auto power = split_power<V>(word);
    return select(gone, V(0), fma(exp_slope(r), r, V(1)) * power.a * power.b);
}

}  // namespace detail

template <class V>
V exp(V x) {
    using namespace detail;
    if (V::fast()) return fast::exp(x);
    auto gone = x < constant<V>(-746, -104);
    V limit = constant<V>(710, 89);
    auto m = reduce_exp(select(gone, V(0), select(x > limit, limit, x)));
    return exp_scaled(m.r, m.word, gone);
}

template <class V>
V exp2(V x) {
    using namespace detail;
    if (V::fast()) return fast::exp2(x);
    auto gone = x < constant<V>(-1076, -151);
    V limit = constant<V>(1025, 129);
    V inside = select(gone, V(0), select(x > limit, limit, x));
    auto m = nearest_multiple(inside, V(1));
    V part = inside - m.k;
    V r = fma(part, ln2_near<V>(), part * ln2_rest<V>());
    return exp_scaled(r, m.word, gone);
}

namespace detail {

/// 2^(hi + lo), |hi| at most 1100 (f32: 160), |lo| small against hi.
template <class V>
exp_parts<V> split_exp2(V hi, V lo) {
    auto n = round_to_integer(hi);
    V part = hi - n.value;
    pair<V> r = product(part, ln2_near<V>());
    V rest = fma(part, ln2_rest<V>(), fma(lo, ln2_near<V>(), r.lo));
    return expand_exp(n.integer, r.hi, rest);
}

/// exp x = 2^k (1 + t.hi + t.lo), with k as in `multiple`.
template <class V, class I = decltype(bits(V(0)))>
struct exp_pair {
    I word;
    pair<V> t;
};
template <class V>
exp_pair<V> exp_with_rest(V x) {
    auto m = nearest_multiple(x, log2_e<V>());
    V exact = fma(-m.k, ln2_near<V>(), x);
    V r = fma(-m.k, ln2_rest<V>(), exact);
    V r_lo = fma(-m.k, ln2_rest<V>(), exact - r);
    V tail = polynomial_of<coefficients::expm1_f64, coefficients::expm1_f32>(r);
    V rest = fma(r * r, tail, fma(r, r_lo, r_lo));
    return {m.word, fast_sum(r, rest)};
}

/// The same as 2^k (t.hi + t.lo), by the shorter polynomial.
template <class V>
exp_pair<V> exp_near_one(V x) {
    auto m = nearest_multiple(x, log2_e<V>());
    // r = head - tail; the head is exact.
    V head = fma(-m.k, ln2_near<V>(), x), tail = m.k * ln2_rest<V>();
    V slope = exp_slope(head - tail);
    V hi = fma(head, slope, V(1));
    return {m.word, {hi, fma(-tail, slope, fma(head, slope, V(1) - hi))}};
}

/// 2^(a b) for results in float, still in double; |a b| below 1000.
template <class V>
V exp2_short(V a, V b) {
    // The exponent's bias is in the low bits already.
    V magic = V(0x1.80000000003ffp52), shifted = fma(a, b, magic);
    V r = fma(a, b, magic - shifted);
    return polynomial<coefficients::exp2_short>(r) * from_bits<V>(bits(shifted) << 52);
}

/// 2^k of the word of a `multiple`, k in the range of normal exponents.
template <class V, class I>
V power_of(I word) {
    return from_bits<V>((word - I(exponent_bias<V>)) << fraction_bits<V>);
}

/// c + f t; exactly but for what t lacks, where the sum is near c or c is zero.
template <class V>
pair<V> fused_sum(V f, pair<V> t, V c) {
    V hi = fma(f, t.hi, c);
    return {hi, fma(f, t.lo, fma(f, t.hi, c - hi))};
}

}  // namespace detail

template <class V>
V expm1(V x) {
    using namespace detail;
    if (V::fast()) return fast::expm1(x);
    V limit = constant<V>(710, 89);
    V inside = select(x > limit, limit, x);
    auto e = exp_with_rest(select(inside < V(-40), V(-40), inside));
    // 2^k (t + (1 - 2^-k)). 2^(1 - k) is never subnormal, and zero at the end of the range.
    using I = decltype(e.word);
    V twice = from_bits<V>((I(3 * exponent_bias<V> + 1) - e.word) << fraction_bits<V>);
    V offset = fma(V(-0.5), twice, V(1));
    V offset_lo = fma(V(-0.5), twice, V(1) - offset);
    pair<V> head = fast_sum(offset, e.t.hi);
    auto power = split_power<V>(e.word);
    V y = (head.hi + (head.lo + (e.t.lo + offset_lo))) * power.a * power.b;
    return select(x == V(0), x, y);
}

namespace detail {

/// p 2^k
template <class V, class I = decltype(bits(V(0)))>
struct scaled_pair {
    pair<V> p;
    I k;
};

/// exp(-|x|), zero beyond what x exp(x) can show. `value` is p 2^k as a pair, zero where it is lost
/// beside 1.
template <class V>
struct decay : scaled_pair<V> {
    pair<V> value;
};
template <class V>
decay<V> decay_of(const exp_parts<V>& e) {
    pair<V> p = exp_reduced(e);
    V power = exp2_negative<V>(-e.k);
    return {{p, e.k}, {p.hi * power, p.lo * power}};
}
template <class V>
decay<V> exp_decay(V x) {
    return decay_of(split_exp(within(-abs(x), constant<V>(-752, -110), V(0)), V(0)));
}

/// 1 / (1 + exp(-x)) as a pair times a power of two. With exp(-x) = 2^k (1 + t) the denominator is
/// 2^n + 2^(n + k) (1 + t), n = -max(k, 0). The signs of k are told apart by integers: with a mask
/// for it g++ makes two loops' worth of code.
template <class V>
struct logistic_parts {
    pair<V> value;
    powers<V> power;
};
template <class V>
logistic_parts<V> logistic(V x) {
    auto m = nearest_multiple(x, -log2_e<V>());
    // r = head - tail; the head is exact.
    V head = fma(-m.k, ln2_near<V>(), -x), tail = m.k * ln2_rest<V>();
    V slope = exp_slope(head - tail);
    using I = decltype(m.word);
    I offset = I(2 * exponent_bias<V>), k = m.word - bits(multiple_magic<V>());
    I negative = select(k < I(0), k, I(0));
    V right = power_of<V>(negative + offset);
    auto power = split_power<V>(offset - (k - negative));
    V s = right * power.a * power.b;
    V step = head * right;
    V d = fma(step, slope, V(1) + s);
    V d_lo = fma(-tail * right, slope, fma(step, slope, s - (d - V(1))));
    V q = V(1) / d;
    V rest = fma(-q, d_lo, fma(-q, d, V(1)));
    return {{q, q * rest}, power};
}

/// x within what the sigmoid function shows.
template <class V>
V logistic_range(V x) {
    V low = constant<V>(-752, -110), high = constant<V>(60, 30);
    V limited = select(x < low, low, x);
    return select(limited > high, high, limited);
}

}  // namespace detail

/// 1 / (1 + exp(-x)).
template <class V>
V sigmoid(V x) {
    using namespace detail;
    if (V::fast()) return fast::sigmoid(x);
    auto l = logistic(logistic_range(x));
    return total(l.value) * l.power.a * l.power.b;
}

}  // namespace sinter::math

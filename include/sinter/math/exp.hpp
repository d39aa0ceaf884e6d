// exp, exp2, expm1 and sigmoid. Reduction x = k ln2 + r, |r| <= ln2 / 2, with r as a pair; the even
// and the odd part of exp r by polynomials (fit_math.py), summed as pairs where the result is not 1
// + small.
#pragma once

#include <sinter/math/pair.hpp>

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

/// exp of what was split, rounded.
template <class V>
V exp_rounded(const exp_parts<V>& e) {
    V y = V(1) + (e.r + (e.even.hi + (e.odd.lo + e.even.lo)));
    return scale(y, e.k);
}

}  // namespace detail

template <class V>
V exp(V x) {
    using namespace detail;
    return exp_rounded(split_exp(within(x, constant<V>(-746, -104), constant<V>(710, 89)), V(0)));
}

namespace detail {

/// 2^(hi + lo), |hi| at most 1100 (f32: 160), |lo| small against hi.
template <class V>
exp_parts<V> split_exp2(V hi, V lo) {
    auto n = round_to_integer(hi);
    V part = hi - n.value;
    V ln2 = constant<V>(0x1.62e42fefa39efp-1, 0x1.62e43p-1);
    pair<V> r = product(part, ln2);
    V rest = fma(part, constant<V>(0x1.abc9e3b39803fp-56, -0x1.05c610p-29), fma(lo, ln2, r.lo));
    return expand_exp(n.integer, r.hi, rest);
}

}  // namespace detail

template <class V>
V exp2(V x) {
    using namespace detail;
    return exp_rounded(
        split_exp2(within(x, constant<V>(-1080, -155), constant<V>(1026, 130)), V(0)));
}

template <class V>
V expm1(V x) {
    using namespace detail;
    auto e = split_exp(within(x, V(-50), constant<V>(710, 89)), V(0));
    // 2^k (p + 1) - 1 = 2^k (p + (1 - 2^-k))
    using I = decltype(e.k);
    pair<V> p = expm1_reduced(e);
    I limit = I(is_double<V> ? 120 : 60);
    V power = select(e.k > limit, V(0), exp2_integer<V>(-select(e.k > limit, I(0), e.k)));
    pair<V> offset = fast_sum(select(e.k < I(0), -power, V(1)), select(e.k < I(0), V(1), -power));
    pair<V> head = sum(offset.hi, p.hi);
    V y = scale(head.hi + (head.lo + (p.lo + offset.lo)), e.k);
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

/// 1 / (1 + exp(-x)): with w = exp(-|x|), 1 / (1 + w) or w / (1 + w).
template <class V>
scaled_pair<V> logistic(V x) {
    auto w = exp_decay(x);
    using I = decltype(w.k);
    pair<V> denominator = raised(fast_sum(V(1), w.value.hi), w.value.lo);
    auto left = x < V(0);
    pair<V> numerator = select_pair(left, w.p, pair<V>{V(1), V(0)});
    return {quotient(numerator, denominator), select(left, w.k, I(0))};
}

}  // namespace detail

/// 1 / (1 + exp(-x)).
template <class V>
V sigmoid(V x) {
    using namespace detail;
    auto y = logistic(x);
    return select(x != x, x, scale(total(y.p), y.k));
}

}  // namespace sinter::math

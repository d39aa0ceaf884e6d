// What neural networks put after a layer. Results are products with a pair, rounded once.
#pragma once

#include <sinter/math/hyperbolic.hpp>
#include <sinter/math/log_add_exp.hpp>

namespace sinter::math {
namespace detail {

/// x p 2^k, of x's sign: x where that is large, NaN at -inf, where the product is infinity by zero.
/// p 2^k is about exp(x) below and nearly 1 above.
template <class V>
V gate(V x, scaled_pair<V> factor) {
    V limited = within(x, constant<V>(-752, -110), V(60));
    V y = copysign(scale(times(limited, factor.p), factor.k), x);
    y = select(x > V(60), x, y);
    return select((x == lowest<V>()) | (x != x), not_a_number<V>(), y);
}

/// (x + 3) / 6 for |x| <= 3.
template <class V>
pair<V> hard_ramp(V x) {
    return quotient(sum(within(x, V(-4), V(4)), V(3)), pair<V>{V(6), V(0)});
}

/// tanh(log(1 + exp x)) = n / (n + 2), n = exp(x) (exp(x) + 2).
template <class V>
scaled_pair<V> mish_gate(V x) {
    auto w = exp_decay(x);
    using I = decltype(w.k);
    auto left = x < V(0);
    // w = exp x: n = w (w + 2), its first factor as p 2^k
    pair<V> more = raised(fast_sum(V(2), w.value.hi), w.value.lo);
    pair<V> n = w.value * more;
    pair<V> left_denominator = raised(sum(V(2), n.hi), n.lo);
    // w = exp(-x): (1 + 2 w) / (1 + 2 w + 2 w^2)
    pair<V> right_numerator = raised(sum(V(1), V(2) * w.value.hi), V(2) * w.value.lo);
    pair<V> square = w.value * w.value;
    pair<V> right_denominator =
        raised(sum(right_numerator.hi, V(2) * square.hi), fma(V(2), square.lo, right_numerator.lo));
    pair<V> q = quotient(select_pair(left, w.p * more, right_numerator),
                         select_pair(left, left_denominator, right_denominator));
    return {q, select(left, w.k, I(0))};
}

}  // namespace detail

/// x sigmoid(x); NaN at -inf, where that is infinity by zero.
template <class V>
V silu(V x) {
    using namespace detail;
    if (V::fast()) return fast::silu(x);
    V limited = logistic_range(x);
    auto l = logistic(limited);
    V y = fma(limited, l.value.hi, limited * l.value.lo) * l.power.a * l.power.b;
    y = select(x > limited, x, y);
    return select(x == lowest<V>(), not_a_number<V>(), y);
}

template <class V>
V mish(V x) {
    if (V::fast()) return fast::mish(x);
    return detail::gate(x, detail::mish_gate(x));
}

/// x / (1 + |x|), NaN at infinities.
template <class V>
V softsign(V x) {
    using namespace detail;
    return copysign(total(quotient(pair<V>{abs(x), V(0)}, sum(V(1), abs(x)))), x);
}

namespace detail {

/// log(1 + exp x) up to 1000: with w = exp(-|x|) it is max(x, 0) + log(1 + w), and 1 + w is halved
/// where f = w would be large.
template <class V>
V log1p_exp_finite(V x) {
    if (V::fast()) return fast::log1p_exp(x);
    V lowest = constant<V>(-746, -104), ax = -abs(x);
    auto w = exp_near_one(select(ax < lowest, lowest, ax));
    auto power = split_power<V>(w.word);
    V s = power.a * power.b;
    pair<V> p = fast_sum(w.t.hi, w.t.lo);
    V hi = p.hi * s, lo = p.lo * s;
    auto large = hi > V(0x1.a827999fcef32p-2);
    V factor = select(large, V(0.5), V(1)), less = select(large, V(-0.5), V(0));
    V f = fma(hi, factor, less);
    V f_lo = fma(lo, factor, fma(hi, factor, less - f));
    V base = select(large, ln2_near<V>(), V(0)), base_lo = select(large, ln2_rest<V>(), V(0));
    V positive = select(x > V(0), x, V(0));
    pair<V> first = fast_sum(base, positive), head = fast_sum(first.hi, f);
    V rest = log_rest(f, base_lo + fma(-f, f_lo, f_lo));
    return head.hi + ((head.lo + first.lo) + rest);
}

}  // namespace detail

/// log(1 + exp x).
template <class V>
V log1p_exp(V x) {
    return select(x > V(1000), x, detail::log1p_exp_finite(x));
}

template <class V>
V log_sigmoid(V x) {
    return -log1p_exp(-x);
}

/// log(1 + exp x), and x above 20, as PyTorch defines it.
template <class V>
V softplus(V x) {
    return select(x > V(20), x, detail::log1p_exp_finite(x));
}

template <class V>
V relu6(V x) {
    return select(x < V(0), V(0), select(x > V(6), V(6), x));
}

/// (x + 3) / 6 within [0, 1].
template <class V>
V hardsigmoid(V x) {
    V y = detail::total(detail::hard_ramp(x));
    return select(x <= V(-3), V(0), select(x >= V(3), V(1), y));
}

/// x hardsigmoid(x); NaN at -inf, where that is infinity by zero.
template <class V>
V hardswish(V x) {
    V y = copysign(detail::times(x, detail::hard_ramp(x)), x);
    return select(x <= V(-3), x * V(0), select(x >= V(3), x, y));
}

}  // namespace sinter::math

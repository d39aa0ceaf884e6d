// asinh, acosh, atanh and logit: logarithms of pairs, which keep log(1 + t) as good as t is.
#pragma once

#include <sinter/math/log.hpp>

namespace sinter::math {
namespace detail {

/// From here on asinh x and acosh x are log 2x.
template <class V>
V inverse_hyperbolic_large() {
    return constant<V>(0x1p28, 0x1p13);
}

/// log of u, or of 2x where x is large.
template <class V>
V log_or_twice(typename V::mask large, V x, pair<V> u) {
    pair<V> l = log_sum(select_pair(large, pair<V>{x, V(0)}, u));
    pair<V> head = sum(l.hi, select(large, ln2_hi<V>(), V(0)));
    return head.hi + (head.lo + (l.lo + select(large, ln2_lo<V>(), V(0))));
}

}  // namespace detail

template <class V>
V asinh(V x) {
    using namespace detail;
    V ax = abs(x);
    auto large = ax > inverse_hyperbolic_large<V>();
    // x + sqrt(1 + x^2) = 1 + (x + x^2 / (1 + sqrt(1 + x^2)))
    V a = select(large, V(1), ax);
    pair<V> square = product(a, a);
    pair<V> root = square_root(raised(sum(V(1), square.hi), square.lo));
    pair<V> t = quotient(square, raised(fast_sum(root.hi, V(1)), root.lo));
    pair<V> less_one = raised(sum(a, t.hi), t.lo);
    V y = log_or_twice(large, ax, raised(sum(V(1), less_one.hi), less_one.lo));
    auto proper = (ax > constant<V>(0x1p-28, 0x1p-13)) & (ax < highest<V>());
    return select(proper, copysign(y, x), x);
}

template <class V>
V acosh(V x) {
    using namespace detail;
    auto large = x > inverse_hyperbolic_large<V>();
    // x + sqrt(x^2 - 1) = 1 + (w + sqrt(w (x + 1))), w = x - 1
    V a = select(large, V(1), x);
    pair<V> w = sum(a, V(-1));
    pair<V> root = square_root(w * sum(a, V(1)));
    pair<V> less_one = raised(sum(w.hi, root.hi), w.lo + root.lo);
    V y = log_or_twice(large, x, raised(sum(V(1), less_one.hi), less_one.lo));
    return select(x >= V(1), select(x < highest<V>(), y, x), not_a_number<V>());
}

template <class V>
V atanh(V x) {
    using namespace detail;
    V ax = abs(x);
    V a = select(ax < V(1), ax, V(0));
    V y = V(0.5) * total(log_ratio(sum(V(1), a), sum(V(1), -a)));
    y = select(ax < V(1), y, select(ax == V(1), highest<V>(), not_a_number<V>()));
    return select(ax > constant<V>(0x1p-28, 0x1p-13), copysign(y, x), x);
}

namespace detail {

/// log(x / (1 - x)) of 0 < x < 1 under fast math: with x / (1 - x) near 2^k it is k ln2 + log(1 +
/// f), f = (2^-k x - (1 - x)) / (1 - x). 1 - x is exact from 1/2 on; below, a sum with x is.
template <class V>
V logit_fast(V x) {
    auto small = x < V(0x1p-64);
    V scaled = select(small, x * V(0x1p64), x), inverse = V(1) / (V(1) - x);
    V root = constant<V>(0x1.6a09e667f3bcdp-1, 0x1.6a09e6p-1);
    auto b = split_normal(scaled * inverse, root);
    using I = decltype(b.biased);
    V power = from_bits<V>((I(2 * exponent_bias<V>) - b.biased) << fraction_bits<V>);
    auto low = x < V(0.5);
    V factor = power + select(small, V(0), select(low, V(1), V(0)));
    V f = fma(scaled, factor, select(low, V(-1), x - V(1))) * inverse;
    V k = select(small, b.k - V(64), b.k);
    if constexpr (is_double<V>)
        return fma(k, ln2_hi<V>(), f + log_rest(f, k * ln2_lo<V>()));
    else
        return fma(k, ln2_near<V>(), log_rest(f, f));
}

}  // namespace detail

/// log(x / (1 - x)).
template <class V>
V logit(V x) {
    using namespace detail;
    auto inside = (x > V(0)) & (x < V(1));
    V a = select(inside, x, V(0.5));
    V y = V::fast() ? logit_fast(a) : total(log_ratio(pair<V>{a, V(0)}, sum(V(1), -a)));
    V edge = select(x == V(0), lowest<V>(), select(x == V(1), highest<V>(), not_a_number<V>()));
    return select(inside, y, edge);
}

}  // namespace sinter::math

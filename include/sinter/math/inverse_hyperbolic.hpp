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

/// log(x / (1 - x)).
template <class V>
V logit(V x) {
    using namespace detail;
    auto inside = (x > V(0)) & (x < V(1));
    V a = select(inside, x, V(0.5));
    V y = total(log_ratio(pair<V>{a, V(0)}, sum(V(1), -a)));
    V edge = select(x == V(0), lowest<V>(), select(x == V(1), highest<V>(), not_a_number<V>()));
    return select(inside, y, edge);
}

}  // namespace sinter::math

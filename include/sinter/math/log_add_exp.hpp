// Logarithms of sums of exponentials: the larger exponent and log(1 + w), w = exp(-distance), as a
// pair.
#pragma once

#include <sinter/math/exp.hpp>
#include <sinter/math/log.hpp>

namespace sinter::math {
namespace detail {

/// log(1 + w); where w is small it is w - w^2 / 2.
template <class V>
pair<V> log_one_plus(const decay<V>& w) {
    using I = decltype(w.k);
    auto small = w.k < I(is_double<V> ? -40 : -18);
    pair<V> l = log_sum(raised(sum(V(1), w.value.hi), w.value.lo));
    V first = scale(w.p.hi + fma(V(-0.5) * w.p.hi, w.value.hi, w.p.lo), w.k);
    return select_pair(small, pair<V>{first, V(0)}, l);
}

/// The larger and its distance from the smaller, at most 0; |distance| at most `limit`.
template <class V>
struct ordered {
    V large;
    pair<V> distance;
};
template <class V>
ordered<V> order(V a, V b, V limit) {
    V large = select(a > b, a, b);
    pair<V> d = sum(select(a > b, b, a), -large);
    auto inside = d.hi > -limit;
    return {large, {select(inside, d.hi, -limit), select(inside, d.lo, V(0))}};
}

/// large + l, and what it is where an operand is infinite or NaN.
template <class V>
V add_to_larger(V a, V b, V large, pair<V> l) {
    pair<V> head = sum(large, l.hi);
    V y = select(isfinite(large), head.hi + (head.lo + l.lo), large);
    return select((a != a) | (b != b), not_a_number<V>(), y);
}

}  // namespace detail

/// log(exp a + exp b).
template <class V>
V logaddexp(V a, V b) {
    using namespace detail;
    auto o = order(a, b, constant<V>(752, 110));
    pair<V> l = log_one_plus(decay_of(split_exp(o.distance.hi, o.distance.lo)));
    return add_to_larger(a, b, o.large, l);
}

/// log2(2^a + 2^b).
template <class V>
V logaddexp2(V a, V b) {
    using namespace detail;
    auto o = order(a, b, constant<V>(1090, 160));
    pair<V> l = log_one_plus(decay_of(split_exp2(o.distance.hi, o.distance.lo)));
    return add_to_larger(a, b, o.large, l * one_over_ln2<V>());
}

}  // namespace sinter::math

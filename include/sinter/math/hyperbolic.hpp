// sinh and cosh from the even and odd parts of exp r, x = k ln2 + r:
//   2^(1-k) sinh x = sinh r (1 + t) + cosh r (1 - t)      t = 2^-2k
//   2^(1-k) cosh x = cosh r (1 + t) + sinh r (1 - t)
#pragma once

#include <sinter/math/exp.hpp>

namespace sinter::math {
namespace detail {

template <class V, class I = decltype(bits(V(0)))>
struct hyperbolic_parts {
    I k;
    pair<V> sinh, cosh;  // times 2^(1-k)
};

template <class V>
hyperbolic_parts<V> split_hyperbolic(V ax) {
    auto e = split_exp(ax, V(0));
    V t = exp2_negative<V>(e.k + e.k);
    pair<V> a = fast_sum(V(1), t), b = fast_sum(V(1), -t);
    pair<V> odd_a = product(e.r, a.hi), odd_b = product(e.r, b.hi);
    pair<V> head_s = sum(b.hi, odd_a.hi);
    V tail_s = odd_a.lo + fma(e.odd.lo, a.hi, fma(e.even.lo, b.hi, fma(e.r, a.lo, b.lo)));
    pair<V> head_c = fast_sum(a.hi, odd_b.hi);
    V tail_c = odd_b.lo + fma(e.odd.lo, b.hi, fma(e.even.lo, a.hi, fma(e.r, b.lo, a.lo)));
    return {e.k, fast_sum(head_s.hi, head_s.lo + fma(e.even.hi, b.hi, tail_s)),
            fast_sum(head_c.hi, head_c.lo + fma(e.even.hi, a.hi, tail_c))};
}

}  // namespace detail

template <class V>
V sinh(V x) {
    using namespace detail;
    if (V::fast()) return fast::sinh(x);
    auto h = split_hyperbolic(within(abs(x), V(0), constant<V>(711, 90)));
    using I = decltype(h.k);
    V y = copysign(scale(total(h.sinh), h.k - I(1)), x);
    return select(x == x, y, x);
}

template <class V>
V cosh(V x) {
    using namespace detail;
    if (V::fast()) return fast::cosh(x);
    auto h = split_hyperbolic(within(abs(x), V(0), constant<V>(711, 90)));
    using I = decltype(h.k);
    return select(x == x, scale(total(h.cosh), h.k - I(1)), x);
}

/// e / (e + 2), e = expm1(2 |x|) = 2^k - 1 + 2^k t.
template <class V>
V tanh(V x) {
    using namespace detail;
    if (V::fast()) return fast::tanh(x);
    V ax = abs(x), limit = constant<V>(22, 10);
    V inside = select(ax > limit, limit, ax);
    auto w = exp_with_rest(inside + inside);
    V power = power_of<V>(w.word);
    pair<V> e = fused_sum(power, w.t, power - V(1));
    pair<V> d = raised(sum(e.hi, V(2)), e.lo);
    return copysign(total(quotient(e, d)), x);
}

}  // namespace sinter::math

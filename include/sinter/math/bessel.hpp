// The modified Bessel functions of the first kind, of order 0 and 1, and those over exp |x|. In
// double, by polynomials of x^2 / 4 up to 8 and of 1 / x from there.
#pragma once

#include <sinter/math/normal.hpp>

namespace sinter::math {
namespace detail {

/// The value and the derivative of what C[I + 1] and later make, down to C[1]. Steps, not a loop:
/// the numbers become constants of the code, and no table of one instruction set is linked for all.
template <const auto& C, std::size_t I, class V>
void horner(V z, V& value, V& slope) {
    if constexpr (I > 0) {
        slope = fma(slope, z, value);
        value = fma(value, z, V(C[I]));
        horner<C, I - 1>(z, value, slope);
    }
}

/// A polynomial at z.hi + z.lo, as a pair: the last step is exact, and the slope
/// weighs z.lo.
template <const auto& C, class V>
pair<V> polynomial_pair(pair<V> z) {
    V tail = V(C[std::size(C) - 1]), slope = V(0);
    horner<C, std::size(C) - 2>(z.hi, tail, slope);
    pair<V> step = product(tail, z.hi);
    pair<V> head = sum(step.hi, V(C[0]));
    return {head.hi, head.lo + fma(z.lo, fma(slope, z.hi, tail), step.lo)};
}

/// I_n(x) = near, or far exp(x); x >= 0, and `large` says which.
template <class V>
struct bessel_parts {
    pair<V> near;
    V far;
    typename V::mask large;
};
template <int order, class V>
bessel_parts<V> bessel(V ax) {
    auto large = ax > V(8);
    V small = select(large, V(8), ax);
    V half = V(0.5) * small;
    pair<V> z = product(half, half);
    V inner = select(ax > V(8), ax, V(8));
    V t = V(16) / inner - V(1);
    V root = sqrt(inner);
    if constexpr (order == 0)
        return {polynomial_pair<coefficients::i0_near>(z),
                polynomial<coefficients::i0_far>(t) / root, large};
    else
        return {pair<V>{half, V(0)} * polynomial_pair<coefficients::i1_near>(z),
                polynomial<coefficients::i1_far>(t) / root, large};
}

template <int order, class V>
V bessel_double(V x) {
    V ax = select(x == x, abs(x), V(0));
    auto b = bessel<order>(ax);
    auto e = split_exp(select(ax < V(720), ax, V(720)), V(0));
    V far = scale(times(b.far, exp_reduced(e)), e.k);
    V y = select(b.large, select(ax > V(715), highest<V>(), far), total(b.near));
    if constexpr (order == 1) y = copysign(y, x);
    return select(x == x, y, x);
}

template <int order, class V>
V bessel_scaled(V x) {
    V ax = select(x == x, abs(x), V(0));
    auto b = bessel<order>(ax);
    auto e = split_exp(-select(ax < V(8), ax, V(8)), V(0));
    V near = scale(total(b.near * exp_reduced(e)), e.k);
    V y = select(b.large, select(ax == highest<V>(), V(0), b.far), near);
    if constexpr (order == 1) y = copysign(y, x);
    return select(x == x, y, x);
}

}  // namespace detail

template <class V>
V i0(V x) {
    return detail::in_double(x, [](auto d) { return detail::bessel_double<0>(d); });
}
template <class V>
V i0e(V x) {
    return detail::in_double(x, [](auto d) { return detail::bessel_scaled<0>(d); });
}
template <class V>
V i1(V x) {
    return detail::in_double(x, [](auto d) { return detail::bessel_double<1>(d); });
}
template <class V>
V i1e(V x) {
    return detail::in_double(x, [](auto d) { return detail::bessel_scaled<1>(d); });
}

}  // namespace sinter::math

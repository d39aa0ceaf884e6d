// Under fast math: 1 / (1 + exp(-x)) as s / (c + s), s = c exp x, and what is made of it. The power
// of two c keeps s in the normal range, and s is 0 at the lower bound. A sigmoid function so made
// is never above 1.
#pragma once

#include <sinter/math/fast/exp.hpp>

namespace sinter::math::fast {

template <class V>
inline constexpr int logistic_shift = is_double<V> ? 64 : 40;
template <class V>
V logistic_scale() {
    return constant<V>(0x1p64, 0x1p40);
}
template <class V>
V scaled_exp(V x) {
    return exp_shifted(x, logistic_shift<V>);
}

template <class V>
V lowest_exponent() {
    return constant<V>(-753.5, -116);
}

template <class V>
V sigmoid(V x) {
    V s = scaled_exp(at_least(at_most(x, V(40)), lowest_exponent<V>()));
    return s / (logistic_scale<V>() + s);
}

/// y where x is limited, else x; NaN at -inf, where that is infinity by zero.
template <class V>
V gated(V x, V limited, V y) {
    return select(x == lowest<V>(), not_a_number<V>(), select(x > limited, x, y));
}
template <class V>
V gate_range(V x, double high) {
    return at_least(at_most(x, V(high)), lowest_exponent<V>());
}

template <class V>
V silu(V x) {
    V limited = gate_range(x, 40), s = scaled_exp(limited);
    return gated(x, limited, limited * s / (logistic_scale<V>() + s));
}

/// x n / (n + 2), n = exp(x) (exp(x) + 2). All are scaled so that sums are a little below a power
/// of two, where they lose least by being rounded.
template <class V>
V mish(V x) {
    V limited = gate_range(x, is_double<V> ? 20 : 10), s = scaled_exp(limited);
    V below = V(0.9), c = logistic_scale<V>();
    V n = s * fma(s, below, V(2) * below * c), square = V(2) * below * c * c;
    return gated(x, limited, limited * n / (n + square));
}

/// log(1 + exp x).
template <class V>
V log1p_exp(V x) {
    V w = scaled_exp(at_least(-abs(x), lowest_exponent<V>())) * (V(1) / logistic_scale<V>());
    V p =
        quick_polynomial_of<coefficients::log1p_unit_f64, coefficients::log1p_unit_f32>(w - V(0.5));
    return fma(w, p, select(x > V(0), x, V(0)));
}

}  // namespace sinter::math::fast

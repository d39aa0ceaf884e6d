// hypot. f32 is computed in double.
#pragma once

#include <sinter/math/pair.hpp>

namespace sinter::math {
namespace detail {

/// Of doubles >= 0: squares as pairs, scaled to where they neither overflow nor lose their tails.
template <class V>
V hypot_of(V a, V b) {
    V large = select(a > b, a, b);
    auto high = large > V(0x1p500), low = large < V(0x1p-400);
    V factor = select(high, V(0x1p-600), select(low, V(0x1p600), V(1)));
    V back = select(high, V(0x1p600), select(low, V(0x1p-600), V(1)));
    a = a * factor;
    b = b * factor;
    pair<V> aa = product(a, a), bb = product(b, b);
    pair<V> root = square_root(raised(sum(aa.hi, bb.hi), aa.lo + bb.lo));
    return total(root) * back;
}

}  // namespace detail

/// Infinite where an operand is, beside NaN too.
template <class V>
V hypot(V a, V b) {
    using namespace detail;
    V y;
    if constexpr (is_double<V>) {
        y = hypot_of(abs(a), abs(b));
    } else {
        auto wide_a = convert<double>(a), wide_b = convert<double>(b);
        y = convert<float>(sqrt(fma(wide_a, wide_a, wide_b * wide_b)));
    }
    return select(isinf(a) | isinf(b), highest<V>(), y);
}

}  // namespace sinter::math

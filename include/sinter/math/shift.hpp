// Shifts by any count: outside [0, bits) a left shift gives 0, a right shift the sign.
#pragma once

#include <sinter/math/arith.hpp>

namespace sinter::math {

template <class V>
V shift_left(V x, V n) {
    auto inside = (n >= V(0)) & (n < V(width<V>));
    return select(inside, x << select(inside, n, V(0)), V(0));
}

template <class V>
V shift_right(V x, V n) {
    auto inside = (n >= V(0)) & (n < V(width<V>));
    if constexpr (std::is_unsigned_v<typename V::scalar>)
        return select(inside, x >> select(inside, n, V(0)), V(0));
    else
        return x >> select(inside, n, V(width<V> - 1));
}

}  // namespace sinter::math

// Mean and sum of squared deviations of a set of numbers, and how those of two sets become those of
// their union (Chan, Golub and LeVeque). Generic over the algebra.
#pragma once

#include <sinter/math/algebra.hpp>

namespace sinter::math {

template <class V>
struct moments {
    V mean;
    V squares;  // sum of (x - mean)^2
};

/// `a` of `na` numbers, `b` of `nb` that follow them; both counts positive.
template <class V>
moments<V> merge_moments(moments<V> a, V na, moments<V> b, V nb) {
    V delta = b.mean - a.mean;
    V share = nb / (na + nb);
    return {a.mean + delta * share, (a.squares + b.squares) + (delta * delta) * (na * share)};
}

}  // namespace sinter::math

// The Hurwitz zeta function of any two real numbers.
#pragma once

#include "kernels/special/hurwitz_zeta.cuh"
#include "kernels/special/row_functions.hpp"

namespace sinter::special_pairs::functions {

using on_gpu::zeta_right;
inline f64 zeta_right(f64 x, f64 q) {
    return zeta_right(x, q, [x](f64 a) { return pow(a, -x); });
}
inline f64 zeta(f64 x, f64 q) {
    if (!(x == x) || !(q == q)) return x + q;
    if (x == 1) return infinity();
    if (x < 1) return not_a_number();
    if (q <= 0) {
        const f64 whole = floor(q);
        if (q == whole) return infinity();
        if (x != floor(x) || x == infinity()) return not_a_number();
        // The terms of the sum over all integers, minus those before q.
        const f64 rest = q - whole;
        const f64 others = zeta_right(x, 1 - rest) - zeta_right(x, 1 - q);
        return zeta_right(x, rest) + (fmod(x, 2.0) == 0 ? others : -others);
    }
    if (q == infinity()) return 0;
    if (x == infinity()) return q > 1 ? 0 : q == 1 ? 1 : infinity();
    return zeta_right(x, q);
}

}  // namespace sinter::special_pairs::functions

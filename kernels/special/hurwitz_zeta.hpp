// The Hurwitz zeta function: leading terms of the sum, then the Euler-Maclaurin formula.
#pragma once

#include "kernels/special/row_functions.hpp"

namespace sinter::special_pairs::functions {

/// Returns zeta(x, q) for q > 0 and x > 1. Sums the terms up to q + k = max(12, x), then uses
/// Euler-Maclaurin. `inverse_power(a)` returns a^-x.
template <class Power>
f64 zeta_right(f64 x, f64 q, const Power& inverse_power) {
    // B_2k / (2k)!
    const f64 factors[12] = {1.0 / 12,
                             -1.0 / 720,
                             1.0 / 30240,
                             -1.0 / 1209600,
                             1.0 / 47900160,
                             -691.0 / 1307674368000.0,
                             1.0 / 74724249600.0,
                             -3617.0 / 10670622842880000.0,
                             43867.0 / 5109094217170944000.0,
                             -174611.0 / 802857662698291200000.0,
                             77683.0 / 14101100039391805440000.0,
                             -236364091.0 / 1693824136731743669452800000.0};
    f64 sum = 0;
    f64 a = q;
    for (; a < 12 || a < x; a += 1) {
        const f64 term = inverse_power(a);
        sum += term;
        if (term <= sum * 0x1p-60) return sum;
    }
    const f64 power = inverse_power(a);
    sum += power * a / (x - 1) + 0.5 * power;
    f64 rising = x * power / a;
    for (int k = 0; k < 12; k++) {
        const f64 term = factors[k] * rising;
        sum += term;
        if (fabs(term) <= fabs(sum) * 0x1p-56) break;
        const f64 step = x + 2.0 * k;
        rising *= (step + 1) / a * ((step + 2) / a);
    }
    return sum;
}
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

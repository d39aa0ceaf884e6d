// The Hurwitz zeta function: leading terms of the sum, then the Euler-Maclaurin formula. The CPU
// and GPUs compile the same source, so that their bits agree.
#pragma once

#include "kernels/gpu/elements.cuh"

#ifndef SINTER_DEVICE
#include <cmath>
#include <limits>
#endif

namespace sinter::on_gpu {

#ifdef SINTER_DEVICE
static __device__ inline f64 infinity() { return (f64)__int_as_float(0x7f800000); }
#else
using std::fabs, std::floor;
inline f64 infinity() { return std::numeric_limits<f64>::infinity(); }
#endif

/// Returns zeta(x, q) for q > 0 and x > 1. Sums the terms up to q + k = max(12, x), then uses
/// Euler-Maclaurin. `inverse_power(a)` returns a^-x.
template <class power_of>
SINTER_FUNCTION f64 zeta_right(f64 x, f64 q, const power_of& inverse_power) {
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

/// Returns x^-s, by repeated squaring.
struct inverse_power {
    i64 s;
    SINTER_MEMBER f64 operator()(f64 x) const {
        f64 result = 1, square = x;
        for (i64 n = s; n > 0; n >>= 1) {
            if (n & 1) result *= square;
            square *= square;
        }
        return 1 / result;
    }
};

/// Returns the sum of (q + k)^-s over k >= 0, for s >= 2. Returns infinity at a pole.
SINTER_FUNCTION f64 hurwitz_zeta(i64 s, f64 q) {
    const inverse_power power{s};
    if (q > 0) return q == infinity() ? 0 : zeta_right((f64)s, q, power);
    const f64 whole = floor(q), rest = q - whole;
    if (!(rest > 0)) return infinity();
    // The terms of the sum over all integers, minus those before q.
    f64 parts[3];
#ifdef SINTER_DEVICE
#pragma unroll 1  // keeps one inlined copy of zeta_right, which is long
#endif
    for (int i = 0; i < 3; i++)
        parts[i] = zeta_right((f64)s, i == 0 ? rest : i == 1 ? 1 - rest : 1 - q, power);
    const f64 sign = s % 2 ? -1 : 1;
    return parts[0] + sign * (parts[1] - parts[2]);
}

/// Returns the derivative of order n of the digamma function, for n >= 2. `factorial` is n!.
SINTER_FUNCTION f64 polygamma(i64 n, f64 factorial, f64 x) {
    if (x != x) return x;
    const f64 size = factorial * hurwitz_zeta(n + 1, x);
    return n % 2 ? size : -size;
}

}  // namespace sinter::on_gpu

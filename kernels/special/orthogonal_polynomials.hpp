// Orthogonal polynomials of degree n at x. As in PyTorch, a fractional degree is truncated and a
// negative one gives 0.
#pragma once

#include "kernels/special/row_functions.hpp"

namespace sinter::special_pairs::functions {

// Recurrences that need more steps give NaN: this many take about a second for one element.
inline constexpr f64 most_steps = 1e8;
inline bool is_even(f64 n) { return fmod(n, 2.0) == 0; }
// Infinity with the sign of x^n.
inline f64 beyond(f64 x, f64 n) { return x < 0 && !is_even(n) ? -infinity() : infinity(); }
// The recurrence r = 2 x q - p that all four kinds share, from degrees 0 and 1. NaN ends it,
// however large the degree is.
inline f64 chebyshev_steps(f64 x, f64 n, f64 q) {
    if (n == 0) return 1;
    f64 p = 1;
    for (f64 k = 1; k < n && q == q; k += 1) {
        const f64 r = 2 * x * q - p;
        p = q;
        q = r;
        if (fabs(q) > 1e307) return beyond(x, n);
    }
    return q;
}
// sinh(m t) / sinh t, or cosh(m t) / cosh t, where exp t = 1 + e is x + sqrt(x^2 - 1) for |x| >
// 1, and degrees are large: exp((m - 1) t) times what is near 1.
inline f64 chebyshev_growth(f64 x, f64 n, f64 m, f64 s, f64 half, bool cosine) {
    const f64 ax = fabs(x);
    const f64 e = ax - 1;
    const f64 t = half * log1p(e + sqrt(e * (e + 2)));
    const f64 grown = exp((m - s) * t);
    const f64 less = exp(-2 * m * t);
    const f64 under = exp(-2 * s * t);
    const f64 y =
        cosine ? grown * (1 + less) / (s == 0 ? 2 : 1 + under) : grown * (1 - less) / (1 - under);
    if (!(y <= 1e307)) return beyond(x, n);
    return x < 0 && !is_even(n) ? -y : y;
}
inline f64 chebyshev_polynomial_t(f64 x, f64 n) {
    if (!(n == n)) return n;
    n = trunc(n);
    if (n < 0) return 0;
    if (fabs(x) == 1) return x > 0 || is_even(n) ? 1 : -1;
    if (n > 6 && fabs(x) < 1) return cos(n * acos(x));
    if (n > 64 && fabs(x) > 1) return chebyshev_growth(x, n, n, 0, 1, true);
    return chebyshev_steps(x, n, x);
}
inline f64 chebyshev_polynomial_u(f64 x, f64 n) {
    if (!(n == n)) return n;
    n = trunc(n);
    if (n < 0) return 0;
    if (fabs(x) == 1) return x > 0 || is_even(n) ? n + 1 : -(n + 1);
    if (n > 8 && fabs(x) < 1) return sin((n + 1) * acos(x)) / sqrt((1 - x) * (1 + x));
    if (n > 64 && fabs(x) > 1) return chebyshev_growth(x, n, n + 1, 1, 1, false);
    return chebyshev_steps(x, n, 2 * x);
}
inline f64 chebyshev_polynomial_v(f64 x, f64 n) {
    if (!(n == n)) return n;
    n = trunc(n);
    if (n < 0) return 0;
    if (fabs(x) == 1) return x > 0 ? 1 : is_even(n) ? 2 * n + 1 : -(2 * n + 1);
    if (n > 8 && fabs(x) < 1) return cos((n + 0.5) * acos(x)) / sqrt(0.5 * (1 + x));
    if (n > 64 && fabs(x) > 1) return chebyshev_growth(x, n, 2 * n + 1, 1, 0.5, x > 0);
    return chebyshev_steps(x, n, 2 * x - 1);
}
inline f64 chebyshev_polynomial_w(f64 x, f64 n) {
    if (!(n == n)) return n;
    n = trunc(n);
    if (n < 0) return 0;
    if (fabs(x) == 1) return x > 0 ? 2 * n + 1 : is_even(n) ? 1 : -1;
    if (n > 8 && fabs(x) < 1) return sin((n + 0.5) * acos(x)) / sqrt(0.5 * (1 - x));
    if (n > 64 && fabs(x) > 1) return chebyshev_growth(x, n, 2 * n + 1, 1, 0.5, x < 0);
    return chebyshev_steps(x, n, 2 * x + 1);
}
inline f64 shifted_chebyshev_polynomial_t(f64 x, f64 n) {
    return chebyshev_polynomial_t(2 * x - 1, n);
}
inline f64 shifted_chebyshev_polynomial_u(f64 x, f64 n) {
    return chebyshev_polynomial_u(2 * x - 1, n);
}
inline f64 shifted_chebyshev_polynomial_v(f64 x, f64 n) {
    return chebyshev_polynomial_v(2 * x - 1, n);
}
inline f64 shifted_chebyshev_polynomial_w(f64 x, f64 n) {
    return chebyshev_polynomial_w(2 * x - 1, n);
}
// Beyond degree 512 they overflow, but for a few x: NaN.
inline f64 hermite_polynomial_h(f64 x, f64 n) {
    if (!(n == n)) return n;
    n = trunc(n);
    if (n < 0) return 0;
    if (n == 0) return 1;
    if (n > 512) return not_a_number();
    f64 p = 1;
    f64 q = 2 * x;
    for (f64 k = 1; k < n && q == q; k += 1) {
        const f64 r = 2 * x * q - 2 * k * p;
        p = q;
        q = r;
    }
    return q;
}
inline f64 hermite_polynomial_he(f64 x, f64 n) {
    if (!(n == n)) return n;
    n = trunc(n);
    if (n < 0) return 0;
    if (n == 0) return 1;
    if (n > 512) return not_a_number();
    f64 p = 1;
    f64 q = x;
    for (f64 k = 1; k < n && q == q; k += 1) {
        const f64 r = x * q - k * p;
        p = q;
        q = r;
    }
    return q;
}
inline f64 laguerre_polynomial_l(f64 x, f64 n) {
    if (!(n == n)) return n;
    n = trunc(n);
    if (n < 0) return 0;
    if (x == 0 || n == 0) return 1;
    f64 p = 1;
    f64 q = 1 - x;
    for (f64 k = 1; k < n && q == q; k += 1) {
        if (k > most_steps) return not_a_number();
        const f64 r = ((2 * k + 1 - x) * q - k * p) / (k + 1);
        p = q;
        q = r;
    }
    return q;
}
inline f64 legendre_polynomial_p(f64 x, f64 n) {
    if (!(n == n)) return n;
    n = trunc(n);
    if (n < 0) return 0;
    if (fabs(x) == 1) return x > 0 || is_even(n) ? 1 : -1;
    if (n == 0) return 1;
    f64 p = 1;
    f64 q = x;
    for (f64 k = 1; k < n && q == q; k += 1) {
        if (k > most_steps) return not_a_number();
        const f64 r = ((2 * k + 1) * x * q - k * p) / (k + 1);
        p = q;
        q = r;
        if (fabs(q) > 1e307) return beyond(x, n);
    }
    return q;
}

}  // namespace sinter::special_pairs::functions

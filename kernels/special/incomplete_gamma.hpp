// The incomplete gamma functions: a series or a continued fraction. If a >= 200 and x is within a
// quarter of it, Temme's expansion in a^(-1/2) (SIAM J. Math. Anal. 10, 1979).
#pragma once

#include "kernels/special/row_functions.hpp"

namespace sinter::special_pairs::functions {

// Returns log gamma(1 + a) for a > 0, with full relative precision near 0.
inline f64 lgamma1p(f64 a) {
    if (a > 0.1) return lgamma(1 + a);
    // the sum of zeta(k) (-a)^k / k
    const f64 c[18] = {0x1.a51a6625307d3p-1,  -0x1.9a4d55beab2d7p-2, 0x1.151322ac7d848p-2,
                       -0x1.a8b9c17aa6149p-3, 0x1.5b40cb100c306p-3,  -0x1.2703a1dcea3aep-3,
                       0x1.010b36af86397p-3,  -0x1.c806706d57db4p-4, 0x1.9a01e385d5f8fp-4,
                       -0x1.748c33114c6d6p-4, 0x1.556ad63243bc4p-4,  -0x1.3b1d971fc5985p-4,
                       0x1.2496df8320c5fp-4,  -0x1.11133476e7fep-4,  0x1.00010064cdeb2p-4,
                       -0x1.e1e2d311e8abdp-5, 0x1.c71ce3a20b419p-5,  -0x1.af28a1b5688ap-5};
    f64 sum = 0;
    for (int k = 17; k >= 0; k--) sum = sum * a + c[k];
    return a * (a * sum - 0.57721566490153286);
}
// Returns log(x / a) - (x / a - 1).
inline f64 log_rest(f64 a, f64 x) {
    const f64 u = (x - a) / a;
    if (fabs(u) > 0.3) return log(x / a) - u;
    f64 term = -u;
    f64 sum = 0;
    for (int k = 2; k < 60; k++) {
        term *= -u;
        const f64 next = term / k;
        sum -= next;
        if (fabs(next) <= fabs(sum) * 0x1p-56) break;
    }
    return sum;
}
// Returns exp(-x) x^a / gamma(a + 1) for a > 0, x > 0.
inline f64 gamma_density(f64 a, f64 x) {
    if (a < 10) return exp(a * log(x) - x - lgamma1p(a));
    // gamma(a + 1) = sqrt(2 pi a) (a / e)^a exp(stirling)
    const f64 c[8] = {0x1.5555555555555p-4,   -0x1.6c16c16c16c17p-9, 0x1.a01a01a01a01ap-11,
                      -0x1.3813813813814p-11, 0x1.b951e2b18ff23p-11, -0x1.f6ab0d9993c7dp-10,
                      0x1.a41a41a41a41ap-8,   -0x1.e4286cb0f5398p-6};
    const f64 z = 1 / (a * a);
    f64 stirling = 0;
    for (int k = 7; k >= 0; k--) stirling = stirling * z + c[k];
    return exp(a * log_rest(a, x) - stirling / a) / sqrt(6.2831853071795865 * a);
}
// Returns P by its series.
inline f64 igamma_series(f64 a, f64 x) {
    f64 term = 1;
    f64 sum = 1;
    for (f64 n = a + 1;; n += 1) {
        term *= x / n;
        sum += term;
        if (term <= sum * 0x1p-56) break;
    }
    const f64 p = sum * gamma_density(a, x);
    return p < 1 ? p : 1;
}
// Returns Q by its series, for small a and x.
inline f64 igammac_series(f64 a, f64 x) {
    f64 term = 1;
    f64 sum = 0;
    for (int n = 1; n < 200; n++) {
        term *= -x / n;
        const f64 next = term / (a + n);
        sum += next;
        if (fabs(next) <= fabs(sum) * 0x1p-56) break;
    }
    const f64 power = a * log(x) - lgamma1p(a);
    return -expm1(power) - exp(power) * a * sum;
}
// Returns Q by Legendre's continued fraction, evaluated by Lentz's method, for x above about a + 1.
inline f64 igammac_fraction(f64 a, f64 x) {
    f64 b = x + 1 - a;
    f64 c = 1e300;
    f64 d = 1 / b;
    f64 h = d;
    for (int i = 1; i < 5000; i++) {
        const f64 an = -i * (i - a);
        b += 2;
        d = an * d + b;
        if (fabs(d) < 1e-300) d = 1e-300;
        c = b + an / c;
        if (fabs(c) < 1e-300) c = 1e-300;
        d = 1 / d;
        const f64 step = d * c;
        h *= step;
        if (fabs(step - 1) < 0x1p-53) break;
    }
    return h * a * gamma_density(a, x);
}
// Returns P if `lower`, else Q, by Temme's expansion.
inline f64 igamma_uniform(f64 a, f64 x, bool lower) {
    // rows: powers of 1 / a; columns: powers of eta
    const f64 c[9][16] = {
        {-0x1.5555555555555p-2, 0x1.5555555555555p-4, -0x1.e573ac901e574p-7, 0x1.2f684bda12f68p-10,
         0x1.71de3a556c734p-12, -0x1.76e06fec7273bp-13, 0x1.48c5892f7cd83p-15,
         -0x1.255370652afc1p-19, -0x1.f1b22f594c6b5p-20, 0x1.bd6d21e4b4109p-21,
         -0x1.7b5f9a2d0465cp-23, 0x1.ccf5ceb7f0d9fp-28, 0x1.6097d55c37c1cp-27,
         -0x1.2d2197c7a2faap-28, 0x1.f6e66d24d5c8ap-31, -0x1.c0d9b6edf2b0bp-36},
        {-0x1.e573ac901e574p-10, -0x1.c71c71c71c71cp-9, 0x1.5ac056b015acp-9, -0x1.0394f6f09e723p-10,
         0x1.af83440e53dbcp-13, -0x1.af83440e53dbcp-22, -0x1.2fa4ae89e5afp-16,
         0x1.00a9cabd6b83ep-17, -0x1.b0bdfcc629cbap-20, 0x1.3f59230a8357cp-28,
         0x1.280f2cde3f847p-23, -0x1.ee23d0cba8aeep-25, 0x1.9aa7a30de114cp-27,
         -0x1.349fbca3a377bp-36, -0x1.1564ecff73d58p-30, 0x1.c9b434bf3c34ep-32},
        {0x1.0ee643b990ee6p-8, -0x1.5f7268edab4c8p-9, 0x1.948b0fcd6e9ep-11, 0x1.0db20a88f4696p-19,
         -0x1.c253efaa1a932p-14, 0x1.bbf43daf4fe53p-15, -0x1.ac2d05890f2c3p-17,
         0x1.26154ae39151dp-25, 0x1.7058929663937p-20, -0x1.522cb05171911p-21,
         0x1.32ac81c15d3d7p-23, -0x1.c24bd0e740a6cp-33, -0x1.e437343a46f5dp-27,
         0x1.ac0d455e2536p-28, -0x1.77c5829460139p-30, 0x1.0962774f638bbp-40},
        {0x1.547d93b34e2b6p-11, 0x1.e13ce465fa859p-13, -0x1.ebfb188b7cap-12, 0x1.18b9b5bf2d984p-12,
         -0x1.3d2a3a29b5d9dp-14, -0x1.0152a1871f27ap-22, 0x1.73df462204ef4p-17,
         -0x1.7cd6f27b3f02p-18, 0x1.7e0201539310ep-20, -0x1.ea23269c140a7p-36,
         -0x1.6c2dcffbefeefp-23, 0x1.5bde8ef4c4dc7p-24, -0x1.4853ced169327p-26,
         0x1.50c3f0dd501ebp-39, 0x1.1b66a39794ba9p-29, -0x1.040c53b2491fp-30},
        {-0x1.c3e0b02da7bf9p-11, 0x1.9b0ff6874f2c4p-11, -0x1.3999a85a4237ap-12,
         -0x1.88f2ae1def9dp-20, 0x1.16908b48ce058p-14, -0x1.4ce3fd902bcadp-15,
         0x1.7db4c02846e81p-17, 0x1.13b3c5b7cb45ep-32, -0x1.c71c074985d3fp-20,
         0x1.de37d9f09164cp-21, -0x1.ec676cf33153cp-23, 0x1.041515bab6adap-35,
         0x1.efe94304ac16bp-26, -0x1.e78e449f4e3bep-27, 0x1.d9a9f1a8b7696p-29,
         -0x1.033ba70791e5ep-42},
        {-0x1.6128ac5a4fa71p-12, -0x1.247604839c038p-14, 0x1.22be87360ef1fp-12,
         -0x1.a2042c5148e27p-13, 0x1.1d1e9cb24760bp-14, 0x1.30bdcf208080ep-23,
         -0x1.c823fc1b3cc36p-17, 0x1.0d0e229150428p-17, -0x1.338eb19652fd9p-19,
         -0x1.659cfde0bb2ebp-32, 0x1.741504e5c87c2p-22, -0x1.8c267becd0c0fp-23,
         0x1.9e630225a095bp-25, -0x1.4411c5ac40e35p-46, -0x1.b15bbf334c8c3p-28,
         0x1.b2a3adb58623dp-29},
        {0x1.168ef1b0931c8p-11, -0x1.36773bdb97b48p-11, 0x1.1c0950d3ecb9dp-12,
         0x1.a8411da6cab49p-21, -0x1.5600945495b37p-14, 0x1.d6bdf83130dc1p-15,
         -0x1.3382f4cf48618p-16, -0x1.a74243fa27729p-29, 0x1.d115d4f5dcc68p-19,
         -0x1.10587854fcb37p-19, 0x1.36c8903447d35p-21, 0x1.074e709bf4b8bp-42,
         -0x1.7b2f7de505322p-24, 0x1.9778c6d79bcc1p-25, -0x1.af0ea334cc20ep-27,
         0x1.858ba968e7d04p-44},
        {0x1.691879c01efb4p-12, 0x1.b1d75d3346711p-15, -0x1.5f3385098cebfp-12,
         0x1.26eeb5ece1d9fp-12, -0x1.cc642787368cep-14, -0x1.119c70312e0a2p-23,
         0x1.d179830b113abp-16, -0x1.3269164e3e304p-16, 0x1.8467d794bd7f2p-18,
         0x1.0f82da50cdaeep-31, -0x1.1c6acec59f442p-20, 0x1.4b12ad51452d5p-21,
         -0x1.7929779607d63p-23, -0x1.6d32eed259534p-40, 0x1.cf11fbdf49e99p-26,
         -0x1.f4e88c5d1cae1p-27},
        {-0x1.5629b3187b744p-11, 0x1.b8239c670e69p-11, -0x1.cb967b4446107p-12,
         -0x1.762676b30cfd6p-21, 0x1.5d1157082916dp-13, -0x1.0c16fcea7ddb2p-13,
         0x1.84637d3f583cdp-15, 0x1.3937992ec9b02p-28, -0x1.6384af9ac219dp-17, 0x1.c738f198ab55p-18,
         -0x1.1adec9530a7adp-19, -0x1.2ed3c124b7492p-36, 0x1.952f970ac9b03p-22,
         -0x1.d599e3b2187a2p-23, 0x1.0b282393d4893p-24, 0x1.7c54ec550bd4bp-51}};
    const f64 u = (x - a) / a;
    const f64 half = -log_rest(a, x);
    const f64 eta = u < 0 ? -sqrt(2 * half) : sqrt(2 * half);
    f64 sum = 0;
    for (int k = 8; k >= 0; k--) {
        f64 inner = 0;
        for (int n = 15; n >= 0; n--) inner = inner * eta + c[k][n];
        sum = sum / a + inner;
    }
    const f64 rest = exp(-a * half) / sqrt(6.2831853071795865 * a) * sum;
    const f64 root = eta * sqrt(0.5 * a);
    return lower ? 0.5 * erfc(-root) - rest : 0.5 * erfc(root) + rest;
}
inline bool is_uniform(f64 a, f64 x) { return a >= 200 && fabs(x - a) < 0.25 * a; }
// Returns true if the series of Q suits 0 < x, 0 < a, both finite, for x up to about a + 1.
inline bool small_q(f64 a, f64 x) {
    if (x > 1.1) return false;
    return x <= 0.5 ? -0.4 / log(x) >= a : x * 1.1 >= a;
}
// The results at the ends of the domain and for NaN match PyTorch.
inline f64 igammac(f64 a, f64 x) {
    if (a < 0 || x < 0) return not_a_number();
    if (a == 0) return x > 0 ? 0 : not_a_number();
    if (x == 0) return 1;
    if (a == infinity()) return x == infinity() ? not_a_number() : 1;
    if (x == infinity()) return 0;
    if (!(a == a) || !(x == x)) return a + x;
    if (is_uniform(a, x)) return igamma_uniform(a, x, false);
    if (small_q(a, x)) return igammac_series(a, x);
    if (x < 1.1 || x < a) return 1 - igamma_series(a, x);
    return igammac_fraction(a, x);
}
inline f64 igamma(f64 a, f64 x) {
    if (a < 0 || x < 0) return not_a_number();
    if (a == 0) return x > 0 ? 1 : not_a_number();
    if (x == 0) return 0;
    if (a == infinity()) return x == infinity() ? not_a_number() : 0;
    if (x == infinity()) return 1;
    if (!(a == a) || !(x == x)) return a + x;
    if (is_uniform(a, x)) return igamma_uniform(a, x, true);
    if (x > 1 && x > a) return 1 - igammac(a, x);
    return igamma_series(a, x);
}

}  // namespace sinter::special_pairs::functions

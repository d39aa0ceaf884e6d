#!/usr/bin/env python3
"""Derives the polynomials of the special functions: special_coefficients.hpp in the folder given as the argument.

As fit_math.py, whose helpers it uses. Functions are computed in double alone, also for results in float.
"""
import sys
from mpmath import (mp, mpf, pi, log, sqrt, exp, erfinv, erfc, loggamma, digamma, besseli, psi, euler, findroot)
from fit_math import array, fit, to_double

mp.prec = 250
TINY = mpf(10) ** -14
POLYNOMIALS = []  # name, f, lowest and highest argument, terms, weight of the error, comment


def inverse_of(s):
    """y > 0 with erf(y) = sqrt(1 - exp(-s^2))."""
    e = exp(-s * s)
    target = e / (1 + sqrt(1 - e))  # erfc(y)
    y = sqrt(s * s - log(s * sqrt(pi))) if s > 3 else s * mpf("0.95")
    for _ in range(60):
        step = (erfc(y) - target) / (-2 / sqrt(pi) * exp(-y * y))
        step /= 1 + y * step
        y -= step
        if abs(step) < mpf(2) ** -230 * y:
            break
    return y


def inverse_near(w):
    return inverse_of(sqrt(w)) / sqrt(1 - exp(-w)) if w > 0 else sqrt(pi) / 2


def inverse_far(t):
    return inverse_of(1 / t) * t


def one(_):
    return 1


POLYNOMIALS += [
    ("erfinv_near", inverse_near, TINY, mpf("4.5"), 21, one, "erfinv(x) / x by w = -log(1 - x^2), w <= 4.5"),
    ("erfinv_middle", lambda t: inverse_of(3 + t) / (3 + t), mpf("-0.9"), mpf("0.95"), 21, one,
     "erfinv(x) / s by s - 3, s = sqrt(w) in [2.1, 3.95]"),
    ("erfinv_far", lambda t: inverse_of(5 + t) / (5 + t), mpf("-1.1"), mpf("1.1"), 19, one,
     "erfinv(x) / s by s - 5, s in [3.9, 6.1]"),
    ("erfinv_last", lambda t: inverse_far((t + mpf("1.55")) / 15), mpf("-1.01"), mpf("1"), 25, one,
     "erfinv(x) / s by 15 / s - 1.55, s in [6, 27.7]"),
    ("erfcx_last", lambda z: exp(1 / z) * erfc(1 / sqrt(z)) * sqrt(pi / z), TINY, 1 / mpf(28) ** 2, 7, one,
     "sqrt(pi) x exp(x^2) erfc x by 1 / x^2, x >= 28"),
    ("lgamma_two", lambda t: (loggamma(2 + t) / t - (1 - euler)) / t, mpf("-0.5001"), mpf("0.5001"), 18,
     lambda t: t / (1 - euler), "log gamma(2 + t) = t (1 - euler + t P(t)), |t| <= 1/2"),
    ("lgamma_far", lambda z: (loggamma(1 / sqrt(z)) - ((1 / sqrt(z) - mpf(1) / 2) * log(1 / sqrt(z)) - 1 / sqrt(z)
                                                     + log(2 * pi) / 2)) / sqrt(z),
     TINY, 1 / mpf("6.5") ** 2, 8, lambda z: sqrt(z) / 7,
     "log gamma(x) = (x - 1/2) log x - x + log(2 pi) / 2 + P(1 / x^2) / x, x >= 6.5"),
    ("trigamma_far", lambda z: (psi(1, 1 / sqrt(z)) - sqrt(z) - z / 2) / sqrt(z) / z, TINY, mpf(1) / 64, 8,
     lambda z: z, "trigamma(x) = 1 / x + 1 / (2 x^2) + P(1 / x^2) / x^3, x >= 8"),
    ("digamma_far", lambda z: (log(1 / sqrt(z)) - sqrt(z) / 2 - digamma(1 / sqrt(z))) / z, TINY, 1 / mpf(7) ** 2, 8,
     lambda z: z / 2, "digamma(x) = log x - 1 / (2 x) - P(1 / x^2) / x^2, x >= 7"),
]

ROOT = findroot(digamma, mpf("1.46163214496836234126"))


def digamma_slope(t):
    x = t + mpf("1.5")
    return digamma(x) / (x - ROOT) if abs(x - ROOT) > mpf(2) ** -80 else psi(1, ROOT)


POLYNOMIALS.append(("digamma_near", digamma_slope, mpf("-0.5"), mpf("0.5"), 23, one,
                    "digamma(x) / (x - root) by x - 1.5, 1 <= x <= 2"))


def bessel_far(order):
    def f(t):
        u = (t + 1) / 16
        return besseli(order, 1 / u) * exp(-1 / u) / sqrt(u)
    return f


POLYNOMIALS += [
    ("i0_near", lambda z: besseli(0, 2 * sqrt(z)), TINY, mpf(16), 19, lambda z: 1 / besseli(0, 2 * sqrt(z)),
     "I0(x) by x^2 / 4, |x| <= 8"),
    ("i1_near", lambda z: besseli(1, 2 * sqrt(z)) / sqrt(z), TINY, mpf(16), 19,
     lambda z: sqrt(z) / besseli(1, 2 * sqrt(z)), "I1(x) / (x / 2) by x^2 / 4, |x| <= 8"),
    ("i0_far", bessel_far(0), mpf("-0.999999"), mpf(1), 25, one, "exp(-x) sqrt(x) I0(x) by 16 / x - 1, x >= 8"),
    ("i1_far", bessel_far(1), mpf("-0.999999"), mpf(1), 25, one, "exp(-x) sqrt(x) I1(x) by 16 / x - 1, x >= 8"),
]


def main(folder):
    text = "// Made by tools/fit_special.py; do not edit.\n#pragma once\n\nnamespace sinter::math::coefficients {\n\n"
    for name, f, lo, hi, terms, weight, comment in POLYNOMIALS:
        c, error = fit(f, lo, hi, terms, to_double, weight)
        print(f"{name}: {terms} terms, error 2^{float(error):.1f}")
        text += array(name, c, f"{comment}; error 2^{float(error):.1f}") + "\n"
    parts, rest = [], ROOT
    for _ in range(3):
        parts.append(to_double(rest))
        rest -= parts[-1]
    text += array("digamma_root", parts, "where digamma is 0, in three parts") + "\n"
    text += "}  // namespace sinter::math::coefficients\n"
    open(folder + "/special_coefficients.hpp", "w").write(text)


if __name__ == "__main__":
    main(sys.argv[1])

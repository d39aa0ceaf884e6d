#!/usr/bin/env python3
"""Derives the polynomials of the Bessel and Airy functions: bessel_coefficients.hpp in the folder given as the argument.

As fit_math.py, whose helpers it uses. Functions are computed in double alone, also for results in float.
"""
import sys
from mpmath import (mp, mpf, pi, log, sqrt, exp, cos, sin, besselj, bessely, besseli, besselk, airyai, airybi, findroot,
                    matrix, lu_solve, atan2)
from fit_math import array, fit, to_double

mp.prec = 250
TINY = mpf(10) ** -14
QUARTER = pi / 2  # what one zero is from the extremum next to it, nearly
SEGMENTS = 16     # of a quarter turn each; beyond, there is a modulus and a phase
EDGE = SEGMENTS * QUARTER
AIRY_RIGHT = 4    # rows right of 0, halves of 0 <= x <= 2
AIRY_TERMS = 18


def one(_):
    return 1


# ---- around zeros and extrema

def airy_zeta(x):
    return mpf(2) / 3 * (-x) ** mpf(1.5)


def airy_at(zeta):
    return -(mpf(3) / 2 * zeta) ** (mpf(2) / 3)


def segment(f, slope, lo, hi, terms, guess):
    """The row of a table for lo <= x <= hi: a zero or extremum in two parts, the value there, and (f - value) / d by
    d = x - centre. Without a guess the centre is the middle, and the error is relative."""
    if guess is None:
        centre = to_double((lo + hi) / 2)
    else:
        centre = findroot(*guess) if guess[1] else mpf(0)
    value = mpf(0) if guess is not None and guess[0] is f else f(centre)
    scale = max(abs(f(lo)), abs(f(hi)), abs(value))

    def quotient(d):
        return (f(centre + d) - value) / d if abs(d) > mpf(2) ** -90 else slope(centre)

    def weight(d):
        return d / (f(centre + d) if value == 0 or guess is None else scale)

    c, error = fit(quotient, lo - centre, hi - centre, terms, to_double, weight)
    high = to_double(centre)
    return [high, to_double(centre - high), to_double(value)] + c, error


def bessel_rows(f, slope, first, zeros_odd, terms):
    """Of the quarter turns from `first` on, after rows of zeros. Zeros are in the odd or in the even ones."""
    values, worst = [mpf(0)] * (first * (terms + 3)), mpf(-1000)
    for j in range(first, SEGMENTS):
        lo, hi = j * QUARTER, (j + 1) * QUARTER
        target = f if (j % 2 == 1) == zeros_odd else slope
        if j == 0:
            root = (slope if zeros_odd else f, mpf(0))
        else:
            root = (target, (lo + hi) / 2)
        row, error = segment(f, slope, max(lo - mpf("0.001"), mpf(0)), hi + mpf("0.001"), terms, root)
        values += row
        worst = max(worst, error)
    return values, worst


def airy_rows():
    values, worst = [], mpf(-1000)
    slope = lambda x: airyai(x, derivative=1)
    for j in range(SEGMENTS):
        hi, lo = airy_at(j * QUARTER), airy_at((j + 1) * QUARTER)
        root = (airyai if j % 2 else slope, (lo + hi) / 2 if j else mpf(-1))
        row, error = segment(airyai, slope, lo - mpf("0.001"), hi + mpf("0.001"), AIRY_TERMS, root)
        values += row
        worst = max(worst, error)
    for j in range(AIRY_RIGHT):
        row, error = segment(airyai, slope, mpf(j) / 2, mpf(j + 1) / 2, AIRY_TERMS, None)
        values += row
        worst = max(worst, error)
    # A power of two of rows: compilers then see that a masked number is in range.
    return values + [mpf(0)] * ((SEGMENTS - AIRY_RIGHT) * (AIRY_TERMS + 3)), worst


# ---- modulus and phase

def modulus_and_phase(real, imaginary, angle):
    """real + i imaginary = modulus exp(i (angle + phase)), the phase small."""
    a, b = cos(angle), sin(angle)
    along, across = real * a + imaginary * b, imaginary * a - real * b
    return sqrt(real**2 + imaginary**2), atan2(across, along)


def bessel_wave(order, z):
    x = 1 / sqrt(z)
    return modulus_and_phase(besselj(order, x), bessely(order, x), x - (2 * order + 1) * pi / 4)


def airy_wave(z):
    zeta = 1 / sqrt(z)
    x = airy_at(zeta)
    return modulus_and_phase(airyai(x), -airybi(x), zeta - pi / 4)


def waves(name, wave, root, first, text):
    """The modulus times root(z), and the phase as first / x + P(1 / x^2) / x^3."""
    hi = 1 / (EDGE - mpf("0.02")) ** 2
    phase = lambda z: (wave(z)[1] / sqrt(z) - first) / z
    return [(name + "_modulus", lambda z: wave(z)[0] * root(z), TINY, hi, 7, lambda z: 1 / (wave(z)[0] * root(z)),
             "modulus by 1 / x^2, x >= 8 pi"),
            (name + "_phase", phase, TINY, hi, 8, lambda z: sqrt(z) * z,
             f"phase as {text} / x + P(1 / x^2) / x^3")]


# ---- next to 0, as log(x / zero) times the function of the first kind and a rest

Y0_ZERO = findroot(lambda x: bessely(0, x), mpf("0.8936"))
Y1_ZERO = findroot(lambda x: bessely(1, x), mpf("2.197"))
MIDDLE = 5  # polynomials are of x^2 - 5, 0 <= x <= 3.15
NEAR_END = mpf("3.15") ** 2 - MIDDLE


def y0_rest(u):
    x = sqrt(u + MIDDLE)
    return (bessely(0, x) - 2 / pi * log(x / Y0_ZERO) * besselj(0, x)) / (x**2 - Y0_ZERO**2)


def y1_rest(u):
    x = sqrt(u + MIDDLE)
    return (bessely(1, x) - 2 / pi * log(x / Y1_ZERO) * besselj(1, x)) * x / (x**2 - Y1_ZERO**2)


NEAR_START = -MIDDLE + TINY
POLYNOMIALS = [
    ("y0_first", lambda u: 2 / pi * besselj(0, sqrt(u + MIDDLE)), NEAR_START, NEAR_END, 14, one,
     "2 / pi J0(x) by x^2 - 5, x <= 3.15"),
    ("y0_rest", y0_rest, NEAR_START, NEAR_END, 14, lambda u: 1 / y0_rest(u),
     "(Y0(x) - 2 / pi log(x / zero) J0(x)) / (x^2 - zero^2)"),
    ("y1_first", lambda u: 2 / pi * besselj(1, sqrt(u + MIDDLE)) / sqrt(u + MIDDLE), NEAR_START, NEAR_END, 14,
     lambda u: 2, "2 / pi J1(x) / x by x^2 - 5, x <= 3.15"),
    ("y1_rest", y1_rest, NEAR_START, NEAR_END, 14, lambda u: 1 / y1_rest(u),
     "(Y1(x) - 2 / pi log(x / zero) J1(x)) x / (x^2 - zero^2)"),
    ("k0_first", lambda z: besseli(0, sqrt(z)), TINY, mpf(1), 9, one, "I0(x) by x^2, x <= 1"),
    ("k0_rest", lambda z: besselk(0, sqrt(z)) + log(sqrt(z)) * besseli(0, sqrt(z)), TINY, mpf(1), 9,
     lambda z: 1 / besselk(0, sqrt(z)), "K0(x) + log x I0(x)"),
    ("k1_first", lambda z: besseli(1, sqrt(z)) / sqrt(z), TINY, mpf(1), 9, one, "I1(x) / x by x^2, x <= 1"),
    ("k1_rest", lambda z: (besselk(1, sqrt(z)) - log(sqrt(z)) * besseli(1, sqrt(z))) * sqrt(z), TINY, mpf(1), 9, one,
     "(K1(x) - log x I1(x)) x"),
]
POLYNOMIALS += waves("j0", lambda z: bessel_wave(0, z), lambda z: 1 / sqrt(sqrt(z)), mpf(-1) / 8, "-1/8")
POLYNOMIALS += waves("j1", lambda z: bessel_wave(1, z), lambda z: 1 / sqrt(sqrt(z)), mpf(3) / 8, "3/8")
POLYNOMIALS += waves("airy", airy_wave, lambda z: sqrt(sqrt(-airy_at(1 / sqrt(z)))), mpf(-5) / 72, "-5/72")


# ---- what falls: quotients of polynomials

def fit_quotient(f, start, lo, hi, terms):
    """p and q, q[0] = 1, of so many terms each with start + z p / q near f: linear conditions at Chebyshev nodes. The
    rest is so small against `start` that its rounding hardly counts."""
    count = 2 * terms - 1
    nodes = [lo + (hi - lo) * (1 - cos(pi * (2 * i + 1) / (2 * count))) / 2 for i in range(count)]
    a, b = matrix(count, count), matrix(count, 1)
    for i, z in enumerate(nodes):
        b[i] = 1
        for j in range(terms):
            a[i, j] = z**j / ((f(z) - start) / z)
        for j in range(1, terms):
            a[i, terms + j - 1] = -(z**j)
    c = [to_double(v) for v in lu_solve(a, b)]
    p, q = c[:terms], [mpf(1)] + c[terms:]
    worst = mpf(0)
    for i in range(400):
        z = lo + (hi - lo) * (2 * i + 1) / 800
        value = start + z * sum(v * z**j for j, v in enumerate(p)) / sum(v * z**j for j, v in enumerate(q))
        worst = max(worst, abs(value / f(z) - 1))
    assert min(q) > 0 and (min(p) > 0 or max(p) < 0)  # sums without cancellation
    return p, q, log(worst, 2)


def airy_tail(v):
    zeta = 1 / v
    x = -airy_at(zeta)
    return airyai(x) * exp(zeta) * sqrt(sqrt(x))


K_START, AIRY_START = sqrt(pi / 2), 1 / (2 * sqrt(pi))
QUOTIENTS = [
    ("k0_far", lambda t: besselk(0, 1 / t) * exp(1 / t) / sqrt(t), K_START, mpf(1), 10,
     "exp(x) sqrt(x) K0(x) = sqrt(pi / 2) + t P(t) / Q(t), t = 1 / x <= 1"),
    ("k1_far", lambda t: besselk(1, 1 / t) * exp(1 / t) / sqrt(t), K_START, mpf(1), 10, "the same for K1"),
    ("airy_far", airy_tail, AIRY_START, mpf("0.5304"), 9,
     "exp(zeta) x^(1/4) Ai(x) = 1 / (2 sqrt(pi)) + v P(v) / Q(v), v = 1 / zeta, zeta = 2/3 x^(3/2), x >= 2"),
]


def main(folder):
    text = "// Made by tools/fit_bessel.py; do not edit.\n// clang-format off\n#pragma once\n\n"
    text += "namespace sinter::math::coefficients {\n\n"

    def put(name, values, comment, error):
        nonlocal text
        print(f"{name}: {len(values)} numbers, error 2^{float(error):.1f}", flush=True)
        text += array(name, values, f"{comment}; error 2^{float(error):.1f}") + "\n"

    def put_rows(name, made, comment):
        put(name, made[0], comment, made[1])

    for name, f, lo, hi, terms, weight, comment in POLYNOMIALS:
        c, error = fit(f, lo, hi, terms, to_double, weight)
        put(name, c, comment, error)
    for name, f, start, hi, terms, comment in QUOTIENTS:
        p, q, error = fit_quotient(f, start, TINY, hi, terms)
        put(name, p, comment + ": P", error)
        put(name + "_divisor", q, "and Q", error)
    for name, root in [("y0_zero", Y0_ZERO), ("y0_zero_square", Y0_ZERO**2), ("y1_zero", Y1_ZERO),
                       ("y1_zero_square", Y1_ZERO**2)]:
        high = to_double(root)
        comment = "its square" if "square" in name else "the first zero, in two parts"
        text += array(name, [high, to_double(root - high)], comment) + "\n"
    text += "}  // namespace sinter::math::coefficients\n\nnamespace sinter::math::table_values {\n\n"
    j = lambda n: (lambda x: besselj(n, x))
    y = lambda n: (lambda x: bessely(n, x))
    j1_slope = lambda x: besselj(0, x) - (besselj(1, x) / x if x else mpf(1) / 2)
    note = "rows of quarter turns: centre in two parts, value, (f - value) / d by d = x - centre"
    put_rows("bessel_j0", bessel_rows(j(0), lambda x: -besselj(1, x), 0, True, 14), note)
    put_rows("bessel_j1", bessel_rows(j(1), j1_slope, 0, False, 14), note)
    put_rows("bessel_y0", bessel_rows(y(0), lambda x: -bessely(1, x), 2, False, 17), note + ", from the third on")
    put_rows("bessel_y1", bessel_rows(y(1), lambda x: bessely(0, x) - bessely(1, x) / x, 2, True, 17),
                              note + ", from the third on")
    put_rows("airy_ai", airy_rows(), note + ", quarter turns of 2/3 (-x)^(3/2); four are halves of 0 <= x <= 2, and the last are empty")
    text += "}  // namespace sinter::math::table_values\n"
    open(folder + "/bessel_coefficients.hpp", "w").write(text)


if __name__ == "__main__":
    main(sys.argv[1])

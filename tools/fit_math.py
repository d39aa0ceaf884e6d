#!/usr/bin/env python3
"""Derives every polynomial and table of include/sinter/math. Needs mpmath.

Writes coefficients.hpp and table_values.def into the folder given as the argument. Polynomials interpolate at
Chebyshev nodes, which is within a small factor of the minimax error, and so do quotients of them; coefficients are
rounded to their type.
The error printed is relative to the sum that the polynomial is added to.
"""
import struct
import sys
from mpmath import mp, mpf, cos, pi, matrix, lu_solve, log, sqrt, exp, sin, sinh, cosh, tanh, atan, asin, erf, erfc, floor

mp.prec = 600


def to_double(x):
    return mpf(float(x))


def to_float(x):
    return mpf(struct.unpack("f", struct.pack("f", float(x)))[0])


def fit_in_steps(f, lo, hi, terms, rounding, weight):
    """The same by least squares, where each coefficient is rounded before the ones above it are chosen."""
    count = 4 * terms
    nodes = [lo + (hi - lo) * (1 - cos(pi * (2 * i + 1) / (2 * count))) / 2 for i in range(count)]
    coefficients = []
    for first in range(terms):
        a, b = matrix(count, terms - first), matrix(count, 1)
        for i, z in enumerate(nodes):
            b[i] = (f(z) - sum(c * z**j for j, c in enumerate(coefficients))) * weight(z)
            for j in range(first, terms):
                a[i, j - first] = z**j * weight(z)
        coefficients.append(rounding(lu_solve(a, b)[0]))
    return coefficients


def fit(f, lo, hi, terms, rounding, weight, zeros=0):
    """c with sum c[i] z^i near f(z) on [lo, hi]; weight(z) scales the error that is printed.

    Where it has `zeros` of them at 0 within the interval, so many nodes next to 0 are left out. `zeros` is None for
    least squares in steps."""
    count = terms + (zeros or 0)
    nodes = [lo + (hi - lo) * (1 - cos(pi * (2 * i + 1) / (2 * count))) / 2 for i in range(count)]
    nodes = sorted(nodes, key=abs)[zeros or 0:]
    a, b = matrix(terms, terms), matrix(terms, 1)
    for i, z in enumerate(nodes):
        b[i] = f(z)
        for j in range(terms):
            a[i, j] = z**j
    coefficients = [rounding(c) for c in lu_solve(a, b)]
    if zeros is None:
        coefficients = fit_in_steps(f, lo, hi, terms, rounding, weight)
    worst = mpf(0)
    for i in range(400):
        z = lo + (hi - lo) * (2 * i + 1) / 800
        p = sum(c * z**j for j, c in enumerate(coefficients))
        worst = max(worst, abs((p - f(z)) * weight(z)))
    return coefficients, log(worst, 2)


def fit_quotient(f, weight, hi, top, bottom, first, rounding):
    """p, q with sum p[i] z^i / sum q[i] z^i near f(z) at z = x^2, 0 <= x <= hi, and q[0] = first. Least squares, where each
    turn knows the last one's q, and weighs more what was worst."""
    count = top + bottom - 1
    nodes = [(hi * (1 - cos(pi * (2 * i + 1) / (12 * count))) / 2)**2 for i in range(6 * count)]
    values, weights = [f(z) for z in nodes], [weight(z) for z in nodes]
    share, below = [mpf(1)] * len(nodes), [mpf(1)] * len(nodes)
    best = None
    for turn in range(12):
        a, b = matrix(len(nodes), count), matrix(len(nodes), 1)
        for i, (z, y) in enumerate(zip(nodes, values)):
            scale = weights[i] / (y * below[i]) * sqrt(share[i])
            b[i] = y * scale
            for j in range(count):
                a[i, j] = (z**j if j < top else -y * z**(j - top + 1)) * scale
        found = lu_solve(a.T * a, a.T * b)
        p, q = list(found[:top]), [mpf(1)] + list(found[top:])
        below = [value_at(q, z) for z in nodes]
        errors = [abs(value_at(p, z) / d / y - 1) * w for z, y, w, d in zip(nodes, values, weights, below)]
        if best is None or max(errors) < best[0]:
            best = max(errors), p, q
        if turn >= 3:
            share = [s * (e / max(errors) + mpf("0.05")) for s, e in zip(share, errors)]
    p, q = ([rounding(first * c) for c in part] for part in best[1:])
    worst = max(abs(value_at(p, z) / value_at(q, z) / y - 1) * w for z, y, w in zip(nodes, values, weights))
    return p, q, log(worst, 2)


def value_at(coefficients, z):
    return sum(c * z**j for j, c in enumerate(coefficients))


HALF_LN2 = log(2) / 2 * mpf("1.002")
S_MAX = (sqrt(2) - 1) / (sqrt(2) + 1) * mpf("1.001")
QUARTER = pi / 4 * mpf("1.0001")

# name, f(z), largest z, terms, rounding, weight of the error, comment
POLYNOMIALS = []


def both(name, f, hi, terms64, terms32, weight, comment, native):
    POLYNOMIALS.append((name + "_f64", f, hi, terms64, to_double, weight, comment))
    POLYNOMIALS.append((name + "_f32", f, hi, terms32, to_float if native else to_double, weight, comment))


both("sinh", lambda z: (sinh(sqrt(z)) - sqrt(z)) / z ** mpf(1.5), HALF_LN2**2, 6, 3, lambda z: z,
     "sinh r = r + r^3 P(r^2), |r| <= ln2 / 2", True)
both("cosh", lambda z: (cosh(sqrt(z)) - 1 - z / 2) / z**2, HALF_LN2**2, 6, 3, lambda z: z**2,
     "cosh r = 1 + r^2 / 2 + r^4 P(r^2), |r| <= ln2 / 2", True)
both("exp", lambda r: (exp(r) - 1 - r) / r**2, HALF_LN2, 10, 5, lambda r: r**2,
     "exp r = 1 + r + r^2 P(r), |r| <= ln2 / 2", True)
both("expm1", lambda r: (exp(r) - 1 - r) / r**2, HALF_LN2, 11, 6, lambda r: abs(r),
     "the same, relative to r", True)
both("log", lambda z: (log((1 + sqrt(z)) / (1 - sqrt(z))) - 2 * sqrt(z)) / z ** mpf(1.5), S_MAX**2, 9, 4,
     lambda z: z / 2, "log((1 + s) / (1 - s)) = 2 s + s^3 P(s^2)", True)
POLYNOMIALS.append(("log_tail", lambda z: ((log((1 + sqrt(z)) / (1 - sqrt(z))) - 2 * sqrt(z)) / z ** mpf(1.5)
                                           - mpf(2) / 3) / z, S_MAX**2, 9, to_double, lambda z: z**2 / 2,
                    "the same as 2 s + s^3 (2/3 + s^2 P(s^2))"))
LOG1P = (lambda f: (log(1 + f) - f) / f**2)
POLYNOMIALS.append(("log_near_f32", LOG1P, mpf("0.4143"), 9, to_float, abs,
                    "log(1 + f) = f + f^2 P(f), sqrt(1/2) <= 1 + f <= sqrt(2)"))
POLYNOMIALS.append(("log2_near_f32", lambda f: (log(1 + f) - f) / f**2 / log(2), mpf("0.4143"), 10, to_float, abs,
                    "log2(1 + f) = f / ln 2 + f^2 P(f), sqrt(1/2) <= 1 + f <= sqrt(2)"))
POLYNOMIALS.append(("log1p_f32", LOG1P, mpf("0.5001"), 10, to_float, abs, "the same for 3/4 <= 1 + f <= 3/2"))
POLYNOMIALS.append(("log2_short", lambda f: log(1 + f) / f / log(2), mpf("0.41425"), 13, to_double,
                    lambda f: f / log(1 + f),
                    "log2(1 + f) = f P(f), sqrt(1/2) <= 1 + f <= sqrt(2); in double, for results in float"))
POLYNOMIALS.append(("exp2_short", lambda r: mpf(2)**r, mpf("0.5"), 7, to_double, lambda r: 1,
                    "2^r, |r| <= 1/2; in double, for results in float"))
POLYNOMIALS.append(("log2_brief", lambda f: log(1 + f) / f / log(2), mpf("0.41425"), 8, to_float,
                    lambda f: f / log(1 + f), "the same in float, for results of 11 bits"))
POLYNOMIALS.append(("exp2_brief", lambda r: mpf(2)**r, mpf("0.5"), 5, to_float, lambda r: 1,
                    "2^r, |r| <= 1/2; in float, for results of 11 bits"))
both("sin", lambda z: (sin(sqrt(z)) - sqrt(z)) / z ** mpf(1.5), QUARTER**2, 7, 4, lambda z: z,
     "sin r = r + r^3 P(r^2), |r| <= pi / 4", False)
both("cos", lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, QUARTER**2, 7, 4, lambda z: z**2,
     "cos r = 1 - r^2 / 2 + r^4 P(r^2), |r| <= pi / 4", False)
NEAR = pi / 4 + mpf("0.005")
POLYNOMIALS.append(("sin_near_f32", lambda z: (sin(sqrt(z)) - sqrt(z)) / z ** mpf(1.5), NEAR**2, 3, to_float, lambda z: z,
                    "the same in float, |r| <= pi / 4 + 1/200"))
POLYNOMIALS.append(("cos_near_f32", lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, NEAR**2, 3, to_float, lambda z: z**2,
                    "the same in float, |r| <= pi / 4 + 1/200"))
POLYNOMIALS.append(("sin_brief", lambda z: (sin(sqrt(z)) - sqrt(z)) / z ** mpf(1.5), NEAR**2, 2, to_float,
                    lambda z: z, "sin r = r + r^3 P(r^2), for results of 11 bits"))
POLYNOMIALS.append(("cos_brief", lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, NEAR**2, 2, to_float,
                    lambda z: z**2, "cos r = 1 - r^2 / 2 + r^4 P(r^2), likewise"))
both("atan", lambda z: (atan(sqrt(z)) - sqrt(z)) / z ** mpf(1.5), (sqrt(2) - 1)**2 * mpf("1.0001"), 12, 6,
     lambda z: z, "atan t = t + t^3 P(t^2), |t| <= tan(pi / 8)", False)
both("asin", lambda z: (asin(sqrt(z)) - sqrt(z)) / z ** mpf(1.5), mpf("0.25001"), 14, 8, lambda z: z,
     "asin s = s + s^3 P(s^2), |s| <= 1/2", False)


def erfc_scaled(q):
    x = 4 * (1 + q) / (1 - q)
    return (1 + 2 * x) * exp(x * x) * erfc(x)


def erfc_position(x):
    return (mpf(x) - 4) / (mpf(x) + 4)


ERFC_COMMENT = "(1 + 2 x) exp(x^2) erfc x by q = (x - 4) / (x + 4), x >= 15/32"
POLYNOMIALS.append(("erfc_f64", erfc_scaled, erfc_position(28), 23, to_double, lambda q: 1, ERFC_COMMENT))


def tail_scaled(v):
    x = 1 / v - mpf("3.4375")
    return exp(x * x / 2) * erfc(x / sqrt(2)) / 2


POLYNOMIALS.append(("normal_tail", tail_scaled, 1 / mpf("3.4375"), 11, to_double, lambda v: 1 / tail_scaled(v),
                    "exp(x^2 / 2) ndtr(-x) by v = 1 / (x + 3.4375), 0 <= x <= 14.5; in double, for results in float"))
POLYNOMIALS.append(("erf_near_f32", lambda z: erf(sqrt(z)) / sqrt(z) - 1, mpf("0.939"), 8, to_float, lambda z: 1,
                    "erf x = x + x P(x^2), |x| <= 31/32"))
POLYNOMIALS.append(("erf_far_f32", lambda x: (log(erfc(x)) + x) / x, mpf(4), 9, to_float, lambda x: x * erfc(x),
                    "erf x = 1 - exp(x P(x) - x), 31/32 <= x <= 4"))

# Under fast math. What a leading term is not split off from needs one term less.
LN2 = log(2) * mpf("1.002")
both("root_exp", lambda r: (exp(r / 2) - 1) / r, LN2, 11, 6, abs, "exp(r / 2) = 1 + r P(r), |r| <= ln2", True)
both("root_exp2", lambda r: (mpf(2)**(r / 2) - 1) / r, mpf("1.0001"), 11, 6, abs, "2^(r / 2) = 1 + r P(r), |r| <= 1", True)
both("sinh_below_one", lambda z: (sinh(sqrt(z)) - sqrt(z)) / z ** mpf(1.5), mpf("1.0001"), 7, 3, lambda z: z,
     "sinh x = x + x^3 P(x^2), |x| <= 1", True)
both("log1p_unit", lambda u: log(mpf("1.5") + u) / (mpf("0.5") + u), mpf("0.5"), 21, 10,
     lambda u: (mpf("0.5") + u) / log(mpf("1.5") + u), "log(1 + w) = w P(w - 1/2), 0 <= w <= 1", True)
POLYNOMIALS.append(("log2_fast_f32", lambda f: log(1 + f) / f / log(2), mpf("0.41425"), 10, to_float,
                    lambda f: f / log(1 + f), "log2(1 + f) = f P(f), sqrt(1/2) <= 1 + f <= sqrt(2)"))



def bell_ratio(q, distance):
    x = distance * (1 + q) / (1 - q)
    return exp(x * x / 2) * erfc(x / sqrt(2)) / 2 * (x + distance)


for bits, largest, distance, terms, rounding in ((64, "38.6", 5, 24, to_double), (32, "14.5", 4, 11, to_float)):
    POLYNOMIALS.append((f"tail_ratio_f{bits}", lambda q, d=distance: bell_ratio(q, d),
                        (mpf(largest) - distance) / (mpf(largest) + distance), terms, rounding,
                        lambda q, d=distance: 1 / bell_ratio(q, d),
                        f"exp(x^2 / 2) ndtr(-x) (x + {distance}) by q = (x - {distance}) / (x + {distance}), 0 <= x <= {largest}"))


def half_erf(x):
    return erf(x) / (1 + sqrt(erfc(x) * (1 + erf(x))))


def lost_by_doubling(h):
    """What an error of h is multiplied by in 2 h / (1 + h^2)."""
    return (1 - h * h) / (1 + h * h)


# Below a power of two sums lose least by being rounded: 1.8 and 1.745 are what gave the smallest errors.
# name, f(z), weight of the error, largest x, terms above and below, the first one below, rounding, comment
QUOTIENTS = [
    (f"half_tanh_f{bits}", lambda z: tanh(sqrt(z) / 2) / sqrt(z), lambda z: lost_by_doubling(tanh(sqrt(z) / 2)),
     mpf(hi), top, bottom, mpf("1.8"), rounding, "h = tanh(x / 2) = x P(x^2) / Q(x^2), up to where tanh x is 1; as 2 h / (1 + h^2)")
    for bits, hi, top, bottom, rounding in ((64, "19.1", 7, 7, to_double), (32, "9.02", 3, 4, to_float))
] + [
    ("half_erf_f32", lambda z: half_erf(sqrt(z)) / sqrt(z), lambda z: lost_by_doubling(half_erf(sqrt(z))),
     mpf("3.95"), 4, 5, mpf("1.745"), to_float, "h = x P(x^2) / Q(x^2), erf x = 2 h / (1 + h^2), up to where that is 1"),
]
LOWEST = {"exp_f64": -HALF_LN2, "exp_f32": -HALF_LN2, "expm1_f64": -HALF_LN2, "expm1_f32": -HALF_LN2,
          "log2_short": mpf("-0.29295"), "exp2_short": mpf("-0.5"), "log_near_f32": mpf("-0.2930"),
          "log2_near_f32": mpf("-0.2930"), "log1p_f32": mpf("-0.2501"),
          "erfc_f64": erfc_position(mpf(15) / 32), "normal_tail": 1 / mpf("17.9375"),
          "root_exp_f64": -LN2, "root_exp_f32": -LN2, "root_exp2_f64": mpf("-1.0001"), "root_exp2_f32": mpf("-1.0001"),
          "log2_fast_f32": mpf("-0.29295"), "log1p_unit_f64": mpf("-0.5"), "log1p_unit_f32": mpf("-0.5"),
          "tail_ratio_f64": mpf("-0.9999"), "tail_ratio_f32": mpf("-0.9999"),
          "log2_brief": mpf("-0.29295"), "exp2_brief": mpf("-0.5"), "erf_far_f32": mpf("0.968")}
ZEROS = {"log1p_unit_f64": None, "log1p_unit_f32": None, "tail_ratio_f64": None, "tail_ratio_f32": None,
         "log2_near_f32": None, "exp2_short": None, "normal_tail": None, "log2_brief": None,
         "exp2_brief": None, "sin_brief": None, "cos_brief": None, "exp_f64": 2, "exp_f32": 2, "expm1_f64": 1,
         "expm1_f32": 1, "root_exp_f64": 1, "root_exp_f32": 1, "root_exp2_f64": 1, "root_exp2_f32": 1,
         "log_near_f32": 1, "log1p_f32": 1,
         "erf_near_f32": None, "erf_far_f32": None, "sin_near_f32": None, "cos_near_f32": None}


def hexadecimal(x):
    text = float(x).hex()
    mantissa, exponent = text.split("p")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return mantissa + "p" + str(int(exponent))


def array(name, values, comment):
    lines, line = [], "   "
    for v in values:
        item = " " + hexadecimal(v) + ","
        if len(line) + len(item) > 99:
            lines.append(line)
            line = "   "
        line += item
    lines.append(line)
    head = "/// " + comment + "\n" if comment else ""
    return head + "inline constexpr double " + name + "[] = {\n" + "\n".join(lines) + "\n};\n"


def split(x, bits):
    """x as doubles that do not overlap: bits[i] bits each, truncated; the last one rounded."""
    parts = []
    for b in bits[:-1]:
        if x == 0:
            parts.append(mpf(0))
            continue
        scale = mpf(2) ** (b - 1 - int(floor(log(abs(x), 2))))
        part = floor(x * scale) / scale
        parts.append(part)
        x -= part
    return parts + [to_double(x)]


def reduction_table(first, last, step, bits):
    """For s = first, first + step, ...: 2^s * 2/pi modulo 4, in parts of so many bits."""
    old, mp.prec = mp.prec, 1600
    values = []
    for s in range(first, last + 1, step):
        x = mpf(2) ** s * 2 / pi
        x -= 4 * floor(x / 4)
        values += split(x, bits)
    mp.prec = old
    return values


def main(folder):
    banner = "// Made by tools/fit_math.py; do not edit.\n"
    text = banner + "#pragma once\n\nnamespace sinter::math::coefficients {\n\n"
    for name, f, hi, terms, rounding, weight, comment in POLYNOMIALS:
        c, error = fit(f, LOWEST.get(name, mpf(0)), hi, terms, rounding, weight, ZEROS.get(name, 0))
        print(f"{name}: {terms} terms, error 2^{float(error):.1f}")
        text += array(name, c, f"{comment}; error 2^{float(error):.1f}") + "\n"
    for name, f, weight, hi, top, bottom, first, rounding, comment in QUOTIENTS:
        above, below, error = fit_quotient(f, weight, hi, top, bottom, first, rounding)
        print(f"{name}: {top} / {bottom} terms, error 2^{float(error):.1f}")
        text += array(f"{name}_top", above, f"{comment}; error 2^{float(error):.1f}") + "\n"
        text += array(f"{name}_bottom", below, "") + "\n"
    text += "}  // namespace sinter::math::coefficients\n"
    open(folder + "/coefficients.hpp", "w").write(text)

    text = banner + "#pragma once\n\nnamespace sinter::math::table_values {\n\n"
    text += array("two_over_pi_f64", reduction_table(-64, 960, 16, [53, 53, 53, 53]),
                  "2^s * 2/pi modulo 4 in four parts, s = -64, -48, ... 960") + "\n"
    text += array("two_over_pi_f32", reduction_table(-48, 96, 16, [28, 28, 53]),
                  "2^s * 2/pi modulo 4 in parts of 28, 28 and 53 bits, s = -48, -32, ... 96") + "\n"
    values = []
    for j in range(6 * 64 + 1):
        c = mpf(j) / 64
        high = to_double(erf(c))
        values += [high, to_double(erf(c) - high), to_double(2 / sqrt(pi) * exp(-c * c))]
    text += array("erf", values, "erf(c) in two parts and its derivative, c = j / 64, 0 <= c <= 6") + "\n"
    text += "}  // namespace sinter::math::table_values\n"
    open(folder + "/table_values.def", "w").write(text)


if __name__ == "__main__":
    main(sys.argv[1])

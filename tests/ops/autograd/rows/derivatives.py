#!/usr/bin/env python3
"""Writes derivatives.txt: what PyTorch's backward gives for each row of the table, at special values.

Run by hand where PyTorch 2.x can be imported (tests/golden/generate.py says how):

    /tmp/pt/bin/python tests/ops/autograd/rows/derivatives.py

`values 1 ...` has the numbers that rows of one operand are asked for, `values 2` and `values 3` those of which
all pairs and triples are made, the last one fastest. A line `name operand gradient: results` has the gradient of
that operand for each, or `-` where it is not compared. Doubles, as C prints them; NaN has no sign.

Left out: rows that PyTorch differentiates nowhere, and what Sinter does differently on purpose, see `apart`.
"""

import itertools
import math
import pathlib

import torch

inf, nan = math.inf, math.nan
VALUES = {
    1: [0.0, -0.0, inf, -inf, nan, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0, 6.0, 20.0, 1e-300, -1e-300, 1e200, -1e200,
        1e-20, 0.3, -0.7, 1.5, -2.25, 10.25, 25.0, -25.0, 100.0, -100.0],
    2: [0.0, -0.0, inf, -inf, nan, 1.0, -1.0, 0.5, 2.0, -3.0, 1e100, 1e-100, 0.75],
    3: [inf, nan, -1.0, 0.0, 1.0, 2.5],
}
F, S, f = torch, torch.special, torch.nn.functional

ROWS = {
    "add": torch.add, "sub": torch.sub, "rsub": torch.rsub, "mul": torch.mul, "div": torch.div,
    "remainder": torch.remainder, "fmod": torch.fmod, "pow": torch.pow, "neg": torch.neg, "abs": torch.abs,
    "sign": torch.sign, "square": torch.square, "copysign": torch.copysign, "hypot": torch.hypot, "nextafter": torch.nextafter,
    "deg2rad": torch.deg2rad, "rad2deg": torch.rad2deg, "reciprocal": torch.reciprocal,
    "minimum": torch.minimum, "maximum": torch.maximum, "fmin": torch.fmin, "fmax": torch.fmax,
    "clamp": torch.clamp, "relu": torch.relu, "relu6": f.relu6, "sqrt": torch.sqrt, "rsqrt": torch.rsqrt,
    "exp": torch.exp, "exp2": torch.exp2, "expm1": torch.expm1, "log": torch.log, "log1p": torch.log1p,
    "log2": torch.log2, "xlogy": torch.xlogy, "logit": torch.logit, "logaddexp": torch.logaddexp,
    "logaddexp2": torch.logaddexp2, "log10": torch.log10, "xlog1py": S.xlog1py, "entr": S.entr, "sin": torch.sin,
    "cos": torch.cos, "tan": torch.tan, "asin": torch.asin, "acos": torch.acos, "atan": torch.atan,
    "atan2": torch.atan2, "sinc": torch.sinc, "sinh": torch.sinh, "cosh": torch.cosh, "tanh": torch.tanh,
    "asinh": torch.asinh, "acosh": torch.acosh, "atanh": torch.atanh, "erf": torch.erf, "erfc": torch.erfc,
    "silu": f.silu, "mish": f.mish, "softplus": f.softplus, "log_sigmoid": f.logsigmoid, "softsign": f.softsign,
    "hardsigmoid": f.hardsigmoid, "hardswish": f.hardswish, "sigmoid": torch.sigmoid, "erfinv": torch.erfinv,
    "erfcx": S.erfcx, "ndtr": S.ndtr, "log_ndtr": S.log_ndtr, "ndtri": S.ndtri, "lgamma": torch.lgamma,
    "digamma": torch.digamma, "i0": torch.i0, "i0e": S.i0e, "i1": S.i1, "i1e": S.i1e, "floor": torch.floor,
    "ceil": torch.ceil, "round": torch.round, "trunc": torch.trunc, "frac": torch.frac,
}
ARITY = {name: 2 for name in ("add sub rsub mul div remainder fmod pow copysign hypot nextafter minimum maximum fmin fmax "
                              "xlogy logaddexp logaddexp2 xlog1py atan2").split()} | {"clamp": 3}


# What Sinter does otherwise. Where the value is NaN, its derivative means nothing and is not compared either.
HUGE = 1e100


def apart(name, at, gradient):
    x = at[0]
    return (name == "digamma" and x < 0 and x == math.floor(x)  # infinite at the poles, where PyTorch has rounding errors
            or name == "softsign" and (math.isinf(x) or math.isinf(gradient))  # PyTorch divides infinities
            or name == "sinc" and math.isinf(gradient) and abs(x) < 1e-8  # PyTorch's quotient is 0 / 0
            or name == "hypot" and x == 0 and at[1] == 0  # 0, as everywhere where a norm is 0
            or name == "rsqrt" and x == 0  # the sign of the zero
            or name in ("i0", "log_ndtr") and abs(x) >= HUGE  # PyTorch has NaN
            or math.isinf(gradient) and any(abs(v) >= HUGE or 0 < abs(v) <= 1 / HUGE for v in at))  # overflows inside


def results(name, function, arity, operand, gradient):
    points = torch.tensor(list(itertools.product(VALUES[arity], repeat=arity)), dtype=torch.float64)
    inputs = [points[:, k].clone().requires_grad_(k == operand) for k in range(arity)]
    y = function(*inputs)
    if not y.requires_grad:
        return None
    unknown = [math.isnan(v) and not any(map(math.isnan, at)) or apart(name, at, gradient)
               for v, at in zip(y.tolist(), points.tolist())]
    y.backward(torch.full_like(y, gradient))
    got = inputs[operand].grad
    got = torch.zeros(len(points)) if got is None else got
    return [None if leave else g for leave, g in zip(unknown, got.tolist())]


def text(x):
    return "-" if x is None else "nan" if math.isnan(x) else repr(x)


lines = ["# by derivatives.py, PyTorch " + torch.__version__.split("+")[0]]
for arity, values in VALUES.items():
    lines.append(f"values {arity} " + " ".join(map(text, values)))
for name, function in ROWS.items():
    arity = ARITY.get(name, 1)
    for operand in range(arity):
        for gradient in (1.0, inf) if arity < 3 else (1.0,):
            got = results(name, function, arity, operand, gradient)
            if got is None:
                print("no derivative:", name, operand)
            else:
                lines.append(f"{name} {operand} {text(gradient)}: " + " ".join(map(text, got)))
path = pathlib.Path(__file__).with_name("derivatives.txt")
path.write_text("\n".join(lines) + "\n")
print(path, path.stat().st_size, "bytes")

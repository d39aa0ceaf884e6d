#!/usr/bin/env python3
"""Writes gradients.txt: what PyTorch's backward gives for calls of the other files, special values included.

Run by hand where PyTorch 2.x can be imported (generate.py says how):

    /tmp/pt/bin/python tests/golden/gradients/gradients.py

The calls are those of generate.py with Double and ComplexDouble operands. A line is `name@mask argument... ->
gradient ; gradient`: the mask has a digit for each operand of these dtypes, 1 if its gradient is written. Element
i of each floating result has the gradient 1 + i % 4 / 4, and for complex numbers 0.5 - i % 3 / 4 as imaginary
part. Words are those of generate.py, rounded to ten digits. An operand that PyTorch finds no gradient of has 0.

Left out: calls that throw, forward or backward, and what Sinter does differently on purpose, see `apart`. The word
7ff8dead stands where a gradient is not compared, see `unknown`.
"""

import math
import pathlib
import struct
import sys
import warnings
import zlib

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import complex_numbers
import neural
import parameters
import pointwise
import reductions
import shapes
import special
from notation import INF, LeftOut, Operand, T, own, text_of, value_of

DTYPES = ("f64", "c128")
MOST = 24  # calls of a name
SKIP = "7ff8dead"  # what is not compared


def operands_in(args):
    """The operands of these dtypes, in their order."""
    found = []
    for a in args:
        if isinstance(a, Operand):
            found += [a] if a.dtype in DTYPES else []
        elif isinstance(a, (list, tuple)):
            found += operands_in(a)
    return found


def values_of(args, leaves):
    values = []
    for a in args:
        if isinstance(a, Operand) and a.dtype in DTYPES:
            values.append(leaves.pop(0))
        elif isinstance(a, (list, tuple)):
            values.append(values_of(a, leaves))
        else:
            values.append(value_of(a))
    return values


def weights(t):
    i = torch.arange(t.numel()).reshape(t.shape)
    w = 1 + i % 4 / 4.0
    if t.is_complex():
        w = torch.complex(w.double(), 0.5 - (i % 3).double() / 4)
    return w.to(t.dtype)


def words(t, skip):
    skip = skip and (skip if not t.is_complex() else [s for s in skip for _ in range(2)])
    t = torch.view_as_real(t.resolve_conj()) if t.is_complex() else t
    runs = []
    for i, x in enumerate(t.detach().contiguous().reshape(-1).tolist()):
        if skip and skip[i]:
            w = SKIP
        elif math.isnan(x):
            w = "nan"
        else:
            b = struct.unpack("<Q", struct.pack("<d", x))[0]
            rounded = (b + (1 << 23)) >> 24 << 24
            # The largest numbers would become infinite.
            b = rounded if math.isinf(x) or rounded & (0x7ff << 52) != 0x7ff << 52 else b >> 24 << 24
            w = f"{b:016x}".rstrip("0") or "0"
        if runs and runs[-1][0] == w:
            runs[-1][1] += 1
        else:
            runs.append([w, 1])
    return [w if n == 1 else f"{w}*{n}" for w, n in runs]


def gradients(name, f, args, wanted):
    """The gradients of the wanted operands, or None."""
    leaves = [o.tensor() for o in operands_in(args)]
    for i in wanted:
        leaves[i] = leaves[i].detach().requires_grad_()
    kept = list(leaves)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            got = f(*values_of(args, leaves))
            results = [r for r in (got if isinstance(got, (list, tuple)) else [got])
                       if isinstance(r, torch.Tensor) and r.requires_grad]
            if not results:
                return None
            found = torch.autograd.grad(results, [kept[i] for i in wanted], [weights(r) for r in results],
                                        allow_unused=True)
    except (LeftOut, RuntimeError, IndexError, ValueError, TypeError):
        return None
    if differs(name, kept, results, [g for g in found if g is not None]):
        return None
    found = [torch.zeros_like(kept[i]) if g is None else g + 0 for i, g in zip(wanted, found)]
    skips = [None] * len(found)
    if len(kept) == 1 and len(results) == 1 and results[0].shape == kept[0].shape and name in ELEMENTWISE:
        skips[0] = [unknown(name, x, y) for x, y in zip(kept[0].reshape(-1).tolist(), results[0].reshape(-1).tolist())]
    return list(zip(found, skips))


class Gradients:
    """The recorder that the modules of generate.py call."""

    def __init__(self):
        self.calls, self.kernels, self.names = {}, False, {}

    def call(self, name, *args, by=None, **_):
        operands = operands_in(args)
        text = " ".join(map(text_of, args))
        if not operands or apart(name, args, text):
            return
        self.names.setdefault(name, {})[text] = (args, by)

    def lines(self):
        for name, calls in self.names.items():
            kept = sorted(calls, key=lambda t: zlib.crc32((name + t).encode()))
            count = 0
            for text in kept:
                line = self.line(name, text, *calls[text])
                if line and count < MOST:
                    count += 1
                    yield line

    @staticmethod
    def line(name, text, args, by):
        try:
            f = by or own(name)
        except LeftOut:
            return None
        everything = list(range(len(operands_in(args))))
        wanted = everything
        found = gradients(name, f, args, wanted)
        if found is None and len(everything) > 1:
            wanted = [i for i in everything if gradients(name, f, args, [i])]
            found = gradients(name, f, args, wanted) if wanted else None
        if not found or sum(g.numel() for g, _ in found) > 64:
            return None
        mask = "".join("1" if i in wanted else "0" for i in everything)
        names = {torch.float64: "f64", torch.complex128: "c128"}
        parts = [" ".join([f"{names[g.dtype]}[{','.join(map(str, g.shape))}]", *words(g, skip)]) for g, skip in found]
        return f"{name}@{mask} {text} -> {' ; '.join(parts)}"


# PyTorch's vector kernels and its scalar ones have different gradients where the operand is NaN.
NAN_VARIES = {"relu6", "hardswish", "hardsigmoid", "softshrink", "hardshrink", "elu", "celu", "selu", "leaky_relu",
              "hardtanh", "threshold", "angle", "nan_to_num", "mish", "silu", "softsign", "gelu"}
NARROW = ("f16", "bf16", "f32", "c64", "u8", "i8", "bool")


def apart(name, args, text):
    # Leaves are not written in place.
    if name.endswith("_") and name != "copy_":
        return True
    # Gradients of an operand beside a narrow one are sums of narrow numbers, in another order.
    if any(d + "[" in text for d in NARROW):
        return True
    # PyTorch's variance over an empty list of dimensions divides by the size of none.
    if name in ("var", "std", "var_mean", "std_mean") and " { } " in text:
        return True
    # The elements of a leaf do not share memory.
    if any(o.layout == "e" for o in operands_in(args)):
        return True
    # PyTorch multiplies by the operand before it was converted.
    if name == "cumprod" and text.endswith("f32"):
        return True
    # A number that fills a tensor leaves no gradient in Sinter; PyTorch's is 0.
    if name == "fill" and len(operands_in(args)) == 1:
        return True
    # PyTorch has 1 / 6 in Float, and takes the modulus of polar for positive.
    if name in ("hardsigmoid", "polar"):
        return True
    # The reciprocal of a square is infinite at 0; powers of -inf.
    return name == "pow" and text.split()[0][:3] == "f64" and "]s" in text and text.split()[-1] in ("-2.0", "-2", "1.5")


def differs(name, operands, results, found):
    """The same, where the values tell."""
    if all(r.numel() == 0 for r in results):
        return True  # no gradient in Sinter, an empty one in PyTorch
    if name in ("amax", "amin"):  # all NaN share it
        return bool(results[0].isnan().any())
    if name == "hypot":  # 0 at (0, 0)
        return any(bool(g.isnan().any()) for g in found)
    if name in ("prod", "fmod"):  # infinite and huge factors
        return any(bool((t.abs() > 1e100).any() or t.isnan().any()) for t in operands)
    return name == "std" and results[0].is_complex() is False and any(t.is_complex() for t in operands) \
        and bool(results[0].isnan().any())


# Infinite at the poles, where PyTorch has rounding errors; NaN of infinite numbers; quotients of infinities.
def unknown(name, x, y):
    """True if the gradient at x means nothing or differs on purpose, where the value is y."""
    if isinstance(x, complex):
        odd = not (math.isfinite(x.real) and math.isfinite(x.imag)) or abs(x) > 1e100
        return odd or name in CUTS and x.imag == 0 and abs(x.real) > 1
    if isinstance(y, float) and math.isnan(y) and not math.isnan(x):
        return True
    if math.isnan(x) and name in NAN_VARIES:
        return True
    if name == "digamma" and x <= 0 and (x == math.floor(x) or abs(x) < 1e-100):
        return True
    return name in ("i0", "i1", "i0e", "i1e", "log_ndtr", "softsign", "sinc") and abs(x) > 1e100


# PyTorch has the derivative of the other side of the cut.
CUTS = {"asin", "acos", "arcsin", "arccos"}
ELEMENTWISE = set()


def more(f):
    """Zeros, ties, infinities and NaN where the other files have few."""
    def special_values(d):
        for seed in (0, 4, 8, 14):
            yield T(d, [8], "s", seed)
        yield T(d, [6], "q", 0, 3)  # ties and zeros
        yield T(d, [2, 3], "w", 1, 2)
    for x in special_values("f64"):
        for name in ["sum", "mean", "prod"]:
            f.call(name, x, None, False, None, by=lambda x, d, k, t, name=name: getattr(torch, name)(x))
        for name in ["amax", "amin"]:
            f.call(name, x, [], False, by=getattr(torch, name))
            f.call(name, x, [0], True, by=getattr(torch, name))
        for name in ["max", "min"]:
            f.call(name, x, None, False, by=lambda x, d, k, name=name: getattr(torch, name)(x))
            f.call(name, x, 0, False, by=getattr(torch, name))
        f.call("var", x, None, True, by=lambda x, d, u: torch.var(x, unbiased=u))
        f.call("std", x, None, False, by=lambda x, d, u: torch.std(x, unbiased=u))
        for name in ["softmax", "log_softmax"]:
            f.call(name, x, 0, None, by=lambda x, d, t, name=name: getattr(torch, name)(x, d))
        f.call("logsumexp", x, [0], False, by=torch.logsumexp)
        f.call("nansum", x, None, False, None, by=lambda x, d, k, t: torch.nansum(x))
        f.call("nanmean", x, None, False, None, by=lambda x, d, k, t: torch.nanmean(x))
    for d in DTYPES:
        for x in special_values(d):
            for p in [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, INF, -INF]:
                f.call("norm", x, p, [0], False, None, by=lambda x, p, d, k, t: torch.linalg.vector_norm(x, p, d, k))
        zero = T(d, [2, 3], "q", 0, 1)
        for p in [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, INF]:
            f.call("norm", zero, p, [1], True, None, by=lambda x, p, d, k, t: torch.linalg.vector_norm(x, p, d, k))
            f.call("dist", zero, zero, p, by=torch.dist)
    x = T("f64", [3, 2], "q", 0, 2)
    for p in [0.0, 0.5, 1.0, 1.5, 2.0, 3.0]:
        f.call("cdist", x, T("f64", [2, 2], "q", 1, 2), p, by=torch.cdist)
        f.call("nn_pdist", x, p, by=torch.nn.functional.pdist)
        f.call("pairwise_distance", x, x, p, 0.0, False, by=torch.nn.functional.pairwise_distance)
    for name in ["abs", "angle", "sgn", "sqrt", "log", "exp", "square", "reciprocal", "sin", "cos", "tanh", "sigmoid",
                 "sinh", "cosh", "tan", "log1p", "expm1", "rsqrt", "asin", "acos", "atan", "asinh", "acosh", "atanh"]:
        for kind, seed in [("q", 0), ("p", 2), ("m", 1), ("r", 1), ("w", 3)]:
            f.call(name, T("c128", [4], kind, seed, 3 if kind in "qw" else 1))
    values = [0.0, -0.0, 1.0, 2.0, 0.5, -1.0, 3.0, -2.0]
    for e in values:
        f.call("pow", T("f64", [12], "s"), e)
        f.call("pow", T("f64", [12], "m", 2), e)
        f.call("pow", T("c128", [3], "p", 2), e)
    f.call("pow", T("f64", [12, 1], "s"), T("f64", [5], "m", 3))
    f.call("pow", T("f64", [8, 1], "q", 0, 3), T("f64", [5], "w", 0, 2))
    for name in ["xlogy", "xlog1py", "atan2", "hypot", "fmod", "remainder", "maximum", "minimum", "fmax", "fmin",
                 "copysign", "logaddexp", "div"]:
        for seed in (0, 5, 10):
            f.call(name, T("f64", [6, 1], "s", seed), T("f64", [5], "s", 3 * seed))
        f.call(name, T("f64", [6, 1], "w", 1, 2), T("f64", [5], "w", 2, 2))
    for low, high in [(-1.0, 1.0), (None, 0.5), (-1.5, None), (1.0, -1.0)]:
        f.call("clamp", T("f64", [12], "s"), low, high)
        f.call("clamp", T("f64", [12], "w", 1, 3), low, high)
    f.call("clamp_tensors", T("f64", [12], "s"), T("f64", [12], "w", 1, 2), T("f64", [12], "w", 3, 2), by=torch.clamp)
    f.call("clamp_tensors", T("f64", [12], "w", 0, 2), T("f64", [12], "w", 1, 2), T("f64", [12], "w", 3, 2),
           by=torch.clamp)
    for name in pointwise_names:
        for kind, seed in [("w", 2), ("q", 1), ("s", 3)]:
            f.call(name, T("f64", [6], kind, seed, 4 if kind in "wq" else 1))


pointwise_names = ["relu", "relu6", "selu", "log_sigmoid", "softsign", "hardsigmoid", "hardswish", "silu", "mish", "sinc",
                   "erf", "erfc", "lgamma", "digamma", "i0", "i1", "i0e", "i1e", "ndtr", "log_ndtr", "entr", "erfcx"]


def main():
    all_calls = Gradients()
    for fill in (pointwise.unary, pointwise.binary, reductions.reductions, shapes.shapes, parameters.parameters,
                 complex_numbers.complex_numbers, special.special, neural.neural, more):
        fill(all_calls)
    ELEMENTWISE.update(name for name, calls in all_calls.names.items()
                       if name in vars(torch) or name in vars(torch.special) or name in vars(torch.nn.functional))
    lines = [f"# What PyTorch {torch.__version__} gives, written by gradients.py: do not edit.", *all_calls.lines()]
    path = pathlib.Path(__file__).with_name("gradients.txt")
    path.write_text("\n".join(lines) + "\n")
    print(path, len(lines) - 1, "calls", path.stat().st_size // 1024, "KB")


if __name__ == "__main__":
    main()

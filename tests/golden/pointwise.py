"""Element operations and conversions."""

import itertools
import math
import random
import re

import torch

from notation import ALL, EPS, FLOATS, INTS, NAME_OF, NAMES, ROOT, LeftOut, T, own

def operands(f):
    for d in ALL:
        for kind in "sznfmprbc":
            f.call("clone", T(d, [31], kind, 2))
        for kind in "uwq":
            f.call("clone", T(d, [9], kind, 1, 4))
        for layout in "tse":
            f.call("clone", T(d, [2, 3], "c", 0, 1, layout))
            f.call("clone", T(d, [2, 1, 2], "c", 0, 1, layout))
        f.call("clone", T(d, [], "c", 3))
        f.call("clone", T(d, [2, 0], "c", 3))


# ---- the tables of rows

def read_rows():
    rows, aliases = {}, {}
    for line in (ROOT / "include/sinter/op/elementwise.def").read_text().splitlines():
        m = re.match(r"ROW([123])\((\w+), (\w+)", line)
        if m and m[3] != "random":
            rows[m[2]] = (int(m[1]), m[3])
    for line in (ROOT / "include/sinter/expr/aliases.def").read_text().splitlines():
        m = re.match(r"(UNARY|BINARY)_ALIAS\((\w+), (\w+)\)", line)
        if m:
            aliases[m[2]] = m[3]
    return rows, aliases


ROWS, ALIASES = read_rows()
# Where -0 and +0 meet, PyTorch gives either; Sinter orders them (-0 < +0).
ORDERING = {"minimum", "maximum", "fmin", "fmax", "relu", "relu6", "clamp_min", "clamp_max"}
# PyTorch composes these: x * 6 overflows first in hardswish, pi * x in sinc, abs(-128) wraps in
# softsign. Sinter converts integers first and is within the row's bound everywhere.
COMPOSED = {"hardswish": "f", "softsign": "f", "sinc": "f"}
# MKL's square root of doubles is not correctly rounded, and sin(pi * x) / (pi * x) is exact to
# an epsilon of 1 only.
BESSEL = {"airy_ai", "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "modified_bessel_k0", "modified_bessel_k1",
          "scaled_modified_bessel_k0", "scaled_modified_bessel_k1"}
# PyTorch's f32 kernels of these lose more digits than ours, and some have no value at infinity: they
# are judged against its doubles, of moderate floats.
SPECIAL = {"erfcx", "ndtr", "log_ndtr", "ndtri", "erfinv", "lgamma", "digamma", "entr", "i0", "i0e", "i1", "i1e",
           "spherical_bessel_j0"} | BESSEL
UNARY_BOUNDS = {"sqrt": lambda v, r: 2.0**-52 if r.dtype == torch.float64 else 0,
                "sinc": lambda v, r: 4 * EPS[NAME_OF[r.dtype]]}


def special_bound(values, result):
    """Of functions that PyTorch computes with errors of many units near their zeros."""
    x = result.double().abs()
    x = x[x.isfinite()]
    return 8 * EPS[NAME_OF[result.dtype]] * max(1.0, float(x.max()) if x.numel() else 0.0)


def bessel_bound(values, result):
    """The doubles of these err by 3e-14."""
    return special_bound(values, result) * (32 if result.dtype == torch.float64 else 1)


def unary(f):
    for name in [n for n, r in ROWS.items() if r[0] == 1] + [a for a, r in ALIASES.items() if ROWS[r][0] == 1]:
        kind = "z" if name in ORDERING else COMPOSED.get(name, "s")
        bound = UNARY_BOUNDS.get(name)
        for d in ALL:
            n = 30 if d in FLOATS else 2 if d == "bool" else 12
            if name in SPECIAL:
                bound = bessel_bound if name in BESSEL else special_bound
                if d in FLOATS:
                    # PyTorch has NaN or infinity for some at 5e-324, a double of the kind "f".
                    kind = "r" if name in BESSEL and d == "f64" else "f"
                    f.call(name, T(d, [n], kind), bound=bound, wide=True)
                    f.call(name, T(d, [2, 3], "r", 1, 1, "t"), bound=bound, wide=True)
                elif name in BESSEL and d in ("u8", "i64", "bool"):
                    f.call(name, T(d, [n], "m"), bound=bound, wide=True)
                continue
            f.call(name, T(d, [8 if name in ALIASES else n], kind), bound=bound)
        if name in ALIASES:
            continue
        if name in SPECIAL:
            continue
        for x in [T("f32", [2, 3], "r", 1, 1, "t"), T("f64", [2, 3], "r", 2, 1, "s"), T("f16", [4], "r", 3),
                  T("bf16", [2, 2], "r", 4, 1, "e"), T("i32", [2, 2], "m", 4, 1, "t"), T("f32", [], "r", 5),
                  T("f32", [0, 2])]:
            f.call(name, x, bound=bound)
        for d in ["f32", "i32", "f16", "bool"]:
            if hasattr(torch.Tensor, name + "_"):
                f.call(name + "_", T(d, [2, 2], "r", 1, 1, "t"), bound=bound)


FULL = ["add", "div", "eq", "pow", "remainder", "floor_divide", "maximum", "atan2", "logical_and", "bitwise_and",
        "bitwise_left_shift", "copysign", "heaviside", "fmod"]
INTEGER_DIVISION = {"remainder", "floor_divide", "fmod"}


def second(name, d):
    """The kind of the second operand."""
    if d in INTS + ["bool"] and name in INTEGER_DIVISION:
        return "n"  # a zero throws, and PyTorch's MIN / -1 is the processor's fault
    if name in ("bitwise_left_shift", "bitwise_right_shift"):
        return "u"
    return "z" if name in ORDERING else "s"


def binary(f):
    names = [n for n, r in ROWS.items() if r[0] == 2]
    for name in names + [a for a, r in ALIASES.items() if ROWS[r][0] == 2]:
        pick = random.Random(name)  # of its own, so that a new row changes its own lines only
        alias = name in ALIASES
        if name in ("gcd", "lcm"):  # PyTorch's MIN % -1 is the processor's fault here as well
            for a, b in itertools.product(INTS + ["bool", "f32"], ["u8", "i8", "i32", "i64"]):
                f.call(name, T(a, [6, 1], "m", 3), T(b, [1, 6], "m", 5))
            continue
        if name == "nextafter":
            for d in FLOATS:
                f.call(name, T(d, [30, 1], "s"), T(d, [1, 30], "s"))
                f.call(name, T(d, [40], "r", 1), T("i16", [40], "m", 2))
                f.call(name, T(d, [10], "s", 4), 2.1)
                f.call(name + "_", T(d, [2, 3], "r", 1, 1, "t"), T(d, [3], "m", 2))
            continue
        some = ["i32", "f32"] if alias else ["u8", "i8", "i32", "i64", "f32", "f64"]
        for d in some:
            n = 4 if alias else 10 if d in FLOATS else 8
            kind = second(name, d)
            if name == "pow" and d in INTS:
                kind = "u"  # a negative exponent of a tensor is tested below
            f.call(name, T(d, [n, 1], "z" if name in ORDERING else "s"), T(d, [1, n], kind, 0, 8 if kind == "u" else 1))
        if alias:
            f.call(name, T("i8", [2]), 1.5)
            continue
        for d in ["f16", "bf16", "i16", "bool"]:
            kind = second(name, d)
            f.call(name, T(d, [20 if d in FLOATS else 12], "z" if name in ORDERING else "s", 2),
                   T(d, [20 if d in FLOATS else 12], kind if name != "pow" else "p", 7, 8 if kind == "u" else 1))
        pairs = list(itertools.product(ALL, ALL))
        if name not in FULL:
            pairs = pick.sample(pairs, 16)
        for a, b in pairs:
            if name == "heaviside" and a != b:
                continue
            kind = "p" if name in ("pow", *INTEGER_DIVISION) else "u" if "shift" in name else "r"
            p = 8 if kind == "u" else 1
            f.call(name, T(a, [3], "r", 1), T(b, [3], kind, 2, p))
            if name in FULL[:5] or pick.random() < 0.2:
                f.call(name, T(a, [2], "r", 3), T(b, [], kind, 1, p))
                f.call(name, T(a, [], "r", 4), T(b, [2], kind, 1, p))
        for d in ALL if name in FULL else pick.sample(ALL, 5):
            for s in [3, 2.5, True]:
                f.call(name, T(d, [3], "r", 2), s)
                if name in ("rsub", "clamp_max", "clamp_min"):
                    continue
                f.call(name, s, T(d, [3], "n" if name in INTEGER_DIVISION else "u" if "shift" in name else "p", 5, 8 if "shift" in name else 1),
                       by=lambda s, t: left(name, s, t))
        if name != "heaviside":  # equal dtypes only, in PyTorch
            f.call(name, T("f32", [2, 3], "r", 1, 1, "t"), T("f64", [3], "p", 2, 1, "s"))
        f.call(name, T("f32", [2, 1], "r", 1, 1, "e"), T("f32", [2, 1, 3], "p", 2))
        f.call(name, T("i32", [2, 2], "p", 1, 1, "s"), T("i32", [2, 2], "p", 2, 1, "t"))
        f.call(name, T("f32", [0, 3]), T("f32", [1]))
        f.call(name, T("f32", [2, 3]), T("f32", [4]))
        f.call(name, T("i64", [2, 3]), T("i64", [3, 2]))
        if hasattr(torch.Tensor, name + "_"):
            for a, b in pick.sample(list(itertools.product(ALL, ALL)), 10) + [("i32", "f32"), ("bool", "i32"), ("f32", "f64")]:
                if name == "heaviside" and a != b:
                    continue
                kind = "u" if "shift" in name else "p"
                f.call(name + "_", T(a, [2, 2], "p", 1, 1, "t"), T(b, [2], kind, 2, 8 if kind == "u" else 1))
            f.call(name + "_", T("i32", [2], "p"), 2)
            f.call(name + "_", T("i32", [2], "p"), 2.5)
            f.call(name + "_", T("f16", [2], "p"), 2.5)
            f.call(name + "_", T("f32", [2]), T("f32", [2, 2]))
            f.call(name + "_", T("f32", [2, 2], "m", 0, 1, "e"), T("f32", [2]))
    for d in INTS[1:]:
        f.call("pow", T(d, [6, 1], "m", 1), T(d, [1, 6], "m", 2))
        f.call("pow", T(d, [8], "u", 1, 3), T(d, [8], "w", 2, 4))
    for d in INTS:
        for name in ["floor_divide", "remainder", "fmod"]:
            f.call(name, T(d, [3], "p"), T(d, [3], "c"))
    more_binary(f)
    outputs(f)


def left(name, s, t):
    """A number on the left: where PyTorch has no function for it, its operator."""
    try:
        return own(name)(s, t)
    except TypeError:
        pass
    op = {"add": lambda: s + t, "sub": lambda: s - t, "mul": lambda: s * t, "div": lambda: s / t,
          "floor_divide": lambda: s // t, "bitwise_and": lambda: s & t, "bitwise_or": lambda: s | t,
          "bitwise_xor": lambda: s ^ t, "bitwise_left_shift": lambda: s << t,
          "bitwise_right_shift": lambda: s >> t}.get(name)
    if op is None:
        raise LeftOut
    return op()


def more_binary(f):
    for d in ALL:
        f.call("add_scaled", T(d, [3], "r", 1), T(d, [3], "r", 2), 2, by=lambda a, b, s: torch.add(a, b, alpha=s))
        f.call("sub_scaled", T(d, [3], "r", 1), T("i32", [3], "r", 2), 3, by=lambda a, b, s: torch.sub(a, b, alpha=s))
        f.call("add_scaled", T(d, [3], "m", 1), T("i16", [3], "m", 2), 0.5, by=lambda a, b, s: torch.add(a, b, alpha=s))
        f.call("add_scaled", T(d, [3], "m", 1), T(d, [3], "m", 2), True, by=lambda a, b, s: torch.add(a, b, alpha=s))
        f.call("add_scaled_", T(d, [2], "m", 1), T("i32", [2], "m", 2), 2, by=lambda a, b, s: a.add_(b, alpha=s))
        for s in [0.1, -2.7]:
            for name in ["add", "sub", "mul", "div", "eq", "lt", "maximum"]:
                f.call(name, T(d, [4], "r", 2), s)
        for s in [-2, -1, -0.5, 0, 0.5, 1, 2, 3, 4, 1.5, 2.0, -3, True]:
            # Sinter takes sqrt and rsqrt for every dtype, PyTorch for wide ones only: they differ
            # at -0 and -inf.
            kind = "p" if d in ("f16", "bf16") and abs(s) == 0.5 else "s"
            f.call("pow", T(d, [10], kind), s)
        for s in [2, 0, 1, 0.5, -1, True]:
            f.call("pow", s, T(d, [4], "p", 1))
        f.call("pow_", T(d, [3], "p"), 2)
        f.call("pow_", T(d, [3], "p"), 0.5)
        for lo, hi in [(-1, 2), (0.5, None), (None, 3), (None, 2.5), (2, -2), (None, None), (True, 3), (math.nan, 1)]:
            f.call("clamp", T(d, [12], "z", 2), lo, hi)
        for s in [-1, 300, -300, 1.5, True]:
            for name in ["clamp_min", "clamp_max"]:
                f.call(name, T(d, [12], "z", 2), s)
                f.call(name + "_", T(d, [12], "z", 2), s)
        f.call("clip", T(d, [2, 2], "m", 2, 1, "t"), 0, 1)
        f.call("clamp_", T(d, [3]), 0, 1)
        f.call("clamp_", T(d, [3]), 0.5, None)
    for a, b in itertools.product(ALL, ALL):
        f.call("where", T("bool", [3], "b"), T(a, [3], "s", 1), T(b, [3], "s", 2))
        f.call("copy_", T(a, [3], "m", 1), T(b, [3], "u", 2, 9))
        f.call("result_type", T(a, [2]), T(b, [2]))
        f.call("result_type", T(a, [2]), T(b, []))
    for d in ALL:
        for s in [1, 1.5, False]:
            f.call("where", T("bool", [2], "b"), T(d, [2]), s)
            f.call("where", T("bool", [2], "b"), s, T(d, [2]))
            f.call("where", T("bool", [2], "b"), T(d, []), s)
            f.call("result_type", T(d, [2]), s)
            f.call("result_type", s, T(d, []))
            f.call("fill_", T(d, [2], "m"), s)
        f.call("fill_", T(d, [2], "m"), 300)
        f.call("fill_", T(d, [2], "m"), -1)
        f.call("fill_", T(d, [2], "m"), 1e30)
        f.call("where", T(d, [2], "b"), T("f32", [2]), T("f32", [2], "m", 1))
        for e in ["f16", "bf16"]:
            for name in ["mul", "div", "floor_divide"]:
                f.call(name, T(e, [20], "r", 1), T(d, [], "r", 2))
                f.call(name, T(d, [], "r", 2), T(e, [20], "r", 1))
        for s in [1, 1.5, False]:
            f.call("where", T("bool", [3], "b"), s, 2)
    for a, b in itertools.product([1, 1.5, True], repeat=2):
        f.call("result_type", a, b)
    f.call("where", T("bool", [2, 1], "b"), T("f32", [3], "s", 1), T("i8", [], "s", 2))
    f.call("where", T("bool", [2, 2], "b"), T("f32", [3], "s", 1), T("i8", [2], "s", 2))
    for d in ALL:
        f.call("equal", T(d, [4], "m"), T(d, [4], "m"))
        f.call("equal", T(d, [4], "s"), T(d, [4], "s", 1))
        f.call("equal", T(d, [4], "m"), T(d, [2, 2], "m"))
        f.call("equal", T(d, [2, 2], "m", 0, 1, "t"), T(d, [2, 2], "m", 0, 1, "t"))
        f.call("allclose", T(d, [4], "m"), T(d, [4], "m"), 1e-5, 1e-8, False)
        f.call("allclose", T(d, [9], "s"), T(d, [9], "s"), 1e-5, 1e-8, True)
        f.call("allclose", T(d, [4], "m"), T(d, [4], "m", 1), 0.5, 1.0, False)


def outputs(f):
    def into(name):
        return lambda out, *a: getattr(torch, name[:-4])(*a, out=out)

    for d in ["i32", "f32", "f64", "bool", "c64"]:
        for e in ["i32", "i64", "f16", "f32", "bool", "c64"]:
            for name in ["abs_out", "floor_out", "isposinf_out", "neg_out", "sqrt_out", "square_out"]:
                f.call(name, T(e, [2, 3]), T(d, [2, 3], "p", 1, 1, "t"), by=into(name))
            for name in ["bitwise_and_out", "eq_out", "fmod_out", "heaviside_out"]:
                if name == "heaviside_out" and e == "c64":
                    continue  # another kind of failure
                f.call(name, T(e, [0]), T(d, [2, 1], "p", 1), T(d, [3], "p", 2), by=into(name))
            f.call("pow_out", T(e, [2], "m", 0, 1, "e"), T(d, [2], "p"), 2, by=into("pow_out"))
            f.call("eq_out", T(e, [3, 1]), T(d, [3], "p", 1), 0.5, by=into("eq_out"))


def dtypes(f):
    every = [NAMES[d] for d in ALL + ["c64", "c128"]]
    for a, b in itertools.product(every, every):
        if torch.float16 not in (a, b) or not (a.is_complex or b.is_complex):
            f.call("promote_types", a, b)
        f.call("can_cast", a, b)
    for d in ALL + ["c64"]:
        f.call("zero_", T(d, [2, 3], "m", 0, 1, "t"))
        f.call("zero_", T(d, [2, 3], "m", 0, 1, "e"))
        f.call("fill_", T(d, [2, 3], "m", 0, 1, "e"), 1)
        f.call("type_as", T(d, [3], "p"), T("f64", [1]))
        f.call("resolve_neg", T(d, [3], "m"))
        for s in [2, -1, 0.3, 300, 1e30]:
            for name, g in [("add_scaled", torch.add), ("rsub_scaled", torch.rsub)]:
                f.call(name, T(d, [3], "m", 1), T(d, [3], "m", 2), s, by=lambda a, b, s, g=g: g(a, b, alpha=s))
            f.call("rsub_scaled", T(d, [3], "m", 1), 2, s, by=lambda a, b, s: torch.rsub(a, b, alpha=s))


def casts(f):
    dtypes(f)
    for a, b in itertools.product(ALL, ALL):
        if a in FLOATS and b in INTS:
            # In range only: out of range Sinter has one rule on every target.
            f.call("to", T(a, [16], "p" if b == "u8" else "f", 1), NAMES[b])
            f.call("to", T(a, [2, 3], "p" if b == "u8" else "m", 1, 1, "t"), NAMES[b])
        else:
            f.call("to", T(a, [30 if a in FLOATS else 12], "s"), NAMES[b])
            f.call("to", T(a, [2, 3], "r", 1, 1, "s"), NAMES[b])
        f.call("to", T(a, [], "p", 3), NAMES[b])
        f.call("to", T(a, [0]), NAMES[b])

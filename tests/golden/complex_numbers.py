"""Complex operands: arithmetic and functions, parts, reductions, moves, and what refuses them.

Parts of a result are judged by the size of the whole number: near an axis one part may have few
right digits of its own.
"""

import itertools
import re

import torch

from notation import ALL, EPS, FLOATS, INF, INTS, NAME_OF, NAMES, ROOT, T
from pointwise import ALIASES, ROWS, left

BOTH = ["c64", "c128"]
I = 1j  # noqa: E741
Z = 1 + 2j
# Sinter's formulas for complex numbers: all other rows refuse them, and PyTorch has them or not.
FORMULAS = set(re.findall(r"(?:same|test)\(op::(\w+),|m\[op::(\w+)\]", (ROOT / "engine/graph/complex_rows.cpp").read_text()))
FORMULAS = {a or b for a, b in FORMULAS} | {"logical_not", "logical_and", "logical_or", "logical_xor"}
# Real numbers only, in Sinter.
REAL_ONLY = {"logaddexp2"}
ARITHMETIC = ["add", "sub", "mul", "div", "pow", "rsub", "eq", "ne"]


def of_size(k):
    """`k` roundings of the largest number."""
    def bound(values, result):
        size = result.abs().double()
        size = size[size.isfinite()]
        return k * EPS[NAME_OF[result.dtype]] * float(size.max()) if size.numel() else 0
    return bound


def of_operands(k):
    """`k` roundings of a number as large as the operands' sizes one after the other multiply to."""
    def bound(values, result):
        top = 1.0
        for v in values:
            if isinstance(v, torch.Tensor) and v.numel():
                top *= max(1.0, float(v.abs().double().max()))
        return k * EPS[NAME_OF[result.dtype]] * top
    return bound


def bound_of(name):
    return None if name in ("add", "sub", "subtract", "mul", "multiply", "rsub", "neg", "negative") else of_size(8)


def unary(f):
    rows = [n for n, r in ROWS.items() if r[0] == 1] + [a for a, r in ALIASES.items() if ROWS[r][0] == 1]
    for name in rows:
        if ALIASES.get(name, name) not in FORMULAS or name == "sign":
            if name not in REAL_ONLY and name != "sign":
                f.call(name, T("c64", [2], "p"))
                f.call(name, T("c128", [2], "p"))
                if hasattr(torch.Tensor, name + "_"):
                    f.call(name + "_", T("c64", [2], "p"))
            continue
        bound = bound_of(name)
        for d in BOTH:
            f.call(name, T(d, [5], "m", 1), bound=bound, wide=True)
            if name in ALIASES:
                continue
            f.call(name, T(d, [2, 2], "r", 2, 1, "t"), bound=bound, wide=True)
            f.call(name, T(d, [], "p", 3), bound=bound, wide=True)
        if name in ALIASES:
            continue
        f.call(name, T("c64", [0, 2]))
        f.call(name, T("c64", [3], "r", 5, 1, "s"), bound=bound, wide=True)
        if hasattr(torch.Tensor, name + "_"):
            f.call(name + "_", T("c64", [2, 2], "r", 1, 1, "t"), bound=bound, wide=True)
            f.call(name + "_", T("c128", [2], "m", 4), bound=bound, wide=True)
    for d in BOTH:
        for name in ["isnan", "isinf", "isfinite", "logical_not", "neg", "isreal"]:
            f.call(name, T(d, [15], "s"))
            f.call(name, T(d, [15], "s", 1, 1, "s"))
        for name in ["sqrt", "abs", "angle"]:
            f.call(name, T(d, [15], "f"), bound=of_size(8), wide=True)


def binary(f):
    for name in [n for n, r in ROWS.items() if r[0] == 2] + [a for a, r in ALIASES.items() if ROWS[r][0] == 2]:
        if ALIASES.get(name, name) in FORMULAS or name in REAL_ONLY:
            continue
        f.call(name, T("c64", [2], "p"), T("c64", [2], "p", 1))
        f.call(name, T("f32", [2], "p"), T("c128", [], "p", 1))
    partners = ["f32", "f64", "i64", "u8", "bool", "bf16"]
    for name in ARITHMETIC:
        bound = bound_of(name)
        wide = bound is not None
        for a, b in itertools.product(BOTH, BOTH):
            f.call(name, T(a, [4], "m", 1), T(b, [4], "p", 2), bound=bound)
            f.call(name, T(a, [2, 1], "r", 1), T(b, [2], "r", 2), bound=bound, wide=wide)
            f.call(name, T(a, [2], "m", 1), T(b, [], "p", 2), bound=bound)
        for d, e in itertools.product(BOTH, partners):
            f.call(name, T(d, [3], "m", 2), T(e, [3], "p", 1), bound=bound)
            # 0 to a power with a negative real part is infinite, in a direction that only PyTorch has.
            f.call(name, T(e, [2], "n" if e == "bool" else "p", 1), T(d, [2], "m", 2), bound=bound)
        for e in partners:
            f.call(name, T("c64", [2], "m", 2), T(e, [], "p", 1), bound=bound)
            f.call(name, T(e, [], "n" if e == "bool" else "p", 1), T("c64", [2], "m", 2), bound=bound)
            if e != "bf16":  # a complex number makes ComplexHalf of it in PyTorch, not in Sinter
                f.call(name, T(e, [2], "n" if e == "bool" else "p", 1), T("c128", [], "m", 2), bound=bound)
        if name != "rsub":
            for s in [2, -0.5, True, Z]:
                for d in BOTH:
                    f.call(name, T(d, [3], "p", 3), s, bound=bound)
                    f.call(name, s, T(d, [3], "p", 3), bound=bound, by=lambda s, t, name=name: left(name, s, t))
            for d in ["f32", "f64", "i64", "bool"]:
                f.call(name, T(d, [2], "p", 1), Z, bound=bound)
                f.call(name, Z, T(d, [2], "p", 1), bound=bound, by=lambda s, t, name=name: left(name, s, t))
        f.call(name, T("c64", [2, 3]), T("c64", [4]))
        f.call(name, T("c64", [0, 3]), T("c64", [1]))
        f.call(name, T("c64", [2, 3], "p", 1, 1, "t"), T("c128", [3], "m", 2, 1, "s"), bound=bound)
        if hasattr(torch.Tensor, name + "_") and name not in ("eq", "ne"):
            for a, b in [("c64", "c64"), ("c64", "c128"), ("c64", "f64"), ("c64", "i32"), ("f32", "c64"), ("i64", "c64"),
                         ("c128", "f32")]:
                f.call(name + "_", T(a, [2, 2], "p", 1, 1, "t"), T(b, [2], "p", 2), bound=bound)
            for d, s in [("c64", Z), ("c128", 2.5), ("f32", Z), ("bool", Z)]:
                f.call(name + "_", T(d, [2], "p"), s, bound=bound)
    for name in ["subtract", "multiply", "divide", "true_divide", "not_equal", "logical_and", "logical_or", "logical_xor"]:
        f.call(name, T("c64", [4], "b", 1), T("c64", [4], "b", 2), bound=bound_of(name))
        f.call(name, T("c128", [3], "m", 1), T("f32", [3], "b", 2), bound=bound_of(name))
    for d in BOTH:
        # PyTorch multiplies what it adds by alpha, which makes NaN of what is infinite.
        for name, kind in [("add", "f"), ("sub", "f"), ("mul", "s"), ("eq", "s"), ("ne", "s")]:
            f.call(name, T(d, [15], kind), T(d, [15], kind, 5))
        f.call("eq", T(d, [15], "s"), T(d, [15], "s"))
        for s in [0, 1, 2, 3, -1, 0.5, -2, 2.5, I]:
            f.call("pow", T(d, [3], "m", 5), s, bound=of_size(8), wide=True)
        for s in [2, 0.5, I, -Z]:
            f.call("pow", s, T(d, [3], "m", 5), bound=of_size(8), wide=True)
        for s in [2, 0.5, I, True]:
            f.call("add_scaled", T(d, [3], "m", 1), T(d, [3], "m", 2), s, by=lambda a, b, s: torch.add(a, b, alpha=s))
            f.call("sub_scaled", T(d, [3], "m", 1), T("f32", [3], "m", 2), s, by=lambda a, b, s: torch.sub(a, b, alpha=s))
        f.call("add_scaled_", T(d, [3], "m", 1), T(d, [3], "m", 2), Z, by=lambda a, b, s: a.add_(b, alpha=s))
    f.call("add_scaled", T("f32", [3], "m", 1), T("f32", [3], "m", 2), I, by=lambda a, b, s: torch.add(a, b, alpha=s))
    for e in ALL:
        if e in ("f16", "bf16"):
            continue
        for s in [I, 2.5]:
            f.call("result_type", T("c64", [2]), T(e, []))
            f.call("result_type", T(e, [2]), s)
        f.call("result_type", T(e, [2]), T("c64", [2]))
        f.call("result_type", T(e, [2]), T("c128", []))
        f.call("result_type", T(e, []), I)
    for a, b in itertools.product(BOTH, BOTH):
        f.call("result_type", T(a, []), T(b, [1]))
        f.call("result_type", T(a, []), T(b, []))
    for s in [I, 1, 2.5, True]:
        f.call("result_type", I, s)
        f.call("result_type", T("c128", []), s)


def casts(f):
    for d in BOTH:
        for e in ALL + BOTH:
            if e in INTS:
                f.call("to", T(d, [4], "p", 2), NAMES[e])
            elif e not in BOTH:
                f.call("to", T(d, [15], "s"), NAMES[e])
            else:
                f.call("to", T(d, [15], "s", 2), NAMES[e])
            f.call("to", T(e, [3], "m", 1, 1, "s"), NAMES[d])
            f.call("to", T(e, [12 if e not in BOTH else 4], "s"), NAMES[d])
            f.call("copy_", T(e, [3], "p", 1), T(d, [3], "p", 2))
            f.call("copy_", T(d, [2, 2], "m", 1, 1, "t"), T(e, [2], "m", 2))
        for s in [Z, 2, 2.5, True, INF]:
            f.call("fill_", T(d, [2], "m"), s)
        f.call("to", T(d, [0]), torch.float32)
        f.call("to", T(d, [], "p"), torch.int32)
    for d in ["f32", "i64", "bool"]:
        f.call("fill_", T(d, [2]), Z)
        f.call("fill_", T(d, [2]), 2 + 0j)


def parts(f):
    def view(name, *a, **k):
        f.call(name, *a, views=True, **k)

    for d in BOTH:
        for x in [T(d, [3], "c"), T(d, [2, 3], "c", 1, 1, "t"), T(d, [2, 2], "c", 2, 1, "s"), T(d, [2, 2], "c", 3, 1, "e"),
                  T(d, [], "c", 4), T(d, [0, 2]), T(d, [15], "s")]:
            view("real", x)
            view("imag", x)
            view("view_as_real", x)
            f.call("conj", x)
            f.call("conj_physical", x)
            f.call("resolve_conj", x)
            f.call("isreal", x)
        for x in [T(d, [3], "r", 1), T(d, [2, 3], "m", 1, 1, "t"), T(d, [], "m", 4)]:
            for name in ["abs", "angle", "sgn"]:
                f.call(name, x, bound=of_size(8), wide=True)
            f.call("positive", x)
        f.call("conj_physical_", T(d, [2, 2], "m", 0, 1, "t"))
        for x in [T(d, [2, 3], "c", 0, 1, "t"), T(d, [2, 3, 2], "c"), T(d, [3], "c")]:
            f.call("adjoint", x)
            f.call("mH", x, by=lambda x: x.mH)
            f.call("H", x, by=lambda x: x.H)
    for d in ["f32", "f64"]:
        for x in [T(d, [3, 2], "c"), T(d, [2], "c", 1), T(d, [3, 2], "c", 0, 1, "t"), T(d, [2, 2, 2], "c", 0, 1, "s"),
                  T(d, [3, 4], "c"), T(d, []), T(d, [2, 2], "c", 3, 1, "e"), T(d, [0, 2])]:
            view("view_as_complex", x)
        f.call("complex", T(d, [3], "m", 1), T(d, [3], "m", 2))
        f.call("complex", T(d, [2, 1], "m", 1), T(d, [3], "m", 2, 1, "s"))
        f.call("complex", T(d, [15], "s", 1), T(d, [15], "s", 2))
        f.call("complex", T(d, []), T(d, [2]))
        f.call("complex", T(d, [3]), T(d, [2]))
        f.call("polar", T(d, [3], "p", 1), T(d, [3], "m", 2), bound=of_size(8), wide=True)
        f.call("polar", T(d, [2, 1], "r", 1), T(d, [2], "r", 2), bound=of_size(8), wide=True)
    f.call("complex", T("f32", [2]), T("f64", [2]))
    f.call("polar", T("f64", [2]), T("f32", [2]))
    for d in ["i32", "bool", "c64", "bf16"]:
        f.call("complex", T(d, [2]), T(d, [2]))
        f.call("polar", T(d, [2]), T(d, [2]))
        view("view_as_complex", T(d, [2, 2]))
    for d in ["f32", "i64", "bool"]:
        for name in ["real", "conj", "isreal", "resolve_conj", "conj_physical"]:
            f.call(name, T(d, [3], "b"))
        f.call("imag", T(d, [3], "b"))
        f.call("view_as_real", T(d, [3], "b"))


def parameters(f):
    bound = of_operands(8)

    def cmul(a, b, c, v):
        return torch.addcmul(a, b, c, value=v)

    def cdiv(a, b, c, v):
        return torch.addcdiv(a, b, c, value=v)

    for d in BOTH:
        for a, b in [(d, d), (d, "f32"), ("i64", d), ("f64", d)]:
            f.call("where", T("bool", [4], "b"), T(a, [4], "m", 1), T(b, [4], "m", 2))
            f.call("where", T("bool", [2, 1], "b"), T(a, [], "m", 1), T(b, [3], "m", 2, 1, "s"))
        f.call("where", T("bool", [15], "b"), T(d, [15], "s", 1), T(d, [15], "s", 2))
        for s in [Z, 1, 2.5]:
            f.call("where", T("bool", [2], "b"), T(d, [2], "m"), s)
            f.call("where", T("bool", [2], "b"), s, T(d, [2], "m"))
        for w in [0.25, 0.75, 1, 0.5 + 1j, 0.25 - 0.5j]:
            f.call("lerp", T(d, [3], "m", 1), T(d, [3], "m", 2), w, bound=bound, wide=True)
        f.call("lerp", T(d, [2, 3], "m", 1), T(d, [3], "m", 2), T(d, [2, 1], "m", 3), bound=bound, wide=True)
        f.call("lerp", T(d, [3], "m", 1), T("f32", [3], "m", 2), 0.5, bound=bound)
        f.call("lerp", T(d, [3], "m", 1), T(d, [3], "m", 2), T("f32", [3], "m", 3), bound=bound)
        for v in [1, 2, -0.5, Z]:
            f.call("addcmul", T(d, [3], "m", 1), T(d, [3], "m", 2), T(d, [3], "p", 3), v, by=cmul, bound=bound)
            f.call("addcdiv", T(d, [3], "m", 1), T(d, [3], "m", 2), T(d, [3], "p", 3), v, by=cdiv, bound=bound)
        f.call("addcmul", T(d, [2, 1], "m", 1), T("f32", [3], "m", 2), T("i16", [], "p", 3), 1, by=cmul, bound=bound)
        f.call("addcdiv", T("f32", [2], "m", 1), T(d, [2], "m", 2), T("f64", [2], "p", 3), 1, by=cdiv, bound=bound)
        f.call("float_power", T(d, [3], "p", 1), T(d, [3], "p", 3), bound=of_size(16))
        f.call("float_power", T(d, [3], "p", 1), 2.5, bound=of_size(16))
        f.call("float_power", Z, T(d, [3], "p", 1), bound=of_size(16))
        f.call("ldexp", T(d, [3], "m", 1), T("i32", [3], "m", 2), bound=of_size(8))
        for mode in [None, "trunc", "floor"]:
            f.call("div_rounded", T(d, [3], "m", 1), T(d, [3], "p", 2), mode, by=lambda a, b, m: torch.div(a, b, rounding_mode=m),
                   bound=of_size(8))
        for s in [0, 1.5]:
            f.call("equal", T(d, [4], "m"), T(d, [4], "m", int(s)))
            f.call("allclose", T(d, [4], "m"), T(d, [4], "m", int(s)), 1e-5, 1e-8, False)
            f.call("allclose", T(d, [4], "m"), T(d, [4], "m", int(s)), 0.5, 9.0, False)
        f.call("equal", T(d, [15], "s"), T(d, [15], "s"))
        f.call("allclose", T(d, [3], "m", 1, 1, "t"), T(d, [3], "m", 1), 1e-5, 1e-8, True)
        for nan in [True, False]:
            f.call("isclose", T(d, [15], "s"), T(d, [15], "s"), 1e-5, 1e-8, nan)
            f.call("isclose", T(d, [8], "m"), T(d, [8], "m", 1), 0.5, 2.0, nan)
    f.call("lerp", T("f32", [3], "m", 1), T("f32", [3], "m", 2), I)
    f.call("addcmul", T("f32", [2]), T("f32", [2]), T("f32", [2]), I, by=cmul)
    f.call("addcmul", T("f32", [2], "m", 1), T("c64", [2], "m", 2), T("f32", [2], "m"), Z, by=cmul, bound=bound)


def reductions(f):
    for d in BOTH:
        shapes = [T(d, [2, 2, 3], "m", 1, 1, "t"), T(d, [2, 3], "m", 1, 1, "s"), T(d, [3], "m", 1), T(d, [], "m", 1),
                  T(d, [0, 3]), T(d, [3, 0])]
        for name in ["sum", "mean"]:
            g = getattr(torch, name)
            by = lambda x, d, k, t, g=g: g(x, dtype=t) if d is None else g(x, d, k, dtype=t)  # noqa: E731
            bound = of_size(4) if name == "mean" else None
            for x in shapes:
                for dim in [None, [], [0], [-1], [1]] + ([[0, 2], [2, 0, 1]] if len(x.sizes) == 3 else []):
                    f.call(name, x, dim, False, None, by=by, bound=bound)
                f.call(name, x, [0], True, None, by=by, bound=bound)
            for t in ["c64", "c128", "f32", "i64", "bool"]:
                f.call(name, T(d, [5], "p"), None, False, NAMES[t], by=by, bound=bound)
            for e in ["f32", "i64", "bool", "bf16"]:
                f.call(name, T(e, [2, 3], "p"), [0], False, NAMES[d], by=by, bound=bound)
            f.call(name, T(d, [2, 3]), [0, 0], False, None, by=by)
            f.call(name, T(d, [70], "r", 3), None, False, None, by=by, bound=lambda v, r: 70 * EPS[NAME_OF[r.dtype]] * 2, wide=True)
            if name == "sum":  # PyTorch divides by a complex number, which makes NaN of what is infinite
                f.call(name, T(d, [9], "s", 2), None, False, None, by=by)
        by = lambda x, d, k, t: torch.prod(x, dtype=t) if d is None else torch.prod(x, d, k, dtype=t)  # noqa: E731
        for x in shapes:
            for dim in [None, 0, -1, 1]:
                f.call("prod", x, dim, False, None, by=by, wide=True, bound=of_size(16))
        f.call("prod", shapes[1], 0, True, None, by=by, bound=of_size(8))
        for t in ["c128", "f32", "bool"]:
            f.call("prod", T(d, [3], "p"), None, False, NAMES[t], by=by, bound=of_size(8))
        f.call("prod", T("i32", [3], "p"), None, False, NAMES[d], by=by, bound=of_size(8))
        f.call("prod", T(d, [7], "p"), None, False, None, by=by, bound=of_size(16))
        for name in ["any", "all"]:
            g = getattr(torch, name)
            by = lambda x, d, k, g=g: g(x) if d is None else g(x, d, k)  # noqa: E731
            for x in [T(d, [2, 3], "b", 1, 1, "t"), T(d, [4], "b", 2), T(d, []), T(d, [0, 2])]:
                for dim in [None, 0, -1]:
                    f.call(name, x, dim, False, by=by)
                f.call(name, x, 0, True, by=by)
            f.call(name + "_in", T(d, [2, 3, 2], "b", 1), [0, -1], False, by=lambda x, d, k, g=g: g(x, d, k))
        for x in [T(d, [2, 3], "b", 1, 1, "t"), T(d, [4], "s", 2), T(d, [0, 2])]:
            for dim in [None, [0], [-1], [3]]:
                f.call("count_nonzero", x, dim, by=lambda x, d: torch.count_nonzero(x, d))
        for name in ["var", "std"]:
            g = getattr(torch, name)
            by = lambda x, d, u, k, g=g: g(x, u) if d is None else g(x, d, u, k)  # noqa: E731
            for x in shapes[:4]:
                for dim in [None, [0], [-1]]:
                    f.call(name, x, dim, True, False, by=by, bound=of_size(8), wide=True)
                    f.call(name, x, dim, False, True, by=by, bound=of_size(8), wide=True)
            for mean in [name + "_mean"]:
                f.call(mean, T(d, [2, 3], "m", 1), [0], True, False, bound=of_size(8),
                       by=lambda x, d, u, k, g=getattr(torch, mean): g(x, d, u, k))
        for p in [None, 0, 1, 2, 3, INF, -INF, 0.5]:
            f.call("norm", T(d, [2, 3], "m", 1, 1, "t"), p, None, by=lambda x, p, _: torch.norm(x, 2 if p is None else p),
                   bound=of_size(8), wide=True)
            f.call("norm", T(d, [2, 3], "m", 2), p, [0], True, by=lambda x, p, d, k: torch.norm(x, p, d, k), bound=of_size(8), wide=True)
        for x in shapes[:5]:
            for dim in [0, -1, 1]:
                f.call("cumsum", x, dim, None, by=lambda x, d, t: torch.cumsum(x, d, dtype=t))
                if len(x.sizes) < 3:
                    f.call("cumprod", x, dim, None, by=lambda x, d, t: torch.cumprod(x, d, dtype=t), bound=of_size(8))
        for t in ["c64", "c128", "f32", "i32"]:
            for name in ["cumsum", "cumprod"]:
                g = getattr(torch, name)
                by = lambda x, d, t, g=g: g(x, d, dtype=t)  # noqa: E731
                f.call(name, T(d, [3], "p", 1), 0, NAMES[t], by=by, bound=of_size(8))
                f.call(name, T(t, [3], "p", 1), 0, NAMES[d], by=by, bound=of_size(8))
    for e in ["f32", "i64"]:
        for p in [1, 2, INF]:
            f.call("dist", T("c64", [3], "m", 1), T(e, [3], "m", 2), p, bound=of_size(8))


def products(f):
    shapes = [("mm", [2, 3], [3, 2]), ("mm", [2, 3], [2, 3]), ("mv", [2, 3], [3]), ("dot", [3], [3]), ("dot", [5], [4]),
              ("bmm", [2, 2, 3], [2, 3, 1]), ("matmul", [3], [3]), ("matmul", [2, 3], [3]), ("matmul", [3], [3, 2]),
              ("matmul", [2, 2, 3], [3, 2]), ("matmul", [2, 1, 2, 2], [2, 2, 1]), ("matmul", [], [3]), ("mm", [2, 0], [0, 3]),
              ("mm", [0, 2], [2, 3])]
    for d in BOTH:
        for name, a, b in shapes:
            f.call(name, T(d, a, "m", 1), T(d, b, "m", 2), bound=of_operands(8))
            if a:
                f.call(name, T(d, a, "m", 3, 1, "t"), T(d, b, "m", 4, 1, "s"), bound=of_operands(8))
        f.call("matmul", T(d, [2, 9], "r", 1), T(d, [9, 2], "r", 2), bound=of_operands(16), wide=True)
        f.call("mm", T(d, [2, 2]), T("f32", [2, 2]))
        f.call("matmul", T("f64", [2]), T(d, [2]))
        f.call("mv", T(d, [2, 2]), T("i64", [2]))
    f.call("matmul", T("c64", [2]), T("c128", [2]))


def compositions(f):
    for d in BOTH:
        x, flat = T(d, [2, 4], "m", 1, 1, "t"), T(d, [5], "m", 2)
        for dim in [0, -1, 2]:
            for n in [1, 2, 0] if dim < 2 else [1]:  # one fault at a time
                f.call("diff", x, n, dim, by=lambda x, n, d: torch.diff(x, n, d))
            for dx in [0.5, 2, Z] if dim < 2 else [2]:
                f.call("trapezoid", x, dx, dim, by=lambda x, dx, d: torch.trapezoid(x, dx=dx, dim=d), bound=of_size(8))
                f.call("cumulative_trapezoid", x, dx, dim, by=lambda x, dx, d: torch.cumulative_trapezoid(x, dx=dx, dim=d),
                       bound=of_size(8))
        f.call("trapezoid", flat, T("f32", [5], "c"), 0, bound=of_size(8))
        f.call("trapezoid", T("f32", [5], "m"), T(d, [5], "m", 1), 0, bound=of_size(8))
        f.call("diff", T(d, [3], "m", 1), 1, 0, T(d, [2], "m"), T(d, [1], "m", 7),
               by=lambda x, n, d, a, b: torch.diff(x, n, d, prepend=a, append=b))
        f.call("diff", T(d, [3], "m", 1), 1, 0, T("f32", [2], "m"), None, by=lambda x, n, d, a, b: torch.diff(x, n, d, prepend=a))
        for s, dims, order in itertools.product([1, 0.5], [[0], [0, 1]], [1, 2]):
            f.call("gradient", T(d, [3, 3], "m", 1), s, dims, order, bound=of_size(8),
                   by=lambda x, s, d, e: torch.gradient(x, spacing=float(s), dim=d, edge_order=e))
        for c in [0, 1]:
            f.call("cov", T(d, [2, 4], "m", 3), c, by=lambda x, c: torch.cov(x, correction=c), bound=of_size(16))
            f.call("cov", T(d, [4], "m", 3), c, by=lambda x, c: torch.cov(x, correction=c), bound=of_size(16))
        f.call("cov", T(d, [2, 3], "m", 3), 1, T("i64", [3], "p"), T("f64" if d == "c128" else "f32", [3], "p"), bound=of_size(16),
               by=lambda x, c, a, b: torch.cov(x, correction=c, fweights=a, aweights=b))
        f.call("corrcoef", T(d, [2, 4], "m", 3), bound=of_size(16))
        f.call("corrcoef", T(d, [4], "m", 3), bound=of_size(16))
        for n, rising in [(None, False), (3, True), (0, False), (1, False), (4, False)]:
            f.call("vander", T(d, [3], "m", 1), n, rising, bound=of_size(8))
        for p in [0, 1, 2, INF, 1.5]:
            f.call("dist", T(d, [2, 2], "m", 1), T(d, [2], "m", 2), p, bound=of_size(8))
            f.call("renorm", T(d, [2, 3], "p", 1), p, 0, 2.5, bound=of_size(16))


def moves(f):
    def view(name, *a, **k):
        f.call(name, *a, views=True, **k)

    def method(name):
        return lambda x, *a: getattr(x, name)(*a)

    for d, lay in [("c64", "t"), ("c128", "s"), ("c64", "e"), ("c128", "c")]:
        x = T(d, [2, 3], "c", 0, 1, lay)
        view("view", x, [6], by=method("view"))
        view("reshape", x, [3, 2], by=method("reshape"))
        view("flatten", x, 0, 1, by=method("flatten"))
        view("transpose", x, 0, 1)
        view("permute", x, [1, 0])
        view("slice", x, 1, 1, None, 1, by=lambda x, d, a, b, s: torch.ops.aten.slice(x, d, a, b, s))
        view("select", x, 1, -1)
        view("select", x, 2, 0)
        view("narrow", x, 1, 1, 2)
        view("unsqueeze", x, 1)
        view("expand", x, [2, 2, 3], by=method("expand"))
        view("diagonal", x, 1, 0, 1)
        view("unfold", x, 1, 2, 1, by=method("unfold"))
        view("unbind", x, 0)
        view("split", x, 2, 1)
        view("chunk", x, 2, 1)
        view("mT", x, by=lambda x: x.mT)
        view("numpy_T", x)
        view("movedim", x, 0, 1)
        view("contiguous", x, by=method("contiguous"))
        view("as_strided", x, [2, 2], [1, 1], 1)
        f.call("clone", x)
        f.call("flip", x, [0, -1])
        f.call("roll", x, [1], [1])
        f.call("roll", x, [2], [])
        f.call("rot90", x, 1, [0, 1])
        f.call("repeat", x, [2, 1], by=method("repeat"))
        f.call("tile", x, [2])
        f.call("repeat_interleave", x, 2, 1)
        for name in ["triu", "tril"]:
            f.call(name, x, 0)
            f.call(name, x, -1)
            if lay != "e":
                f.call(name + "_", x, 1)
        f.call("diag", x, 0)
        f.call("diag", T(d, [2], "c", 1, 1, lay), -1)
        f.call("diagflat", T(d, [2], "c"), 1)
        f.call("diag_embed", T(d, [2, 2], "c"), 0, -2, -1)
        f.call("fliplr", x)
        if lay != "e":
            f.call("fill_diagonal_", x, Z, False, by=lambda x, v, w: x.fill_diagonal_(v, w))
        y = T(d, [2, 3], "c", 10)
        for e in ["f32", "i64", "c64", "bf16"]:
            f.call("cat", [x, T(e, [1, 3], "c")], 0)
            f.call("stack", [T(e, [2], "c"), T(d, [2], "c", 2)], -1)
        for name in ["hstack", "vstack", "dstack", "column_stack"]:
            f.call(name, [x, y])
        f.call("block_diag", [x, T(d, [1], "c")], by=lambda ts: torch.block_diag(*ts))
        f.call("broadcast_tensors", [x, T("f32", [1], "c")], by=lambda ts: torch.broadcast_tensors(*ts))
        f.call("meshgrid", [T(d, [2], "c"), T(d, [3], "c", 1)], "ij", by=lambda ts, how: torch.meshgrid(*ts, indexing=how))
        f.call("cartesian_prod", [T(d, [2], "c"), T(d, [2], "c", 1)], by=lambda ts: torch.cartesian_prod(*ts))
        f.call("combinations", T(d, [3], "c", 1), 2, False)
        f.call("select_scatter", x, T(d, [3], "c", 10), 0, 1)
        f.call("slice_scatter", x, T(d, [2, 1], "c", 10), 1, 1, 2, 1)
        f.call("nonzero", T(d, [2, 3], "b", 1, 1, lay))
        f.call("argwhere", T(d, [5], "s", 0, 1, "c"))
        f.call("where", T(d, [3], "b", 2), by=lambda x: torch.where(x))


def indexing(f):
    for d, lay in [("c64", "t"), ("c128", "c"), ("c64", "s")]:
        x, w = T(d, [3, 4], "c", 1, 1, lay), T(d, [3, 4], "c", 2, 1, "c" if lay == "s" else lay)
        i = T("i64", [2], "w", 1, 3)
        mask = T("bool", [3, 4], "b", 1)
        f.call("index", x, [i])
        f.call("index", x, [mask])
        f.call("index", x, [slice(None), T("i64", [2, 1], "u", 1, 4)])
        f.call("index", x, [T("i64", [2], "c", 2)])
        f.call("index", x, [1, None, slice(0, None, 2)])
        put = lambda x, i, v, a: x.index_put_(tuple(i), v, a)  # noqa: E731
        for v in [T(d, [2, 4], "c", 20), T(d, [], "c", 5)]:
            f.call("index_put_", w, [i], v, True, by=put)
            f.call("index_put_", w, [i], v, False, by=put)
            f.call("index_put", w, [T("i64", [2], "q", 1, 3)], v, True, by=lambda x, i, v, a: torch.index_put(x, tuple(i), v, a))
        f.call("index_put_", w, [mask], Z, False, by=lambda x, i, v, a: x.__setitem__(tuple(i), v) or x)
        f.call("index_put_", w, [0, slice(None)], 2.5, False, by=lambda x, i, v, a: x.__setitem__(tuple(i), v) or x)
        f.call("index_put_", w, [0], T("f32", [4], "c"), False, by=lambda x, i, v, a: x.__setitem__(tuple(i), v) or x)
        f.call("index_put_", T("f32", [3], "c"), [0], Z, False, by=lambda x, i, v, a: x.__setitem__(tuple(i), v) or x)
        for dim in [0, 1]:
            g = T("i64", [2, 2], "u", 1, 3)
            vector = T("i64", [2], "q", 0, 3)
            source = T(d, [2, 2], "c", 30)
            f.call("gather", x, dim, g)
            f.call("take_along_dim", x, T("i64", [3, 4], "u", 1, 3), dim)
            f.call("scatter", w, dim, g, source)
            f.call("scatter_", w, dim, g, Z)
            f.call("scatter_", w, dim, g, 5)
            f.call("scatter", w, dim, g, 2, "add", by=lambda x, d, i, v, r: torch.scatter(x, d, i, v, reduce=r))
            f.call("scatter_", w, dim, g, source, "multiply", by=lambda x, d, i, v, r: x.scatter_(d, i, v, reduce=r))
            f.call("scatter_add", w, dim, g, source)
            f.call("scatter_add_", w, dim, g, source)
            f.call("scatter_add", w, dim, g, T("f32", [2, 2]))
            for how in ["sum", "prod", "mean", "amax", "amin"]:
                f.call("scatter_reduce", w, dim, g, source, how, True, bound=of_size(8),
                       by=lambda x, d, i, s, r, k: torch.scatter_reduce(x, d, i, s, r, include_self=k))
                f.call("index_reduce", w, 0, vector, T(d, [2, 4], "c", 40), how, True, bound=of_size(8),
                       by=lambda x, d, i, s, r, k: torch.index_reduce(x, d, i, s, r, include_self=k))
            s = T(d, [2, 4] if dim == 0 else [3, 2], "c", 40)
            f.call("index_select", x, dim, vector)
            for alpha in [1, 2, Z]:
                f.call("index_add_", w, dim, vector, s, alpha, by=lambda x, d, i, s, a: x.index_add_(d, i, s, alpha=a))
            f.call("index_copy", w, dim, vector, s)
            f.call("index_fill", w, dim, vector, Z)
            f.call("index_fill_", w, dim, vector, T(d, [], "c", 4))
        f.call("take", x, T("i64", [3], "w", 1, 12))
        f.call("put", w, T("i64", [2], "w", 2, 12), T(d, [2], "c", 60), True)
        f.call("put_", w, T("i64", [2], "w", 2, 12), T(d, [2], "c", 60), False)
        f.call("masked_select", x, mask)
        for v in [4, 2.5, Z, T(d, [], "c", 4), T("f32", [], "c", 4)]:
            f.call("masked_fill", x, mask, v)
        f.call("masked_fill_", w, mask, Z)
        f.call("masked_scatter", w, mask, T(d, [12], "c", 70))
        f.call("masked_scatter_", w, mask, T(d, [2], "c", 70))
    f.call("masked_fill", T("f32", [3]), T("bool", [3], "b"), Z)
    f.call("index_fill", T("i64", [3]), 0, T("i64", [1]), Z)
    f.call("index", T("f32", [3]), [T("c64", [2], "c")])


def creation(f):
    def typed(name):
        return lambda *a: getattr(torch, name)(*a[:-1], dtype=a[-1])

    for t in [None, "c64", "c128", "f32", "i64"]:
        kept = NAMES.get(t)
        for v in [Z, 0.5 - 3j, 2, 2.5, True]:
            if t in (None, "c64", "c128") or isinstance(v, complex):
                f.call("full", [2], v, kept, by=typed("full"))
                if t is not None or not isinstance(v, complex):  # Sinter takes it for ComplexFloat, PyTorch for Float
                    f.call("scalar_tensor", v, kept, by=typed("scalar_tensor"))
        for a in [(0, 1 - 1j, 5), (Z, 4 + 1j, 4), (I, I, 3), (0, Z, 1), (0, Z, 0), (0, Z, -1), (-1 + 2j, 3, 6)]:
            f.call("linspace", *a, kept, by=typed("linspace"), bound=of_operands(8))
        if t in BOTH:
            f.call("linspace", 1, 10, 4, kept, by=typed("linspace"), bound=of_operands(32))
        for a in [(0, Z, 3, 10.0), (I, 2, 4, 2.0), (0, Z, 0, 10.0)]:
            f.call("logspace", *a, kept, by=typed("logspace"), bound=of_size(16), wide=False)
        f.call("arange", None, Z, None, kept, by=lambda a, b, s, t: torch.arange(b, dtype=t))
        if t not in BOTH:
            continue
        for a in [(3, None), (2, 3), (0, None), (-1, None)]:
            f.call("eye", *a, kept, by=lambda n, m, t: torch.eye(n, dtype=t) if m is None else torch.eye(n, m, dtype=t))
        for s in [[], [2], [2, 0]]:
            f.call("zeros", s, kept, by=typed("zeros"))
            f.call("ones", s, kept, by=typed("ones"))
        f.call("arange", None, 5, None, kept, by=lambda a, b, s, t: torch.arange(b, dtype=t))
        for d in ["f32", "c64", "i64"]:
            x = T(d, [2, 1], "c")
            f.call("zeros_like", x, kept, by=typed("zeros_like"))
            f.call("ones_like", x, kept, by=typed("ones_like"))
            f.call("full_like", x, Z, kept, by=typed("full_like"))
            f.call("new_zeros", x, [2], kept, by=lambda x, s, t: x.new_zeros(s, dtype=t))
            f.call("new_full", x, [2], Z, kept, by=lambda x, s, v, t: x.new_full(s, v, dtype=t))
    for d in BOTH + ["f32", "i64"]:
        f.call("full_like", T(d, [2], "c"), Z, None, by=typed("full_like"))
        f.call("new_full", T(d, [2], "c"), [1], Z, None, by=lambda x, s, v, t: x.new_full(s, v, dtype=t))
    for d in BOTH:
        f.call("ones_like", T(d, [2], "c"), None, by=typed("ones_like"))


def refused(f):
    for d in BOTH:
        x, y = T(d, [3], "p", 1), T(d, [3], "p", 2)
        for name in ["max", "min", "median", "nanmedian"]:
            g = getattr(torch, name)
            f.call(name, x, None, by=lambda x, _, g=g: g(x))
            f.call(name, x, 0, False, by=lambda x, d, k, g=g: g(x, d, k))
        for name in ["amax", "amin"]:
            f.call(name, x, [0], False)
        for name in ["argmax", "argmin"]:
            f.call(name, x, 0, False, by=lambda x, d, k, g=getattr(torch, name): g(x, dim=d, keepdim=k))
        f.call("aminmax", x, 0, False, by=lambda x, d, k: torch.aminmax(x, dim=d, keepdim=k))
        f.call("nansum", x, None, False, None, by=lambda x, d, k, t: torch.nansum(x))
        f.call("nanmean", x, None, False, None, by=lambda x, d, k, t: torch.nanmean(x))
        for name in ["softmax", "log_softmax"]:
            f.call(name, x, 0, None, by=lambda x, d, t, g=getattr(torch, name): g(x, d, dtype=t))
        f.call("cdist", T(d, [2, 3]), T(d, [2, 3]), 2.0)
        f.call("max_of_two", x, y, by=torch.max)
        f.call("min_of_two", x, y, by=torch.min)
        f.call("sort", x, 0, False, by=lambda x, d, r: torch.sort(x, dim=d, descending=r, stable=True))
        f.call("argsort", x, 0, False, by=lambda x, d, r: torch.argsort(x, dim=d, descending=r, stable=True))
        f.call("msort", x)
        f.call("topk", x, 1, 0, True)
        f.call("kthvalue", x, 1, 0, False)
        f.call("mode", x, 0, False)
        for name in ["quantile", "nanquantile"]:
            f.call(name, x, 0.5, 0, False, "linear", by=lambda x, q, d, k, h, g=getattr(torch, name): g(x, q, d, k, interpolation=h))
        f.call("isin", x, y, False, by=lambda a, b, i: torch.isin(a, b, invert=i))
        f.call("bincount", x, None, 0)
        f.call("bincount", T("i64", [3], "u", 0, 3), y, 0)
        f.call("histc", x, 4, 0, 0)
        f.call("histogram", x, 4, None, False, by=lambda x, b, w, n: torch.histogram(x, b, weight=w, density=n))
        f.call("searchsorted", x, y, False, False, by=lambda a, b, o, r: torch.searchsorted(a, b))
        f.call("bucketize", x, y, False, False, by=lambda a, b, o, r: torch.bucketize(a, b))
        f.call("cummax", x, 0)
        f.call("cummin", x, 0)
        f.call("clamp", x, 0, 1)
        f.call("clamp_", x, 0, None)
        f.call("clamp", T("f32", [2]), I, None)
        f.call("clamp_tensors", x, y, None, by=torch.clamp)
        f.call("frexp", x)
        f.call("logit_eps", x, None, by=torch.logit)
        f.call("polygamma", 1, x)
        f.call("mvlgamma", x, 1)
        f.call("round_decimals", x, 1, by=lambda x, k: torch.round(x, decimals=k))
        F = torch.nn.functional
        f.call("gelu", x, "none", by=lambda x, h: F.gelu(x, approximate=h))
        for name in ["elu", "celu", "leaky_relu", "hardshrink", "softshrink"]:
            f.call(name, x, 0.5, by=getattr(F, name))
        f.call("selu", x, by=F.selu)
        f.call("softplus_with", x, 1, 20, by=F.softplus)
        f.call("hardtanh", x, -1, 1, by=torch._C._nn.hardtanh)
        f.call("threshold", x, 0.5, 2, by=F.threshold)
        f.call("prelu", x, T(d, [1], "p"), by=torch.prelu)
        f.call("where", x, T("f32", [3]), T("f32", [3]))
        f.call("gather", T("f32", [3]), 0, x)
        f.call("masked_fill", T("f32", [3]), x, 1)


def complex_numbers(f):
    f.kernels = True
    for d in BOTH:
        for kind in "sznfmprbc":
            f.call("clone", T(d, [15], kind, 2))
        for kind in "uwq":
            f.call("clone", T(d, [5], kind, 1, 4))
        for layout in "tse":
            f.call("clone", T(d, [2, 3], "c", 0, 1, layout))
        f.call("clone", T(d, [], "c", 3))
    for part in (unary, binary, casts, parts, parameters, reductions, products, compositions, moves, indexing, creation, refused):
        part(f)

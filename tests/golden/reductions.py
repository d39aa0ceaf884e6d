"""Reductions and products."""

import math

import torch

from notation import ALL, EPS, FLOATS, NAME_OF, NAMES, T

def sum_bound(values, result):
    """2 eps log2(n) sum|x|, and a rounding of the result to a narrow type."""
    x = values[0].double().abs()
    eps = EPS["f64" if result.dtype == torch.float64 else "f32"]
    b = 2 * eps * max(1, math.log2(max(2, x.numel()))) * float(x.sum())
    if result.dtype in (torch.float16, torch.bfloat16):
        b += EPS[NAME_OF[result.dtype]] * float(result.double().abs().max() if result.numel() else 0)
    return b


def moment_bound(values, result):
    """The same of the squares, and a root halves it at most where the result is above a quarter."""
    squares = (values[0].double() - values[0].double().mean()) ** 2
    return 4 * sum_bound([squares], result) / max(1, squares.numel() - 1) + 1e-300


def product_bound(values, result):
    """n eps |a| |b|, which no order of adding exceeds."""
    k = max(1, values[0].shape[-1] if values[0].dim() else 1)
    eps = EPS["f64" if result.dtype == torch.float64 else "f32"]
    b = k * eps * k * 4
    return b + (EPS[NAME_OF[result.dtype]] * 4 * k if result.dtype in (torch.float16, torch.bfloat16) else 0)


def reduce_over(x, f, name, dims, keepdim=False, dtype=None):
    return f.call(name, x, dims, keepdim, dtype, by=lambda x, d, k, t: summed(name, x, d, k, t))


def summed(name, x, dims, keepdim, dtype):
    g = getattr(torch, name)
    return g(x, dtype=dtype) if dims is None else g(x, dims, keepdim, dtype=dtype)


def reduced(name):
    g = getattr(torch, name)

    def call(x, dim=None, keepdim=False):
        if dim is None and not keepdim:
            return g(x)
        return g(x, dim, keepdim) if name not in ("argmax", "argmin") else g(x, dim=dim, keepdim=keepdim)
    return call


def reductions(f):
    for d in ALL:
        layouts = "ctse" if d in ("f32", "bool") else "t"
        shapes = [([2, 2, 3], lay) for lay in layouts] + [([7], "c"), ([], "c")]
        for name in ["sum", "mean"]:
            by = lambda x, dims, k, t, name=name: summed(name, x, dims, k, t)  # noqa: E731
            bound = sum_bound if name == "mean" and d in ("f16", "bf16") else None
            for sizes, lay in shapes:
                x = T(d, sizes, "m", 1, 1, lay)
                dims = [None, [], [0], [-1], [1]] + ([[0, 2], [1, 2], [2, 0, 1]] if len(sizes) == 3 else [])
                for dim in dims:
                    f.call(name, x, dim, False, None, by=by, bound=bound)
                f.call(name, x, [0], True, None, by=by, bound=bound)
                f.call(name, x, [], True, None, by=by, bound=bound)
            for t in ["i32", "i64", "f32", "f64", "f16", "u8", "bool"]:
                b = sum_bound if name == "mean" and t == "f16" else None
                f.call(name, T(d, [5], "p"), None, False, NAMES[t], by=by, bound=b)
                f.call(name, T(d, [2, 3], "p"), [0], False, NAMES[t], by=by, bound=b)
            for sizes in [[0], [0, 3], [3, 0]]:
                for dim in [None, [0], [-1], []]:
                    f.call(name, T(d, sizes), dim, False, None, by=by)
            f.call(name, T(d, [2, 3]), [2], False, None, by=by)
            f.call(name, T(d, [2, 3]), [-3], False, None, by=by)
            f.call(name, T(d, [2, 3]), [0, 0], False, None, by=by)
            f.call(name, T(d, [2, 3]), [1, -1], False, None, by=by)
            if d in FLOATS:
                f.call(name, T(d, [100], "r", 3), None, False, None, by=by, bound=sum_bound, wide=True)
                f.call(name, T(d, [3, 70], "r", 4, 1, "t"), [1], False, None, by=by, bound=sum_bound, wide=True)
                f.call(name, T(d, [70, 3], "r", 4, 1, "s"), [0], False, None, by=by, bound=sum_bound, wide=True)
                f.call(name, T(d, [5], "s", 2), None, False, None, by=by)
                f.call(name, T(d, [3, 2], "s", 4), [0], False, None, by=by)
        by = lambda x, dim, k, t: torch.prod(x, dtype=t) if dim is None else torch.prod(x, dim, k, dtype=t)  # noqa: E731
        for sizes, lay in shapes:
            x = T(d, sizes if len(sizes) != 1 else [5], "p", 2, 1, lay)
            for dim in [None, 0, -1, 1]:
                # 24 factors use up the bits of a number: products of few only.
                if dim is None and len(sizes) == 3 and d in FLOATS:
                    continue
                f.call("prod", x, dim, False, None, by=by, wide=True)  # narrow types round once
            f.call("prod", x, 0, True, None, by=by, wide=True)
        for t in ["i32", "f64", "f16", "bool"]:
            f.call("prod", T(d, [4], "p"), None, False, NAMES[t], by=by)
        for sizes in [[0], [0, 3]]:
            for dim in [None, 0, -1]:
                f.call("prod", T(d, sizes), dim, False, None, by=by)
        f.call("prod", T(d, [2, 3]), 2, False, None, by=by)
        for name in ["amax", "amin", "max", "min", "argmax", "argmin", "any", "all"]:
            if d == "bool" and name.startswith("arg"):
                continue  # PyTorch has no kernel for it
            listed = name in ("amax", "amin")
            kinds = "mzb" if name in ("any", "all") else "mz"
            for sizes, lay in shapes:
                for kind in kinds if lay == "t" else kinds[-1:] if lay == "c" else "m":
                    x = T(d, sizes, kind, 3, 1, lay)
                    for dim in [[], [0], [-1], [1], [0, -1]] if listed else [None, 0, -1, 1]:
                        f.call(name, x, dim, False, by=reduced(name))
                    f.call(name, x, [0] if listed else 0, True, by=reduced(name))
            for sizes in [[0], [0, 3], [3, 0]]:
                for dim in [[], [0], [-1]] if listed else [None, 0, -1]:
                    f.call(name, T(d, sizes), dim, False, by=reduced(name))
            f.call(name, T(d, [2, 3]), [2] if listed else 2, False, by=reduced(name))
            f.call(name, T(d, [9], "u", 2, 2), [0] if listed else 0, False, by=reduced(name))  # ties
            if name in ("argmax", "argmin"):
                f.call(name, T(d, [2, 3], "m", 5), None, True, by=reduced(name))
        for name in ["var", "std"]:
            by = lambda x, dims, u, k, name=name: (  # noqa: E731
                getattr(torch, name)(x, u) if dims is None else getattr(torch, name)(x, dims, u, k))
            for sizes, lay in shapes:
                x = T(d, sizes, "m", 1, 1, lay)
                for dim in [None, [], [0], [-1], [0, -1]]:
                    for unbiased in [True, False]:
                        f.call(name, x, dim, unbiased, False, by=by, bound=moment_bound, wide=True)
                f.call(name, x, [0], True, True, by=by, bound=moment_bound, wide=True)
            f.call(name, T(d, [1]), None, True, False, by=by)
            f.call(name, T(d, [0, 2]), [0], True, False, by=by)
            f.call(name, T(d, [2]), [1], True, False, by=by)
        for name in ["var", "std", "var_mean", "std_mean"]:
            g = getattr(torch, name)
            for dims, c, keep in [(None, 0, False), ([0], 2, True), ([-1], 0.5, False), ([0, 1], None, True), ([1], 10, False)]:
                f.call(name + "_corrected", T(d, [3, 4], "m", 1, 1, "t"), dims, c, keep,
                       by=lambda x, d, c, k, g=g: g(x, d, correction=c, keepdim=k), bound=moment_bound, wide=True)
    products(f)


def products(f):
    shapes = [("mm", [2, 3], [3, 4]), ("mm", [2, 3], [4, 3]), ("mm", [3], [3, 1]), ("mv", [2, 3], [3]),
              ("mv", [2, 3], [2]), ("dot", [5], [5]), ("dot", [5], [4]), ("dot", [2, 2], [2]), ("bmm", [2, 2, 3], [2, 3, 2]),
              ("bmm", [2, 2, 3], [1, 3, 2]), ("bmm", [2, 3], [2, 3]), ("mm", [2, 0], [0, 3]), ("mm", [0, 2], [2, 3]),
              ("matmul", [3], [3]), ("matmul", [2, 3], [3]), ("matmul", [3], [3, 2]), ("matmul", [2, 3], [3, 2]),
              ("matmul", [4, 2, 3], [3, 2]), ("matmul", [2, 3], [4, 3, 2]), ("matmul", [2, 1, 2, 3], [3, 3, 2]),
              ("matmul", [3], [2, 3, 2]), ("matmul", [2, 2, 3], [3]), ("matmul", [], [3]), ("matmul", [2, 3], [2, 3]),
              ("matmul", [0, 2, 3], [3, 2])]
    for d in ALL:
        if d == "bool":
            continue  # PyTorch has no kernel for it, and so accepts only what has no elements
        for name, a, b in shapes:
            f.call(name, T(d, a, "m", 1), T(d, b, "m", 2))
            f.call(name, T(d, a, "m", 1, 1, "t"), T(d, b, "m", 2, 1, "s"))
        if d in FLOATS:
            f.call("matmul", T(d, [4, 30], "r", 1), T(d, [30, 3], "r", 2), bound=product_bound, wide=True)
        f.call("mm", T(d, [2, 2]), T("f32", [2, 2]))
        f.call("matmul", T(d, [2]), T("i64", [2]))

"""Compositions of reductions, scans, sorts and sets."""

import itertools

import torch

from notation import ALL, EPS, FLOATS, INF, NAME_OF, NAMES, T

def relative(factor):
    """`factor` roundings of the largest finite result."""
    def bound(values, result):
        x = result.double().abs()
        x = x[x.isfinite()]
        top = max(float(x.max()) if x.numel() else 0.0, 2.0**-10)
        return factor * EPS[NAME_OF[result.dtype]] * top
    return bound


def compositions(f):
    for d in ALL:
        for sizes, lay in [([2, 2, 3], "c"), ([2, 3], "t"), ([6], "s"), ([], "c")][0 if d in ("f32", "i32") else 1:]:
            for kind in "mb":
                x = T(d, sizes, kind, 1, 1, lay)
                for dim in [None, [0], [-1], [0, -1], [3]]:
                    f.call("count_nonzero", x, dim, by=lambda x, d: torch.count_nonzero(x, d))
                for dim in [[0], [-1], [], [0, 1]]:
                    for name in ["any", "all"]:
                        f.call(name + "_in", x, dim, False, by=lambda x, d, k, name=name: getattr(torch, name)(x, d, k))
            x = T(d, sizes, "z", 3, 1, lay)
            for dim in [None, 0, -1]:
                f.call("aminmax", x, dim, False, by=lambda x, d, k: torch.aminmax(x, dim=d, keepdim=k))
            x = T(d, sizes, "m", 2, 1, lay)
            for dim in [0, -1, 2] if d in FLOATS else [0, -1]:
                f.call("softmax", x, dim, None, by=lambda x, d, t: torch.softmax(x, d, dtype=t), bound=relative(4))
                f.call("log_softmax", x, dim, None, by=lambda x, d, t: torch.log_softmax(x, d, dtype=t), bound=relative(4))
                f.call("logsumexp", x, [dim], False, bound=relative(4))
                f.call("diff", x, 1, dim, by=lambda x, n, d: torch.diff(x, n, d))
                f.call("diff", x, 2, dim, by=lambda x, n, d: torch.diff(x, n, d))
                f.call("trapezoid", x, 0.5, dim, by=lambda x, dx, d: torch.trapezoid(x, dx=dx, dim=d), bound=relative(4))
                f.call("cumulative_trapezoid", x, 1, dim, by=lambda x, dx, d: torch.cumulative_trapezoid(x, dx=dx, dim=d), bound=relative(4))
            for dims in [[0], [-1], [0, -1]]:
                f.call("nansum", T(d, sizes, "m", 1, 1, lay), dims, False, None, by=lambda x, d, k, t: torch.nansum(x, d, k, dtype=t))
                f.call("nanmean", T(d, sizes, "m", 1, 1, lay), dims, True, None, by=lambda x, d, k, t: torch.nanmean(x, d, k, dtype=t), bound=relative(2))
                for name in ["var_mean", "std_mean"]:
                    f.call(name, x, dims, True, False, by=lambda x, d, u, k, name=name: getattr(torch, name)(x, d, u, k), bound=relative(8))
            for p in [None, 0, 1, 2, 3, INF, -INF, 0.5] if d in ("f32", "f16") else [None, 1]:
                f.call("norm", x, p, None, by=lambda x, p, _: torch.norm(x, 2 if p is None else p), bound=relative(8))
                f.call("norm", x, p, [0], True, by=lambda x, p, d, k: torch.norm(x, p, d, k), bound=relative(8))
        for kind in "ms":
            f.call("nansum", T(d, [9], kind, 6 if kind == "m" else 10), None, False, None, by=lambda x, d, k, t: torch.nansum(x))
        f.call("softmax", T(d, [3], "s", 4), 0, None, by=lambda x, d, t: torch.softmax(x, d), bound=relative(4))
        f.call("softmax", T(d, [3], "m", 4), 0, torch.float64, by=lambda x, d, t: torch.softmax(x, d, dtype=t), bound=relative(8))
        f.call("logsumexp", T(d, [2, 0]), [1], False)
        for p in [0, 1, 2, INF, 1.5]:
            f.call("dist", T(d, [2, 3], "m", 1), T(d, [3], "m", 2), p, bound=relative(8))
            f.call("cdist", T(d, [2, 3], "m", 1), T(d, [4, 3], "m", 5), float(p), bound=relative(16))
            f.call("renorm", T(d, [2, 3], "p", 1), p, 0, 2.5, bound=relative(8))
        f.call("cdist", T(d, [2, 3]), T(d, [4, 2]), 2.0)
        f.call("cov", T(d, [2, 4], "m", 3), 1, by=lambda x, c: torch.cov(x, correction=c), bound=relative(16))
        f.call("cov", T(d, [4], "m", 3), 0, by=lambda x, c: torch.cov(x, correction=c), bound=relative(16))
        f.call("corrcoef", T(d, [2, 4], "m", 3), bound=relative(16))
        f.call("diff", T(d, [3], "m", 1), 1, 0, T(d, [2], "m"), T(d, [1], "m", 7),
               by=lambda x, n, d, a, b: torch.diff(x, n, d, prepend=a, append=b))
        for s, dims in itertools.product([1, 0.5], [[0], [0, 1]]):
            for order in [1, 2]:
                f.call("gradient", T(d, [3, 4], "m", 1), s, dims, order,
                       by=lambda x, s, d, e: torch.gradient(x, spacing=float(s), dim=d, edge_order=e), bound=relative(4))
        f.call("trapz", T(d, [2, 3], "m", 1), T(d, [3], "c"), -1, by=lambda y, x, d: torch.trapz(y, x, dim=d), bound=relative(4))
        f.call("trapz", T(d, [2, 3], "m", 1), 0.5, 0, by=lambda y, h, d: torch.trapz(y, dx=h, dim=d), bound=relative(4))
        f.call("gradient_spaced", T(d, [3, 4], "m", 1), [0.5, 2.0], [0, 1], 1,
               by=lambda x, s, d, e: torch.gradient(x, spacing=s, dim=d, edge_order=e), bound=relative(4))
        f.call("gradient_spaced", T(d, [3, 4], "m", 1), [T("f32", [3], "c"), T("f32", [4], "c", 2)], [0, 1], 2,
               by=lambda x, s, d, e: torch.gradient(x, spacing=tuple(s), dim=d, edge_order=e), bound=relative(8))
        for t in ["f64", "f32", "i32"]:
            f.call("norm_as", T(d, [2, 3], "m", 1), 2, [1], True, NAMES[t], by=lambda x, p, d, k, t: torch.norm(x, p, d, k, dtype=t), bound=relative(8))
            f.call("norm_as", T(d, [2, 3], "m", 1), 1, None, False, NAMES[t], by=lambda x, p, d, k, t: torch.norm(x, p, dtype=t), bound=relative(8))
            f.call("nansum", T(d, [4], "m", 1), None, False, NAMES["c64"], by=lambda x, d, k, t: torch.nansum(x, dtype=t))
            f.call("nanmean", T(d, [4], "m", 1), None, False, NAMES[t], by=lambda x, d, k, t: torch.nanmean(x, dtype=t), bound=relative(4))
        f.call("aminmax", T(d, [2, 0]), None, False, by=lambda x, d, k: torch.aminmax(x, dim=d, keepdim=k))
        f.call("isclose", T(d, [12], "s"), T(d, [12], "s"), 1e-5, 1e-8, True)
        f.call("isclose", T(d, [12], "s"), T(d, [12], "s"), 1e-5, 1e-8, False)
        f.call("isclose", T(d, [8], "m"), T(d, [8], "m", 1), 0.5, 0.25, False)
        f.call("max_of_two", T(d, [6], "z"), T("i16", [6], "m"), by=torch.max)
        f.call("min_of_two", T(d, [6], "z"), T("f32", [6], "m"), by=torch.min)


def scans(f):
    for d in ALL:
        for sizes, lay in [([2, 2, 3], "t"), ([3, 5], "s"), ([6], "c"), ([], "c"), ([0, 2], "c")]:
            for dim in [0, -1, 1]:
                f.call("cumsum", T(d, sizes, "m", 1, 1, lay), dim, None, by=lambda x, d, t: torch.cumsum(x, d, dtype=t))
                f.call("cumprod", T(d, sizes, "p", 1, 1, lay), dim, None, by=lambda x, d, t: torch.cumprod(x, d, dtype=t))
                f.call("cummax", T(d, sizes, "m", 1, 1, lay), dim)
                f.call("cummin", T(d, sizes, "z", 1, 1, lay), dim)
                if d in FLOATS or dim != 1:  # one fault at a time
                    f.call("logcumsumexp", T(d, sizes, "m", 1, 1, lay), dim, bound=relative(4))
        for t in ["f32", "i32", "f64", "u8"]:
            f.call("cumsum", T(d, [4], "p", 1), 0, NAMES[t], by=lambda x, d, t: torch.cumsum(x, d, dtype=t))
            f.call("cumprod", T(d, [4], "p", 1), 0, NAMES[t], by=lambda x, d, t: torch.cumprod(x, d, dtype=t))
        f.call("cummax", T(d, [9], "u", 0, 3), 0)
        f.call("cummin", T(d, [9], "u", 0, 3), 0)


def sorts(f):
    for d in ALL:
        for sizes, lay in [([2, 3], "c"), ([2, 2, 3], "t"), ([2, 5], "s"), ([12], "c"), ([], "c"), ([2, 0], "c")]:
            kinds = [("z", 2, 1), ("w", 3, 11)] if d != "bool" else [("b", 1, 1)]
            for (kind, seed, p), dim in itertools.product(kinds, [0, -1, 2] if len(sizes) == 3 else [0, 1]):
                x = T(d, sizes, kind, seed, p, lay)
                for down in [False, True]:
                    f.call("sort", x, dim, down, by=lambda x, d, r: torch.sort(x, dim=d, descending=r, stable=True))
                f.call("argsort", x, dim, True, by=lambda x, d, r: torch.argsort(x, dim=d, descending=r, stable=True))
                if kind == "w":
                    n = x.tensor().size(dim) if -len(sizes) <= dim < len(sizes) else 1
                    for k in [1, n, n + 1, 0]:
                        f.call("topk", x, k, dim, True)
                        f.call("kthvalue", x, k, dim, False)
                    f.call("topk", x, (n + 1) // 2, dim, False)
                    f.call("median", x, dim, False, by=lambda x, d, k: torch.median(x, d, k))
                    f.call("nanmedian", x, dim, True, by=lambda x, d, k: torch.nanmedian(x, d, k))
                f.call("mode", T(d, sizes, "u", 1, 2, lay), dim, False)
            f.call("median", T(d, sizes, "z", 1, 1, lay), None, by=lambda x, _: torch.median(x))
            f.call("nanmedian", T(d, sizes, "z", 1, 1, lay), None, by=lambda x, _: torch.nanmedian(x))
            f.call("msort", T(d, sizes, "z", 1, 1, lay))
            for how in ["linear", "lower", "higher", "midpoint", "nearest"] if d in ("f32", "f64") else ["linear"]:
                for q in [0.0, 0.3, 0.5, 1.0] if how == "linear" else [0.3]:
                    for name in ["quantile", "nanquantile"]:
                        g = getattr(torch, name)
                        f.call(name, T(d, sizes, "m", 1, 1, lay), q, None, False, how, by=lambda x, q, d, k, h, g=g: g(x, q, d, k, interpolation=h), bound=relative(2))
            for name in ["quantile", "nanquantile"]:
                g = getattr(torch, name)
                f.call(name, T(d, sizes, "s", 3, 1, lay), 0.75, -1, True, "lower", by=lambda x, q, d, k, h, g=g: g(x, q, d, k, interpolation=h))
        f.call("quantile", T(d, [5]), 1.5, None, False, "linear", by=lambda x, q, d, k, h: torch.quantile(x, q, d, k, interpolation=h))
        f.call("quantile", T(d, [5]), 0.5, None, False, "cubic", by=lambda x, q, d, k, h: torch.quantile(x, q, d, k, interpolation=h))
        f.call("quantile", T(d, [2, 3]), T(d, [2], "b"), 1, False, "linear", by=lambda x, q, d, k, h: torch.quantile(x, q, d, k, interpolation=h))
        sets(f, d)


def sets(f, d):
    for x in [T(d, [9], "u", 1, 4), T(d, [2, 3], "u", 2, 3, "t"), T(d, [0]), T(d, [], "c", 2), T(d, [4], "w", 2, 3)]:
        f.call("unique", x, by=lambda x: torch.unique(x, True, True, True))
        f.call("unique_consecutive", x, None, by=lambda x, _: torch.unique_consecutive(x, True, True))
    f.call("unique", T(d, [3], "s", 7), by=lambda x: torch.unique(x, True, True, True))
    for dim in [0, 1, 2]:
        f.call("unique_dim", T(d, [4, 3], "u", 1, 2), dim, by=lambda x, d: torch.unique(x, True, True, True, dim=d))
        f.call("unique_consecutive", T(d, [4, 3], "u", 0, 3), dim, by=lambda x, d: torch.unique_consecutive(x, True, True, dim=d))
    for invert in [False, True] if d != "bool" else []:  # PyTorch has no kernel for truth values
        f.call("isin", T(d, [2, 4], "m", 1, 1, "t"), T(d, [5], "m", 4), invert, by=lambda a, b, i: torch.isin(a, b, invert=i))
        f.call("isin", T(d, [5], "m"), T("i32", [3], "m", 4), invert, by=lambda a, b, i: torch.isin(a, b, invert=i))
        f.call("isin", T(d, [5], "m"), 2, invert, by=lambda a, b, i: torch.isin(a, b, invert=i))
        f.call("isin", 2, T(d, [5], "m", 1), invert, by=lambda a, b, i: torch.isin(a, b, invert=i))
    f.call("bincount", T(d, [9], "u", 0, 5), None, 0)
    f.call("bincount", T(d, [5], "u", 0, 5), T("f32", [5], "m"), 7)
    f.call("bincount", T(d, [5], "u", 0, 5), T("i32", [5], "m"), 2)
    f.call("bincount", T(d, [5], "u", 0, 5), T("i32", [4], "m"), 2)
    f.call("bincount", T(d, [2, 2], "u", 0, 5), None, 0)
    f.call("bincount", T(d, [0]), None, 3)
    f.call("bincount", T(d, [3], "m"), None, 0)
    for bins, low, high in [(4, 0, 0), (5, -2, 2), (3, 1, 0), (0, 0, 1)]:
        f.call("histc", T(d, [11], "m", 1), bins, low, high)
    f.call("histogram", T(d, [11], "m", 1), 4, None, False, by=lambda x, b, w, n: torch.histogram(x, b, weight=w, density=n), bound=relative(2))
    f.call("histogram", T(d, [2, 5], "m", 1), T(d, [4], "c"), T(d, [2, 5], "p", 3), True, by=lambda x, b, w, n: torch.histogram(x, b, weight=w, density=n), bound=relative(2))
    for right in [False, True]:
        f.call("searchsorted", T(d, [6], "c"), T(d, [2, 3], "u", 0, 8), False, right, by=lambda a, b, o, r: torch.searchsorted(a, b, out_int32=o, right=r))
        f.call("searchsorted", T(d, [2, 4], "c"), T(d, [2, 3], "u", 0, 8), True, right, by=lambda a, b, o, r: torch.searchsorted(a, b, out_int32=o, right=r))
        f.call("searchsorted", T(d, [4], "c"), 2, False, right, by=lambda a, b, o, r: torch.searchsorted(a, b, out_int32=o, right=r))
        f.call("searchsorted", T(d, [4], "c"), 2.5, False, right, by=lambda a, b, o, r: torch.searchsorted(a, b, out_int32=o, right=r))
        f.call("bucketize", T(d, [2, 3], "u", 0, 8), T(d, [6], "c"), False, right, by=lambda a, b, o, r: torch.bucketize(a, b, out_int32=o, right=r))
        f.call("bucketize", 2, T(d, [6], "c"), True, right, by=lambda a, b, o, r: torch.bucketize(a, b, out_int32=o, right=r))
    for right, side, order in [(False, "right", None), (True, "right", None), (True, "left", None), (False, "middle", None),
                               (False, None, T("i64", [4], "c")), (True, None, T("i32", [4], "c")), (False, "left", T("i64", [3], "c"))]:
        f.call("searchsorted_by", T(d, [4], "c"), T(d, [5], "u", 0, 6), right, side, order,
               by=lambda a, b, r, s, o: torch.searchsorted(a, b, right=r, side=s, sorter=o))
    for ends in [[-1.0, 1.0], [0.0, 0.0], [2.0, 1.0]]:
        f.call("histogram_between", T(d, [11], "m", 1), 4, ends, T(d, [11], "p", 3), False,
               by=lambda x, b, r, w, n: torch.histogram(x, b, range=r, weight=w, density=n), bound=relative(2))
    f.call("searchsorted", T(d, [2, 4], "c"), T(d, [3, 3], "c"), False, False, by=lambda a, b, o, r: torch.searchsorted(a, b))


def ordering(f):
    compositions(f)
    scans(f)
    sorts(f)

"""Tensors of indices, and masks."""

import math
import random

import torch

from notation import ALL, LeftOut, Operand, T, value_of

def indexing(f):
    pick = random.Random(3)

    def subscript(sizes, wrong=0.04):
        """One index for some of the dimensions, each of a kind that PyTorch allows."""
        out, at, broadcast = [], 0, pick.choice([[2], [2], [3, 1], []])
        ellipsis = pick.random() < 0.2
        while at < len(sizes):
            n = sizes[at]
            r = pick.random()
            bad = pick.random() < wrong
            if r < 0.15:
                out.append(n + 1 if bad else pick.randrange(-n, n) if n else 0)
            elif r < 0.35:
                out.append(slice(pick.choice([None, 0, 1, -2]), pick.choice([None, 2, -1, 5]), pick.choice([None, 1, 2])))
            elif r < 0.65 and n:
                out.append(T("i64", pick.choice([broadcast, broadcast, [1]]), "w", pick.randrange(9),
                             n + 2 if bad else n))
            elif r < 0.75:
                out.append(T("bool", [n + 1 if bad else n], "b", pick.randrange(5)))
            elif r < 0.8 and at + 1 < len(sizes):
                out.append(T("bool", [n, sizes[at + 1]], "b", pick.randrange(5)))
                at += 1
            elif r < 0.87:
                out.append(None)
                at -= 1
            elif r < 0.92:
                out.append(pick.choice([True, False]))
                at -= 1
            elif r < 0.97 and ellipsis:
                out.append(Ellipsis)
                ellipsis = False
                at += pick.randrange(0, 2) - 1
            else:
                break
            at += 1
        return out or [0]

    def base(dtype="f32", layout=None):
        sizes = pick.choice([[3], [3, 4], [2, 3, 2], [4, 1, 3], [2, 2, 2, 2]])
        return T(dtype, sizes, "c", 1, 1, layout or pick.choice("ctse"))

    for _ in range(260):
        x = base(pick.choice(["f32", "f32", "i64", "u8", "bool", "bf16"]))
        f.call("index", x, subscript(x.sizes))
    for i in [[T("i32", [2], "u", 1, 3)], [T("u8", [3], "u", 1, 2)], [T("f32", [2], "c")], [T("i64", [], "c", 1)], [T("bool", [], "b")],
              [T("i16", [2], "c")], [T("i64", [0], "c")], [T("bool", [3, 4], "b"), 0], [0, 0, 0, 0], [None, Ellipsis, None],
              [T("i64", [2], "c"), T("i64", [3], "c")], [T("i64", [2], "c"), slice(None), T("i64", [2], "c")], [True], [False], [True, 0],
              [T("i8", [2], "c")]]:
        f.call("index", T("f32", [3, 4], "c"), i)
        f.call("index", T("f32", [3, 4, 2], "c", 0, 1, "t"), i)

    def put(x, i, v, accumulate):
        if not accumulate:
            x[tuple(i)] = v
            return x
        raise LeftOut

    for _ in range(200):
        x = base(pick.choice(["f32", "f32", "i64", "u8", "bool"]), pick.choice("cts"))
        i = subscript(x.sizes)
        try:
            shape = list(x.tensor()[tuple(value_of(i))].shape)
        except (IndexError, RuntimeError):
            shape = [2]
        tensors = any(isinstance(k, Operand) for k in i)
        v = pick.choice([7, 2.5, T(x.dtype, [], "c", 50), T(x.dtype, shape, "c", 20), T(x.dtype, shape[1:], "c", 30),
                         T(x.dtype, [*shape, 2], "c", 3)])
        f.call("index_put_", x, i, v, False, by=put)
        if tensors and all(isinstance(k, Operand) for k in i) and isinstance(v, Operand):
            for accumulate in (True, False):
                f.call("index_put", x, i, v, accumulate, by=lambda x, i, v, a: torch.index_put(x, tuple(i), v, a))
                f.call("index_put_", x, i, v, accumulate, by=lambda x, i, v, a: x.index_put_(tuple(i), v, a))
    for v in ["i32", "f64", "bool"]:
        f.call("index_put_", T("f32", [3], "c"), [T("i64", [2], "c")], T(v, [2], "c", 1), False, by=put)
        f.call("index_put", T("f32", [3], "c"), [T("i64", [2], "c")], T(v, [2], "c", 1), False,
               by=lambda x, i, v, a: torch.index_put(x, tuple(i), v, a))

    for _ in range(60):
        sizes = pick.choice([[3], [3, 4], [2, 3, 2], []])
        x = T(pick.choice(ALL), sizes, "c", 1, 1, pick.choice("ctse"))
        n = max(1, len(sizes))
        d = pick.choice([n, -n - 1]) if pick.random() < 0.06 else pick.randrange(-n, n)
        inside = sizes and -n <= d < n
        size = sizes[d] if inside else 1
        isizes = [pick.randrange(1, s + 1) for s in sizes]
        if inside:
            isizes[d] = pick.randrange(0, 5)
        if pick.random() < 0.05 and isizes:
            isizes[0] += 5
        limit = size + (2 if pick.random() < 0.06 and x.layout != "e" else 0)  # PyTorch does not look there
        i = T("i64" if pick.random() > 0.04 or 0 in isizes else "f32", isizes, "u", pick.randrange(4), limit, pick.choice("ct"))
        distinct = T("i64", isizes, "q", pick.randrange(4), max(limit, 1))
        source = T(x.dtype, isizes if pick.random() > 0.06 else [*isizes, 1], "c", 30, 1, pick.choice("ct"))
        w = T(x.dtype, sizes, "c", 1, 1, pick.choice("cts"))
        f.call("gather", x, d, i)
        if sizes and limit == size and i.dtype == "i64":  # PyTorch refuses numbers, and does not look at all indices
            f.call("take_along_dim", x, i, d)
        if x.layout == "c":  # PyTorch wants a view here
            f.call("take_along_dim", x, T("i64", [3], "u", 0, max(1, math.prod(sizes))), None)
        f.call("take", x, T("i64", pick.choice([[2], [], [2, 2], [0]]), "w", 1, math.prod(sizes)))
        f.call("scatter", w, d, i, source)
        f.call("scatter_", w, d, i, 5)
        f.call("scatter", w, d, i, 2, "add", by=lambda x, d, i, v, r: torch.scatter(x, d, i, v, reduce=r))
        f.call("scatter_", w, d, i, source, "multiply", by=lambda x, d, i, v, r: x.scatter_(d, i, v, reduce=r))
        f.call("scatter_add", w, d, i, source)
        f.call("scatter_add_", w, d, i, source)
        for how in ["sum", "prod", "mean", "amax", "amin"]:
            f.call("scatter_reduce", w, d, i, source, how, pick.random() < 0.5,
                   by=lambda x, d, i, s, r, k: torch.scatter_reduce(x, d, i, s, r, include_self=k))
        vector = T("i64", [pick.randrange(0, 4)] if pick.random() > 0.08 else [2, 2], pick.choice("uq"), pick.randrange(3), limit)
        narrow = T("i32", vector.sizes, vector.kind, vector.seed, vector.parameter)
        ssizes = list(sizes)
        if inside:
            ssizes[d] = vector.sizes[0]
        s = T(x.dtype, ssizes, "c", 40, 1, pick.choice("cts"))
        # Sinter takes Int in index_copy and index_fill too.
        if not sizes and vector.sizes != (1,):
            continue  # PyTorch looks at the sizes of a number's source in a way of its own
        f.call("index_select", x, d, vector)
        f.call("index_select", x, d, narrow)
        f.call("index_add_", w, d, narrow, s, 2, by=lambda x, d, i, s, a: x.index_add_(d, i, s, alpha=a))
        f.call("index_add", w, d, vector, s, 1, by=lambda x, d, i, s, a: torch.index_add(x, d, i, s, alpha=a))
        f.call("index_add_", w, d, vector, s, 2, by=lambda x, d, i, s, a: x.index_add_(d, i, s, alpha=a))
        f.call("index_copy", w, d, vector, s)
        f.call("index_copy_", w, d, vector, s)
        f.call("index_fill", w, d, vector, pick.choice([3, 2.5, True]))
        f.call("index_fill_", w, d, vector, T(x.dtype, [], "c", 4))
        for how in ["prod", "mean", "amax", "amin"]:
            f.call("index_reduce", w, d, vector, s, how, pick.random() < 0.5,
                   by=lambda x, d, i, s, r, k: torch.index_reduce(x, d, i, s, r, include_self=k))
        n = math.prod(sizes)
        f.call("put", w, T("i64", [2], "w", 2, n), T(x.dtype, [2], "c", 60), pick.random() < 0.5)
        f.call("put_", w, T("i64", [2, 1], "w", 2, n + 1), T(x.dtype, [2], "c", 60), False)
        f.call("put_", w, T("i64", [2, 1], "u", 2, n), T(x.dtype, [3], "c", 60), False)
        mask = T("bool", sizes if pick.random() > 0.3 else sizes[1:], "b", pick.randrange(5), 1, pick.choice("ct"))
        f.call("masked_select", x, mask)
        f.call("masked_fill", x, mask, pick.choice([4, 2.5, True]))
        f.call("masked_fill_", w, mask, T(x.dtype, [], "c", 4))
        f.call("masked_fill", x, mask, T("f32", [], "c", 4))
        f.call("masked_scatter", w, mask, T(x.dtype, [math.prod(sizes)], "c", 70))
        f.call("masked_scatter_", w, mask, T(x.dtype, [2], "c", 70))
        z = T(x.dtype, sizes, "b", pick.randrange(5), 1, pick.choice("ctse"))
        f.call("nonzero", z)
        f.call("argwhere", z)
        f.call("nonzero_numpy", z, by=lambda x: torch.nonzero(x, as_tuple=True))
        f.call("where", T("bool", sizes, "b", 2))
    for name in ["masked_select", "masked_fill"]:
        extra = [1] if name == "masked_fill" else []
        f.call(name, T("f32", [3]), T("f32", [3], "b"), *extra)
        f.call(name, T("f32", [3]), T("bool", [2], "b"), *extra)
        f.call(name, T("f32", [3]), T("bool", [2, 3], "b"), *extra)
        f.call(name, T("f32", [0]), T("bool", [0], "b"), *extra)
    f.call("masked_fill", T("f32", [3]), T("bool", [3], "b"), T("f32", [1]))
    f.call("masked_fill", T("i32", [3]), T("bool", [3], "b"), 1.5)

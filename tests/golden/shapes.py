"""Shapes, views and creation."""

import itertools
import math
import random

import torch

from notation import ALL, EPS, FLOATS, INF, NAME_OF, NAMES, T

def shapes(f):
    pick = random.Random(2)
    layouts = "ctse"
    samples = [[], [3], [2, 3], [2, 3, 4], [1, 3, 1], [0, 2], [2, 1, 3, 2], [1], [4, 4], [6]]

    def some(n, least=0, most=4):
        for _ in range(n):
            sizes = pick.choice([s for s in samples if least <= len(s) <= most])
            yield T(pick.choice(["f32", "f32", "i64", "u8", "bool", "bf16", "f64"]), sizes, "c", 0, 1, pick.choice(layouts))

    def dim(x, wrong=0.08):
        n = max(1, len(x.sizes))
        return pick.choice([n, -n - 1, n + 3]) if pick.random() < wrong else pick.randrange(-n, n)

    def view(name, *a, **k):
        f.call(name, *a, views=True, **k)

    def method(name):
        return lambda x, *a: getattr(x, name)(*a)

    for x in some(60):
        n = math.prod(x.sizes)
        target = pick.choice([[n], [-1], [n, 1], [1, n], [-1, 1, max(1, n // 2)], [2, -1], [n + 1], [-1, -1], [3, n // 3],
                              list(reversed(x.sizes)), [*x.sizes, 1], [-2, 2], [0, -1]])
        view("view", x, target, by=method("view"))
        view("reshape", x, target, by=method("reshape"))
    for x in some(24):
        view("flatten", x, dim(x), dim(x), by=method("flatten"))
    for x in some(30):
        a, b = dim(x), dim(x)
        view("transpose", x, a, b)
        view("swapaxes", x, a, b)
        view("transpose_", x, a, b)
        view("movedim", x, a, b)
    for x in some(12):
        view("t", x)
        view("t_", x)
        view("mT", x, by=lambda x: x.mT)
        view("adjoint", x)
        view("numpy_T", x)
        view("ravel", x)
        view("contiguous", x, by=method("contiguous"))
        view("detach", x)
        f.call("clone", x)
        for name in ["atleast_1d", "atleast_2d", "atleast_3d"]:
            view(name, x)
    for x in some(30):
        p = list(range(len(x.sizes)))
        pick.shuffle(p)
        if pick.random() < 0.2 and p:
            p[0] = pick.choice([p[-1], len(p), -1])
        view("permute", x, p)
        if len(p) > 1:
            view("movedim", x, p[:2], [pick.randrange(len(p)), pick.randrange(len(p))])
    for x in some(60, 0):
        d = dim(x)
        inside = -len(x.sizes) <= d < len(x.sizes)
        size = x.sizes[d] if inside else 1
        a, b = pick.randrange(-size - 2, size + 3), pick.randrange(-size - 2, size + 3)
        step = pick.choice([1, 1, 1, 2, 3])
        view("slice", x, d, pick.choice([a, None]), pick.choice([b, None]), step,
             by=lambda x, d, a, b, s: torch.ops.aten.slice(x, d, a, b, s))
        view("select", x, d, a)
        if not inside or -size <= a < size:  # one fault at a time
            view("narrow", x, d, a, pick.randrange(-1 if inside else 0, size + 1))
        view("unsqueeze", x, pick.randrange(-len(x.sizes) - 2, len(x.sizes) + 2))
        view("squeeze", x, d, by=method("squeeze"))
        view("unbind", x, d)
        view("split", x, pick.randrange(0, size + 2), d)
        view("chunk", x, pick.randrange(0 if inside else 1, 4), d)
        view("tensor_split", x, pick.randrange(0, 4), d)
        view("tensor_split", x, sorted([a, b]), d)
        cut = pick.randrange(0, size + 1)
        view("split_with_sizes", x, pick.choice([[cut, size - cut], [1, cut]]), d)
        view("split", x, [size - cut, cut], d)
        view("unfold", x, d, pick.randrange(-1, size + 2), pick.choice([1, 1, 2, 0]), by=method("unfold"))
        view("unsqueeze_", x, d)
        view("squeeze_", x, d, by=method("squeeze_"))
        view("unflatten", x, d, pick.choice([[size, 1], [1, -1], [2, -1], [size], [size + 1, 1], [-1, -1]]))
    view("slice", T("f32", [3], "c"), 0, None, None, 0, by=lambda x, d, a, b, s: torch.ops.aten.slice(x, d, a, b, s))
    view("slice", T("f32", [3], "c"), 0, None, None, -1, by=lambda x, d, a, b, s: torch.ops.aten.slice(x, d, a, b, s))
    for x in some(12):
        view("squeeze", x, None, by=lambda x, _: x.squeeze())
        view("squeeze_", x, None, by=lambda x, _: x.squeeze_())
    for x in some(30):
        target = list(x.sizes)
        change = pick.randrange(5)
        if change == 0:
            target = [2, *target]
        if change == 1:
            target = [4 if s == 1 else s for s in target]
        if change == 2 and target:
            target[-1] = -1
        if change == 3 and target:
            target = target[1:]
        if change == 4:
            target = [-1, *target]
        view("expand", x, target, by=method("expand"))
        view("broadcast_to", x, target)
    for x in some(30, 2):
        a, b = dim(x), dim(x)
        view("diagonal", x, pick.randrange(-3, 4), a, b)
    for x in some(30):
        n = pick.randrange(0, 3)
        view("as_strided", x, [pick.randrange(0, 3) for _ in range(n)], [pick.randrange(0, 2) for _ in range(n)],
             pick.choice([None, 0, 1]))
    for name in ["hsplit", "vsplit", "dsplit"]:
        for x in some(10):
            view(name, x, pick.choice([0, 1, 2, 3]))
            view(name, x, pick.choice([[1], [0, 2], [1, 1], []]))
    for x in some(40):
        d = dim(x)
        f.call("flip", x, pick.choice([[d], [], [0, -1], [0, 0]]))
        f.call("roll", x, [pick.randrange(-4, 5)], pick.choice([[d], []]))
        f.call("roll", x, [1, 2], pick.choice([[0, -1], [0], [0, 0]]))
        f.call("rot90", x, pick.randrange(-2, 6), pick.choice([[0, 1], [1, 0], [0, 0], [-1, 0], [0]]))
        f.call("repeat", x, [pick.randrange(0, 3) for _ in range(pick.randrange(0, 4))], by=method("repeat"))
        f.call("tile", x, [pick.randrange(0, 3) for _ in range(pick.randrange(0, 4))])
        f.call("repeat_interleave", x, pick.randrange(-1, 3), pick.choice([None, d]))
        k = pick.randrange(-2, 3)
        for name in ["triu", "tril", "triu_", "tril_"]:
            if not (name.endswith("_") and x.layout == "e"):  # writing to an expanded tensor throws
                f.call(name, x, k)
        f.call("diag", x, k)
        f.call("diagflat", x, k)
        f.call("diag_embed", x, k, *pick.choice([(-2, -1), (0, 1), (0, 2), (1, 1), (0, 5)]))
        f.call("fliplr", x)
        f.call("flipud", x)
    for x in some(16):
        if x.layout != "e":
            f.call("fill_diagonal_", x, 7, pick.random() < 0.5, by=lambda x, v, w: x.fill_diagonal_(v, w))
    f.call("fill_diagonal_", T("f32", [7, 3], "c"), 2, True, by=lambda x, v, w: x.fill_diagonal_(v, w))
    join(f, pick)


def join(f, pick):
    lists = []
    for a, b in itertools.product(ALL, ALL):
        lists.append([T(a, [2], "c", 1), T(b, [3], "c", 2)])
    for _ in range(40):
        base = pick.choice([[], [3], [2, 3], [2, 3, 2], [0, 2], [1]])
        n = pick.randrange(1, 4)
        one = []
        for i in range(n):
            s = list(base)
            if s and pick.random() < 0.3:
                s[pick.randrange(len(s))] += 1
            one.append(T(pick.choice(ALL), s, "c", i, 1, pick.choice("ctse")))
        lists.append(one)
    lists.append([])
    lists.append([T("f32", [0], "c"), T("f32", [2, 2], "c")])
    lists.append([T("f32", [0, 3], "c"), T("i32", [2, 2], "c")])
    lists.append([T("f64", [0], "c"), T("f32", [2], "c"), T("i32", [0], "c")])
    lists.append([T("f32", [], "c"), T("f64", [2], "c")])
    for one in lists:
        d = pick.choice([0, 0, -1, 1, 2, -3])
        f.call("cat", one, d)
        if len(one) != 2 or one[0].sizes != (2,):
            f.call("stack", one, d)
            for name in ["hstack", "vstack", "dstack", "column_stack", "block_diag", "broadcast_tensors", "cartesian_prod"]:
                if name == "broadcast_tensors" and not one:
                    continue  # an empty list: PyTorch gives an empty one or throws, by version
                by = (lambda ts, name=name: getattr(torch, name)(*ts)) if name in (
                    "block_diag", "broadcast_tensors", "cartesian_prod") else None
                f.call(name, one, by=by)
            for how in ["ij", "xy"]:
                f.call("meshgrid", one, how, by=lambda ts, how: torch.meshgrid(*ts, indexing=how))
    same = [T("f32", [2], "c"), T("f32", [3], "c", 4), T("f32", [], "c", 9)]
    for k in (1, 2, 3):
        for how in ["ij", "xy", "no"]:
            f.call("meshgrid", same[:k], how, by=lambda ts, how: torch.meshgrid(*ts, indexing=how))
        f.call("cartesian_prod", same[:k], by=lambda ts: torch.cartesian_prod(*ts))
    for d in ALL:
        for r, again in [(0, False), (1, True), (2, False), (2, True), (3, False), (5, False)]:
            f.call("combinations", T(d, [4], "c", 1), r, again)
        for n, rising in [(None, False), (3, True), (0, False), (1, False), (5, False)]:
            f.call("vander", T(d, [3], "u", 1, 4), n, rising)
    f.call("combinations", T("f32", [2, 2]), 2, False)
    f.call("combinations", T("f32", [2]), -1, False)
    f.call("vander", T("f32", [2, 2]), None, False)
    f.call("vander", T("f32", [2]), -1, False)
    for d in ["f32", "i64", "bool"]:
        for dim, i in [(0, 1), (1, -1), (2, 0), (-1, 3), (0, 2)]:
            s = [2, 3]
            if dim in (0, 1, -1):
                s.pop(dim)
            f.call("select_scatter", T(d, [2, 3], "c"), T(d, s, "c", 10), dim, i)
        for dim, a, b, step, n in [(0, 0, 1, 1, 1), (1, 1, None, 1, 2), (1, 0, None, 2, 2), (1, -1, None, 1, 1), (1, 0, 2, 1, 3)]:
            s = [2, 3]
            s[dim] = n
            f.call("slice_scatter", T(d, [2, 3], "c"), T(d, s, "c", 10), dim, a, b, step)


def creation(f):
    def typed(name):
        return lambda *a: getattr(torch, name)(*a[:-1], dtype=a[-1])

    dtypes = [None] + [NAMES[d] for d in ALL]
    for t in dtypes:
        for a in [(None, 5, None), (2, 6, None), (0, 10, 3), (5, 0, -2), (1.0, 3.0, None), (0, 1, 0.25), (0, 0, 1), (3, 1, None), (0, 5, 0),
                  (0, 5, -1), (True, 4, 1), (2.5, 7, 2)]:
            f.call("arange", *a, t, by=lambda a, b, s, t: torch.arange(b, dtype=t) if a is None else
                   torch.arange(a, b, dtype=t) if s is None else torch.arange(a, b, s, dtype=t))
        if t not in (None, torch.bool):  # ends and steps that integers cut first
            for a in [(0.5, 4, 1.5), (1, 3, 0.25), (5, 0.5, -1.5)]:
                f.call("arange", *a, t, by=typed("arange"))
            for a in [(1, 3.5, 5, 2.0), (0, 1, 4, 0.5), (1.9, 3.9, 3, 2.5)]:
                f.call("logspace", *a, t, by=typed("logspace"), bound=lambda _, r: 4 * EPS[NAME_OF[r.dtype]] * 100 if r.is_floating_point() else 0)
            for a in [(1e10, 0, 5), (1e10, 0, 0), (0, 1e300, 2), (-2.5, 5, 4)]:
                f.call("linspace", *a, t, by=typed("linspace"))
        for a in [(0, 1, 5), (1, 10, 4), (-1.5, 2, 8), (3, 3, 3), (0, 1, 1), (0, 1, 0), (0, 1, -1), (10, -10, 6), (0, 7, 3)]:
            if t == torch.uint8 and min(a[:2]) < 0:
                continue  # a bound that the dtype does not hold
            f.call("linspace", *a, t, by=typed("linspace"))
        for a in [(0, 2, 3, 10.0), (0, 3, 4, 2.0), (-1, 1, 3, 2.0), (0, 1, 0, 10.0), (0, 1, 1, 10.0), (1, 2, -1, 2.0)]:
            if t in (torch.uint8, torch.int8) and a[0] < 0:
                continue
            f.call("logspace", *a, t, by=typed("logspace"), bound=lambda _, r: 4 * EPS[NAME_OF[r.dtype]] * 100 if r.is_floating_point() else 0)
        for a in [(3, None), (2, 3), (3, 2), (0, None), (0, 2), (-1, None)]:
            f.call("eye", *a, t, by=lambda n, m, t: torch.eye(n, dtype=t) if m is None else torch.eye(n, m, dtype=t))
        for s in [[], [2], [2, 0], [1, 2], [-1]]:
            f.call("zeros", s, t, by=typed("zeros"))
            f.call("ones", s, t, by=typed("ones"))
        for v in [1, 2.5, True, -1, 300, 1e30, INF, math.nan]:
            # A float beyond an integer's range is out of range of the conversion.
            if t not in (None, torch.float32, torch.float64) and isinstance(v, float) and abs(v) != 2.5:
                continue
            f.call("full", [2], v, t, by=typed("full"))
            f.call("scalar_tensor", v, t, by=typed("scalar_tensor"))
        for a in [(3, 3, 0), (2, 4, 1), (4, 2, -1), (0, 3, 0), (3, 3, 5), (3, 3, -5), (-1, 2, 0)]:
            for name in ["tril_indices", "triu_indices"]:
                f.call(name, *a, t, by=lambda r, c, o, t, name=name: getattr(torch, name)(r, c, o) if t is None
                       else getattr(torch, name)(r, c, o, dtype=t))
        for d in ALL:
            x = T(d, [2, 1], "c")
            f.call("zeros_like", x, t, by=typed("zeros_like"))
            f.call("ones_like", x, t, by=typed("ones_like"))
            f.call("full_like", x, 2.5 if d in FLOATS else 2, t, by=typed("full_like"))
            f.call("new_ones", x, [2], t, by=lambda x, s, t: x.new_ones(s, dtype=t))
            f.call("new_zeros", x, [2], t, by=lambda x, s, t: x.new_zeros(s, dtype=t))
            f.call("new_full", x, [2], 3, t, by=lambda x, s, v, t: x.new_full(s, v, dtype=t))

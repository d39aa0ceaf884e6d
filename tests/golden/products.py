"""Products of vectors, matrices and tensors.

Most operands are small multiples of a quarter, whose products and sums are exact in any order; rough
ones are judged by the sum of the absolute products.
"""

import torch

from notation import ALL, EPS, INTS, NAME_OF, T

NUMBERS = [d for d in ALL if d != "bool"] + ["c64", "c128"]  # PyTorch has no kernels for Bool
MAIN = ["f32", "f64", "c64", "c128", "i64", "i32", "u8"]
NARROW = ["f16", "bf16"]
FULL = ["f32", "f64", "c64", "c128"]


def nothing(values, result):
    """0 is -0."""
    return 1e-30


def near(values, result):
    """A few roundings of the largest number where the sum is rounded more than once: 0 where it is exact."""
    if NAME_OF[result.dtype] not in NARROW or not result.numel():
        return 0
    return 4 * EPS[NAME_OF[result.dtype]] * max(1, float(result.abs().double().max()))


def of_terms(k):
    """`k` terms whose factors are at most 2 (of complex numbers, 2 sqrt 2), and as many roundings."""
    def bound(values, result):
        return k * EPS[NAME_OF[result.dtype]] * k * 8
    return bound


def both_layouts(f, name, d, a, b, *more, **how):
    f.call(name, T(d, a, "m", 1), T(d, b, "m", 2), *more, **how)
    f.call(name, T(d, a, "m", 3, 1, "t"), T(d, b, "m", 4, 1, "s"), *more, **how)


def of_two(f):
    for d in NUMBERS:
        few = d not in MAIN
        pairs = [("vdot", [5], [5]), ("inner", [3], [3]), ("inner", [2, 3], [4, 3]), ("outer", [3], [2]),
                 ("kron", [2, 2], [2, 3]), ("kron", [3], [2, 2])]
        if not few:
            pairs += [("vdot", [0], [0]), ("vdot", [5], [4]), ("vdot", [2, 2], [2, 2]), ("inner", [], [2, 3]), ("inner", [2], []),
                      ("inner", [], []), ("inner", [2, 1, 3], [3, 3]), ("inner", [3], [2, 2, 3]), ("inner", [2, 0], [3, 0]), ("inner", [0, 3], [2, 3]),
                      ("inner", [2, 3], [2, 2]), ("outer", [1], [4]), ("outer", [0], [3]), ("outer", [3], [0]), ("outer", [2, 2], [2]),
                      ("outer", [], [2]), ("ger", [2], [3]), ("kron", [], [2, 3]), ("kron", [2], []), ("kron", [2, 1, 2], [3, 2]),
                      ("kron", [2, 2], [2, 1, 3]), ("kron", [0, 2], [2, 2]), ("kron", [2, 2], [3, 0])]
        for name, a, b in pairs:
            # PyTorch's kron wants to see some layouts as others, and fails.
            by = (lambda a, b: torch.kron(a.contiguous(), b.contiguous())) if name == "kron" else None
            both_layouts(f, name, d, a, b, bound=near, by=by)
    for name, a, b in [("outer", [3], [2]), ("kron", [2, 2], [3]), ("inner", [2, 3], [3]), ("vdot", [3], [3])]:
        for d, e in [("f32", "f64"), ("i32", "f32"), ("bool", "i64"), ("bool", "bool"), ("u8", "i8"), ("c64", "f64"), ("f16", "f32")]:
            f.call(name, T(d, a, "m", 1), T(e, b, "m", 2))
    for d in FULL:
        f.call("vdot", T(d, [30], "r", 1), T(d, [30], "r", 2), bound=of_terms(30), wide=True)
        f.call("inner", T(d, [2, 30], "r", 1, 1, "t"), T(d, [3, 30], "r", 2), bound=of_terms(30), wide=True)
        f.call("vdot", T(d, [9], "m", 1, 1, "s"), T(d, [9], "m", 2, 1, "e"))


ADDED = {"addmm": ([2, 4], [2, 3], [3, 4]), "addmv": ([2], [2, 3], [3]), "addr": ([2, 3], [2], [3]),
         "baddbmm": ([3, 2, 4], [3, 2, 3], [3, 3, 4]), "addbmm": ([2, 4], [3, 2, 3], [3, 3, 4])}
NO_TERMS = {"addmm": ([2, 4], [2, 0], [0, 4]), "addmv": ([2], [2, 0], [0]), "baddbmm": ([3, 2, 4], [3, 2, 0], [3, 0, 4]),
            "addbmm": ([2, 4], [3, 2, 0], [3, 0, 4])}
NO_ELEMENTS = {"addmm": ([0, 4], [0, 3], [3, 4]), "addmv": ([0], [0, 3], [3]), "addr": ([0, 3], [0], [3]),
               "baddbmm": ([0, 2, 4], [0, 2, 3], [0, 3, 4]), "addbmm": ([2, 4], [0, 2, 3], [0, 3, 4])}


def added(f):
    for name, (s, a, b) in ADDED.items():
        for at in [name, name + "_"]:
            by = (lambda g: lambda x, a, b, beta, alpha: g(x, a, b, beta=beta, alpha=alpha))(getattr(torch.Tensor, at))
            for d in NUMBERS:
                x, y, z = T(d, s, "m", 5), T(d, a, "m", 1), T(d, b, "m", 2)
                f.call(at, x, y, z, 1, 1, by=by, bound=near)
                if d in MAIN:
                    f.call(at, x, T(d, a, "m", 3, 1, "t"), T(d, b, "m", 4, 1, "t"), 2, -1, by=by, bound=nothing)
                    f.call(at, T(d, s, "m", 2, 1, "t"), T(d, a, "m", 3, 1, "s"), T(d, b, "m", 4, 1, "e"), 0, 3, by=by, bound=nothing)
                    f.call(at, T(d, s, "m", 2, 1, "s"), y, z, -1, 0, by=by, bound=nothing)
                    if d not in INTS or name == "addr":  # PyTorch's others cut the factor to an integer
                        f.call(at, x, y, z, 0.5, 1, by=by)
                        f.call(at, x, y, z, 1, 1.5, by=by)
                    f.call(at, x, y, z, 1, 1 + 2j, by=by)
                if d not in INTS and d not in NARROW:
                    f.call(at, T(d, s, "s", 3), y, z, 0, 2, by=by)  # what is not read may hold NaN
                    f.call(at, x, y, z, -0.25, 1.5, by=by)
            for d, e, g in [("f32", "f64", "f32"), ("f64", "f32", "f32"), ("f32", "f32", "i64"), ("c64", "f32", "f32"), ("f32", "c64", "c64"),
                            ("i64", "i32", "i32")]:
                f.call(at, T(d, s, "m", 5), T(e, a, "m", 1), T(g, b, "m", 2), 1, 1, by=by)
            for d in ["f32", "c128", "i32"]:
                for table in [NO_TERMS, NO_ELEMENTS]:
                    if name in table:
                        s0, a0, b0 = table[name]
                        f.call(at, T(d, s0, "m", 5), T(d, a0), T(d, b0), 2, 1, by=by)
                        f.call(at, T(d, s0, "s" if d != "i32" else "m", 5), T(d, a0), T(d, b0), 0, 1, by=by)
            if at == name:
                for d in ["f32", "c64", "i64"]:
                    y, z = T(d, a, "m", 1), T(d, b, "m", 2)
                    for lesser in [[], [1], s[-1:], [1] * len(s), s[1:], s[:-1] + [1], [2] + s, [7], [1] + s]:
                        f.call(at, T(d, lesser, "m", 5), y, z, 1, 2, by=by)
            else:
                # PyTorch's addbmm_ gives what it writes to another shape.
                for lesser in [[1], [1] * len(s), [5]] if name != "addbmm" else []:
                    f.call(at, T("f32", lesser, "m", 5), T("f32", a), T("f32", b), 1, 1, by=by)
            # Shapes that do not fit.
            x, y, z = T("f32", s), T("f32", a), T("f32", b)
            f.call(at, x, z, y, 1, 1, by=by)
            f.call(at, x, T("f32", a + [1]), z, 1, 1, by=by)
            f.call(at, x, y, T("f32", b[:-1] + [b[-1] + 1]), 1, 1, by=by)
            f.call(at, x, y, T("f32", [b[0] + 1] + b[1:]), 1, 1, by=by)
            if name not in ("baddbmm", "addbmm"):  # a failure of what they look at first
                f.call(at, x, T("f32", []), z, 1, 1, by=by)
    for d in FULL:
        f.call("addmm", T(d, [3, 4], "r", 1), T(d, [3, 20], "r", 2), T(d, [20, 4], "r", 3, 1, "t"), 1.25, -0.75, bound=of_terms(20), wide=True,
               by=lambda x, a, b, beta, alpha: torch.addmm(x, a, b, beta=beta, alpha=alpha))
        f.call("baddbmm", T(d, [4], "r", 1), T(d, [2, 3, 20], "r", 2, 1, "s"), T(d, [2, 20, 4], "r", 3), 0.3, 0.7, bound=of_terms(20), wide=True,
               by=lambda x, a, b, beta, alpha: torch.baddbmm(x, a, b, beta=beta, alpha=alpha))


def chain(name):
    g = torch.chain_matmul if name == "chain_matmul" else torch.linalg.multi_dot
    return lambda ms: g(*ms) if name == "chain_matmul" else g(ms)


def of_several(f):
    for name in ["chain_matmul", "linalg_multi_dot"]:
        by = chain(name)
        for d in ["f32", "f64", "c64", "c128", "i64", "i32"]:
            for sizes in [[[2, 3]], [[2, 3], [3, 4]], [[2, 3], [3, 4], [4, 2]], [[5, 1], [1, 4], [4, 3], [3, 2]], [[2, 0], [0, 3], [3, 1]],
                          [[0, 2], [2, 3]], [[3], [3, 2], [2]], [[3], [3]], [[3], [3, 4], [4, 2]], [[2, 3], [3, 3], [3]], [[2, 3], [2, 3]],
                          [[2, 3], [3], [3, 2]], [[2, 2, 2], [2, 2]], [[2, 3], [3, 2], [3, 2]], [[3], [2]], [[], [2]]]:
                f.call(name, [T(d, s, "m", 1 + i, 1, "cts"[i % 3]) for i, s in enumerate(sizes)], by=by)
        f.call(name, [], by=by)
        f.call(name, [T("f32", [2, 2]), T("f64", [2, 2])], by=by)
    for d in NUMBERS:
        for name in ["cross", "linalg_cross"]:
            if d in MAIN:
                shapes = [([3], [3], -1), ([2, 3], [2, 3], -1), ([3, 2], [3, 2], 0), ([2, 3], [3], 1), ([2, 1, 3], [4, 3], -1), ([3, 4], [3, 1], 0),
                          ([0, 3], [0, 3], 1), ([3, 0], [3, 0], 0), ([2, 2], [2, 2], 1), ([3], [4], 0), ([3], [3], 1), ([2, 3], [3, 2], 0), ([], [], 0)]
            else:
                shapes = [([2, 3], [2, 3], -1)]
            for a, b, dim in shapes:
                both_layouts(f, name, d, a, b, dim, by=lambda a, b, dim, name=name: (torch.cross if name == "cross" else torch.linalg.cross)(a, b, dim=dim),
                             bound=near)
        by = lambda a, b, dim: torch.cross(a, b)  # noqa: E731
        f.call("cross", T(d, [3, 3], "m", 1), T(d, [3, 3], "m", 2), None, by=by, bound=near)
        f.call("cross", T(d, [2, 3, 3], "m", 1, 1, "t"), T(d, [2, 3, 3], "m", 2), None, by=by, bound=near)
        f.call("cross", T(d, [2, 2], "m", 1), T(d, [2, 2], "m", 2), None, by=by, bound=near)
    f.call("linalg_cross", T("f32", [3]), T("f64", [3]), -1, by=lambda a, b, dim: torch.linalg.cross(a, b, dim=dim))
    f.call("linalg_cross", T("i32", [3], "m", 1), T("f32", [3], "m", 2), -1, by=lambda a, b, dim: torch.linalg.cross(a, b, dim=dim))
    vecdot = lambda a, b, dim: torch.linalg.vecdot(a, b, dim=dim)  # noqa: E731
    for d in [*FULL, "i64", "f16"]:
        for a, b, dim in [([4], [4], -1), ([2, 4], [2, 4], -1), ([2, 4], [2, 4], 0), ([2, 1, 4], [3, 4], -1), ([4, 1], [4, 3], 0), ([0, 4], [0, 4], -1),
                          ([2, 0], [2, 0], -1), ([4], [5], 0), ([], [], -1), ([4], [], 0), ([1, 4], [2, 1], -1)]:
            both_layouts(f, "linalg_vecdot", d, a, b, dim, by=vecdot, bound=near)
    f.call("linalg_vecdot", T("f32", [3]), T("f64", [3]), -1, by=vecdot)
    for d in FULL:
        f.call("linalg_vecdot", T(d, [3, 40], "r", 1), T(d, [3, 40], "r", 2), -1, by=vecdot, bound=of_terms(40), wide=True)
        f.call("linalg_multi_dot", [T(d, [3, 9], "r", 1), T(d, [9, 8], "r", 2, 1, "t"), T(d, [8, 2], "r", 3)], by=chain("linalg_multi_dot"),
               bound=of_terms(72), wide=False)
    for d in ["f32", "c64", "i64"]:
        for a, b in [([3], [3]), ([2, 3], [3]), ([2, 2, 3], [3, 2]), ([2, 3], [2, 3]), ([], [2]), ([2, 0], [0, 3])]:
            f.call("linalg_matmul", T(d, a, "m", 1), T(d, b, "m", 2))


TENSORDOTS = [([2, 3], [3, 2], [1], [0]), ([2, 3], [3, 2], [0], [1]), ([2, 3], [3, 2], [0, 1], [1, 0]), ([2, 3, 4], [4, 3, 2], [2, 1], [0, 1]),
              ([2, 3, 4], [3, 5], [1], [0]), ([2, 3], [4, 5], [], []), ([3], [3], [0], [0]), ([2, 3, 4], [2, 3, 4], [0, 1, 2], [0, 1, 2]),
              ([2, 3, 4], [4, 2], [-1, -3], [0, 1]), ([2, 0], [0, 3], [1], [0]), ([0, 2], [2, 3], [1], [0]), ([2, 3], [1, 2], [1], [0]),
              ([2, 1], [3, 2], [1], [0]), ([2, 3], [3, 2], [0], [0]), ([2, 3], [3, 2], [1, 1], [0, 1]), ([2, 3], [3, 2], [2], [0]), ([2, 3], [3, 2], [0, 1], [0])]


def tensordots(f):
    for d in MAIN:
        for a, b, da, db in TENSORDOTS:
            both_layouts(f, "tensordot_in", d, a, b, da, db, by=lambda a, b, da, db: torch.tensordot(a, b, dims=(da, db)))
        for a, b, dims in [([2, 3], [3, 2], 1), ([2, 3, 4], [3, 4, 2], 2), ([2], [3], 0), ([2, 3], [2, 3], 2), ([], [], 0), ([2, 3], [3, 2], 2),
                           ([2, 3], [3, 2], 3), ([2, 3], [3, 2], -1), ([2, 0], [0], 1)]:
            f.call("tensordot", T(d, a, "m", 1), T(d, b, "m", 2), dims, by=lambda a, b, n: torch.tensordot(a, b, dims=n))
    f.call("tensordot", T("f32", [2, 2]), T("f64", [2, 2]), 1, by=lambda a, b, n: torch.tensordot(a, b, dims=n))


EINSUMS = [("i->i", [3]), ("i->", [3]), ("i", [3]), ("ii", [3, 3]), ("ii->i", [3, 3]), ("ij->ji", [2, 3]), ("ba", [2, 3]), ("ij->", [2, 3]), ("ij->j", [2, 3]),
           ("ij->i", [2, 3]), ("iij->ij", [2, 2, 3]), ("iij->j", [2, 2, 3]), ("iii->i", [2, 2, 2]), ("iji->j", [2, 3, 2]), ("...", [2, 3]), ("...ij->...ji", [2, 3, 4]),
           ("...i", [2, 3]), ("...->...", []), ("->", []), ("...ii->...i", [2, 3, 3]), ("i...->...", [2, 3]), ("i...i->...", [2, 3, 2]), ("i...j->j...", [2, 2, 3]),
           ("Ab", [2, 3]), ("bA", [2, 3]), ("ij_->_ji", [2, 3]), ("i,i", [3], [3]), ("i,i->", [3], [3]), ("i,i->i", [3], [3]), ("i,j->ij", [2], [3]),
           ("i,j", [2], [3]), ("ij,jk", [2, 3], [3, 4]), ("ij,jk->ik", [2, 3], [3, 4]), ("ij,jk->ki", [2, 3], [3, 4]), ("ij,kj->ik", [2, 3], [4, 3]), ("ji,jk->ik", [3, 2], [3, 4]),
           ("ij,ij->", [2, 3], [2, 3]), ("ij,ij->ij", [2, 3], [2, 3]), ("ij,j->i", [2, 3], [3]), ("ij,i->ij", [2, 3], [2]), ("bij,bjk->bik", [2, 3, 2], [2, 2, 3]),
           ("bij,bjk->ikb", [2, 3, 2], [2, 2, 3]), ("bij,jk->bik", [2, 3, 2], [2, 3]), ("...ij,...jk->...ik", [2, 1, 2, 3], [3, 3, 2]), ("...ij,jk->...ik", [2, 2, 3], [3, 2]),
           ("...ij,...jk", [3, 2, 3], [3, 2]), ("...,...", [2, 3], [3]), ("i...,i...->...", [2, 3], [2, 3]), ("...i,...i->...", [2, 3], [2, 3]), ("ij,jk,kl", [2, 3], [3, 2], [2, 2]),
           ("ij,jk,kl->il", [2, 3], [3, 4], [4, 2]), ("i,j,k->ijk", [2], [3], [2]), ("i,i,i", [3], [3], [3]), ("ij,kl,jl->ik", [2, 3], [2, 3], [3, 3]),
           ("bhqd,bhkd->bhqk", [2, 2, 3, 2], [2, 2, 4, 2]), ("bqhd,bkhd->bhqk", [2, 3, 2, 2], [2, 4, 2, 2]), ("ijk,ilm,njm,nlk,abc->", [2, 2, 2], [2, 2, 2], [2, 2, 2], [2, 2, 2], [2, 2, 2]),
           ("ik,jkl,il->ij", [2, 3], [4, 3, 2], [2, 2]), ("ii,ij->j", [2, 2], [2, 3]), ("aab,bcc->ac", [2, 2, 3], [3, 2, 2]), ("ij,j", [2, 3], [1]), ("ij,ij->i", [2, 1], [2, 3]),
           ("i,i", [1], [3]), ("a,b->", [2], [3]), ("ab,cd->bd", [2, 3], [2, 2]), ("i,->i", [3], []), (",", [], []), (",i->i", [], [3]), ("ij,jk->ik", [2, 0], [0, 3]),
           ("ij,jk->ik", [0, 2], [2, 3]), ("ij->", [0, 3]), ("ij->i", [3, 0])]
BAD_EINSUMS = [("ij", [3]), ("i", [2, 3]), ("ij,jk", [2, 3]), ("ij", [2, 3], [3, 2]), ("ii", [2, 3]), ("ij,jk->ik", [2, 3], [2, 3]), ("i->j", [3]), ("i->ii", [3]), ("i1", [2, 2]),
               ("i..j", [2, 2]), ("i...j...", [2, 2]), ("...i->i", [2, 3]), ("i->i->i", [2]), ("i>i", [2]), ("i-", [2]), ("ij...->...", [2]), ("i,i", [2], [3]), ("->i", []), ("...,...", [2], [3])]


def einsums(f):
    by = lambda equation, operands: torch.einsum(equation.replace("_", " "), operands)  # noqa: E731
    for d in ["f32", "f64", "c64", "i64", "c128", "i32"]:
        for equation, *sizes in EINSUMS + BAD_EINSUMS:
            for layouts in ["ccccc", "tstst"] if d in ("f32", "c64", "i64") else ["scttc"]:
                f.call("einsum", equation, [T(d, s, "m", 1 + i, 1, layouts[i]) for i, s in enumerate(sizes)], by=by)
    f.call("einsum", "ij,jk", [T("f32", [2, 2]), T("f64", [2, 2])], by=by)
    f.call("einsum", "i", [], by=by)
    for d in FULL:
        f.call("einsum", "bij,bjk,kl->bil", [T(d, [2, 3, 7], "r", 1), T(d, [2, 7, 6], "r", 2, 1, "t"), T(d, [6, 4], "r", 3, 1, "s")], by=by, bound=of_terms(42))
        f.call("einsum", "bhqd,bhkd->bhqk", [T(d, [2, 2, 3, 8], "r", 1, 1, "t"), T(d, [2, 2, 4, 8], "r", 2)], by=by, bound=of_terms(8))


def of_one(f):
    for d in NUMBERS + ["bool"]:
        for sizes, lay in [([3, 3], "c"), ([2, 3], "t"), ([3, 2], "s"), ([0, 0], "c"), ([0, 3], "c"), ([3], "c"), ([2, 2, 2], "c"), ([], "c"), ([1, 1], "c"), ([2, 3], "e")]:
            f.call("trace", T(d, sizes, "m", 1, 1, lay), bound=near)
        for sizes in [[2, 3, 4], [3, 3], [2, 0]]:
            for offset, d1, d2 in [(0, -2, -1), (1, -2, -1), (-1, 0, 1), (5, -2, -1), (0, 0, 0), (0, -1, 0), (0, 3, 0)]:
                if d in ("f32", "bool"):
                    f.call("linalg_diagonal", T(d, sizes, "c"), offset, d1, d2, views=True, by=lambda x, o, a, b: torch.linalg.diagonal(x, offset=o, dim1=a, dim2=b))
        for sizes, n in [([3], None), ([3], 2), ([2, 3], None), ([3], 5), ([3], 1), ([0], None), ([0], 2), ([2, 3], 4), ([3], -1), ([], None), ([3], 0)]:
            f.call("linalg_vander", T(d, sizes, "m", 1, 1, "t"), n, by=lambda x, n: torch.linalg.vander(x, N=n), bound=near)
    f.call("linalg_diagonal", T("f32", [3]), 0, -2, -1, by=lambda x, o, a, b: torch.linalg.diagonal(x, offset=o, dim1=a, dim2=b))
    for name in ["matrix_power", "linalg_matrix_power"]:
        for d in NUMBERS + ["bool"]:
            for n in [0, 1, 2, 3, 5]:
                f.call(name, T(d, [2, 2], "u", 1, 3), n)
            f.call(name, T(d, [2, 2, 2], "w", 1, 2, "t"), 3)
            if d != "bool":
                f.call(name, T(d, [2, 0, 0]), 2)
                f.call(name, T(d, [0, 2, 2]), 3)
            f.call(name, T(d, [2, 3]), 2)
            f.call(name, T(d, [3]), 2)
            f.call(name, T(d, [2, 3]), 1)
            f.call(name, T(d, [2, 3]), 0)
            f.call(name, T(d, [0, 0]), 0)


def products(f):
    of_two(f)
    added(f)
    of_several(f)
    tensordots(f)
    einsums(f)
    of_one(f)

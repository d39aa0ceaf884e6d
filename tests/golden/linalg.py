"""Linear algebra: systems, inverses, decompositions, norms.

What is compared is unique, or LAPACK's own choice that all its builds share (pivots, signs of R);
eigenvectors and singular vectors are judged by residuals in tests/linalg. Every bound is a few
n eps of the matrices' size, times their condition where the problem has one. Results of Float and
ComplexFloat are those of Double, rounded.
"""

import itertools
import math

import torch

from notation import EPS, INF, NAME_OF, NAMES, T

FULL = ["f32", "f64", "c64", "c128"]
L = torch.linalg


def eps_of(t):
    return EPS[NAME_OF[t.dtype]]


def top(t):
    """The largest finite absolute value."""
    x = t.abs().double()
    x = x[x.isfinite()]
    return float(x.max()) if x.numel() else 0.0


def wide(t):
    return t.to(torch.complex128 if t.is_complex() else torch.float64)


def extent(a):
    return max(1, *a.shape[-2:]) if a.dim() > 1 else max(1, a.numel())


def condition(a):
    """The largest of a batch, of what counts (singular values above n eps)."""
    if not a.numel() or a.dim() < 2 or not bool(a.isfinite().all()):
        return 1.0
    s = L.svdvals(wide(a))
    return float((s[..., 0] / torch.where(s > 1e-10 * s[..., :1], s, s[..., :1]).amin(-1)).max())


def of_size(k, power=0):
    """k n eps condition^power, of the largest result."""
    def bound(values, result):
        a = values[0]
        return k * extent(a) * eps_of(result) * condition(a) ** power * max(top(result), 1e-3)
    return bound


def of_norm(k):
    """k n eps of the largest singular value."""
    def bound(values, result):
        a = values[0]
        size = float(L.matrix_norm(wide(a), 2).max()) if a.numel() else 1.0
        return k * extent(a) * eps_of(result) * size
    return bound


def nothing(values, result):
    """0 is -0."""
    return 1e-30


def of_volume(values, result):
    """4 n eps of the largest product of the lengths of rows: Hadamard's bound of a determinant."""
    a = values[0]
    if not a.numel():
        return 0
    return 4 * extent(a) * eps_of(result) * float(wide(a).norm(dim=-1).prod(-1).max())


def of_logarithm(values, result):
    return 4 * extent(values[0]) * eps_of(result) * (condition(values[0]) + top(result))


SQUARES = [([3, 3], "c"), ([4, 4], "t"), ([1, 1], "c"), ([2, 2], "s"), ([6, 6], "c"), ([0, 0], "c"), ([2, 3, 3], "t"), ([2, 1, 2, 2], "s"), ([3, 2, 2], "e"),
           ([0, 3, 3], "c"), ([2, 0, 0], "c"), ([7, 7], "t")]
TALL = [([4, 2], "c"), ([2, 4], "t"), ([3, 3], "s"), ([1, 3], "c"), ([3, 1], "c"), ([5, 3], "t"), ([2, 3, 2], "c"), ([2, 2, 3], "t"), ([2, 1, 3, 2], "s"), ([3, 2, 2], "e"),
        ([0, 2], "c"), ([2, 0], "c"), ([0, 0], "c"), ([0, 3, 2], "c"), ([2, 0, 3], "c"), ([1, 1], "c")]
LESSER = ["f16", "bf16", "i32", "i64", "u8", "bool"]


def dominant(d, sizes, seed=1, lay="c", p=5):
    return T(d, sizes, "d", seed, p, lay)


def refusals(f, name, *more, by=None, square=True, dtypes=True):
    """Wrong sizes and dtypes."""
    for sizes in [[3], []] + ([[2, 3], [3, 2], [2, 3, 2], [0, 2]] if square else []):
        f.call(name, dominant("f32", sizes) if len(sizes) > 1 else T("f32", sizes), *more, by=by)
    for d in LESSER if dtypes else []:
        f.call(name, T(d, [2, 2], "p"), *more, by=by)


def systems(f):
    solve = lambda a, b, left: L.solve(a, b, left=left)  # noqa: E731
    solve_ex = lambda a, b, left, check: L.solve_ex(a, b, left=left, check_errors=check)  # noqa: E731
    bound = of_size(4, 1)
    pairs = [([3, 3], [3]), ([3, 3], [3, 2]), ([4, 4], [4, 1]), ([1, 1], [1]), ([2, 3, 3], [2, 3]), ([2, 3, 3], [2, 3, 2]), ([2, 3, 3], [3, 2]), ([2, 3, 3], [3]),
             ([3, 3], [2, 3, 2]), ([2, 1, 3, 3], [2, 3, 2]), ([2, 2, 3, 3], [2, 2, 3]), ([0, 0], [0]), ([0, 0], [0, 2]), ([3, 3], [3, 0]), ([0, 2, 2], [0, 2]),
             ([0, 2, 2], [0, 2, 3]), ([2, 0, 0], [2, 0, 3]), ([2, 3, 3], [1, 3, 2]), ([7, 7], [7, 4]), ([2, 2, 2], [2, 2]), ([1, 2, 2], [3, 2, 2])]
    for d in FULL:
        for (a, b), (la, lb) in zip(pairs, itertools.cycle(["cc", "tt", "sc", "ct", "ts"])):
            A, B = dominant(d, a, 1, la), T(d, b, "r", 2, 1, lb)
            f.call("linalg_solve", A, B, True, by=solve, bound=bound, wide=True)
            right = b if len(b) < 2 or len(b) == len(a) - 1 else b[:-2] + [b[-1], b[-2]]
            f.call("linalg_solve", A, T(d, right, "r", 3, 1, la), False, by=solve, bound=bound, wide=True)
            if la == "t":
                f.call("linalg_solve_ex", A, B, True, False, by=solve_ex, bound=bound, wide=True)
        f.call("linalg_solve", dominant(d, [3, 3], 1, "e"), T(d, [3, 2], "r", 2, 1, "e"), True, by=solve)  # equal rows
        f.call("linalg_solve", T(d, [4, 4], "r", 7), T(d, [4, 2], "r", 2), True, by=solve, bound=bound, wide=True)
        f.call("linalg_solve_ex", T(d, [3, 3], "u", 0), T(d, [3], "r"), True, True, by=solve_ex)  # zeros
        for kind, p in [("u", 1), ("q", 2)]:
            f.call("linalg_solve", T(d, [2, 2], kind, 0, p), T(d, [2], "r"), True, by=solve)
            f.call("linalg_solve", T(d, [3, 2, 2], kind, 0, p), T(d, [3, 2, 1], "r"), True, by=solve)
    for a, b in [([2, 3], [2]), ([3, 2], [3]), ([3], [3]), ([3, 3], [2]), ([3, 3], [2, 3]), ([2, 3, 3], [4, 3]), ([2, 3, 3], [3, 3, 1]), ([3, 3], []), ([2, 3, 3], [2, 4]), ([], [])]:
        for left in [True, False]:
            f.call("linalg_solve", dominant("f32", a) if len(a) > 1 else T("f32", a), T("f32", b), left, by=solve, bound=bound, wide=True)
    for d, e in [("f32", "f64"), ("c64", "f32"), ("f64", "i64")] + [(d, d) for d in LESSER]:
        f.call("linalg_solve", T(d, [2, 2], "p"), T(e, [2], "p"), True, by=solve)
        f.call("linalg_solve_ex", T(d, [2, 2], "p"), T(e, [2], "p"), True, False, by=solve_ex)

    triangle = lambda a, b, upper, left, unit: L.solve_triangular(a, b, upper=upper, left=left, unitriangular=unit)  # noqa: E731
    pairs = [([3, 3], [3, 2]), ([4, 4], [4, 1]), ([1, 1], [1, 1]), ([2, 3, 3], [2, 3, 2]), ([3, 3], [2, 3, 2]), ([2, 3, 3], [3, 2]), ([2, 1, 2, 2], [3, 2, 1]), ([0, 0], [0, 2]),
             ([3, 3], [3, 0]), ([0, 2, 2], [0, 2, 2])]
    for d in FULL:
        for k, (a, b) in enumerate(pairs):
            for upper, left, unit in itertools.product([True, False], repeat=3):
                la, lb = [("c", "t"), ("t", "c"), ("s", "s"), ("c", "c")][(k + 2 * upper + left + unit) % 4]
                right = b if left else b[:-2] + [b[-1], b[-2]]
                # Of ones on the diagonal, the condition is that of the triangle: powers of 3 at most.
                f.call("linalg_solve_triangular", dominant(d, a, 1, la, 4), T(d, right, "r", 2, 1, lb), upper, left, unit, by=triangle, wide=True,
                       bound=of_size(16 if unit else 4, 1))
    for a, b in [([2, 3], [2, 1]), ([3, 3], [3]), ([3], [3, 1]), ([3, 3], [2, 3]), ([2, 3, 3], [3, 3, 1])]:
        f.call("linalg_solve_triangular", dominant("f32", a) if len(a) > 1 else T("f32", a), T("f32", b), True, True, False, by=triangle)
    for d, e in [("i64", "i64"), ("f16", "f16"), ("c64", "f32")]:
        f.call("linalg_solve_triangular", T(d, [2, 2], "p"), T(e, [2, 1], "p"), True, True, False, by=triangle)
    # The older form, and those from factors.
    for d in FULL:
        for upper, transpose, unit in itertools.product([True, False], repeat=3):
            for a, b, lay in [([3, 3], [3, 2], "c"), ([2, 2, 2], [2, 2, 3], "t"), ([0, 0], [0, 1], "c")]:
                f.call("triangular_solve", T(d, b, "r", 2), dominant(d, a, 1, lay, 4), upper, transpose, unit, bound=of_second(16), wide=True,
                       by=lambda b, a, u, t, n: tuple(torch.triangular_solve(b, a, upper=u, transpose=t, unitriangular=n)))
    for d in FULL:
        for (a, b), (la, lb) in zip(pairs, itertools.cycle(["cc", "tt", "sc", "ct", "ts"])):
            for left, adjoint in itertools.product([True, False], repeat=2):
                right = b if left else b[:-2] + [b[-1], b[-2]]
                f.call("lu_solve_of", dominant(d, a, 1, la), T(d, right, "r", 2, 1, lb), left, adjoint, bound=bound, wide=True,
                       by=lambda a, b, left, adjoint: L.lu_solve(*L.lu_factor(a), b, left=left, adjoint=adjoint))
            for upper in [True, False]:
                f.call("cholesky_solve_of", T(d, a, "h", 1, 4 * a[-1], la), T(d, b, "r", 2, 1, lb), upper, bound=bound, wide=True,
                       by=lambda a, b, upper: torch.cholesky_solve(b, L.cholesky(a, upper=upper), upper=upper))
            if a[:-2] == b[:-2]:  # PyTorch crashes where these broadcast
                hermitian = d in ("c64", "c128")
                for flag in [False, True] if hermitian else [False]:
                    f.call("ldl_solve_of", T(d, a, "h" if flag or not hermitian else "d", 3, 1, la), T(d, b, "r", 2, 1, lb), flag, bound=ldl_bound(hermitian and not flag), wide=True,
                           by=lambda a, b, h: L.ldl_solve(*L.ldl_factor(a, hermitian=h)[:2], b, hermitian=h))
        for sizes, lay in SQUARES:
            for upper in [True, False]:
                f.call("cholesky_inverse_of", T(d, sizes, "h", 1, 4 * sizes[-1], lay if lay != "e" else "c"), upper, bound=of_size(8, 1), wide=True,
                       by=lambda a, upper: torch.cholesky_inverse(L.cholesky(a, upper=upper), upper=upper))


def of_second(k):
    def bound(values, result):
        return k * extent(values[1]) * eps_of(result) * condition(values[1]) * max(top(result), 1e-3)
    return bound


def ldl_bound(symmetric):
    """Only the lower triangle counts."""
    def bound(values, result):
        a = wide(values[0]).tril()
        a = a + (a.tril(-1).mT if symmetric else a.tril(-1).mH)
        return 8 * extent(a) * eps_of(result) * condition(a) * max(top(result), 1e-3)
    return bound


def inverses(f):
    for d in FULL:
        for sizes, lay in SQUARES:
            a = dominant(d, sizes, 1, lay if lay != "e" else "c")
            f.call("linalg_inv", a, bound=of_size(4, 1), wide=True)
            f.call("linalg_inv_ex", a, False, bound=of_size(4, 1), wide=True, by=lambda a, c: L.inv_ex(a, check_errors=c))
            f.call("linalg_det", a, bound=of_volume, wide=True)
            f.call("linalg_slogdet", a, bound=of_logarithm, wide=True)
            f.call("linalg_det", T(d, sizes, "r", 4, 1, lay), bound=of_volume, wide=True)
            f.call("linalg_slogdet", T(d, sizes, "r", 4, 1, lay if lay != "e" else "c"), bound=of_logarithm, wide=True)
            f.call("linalg_pinv", a, None, None, False, by=pinv, bound=of_size(16, 1), wide=True)
        f.call("inverse", dominant(d, [3, 3]), bound=of_size(4, 1), wide=True)
        f.call("det", dominant(d, [3, 3]), bound=of_volume, wide=True)
        f.call("slogdet", dominant(d, [2, 3, 3]), bound=of_logarithm, wide=True)
        for seed in range(4):
            f.call("logdet", T(d, [3, 3], "r", seed), bound=of_logarithm, wide=True)
            f.call("logdet", T(d, [2, 2, 2], "r", seed, 1, "t"), bound=of_logarithm, wide=True)
        for sizes in [[2, 2], [3, 3], [2, 2, 2]]:  # singular
            for name in ["linalg_det", "linalg_slogdet", "linalg_inv", "logdet", "linalg_lu_factor"]:
                if name == "logdet" and d[0] == "c":
                    continue  # log 0: PyTorch has NaN for a direction
                f.call(name, T(d, sizes, "u", 0, 1), bound=nothing)
                if sizes != [3, 3]:
                    f.call(name, T(d, sizes, "q", 0, 2), bound=nothing)
            f.call("linalg_inv_ex", T(d, sizes, "u", 0, 1), True, by=lambda a, c: L.inv_ex(a, check_errors=c))
        f.call("logdet", T(d, [0, 0]))
        # Determinants that overflow have logarithms.
        f.call("linalg_slogdet", dominant(d, [12, 12], 3, "c", 900), bound=of_logarithm, wide=False)
        f.call("linalg_tensorinv", dominant(d, [6, 2, 3]), 1, by=lambda a, n: L.tensorinv(a, ind=n), bound=tensor_bound(1), wide=True)
        f.call("linalg_tensorinv", dominant(d, [2, 3, 6], 1, "t"), 2, by=lambda a, n: L.tensorinv(a, ind=n), bound=tensor_bound(2), wide=True)
        f.call("linalg_tensorinv", dominant(d, [2, 2, 4, 1], 2, "s"), 2, by=lambda a, n: L.tensorinv(a, ind=n), bound=tensor_bound(2), wide=True)
        f.call("linalg_tensorinv", dominant(d, [0, 0], 2), 1, by=lambda a, n: L.tensorinv(a, ind=n))
        tensorsolve = lambda a, b, dims: L.tensorsolve(a, b, dims=dims)  # noqa: E731
        f.call("linalg_tensorsolve", dominant(d, [2, 3, 6]), T(d, [2, 3], "r", 2), None, by=tensorsolve, bound=tensor_bound(2), wide=True)
        f.call("linalg_tensorsolve", dominant(d, [6, 3, 2], 2, "t"), T(d, [6], "r", 2), None, by=tensorsolve, bound=tensor_bound(1), wide=True)
        f.call("linalg_tensorsolve", T(d, [3, 6, 2], "r", 5), T(d, [3, 2], "r", 2), [1], by=tensorsolve, bound=moved_bound(1), wide=True)
        f.call("linalg_tensorsolve", T(d, [2, 4, 2], "r", 5), T(d, [4], "r", 2), [0, 2], by=tensorsolve, bound=moved_bound(0, 2), wide=True)
    tensorinv = lambda a, n: L.tensorinv(a, ind=n)  # noqa: E731
    for sizes, ind in [([2, 3], 1), ([2, 3, 5], 1), ([2, 2], 0), ([2, 2], -1), ([4, 4], 2), ([2, 2], 3)]:
        f.call("linalg_tensorinv", dominant("f32", sizes), ind, by=tensorinv)
    f.call("linalg_tensorinv", T("f32", [2, 2], "u", 0, 1), 1, by=tensorinv)
    for a, b, dims in [([2, 3], [2], None), ([2, 3, 5], [2, 3], None), ([2, 2], [3], None), ([2, 2], [2], [5]), ([2, 2], [2], [0, 1])]:
        f.call("linalg_tensorsolve", dominant("f32", a), T("f32", b), dims, by=lambda a, b, dims: L.tensorsolve(a, b, dims=dims), bound=tensor_bound(1), wide=True)
    f.call("linalg_tensorsolve", T("f32", [2, 2], "u", 0, 1), T("f32", [2]), None, by=lambda a, b, dims: L.tensorsolve(a, b, dims=dims))
    for name in ["linalg_inv", "linalg_det", "linalg_slogdet", "det", "inverse", "logdet", "slogdet"]:
        refusals(f, name)
    refusals(f, "linalg_inv_ex", False, by=lambda a, c: L.inv_ex(a, check_errors=c))
    for d in FULL:
        for sizes, lay in TALL:
            f.call("linalg_pinv", T(d, sizes, "r", 1, 1, lay if lay != "e" else "c"), None, None, False, by=pinv, bound=of_size(16, 1), wide=True)
        for h, lay in [([3, 3], "c"), ([2, 2, 2], "t"), ([0, 0], "c")]:
            f.call("linalg_pinv", T(d, h, "h", 1, 1, lay), None, None, True, by=pinv, bound=of_size(16, 1), wide=True)
        f.call("linalg_pinv", T(d, [4, 3], "c"), None, None, False, by=pinv, bound=of_size(40, 1), wide=True)  # rank 2
        f.call("linalg_pinv", T(d, [3, 3], "q", 0, 3), None, 1e-3, False, by=pinv, bound=of_size(16, 1), wide=True)  # rank 1, of complex 2 or 1
        f.call("linalg_pinv", T(d, [2, 3], "d", 0, 9), 3.0, None, False, by=pinv, bound=of_size(16, 1), wide=True)
        f.call("linalg_pinv", T(d, [2, 3], "d", 0, 9), 100.0, 0.5, False, by=pinv, bound=of_size(16, 1), wide=True)
        f.call("linalg_pinv_of_rcond", T(d, [2, 3, 2], "r"), 0.1, False, by=lambda a, r, h: L.pinv(a, r, hermitian=h), bound=of_size(16, 1), wide=True)
        f.call("pinverse", T(d, [3, 2], "r"), 1e-15, by=lambda a, r: torch.pinverse(a, r), bound=of_size(16, 1), wide=True)
    refusals(f, "linalg_pinv", None, None, False, by=pinv, square=False)
    f.call("linalg_pinv", T("f32", [2, 3]), None, None, True, by=pinv)


def pinv(a, atol, rtol, hermitian):
    return L.pinv(a, atol=atol, rtol=rtol, hermitian=hermitian)


def tensor_bound(ind):
    def bound(values, result):
        a = wide(values[0])
        a = a.reshape(math.prod(a.shape[:ind]), -1)
        return 8 * extent(a) * eps_of(result) * condition(a) * max(top(result), 1e-3)
    return bound


def moved_bound(*dims):
    def bound(values, result):
        a = wide(values[0])
        rows = [i for i in range(a.dim()) if i not in dims]
        a = a.permute(rows + list(dims)).reshape(math.prod(a.shape[i] for i in rows), -1)
        return 8 * extent(a) * eps_of(result) * condition(a) * max(top(result), 1e-3)
    return bound


def factors(f):
    factor = of_size(8, 1)
    for d in FULL:
        for sizes, lay in TALL + [([5, 5], "c"), ([7, 7], "t")]:
            if lay == "e":
                continue
            a = T(d, sizes, "r", 2, 1, lay)
            # Without pivots PyTorch has them for GPUs only.
            f.call("linalg_lu", a, True, by=lambda a, p: L.lu(a, pivot=p), bound=factor, wide=True)
            f.call("linalg_lu_factor", a, by=L.lu_factor, bound=factor, wide=True)
            f.call("linalg_lu_factor_ex", a, True, False, by=lambda a, p, c: L.lu_factor_ex(a, pivot=p, check_errors=c), bound=factor, wide=True)
            for data, pivots in [(True, True), (False, True), (True, False)]:
                f.call("lu_unpack_of", a, data, pivots, bound=factor, wide=True,
                       by=lambda a, u, v: torch.lu_unpack(*L.lu_factor_ex(a)[:2], unpack_data=u, unpack_pivots=v))
            for mode in ["reduced", "complete", "r"]:
                f.call("linalg_qr", a, mode, by=lambda a, m: L.qr(a, mode=m), bound=factor, wide=True)
            for some in [True, False]:
                f.call("qr", a, some, by=lambda a, s: L.qr(a, mode="reduced" if s else "complete"), bound=factor, wide=True)
            f.call("geqrf", a, bound=factor, wide=True)
            if sizes[-2] >= sizes[-1]:
                for name in ["householder_of", "orgqr_of"]:
                    f.call(name, a, by=lambda a: L.householder_product(*torch.geqrf(a)), bound=factor, wide=True)
                f.call("householder_less_of", a, by=lambda a: less_reflectors(a), bound=factor, wide=True)
                for left, transpose in itertools.product([True, False], repeat=2):
                    c = sizes[:-2] + ([sizes[-2], 3] if left else [3, sizes[-2]])
                    f.call("ormqr_of", a, T(d, c, "r", 5, 1, "t"), left, transpose, bound=factor, wide=True,
                           by=lambda a, c, left, t: torch.ormqr(*torch.geqrf(a), c, left=left, transpose=t))
        f.call("linalg_lu_factor_ex", T(d, [2, 3, 3], "u", 0, 1), True, False, by=lambda a, p, c: L.lu_factor_ex(a, pivot=p, check_errors=c))
        f.call("linalg_lu_factor_ex", T(d, [3, 3], "u", 0, 1), True, True, by=lambda a, p, c: L.lu_factor_ex(a, pivot=p, check_errors=c))
        f.call("linalg_lu", T(d, [3, 3], "u", 0, 1), True, by=lambda a, p: L.lu(a, pivot=p))
        f.call("linalg_qr", T(d, [3, 3], "u", 0, 1), "reduced", by=lambda a, m: L.qr(a, mode=m), bound=of_size(8))  # -0 is 0
        f.call("linalg_qr", T(d, [2, 2], "b", 0, 1), "wrong", by=lambda a, m: L.qr(a, mode=m))
    refusals(f, "linalg_lu", True, by=lambda a, p: L.lu(a, pivot=p), square=False)
    refusals(f, "linalg_lu_factor", square=False)
    refusals(f, "linalg_lu_factor_ex", True, False, by=lambda a, p, c: L.lu_factor_ex(a, pivot=p, check_errors=c), square=False)
    refusals(f, "linalg_qr", "reduced", by=lambda a, m: L.qr(a, mode=m), square=False)
    refusals(f, "geqrf", square=False)
    for a, tau in [([3, 2], [3]), ([2, 3], [2]), ([3, 2], [1, 2]), ([2, 3, 2], [2]), ([3], [1]), ([2, 3, 2], [3, 2])]:
        f.call("linalg_householder_product", T("f32", a), T("f32", tau))
    f.call("linalg_householder_product", T("f32", [3, 2]), T("f64", [2]))
    f.call("linalg_householder_product", T("i64", [3, 2]), T("i64", [2]))

    cholesky = lambda a, upper: L.cholesky(a, upper=upper)  # noqa: E731
    cholesky_ex = lambda a, upper, check: L.cholesky_ex(a, upper=upper, check_errors=check)  # noqa: E731
    for d in FULL:
        for (sizes, lay), upper in itertools.product(SQUARES, [False, True]):
            lay = lay if lay != "e" else "c"
            a = T(d, sizes, "h", 1, 4 * sizes[-1], lay)
            f.call("linalg_cholesky", a, upper, by=cholesky, bound=factor, wide=True)
            f.call("linalg_cholesky_ex", a, upper, False, by=cholesky_ex, bound=factor, wide=True)
            # One triangle is read.
            f.call("linalg_cholesky", T(d, sizes, "d", 1, 4 * sizes[-1], lay), upper, by=cholesky, bound=of_size(16), wide=True)
        f.call("cholesky", T(d, [3, 3], "h", 1, 12), True, by=cholesky, bound=factor, wide=True)
        for sizes, kind, p in [([2, 2], "u", 1), ([3, 3], "h", 0), ([2, 3, 3], "h", 0), ([3, 3], "u", 1)]:
            f.call("linalg_cholesky", T(d, sizes, kind, 0, p), False, by=cholesky)
            f.call("linalg_cholesky_ex", T(d, sizes, kind, 0, p), False, True, by=cholesky_ex)
            f.call("cholesky_info_of", T(d, sizes, kind, 0, p), by=lambda a: L.cholesky_ex(a)[1])
        for sizes, lay in SQUARES:
            lay = lay if lay != "e" else "c"
            for hermitian in [False, True]:
                for seed in [1, 2]:
                    a = T(d, sizes, "h" if hermitian else "r", seed, 1, lay)
                    f.call("linalg_ldl_factor", a, hermitian, by=lambda a, h: tuple(L.ldl_factor(a, hermitian=h)), bound=of_size(16, 1), wide=True)
            f.call("linalg_ldl_factor_ex", T(d, sizes, "h", 3, 1, lay), True, False, by=lambda a, h, c: tuple(L.ldl_factor_ex(a, hermitian=h, check_errors=c)),
                   bound=of_size(16, 1), wide=True)
        f.call("linalg_ldl_factor", T(d, [3, 3], "u", 0, 1), False, by=lambda a, h: tuple(L.ldl_factor(a, hermitian=h)))
        f.call("linalg_ldl_factor_ex", T(d, [3, 3], "u", 0, 1), False, False, by=lambda a, h, c: tuple(L.ldl_factor_ex(a, hermitian=h, check_errors=c)))
    for name, more, by in [("linalg_cholesky", [False], cholesky), ("linalg_cholesky_ex", [False, False], cholesky_ex),
                           ("linalg_ldl_factor", [False], lambda a, h: tuple(L.ldl_factor(a, hermitian=h)))]:
        refusals(f, name, *more, by=by)


def less_reflectors(a):
    r, tau = torch.geqrf(a)
    return L.householder_product(r, tau[..., :max(0, tau.shape[-1] - 1)])


def ordered(w):
    """By real parts, of a pair the one above the axis first: LAPACKs differ in their order."""
    return w.gather(-1, w.real.argsort(dim=-1, stable=True))


def values(f):
    for d in FULL:
        for sizes, lay in TALL:
            a = T(d, sizes, "r", 3, 1, lay)
            f.call("linalg_svdvals", a, None, by=lambda a, driver: L.svdvals(a), bound=of_norm(4), wide=True)
            f.call("svd_s_of", a, True, by=lambda a, full: L.svdvals(a), bound=of_norm(4), wide=True)
            f.call("svd_s_of", a, False, by=lambda a, full: L.svdvals(a), bound=of_norm(4), wide=True)
            for full in [True, False]:
                f.call("svd_shapes_of", a, full, by=lambda a, full: tuple(torch.zeros_like(x) for x in L.svd(a, full_matrices=full)))
                f.call("old_svd_shapes_of", a, full, True, by=lambda a, some, uv: tuple(torch.zeros_like(x) for x in torch.svd(a, some=some, compute_uv=uv)))
                f.call("old_svd_shapes_of", a, full, False, by=lambda a, some, uv: tuple(torch.zeros_like(x) for x in torch.svd(a, some=some, compute_uv=uv)))
        f.call("linalg_svdvals", T(d, [3, 3], "u", 0, 1), None, by=lambda a, driver: L.svdvals(a))
        f.call("linalg_svdvals", T(d, [4, 3], "c"), None, by=lambda a, driver: L.svdvals(a), bound=of_norm(4), wide=True)
        f.call("linalg_svdvals", T(d, [5, 5], "d", 1, 1000), None, by=lambda a, driver: L.svdvals(a), bound=of_norm(4), wide=True)
        for sizes, lay in SQUARES:
            lay = lay if lay != "e" else "c"
            for uplo in ["L", "U"]:
                f.call("linalg_eigvalsh", T(d, sizes, "h", 2, 1, lay), uplo, by=lambda a, u: L.eigvalsh(a, UPLO=u), bound=of_norm(4), wide=True)
                f.call("linalg_eigvalsh", T(d, sizes, "d", 2, 1, lay), uplo, by=lambda a, u: L.eigvalsh(a, UPLO=u), bound=of_norm(8), wide=True)
                f.call("eigh_values_of", T(d, sizes, "h", 2, 1, lay), uplo, by=lambda a, u: L.eigvalsh(a, UPLO=u), bound=of_norm(4), wide=True)
            f.call("eigh_shapes_of", T(d, sizes, "h", 2, 1, lay), by=lambda a: tuple(torch.zeros_like(x) for x in L.eigh(a)))
            f.call("eig_shapes_of", T(d, sizes, "r", 2, 1, lay), by=lambda a: tuple(torch.zeros_like(x) for x in L.eig(a)))
            for seed in [1, 2, 3]:
                a = T(d, sizes, "r", seed, 1, lay)
                # Of a matrix that is not normal, with the condition of its eigenvectors.
                f.call("linalg_eigvals", a, by=lambda a: ordered(L.eigvals(a)), bound=eigenvalue_bound, wide=True)
                f.call("eig_values_of", a, by=lambda a: ordered(L.eigvals(a)), bound=eigenvalue_bound, wide=True)
        f.call("eig_values_of", T(d, [3, 3], "s", 5), by=lambda a: L.eig(a)[0])  # NaN and infinities
        f.call("eigh_values_of", T(d, [3, 3], "u", 0, 1), "L", by=lambda a, u: L.eigvalsh(a, UPLO=u))
        f.call("linalg_eigvalsh", T(d, [2, 2], "h"), "X", by=lambda a, u: L.eigvalsh(a, UPLO=u))
        f.call("linalg_eigvalsh", T(d, [2, 2], "h", 1, 5), "l", by=lambda a, u: L.eigvalsh(a, UPLO=u), bound=of_norm(4), wide=True)
    refusals(f, "linalg_svdvals", None, by=lambda a, driver: L.svdvals(a), square=False)
    refusals(f, "svd_s_of", True, by=lambda a, full: L.svd(a, full_matrices=full)[1], square=False)
    refusals(f, "linalg_eigvals")
    refusals(f, "eig_values_of", by=lambda a: L.eig(a)[0])
    refusals(f, "linalg_eigvalsh", "L", by=lambda a, u: L.eigvalsh(a, UPLO=u))
    refusals(f, "eigh_values_of", "L", by=lambda a, u: L.eigh(a, UPLO=u)[0])


def eigenvalue_bound(values, result):
    a = wide(values[0])
    if not a.numel():
        return 0
    return 8 * extent(a) * eps_of(result) * float(L.matrix_norm(a, 2).max()) * condition(L.eig(a)[1])


def least_squares(f):
    def lstsq(a, b, rcond, driver):
        return tuple(L.lstsq(a, b, rcond=rcond, driver=driver))

    def bound(values, result):
        a, b = values[:2]
        return 8 * extent(a) * eps_of(result) * (condition(a) ** 2 * max(top(result), top(b)))
    for d in FULL:
        for a, b, lay in [([4, 2], [4, 3], "c"), ([4, 2], [4, 1], "t"), ([2, 4], [2, 3], "s"), ([3, 3], [3, 2], "t"), ([2, 5, 3], [2, 5, 2], "c"), ([2, 1, 4, 2], [2, 4, 1], "t"),
                          ([2, 4, 2], [2, 4], "s"), ([3, 1], [3, 1], "c"), ([0, 4, 2], [0, 4, 1], "c"), ([1, 1], [1, 1], "c"), ([3, 0], [3, 2], "c"), ([0, 3], [0, 2], "c"), ([0, 0], [0, 2], "c")]:
            A, B = T(d, a, "r", 1, 1, lay), T(d, b, "r", 2, 1, "t" if lay == "c" else "c")
            # Without columns in B, PyTorch's library crashes or finds no rank.
            for driver in [None, "gels", "gelsy", "gelsd", "gelss"]:
                f.call("linalg_lstsq", A, B, None, driver, by=lstsq, bound=bound, wide=True)
        # Of less than full rank: gels is not for these.
        for driver in [None, "gelsy", "gelsd", "gelss"]:
            f.call("linalg_lstsq", T(d, [5, 3], "c"), T(d, [5, 2], "r", 2), 1e-4, driver, by=lstsq, bound=rank_two, wide=True)
            f.call("linalg_lstsq", T(d, [3, 5], "c"), T(d, [3, 2], "r", 2), 1e-4, driver, by=lstsq, bound=rank_two, wide=True)
            f.call("linalg_lstsq", T(d, [3, 2], "u", 0, 1), T(d, [3, 1], "r", 2), None, driver, by=lstsq)
            f.call("linalg_lstsq", T(d, [4, 3], "d", 1, 50), T(d, [4, 1], "r", 2), 0.99, driver, by=lstsq, bound=rank_two, wide=True)
    for a, b in [([3], [3]), ([3, 2], [2]), ([3, 2], [2, 1]), ([3, 2], [3]), ([2, 3, 2], [2, 2]), ([2, 3, 2], [3, 3, 1]), ([3, 2], [])]:
        f.call("linalg_lstsq", T("f32", a), T("f32", b), None, None, by=lstsq)
    f.call("linalg_lstsq", T("f32", [3, 2]), T("f32", [3, 1]), None, "wrong", by=lstsq)
    for d, e in [("f32", "f64"), ("i64", "i64"), ("f16", "f16"), ("c64", "f32")]:
        f.call("linalg_lstsq", T(d, [3, 2], "p"), T(e, [3, 1], "p"), None, None, by=lstsq)


def rank_two(values, result):
    return 100 * eps_of(result) * max(1, top(values[0]))


def numbers(f):
    def rank(a, atol, rtol, hermitian):
        return L.matrix_rank(a, atol=atol, rtol=rtol, hermitian=hermitian)
    for d in FULL:
        for sizes, lay in TALL:
            f.call("linalg_matrix_rank", T(d, sizes, "r", 1, 1, lay), None, None, False, by=rank)
        for a, more in [(T(d, [4, 3], "c"), (None, None, False)), (T(d, [3, 3], "q", 0, 3), (None, None, False)), (T(d, [3, 3], "u", 0, 1), (None, None, False)),
                        (T(d, [3, 3], "h", 1, 1, "t"), (None, None, True)), (T(d, [2, 3, 3], "h", 1, 1), (None, None, True)), (T(d, [4, 4], "d", 1, 50), (None, 0.99, False)),
                        (T(d, [4, 4], "d", 1, 50), (50.0, None, False)), (T(d, [4, 4], "d", 1, 50), (49.0, 0.5, False)), (T(d, [4, 4], "d", 1, 50), (0.0, None, False)),
                        (T(d, [4, 4], "h", 1, 50), (50.0, None, True)), (T(d, [0, 0]), (None, None, True)), (T(d, [2, 3]), (None, None, True)), (T(d, [3]), (None, None, False))]:
            f.call("linalg_matrix_rank", a, *more, by=rank)
        f.call("linalg_matrix_rank", T(d, [3, 4, 4], "d", 1, 50), T("f32" if d in ("f32", "c64") else "f64", [3], "c", 49), None, False, by=rank)
        f.call("linalg_matrix_rank_of_tol", T(d, [4, 4], "d", 1, 50), 50.0, False, by=lambda a, t, h: L.matrix_rank(a, t, hermitian=h))
    refusals(f, "linalg_matrix_rank", None, None, False, by=rank, square=False)
    for d in FULL:
        for p in [None, 2, -2, 1, -1, INF, -INF, "fro", "nuc"]:
            for sizes, lay in [([3, 3], "t"), ([2, 3, 3], "c"), ([0, 0], "c"), ([2, 0, 0], "c"), ([0, 2, 2], "c"), ([3, 2], "c"), ([2, 2, 4], "s"), ([2, 0], "c")]:
                f.call("linalg_cond", T(d, sizes, "r", 3, 1, lay), p, bound=of_size(8, 1), wide=True)
            f.call("linalg_cond", T(d, [2, 2], "u", 0, 1), p)
            f.call("linalg_cond", T(d, [2, 2, 2], "u", 0, 1), p)
    for p in [0, 3, "wrong", 1]:
        f.call("linalg_cond", T("f32", [2, 2], "p"), p)
    refusals(f, "linalg_cond", None, square=False)


def norms(f):
    def vector(x, ord, dim, keepdim, dtype):
        return L.vector_norm(x, ord, dim=dim, keepdim=keepdim, dtype=dtype)

    def matrix(x, ord, dim, keepdim, dtype):
        return L.matrix_norm(x, ord, dim=tuple(dim), keepdim=keepdim, dtype=dtype)

    def either(x, ord, dim, keepdim, dtype):
        return L.norm(x, ord, dim=dim, keepdim=keepdim, dtype=dtype)

    def bound(values, result):
        if result.dtype == torch.float16:
            return 2 * eps_of(result) * top(result)
        return 8 * (math.log2(max(2, values[0].numel())) + 2) * eps_of(result) * max(top(result), 1e-3)
    for d in FULL:
        for ord in [2, 1, 0, INF, -INF, 3, 0.5, -1, -2, 2.5]:
            for sizes, lay in [([5], "c"), ([2, 3], "t"), ([2, 2, 3], "s"), ([], "c")]:
                x = T(d, sizes, "r", 1, 1, lay)
                dims = [None, [0], [-1], [0, -1]] if len(sizes) > 1 else [None, [0]]
                for dim in dims:
                    f.call("linalg_vector_norm", x, ord, dim, len(sizes) == 2, None, by=vector, bound=bound, wide=True)
            f.call("linalg_vector_norm", T(d, [4], "m", 1), ord, None, False, None, by=vector, bound=bound, wide=True)
            for sizes, dim in [([0], None), ([0, 3], [0]), ([0, 3], [1]), ([3, 0], None)]:
                f.call("linalg_vector_norm", T(d, sizes), ord, dim, False, None, by=vector)
        f.call("linalg_vector_norm", T(d, [4], "r"), 2, [1], False, None, by=vector)
        f.call("linalg_vector_norm", T(d, [4, 2], "r"), 2, [0, 0], False, None, by=vector)
        for t in ["f32", "f64", "c64", "c128", "i64", "f16"]:
            f.call("linalg_vector_norm", T(d, [4], "r", 5), 2, None, False, NAMES[t], by=vector, bound=bound)
            f.call("linalg_matrix_norm", T(d, [2, 3], "r", 5), "fro", [-2, -1], False, NAMES[t], by=matrix, bound=bound)
    f.call("linalg_vector_norm", T("i64", [3]), 2, None, False, None, by=vector)
    f.call("linalg_vector_norm", T("bool", [3]), 2, None, False, None, by=vector)
    for ord in [2, 1, INF, 0]:
        f.call("linalg_vector_norm", T("f32", [9], "s"), ord, None, False, None, by=vector)
        f.call("linalg_vector_norm", T("f32", [5], "s"), ord, None, False, None, by=vector)
        f.call("linalg_vector_norm", T("f32", [2], "s", 8), ord, None, False, None, by=vector)
        f.call("linalg_vector_norm", T("f16", [6], "m", 8), ord, None, False, None, by=vector, bound=bound)
    orders = ["fro", "nuc", 1, -1, INF, -INF, 2, -2]
    spectral = of_norm(4)
    for d in FULL:
        for ord in orders:
            b = (lambda v, r: 4 * spectral(v, r)) if ord in ("nuc", 2, -2) else bound
            for sizes, dim, lay in [([3, 3], [-2, -1], "c"), ([2, 4], [-2, -1], "t"), ([4, 2], [1, 0], "c"), ([2, 3, 4], [-2, -1], "t"), ([2, 3, 4], [0, 2], "s"), ([2, 3, 4], [-1, 0], "c"),
                                    ([1, 1], [0, 1], "c"), ([0, 0], [0, 1], "c"), ([0, 3], [0, 1], "c"), ([3, 0], [0, 1], "c"), ([0, 2, 2], [-2, -1], "c")]:
                for keep in [False, True] if sizes in ([3, 3], [2, 3, 4]) else [False]:
                    f.call("linalg_matrix_norm", T(d, sizes, "r", 2, 1, lay), ord, dim, keep, None, by=matrix, bound=b, wide=True)
            f.call("linalg_norm", T(d, [2, 3], "r", 2, 1, "t"), ord, None, False, None, by=either, bound=b, wide=True)
            f.call("linalg_norm", T(d, [2, 3, 2], "r", 2), ord, [0, 2], True, None, by=either, bound=b, wide=True)
            f.call("linalg_norm", T(d, [2, 3, 2], "r", 2), ord, None, False, None, by=either)
            f.call("linalg_norm", T(d, [4], "r", 2), ord, None, False, None, by=either, bound=bound, wide=True)
            f.call("linalg_norm", T(d, [4, 2], "r", 2), ord, [0], True, None, by=either, bound=bound, wide=True)
        f.call("linalg_norm", T(d, [2, 3, 2], "r", 2), None, None, False, None, by=either, bound=bound, wide=True)
        f.call("linalg_norm", T(d, [2, 3, 2], "r", 2), None, [1], False, None, by=either, bound=bound, wide=True)
        f.call("linalg_norm", T(d, [2, 3, 2], "r", 2), None, [0, 2], True, None, by=either, bound=bound, wide=True)
        f.call("linalg_norm", T(d, [], "r", 2), None, None, False, None, by=either, bound=bound, wide=True)
        f.call("linalg_norm", T(d, [], "r", 2), 2, None, False, None, by=either, bound=bound, wide=True)
    x = T("f32", [2, 3], "r")
    for ord, dim in [(3, [-2, -1]), (0, [-2, -1]), ("wrong", [-2, -1]), ("fro", [0, 0]), ("fro", [0, 2]), ("fro", [0]), ("fro", [0, 1, 2]), (1, [1, 1])]:
        f.call("linalg_matrix_norm", x, ord, dim, False, None, by=matrix)
    f.call("linalg_matrix_norm", T("f32", [3]), "fro", [-2, -1], False, None, by=matrix)
    f.call("linalg_matrix_norm", T("i64", [3, 3]), "fro", [-2, -1], False, None, by=matrix)
    f.call("linalg_norm", x, 2, [0, 1, 2], False, None, by=either)
    f.call("linalg_norm", T("i64", [3]), None, None, False, None, by=either)


def exponentials(f):
    def bound(values, result):
        # The powers are taken of numbers as large as exp of the norm.
        a = wide(values[0])
        if not a.numel():
            return 0
        return 16 * extent(a) * eps_of(result) * float(torch.exp(L.matrix_norm(a, 1)).max())
    for d in FULL:
        for name in ["linalg_matrix_exp", "matrix_exp"]:
            for sizes, lay in SQUARES:
                if sizes[-1] < 6:
                    f.call(name, T(d, sizes, "r", 1, 1, lay), bound=bound, wide=True)
        f.call("linalg_matrix_exp", T(d, [3, 3], "u", 0, 1))
        f.call("linalg_matrix_exp", T(d, [2, 2], "u", 0, 2), bound=bound, wide=True)
        f.call("linalg_matrix_exp", T(d, [2, 2], "h", 0, -4), bound=bound, wide=True)
        for n in [-1, -2, -3, 0, 1, 2, 3, 4, 7]:
            f.call("linalg_matrix_power", dominant(d, [3, 3]), n, by=L.matrix_power, bound=of_power(n), wide=True)
            f.call("matrix_power", dominant(d, [2, 2, 2], 1, "t"), n, by=L.matrix_power, bound=of_power(n), wide=True)
        f.call("linalg_matrix_power", T(d, [2, 2], "u", 0, 1), -1)
        f.call("linalg_matrix_power", T(d, [2, 0, 0]), -1)
    f.call("linalg_matrix_power", T("i64", [2, 2], "p"), -1)
    # Of Half and BFloat16, PyTorch takes degrees for the rounding of Double, and infinities come out.
    refusals(f, "linalg_matrix_exp", dtypes=False)
    for d in [d for d in LESSER if d not in ["f16", "bf16"]]:
        f.call("linalg_matrix_exp", T(d, [2, 2], "p"))
    refusals(f, "linalg_matrix_power", -1, dtypes=False)


def of_power(n):
    def bound(values, result):
        a = wide(values[0])
        k = max(1, abs(n))
        return 8 * k * extent(a) * eps_of(result) * (condition(a) if n < 0 else 1) ** 2 * max(top(result), 1e-6) * (1 if n < 0 else 3)
    return bound


def linalg(f):
    systems(f)
    inverses(f)
    factors(f)
    values(f)
    least_squares(f)
    numbers(f)
    norms(f)
    exponentials(f)

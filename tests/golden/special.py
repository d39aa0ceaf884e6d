"""Special functions of two operands, windows, and functions of sizes, classes and distances."""

import torch

from notation import ALL, EPS, FLOATS, INTS, NAME_OF, T
from pointwise import special_bound

POLYNOMIALS = ["chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v", "chebyshev_polynomial_w",
               "shifted_chebyshev_polynomial_t", "shifted_chebyshev_polynomial_u", "shifted_chebyshev_polynomial_v",
               "shifted_chebyshev_polynomial_w", "hermite_polynomial_h", "hermite_polynomial_he",
               "laguerre_polynomial_l", "legendre_polynomial_p"]


def special(f):
    pairs(f)
    windows(f)
    shapes(f)
    classes(f)
    distances(f)


def loose(values, result):
    """PyTorch's recurrences and series lose digits, in the dtype of the operands."""
    return 64 * special_bound(values, result)


def tail(values, result):
    """Of the incomplete gamma functions PyTorch has 13 digits or so, and 9 near 200."""
    return max(1e-9 if float(values[0].max()) > 100 else 2e-13, 2 * EPS[NAME_OF[result.dtype]])


def pairs(f):
    def call(name, *args, bound=loose):
        f.call(name, *args, by=getattr(torch.special, name), bound=bound, wide=True)

    for name in POLYNOMIALS:
        for d in ["f32", "f64"]:
            call(name, T(d, [5, 1], "m", 1), T("i64", [12], "q", 0, 12))
            call(name, T(d, [6], "r", 3), T(d, [6], "p", 2))
            call(name, T(d, [12], "s", 0), T("i32", [4, 1], "w", 1, 2))
            call(name, T(d, [30], "s", 0), 2)
            call(name, 0.75, T(d, [6], "m", 4))
            call(name, T(d, [], "p", 1), T(d, [], "p", 5))
            call(name, T(d, [0, 2]), T(d, [1]))
        for n in [20, 33.5, -1, -0.5]:
            call(name, T("f64", [2, 4], "r", 7, 1, "t"), n)
        call(name, T("i32", [4], "m", 1), T("u8", [4], "p", 2))
        call(name, T("bool", [2], "q"), 3)
        call(name, 2, T("i64", [5], "c"))
        call(name, T("f32", [3]), T("f64", [3], "p"))
        call(name, T("f32", [3]), T("f64", [], "p"))
        call(name, T("f32", [3]), T("f32", [4], "p"))
    for d in ["f32", "f64"]:
        call("zeta", T(d, [8, 1], "p", 0), T(d, [6], "p", 3))
        call("zeta", T("i64", [5, 1], "c", 2), T(d, [8], "m", 1))
        call("zeta", T(d, [5, 1], "c", 9), T(d, [8], "f", 0))
        call("zeta", 2, T(d, [3], "p", 1))
        call("zeta", T(d, [4], "m", 3), 1)
        call("zeta", T(d, [0, 2]), T(d, [1]))
        call("zeta", T(d, [3]), T(d, [4]))
    call("zeta", T("i16", [5], "c", 0), 2)
    f.kernels = True
    for name in ["igamma", "igammac"]:
        for d in FLOATS:
            f.call(name, T(d, [11, 1], "p", 1), T(d, [11], "p", 4), bound=tail, wide=True)
            # Not of the least subnormal number, of which PyTorch has P(a, 1) = 0.
            f.call(name, T(d, [9, 1], "s", 0), T(d, [12], "s", 0), bound=tail, wide=True)
            f.call(name, T(d, [8], "c", 190), T(d, [4, 1], "c", 192), bound=tail, wide=True)
            f.call(name, T(d, [2, 3], "p", 1, 1, "t"), T("f32", [], "p", 2), bound=tail, wide=True)
            f.call(name + "_", T(d, [2, 3], "p", 1), T(d, [3], "p", 2), bound=tail, wide=True)
            f.call(name, T(d, [0, 2]), T(d, [1]))
            f.call(name, T(d, [3]), T(d, [4]))
        f.call(name, T("f16", [3], "p"), T("f64", [3], "p"), bound=tail, wide=True)
        f.call(name + "_", T("f32", [3], "p"), T("f64", [2, 3], "p"))
        for d in INTS + ["bool", "c64"]:
            f.call(name, T(d, [3], "p"), T(d, [3], "p"))
    f.kernels = False


def windows(f):
    def near(values, result):
        return 4 * EPS[NAME_OF[result.dtype]] * (1 if result.dtype == torch.float64 else 4)

    f.kernels = True
    for n in [-1, 0, 1, 2, 3, 4, 5, 12]:
        for name in ["bartlett", "blackman", "hamming", "hann", "kaiser"]:
            by = getattr(torch, name + "_window")
            f.call(name + "_window", n, by=by, bound=near)
            for periodic in [True, False]:
                f.call(name + "_window", n, periodic, torch.float64, by=lambda n, p, d, by=by: by(n, p, dtype=d), bound=near)
        for d in ["f16", "bf16", "i32"]:
            f.call("hann_window", n, False, getattr(torch, {"f16": "half", "bf16": "bfloat16", "i32": "int"}[d]),
                   by=lambda n, p, d: torch.hann_window(n, p, dtype=d), bound=near)
        f.call("hamming_window", n, True, torch.float64, 0.3, 0.6, bound=near,
               by=lambda n, p, d, a, b: torch.hamming_window(n, p, alpha=a, beta=b, dtype=d))
        f.call("kaiser_window", n, False, torch.float64, 3.5, bound=near,
               by=lambda n, p, d, b: torch.kaiser_window(n, p, beta=b, dtype=d))
        w = torch.signal.windows
        for sym in [True, False]:
            for name in ["bartlett", "blackman", "cosine", "exponential", "gaussian", "general_hamming", "hamming", "hann",
                         "kaiser", "nuttall"]:
                extra = {"std": 1.0} if name == "gaussian" else {}
                f.call("signal_" + name, n, sym, torch.float64, bound=near,
                       by=lambda n, s, d, g=getattr(w, name), extra=extra: g(n, sym=s, dtype=d, **extra))
            f.call("signal_general_cosine", n, sym, [0.5, 0.3, 0.2], bound=near,
                   by=lambda n, s, a: w.general_cosine(n, a=a, sym=s))
            f.call("signal_exponential_with", n, sym, None, 0.5, by=lambda n, s, c, t: w.exponential(n, center=c, tau=t, sym=s), bound=near)
            f.call("signal_exponential_with", n, sym, 1.5, 2.0, by=lambda n, s, c, t: w.exponential(n, center=c, tau=t, sym=s), bound=near)
            f.call("signal_gaussian_with", n, sym, 0.75, by=lambda n, s, x: w.gaussian(n, std=x, sym=s), bound=near)
            f.call("signal_kaiser_with", n, sym, 2.5, by=lambda n, s, x: w.kaiser(n, beta=x, sym=s), bound=near)
    for x in [0.0, -1.0]:
        f.call("signal_gaussian_with", 5, True, x, by=lambda n, s, x: w.gaussian(n, std=x, sym=s))
        f.call("signal_exponential_with", 5, True, None, x, by=lambda n, s, c, t: w.exponential(n, center=c, tau=t, sym=s))
    f.call("signal_kaiser_with", 5, True, -1.0, by=lambda n, s, x: w.kaiser(n, beta=x, sym=s))
    f.call("signal_general_cosine", 5, True, [], by=lambda n, s, a: w.general_cosine(n, a=a, sym=s))
    f.call("signal_hann", 5, True, torch.float16, by=lambda n, s, d: w.hann(n, sym=s, dtype=d))
    f.kernels = False


def static(x, size, fill=-1):
    return torch.nonzero_static(x, size=size, fill_value=fill)


def layout(t):
    return torch.tensor([*t.shape, *t.stride()], dtype=torch.int64)


def shapes(f):
    for d in ALL + ["c64"]:
        x = T(d, [2, 1, 3], "m", 1)
        for sizes in [[2, 1, 3], [3], [1], [], [1, 3], [2, 1, 1], [1, 1, 1]]:
            f.call("sum_to_size", x, sizes, bound=special_bound if d in FLOATS else None)
        for pad in [[1, 2], [0, 0], [], [-1, 1], [0, 0, 1, 2], [1, 0, 0, 3, -1, 2], [-3, 0], [-1, -1, 0, 0, -2, 4]]:
            f.call("constant_pad_nd", x, pad, 0)
            f.call("constant_pad_nd", x, pad, 3)
        for v in [2, 2.5, -1, 300]:
            f.call("constant_pad_nd", x, [1, 1], v)
            f.call("fill", x, v)
        f.call("fill", T(d, [2, 3], "m", 1, 1, "t"), T("f64", [], "p", 3))
        f.call("fill", T(d, [2, 3], "m", 1, 1, "e"), T(d, [], "p", 3))
        f.call("nonzero_static", T(d, [2, 5], "b", 1), 4, by=static)
        f.call("nonzero_static", T(d, [2, 5], "b", 1), 12, 7, by=static)
    for sizes in [[2], [3, 1, 3], [2, 2, 1, 3], [-1], [0], [2, 1, 4]]:
        f.call("sum_to_size", T("f32", [2, 1, 3], "m"), sizes)
    f.call("sum_to_size", T("f32", [0, 3]), [3])
    f.call("sum_to_size", T("f32", [3, 0]), [3, 1])
    f.call("sum_to_size", T("f32", []), [])
    for pad in [[1], [1, 1, 1, 1], [-4, 0], [-5, 4], [4, -5], [-2, -2]]:
        f.call("constant_pad_nd", T("f32", [3], "m"), pad, 0)
    f.call("constant_pad_nd", T("f32", [2, 0]), [1, 2, 0, 1], 2.0)
    f.call("constant_pad_nd", T("f32", [], "m"), [], 2.0)
    f.call("constant_pad_nd", T("f32", [2, 3], "m", 1, 1, "t"), [1, 2, 0, 1], 2.0)
    f.call("fill", T("f32", [3]), T("f32", [1]))
    f.call("fill", T("f32", [0]), 1)
    for size, dim in [(1, 0), (2, 1), (5, 1), (0, 0), (-1, 0), (2, 2), (2, -1)]:
        f.call("unsafe_split", T("f32", [4, 3], "m"), size, dim, views=True)
        f.call("unsafe_chunk", T("f32", [4, 3], "m"), size, dim, views=True)
    f.call("unsafe_split", T("f32", []), 1, 0)
    f.call("unsafe_chunk", T("f32", []), 1, 0)
    f.call("unsafe_split_with_sizes", T("f32", [4, 3], "m"), [1, 3], 0, views=True)
    f.call("unsafe_split_with_sizes", T("f32", [4, 3], "m"), [1, 2], 0)
    for sizes, strides in [([2, 3], [1, 2]), ([2, 3], [0, 1]), ([2, 3], [1]), ([2, 3], [1, -1]), ([], []), ([0, 3], [1, 1]),
                           ([2, 3], [10, 1]), ([2, -3], [1, 1])]:
        f.call("empty_strided", sizes, strides, by=lambda s, t: layout(torch.empty_strided(s, t)))
        f.call("new_empty_strided", T("i32", [2]), sizes, strides, by=lambda x, s, t: layout(x.new_empty_strided(s, t)))
    for sizes, order in [([2, 3, 5], [2, 0, 1]), ([2, 3], [0, 1]), ([], []), ([2, 3], [0, 0]), ([2, 3], [0]), ([2, 3], [0, -1]),
                         ([2, 3], [0, 2]), ([2, 3, 4, 5], [0, 2, 3, 1])]:
        f.call("empty_permuted", sizes, order, by=lambda s, p: layout(torch.empty_permuted(s, p)))
    for lists in [[[2], [3, 1]], [[]], [], [[2], [3]], [[0], [1]], [[0], [2]], [[-2], [1]], [[5, 1, 4], [3, 1], [4]]]:
        f.call("broadcast_shapes", lists, by=lambda s: torch.tensor(list(torch.broadcast_shapes(*s)), dtype=torch.int64))


def classes(f):
    for size in [-1, 0, 1, 3, 9]:
        for x in [T("i64", [3], "q", 0, 2), T("f32", [2, 3], "b"), T("f32", []), T("bool", [0, 3]), T("f32", [2, 3], "m", 1, 1, "t")]:
            f.call("nonzero_static", x, size, by=static)
    for d in INTS + ["bool", "f32"]:
        f.call("unravel_index", T(d, [7], "c", 0), [2, 3], by=torch.unravel_index)
        f.call("unravel_index", T(d, [], "p", 0), [4, 5, 6], by=torch.unravel_index)
    for shape in [[], [2, 0], [2, -3], [7], [2, 3, 4], 6]:
        f.call("unravel_index", T("i64", [3, 2], "q", 0, 24), shape, by=torch.unravel_index)
        f.call("unravel_index", T("i64", [0]), shape, by=torch.unravel_index)
    f.call("unravel_index", T("i64", [6], "w", 0, 50), [3, 4], by=torch.unravel_index)
    for n in [-1, 0, 1, 5, 9, -2]:
        for x in [T("i64", [4], "q", 0, 5), T("i64", [2, 3], "q", 0, 3), T("i64", [], "p"), T("i64", [0]), T("i64", [4], "m", 1)]:
            f.call("one_hot", x, n)
    for d in ["i32", "u8", "bool", "f32"]:
        f.call("one_hot", T(d, [4], "q", 0, 3), -1)


def distances(f):
    for d in FLOATS + ["i32", "c64"]:
        x, y = T(d, [2, 3], "r", 1), T(d, [2, 3], "r", 2, 1, "t")
        f.call("frobenius_norm", x, [0, 1], False, by=torch._VF.frobenius_norm, bound=special_bound)
        f.call("frobenius_norm", x, [1], True, by=torch._VF.frobenius_norm, bound=special_bound)
        if d in ["f32", "f64", "c64"]:
            f.call("nuclear_norm", x, True, by=torch._VF.nuclear_norm, bound=special_bound)
            f.call("nuclear_norm", T(d, [2, 2, 3], "r", 1), [0, 2], False, by=torch._VF.nuclear_norm, bound=special_bound)
        for dim in [0, 1, -1, 2]:
            f.call("cosine_similarity", x, y, dim, 1e-8, bound=special_bound)
        f.call("cosine_similarity", x, T(d, [3], "z", 0), 1, 0.5, bound=special_bound)
        for p in [0, 1, 2, 3, float("inf"), -1]:
            f.call("pairwise_distance", x, y, p, 1e-6, False, by=torch.pairwise_distance, bound=special_bound)
        f.call("pairwise_distance", x, T(d, [3], "p"), 2, 0.25, True, by=torch.pairwise_distance, bound=special_bound)
    f.call("nuclear_norm", T("f32", [3], "r"), False, by=torch._VF.nuclear_norm)
    f.call("nuclear_norm", T("f32", [2, 2, 2], "r"), [0], False, by=torch._VF.nuclear_norm)
    f.call("frobenius_norm", T("f32", [2, 2, 2], "r"), [0, 1, 2], False, by=torch._VF.frobenius_norm)
    # PyTorch has the norm of the narrower one in its dtype.
    f.call("cosine_similarity", T("f32", [2, 3]), T("f64", [2, 3]), 1, 1e-8, bound=lambda v, r: 4 * EPS["f32"])
    f.call("cosine_similarity", T("f32", [2, 3]), T("f32", [2, 2]), 1, 1e-8)
    f.call("pairwise_distance", T("f32", [2, 3]), T("f32", [2, 2]), 2, 1e-6, False, by=torch.pairwise_distance)
    for d in ["f32", "f64"]:
        x = T(d, [9, 2], "m", 1)
        for density in [False, True]:
            for weight in [None, T(d, [9], "p", 2)]:
                def counted(x, bins, range, weight, density):
                    h, e = torch.histogramdd(x, bins, range=range, weight=weight, density=density)
                    return [h, *e]
                f.call("histogramdd", x, [3, 4], None, weight, density, by=counted, bound=special_bound)
                f.call("histogramdd", x, 3, [-1.0, 1.0, 0.0, 2.0], weight, density, by=counted, bound=special_bound)
                f.call("histogramdd", x, [T(d, [3], "c", 0), T(d, [4], "c", -3)], None, weight, density, by=counted, bound=special_bound)
        for bad in [[3], [0, 3], [3, 3, 3]]:
            f.call("histogramdd", x, bad, None, None, False, by=counted)
        f.call("histogramdd", x, [2, 2], [0.0, 1.0], None, False, by=counted)
        f.call("histogramdd", x, [2, 2], [1.0, 0.0, 0.0, 1.0], None, False, by=counted)
        f.call("histogramdd", T(d, [4], "m"), [2], None, None, False, by=counted)
        f.call("histogramdd", x, [2, 2], None, T(d, [3], "p"), False, by=counted)
        f.call("histogramdd", T(d, [2, 3, 1], "m", 2), [4], None, None, False, by=counted, bound=special_bound)
        f.call("histogramdd", T(d, [0, 2]), [2, 2], None, None, False, by=counted, bound=special_bound)

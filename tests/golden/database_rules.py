"""Of PyTorch's operator database: what is not run and why, how exactly results agree, and what differs on purpose."""

import pathlib
import re

import torch

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OURS = set(re.findall(r"^\| `(\w+)`", (ROOT / "docs" / "functions.md").read_text(), re.M)) | {"item", "imag"}

RANDOM = "random results: random.txt has draws from PyTorch's stream"
UNSET = "the elements of the result are not set"
LEFT_OUT = dict.fromkeys(["bernoulli", "cauchy", "exponential", "geometric", "log_normal", "uniform", "multinomial", "normal", "rand_like",
                          "randint", "randint_like", "randn", "randn_like"], RANDOM)
LEFT_OUT |= dict.fromkeys(["empty", "empty_like", "new_empty", "empty_strided", "empty_permuted", "new_empty_strided"], UNSET)
LEFT_OUT |= {"svd_lowrank": RANDOM, "pca_lowrank": RANDOM,
             "__rdiv__": "an operator of a number and a tensor, which no overload has: binary.txt",
             "nn.functional.unfold": "Sinter has no such function", "nn.functional.softsign": "PyTorch has it in Python only: unary.txt",
             "__getitem__": "subscripts: indexing.txt has them", "resize_": UNSET, "resize_as_": UNSET,
             "zero_": "in place only: fill_ and zeros_like have its values", "to_sparse": "out of scope: sparse tensors"}
# Arguments that choose how, not what: C++ here has none.
DROPPED = {"cdist": ("compute_mode",), "einsum": ("path",)}

DTYPES = {"bool": torch.bool, "byte": torch.uint8, "char": torch.int8, "short": torch.int16, "int": torch.int32, "long": torch.int64,
          "half": torch.float16, "bfloat16": torch.bfloat16, "float": torch.float32, "double": torch.float64,
          "cfloat": torch.complex64, "cdouble": torch.complex128}


def turned(name):
    return lambda a, k: (name, [a[1], a[0]], k)


def listed(name):
    return lambda a, k: (name, [[*a]], k)


def unique(a, k):
    k = {"sorted": True, "return_inverse": False, "return_counts": False} | k
    dim = k.pop("dim", None)
    return ("_unique2", a, k) if dim is None else ("unique_dim", [a[0], dim], k)


def tensordot(a, k):
    dims = k.get("dims", a[2] if len(a) > 2 else 2)
    if isinstance(dims, int):
        dims = [list(range(-dims, 0)), list(range(dims))]
    return "tensordot", [*a[:2], *map(list, dims)], {}


def to(a, k):
    dtype = next((v for v in [*a[1:], *k.values()] if isinstance(v, torch.dtype)), a[0].dtype)
    return "to", [a[0], dtype], {}


def norm(a, k):
    k = {("p" if n == "ord" else n): v for n, v in k.items()}
    if len(a) > 1 and a[1] == "fro":
        a = [a[0], 2, *a[2:]]
    if k.get("p") == "fro":
        k["p"] = 2
    if ("dim" in k or len(a) > 2) and "dtype" not in k:
        k.setdefault("keepdim", False)
    return "norm", a, k


# How a name of the database is called in C++: another name, or another order of arguments.
RENAMED = {"__radd__": "add", "__rmul__": "mul", "__rand__": "bitwise_and", "__ror__": "bitwise_or", "__rxor__": "bitwise_xor", "__rsub__": "rsub",
           "__rpow__": turned("pow"), "__rmod__": turned("remainder"), "__rmatmul__": turned("matmul"), "T": "numpy_T", "H": "matrix_H",
           "nn.functional.logsigmoid": "log_sigmoid", "polygamma": turned("polygamma"), "special.polygamma": turned("special_polygamma"),
           "where": lambda a, k: ("where", [a[1], a[0], *a[2:]], k), "einsum": turned("einsum"), "unique": unique, "norm": norm,
           "block_diag": listed("block_diag"), "broadcast_tensors": listed("broadcast_tensors"), "cartesian_prod": listed("cartesian_prod"),
           "meshgrid": lambda a, k: ("meshgrid", a if isinstance(a[0], (list, tuple)) else [[*a]], k)}
RENAMED |= {"tensordot": tensordot, "to": to, "cdist": lambda a, k: ("cdist", a[:3], {})}
RENAMED |= {n: (lambda t: lambda a, k: ("to", [a[0], t], {}))(t) for n, t in DTYPES.items()}


def cpp_name(name):
    """What Sinter's documentation would list."""
    r = RENAMED.get(name)
    if name in DTYPES:
        return "to"
    if name in ("unique", "norm", "polygamma", "where", "einsum", "block_diag", "broadcast_tensors", "cartesian_prod", "meshgrid",
                "tensordot", "to", "cdist"):
        return name
    if name.startswith("__r") or isinstance(r, str):
        return {"__rpow__": "pow", "__rmod__": "remainder", "__rmatmul__": "matmul"}.get(name, r)
    return re.sub(r"^(nn\.functional|special)\.", "", name).replace(".", "_")


def absent(name):
    n = cpp_name(name)
    return n not in OURS or name.split(".")[0] in ("fft", "signal", "masked", "sparse", "torch")


# Operands whose elements are stored, as a formula would not do: matrices with conditions, and indices that must not repeat.
KEPT_VALUES = ["linalg_.*", "cholesky.*", "lu_.*", "geqrf", "orgqr", "ormqr", "triangular_solve", "matrix_exp", "pinverse", "svd", "qr",
               "inverse", "logdet", "slogdet", "det", "index_.*", "put", "scatter.*", "gather", "take.*", "bincount", "searchsorted",
               "bucketize", "repeat_interleave", "histogram.*", "unique.*", "logcumsumexp", "nanquantile", "quantile", "mvlgamma", "cross"]

# Equal bits are promised for these (semantics: moves, + - * / sqrt, comparisons, rounding, casts).
EXACT = ["add", "sub", "rsub", "mul", "neg", "abs_real", "maximum", "minimum", "fmax", "fmin", "clamp.*", "ceil", "floor", "trunc", "fix", "frac",
         "round", "sign", "relu", "relu6", "where", "masked_.*", "index", "index_select", "index_copy", "index_fill", "index_put", "gather",
         "scatter", "take.*", "put", "cat", "stack", ".*stack", "flip.*", "roll", "rot90", "tri[lu].*", "diag.*", "view.*", "reshape.*", "expand.*",
         "permute", "transpose", "t", "squeeze", "unsqueeze", "select.*", "slice.*", "narrow.*", "split.*", "chunk", "[hvd]split", "tensor_split",
         "unbind", "unfold", "unflatten", "flatten", "ravel", "movedim", "swap.*", "as_strided.*", "repeat.*", "tile", "clone", "contiguous",
         "to", "type_as", "copysign", "nextafter", "frexp", "heaviside", "nan_to_num", "sort", "msort", "topk", "kthvalue", "median",
         "nanmedian", "mode", "cummax", "cummin", "max", "min", "amax", "amin", "aminmax", "unique.*", "_unique2", "real", "imag", "conj.*",
         "resolve_.*", "positive", "fill.*", "zero.*", "ones.*", "full.*", "new_.*", "zeros.*", "eye", "broadcast.*", "meshgrid",
         "cartesian_prod", "combinations", "block_diag", "atleast_.*", "column_stack", "constant_pad_nd", "item", "numpy_T", "m[TH]", "matrix_H",
         "linalg_diagonal", "trace_exact", "hardtanh", "threshold", "hardshrink", "nn_relu", "scalar_tensor"]

# The largest error: so many units in the last place of a value, and so many of the largest value.
TOLERANCE = [("sinc", (16, 16)), ("(sum|nansum|mean|nanmean|cumsum|trace|trapezoid|trapz|cumulative_trapezoid|prod|cumprod|diff|gradient|scatter_.*|index_.*)", (4, 16)),
             ("(var|std)(_mean)?", (16, 32)), ("(linalg_(vector_|matrix_)?norm|norm|dist|cdist|renorm)", (16, 16)),
             ("(mm|bmm|mv|dot|vdot|matmul|addmm|addmv|addr|baddbmm|addbmm|inner|outer|ger|kron|tensordot|einsum|chain_matmul|cross|linalg_(multi_dot|vecdot|cross|matrix_power|vander)|matrix_power|addcmul|addcdiv|lerp)", (8, 16)),
             ("(softmax|log_softmax|logsumexp|_softmax|_log_softmax|logcumsumexp)", (16, 16)), ("(cov|corrcoef)", (256, 1024)),
             ("(lgamma|digamma|polygamma|mvlgamma|special_polygamma|erfinv|special_ndtri|igamma.*|special_zeta)", (32, 32)),
             ("(linalg_.*|cholesky.*|lu_.*|inverse|pinverse|det|logdet|slogdet|svd|qr|geqrf|orgqr|ormqr|triangular_solve|matrix_exp)", (64, 1024)),
             ("(hist.*|quantile|nanquantile)", (8, 16)), ("(linspace|logspace|arange)", (16, 4)), (".*", (8, 0.5))]


# Results of which dtype and sizes alone are compared: vectors are unique up to a factor, and LAPACKs order eigenvalues differently.
# linalg.txt has their values, sorted, and what they multiply to.
SHAPES_ONLY = {"linalg_eig": [0, 1], "linalg_eigvals": [0], "linalg_eigh": [1], "linalg_svd": [0, 2], "svd": [0, 2]}

# Judged by PyTorch's result in the same dtype, not in double: weights in float make other factors there.
NOT_WIDER = ["cov"]

# Views in PyTorch that are copies here: conjugates (docs/porting.md).
COPIES = ["conj", "mH", "matrix_H", "adjoint"]

# Methods of libtorch that Python does not have under this name.
CPP_FORMS = {"mH": "m", "mT": "m", "numpy_T": "m", "matrix_H": "m", "slice": "m"}

# Forms that libtorch has and Sinter does not: no test may miss that one comes.
WRITTEN_FOR_ALL = "libtorch writes this form for every operator; programs do not use it"
MISSING = dict.fromkeys(["_unique2 o", "narrow_copy o", "new_full o", "new_ones o", "new_zeros o", "repeat o"], WRITTEN_FOR_ALL)
MISSING |= {"index_put m": "a list of indices as one variable, out of place; index_put_ and the function have it",
            "unique_consecutive m": "a method; the function is there"}


def refusal(key, kind, message):
    """PyTorch's kind of a refusal as Sinter's: one for a bad index, one for a bad dtype, one for a matrix's numbers."""
    if kind == "Error" and re.search(r"index (?!k).* out of (bounds|range)|Expected dtype int.* for index", message):
        return kind if re.match("gather|scatter", key) else "IndexError"
    if kind == "Error" and key == "narrow_copy" and re.search("dim", message) and "length" not in message and "0-dim" not in message:
        return "IndexError"
    if kind == "TypeError" and re.search(r"not .*\b(support|for) [cC]omplex|omplex .*not support", message):
        return "NotImplementedError"
    if re.search("is zero and using it on lu_solve|should not contain infs", message):
        return "LinAlgError"
    return kind


def different_on_purpose(key, values, results):
    """The rule by which Sinter gives something else; None for nearly all."""
    name = key.split(".")[0]
    if name in ("topk", "kthvalue") and any(v.unique().numel() < v.numel() for v in values[:1]):
        return "which index of equal values topk and kthvalue give is open"
    if name in ("polygamma", "special_polygamma") and bool((values[1] <= 0).any()):
        return "PyTorch's reflection of polygamma is inexact, and finite at poles"
    if name == "sinc" and not values[0].dtype.is_floating_point and not values[0].is_complex():
        return "sinc of whole numbers is 0 here, and a rounding error in PyTorch"
    if name in ("unique_dim", "unique_consecutive") and any(v is False for v in values):
        return "what is not asked for is empty here; PyTorch computes it all the same"
    return None

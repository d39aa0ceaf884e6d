"""Element operations with parameters."""

import torch
import torch.nn.functional as F

from notation import ALL, FLOATS, T
from pointwise import special_bound as special


def parameters(f):
    for d in ["c64", "c128"]:
        for a in [(None, None, None), (1.5, 2.0, -3.0)]:
            f.call("nan_to_num", T(d, [2, 8], "s", 2, 1, "t"), *a)
    for d in ALL:
        n = 12 if d in FLOATS else 8
        x = T(d, [n], "s", 2)
        for mode in [None, "trunc", "floor", "ceil"]:
            f.call("div_rounded", T(d, [n], "s", 1), T(d, [n], "n", 3), mode, by=lambda a, b, m: torch.div(a, b, rounding_mode=m))
            f.call("div_rounded", T(d, [4], "m", 1), 2, mode, by=lambda a, b, m: torch.div(a, b, rounding_mode=m))
            f.call("div_rounded", T(d, [4], "m", 1), -1.5, mode, by=lambda a, b, m: torch.div(a, b, rounding_mode=m))
            f.call("div_rounded", T(d, [4], "m", 1), T("i16", [4], "p", 2), mode, by=lambda a, b, m: torch.div(a, b, rounding_mode=m))
        for w in [0.25, 0.75, 1]:
            f.call("lerp", T(d, [6], "r", 1), T(d, [6], "r", 2), w)
        f.call("lerp", T(d, [2, 3], "r", 1), T(d, [3], "r", 2), T(d, [2, 1], "p", 1))
        f.call("lerp", T(d, [3], "r", 1), T("f64", [3], "r", 2), 0.5)
        for v in [1, 2, 0.5, -1.75, 300]:
            f.call("addcmul", T(d, [4], "m", 1), T(d, [4], "m", 2), T(d, [4], "p", 3), v, by=lambda a, b, c, v: torch.addcmul(a, b, c, value=v))
            f.call("addcdiv", T(d, [4], "m", 1), T(d, [4], "m", 2), T(d, [4], "p", 3), v, by=lambda a, b, c, v: torch.addcdiv(a, b, c, value=v))
        f.call("addcmul", T(d, [2, 1], "m", 1), T("f32", [3], "m", 2), T("i16", [], "p", 3), 1, by=lambda a, b, c, v: torch.addcmul(a, b, c, value=v))
        f.call("clamp_tensors", T(d, [2, 4], "z", 2), T(d, [4], "m", 1), T(d, [2, 1], "p", 2), by=torch.clamp)
        f.call("clamp_tensors", T(d, [4], "z", 2), T(d, [4], "b", 2), None, by=torch.clamp)
        f.call("clamp_tensors", T(d, [4], "z", 2), None, T("i16", [4], "p", 2), by=torch.clamp)
        f.call("clamp_tensors", T(d, [4], "z", 2), T("f32", [], "m", 1), None, by=torch.clamp)
        f.call("nan_to_num", x, None, None, None)
        f.call("nan_to_num", x, 1.5, 2.0, -3.0)
        for eps in [None, 0.125]:
            f.call("logit_eps", T(d, [5], "b", 2) if d not in FLOATS else T(d, [12], "s", 9), eps, by=torch.logit)
        f.call("ldexp", T(d, [6], "m", 1), T("i32", [6], "m", 2))
        if d in FLOATS:
            f.call("ldexp", T(d, [30], "s"), T("i16", [12, 1], "s"))
            f.call("ldexp", T(d, [], "m", 1), T("i32", [6], "m", 2))
        for e in ["f16", "f32", "f64", "bool"]:
            f.call("ldexp", T(d, [6], "m", 1), T(e, [6], "m", 2))
        f.call("frexp", T(d, [6], "m", 1))
        f.call("float_power", T(d, [5], "p", 1), T(d, [5], "p", 3))
        f.call("float_power", T(d, [5], "p", 1), 2.5)
        f.call("float_power", 2, T(d, [5], "m", 3))
        for k in [0, 1, 2, 3, -1]:
            if k == 1 and d == "f64":
                continue  # PyTorch's has no more digits than Float
            f.call("polygamma", k, T(d, [5], "p", 1), bound=special)
        for p in [1, 2] if d != "bool" else []:
            f.call("mvlgamma", T(d, [5], "p", 8), p, bound=special)
        for name in ["angle", "isreal", "positive"]:
            f.call(name, x)
        for name, part in [("frexp_mantissa", 0), ("frexp_exponent", 1)] if d in FLOATS else []:
            f.call(name, x, by=lambda x, part=part: torch.frexp(x)[part].to(x.dtype))
        if d not in FLOATS or d == "f32":
            f.call("trigamma", T(d, [5], "p", 1), by=lambda x: torch.polygamma(1, x), bound=special)
        for mode in [None, "trunc", "floor"]:
            f.call("div_rounded_", T(d, [4], "m", 1), T(d, [4], "p", 2), mode, by=lambda a, b, m: a.div_(b, rounding_mode=m))
            f.call("div_rounded_", T(d, [4], "m", 1), -1.5, mode, by=lambda a, b, m: a.div_(b, rounding_mode=m))
        for v in [1, 0.5, 300]:
            f.call("addcmul_", T(d, [4], "m", 1), T("i16", [4], "m", 2), T(d, [], "p", 3), v, by=lambda a, b, c, v: a.addcmul_(b, c, value=v))
            f.call("addcdiv_", T(d, [4], "m", 1), T("f32", [4], "m", 2), T(d, [4], "p", 3), v, by=lambda a, b, c, v: a.addcdiv_(b, c, value=v))
        f.call("lerp_", T(d, [2, 2], "r", 1, 1, "t"), T(d, [2], "r", 2), 0.75)
        for e in ["f64", "f16", "bool"]:
            f.call("lerp", T(d, [3], "r", 1), T(d, [3], "r", 2), T(e, [], "p", 2))
        f.call("float_power_", T(d, [4], "p", 1), 2.5)
        f.call("float_power_", T(d, [4], "p", 1), T("i32", [4], "p", 2))
        f.call("round_decimals_", T(d, [6], "r", 1), 1, by=lambda x, k: x.round_(decimals=k))
        f.call("ldexp", T(d, [3], "m", 1), T("c64", [3], "m", 2), bound=special)
        for k in [0, 1, -1, 2]:
            f.call("round_decimals", T(d, [6], "r", 1), k, by=lambda x, k: torch.round(x, decimals=k))
        activations(f, d)


def activations(f, d):
    x = T(d, [14], "f", 0) if d in FLOATS else T(d, [5], "m", 2)
    for how in ["none", "tanh", "other"]:
        f.call("gelu", x, how, by=lambda x, h: F.gelu(x, approximate=h), bound=special)
    for a in [1, 0.5]:
        f.call("elu", x, a, by=F.elu)
        f.call("celu", x, float(a), by=F.celu)
        f.call("leaky_relu", x, a / 4, by=F.leaky_relu)
        f.call("hardshrink", x, a, by=F.hardshrink)
        f.call("softshrink", x, a, by=F.softshrink)
        f.call("softplus_with", x, a, 20, by=F.softplus)
    f.call("softshrink", x, -1.0, by=F.softshrink)
    f.call("selu", x, by=F.selu)
    for low, high in [(-1, 1), (-1.5, 2.5), (3, 1), (-300, 300), (-3, -1)]:
        f.call("hardtanh", x, low, high, by=torch._C._nn.hardtanh)
    for above, value in [(0.5, 2), (1, -3), (300, 3)]:
        f.call("threshold", x, above, value, by=F.threshold)
    f.call("prelu", T(d, [2, 3], "m", 1), T(d, [3], "p", 1), by=torch.prelu)
    f.call("prelu", T(d, [2, 3], "m", 1), T(d, [1], "p", 1), by=torch.prelu)
    f.call("prelu", T(d, [2, 3], "m", 1), T(d, [2], "p", 1), by=torch.prelu)

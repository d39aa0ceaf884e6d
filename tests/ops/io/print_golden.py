#!/usr/bin/env python3
"""Writes tests/ops/io/print_golden.def: what libtorch and Python's PyTorch print.

    python3 tests/ops/io/print_golden.py cases > cases.inc    # for print_golden_libtorch.cpp
    python3 tests/ops/io/print_golden.py merge printed.txt > tests/ops/io/print_golden.def

`printed.txt` is what that program wrote, compiled against Debian's libtorch-dev.
"""
import sys
import torch

names = {
    torch.float32: "kFloat", torch.float64: "kDouble", torch.float16: "kHalf", torch.bfloat16: "kBFloat16",
    torch.uint8: "kByte", torch.int8: "kChar", torch.int16: "kShort", torch.int32: "kInt", torch.int64: "kLong",
    torch.bool: "kBool",
}
inf, nan = float("inf"), float("nan")
cases = []


def number(v):
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, int):
        return f"{v}L"
    if v != v:
        return "NAN_"
    if v in (inf, -inf):
        return "INF_" if v > 0 else "-INF_"
    return repr(v)


def case(values, dtype, shape=None):
    t = torch.tensor(values, dtype=dtype)
    c = f"torch::tensor({{{', '.join(map(number, values))}}}, torch::{names[dtype]})"
    if shape is not None:
        t = t.view(shape)
        c += ".view({" + ", ".join(map(str, shape)) + "})" if shape else ".squeeze()"
    cases.append((c, t))


def pair(code, t):
    cases.append((code, t))


f, d, i = torch.float32, torch.float64, torch.int64
vectors = [
    [0.0, 1.0, 2.0], [0.5, 0.25], [-1.5, -2.0], [1.0, -1000.5], [-1000.5, 1.0], [1e-5, 1.0], [1e-5, 2e-5], [1e-10, 1.5],
    [123456.5, 1.0], [123456.5, -20000.25], [1e10, 1.0], [1e10, 2e10], [1234567.0, 1.0], [99999.0, 0.5], [12345.5],
    [0.1, 100000.0], [0.01, 0.02], [0.0001, 0.0002], [0.1, 0.2, 0.3], [nan, 1.0, inf, -inf], [nan, nan], [nan, 1.5],
    [inf, 0.5], [-0.0, 0.0], [0.0, 0.0], [1e-45, 1.0], [3e38, 1.0], [1.5e-40, 2.5e38], [1e8, 2e8], [100000001.0, 1.0],
    [1000.5, 1.0], [1001.5, 1.0], [999.9999, 0.99999], [-123.456, 7.0], [5e-4, 1.0], [16777216.0, 3.0], [-inf, nan],
]
for v in vectors:
    case(v, f)
    case(v, d)
for v in [[1e300, 1.5], [1e-300, 2e-300], [1e-300, 1.0], [1e100, 1.0], [123456789.0, 1.0], [1234567890.0, 1.0]]:
    case(v, d)
for v in [[1, -2, 300], [-1, -2], [0], [1234567, 1], [123456789012, 5], [1000000000] * 3, list(range(0, 40))]:
    case(v, i)
case([1, -2, 300], torch.int16)
case([1, 2, 200], torch.uint8)
case([1, -2, 100], torch.int8)
case([7, 70000], torch.int32)
case([True, False, True], torch.bool)
case([0.5, 0.1], torch.float16)
case([0.5, 0.1], torch.bfloat16)
case([65504.0, 0.5], torch.float16)
for dtype in (f, d, i):
    zero = 2 if dtype is i else 2.5
    case([zero], dtype, ())
case([1.0], f, ())
case([True], torch.bool, ())
case([0.1], d, ())
case([1e10], f, ())
case([1.5e-7], f, ())
case([nan], f, ())
case([-inf], f, ())
case([0.1], torch.float16, ())
step = lambda n, s, b=0.0: [b + s * k for k in range(n)]
for dtype in (f, i):
    one = 1 if dtype is i else 1.0
    base = 0 if dtype is i else 0.0
    for shape in [(2, 3), (3, 1), (1, 1), (2, 3, 4), (1, 2, 2, 2), (2, 1, 2, 3), (1, 30), (2, 40), (1, 1, 40), (2, 2, 20)]:
        n = torch.Size(shape).numel()
        case(step(n, one, base), dtype, shape)
for scale in (0.5, 100.25, 1e-4, 1e6, 12345.5):
    for shape in [(6,), (2, 3), (2, 2, 2), (2, 17), (2, 1, 17)]:
        n = torch.Size(shape).numel()
        case(step(n, scale), d, shape)
case([-1.5, 2.0, 3.0, -4.25], f, (2, 2))
case([nan, 2.5, -inf, 1.0], f, (2, 2))
for shape in [(0,), (2, 0), (0, 3), (2, 0, 3)]:
    for dtype in (f, d, i, torch.bool):
        s = ", ".join(map(str, shape))
        pair(f"torch::zeros({{{s}}}, torch::{names[dtype]})", torch.zeros(shape, dtype=dtype))
pair("torch::arange(12, torch::kFloat).view({3, 4}).t()", torch.arange(12.).view(3, 4).t())
pair("torch::arange(24, torch::kDouble).view({4, 6}).slice(1, 0, 6, 2)", torch.arange(24.).double().view(4, 6)[:, ::2])
whole = len(cases)
# Above 1000 elements only Python summarises.
pair("torch::arange(1001)", torch.arange(1001))
pair("torch::arange(1000, torch::kFloat)", torch.arange(1000.))
pair("torch::arange(1200, torch::kFloat) / 8", torch.arange(1200.) / 8)
pair("torch::arange(10000).view({100, 100})", torch.arange(10000).view(100, 100))
pair("torch::arange(2000, torch::kDouble).view({2, 1000})", torch.arange(2000.).double().view(2, 1000))
pair("torch::arange(4096, torch::kInt).view({8, 8, 8, 8})", torch.arange(4096, dtype=torch.int32).view(8, 8, 8, 8))
pair("torch::arange(5040, torch::kFloat).view({7, 6, 120}) / 3", torch.arange(5040.).view(7, 6, 120) / 3)


def literal(text):
    return 'R"~(' + text + ')~"'


if sys.argv[1] == "cases":
    for code, _ in cases[:whole]:
        print(f"CASE({code})")
else:
    printed = open(sys.argv[2]).read().split("\x01\n")[:-1]
    assert len(printed) == whole
    print(f"// Printed by Debian's libtorch 1.13.1 and by PyTorch {torch.__version__}; see print_golden.py.")
    print("// PRINTED(C++, libtorch's text, Python's text); SUMMARISED(C++, Python's text)")
    for k, (code, t) in enumerate(cases):
        if k < whole:
            print(f"PRINTED(({code}), {literal(printed[k])}, {literal(repr(t))})")
        else:
            print(f"SUMMARISED(({code}), {literal(repr(t))})")
    options = [("precision = 2", dict(precision=2)), ("threshold = 5, .edgeitems = 1", dict(threshold=5, edgeitems=1)),
               ("linewidth = 30", dict(linewidth=30)), ("sci_mode = true", dict(sci_mode=True)),
               ("precision = 7, .sci_mode = false", dict(precision=7, sci_mode=False)),
               ('profile = "short"', dict(profile="short"))]
    for code, given in options:
        torch.set_printoptions(profile="default")
        torch.set_printoptions(**given)
        for t_code, t in [("torch::arange(12, torch::kDouble) / 7", torch.arange(12.).double() / 7),
                          ("torch::arange(30).view({5, 6})", torch.arange(30).view(5, 6)),
                          ("torch::arange(3, torch::kFloat)", torch.arange(3.)),
                          ("torch::zeros({2})", torch.zeros(2)),
                          ("torch::tensor({1e-8, 1.0}, torch::kFloat)", torch.tensor([1e-8, 1.0]))]:
            print(f"OPTIONS((.{code}), ({t_code}), {literal(repr(t))})")
    torch.set_printoptions(profile="default")
    print("// NUMBER(C++, Python's text)")
    for v in [0.1, 1.0, -2.5, 1e15, 1e16, 123456789012345680.0, 1e-4, 1e-5, 1.5e-7, 0.49625658988952637, 1e100, -0.0, 3, -7,
              True, False, 1 / 3, 5e-324, 100.0]:
        print(f"NUMBER({number(v)}, {literal(repr(v))})")

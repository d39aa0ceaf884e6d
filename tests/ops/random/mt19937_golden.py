#!/usr/bin/env python3
"""Writes tests/ops/random/mt19937_golden.def: what PyTorch draws on an x86 CPU.

    python3 tests/ops/random/mt19937_golden.py > tests/ops/random/mt19937_golden.def

A row: C++ that draws `t` from generator `g`, whose seed is the row's number, and what PyTorch
draws. EXACT: the FNV-1a hash of t's bytes in row-major order, then of the bytes of one more
rand({1}, kDouble), which shows how many words were taken. CLOSE: all values, and that one more,
of functions whose values PyTorch does not promise between releases.
"""
import torch


def generator(seed):
    return torch.Generator().manual_seed(seed)


def bits(t):
    t = t.contiguous()
    if t.dtype == torch.bool:
        t = t.to(torch.uint8)
    return bytes(t.view(torch.uint8).flatten().tolist()) if t.dim() else bytes(t.view(1).view(torch.uint8).tolist())


def fnv(data):
    h = 0xCBF29CE484222325
    for b in data:
        h = ((h ^ b) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return h


names = {
    torch.float32: "kFloat", torch.float64: "kDouble", torch.float16: "kHalf", torch.bfloat16: "kBFloat16",
    torch.uint8: "kByte", torch.int8: "kChar", torch.int16: "kShort", torch.int32: "kInt", torch.int64: "kLong",
    torch.bool: "kBool",
}
floats = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
rows = []


def row(code, draw, exact=True):
    rows.append((code, draw, exact))


def braces(sizes):
    return "{" + ", ".join(map(str, sizes)) + "}"


for dtype in floats:
    n = names[dtype]
    for sizes in [(), (1,), (7,), (2, 3), (0, 3), (700,)]:
        row(f"t = rand({braces(sizes)}, g, {n})", lambda g, s=sizes, d=dtype: torch.rand(s, generator=g, dtype=d))
    row(f"t = empty({{50}}, {n}).uniform_(-1.5, 2.75, g)",
        lambda g, d=dtype: torch.empty(50, dtype=d).uniform_(-1.5, 2.75, generator=g))
    row(f"t = empty({{700}}, {n}).uniform_(-5, -4.99, g)",
        lambda g, d=dtype: torch.empty(700, dtype=d).uniform_(-5, -4.99, generator=g))
    row(f"t = empty({{4, 5}}, {n}).t().uniform_(0, 1, g)",
        lambda g, d=dtype: torch.empty(4, 5, dtype=d).t().uniform_(0, 1, generator=g))
    row(f"t = empty({{4, 6, 5}}, {n}).permute({{2, 0, 1}}).slice(1, 0, 4, 2).uniform_(0, 1, g)",
        lambda g, d=dtype: torch.empty(4, 6, 5, dtype=d).permute(2, 0, 1)[:, 0:4:2].uniform_(0, 1, generator=g))
for dtype in floats:
    n = names[dtype]
    full = dtype in (torch.float32, torch.float64)
    for size in [1, 2, 5, 15] + ([16, 17, 31, 32, 33, 1000] if full else []):
        row(f"t = randn({{{size}}}, g, {n})", lambda g, s=size, d=dtype: torch.randn(s, generator=g, dtype=d))
    row(f"t = empty({{9}}, {n}).normal_(3, 0.3, g)",
        lambda g, d=dtype: torch.empty(9, dtype=d).normal_(3, 0.3, generator=g))
    row(f"t = empty({{5, 8}}, {n}).t().normal_(0, 1, g)",
        lambda g, d=dtype: torch.empty(5, 8, dtype=d).t().normal_(0, 1, generator=g))
    row(f"t = empty({{5, 8}}, {n}).t().normal_(3, 0.3, g)",
        lambda g, d=dtype: torch.empty(5, 8, dtype=d).t().normal_(3, 0.3, generator=g))
    if full:
        row(f"t = empty({{40}}, {n}).normal_(3, 0.3, g)",
            lambda g, d=dtype: torch.empty(40, dtype=d).normal_(3, 0.3, generator=g))
        row(f"t = normal(2, 0.7, {{4, 6}}, g, {n})",
            lambda g, d=dtype: torch.normal(2, 0.7, (4, 6), generator=g, dtype=d))
row("Tensor a = randn({3}, g), b = randn({1}, g), c = randn({2}, g, kDouble), d = randn({20}, g), e = rand({1}, g); "
    "t = cat({a, b, c, d, e})",
    lambda g: torch.cat([torch.randn(3, generator=g).double(), torch.randn(1, generator=g).double(),
                         torch.randn(2, generator=g, dtype=torch.double), torch.randn(20, generator=g).double(),
                         torch.rand(1, generator=g).double()]))
row("t = normal(arange(20, kFloat), arange(20, kFloat), g)",
    lambda g: torch.normal(torch.arange(20.), torch.arange(20.), generator=g))
row("t = normal(arange(3, kDouble).unsqueeze(1), arange(4, kDouble), g)",
    lambda g: torch.normal(torch.arange(3.).double().unsqueeze(1), torch.arange(4.).double(), generator=g))
row("t = normal(arange(5, kFloat), 2, g)", lambda g: torch.normal(torch.arange(5.), 2, generator=g))
row("t = normal(1, arange(5, kFloat), g)", lambda g: torch.normal(1., torch.arange(5.), generator=g))
for low, high, dtype in [(0, 10, torch.int64), (-5, 5, torch.int64), (0, 2, torch.bool), (0, 256, torch.uint8),
                         (-128, 128, torch.int8), (-300, 300, torch.int16), (0, 2**28 - 1, torch.int64),
                         (0, 2**28, torch.int64), (-2**31, 2**31, torch.int32), (0, 2**40, torch.int64),
                         (-7, 1000, torch.float32), (3, 99, torch.float64), (0, 100, torch.float16),
                         (0, 2**30, torch.float64)]:
    row(f"t = randint({low}, {high}, {{3, 7}}, g, {names[dtype]})",
        lambda g, l=low, h=high, d=dtype: torch.randint(l, h, (3, 7), generator=g, dtype=d))
for dtype in names:
    row(f"t = empty({{20}}, {names[dtype]}).random_(g)",
        lambda g, d=dtype: torch.empty(20, dtype=d).random_(generator=g))
row("t = empty({20}, kLong).random_(INT64_MIN, nullopt, g)",
    lambda g: torch.empty(20, dtype=torch.int64).random_(-2**63, None, generator=g))
row("t = empty({20}, kInt).random_(-5, nullopt, g)",
    lambda g: torch.empty(20, dtype=torch.int32).random_(-5, None, generator=g))
row("t = empty({20}, kFloat).random_(12, g)", lambda g: torch.empty(20).random_(12, generator=g))
for size, dtype in [(0, torch.int64), (1, torch.int64), (4, torch.int64), (300, torch.int64), (100, torch.int32),
                    (50, torch.float32), (200, torch.uint8), (30, torch.float16)]:
    row(f"t = randperm({size}, g, {names[dtype]})",
        lambda g, s=size, d=dtype: torch.randperm(s, generator=g, dtype=d))
row("randn({5}, g); t = g.get_state()", lambda g: (torch.randn(5, generator=g), g.get_state())[1])
row("rand({700}, g); t = g.get_state()", lambda g: (torch.rand(700, generator=g), g.get_state())[1])
row("t = (arange(40, kFloat) / 40).bernoulli(g)", lambda g: (torch.arange(40.) / 40).bernoulli(generator=g))
row("t = (arange(40, kDouble) / 40).bernoulli(g)",
    lambda g: (torch.arange(40.).double() / 40).bernoulli(generator=g))
row("t = empty({4, 10}, kLong).bernoulli_(arange(10, kFloat) / 10, g)",
    lambda g: torch.empty(4, 10, dtype=torch.int64).bernoulli_(torch.arange(10.) / 10, generator=g))
row("t = empty({40}, kBool).bernoulli_(0.3, g)",
    lambda g: torch.empty(40, dtype=torch.bool).bernoulli_(0.3, generator=g))
row("t = arange(6, kFloat).multinomial(20, true, g)",
    lambda g: torch.arange(6.).multinomial(20, True, generator=g))
row("t = arange(12, kDouble).view({2, 6}).multinomial(9, true, g)",
    lambda g: torch.arange(12.).double().view(2, 6).multinomial(9, True, generator=g))
row("t = arange(12, kFloat).view({2, 6}).multinomial(4, false, g)",
    lambda g: torch.arange(12.).view(2, 6).multinomial(4, generator=g), exact=False)
row("t = arange(12, kFloat).multinomial(1, true, g)",
    lambda g: torch.arange(12.).multinomial(1, True, generator=g), exact=False)
for dtype in floats:
    n = names[dtype]
    row(f"t = empty({{20}}, {n}).exponential_(1.5, g)",
        lambda g, d=dtype: torch.empty(20, dtype=d).exponential_(1.5, generator=g), exact=False)
    row(f"t = empty({{20}}, {n}).log_normal_(0.5, 0.25, g)",
        lambda g, d=dtype: torch.empty(20, dtype=d).log_normal_(0.5, 0.25, generator=g), exact=False)
    row(f"t = empty({{20}}, {n}).cauchy_(0.5, 2, g)",
        lambda g, d=dtype: torch.empty(20, dtype=d).cauchy_(0.5, 2, generator=g), exact=False)
for dtype in [torch.float32, torch.float64, torch.int32]:
    row(f"t = empty({{20}}, {names[dtype]}).geometric_(0.3, g)",
        lambda g, d=dtype: torch.empty(20, dtype=d).geometric_(0.3, generator=g), exact=False)

print(f"// Drawn by PyTorch {torch.__version__} on x86-64 ({torch.backends.cpu.get_cpu_capability()}) by mt19937_golden.py.")
print("// EXACT(C++, FNV-1a hash); CLOSE(C++, values): see there.")
for seed, (code, draw, exact) in enumerate(rows):
    g = generator(seed)
    t = draw(g)
    after = torch.rand(1, generator=g, dtype=torch.double)
    if exact:
        print(f"EXACT(({code}), 0x{fnv(bits(t) + bits(after)):016x})")
    else:
        values = t.double().flatten().tolist() + after.tolist()
        print(f"CLOSE(({code}), {', '.join(repr(v) for v in values)})")

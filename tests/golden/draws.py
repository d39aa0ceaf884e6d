"""Random draws from PyTorch's stream, each after manual_seed(7), and what refuses its parameters."""

import torch

from notation import ALL, EPS, FLOATS, NAME_OF, NAMES, T


def seeded(g):
    def call(*a):
        torch.manual_seed(7)
        return g(*a)
    return call


def nearly(values, result):
    x = result.double().abs()
    x = x[x.isfinite()]
    return 8 * EPS[NAME_OF[result.dtype]] * float(x.max()) if x.numel() else 0


def draws(f):
    sizes = [[5], [2, 3], [], [0], [20], [-1]]
    for t in [None, *(NAMES[d] for d in ALL)]:
        for s in sizes:
            f.call("rand", s, t, by=seeded(lambda s, t: torch.rand(s, dtype=t)))
            if s == [0] and t not in (None, *(NAMES[d] for d in FLOATS)):
                continue  # PyTorch looks at the dtype where there are elements
            # Half and BFloat16 of 16 or more differ between PyTorch's releases.
            if s != [20] or t not in (torch.float16, torch.bfloat16):
                f.call("randn", s, t, by=seeded(lambda s, t: torch.randn(s, dtype=t)), bound=nearly)
            for low, high in [(None, 10), (-3, 4), (0, 1), (5, 5), (0, 300), (-299, 300), (5000, 70000), (100, 120)] if s == [5] else [(2, 9)]:
                f.call("randint", low, high, s, t, by=seeded(
                    lambda a, b, s, t: torch.randint(b, s, dtype=t) if a is None else torch.randint(a, b, s, dtype=t)))
        for n in [0, 1, 5, 30, -1]:
            f.call("randperm", n, t, by=seeded(lambda n, t: torch.randperm(n) if t is None else torch.randperm(n, dtype=t)))
    for d in ALL:
        x = T(d, [2, 3], "m", 0, 1, "t")
        f.call("rand_like", x, None, by=seeded(lambda x, t: torch.rand_like(x)))
        f.call("randn_like", x, None, by=seeded(lambda x, t: torch.randn_like(x)), bound=nearly)
        f.call("randint_like", x, 0, 2 if d == "bool" else 9, None, by=seeded(lambda x, a, b, t: torch.randint_like(x, a, b)))
        x = T(d, [6], "b")
        f.call("bernoulli", x, None, by=seeded(lambda x, _: torch.bernoulli(x)))
        f.call("bernoulli", x, 0.3, by=seeded(torch.bernoulli))
        f.call("bernoulli", x, 1.5, by=seeded(torch.bernoulli))
        f.call("bernoulli", T(d, [4], "p"), None, by=seeded(lambda x, _: torch.bernoulli(x)))
        for again in [True, False]:
            f.call("multinomial", T(d, [2, 4], "p", 1), 3, again, by=seeded(torch.multinomial))
            f.call("multinomial", T(d, [4], "m", 1), 2, again, by=seeded(torch.multinomial))
        f.call("multinomial", T(d, [3], "p"), 4, False, by=seeded(torch.multinomial))
        f.call("multinomial", T(d, [3], "p"), 0, True, by=seeded(torch.multinomial))
        x = T(d, [2, 3], "m", 0, 1, "s")
        method = lambda name: seeded(getattr(torch.Tensor, name))  # noqa: E731
        for a, b in [(0, 1), (-2, 3), (1, 0), (2, 2)]:
            f.call("uniform_", x, a, b, by=method("uniform_"), bound=nearly)
        for m, s in [(0, 1), (2, 0.5), (0, -1), (1, 0)]:
            f.call("normal_", x, m, s, by=method("normal_"), bound=nearly)
            f.call("log_normal_", x, m, s, by=method("log_normal_"), bound=nearly)
            f.call("cauchy_", x, m, s, by=method("cauchy_"), bound=nearly)
        for v in [1, 2.5, 0, -1]:
            f.call("exponential_", x, v, by=method("exponential_"), bound=nearly)
            f.call("geometric_", x, v / 4, by=method("geometric_"), bound=nearly)
            f.call("bernoulli_", x, v / 4, by=method("bernoulli_"))
        f.call("bernoulli_", x, T("f32", [2, 3], "b"), by=method("bernoulli_"))
        f.call("bernoulli_", x, T("f64", [3], "b"), by=method("bernoulli_"))
        for a, b in [(None, None), (7, None), (0, None), (-3, 4), (5, 5), (0, 300), (-5003, 5003)]:
            f.call("random_", x, a, b, by=seeded(
                lambda x, a, b: x.random_() if a is None else x.random_(a) if b is None else x.random_(a, b)))
        for m, s in [(T(d, [6], "m"), T(d, [6], "p")), (T(d, [2, 1], "m"), T("f32", [3], "p"))]:
            f.call("normal", m, s, None, by=seeded(lambda m, s, _: torch.normal(m, s)), bound=nearly)
        f.call("normal", T(d, [6], "m"), 0.5, [], by=seeded(lambda m, s, _: torch.normal(m, s)), bound=nearly)
        f.call("normal", 0.5, T(d, [6], "p"), [], by=seeded(lambda m, s, _: torch.normal(m, s)), bound=nearly)
    f.call("normal", 1.0, 2.0, [20], by=seeded(torch.normal), bound=nearly)
    f.call("normal", 1.0, -2.0, [3], by=seeded(torch.normal))
    f.call("normal", T("f32", [3], "m"), T("f32", [3], "m"), None, by=seeded(lambda m, s, _: torch.normal(m, s)))

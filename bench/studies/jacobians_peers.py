#!/usr/bin/env python3
"""study_jacobians in torch.func, on two threads."""
import time

import torch
from torch.func import grad, hessian, jacfwd, jacrev, jvp, vmap


def measure(name, f):
    times = []
    for _ in range(20):
        start = time.perf_counter()
        f()
        times.append((time.perf_counter() - start) * 1e3)
    print(f"{name:<36} first {times[0]:8.2f} ms, best {min(times):8.3f} ms")


def main():
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(2)
    torch.manual_seed(1)
    n, samples, prices = 400, 1000, 1000000
    at = torch.rand(n)
    measure("Hessian of Rosenbrock, 400", lambda: hessian(
        lambda x: (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum())(at))
    rows, label = torch.randn(samples, n), (torch.rand(samples) > 0.5).double() * 2 - 1
    measure("Hessian of a logistic loss, 400", lambda: hessian(
        lambda w: torch.nn.functional.softplus(-label * (rows @ w)).mean())(at))
    weight, bias = torch.randn(100, 100), torch.rand(100)

    def layer(v):
        return torch.tanh(torch.mv(weight, v) + bias)

    measure("jacfwd of a layer, 100 to 100", lambda: jacfwd(layer)(bias))
    measure("jacrev of a layer, 100 to 100", lambda: jacrev(layer)(bias))
    data = torch.randn(256, 100)
    of_samples = vmap(grad(lambda w, v: (torch.tanh(torch.mv(w, v) + bias) ** 2).sum()), (None, 0))
    measure("gradients of 256 samples", lambda: of_samples(weight, data))
    spot, strike = torch.rand(prices) * 50 + 75, torch.rand(prices) * 50 + 75
    years, vol = torch.rand(prices) + 0.1, torch.rand(prices) * 0.3 + 0.1

    def share(d):
        return 0.5 * (1 + torch.erf(d * 0.7071067811865476))

    def price(s):
        spread = vol * torch.sqrt(years)
        d1 = (torch.log(s / strike) + (0.03 + vol * vol * 0.5) * years) / spread
        d2 = d1 - spread
        return s * share(d1) - strike * torch.exp(-0.03 * years) * share(d2)

    measure("Black-Scholes, 1e6 prices", lambda: price(spot))
    measure("the same and a derivative", lambda: jvp(price, (spot,), (torch.ones(prices),)))


main()

#!/usr/bin/env python3
"""study_gradient_memory in PyTorch, eager: python3 gradient_memory_peers.py [CASE]"""
import subprocess
import sys
import time

import torch
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

steps = 252
few, many = 100000, 16000000


def status_of(what):
    with open("/proc/self/status", encoding="ascii") as file:
        for line in file:
            if line.startswith(what):
                return 1024 * int(line.split()[1])
    return 0


def vectors(count, low, high):
    return lambda n: [torch.rand(n) * (high - low) + low for _ in range(count)]


def black_scholes(x, y, z):
    root = torch.sqrt(z) * 0.3
    d = (torch.log(x / y) + z * 0.065) / root
    p, q = 1 + torch.erf(d * 0.70710678118654752), 1 + torch.erf((d - root) * 0.70710678118654752)
    return (0.5 * (x * p - y * torch.exp(z * -0.02) * q)).sum()


def tanh_chain(x):
    inner = torch.tanh(torch.tanh(x) * 1.5 + 0.1)
    return (torch.tanh(inner * 1.5 - 0.1) * 0.5 + 0.5).sum()


def sines(y):
    for _ in range(10):
        y = torch.sin(y) * 1.01 + 0.1
    return y.sum()


def days(count, price, variance, kappa):
    for _ in range(count):
        variance = torch.abs(variance + kappa * (0.04 - variance) / steps
                             + 0.01 * torch.sin(price * 3) * torch.sqrt(variance))
        price = price * (1 + 0.03 / steps + 0.06 * torch.sqrt(variance) * torch.cos(price * 5))
    return price, variance


def checkpointed(price, variance, kappa):
    for _ in range(0, steps, 14):
        price, variance = checkpoint(lambda p, v, k: days(14, p, v, k), price, variance, kappa,
                                     use_reentrant=False)
    return price.mean()


def path(n):
    price, variance, kappa = vectors(3, 0.5, 1.5)(n)
    return [price, variance * 0.04, kappa]


def table(n):
    return [torch.rand(n // 1000, 1000)]


cases = {
    "grad_black_scholes": (few, many, vectors(3, 0.5, 2), black_scholes),
    "grad_tanh_chain": (few, many, vectors(1, -3, 3), tanh_chain),
    "grad_sines": (few, many, vectors(1, -3, 3), sines),
    "grad_softmax": (few, many, table, lambda t: functional.softmax(t, 1).square().sum()),
    "grad_log_softmax": (few, many, table, lambda t: functional.log_softmax(t, 1).square().mean()),
    "grad_layer_norm": (
        few, many, lambda n: [torch.rand(n // 1000, 1000), torch.rand(1000), torch.rand(1000)],
        lambda t, w, b: functional.layer_norm(t, [1000], w, b).square().mean()),
    "252 days": (1000, 1000000, path, lambda p, v, k: days(steps, p, v, k)[0].mean()),
    "252 days, checkpoints": (1000, 1000000, path, checkpointed),
}


def measure(name):
    small, large, make, loss = cases[name]
    torch.manual_seed(1)
    for n in (small, large):
        inputs = [t.requires_grad_() for t in make(n)]
        size = sum(t.nbytes for t in inputs)
        times = []
        for run in range(6 if n == small else 3):
            if run == 0:
                with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
                    file.write("5")
            before = status_of("VmRSS:")
            start = time.perf_counter()
            value = loss(*inputs)
            results = torch.autograd.grad(value, inputs)
            del value, results
            times.append((time.perf_counter() - start) * 1e3)
            if run == 0:
                taken = status_of("VmHWM:") - before
    print(f"{name:<24} {taken / size:6.2f} of the inputs, {min(times):9.1f} ms", flush=True)


if len(sys.argv) > 1:
    measure(sys.argv[1])
else:
    for case in cases:
        subprocess.run([sys.executable, __file__, case], check=True)

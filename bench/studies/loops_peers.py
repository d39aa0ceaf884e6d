"""The loops of loops.cpp in NumPy and PyTorch, beside Sinter's: one table of times and peak memory.

    python3 bench/studies/loops_peers.py build/release/bin/study_loops [name...]

The Python that runs this has NumPy and PyTorch. Each run is a process of its own, and those of one loop follow each other. Times are
the best of the warm runs, in milliseconds; peaks are in megabytes above what lived before: Sinter's count of its buffers,
tracemalloc for NumPy, and for PyTorch the most memory of the process after a first run (large blocks are mapped
one by one there, so that freed ones do not count). The inputs are equal, and so must the results be, up to rounding, except of
random draws.
"""

import argparse
import ctypes
import gc
import json
import math
import os
import subprocess
import sys
import time
import tracemalloc


# ---- what NumPy and PyTorch spell differently

def numpy_names():
    import numpy as np
    f32 = np.float32

    class names:
        sin, exp, sqrt, tanh, where, clamp, roll = np.sin, np.exp, np.sqrt, np.tanh, np.where, np.clip, np.roll
        inverse, norm, cat = np.linalg.inv, np.linalg.norm, np.concatenate
        cumsum = staticmethod(lambda x, d: np.cumsum(x, d))
        sort = staticmethod(lambda x, d: np.sort(x, d))
        given = staticmethod(lambda a: a)
        copy = staticmethod(lambda x: x.copy())
        zeros = staticmethod(lambda *s: np.zeros(s, f32))
        ones = staticmethod(lambda *s: np.ones(s, f32))
        eye = staticmethod(lambda n: np.eye(n, dtype=f32))
        arange = staticmethod(lambda n: np.arange(n, dtype=f32))
        linspace = staticmethod(lambda a, b, n: np.linspace(a, b, n, dtype=f32))
        normal = staticmethod(lambda n, g=np.random.default_rng(1): g.standard_normal(n, dtype=f32))
        whole = staticmethod(lambda x: x.astype(np.int32))
        real = staticmethod(lambda x: x.astype(f32))
        total = staticmethod(lambda x: float(x.sum(dtype=np.float64)))

        @staticmethod
        def softmax(x, d):
            e = np.exp(x - x.max(d, keepdims=True))
            return e / e.sum(d, keepdims=True)

    names.sigmoid = staticmethod(lambda x: 1 / (1 + np.exp(-x)))
    return names


def torch_names():
    import torch

    class names:
        sin, exp, sqrt, tanh, where, clamp, roll = (torch.sin, torch.exp, torch.sqrt, torch.tanh, torch.where, torch.clamp,
                                                    torch.roll)
        inverse, norm, cat, softmax, sigmoid = torch.inverse, torch.norm, torch.cat, torch.softmax, torch.sigmoid
        cumsum = staticmethod(torch.cumsum)
        sort = staticmethod(lambda x, d: x.sort(d).values)
        given = staticmethod(torch.from_numpy)
        copy = staticmethod(lambda x: x.clone())
        zeros, ones, eye = torch.zeros, torch.ones, torch.eye
        arange = staticmethod(lambda n: torch.arange(n, dtype=torch.float32))
        linspace = staticmethod(torch.linspace)
        normal = staticmethod(torch.randn)
        whole = staticmethod(lambda x: x.to(torch.int32))
        real = staticmethod(lambda x: x.to(torch.float32))
        total = staticmethod(lambda x: x.sum(dtype=torch.float64).item())

    return names


# ---- the loops, line by line those of loops.cpp

def wave(L):
    u = L.sin(L.arange(1000000) * 1e-3)
    p = L.copy(u)
    for _ in range(100):
        following = 2 * u - p
        following[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        p, u = u, following
    return L.total(u)


def heat(L):
    a = L.zeros(512, 512)
    a[200:300, 200:300] = 1.0
    for _ in range(100):
        a[1:-1, 1:-1] += 0.2 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] - 4 * a[1:-1, 1:-1])
    return L.total(a)


def attention(L, y):
    for _ in range(50):
        y = (L.softmax(y, 1) + y.T) * 0.5
    return L.total(y)


def softmax_residual(L, x):
    for _ in range(100):
        x = L.softmax(x, 1) + x
    return L.total(x)


def life(L, x):
    a = L.whole(x < -0.7)
    for _ in range(100):
        n = a * 0
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                if dy or dx:
                    n = n + L.roll(a, (dy, dx), (0, 1))
        a = L.whole((n == 3) | ((n == 2) & (a == 1)))
    return L.total(a)


def brownian(L):
    c, k = -0.5 * 0.04 / 64, 0.2 / 8
    s, total = L.ones(100000) * 100, L.zeros(100000)
    for _ in range(64):
        s = s * L.exp(c + k * L.normal(100000))
        total += s
    return L.total(total / 64)


def random_walk(L):
    x = L.zeros(100000)
    for _ in range(200):
        x = x + L.normal(100000)
    return L.total(x)


def power_iteration(L, a):
    v = L.ones(512)
    for _ in range(100):
        v = a @ v
        v = v / L.norm(v)
    return L.total(v * v)


def conjugate_gradient(L, m):
    a, b = m.T @ m / 5 + L.eye(512), L.ones(512)
    x, r = L.zeros(512), L.copy(b)
    p = L.copy(r)
    rr = (r * r).sum()
    for _ in range(100):
        ap = a @ p
        alpha = rr / (p * ap).sum()
        x += alpha * p
        r -= alpha * ap
        following = (r * r).sum()
        p = r + following / rr * p
        rr = following
    return L.total(x)


def regression(L, x, noise):
    y, w = x @ L.arange(16) + noise, L.zeros(16)
    for _ in range(100):
        w = w - 0.05 * (x.T @ (x @ w - y)) / 20000
    return L.total(w)


def logistic(L, x):
    y, w = L.real(x.sum(1) > 0), L.zeros(16)
    for _ in range(100):
        w = w - 0.5 * (x.T @ (L.sigmoid(x @ w) - y)) / 20000
    return L.total(w)


def k_means(L, x):
    centers = L.copy(x[:8])
    for _ in range(30):
        nearest = ((x[:, None] - centers) ** 2).sum(2).argmin(1)
        of = L.real(nearest[:, None] == L.arange(8))
        centers = of.T @ x / of.sum(0)[:, None]
    return L.total(centers)


def adam(L, target):
    w, m, v = L.zeros(200000), L.zeros(200000), L.zeros(200000)
    for i in range(1, 101):
        g = w - target
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g * g
        w = w - 0.01 * (m / (1 - 0.9**i)) / (L.sqrt(v / (1 - 0.999**i)) + 1e-8)
    return L.total(w)


def mandelbrot(L):
    x, y = L.linspace(-2, 1, 400), L.linspace(-1.5, 1.5, 400)[:, None]
    a, b, n = L.zeros(400, 400), L.zeros(400, 400), L.zeros(400, 400)
    for _ in range(50):
        following = a * a - b * b + x
        b = L.clamp(2 * a * b + y, -4, 4)
        a = L.clamp(following, -4, 4)
        n += L.real(a * a + b * b < 4)
    return L.total(n)


def lorenz(L, x, y, z):
    z = z + 20
    for _ in range(1000):
        dx, dy, dz = 10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z
        x, y, z = x + 0.001 * dx, y + 0.001 * dy, z + 0.001 * dz
    return L.total(x + y + z)


def bodies(L, at, mass):
    v, mass = L.zeros(256, 3), abs(mass)
    for _ in range(20):
        d = at[None] - at[:, None]
        r2 = (d**2).sum(2) + 0.01
        v = v + 0.001 * (d * (mass * r2**-1.5)[:, :, None]).sum(1)
        at = at + 0.001 * v
    return L.total(at)


def newton(L, a):
    a = abs(a) + 1
    x = L.copy(a)
    for _ in range(50):
        x = 0.5 * (x + a / x)
    return L.total(x)


def average(L, x):
    m = L.zeros(1000)
    for i in range(500):
        m = 0.99 * m + 0.01 * x[i]
    return L.total(m)


def scans(L, x):
    for _ in range(50):
        x = L.cumsum(x, 1) * 0.01 + 1
    return L.total(x)


def blur(L, a):
    for _ in range(20):
        a = (L.cat([a[1:], a[:1]]) + 2 * a + L.cat([a[-1:], a[:-1]])) / 4
        a = (L.cat([a[:, 1:], a[:, :1]], 1) + 2 * a + L.cat([a[:, -1:], a[:, :-1]], 1)) / 4
    return L.total(a)


def kalman(L, h, z):
    f, q, r = L.eye(4) + 0.01 * L.ones(4, 4), 0.01 * L.eye(4), L.eye(2)
    x, p = L.zeros(4, 1), L.eye(4)
    for i in range(200):
        x = f @ x
        p = f @ p @ f.T + q
        gain = p @ h.T @ L.inverse(h @ p @ h.T + r)
        x = x + gain @ (z[i] - h @ x)
        p = (L.eye(4) - gain @ h) @ p
    return L.total(x)


def recurrent(L, w, u, x):
    w, u, h = w / 8, u / 8, L.zeros(32, 64)
    for i in range(100):
        h = L.tanh(x[i] @ w + h @ u)
    return L.total(h)


def jacobi(L):
    a, hot = L.zeros(512, 512), L.zeros(512, 512)
    hot[0] = 1.0
    for _ in range(50):
        around = (L.roll(a, 1, 0) + L.roll(a, -1, 0) + L.roll(a, 1, 1) + L.roll(a, -1, 1)) * 0.25
        a = L.where(hot > 0, hot, around)
    return L.total(a)


def matrix_powers(L, x, a):
    a = a / math.sqrt(512)
    for _ in range(200):
        x = x @ a
    return L.total(x * x)


def transposed(L, x):
    for _ in range(200):
        x = (x + x.T) * 0.5
    return L.total(x * x)


def sorting(L, given):
    x = given
    for _ in range(20):
        x = L.sort(x, 1) * 0.5 + given
    return L.total(x * x)


square = (512, 512)
programs = {  # the sizes of the inputs
    wave: [], heat: [], attention: [square], softmax_residual: [square], life: [(256, 256)], brownian: [], random_walk: [],
    power_iteration: [square], conjugate_gradient: [square], regression: [(20000, 16), (20000,)], logistic: [(20000, 16)],
    k_means: [(20000, 2)], adam: [(200000,)], mandelbrot: [], lorenz: [(1000,)] * 3, bodies: [(256, 3), (256,)],
    newton: [(200000,)], average: [(500, 1000)], scans: [square], blur: [square], kalman: [(2, 4), (200, 2, 1)],
    recurrent: [(64, 64), (64, 64), (100, 32, 64)], jacobi: [], matrix_powers: [square, square], transposed: [square],
    sorting: [square]}
drawing = {"brownian", "random_walk"}


# ---- one run: a process of its own

def inputs_of(program):
    """What inputs_of of loops.cpp makes."""
    import numpy as np
    last, made = 2**24 - 1, []
    for number, sizes in enumerate(programs[program]):
        place = (np.arange(math.prod(sizes), dtype=np.int64) + (number + 1) * 1000003) & last
        for odd in (10368889, 14058331, 7027927):
            place = place * odd & last
            place ^= place >> 11
        made.append(((place * 2.0**-24).astype(np.float32) - np.float32(0.5)).reshape(sizes) * np.float32(3.4641016))
    return made


def memory(field):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(field))


def peak_of(peer, run):
    if peer == "numpy":
        tracemalloc.start()
        run()
        return tracemalloc.get_traced_memory()[1]
    run()  # loads libraries and starts threads
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/clear_refs", "w") as reset:
        reset.write("5")
    before = memory("VmRSS")
    run()
    return memory("VmHWM") - before


def measure(name, peer, what):
    L = numpy_names() if peer == "numpy" else torch_names()
    program = next(p for p in programs if p.__name__ == name)
    given = [L.given(x) for x in inputs_of(program)]
    if what == "peak":
        return {"peak": peak_of(peer, lambda: program(L, *given))}
    result, best, start, runs = program(L, *given), math.inf, time.perf_counter(), 0
    while runs < 3 or (runs < 30 and time.perf_counter() - start < 1):
        begin = time.perf_counter()
        program(L, *given)
        best, runs = min(best, time.perf_counter() - begin), runs + 1
    return {"ms": best * 1e3, "result": result}


# ---- the parent

def own_environment():
    """As ./dev bench: nothing that changes libraries or kernels."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("OPENBLAS_", "OMP_", "MKL_", "SINTER_"))}


def run_apart(name, peer, what):
    environment = own_environment()
    if what == "peak":
        environment["MALLOC_MMAP_THRESHOLD_"] = "65536"
    out = subprocess.run([sys.executable, __file__, "--run", name, peer, what], env=environment, check=True,
                         capture_output=True, text=True).stdout
    return json.loads(out)


def run_sinter(study, name):
    line = subprocess.run([study, name], env=own_environment(), check=True, capture_output=True, text=True).stdout.splitlines()[-1]
    words = line.split()
    return {"ms": [float(w) for w in words[5:8]], "peak": [float(w) for w in words[9:12]], "result": float(words[14])}


def number(x):
    return f"{x:.0f}" if x >= 99.5 else f"{x:.1f}"


def row(study, name):
    """The peers before and after Sinter, whose three ways take turns of their own."""
    peers = {}
    for turn in range(2):
        for peer in ("numpy", "torch"):
            answer = run_apart(name, peer, "time")
            if turn:
                answer["ms"] = min(answer["ms"], peers[peer]["ms"])
            peers[peer] = answer
        if not turn:
            own = run_sinter(study, name)
    peaks = [run_apart(name, peer, "peak")["peak"] / 1e6 for peer in peers]
    note = ""
    if name not in drawing:
        apart = max(abs(p["result"] - own["result"]) for p in peers.values()) / max(1.0, abs(own["result"]))
        note = "" if apart < 1e-3 else f" RESULTS DIFFER by {apart:.2g}"
    times = [*own["ms"], *(p["ms"] for p in peers.values())]
    factor = min(times[3:]) / times[0]
    return (f"| {name}{note} | {', '.join(map(number, times[:3]))} | {', '.join(map(number, times[3:]))} | "
            f"{'▼ ' if factor < 0.95 else ''}{factor:.2g} | "
            f"{', '.join(map(number, own['peak']))} | {', '.join(map(number, peaks))} |")


def main():
    if sys.argv[1:2] == ["--run"]:
        print(json.dumps(measure(*sys.argv[2:5])))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", help="build/release/bin/study_loops")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    print("| loop | ms: lazy, `eval`, eager | NumPy, PyTorch | best of them / lazy | peak MB: lazy, `eval`, eager | NumPy, PyTorch |")
    print("|---|---|---|---|---|---|")
    for program in programs:
        if not options.names or program.__name__ in options.names:
            print(row(options.study, program.__name__), flush=True)


if __name__ == "__main__":
    main()

"""Sinter, NumPy and (where it is installed) PyTorch in turns, over 1e6 elements:

python3 bench/studies/elements.py build/release/bin/study_elements [CASE...] [--threads N]

Prints the best of all turns, in milliseconds, and Sinter's time in units of the better rival's.
"""

import argparse
import subprocess
import time

import numpy as np

try:
    import torch
except ImportError:
    torch = None

n, side = 1_000_000, 1000


def numpy_cases():
    random = np.random.default_rng(1)
    x = random.random(n, dtype=np.float32)
    half, most = x > 0.5, x > 0.01
    square, square_half = x.reshape(side, side), half.reshape(side, side)
    places, columns = random.integers(0, n, n), random.integers(0, side, side)
    numbers, some = random.integers(0, 1000, n), random.integers(0, 1000, 100)
    target = np.zeros(n, np.float32)

    def put():
        target[half] = 2

    def add():
        t = target.copy()
        np.add.at(t, places, x)

    return {
        "cumsum": lambda: np.cumsum(x), "cumprod": lambda: np.cumprod(x),
        "logcumsumexp": lambda: np.logaddexp.accumulate(x),
        "x[half]": lambda: x[half], "x[most]": lambda: x[most],
        "x[half] 2-D": lambda: square[square_half], "x[half] = v": put,
        "nonzero": lambda: half.nonzero(), "nonzero 2-D": lambda: square_half.nonzero(),
        "gather": lambda: x[places], "index_select(0)": lambda: square[columns],
        "index_select(1)": lambda: square[:, columns],
        "scatter_add": add, "index_add": add, "isin": lambda: np.isin(numbers, some),
        "median": lambda: np.median(x), "kthvalue": lambda: np.partition(x, n // 2),
        "topk": lambda: np.sort(np.partition(x, n - 1000)[-1000:]), "sort": lambda: np.sort(x),
        "randperm": lambda: random.permutation(n),
    }


def torch_cases(threads):
    torch.set_num_threads(threads)
    x = torch.rand(n)
    half, most = x > 0.5, x > 0.01
    square, square_half = x.view(side, side), half.view(side, side)
    places, columns = torch.randint(0, n, (n,)), torch.randint(0, side, (side,))
    numbers, some = torch.randint(0, 1000, (n,)), torch.randint(0, 1000, (100,))
    target = torch.zeros(n)

    def put():
        target[half] = 2

    return {
        "cumsum": lambda: x.cumsum(0), "cumprod": lambda: x.cumprod(0),
        "logcumsumexp": lambda: x.logcumsumexp(0),
        "x[half]": lambda: x[half], "x[most]": lambda: x[most],
        "x[half] 2-D": lambda: square[square_half], "x[half] = v": put,
        "nonzero": lambda: half.nonzero(), "nonzero 2-D": lambda: square_half.nonzero(),
        "gather": lambda: x.gather(0, places), "index_select(0)": lambda: square.index_select(0, columns),
        "index_select(1)": lambda: square.index_select(1, columns),
        "scatter_add": lambda: target.scatter_add(0, places, x),
        "index_add": lambda: target.index_add(0, places, x), "isin": lambda: torch.isin(numbers, some),
        "median": lambda: x.median(), "kthvalue": lambda: x.kthvalue(n // 2),
        "topk": lambda: x.topk(1000), "sort": lambda: x.sort(), "randperm": lambda: torch.randperm(n),
    }


def best_of(call, seconds=0.15):
    for _ in range(3):
        call()
    best, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return 1e3 * best


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    names = subprocess.run([options.program], capture_output=True, text=True, check=True).stdout.split("\n")
    rivals = {"NumPy": numpy_cases()}
    if torch:
        rivals["PyTorch"] = torch_cases(options.threads)
    print(f"{'case':18}{'Sinter':>10}" + "".join(f"{r:>10}" for r in rivals) + f"{'ratio':>8}")
    for name in names:
        if not name or (options.cases and name not in options.cases):
            continue
        own, others = float("inf"), dict.fromkeys(rivals, float("inf"))
        for _ in range(3):
            run = subprocess.run([options.program, name, str(options.threads)], capture_output=True,
                                 text=True, check=True)
            own = min(own, float(run.stdout) / 1e6)
            for r, cases in rivals.items():
                others[r] = min(others[r], best_of(cases[name]))
        print(f"{name:18}{own:10.3f}" + "".join(f"{t:10.3f}" for t in others.values()) +
              f"{own / min(others.values()):8.2f}", flush=True)


if __name__ == "__main__":
    main()

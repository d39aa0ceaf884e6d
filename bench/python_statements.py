#!/usr/bin/env python3
"""What statements of Python cost in Sinter and in PyTorch, on one thread, in turns: medians and their ratio.

    SINTER_JIT=wait python bench/python_statements.py

The interpreter has both packages (docs/python.md). Values are computed in each turn; kernels are compiled before.
"""

import statistics
import time

import sinter
import torch

TURNS = 21
STATEMENTS = {
    "x + y": lambda m, x, y, z: x + y,
    "(x * y + z).exp()": lambda m, x, y, z: (x * y + z).exp(),
    "softmax of rows": lambda m, x, y, z: (x.view(-1, 16) - y.view(-1, 16)).softmax(1),
    "(x - y).square().mean()": lambda m, x, y, z: (x - y).square().mean(),
}


def seconds(statement, library, operands, calls):
    compute = sinter.Tensor.eval if library is sinter else lambda result: result
    begin = time.perf_counter()
    for _ in range(calls):
        compute(statement(library, *operands))
    return (time.perf_counter() - begin) / calls


def main():
    sinter.set_num_threads(1)
    torch.set_num_threads(1)
    print(f"PyTorch {torch.__version__}; microseconds")
    print(f"{'statement':28}{'elements':>10}{'Sinter':>10}{'PyTorch':>10}{'ratio':>8}")
    for name, statement in STATEMENTS.items():
        for size in (16, 1024, 1 << 17, 1 << 20):
            operands = {m: tuple(m.rand(size) for _ in range(3)) for m in (sinter, torch)}
            sinter.eval(*operands[sinter])
            calls = max(5, min(10000, 20_000_000 // (size + 2000)))
            times = {sinter: [], torch: []}
            for turn in range(TURNS + 1):
                for m in times:
                    times[m].append(seconds(statement, m, operands[m], calls if turn else 5))
            ours, theirs = (statistics.median(times[m][1:]) * 1e6 for m in (sinter, torch))
            print(f"{name:28}{size:10}{ours:10.2f}{theirs:10.2f}{ours / theirs:8.2f}")


if __name__ == "__main__":
    main()

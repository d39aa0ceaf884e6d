"""PyTorch on a GPU, eager and by torch.compile, beside sinter_bench.

python3 bench/peers_gpu.py PROGRAM --json FILE [--quick] [--gpu-mb N] [--dtypes f32,f16] [--filter RE] [--seconds N]
                                                                                # other options are ignored

Runs the cases of bench/gpu/case_list.cpp that are written here as well, over as many elements: PROGRAM, then each of PyTorch's
ways, then PROGRAM again, whose better time counts. The PyTorch is the one of the Python that runs this; without one, or
where it finds no GPU, it says so and writes no records. After --seconds it begins no further case, and says which it left
out.
"""

import argparse
import json
import pathlib
import re
import sys
import time

from peers import library_records, merge, worker

names = ["torch", "torch.compile"]


def ten_operations(x, y):
    return ((x * 2 + y) * x - 1) * (y + 3) * (x - y) + x * 5


def layer_norm(x):
    return (x - x.mean(1, True)) * (x.var(1, keepdim=True, unbiased=True) + 1e-5).rsqrt()


def square(x):
    side = int(x.numel() ** 0.5)
    return x[:side * side].view(side, side)


def imported():
    """PyTorch, which only workers import."""
    import torch
    return torch


# operands, columns of a row (0: one dimension; of "whole": elements a place; of "matrices": rows), function, whether torch.compile has something to fuse
cases = {
    "scale": (1, 0, lambda x: x * 2, False),
    "a+b": (2, 0, lambda x, y: x + y, False),
    "a*b+c": (3, 0, lambda x, y, z: x * y + z, True),
    "four_inputs": (4, 0, lambda x, y, z, w: x * y - z * w, False),
    "five_inputs": (5, 0, lambda x, y, z, w, v: x * y + z * w - v, False),
    "gelu": (1, 0, lambda x: x * 0.5 * (1 + (x * 0.7071067811865476).erf()), True),
    "sin": (1, 0, lambda x: x.sin(), False),
    "pow": (2, 0, lambda x, y: x.abs().pow(y), True),
    "remainder": (2, 0, lambda x, y: x.remainder(y), False),
    "ten_operations": (2, 0, ten_operations, True),
    "x+x.t()": (1, 0, lambda x: square(x) + square(x).t(), True),
    "sum": (1, 0, lambda x: x.sum(), True),
    "sum(1) of 4096": (1, 4096, lambda x: x.sum(1), True),
    "sum(1) of 16": (1, 16, lambda x: x.sum(1), False),
    "sum(0) of 4096": (1, 4096, lambda x: x.sum(0), True),
    "var(1) of 4096": (1, 4096, lambda x: x.var(1), True),
    "argmax(1) of 4096": (1, 4096, lambda x: x.argmax(1), False),
    "softmax 4096": (1, 4096, lambda x: x.softmax(1), True),
    "softmax 16384": (1, 16384, lambda x: x.softmax(1), True),
    "softmax 131072": (1, 131072, lambda x: x.softmax(1), True),
    "layer_norm 4096": (1, 4096, layer_norm, True),
    "layer_norm 16384": (1, 16384, layer_norm, False),
    "layer_norm 131072": (1, 131072, layer_norm, True),
    "cumsum 4096": (1, 4096, lambda x: x.cumsum(1), False),
    "sort 4096": (1, 4096, lambda x: x.sort(dim=1, stable=True)[0], False),
    "topk(8) of 4096": (1, 4096, lambda x: x.topk(8, 1)[0], False),
    "cumsum": (1, 0, lambda x: x.cumsum(0), False),
    "sort": (1, 0, lambda x: x.sort(dim=0, stable=True)[0], False),
    "histc(100)": (1, 0, lambda x: x.histc(100, -4, 4), False),
    "masked_select": (1, 0, lambda x: x.masked_select(x > 0), False),
    "gather": ("indexed", 0, lambda table, at, x: table.index_select(0, at), False),
    "index_put": ("indexed", 0, lambda table, at, x: table.index_put((at,), x), False),
    "index_add": ("indexed", 0, lambda table, at, x: table.index_add(0, at, x), False),
    "index_add i32": ("whole", 8, lambda table, at, x: table.index_add(0, at, x), False),
    "index_put i32 few": ("whole", 1024, lambda table, at, x: table.index_put((at,), x), False),
    "randperm": ("length", 0, lambda n: imported().randperm(n, device="cuda"), False),
    "cholesky 32": ("matrices", 32, lambda a, b: imported().linalg.cholesky(a), False),
    "solve 32": ("matrices", 32, lambda a, b: imported().linalg.solve(a, b), False),
    "qr 32": ("matrices", 32, lambda a, b: imported().linalg.qr(b), False),
    "eigh 32": ("matrices", 32, lambda a, b: imported().linalg.eigh(a), False),
    "svdvals 32": ("matrices", 32, lambda a, b: imported().linalg.svdvals(b), False),
}


# ---- the parent

def usable():
    """Whether PyTorch finds a GPU; says why not."""
    try:
        import torch
    except ImportError as error:
        print(f"peers_gpu: no PyTorch beside: {error}")
        return False
    if not torch.cuda.is_available():
        print(f"peers_gpu: no PyTorch beside: PyTorch {torch.__version__} finds no CUDA device "
              f"(torch.cuda.is_available() is False; built for CUDA {torch.version.cuda})")
        return False
    print(f"PyTorch {torch.__version__} on {torch.cuda.get_device_name()}")
    return True


def measure(program, options):
    deadline = time.monotonic() + options.seconds
    wanted = options.filter or f"^({'|'.join(map(re.escape, cases))}) ({options.dtypes.replace(',', '|')}) "
    arguments = ["--device", "cuda", "--gpu-mb", str(options.gpu_mb), *(["--quick"] if options.quick else [])]

    def turn():
        return [r for r in library_records(program, wanted, arguments) if r["case"] in cases]

    own = turn()
    rounds, left_out = [r | {"impl": r["impl"] + " (peers)"} for r in own], []
    for name in names:
        w = worker(sys.executable, name, 1, __file__)
        for r in own:
            if r["impl"] != "fused" or (name == "torch.compile" and not cases[r["case"]][3]):
                continue
            if time.monotonic() > deadline:
                left_out.append(f"{name} {r['case']} {r['dtype']}")
                continue
            answer = w.ask({"case": r["case"], "n": r["n"], "dtype": r["dtype"], "quick": options.quick})
            if "error" in answer:
                print(f"{name} {r['case']} {r['dtype']}: {answer['error']}")
                continue
            rounds.append(r | {"impl": name, "stream_fraction": None, **answer, "gbps": r["bytes"] / answer["min_ns"]})
        w.close()
    if time.monotonic() < deadline:
        rounds += [r | {"impl": r["impl"] + " (peers)"} for r in turn()]
    else:
        left_out.append("the second turn of the library")
    records = []
    for case, dtype in dict.fromkeys((r["case"], r["dtype"]) for r in own):
        best = merge([r for r in rounds if (r["case"], r["dtype"]) == (case, dtype)])
        records += best
        print(f"{case} {dtype} n={best[0]['n']}: " + ", ".join(
            f"{r['impl']} {r['min_ns'] / 1e3:.0f}" for r in best) + " us", flush=True)
    if left_out:
        print("peers_gpu: no time left for " + ", ".join(left_out))
    return records


# ---- a worker

def time_of(torch, f, quick):
    """Best and median nanoseconds of one call of many that are put on the GPU and waited for once."""
    def batch(times):
        start = time.perf_counter_ns()
        for _ in range(times):
            f()
        torch.cuda.synchronize()
        return time.perf_counter_ns() - start

    for _ in range(3):
        batch(1)
    times = 1
    while batch(times) < 2e6 and times < 1 << 16:
        times *= 2
    stop = time.perf_counter_ns() + (5e7 if quick else 1e9)
    samples = []
    while len(samples) < 5 or (time.perf_counter_ns() < stop and len(samples) < 300):
        samples.append(batch(times) / times)
    samples.sort()
    return samples[0], samples[len(samples) // 2]


def operands(torch, case, n, dtype):
    count, columns, *_ = cases[case]
    if count == "indexed":
        return [torch.randn(n // 8, device="cuda").to(dtype), torch.randint(n // 8, (n,), device="cuda"),
                torch.randn(n, device="cuda").to(dtype)]
    if count == "whole":
        places = n // columns
        return [torch.zeros(places, dtype=torch.int32, device="cuda"), torch.randint(places, (n,), device="cuda"),
                torch.randint(1000, (n,), dtype=torch.int32, device="cuda")]
    if count == "length":
        return [n]
    if count == "matrices":
        b = torch.randn(n // columns**2, columns, columns, device="cuda")
        return [b @ b.mT / columns + torch.eye(columns, device="cuda"), b]
    if columns:
        return [torch.randn(n // columns, columns, device="cuda").to(dtype) for _ in range(count)]
    return [torch.randn(n, device="cuda").to(dtype) for _ in range(count)]


def answer(torch, name, request):
    function = cases[request["case"]][2]
    dtype = {"f32": torch.float32, "f16": torch.float16, "f64": torch.float64}[request["dtype"]]
    torch.cuda.empty_cache()
    values = operands(torch, request["case"], request["n"], dtype)
    run = function
    if name == "torch.compile":
        torch._dynamo.reset()
        run = torch.compile(function, dynamic=False)
        if not torch.allclose(run(*values).double(), function(*values).double(), rtol=1e-2, atol=1e-2, equal_nan=True):
            return {"error": "computes something else"}
    best, median = time_of(torch, lambda: run(*values), request["quick"])
    return {"min_ns": best, "median_ns": median, "note": f"PyTorch {torch.__version__}, fresh results"}


def serve(name, replies):
    import torch

    torch.set_grad_enabled(False)
    for line in sys.stdin:
        try:
            reply = answer(torch, name, json.loads(line))
        except Exception as error:  # one case that a peer cannot do is no reason to stop
            reply = {"error": f"{type(error).__name__}: {error}"[:300]}
        print(json.dumps(reply), file=replies, flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--json", required=True)
    parser.add_argument("--gpu-mb", type=int, default=256)
    parser.add_argument("--dtypes", default="f32,f16")
    parser.add_argument("--filter", default="")
    parser.add_argument("--seconds", type=float, default=1e9, help="after these no further case is begun")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--device", default="cuda", choices=["cuda"])
    options, _ = parser.parse_known_args()  # what is sinter_bench's alone is left to it
    if usable():
        pathlib.Path(options.json).write_text(json.dumps(measure(options.program, options), indent=1) + "\n")


if __name__ == "__main__":
    if sys.argv[1] == "--worker":
        from peers import reply_stream

        serve(sys.argv[2], reply_stream())
    else:
        main()

"""PyTorch on a GPU, eager and by torch.compile, in turn with sinter_bench.

python3 bench/peers_gpu.py PROGRAM --json FILE [--quick] [--gpu-mb N] [--dtypes f32,f16]    # other options are ignored

Runs the cases of bench/gpu/cases.cpp that are written here as well, over as many elements. The PyTorch is the one of the
Python that runs this; without one, or where it finds no GPU, it says so and writes no records.
"""

import argparse
import json
import pathlib
import sys
import time

from peers import library_records, merge, worker

names = ["torch", "torch.compile"]


def ten_operations(x, y):
    return ((x * 2 + y) * x - 1) * (y + 3) * (x - y) + x * 5


cases = {"ten_operations": (2, ten_operations)}  # operands, function


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
    workers = [worker(sys.executable, name, 1, __file__) for name in names]
    quick = ["--quick"] if options.quick else []
    records = []
    for case in cases:
        for dtype in options.dtypes.split(","):
            rounds = []
            for turn in range(1 if options.quick else 3):
                own = library_records(program, f"^{case} {dtype} ",
                                      ["--device", "cuda", "--gpu-mb", str(options.gpu_mb), *quick])
                rounds += [r | {"impl": r["impl"] + " (peers)"} for r in own]
                for w in workers:
                    answer = w.ask({"case": case, "n": own[0]["n"], "dtype": dtype, "quick": options.quick})
                    if "error" in answer:
                        if turn == 0:
                            print(f"{w.name} {case} {dtype}: {answer['error']}")
                        continue
                    rounds.append(own[0] | {"impl": w.name, "stream_fraction": None, **answer,
                                            "gbps": own[0]["bytes"] / answer["min_ns"]})
            best = merge(rounds)
            records += best
            print(f"{case} {dtype} n={own[0]['n']}: " + ", ".join(
                f"{r['impl']} {r['min_ns'] / 1e3:.0f}" for r in best) + " us", flush=True)
    for w in workers:
        w.close()
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
    stop = time.perf_counter_ns() + (1e8 if quick else 1e9)
    samples = []
    while len(samples) < 5 or (time.perf_counter_ns() < stop and len(samples) < 300):
        samples.append(batch(times) / times)
    samples.sort()
    return samples[0], samples[len(samples) // 2]


def answer(torch, name, request):
    count, function = cases[request["case"]]
    dtype = {"f32": torch.float32, "f16": torch.float16, "f64": torch.float64}[request["dtype"]]
    values = [torch.randn(request["n"], device="cuda").to(dtype) for _ in range(count)]
    run = torch.compile(function, dynamic=False) if name == "torch.compile" else function
    if not torch.allclose(run(*values).double(), function(*values).double(), rtol=1e-2, atol=1e-2):
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

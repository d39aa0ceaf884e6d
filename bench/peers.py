"""The cases in NumPy, numexpr, PyTorch (eager and torch.compile), JAX and opt_einsum, in turn with
sinter_bench.

python3 bench/peers.py PROGRAM --json FILE [--filter RE] [--threads 1,2] [--quick] [--busy N]
python3 bench/peers.py PROGRAM --json FILE --device cuda [--gpu-mb N] [--quick]    # peers_gpu.py, in the same environment

`./dev bench --peers` does it as part of a run. The peers live in a virtual environment of their own,
build/peers-venv (or SINTER_PEERS_VENV), which is made when it is missing. Every peer is one process
for each thread count, with as many processors and threads; a case is measured by the library, by each
peer, and by all of them a second time. Inputs are those of bench/case.cpp, and sums of absolute
results must agree.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import peers_elements

root = pathlib.Path(__file__).resolve().parent.parent
packages = ["numpy", "scipy", "numexpr", "jax", "torch", "opt_einsum"]
names = ["numpy", "numexpr", "torch", "torch.compile", "jax", "opt_einsum", "opt_einsum torch"]
default_filter = r" (f32|f16|bf16) n=\d{6,} |^average "  # torch.compile takes seconds for each of them


# ---- the parent

def environment_python():
    venv = pathlib.Path(os.environ.get("SINTER_PEERS_VENV", root / "build" / "peers-venv"))
    python = venv / "bin" / "python"
    if not python.exists():
        print(f"making {venv} with {' '.join(packages)}")
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        # The CPU build of PyTorch has no place on PyPI; the plain one does the same on a CPU.
        subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True)
    return python


class worker:
    """A peer in a process of its own, asked and answering in lines of JSON."""

    def __init__(self, python, name, threads, script=__file__):
        environment = dict(os.environ)
        for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS",
                         "NUMEXPR_NUM_THREADS", "NUMEXPR_MAX_THREADS"):
            environment[variable] = str(threads)
        # Else the C library maps every large result anew, whose page faults cost more than the work.
        environment["GLIBC_TUNABLES"] = ("glibc.malloc.mmap_threshold=8589934592:"
                                         "glibc.malloc.trim_threshold=8589934592:glibc.malloc.hugetlb=1")
        environment["JAX_PLATFORMS"] = "cpu"
        environment["JAX_ENABLE_X64"] = "1"
        self.name = name
        self.process = subprocess.Popen(
            [python, script, "--worker", name, "--threads", str(threads)], env=environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def ask(self, request):
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            return json.loads(self.process.stdout.readline())
        except (OSError, ValueError):
            return {"error": "the process died"}

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def library_records(program, wanted, options):
    """The library's own records of what a filter wants."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "records.json"
        subprocess.run([program, "--json", path, "--filter", wanted, *options],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return json.loads(path.read_text())


def library(program, case, options, impl="fused"):
    """The library's own records of one case: the fresh result, and the reused one."""
    name = f"{case['case']} {case['dtype']} n={case['n']} t={case['threads']}"
    return library_records(program, f"^{re.escape(name)}$",
                           ["--impl", impl, "--threads", str(case["threads"]), *options])


class busy_processes:
    """Processes that never sleep."""

    def __init__(self, count):
        self.count = count

    def __enter__(self):
        self.all = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(self.count)]

    def __exit__(self, *_):
        for process in self.all:
            process.kill()
            process.wait()


def print_busy_table(records):
    """What several threads take of the time of one, as sinter_bench prints it for the loops."""
    def rival(r):
        return f"{r['impl']}, {r['note'].split(' ')[0]}" if r["impl"] == "fused (peers)" else r["impl"]

    one = {(r["case"], r["dtype"], r["n"], rival(r)): r["mean_ns"] for r in records if r["threads"] == 1}
    ratios = {}
    for r in records:
        alone = one.get((r["case"], r["dtype"], r["n"], rival(r)))
        if r["threads"] > 1 and alone:
            ratios.setdefault((r["threads"], rival(r)), []).append(r["mean_ns"] / alone)
    for (threads, name), of in sorted(ratios.items()):
        print(f"{name} on {threads} threads: {statistics.geometric_mean(of):.2f} of one (geometric mean of {len(of)} cases), "
              f"at most {max(of):.2f}")


def merge(rounds, by="min_ns"):
    """One record for each rival: the best of its rounds."""
    best = {}
    for r in rounds:
        at = (r["impl"], r["note"])
        if at not in best or r[by] < best[at][by]:
            best[at] = r
    return list(best.values())


def measure(program, arguments):
    """Records of the peers, and of the library beside them with the impl `fused (peers)`, under FastMathGuard
    `fast (peers)`."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--filter", default=default_filter)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--busy", type=int, default=0)
    options, _ = parser.parse_known_args(arguments)
    python = environment_python()
    quick = ["--quick"] if options.quick else []
    busy = ["--busy", str(options.busy)] if options.busy else []
    by = "mean_ns" if options.busy else "min_ns"
    listed = subprocess.run([program, "--list", "--filter", options.filter, "--threads", options.threads, *quick],
                            check=True, capture_output=True, text=True).stdout
    cases = [json.loads(line) for line in listed.splitlines() if line.startswith("{")]
    records = []
    for threads in sorted({c["threads"] for c in cases}):
        os.sched_setaffinity(0, sorted(all_processors)[:threads])
        workers = [worker(python, name, threads) for name in names]
        if options.busy:  # the busy processes get all processors
            os.sched_setaffinity(0, all_processors)
        for case in (c for c in cases if c["threads"] == threads):
            rounds = []
            for turn in range(1 if options.quick else 2):
                try:
                    own = library(program, case, quick + busy)
                except subprocess.CalledProcessError:
                    print(f"{case}: the library failed")
                    break
                rounds += [dict(r, impl="fused (peers)") for r in own]
                try:
                    rounds += [dict(r, impl="fast (peers)") for r in library(program, case, quick + busy, "fast")]
                except subprocess.CalledProcessError:
                    pass  # fast math changes nothing in this case
                for w in workers:
                    with busy_processes(options.busy):
                        answer = w.ask(case | {"quick": options.quick, "busy": options.busy > 0})
                    if "error" in answer:
                        if answer["error"] and turn == 0:
                            print(f"{w.name} {case}: {answer['error']}")
                        continue
                    want = own[0]["sum"]
                    if abs(answer.pop("sum") - want) > 1e-2 * (1 + abs(want)):
                        print(f"{w.name} {case}: computes something else")
                        continue
                    # The triad ran in turn with the library, a moment ago.
                    rounds.append({**own[0], "impl": w.name, **answer,
                                   "gbps": own[0]["bytes"] / answer["min_ns"],
                                   "stream_fraction": own[0]["stream_fraction"] * own[0]["min_ns"] / answer["min_ns"]})
            records += merge(rounds, by)
            print(f"{case['case']} {case['dtype']} n={case['n']} t={threads}: " + ", ".join(
                f"{r['impl']} {r[by] / 1e3:.0f}" for r in merge(rounds, by)) + " us", flush=True)
        for w in workers:
            w.close()
    os.sched_setaffinity(0, all_processors)
    if options.busy:
        print_busy_table(records)
    return records


def versions():
    """{package: version} of the environment that the peers live in."""
    code = ("import importlib.metadata as m, json, sys; "
            f"print(json.dumps({{'python': sys.version.split()[0]}} | {{p: m.version(p) for p in {packages}}}))")
    return json.loads(subprocess.run([environment_python(), "-c", code], check=True, capture_output=True, text=True).stdout)


all_processors = os.sched_getaffinity(0)


# ---- a worker

def value_in(np, shape, seed, low, high):
    """What bench/case.cpp makes: a Weyl sequence in [low, high)."""
    count = int(np.prod(shape))
    place = np.arange(count, dtype=np.int64) * 2654435761 + (seed + 1) * 40503
    unit = (place & 0xFFFFFFFF).astype(np.float64) * 2.0**-32
    return (unit * (high - low) + low).reshape(shape)


def squares(np, x, kind):
    """What contest::squares makes of them."""
    if kind == "positive":
        x = (x + np.swapaxes(x, -1, -2)) / 2
    return x + np.eye(x.shape[-1], dtype=x.dtype) * x.dtype.type(6 * x.shape[-1])


def call(np, log, sqrt, exp, erf, x, y, z):
    root = sqrt(z) * 0.3
    d = (log(x / y) + z * 0.065) / root
    p = 1 + erf(d * 0.70710678118654752)
    q = 1 + erf((d - root) * 0.70710678118654752)
    return 0.5 * (x * p - y * exp(z * -0.02) * q)


def contraction(L, equation, n):
    """The operands of bench/cases/contractions.cpp."""
    if "h" in equation:
        b, h, q, d = {2048: (1, 2, 16, 64), 131072: (2, 8, 128, 64)}.get(n, (4, 8, 512, 64))
    else:
        b, h, q, d = {2048: (2, 1, 16, 64), 131072: (4, 1, 512, 64)}.get(n, (8, 1, 2048, 64))
    extent = {"b": b, "h": h, "q": q, "k": q, "d": d, "v": d}
    terms = equation.split("->")[0].split(",")
    return ([(tuple(extent[c] for c in term), -3, 3, None) for term in terms],
            lambda *x: L.einsum(equation, *x))


def build(np, L, case, n):
    """(inputs as (shape, low, high, dtype or None), function of them) of one case in library L."""
    if "->" in case:
        return contraction(L, case, n)
    columns = 100 if n <= 1000 else 1000
    table = [((n // columns, columns), -3, 3, None)]
    side = round(n**0.5)
    square = ((side, side), -3, 3, None)
    line = ((side,), -3, 3, None)

    def vectors(count, low=-3, high=3):
        return [((n,), low, high, None)] * count

    def shifted(x, r, c):
        return x[r:side - 2 + r, c:side - 2 + c]

    middle = (n // 100, 10, 10) if n <= 1000 else (n // 10000, 100, 100)
    depth = {4096: 16, 262144: 16, 4194304: 64}.get(n, 32)
    rows = round((n / depth) ** 0.5)
    channels = {1024: 4, 98304: 48}.get(n, 64)
    batch = 4 if n == 1024 else 16 if n > 2000000 else 8
    edge = round((n / channels / batch) ** 0.5)
    small = int(case[3:]) if case.startswith("bmm") else 1
    squares = ((n // small**2, small, small), -3, 3, None)

    def statements(x, y):
        for _ in range(10):
            x = x * 0.75
            x = x + y
        return x

    def standard(x):
        return (x - L.mean(x, axis=1, keepdims=True)) / L.deviation(x)

    known = {
        "a*b+c": (vectors(3), lambda x, y, z: x * y + z),
        "poly10": (vectors(1), lambda x: ((((x * 0.01 + 0.05) * x - 0.2) * x + 0.3) * x - 0.4) * x + 0.5),
        "four_inputs": (vectors(4), lambda x, y, z, w: x * y - z * w),
        "gelu": (vectors(1), lambda x: 0.5 * x * (1 + L.erf(x * 0.70710678118654752))),
        "sigmoid": (vectors(1, -8, 8), lambda x: 1 / (1 + L.exp(-x))),
        "softplus": (vectors(1, -8, 8), lambda x: L.log1p(L.exp(x))),
        "lognormal_pdf": (vectors(1, 0.1, 5), lambda x: L.exp(
            -0.5 * ((L.log(x) - 0.25) * 2) * ((L.log(x) - 0.25) * 2)) / (x * 1.2533141373155003)),
        "tanh_chain": (vectors(1), lambda x: L.tanh(
            L.tanh(L.tanh(x) * 1.5 + 0.1) * 1.5 - 0.1) * 0.5 + 0.5),
        "black_scholes": (vectors(3, 0.5, 2), lambda x, y, z: call(
            np, L.log, L.sqrt, L.exp, L.erf, x, y, z)),
        "mixed_dtypes": ([((n,), -100, 100, "int32"), ((n,), -3, 3, None), ((n,), -3, 3, "float64")],
                         lambda a, b, c: L.cast(a, "float32") * b + c),
        "quantise": (vectors(1, -4, 4), lambda x: L.cast(L.clip(L.round(x * 40), -128, 127), "int8")),
        "half_to_f32": ([((n,), -3, 3, "float16")], lambda x: L.cast(x, "float32") * 2 + 1),
        "sum": (vectors(1), lambda x: L.sum(x)),
        "sum_inner": (table, lambda x: L.sum(x, axis=1)),
        "sum_outer": (table, lambda x: L.sum(x, axis=0)),
        "sum_middle": ([(middle, -3, 3, None)], lambda x: L.sum(x, axis=1)),
        "mean+var": (vectors(1), lambda x: (L.mean(x), L.variance(x))),
        "argmax": (table, lambda x: L.argmax(x, axis=1)),
        "any": (vectors(1), lambda x: L.any(x > 5)),
        "sum_f16": ([((n,), 0, 1e-3, "float16")], lambda x: L.sum(x)),
        "softmax": (table, lambda x: L.softmax(x)),
        "log_softmax": (table, lambda x: L.log_softmax(x)),
        "standardise": (table, standard),
        "rms_norm": (table, lambda x: x * (1 / L.sqrt(L.mean(x * x, axis=1, keepdims=True) + 1e-5))),
        "layer_norm": (table + [((columns,), -3, 3, None)] * 2, L.layer_norm),
        "logsumexp": (table, lambda x: L.logsumexp(x)),
        "cosine_similarity": (table * 2, lambda x, y: L.sum(x * y, axis=1) / (
            L.sqrt(L.sum(x * x, axis=1)) * L.sqrt(L.sum(y * y, axis=1)))),
        "dot16": ([((n // 16, 16), -3, 3, None)] * 2, lambda x, y: L.sum(x * y, axis=1)),
        "normalise16": ([((n // 16, 16), -3, 3, None)],
                        lambda x: x / L.sqrt(L.sum(x * x, axis=1, keepdims=True))),
        "pairwise": ([((rows, depth), -3, 3, None)] * 2,
                     lambda x, y: L.sum((x[:, None] - y) ** 2, axis=2)),
        "outer_sum": ([line, line], lambda x, y: L.sum(x[:, None] * y, axis=1)),
        "outer_total": ([line, line], lambda x, y: L.sum(x[:, None] * y)),
        "masked_mean": ([(middle, -3, 3, None), (middle[:2], 0, 1.5, "bool")],
                        lambda x, m: L.sum(x * m[:, :, None], axis=1) / L.sum(m[:, :, None], axis=1)),
        "x+x.t()": ([square], lambda x: x + x.T),
        "permuted": ([((batch, edge, edge, channels), -3, 3, None),
                      ((batch, channels, edge, edge), -3, 3, None)],
                     lambda x, y: y + L.permute(x, (0, 3, 1, 2)) * 2),
        "sliced": ([((3 * side, 2 * side), -3, 3, None), square], lambda x, y: x[::3, ::2] * 2 + y),
        "stencil": ([square], lambda x: shifted(x, 0, 1) + shifted(x, 2, 1) + shifted(x, 1, 0)
                    + shifted(x, 1, 2) - shifted(x, 1, 1) * 4),
        "matmul": ([square, square], lambda a, b: a @ b),
        "relu(a@b+c)": ([square, square, line], lambda a, b, c: L.relu(a @ b + c)),
        "(a*s)@b.t()": ([square, square, line], lambda a, b, s: (a * s) @ b.T),
        "(a@b).sum(1)": ([square, square], lambda a, b: L.sum(a @ b, axis=1)),
        "20_statements": (vectors(2), statements),
    }
    def gradient(inputs, f):
        def both(*x):
            return L.gradients(f, x)
        both.of = f
        return inputs, both

    def sines(x):
        for _ in range(10):
            x = L.sin(x) * 1.01 + 0.1
        return L.sum(x)

    def network(x, w, b, v, c):
        y = L.relu(x @ w + b) @ v + c
        return L.mean(y * y)

    gradients = {
        "grad_black_scholes": (vectors(3, 0.5, 2), lambda x, y, z: L.sum(call(
            np, L.log, L.sqrt, L.exp, L.erf, x, y, z))),
        "grad_tanh_chain": (vectors(1), lambda x: L.sum(L.tanh(
            L.tanh(L.tanh(x) * 1.5 + 0.1) * 1.5 - 0.1) * 0.5 + 0.5)),
        "grad_sines": (vectors(1), sines),
        "grad_softmax": (table, lambda x: L.sum(L.softmax(x) ** 2)),
        "grad_log_softmax": (table, lambda x: L.mean(L.log_softmax(x) ** 2)),
        "grad_layer_norm": (table + [((columns,), -3, 3, None)] * 2,
                            lambda *x: L.mean(L.layer_norm(*x) ** 2)),
        "grad_network": ([((n // 256, 256), -3, 3, None), ((256, 256), -0.1, 0.1, None),
                          ((256,), -3, 3, None), ((256, 16), -0.1, 0.1, None), ((16,), -3, 3, None)],
                         network),
    }
    if case in gradients:
        return gradient(*gradients[case])
    linear = re.fullmatch(r"(solve|cholesky|eigh|svd|inv|det)(\d*)", case)
    if linear:
        name, extent = linear[1], int(linear[2] or side)
        shape = (n // extent**2, extent, extent) if linear[2] else (extent, extent)
        matrix = "positive" if name in ("cholesky", "eigh") else "dominant"
        return ([(shape, -3, 3, matrix), ((*shape[:-1], 1), -3, 3, None)], {
            "solve": lambda a, b: L.linalg.solve(a, b), "inv": lambda a, b: L.linalg.inv(a),
            "det": lambda a, b: L.linalg.det(a), "cholesky": lambda a, b: L.linalg.cholesky(a),
            "eigh": lambda a, b: L.linalg.eigh(a)[0],
            "svd": lambda a, b: L.linalg.svd(a, full_matrices=False)[1]}[name])
    if case.startswith("bmm"):
        return [squares, squares], lambda a, b: a @ b
    return known.get(case)


class numpy_like:
    """NumPy's names; a peer overrides what it spells otherwise."""

    def __init__(self, np, module):
        self.np, self.module = np, module

    def __getattr__(self, name):
        return getattr(self.module, name)

    def variance(self, x):
        return self.module.var(x, ddof=1)

    def deviation(self, x):
        return self.module.std(x, axis=1, ddof=1, keepdims=True)

    def cast(self, x, dtype):
        return x.astype(dtype)

    def permute(self, x, order):
        return self.module.transpose(x, order)

    def relu(self, x):
        return self.module.maximum(x, 0)

    def softmax(self, x):
        e = self.exp(x - self.amax(x, axis=1, keepdims=True))
        return e / self.sum(e, axis=1, keepdims=True)

    def log_softmax(self, x):
        s = x - self.amax(x, axis=1, keepdims=True)
        return s - self.log(self.sum(self.exp(s), axis=1, keepdims=True))

    def logsumexp(self, x):
        m = self.amax(x, axis=1)
        return self.log(self.sum(self.exp(x - m[:, None]), axis=1)) + m

    def layer_norm(self, x, weight, bias):
        m, v = self.mean(x, axis=1, keepdims=True), self.var(x, axis=1, keepdims=True)
        return (x - m) / self.sqrt(v + 1e-5) * weight + bias


def numpy_peer(np, threads):
    import scipy.special

    L = numpy_like(np, np)
    L.erf = scipy.special.erf
    L.einsum = lambda equation, *x: np.einsum(equation, *x, optimize=True)
    return L, np.asarray, lambda f: f, lambda y: y, np.asarray, "fresh, one thread but for products"


def opt_einsum_peer(np, peer):
    """Contractions only, on another peer's arrays."""
    import opt_einsum

    L, *others = peer
    L.einsum = opt_einsum.contract
    return L, *others[:-1], "fresh"


def jax_peer(np, threads):
    import jax
    import jax.numpy as jnp

    L = numpy_like(np, jnp)
    L.erf = jax.scipy.special.erf
    L.softmax = lambda x: jax.nn.softmax(x, axis=1)
    L.log_softmax = lambda x: jax.nn.log_softmax(x, axis=1)
    L.logsumexp = lambda x: jax.nn.logsumexp(x, axis=1)

    def gradients(f, x):
        value, all_of_it = jax.value_and_grad(f, argnums=tuple(range(len(x))))(*x)
        return (value, *all_of_it)

    L.gradients = gradients
    return L, jnp.asarray, jax.jit, jax.block_until_ready, np.asarray, "fresh, jit"


class torch_like(numpy_like):
    def variance(self, x):
        return self.module.var(x)

    def deviation(self, x):
        return self.module.std(x, dim=1, keepdim=True)

    def cast(self, x, dtype):
        return x.to(getattr(self.module, dtype))

    def permute(self, x, order):
        return x.permute(order)

    def relu(self, x):
        return self.module.relu(x)

    def softmax(self, x):
        return self.module.softmax(x, 1)

    def log_softmax(self, x):
        return self.module.log_softmax(x, 1)

    def logsumexp(self, x):
        return self.module.logsumexp(x, 1)

    def gradients(self, f, x):
        with self.module.enable_grad():
            x = [t.detach().requires_grad_() for t in x]
            value = f(*x)
            return (value.detach(), *self.module.autograd.grad(value, x))

    def layer_norm(self, x, weight, bias):
        return self.module.nn.functional.layer_norm(x, weight.shape, weight, bias)


def torch_peer(np, threads, compiled=False):
    import torch

    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    L = torch_like(np, torch)

    def compile(f):
        if not hasattr(f, "of"):
            return torch.compile(f, dynamic=False)
        function = torch.compile(f.of, dynamic=False)  # its gradient is compiled when it is called
        return lambda *x: L.gradients(function, x)

    wrap = compile if compiled else (lambda f: f)

    def done(y):
        return y

    def back(y):
        return y.to(torch.float64).numpy()

    return (L, lambda x: torch.from_numpy(np.ascontiguousarray(x)), wrap, done, back,
            "fresh, dynamic=False" if compiled else "fresh, no_grad")


expressions = {
    "a*b+c": "x * y + z",
    "poly10": "((((x * 0.01 + 0.05) * x - 0.2) * x + 0.3) * x - 0.4) * x + 0.5",
    "four_inputs": "x * y - z * w",
    "sigmoid": "1 / (1 + exp(-x))",
    "softplus": "log1p(exp(x))",
    "lognormal_pdf": "exp(-0.5 * ((log(x) - 0.25) * 2) * ((log(x) - 0.25) * 2)) / (x * 1.2533141373155003)",
    "tanh_chain": "tanh(tanh(tanh(x) * 1.5 + 0.1) * 1.5 - 0.1) * 0.5 + 0.5",
    "sum": "sum(x)",
}


def numexpr_function(np, case, inputs):
    """numexpr has expressions of arrays only; constants are made f32, else it computes in f64."""
    import numexpr

    text = expressions.get(case)
    if text is None:
        return None
    scope = dict(zip("xyzw", inputs))
    if inputs[0].dtype == np.float32:
        for i, number in enumerate(sorted(set(re.findall(r"(?<![\w.])\d+\.?\d*", text)), key=len, reverse=True)):
            scope[f"k{i}"] = np.float32(number)
            text = re.sub(rf"(?<![\w.]){re.escape(number)}(?![\w.])", f"k{i}", text)
    out = None if case == "sum" else np.empty_like(inputs[0])
    numexpr.evaluate(text, scope, out=out)
    return lambda *_: numexpr.re_evaluate(scope)


def time_of(f, quick, busy):
    """Best, median and mean nanoseconds of one call."""
    clock = time.perf_counter_ns
    f()
    start = clock()
    f()
    once = max(clock() - start, 1)
    # As in bench/measure.cpp.
    batch = max(1, int((2e7 if busy else 1e5) // once))
    samples = []
    stop = clock() + (5e8 if busy else 5e7 if quick else 3e8)
    while len(samples) < 5 or (clock() < stop and len(samples) < 300):
        start = clock()
        for _ in range(batch):
            f()
        samples.append((clock() - start) / batch)
    samples.sort()
    return samples[0], samples[len(samples) // 2], sum(samples) / len(samples)


def answer(np, name, peer, request):
    L, into, wrap, done, back, note = peer
    case, n = request["case"], request["n"]
    built = peers_elements.build(name, L.module, case, n) or build(np, L, case, n)
    if built is None or (name.startswith("opt_einsum") and "->" not in case):
        return {"error": ""}
    specs, function = built
    if hasattr(function, "of") and not hasattr(L, "gradients"):
        return {"error": ""}
    dtype = "float64" if request["dtype"] == "f64" else "float32"
    matrices = ("dominant", "positive")
    values = []
    for i, (shape, low, high, kind) in enumerate(specs):
        value = peers_elements.value_of(np, shape, i, low, high, kind)
        if value is None:
            value = value_in(np, shape, i, low, high).astype(dtype if kind in (None, *matrices) else kind)
        values.append(value)
    values = [squares(np, v, spec[3]) if spec[3] in matrices else v for v, spec in zip(values, specs)]
    if name == "numexpr":
        run = numexpr_function(np, case, values)
        if run is None:
            return {"error": ""}
    else:
        wrapped, operands = wrap(function), [into(v) for v in values]
        run = lambda: done(wrapped(*operands))
    results = run()
    parts = results if isinstance(results, (tuple, list)) else (results,)
    total = sum(float(np.abs(np.asarray(back(p), dtype=np.float64)).sum()) for p in parts)
    best, median, mean = time_of(run, request["quick"], request["busy"])
    return {"min_ns": best, "median_ns": median, "mean_ns": mean, "sum": total, "note": note}


def reply_stream():
    """Standard output, which from here on is another one: whatever the peers print is no answer."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return replies


def serve(name, threads):
    import numpy as np

    if name == "numexpr":
        import numexpr

        numexpr.set_num_threads(threads)
        peer = (*numpy_peer(np, threads)[:5], "reused")
    elif name.startswith("torch"):
        peer = torch_peer(np, threads, compiled=name == "torch.compile")
    elif name.startswith("opt_einsum"):
        backend = torch_peer if name.endswith("torch") else numpy_peer
        peer = opt_einsum_peer(np, backend(np, threads))
    else:
        peer = {"numpy": numpy_peer, "jax": jax_peer}[name](np, threads)
    replies = reply_stream()
    for line in sys.stdin:
        try:
            reply = answer(np, name, peer, json.loads(line))
        except Exception as error:  # one case that a peer cannot do is no reason to stop
            reply = {"error": f"{type(error).__name__}: {error}"[:300]}
        print(json.dumps(reply), file=replies, flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "--worker":
        serve(sys.argv[2], int(sys.argv[4]))
    elif "--device" in sys.argv:
        script = pathlib.Path(__file__).resolve().parent / "peers_gpu.py"
        sys.exit(subprocess.run([environment_python(), script, *sys.argv[1:]]).returncode)
    else:
        path = pathlib.Path(sys.argv[sys.argv.index("--json") + 1])
        path.write_text(json.dumps(measure(sys.argv[1], sys.argv[2:]), indent=1) + "\n")

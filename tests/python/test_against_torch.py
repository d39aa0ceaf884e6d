"""The same statements in Sinter and in PyTorch, in one process: values, sizes, dtypes and strides of views, and
which statements are refused. Without PyTorch nothing is compared.

SINTER_TEST_SEED=7 python -m unittest test_against_torch replays a printed seed.
"""

import os
import random
import time
import unittest

import numpy as np

import sinter

try:
    import torch
except ImportError as error:
    torch = None
    print(f"[SKIP] no PyTorch: Python's functions were not compared with it ({error})")

# `m` is the library, F its nn.functional, and the other names are operands, made of the same arrays.
STATEMENTS = """
x.abs() | x.exp() | x.clamp(min=0) | x.clamp(max=0.5) | m.clamp(x, -1, 1) | m.clamp(x, min=p, max=q) | x.round(decimals=1)
x.sum() | x.sum(0) | x.sum((0, 1)) | x.sum(dim=-1, keepdim=True) | m.sum(i) | m.sum(x, dtype=m.float64) | x.mean(1)
x.std() | x.std(0, unbiased=False) | m.var(x, dim=1, correction=0) | m.var_mean(x, dim=0) | m.std_mean(x) | x.prod(0)
x.max() | x.max(1) | m.max(x, 0, True).indices | m.max(x, p) | x.amax((0, 1)) | x.argmax() | x.argmin(dim=1) | x.aminmax()
x.median() | x.median(0) | x.mode(0) | x.kthvalue(2, 1) | x.nanmedian() | x.logsumexp(1) | x.norm() | m.norm(x, 1, dim=0)
x.cumsum(0) | x.cumprod(1) | m.cummax(x, 1) | m.logcumsumexp(x, 0) | m.diff(x) | m.trapezoid(x, dx=0.5) | m.gradient(v)
x.sort() | x.sort(0, descending=True) | x.topk(2) | m.topk(x, 2, dim=0, largest=False) | x.argsort(1) | m.msort(x)
m.unique(i) | m.unique(i, return_inverse=True, return_counts=True) | m.unique_consecutive(j) | m.bincount(j) | m.histc(x, 5)
m.searchsorted(s, v) | m.bucketize(x, s, right=True) | m.isin(i, j) | m.quantile(x, 0.3) | m.quantile(x, s01, dim=1)
x.view(4, 3) | x.view(-1) | x.t() | x.T | x.reshape(2, 6) | x[None] | x.unsqueeze(-1) | x.flatten() | x.permute(1, 0)
x.expand(2, -1, -1) | x.repeat(2, 1) | x.tile(2) | x.flip(0) | x.flip(0, 1) | x.roll(1, 0) | x.rot90() | x.narrow(1, 1, 2)
x.split(2, dim=1) | x.split([1, 3], 1) | x.chunk(3, 1) | x.unbind(1) | m.tensor_split(x, 3, dim=1) | m.hsplit(x, 2) | x.unfold(1, 2, 1)
m.cat([x, p]) | m.cat((x, p), dim=1) | m.stack([x, p], 1) | m.vstack((x, p)) | m.dstack([x, p]) | m.block_diag(x, p)
m.meshgrid(v, s, indexing="ij") | m.cartesian_prod(v, s) | m.combinations(v) | m.broadcast_tensors(x, v) | m.atleast_2d(v)
x.diagonal() | m.diag(v) | m.diag_embed(v) | x.tril(-1) | x.triu(1) | x.swapaxes(0, 1) | x.movedim(0, 1) | x.unflatten(1, (2, 2))
x[1] | x[:, 1:3] | x[..., -1] | x[x > 0] | x[[0, 2]] | x[:, [0, 1]] | x[b] | x[None, 1:, ::2] | x[m.tensor([2, 0]), 1] | x[1, 2]
x.index_select(1, k) | x.gather(1, g) | m.take(x, k) | x.masked_fill(b, 0.5) | m.where(b, x, p) | m.where(b, x, 1.0) | m.nonzero(b)
x.masked_select(b) | x.scatter(1, g, 2.0) | x.scatter_add(1, g, p) | x.index_add(1, k, p[:, :2]) | x.index_fill(1, k, 9.0) | m.nonzero(b, as_tuple=True)
x.scatter_reduce(1, g, p, "amax") | m.take_along_dim(x, g, 1) | x.index_copy(1, k, p[:, :2]) | m.put(x, k, v[:2])
x + p | x - 1 | 2 - x | x * i | i / 2 | i // 2 | 7 // i.abs().clamp(min=1) | x % 0.7 | i % 3 | x ** 2 | 2 ** x | i ** 2 | -x | ~b
x > p | x == x | x != 1 | i <= j4 | b & (x > 0) | b | i & 3 | i << 1 | i >> 1 | i ^ 1 | x.eq(p) | m.logical_xor(b, x > 1)
m.add(x, p, alpha=2) | m.sub(x, 1, alpha=3) | m.addcmul(x, p, q, value=0.5) | m.lerp(x, p, 0.3) | m.hypot(x, p) | m.atan2(x, p)
m.fmod(x, 0.3) | m.remainder(x, p) | m.floor_divide(i, 2) | m.div(x, p, rounding_mode="floor") | m.true_divide(i, 3) | m.copysign(x, p)
m.nan_to_num(n) | m.isnan(n) | n.nansum() | m.nanmean(n, 1) | m.isclose(x, p) | m.allclose(x, x) | m.equal(x, p) | m.heaviside(x, p)
x @ p.t() | x @ v | m.mm(x, p.t()) | m.mv(x, v) | m.dot(v, v) | m.outer(v, s) | m.bmm(x[None], p.t()[None]) | m.addmm(s3, x, p.t(), beta=2)
m.einsum("ij,kj->ik", x, p) | m.einsum("ij->j", x) | m.tensordot(x, p, dims=([1], [1])) | m.kron(x, p) | m.cross(x[:, :3], p[:, :3], dim=1) | m.cdist(x, p)
m.linalg.inv(a) | m.linalg.det(a) | m.linalg.slogdet(a) | m.linalg.solve(a, s3) | m.linalg.cholesky(a) | m.linalg.eigvalsh(a) | m.linalg.svdvals(x)
m.linalg.norm(x) | m.linalg.vector_norm(x, 3, dim=1) | m.linalg.matrix_norm(x, "nuc") | m.linalg.matrix_rank(x) | m.linalg.pinv(x) | m.linalg.matrix_power(a, 3)
m.linalg.lstsq(x.t(), v).solution | m.linalg.lu(a) | m.linalg.qr(a)[1].abs() | m.linalg.eigh(a).eigenvalues | m.linalg.cond(a) | m.trace(a) | m.logdet(a)
F.relu(x) | F.gelu(x) | F.gelu(x, approximate="tanh") | F.silu(x) | F.leaky_relu(x, 0.2) | F.elu(x, alpha=0.5) | F.softplus(x) | F.hardtanh(x) | F.glu(x)
F.softmax(x, dim=1) | F.log_softmax(x, 1) | m.softmax(x, 0) | F.normalize(x, dim=1) | F.layer_norm(x, (4,)) | F.layer_norm(x, [4], v, v) | F.pad(x, (1, 2)) | F.pad(x[None], (1, 1), mode="reflect")
F.mse_loss(x, p) | F.l1_loss(x, p, reduction="sum") | F.cross_entropy(x, c) | F.nll_loss(F.log_softmax(x, 1), c, reduction="none") | F.smooth_l1_loss(x, p, beta=0.5) | F.huber_loss(x, p)
F.binary_cross_entropy_with_logits(x, b.float()) | F.kl_div(x, F.softmax(p, 1), reduction="batchmean") | F.cosine_similarity(x, p) | F.one_hot(c, 4) | F.pairwise_distance(x, p) | F.group_norm(x, 2)
m.special.erfcx(x) | m.special.i0(x) | m.special.xlogy(x.abs(), p.abs()) | m.special.logit(x.sigmoid()) | m.special.zeta(x.abs() + 2, 1.5) | m.special.logsumexp(x, 0) | m.special.expit(x)
m.fft.fft(x) | m.fft.rfft(x, n=6) | m.fft.ifft(x, dim=0, norm="ortho") | m.fft.fft2(x) | m.fft.fftshift(x) | m.fft.fftfreq(5, d=0.5) | m.signal.windows.hamming(5) | m.signal.windows.gaussian(5, std=2.0)
m.zeros(2, 3) | m.ones((2,), dtype=m.int32) | m.full((2, 2), 3) | m.full((2,), True) | m.arange(5) | m.arange(1, 2, 0.25) | m.linspace(0, 1, 5) | m.logspace(0, 2, 3) | m.eye(2, 3) | m.tril_indices(3, 3)
m.zeros_like(i) | m.full_like(x, 2, dtype=m.float64) | x.new_zeros(2, 2) | x.new_full((2,), 3) | m.tensor([[1, 2.5], [3, 4]]) | m.tensor([True, False]) | m.tensor(3) | m.as_tensor([1.0]) | m.empty(0) | x.new_tensor([1, 2])
x.double() | x.int() | x.to(m.float16) | x.to("cpu", m.float64) | i.float() | x.bool() | b.long() | x.type(m.int64) | x.to(i) | m.promote_types(m.int32, m.float16) | m.result_type(i, 1.5) | x.size() | x.size(1) | x.stride() | x.ndim | x.numel()
x.view(m.int32) | m.complex(x, p).abs() | m.complex(x, p) * (1 + 2j) | m.view_as_real(m.complex(x, p)) | m.complex(x, p).conj().imag | m.polar(x.abs(), p) | m.complex(x, p).angle() | m.real(m.complex(x, p)).shape
x.sum("a") | x + v[:2] | x.view(5) | x[3] | x[:, 5] | x.permute(0, 0) | m.cat([x, v]) | m.zeros(2, -1) | x.to("gpu") | m.linalg.inv(x) | x.max(2) | i.mean() | m.tensor([[1], [2, 3]]) | bool(x) | int(x) | m.full((2,), 1j, dtype=m.float32)
""".replace("\n", " | ").split(" | ")


def operands(generator):
    a = generator.standard_normal((3, 4)).astype(np.float32)
    square = generator.standard_normal((3, 3)).astype(np.float32)
    with_nan = a.copy()
    with_nan[0, 1] = with_nan[2, 3] = np.nan
    return {
        "x": a, "p": generator.standard_normal((3, 4)).astype(np.float32), "q": np.float32(2) + np.abs(a),
        "v": generator.standard_normal(4).astype(np.float32), "s": np.sort(generator.standard_normal(3)).astype(np.float32),
        "s01": np.array([0.1, 0.9], np.float32), "s3": generator.standard_normal(3).astype(np.float32),
        "i": generator.integers(-5, 6, (3, 4)), "j": generator.integers(0, 4, 7), "j4": generator.integers(-5, 6, 4),
        "k": np.array([2, 0]), "g": generator.integers(0, 4, (3, 4)), "b": a > 0, "c": generator.integers(0, 4, 3),
        "a": square @ square.T + 3 * np.eye(3, dtype=np.float32), "n": with_nan,
    }


def run(library, functional, statement, values):
    """The result of a statement, or the error that it raises."""
    names = {name: library.tensor(value) for name, value in values.items()}
    try:
        return eval(statement, {"m": library, "F": functional, **names}), None
    except Exception as error:  # noqa: BLE001: compared below
        return None, error


class Difference(AssertionError):
    pass


def plain(result):
    """A result as arrays, numbers and text, which are compared with those of the other library."""
    if isinstance(result, (sinter.Tensor,) + ((torch.Tensor,) if torch else ())):
        text = repr(result.dtype).split(".")[1]
        return ("tensor", text, tuple(result.shape), result.detach().resolve_conj().resolve_neg().numpy())
    if isinstance(result, (tuple, list)):
        return [plain(part) for part in result]
    return str(result).split(".")[-1] if "dtype" in type(result).__name__ else result


def compare(ours, theirs, tolerance=2e-5):
    if isinstance(theirs, list):
        if not isinstance(ours, list) or len(ours) != len(theirs):
            raise Difference(f"{ours} and {theirs}")
        for pair in zip(ours, theirs):
            compare(*pair, tolerance)
    elif isinstance(theirs, tuple):
        if ours[:3] != theirs[:3]:
            raise Difference(f"{ours[:3]} and {theirs[:3]}")
        if not np.allclose(ours[3], theirs[3], rtol=tolerance, atol=tolerance, equal_nan=True):
            raise Difference(f"{ours[3]} and {theirs[3]}")
    elif ours != theirs:
        raise Difference(f"{ours!r} and {theirs!r}")


# Statements of random programs: {t} is any tensor so far, {u} another one, {n} a number.
PIECES = ["{t} + {u}", "{t} * {u}", "{t} - {n}", "{t}.exp()", "{t}.sin()", "{t}.abs().sqrt()", "{t}.clamp(min={n})",
          "{t}.t()", "{t}[0]", "{t}[1:]", "{t}.unsqueeze(0)", "{t}.flatten()", "{t}.sum(0)", "{t}.mean()", "{t}.amax(-1)",
          "{t}.cumsum(0)", "{t}.sort(0).values", "m.where({t} > {n}, {t}, {u})", "{t}.softmax(-1)", "{t} @ {u}", "{t}.int()",
          "{t}.double()", "{t} > {u}", "{t}.float().argmax(0)", "{t}.reshape(-1, 2)", "{t}.expand(2, *{t}.shape)", "{t}.flip(0)"]
WRITES = ["{t}.add_({n})", "{t}.mul_({u})", "{t}[0] = {n}", "{t}.zero_()", "{t}.copy_({u})", "{t} += {u}", "{t}[{t} > 0] = {n}",
          "{t}.clamp_(max={n})", "{t}.fill_({n})"]


def random_program(rng):
    """Lines of a program; each gives a name to a result or writes to one."""
    lines, names = [], ["x", "p", "i", "v"]
    for step in range(rng.randrange(3, 12)):
        parts = {"t": rng.choice(names), "u": rng.choice(names), "n": rng.choice([0, 1, -1, 0.5, 2])}
        if rng.random() < 0.25:
            lines.append(rng.choice(WRITES).format(**parts))
        else:
            lines.append(f"y{step} = " + rng.choice(PIECES).format(**parts))
            names.append(f"y{step}")
    return lines


def run_program(library, lines, values):
    """The tensors at the end, and which lines raised. A line that did leaves its name out."""
    names = {"m": library} | {name: library.tensor(value) for name, value in values.items()}
    refused = []
    for number, line in enumerate(lines):
        try:
            exec(line, names)
        except NameError:
            refused.append(number)  # reads the result of a line that raised
        except Exception:  # noqa: BLE001: which lines raise is compared
            refused.append(number)
    return {name: value for name, value in names.items() if name in values or name[0] == "y" and name[1:].isdigit()}, refused


@unittest.skipIf(torch is None, "no PyTorch")
class AgainstTorch(unittest.TestCase):
    def seed(self):
        seed = int(os.environ.get("SINTER_TEST_SEED", time.time_ns() % 1_000_000))
        print(f"seed {seed}", flush=True)
        return seed

    def test_statements(self):
        values = operands(np.random.default_rng(self.seed()))
        for statement in filter(None, STATEMENTS):
            with self.subTest(statement=statement):
                ours, our_error = run(sinter, sinter.nn.functional, statement, values)
                theirs, their_error = run(torch, torch.nn.functional, statement, values)
                if (our_error is None) != (their_error is None):
                    raise Difference(f"Sinter: {our_error or ours}; PyTorch: {their_error or theirs}")
                if our_error is None:
                    compare(plain(ours), plain(theirs))

    def test_random_programs(self):
        seed = self.seed()
        for number in range(1000):
            rng = random.Random(f"{seed} {number}")
            lines, values = random_program(rng), operands(np.random.default_rng(seed + number))
            values = {name: values[name] for name in ("x", "p", "i", "v")}
            with self.subTest(seed=seed, program=number, lines=lines), np.errstate(all="ignore"):
                ours, refused = run_program(sinter, lines, values)
                theirs, theirs_refused = run_program(torch, lines, values)
                self.assertEqual(refused, theirs_refused)
                for name in theirs:
                    compare(plain(ours[name]), plain(theirs[name]), 1e-4)

    def test_memory_is_shared_both_ways(self):
        for dtype in ("float32", "float64", "int32", "int64", "uint8", "bool", "bfloat16", "float16", "complex64"):
            theirs = torch.ones(2, 3).to(getattr(torch, dtype))
            ours = sinter.from_dlpack(theirs.t())
            self.assertEqual((ours.data_ptr(), ours.shape, ours.stride()), (theirs.data_ptr(), (3, 2), (1, 3)))
            self.assertIs(ours.dtype, getattr(sinter, dtype))
            ours[0, 0] = 0
            self.assertEqual(theirs[0, 0].item(), 0)
            back = torch.from_dlpack(sinter.ones(2, 3, dtype=getattr(sinter, dtype)))
            self.assertEqual((back.shape, back.dtype), ((2, 3), getattr(torch, dtype)))
        self.assertEqual(torch.as_tensor(sinter.ones(2)).tolist(), [1.0, 1.0])

    def test_random_numbers_of_pytorch(self):
        sinter.set_default_rng("mt19937")
        try:
            for library in (sinter, torch):
                library.manual_seed(7)
            self.assertEqual(sinter.rand(20).tolist(), torch.rand(20).tolist())
        finally:
            sinter.set_default_rng("philox")


if __name__ == "__main__":
    unittest.main()

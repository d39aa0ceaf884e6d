"""The notation of the files: operands, calls, results, and what PyTorch makes of a call."""

import itertools
import math
import os
import pathlib
import re
import sys
import warnings
import zlib

# The plain kernels: the vector ones differ from machine to machine.
os.environ.setdefault("ATEN_CPU_CAPABILITY", "default")

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
NAMES = {"u8": torch.uint8, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32,
         "i64": torch.int64, "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32,
         "f64": torch.float64, "bool": torch.bool, "c64": torch.complex64, "c128": torch.complex128}
NAME_OF = {t: n for n, t in NAMES.items()}
INTS = ["u8", "i8", "i16", "i32", "i64"]
FLOATS = ["f16", "bf16", "f32", "f64"]
ALL = INTS + FLOATS + ["bool"]
PARTS = {"c64": "f32", "c128": "f64"}  # the dtype of both parts of a complex number
EPS = {"f16": 2.0**-10, "bf16": 2.0**-7, "f32": 2.0**-23, "f64": 2.0**-52, "c64": 2.0**-23, "c128": 2.0**-52}
INF = math.inf

# ---- operands: the same formulas as in inputs.cpp

# largest, smallest normal, smallest subnormal, a large number
LIMITS = {"f16": (65504.0, 2.0**-14, 2.0**-24, 30720.0),
          "bf16": ((2 - 2.0**-7) * 2.0**127, 2.0**-126, 2.0**-133, 9 * 2.0**30),
          "f32": ((2 - 2.0**-23) * 2.0**127, 2.0**-126, 2.0**-149, 9 * 2.0**30),
          "f64": (sys.float_info.max, 2.0**-1022, 2.0**-1074, 9 * 2.0**60)}
SIGNIFICAND = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}
BITS = {"u8": 8, "i8": 8, "i16": 16, "i32": 32, "i64": 64}


def special_float(d, k):
    largest, normal, subnormal, large = LIMITS[d]
    return [0.0, -0.0, 1.0, -1.5, 2.5, INF, -INF, math.nan, largest, subnormal, -0.5, 0.5, 1.5, -2.5, 3.0,
            -7.0, 0.25, 10.0, 88.5, -104.0, 20.0, 13 / 128, 2.0**-10, large, -largest, normal,
            -subnormal, -1.0, 0.75, -20.0][k % 30]


def wrapped(d, x):
    x &= (1 << BITS[d]) - 1
    return x - (1 << BITS[d]) if d != "u8" and x >> (BITS[d] - 1) else x


def special_integer(d, k):
    b = BITS[d]
    low, high = (0, 255) if d == "u8" else (-(1 << (b - 1)), (1 << (b - 1)) - 1)
    return wrapped(d, [0, 1, -1, low, high, 2, 7, -5, 3, 100, -100, 4][k % 12])


def rough(i, seed, p):
    m = (1 << 64) - 1
    h = ((i + 1) * 0x9E3779B97F4A7C15 + seed * 0xD1B54A32D192ED03) & m
    h ^= h >> 29
    h = (h * 0xBF58476D1CE4E5B9) & m
    h ^= h >> 32
    return math.ldexp(float(h >> (64 - p)), 2 - p) - 2


def place_of(sizes, layout, i):
    """Matrix, row and column of what lies at `i` in an operand's memory; junk between is at -1."""
    n = len(sizes)
    memory = memory_sizes(sizes, layout)
    at = []
    for size in reversed(memory):
        at.insert(0, i % max(1, size))
        i //= max(1, size)
    if layout == "t":
        at.reverse()
    if layout == "s":
        at[-1] = (at[-1] - 1) // 2 if at[-1] % 2 else -1
    batch = 0
    for d in range(n - 2):
        batch = batch * sizes[d] + at[d]
    return batch, at[-2], at[-1]


def structured(d, kind, i, seed, p, sizes, layout):
    """d: rough, and p more on the diagonals of the matrices. h: the same, and Hermitian."""
    batch, row, col = place_of(sizes, layout, i)
    if col < 0:
        return 0
    sign = 1
    if kind == "h":
        i = (batch * sizes[-1] + min(row, col)) * sizes[-1] + max(row, col)
        sign = (row < col) - (row > col)
    more = p if row == col else 0
    if d in PARTS:
        bits = SIGNIFICAND[PARTS[d]]
        return complex(rough(2 * i, seed, bits) + more, sign * rough(2 * i + 1, seed, bits))
    x = element(d, "r", i, seed, p)
    return x + more if d in FLOATS else wrapped(d, x + more)


def memory_sizes(sizes, layout):
    sizes = list(sizes)
    if sizes and layout == "t":
        sizes = sizes[::-1]
    if sizes and layout == "s":
        sizes[-1] = 2 * sizes[-1] + 1
    if sizes and layout == "e":
        sizes[0] = 1
    return sizes


def element(d, kind, i, seed, p):
    if d in PARTS:
        return complex(element(PARTS[d], kind, 2 * i, seed, p), element(PARTS[d], kind, 2 * i + 1, seed, p))
    k = i + seed
    scale = 1
    if kind in "sznf":
        if d in FLOATS:
            x = special_float(d, k)
            if x == 0 and (kind == "n" or (kind == "z" and math.copysign(1, x) < 0)):
                x = -3.0
            if kind == "f" and not abs(x) <= 20:
                x = 6.5
            return x
        if d == "bool":
            return kind == "n" or k % 2 != 0
        x = special_integer(d, k)
        if kind == "n" and x in (0, wrapped(d, -1)):
            x = 6
        if kind == "f" and (x > 100 or x < 0):
            x = 5
        return x
    if kind == "m":
        small, scale = (i * 7 + seed * 3) % 19 - (0 if d == "u8" else 9), 0.25
    elif kind == "p":
        small, scale = 1 + (i * 7 + seed * 3) % 11, 0.25
    elif kind == "r":
        if d in FLOATS:
            return rough(i, seed, SIGNIFICAND[d])
        small = int(rough(i, seed, 24) * 50)
    elif kind == "u":
        small = (i * 3 + seed) % p
    elif kind == "w":
        small = (i * 5 + seed) % (2 * p) - p
    elif kind == "q":
        small = k % p
    elif kind == "b":
        small = int((i * 5 + seed * 3) % 7 < 3)
    elif kind == "c":
        small = k
    if d in FLOATS:
        return small * scale
    return small % 2 != 0 if d == "bool" else wrapped(d, small)


class Operand:
    """A tensor by its recipe: dtype, sizes, kind of elements, seed, parameter, layout."""

    def __init__(self, dtype, sizes, kind="m", seed=0, parameter=1, layout="c"):
        self.dtype, self.sizes, self.kind = dtype, tuple(sizes), kind
        self.seed, self.parameter, self.layout = seed, parameter, layout

    def __str__(self):
        s = f"{self.dtype}[{','.join(map(str, self.sizes))}]{self.kind}{self.seed}"
        if self.parameter != 1:
            s += f".{self.parameter}"
        return s + (self.layout if self.layout != "c" else "")

    def tensor(self):
        sizes = memory_sizes(self.sizes, self.layout)
        if self.kind in "dh":
            values = [structured(self.dtype, self.kind, i, self.seed, self.parameter, self.sizes, self.layout)
                      for i in range(math.prod(sizes))]
        else:
            values = [element(self.dtype, self.kind, i, self.seed, self.parameter)
                      for i in range(math.prod(sizes))]
        wide = (torch.float64 if self.dtype in FLOATS else torch.complex128 if self.dtype in PARTS
                else NAMES[self.dtype])
        t = torch.tensor(values, dtype=wide).to(NAMES[self.dtype]).view(sizes)
        if not sizes:
            return t
        if self.layout == "t":
            return t.permute(*reversed(range(len(sizes))))
        if self.layout == "s":
            return t[..., 1:sizes[-1]:2]
        return t.expand(self.sizes) if self.layout == "e" else t


def T(dtype, sizes, kind="m", seed=0, parameter=1, layout="c"):
    return Operand(dtype, sizes, kind, seed, parameter, layout)


# ---- the notation

def text_of(a):
    if isinstance(a, bool):
        return "true" if a else "false"
    if isinstance(a, str):
        return f'"{a}"'
    if isinstance(a, torch.dtype):
        return NAME_OF[a]
    if isinstance(a, (list, tuple)):
        return " ".join(["{", *map(text_of, a), "}"])
    if isinstance(a, slice):
        return ":".join("" if p is None else str(p) for p in (a.start, a.stop, a.step))
    if isinstance(a, complex):
        return f"({a.real!r},{a.imag!r})"
    return "..." if a is Ellipsis else repr(a) if isinstance(a, float) else str(a)


def value_of(a):
    if isinstance(a, Operand):
        return a.tensor()
    return [value_of(x) for x in a] if isinstance(a, (list, tuple)) else a


def elements_of(t, step=1):
    t = t.detach().contiguous().view(-1)[::step].clone()
    if t.is_complex():
        t = torch.view_as_real(t.resolve_conj()).view(-1)
    if t.dtype == torch.bool or not t.dtype.is_floating_point:
        words = [str(int(x)) for x in t.tolist()]
    else:
        width = t.element_size() * 8
        same = {16: torch.int16, 32: torch.int32, 64: torch.int64}[width]
        words = []
        for x, b in zip(t.double().tolist(), t.view(same).tolist()):
            h = f"{b & ((1 << width) - 1):0{width // 4}x}".rstrip("0") or "0"
            words.append("nan" if math.isnan(x) else h)
    runs = [(w, len(list(g))) for w, g in itertools.groupby(words)]
    return [w if n == 1 else f"{w}*{n}" for w, n in runs]


def result_text(r, source, most=None):
    """`source` is the operand that a view is of. `most`: above so many elements, each `/step`-th is written."""
    if isinstance(r, bool):
        r = torch.tensor(r)
    if isinstance(r, torch.dtype):
        return f"{NAME_OF[r]}[0]"
    s = f"{NAME_OF[r.dtype]}[{','.join(map(str, r.shape))}]"
    if source is not None and r.untyped_storage().data_ptr() == source.untyped_storage().data_ptr() and r.numel():
        s += f"({','.join(map(str, r.stride()))})+{r.storage_offset()}"
    step = 1 if most is None or r.numel() <= most else -(-r.numel() // most) | 1
    return " ".join([s + (f"/{step}" if step > 1 else ""), *elements_of(r, step)])


def is_float(t):
    return t.dtype.is_floating_point or t.dtype.is_complex


def widened(v):
    if not isinstance(v, torch.Tensor) or not is_float(v):
        return v
    return v.to(torch.complex128) if v.is_complex() else v.double()


class LeftOut(Exception):
    """PyTorch has no such function."""


def own(name):
    """PyTorch's function of a name: a function, or a method."""
    special = {"log_sigmoid": F.logsigmoid, "numpy_T": lambda x: x.permute([*reversed(range(x.dim()))]),
               "to": lambda x, d: x.to(d), "index": lambda x, i: x[tuple(i)]}
    if name in special:
        return special[name]
    if name.startswith("linalg_"):
        return getattr(torch.linalg, name[7:])
    for place in (torch, F, torch.special):
        f = getattr(place, name, None)
        if callable(f) and not name.endswith("_"):
            return f
    if not hasattr(torch.Tensor, name):
        raise LeftOut
    return getattr(torch.Tensor, name)


REFUSALS = {RuntimeError: "Error", NotImplementedError: "NotImplementedError", IndexError: "IndexError",
            ValueError: "ValueError", TypeError: "TypeError", torch.linalg.LinAlgError: "LinAlgError"}


class File:
    """The calls of one file, of which a part is kept, chosen by the text of the call."""

    def __init__(self, name, part=1.0):
        self.name, self.part, self.lines, self.left_out = name, part, [], 0
        self.kernels = False  # a dtype without a kernel is a refusal too

    def call(self, name, *args, by=None, views=False, bound=None, wide=False):
        """One line. `by` replaces PyTorch's function of that name. `wide`: judged against doubles.
        `bound(operands, result)` is the largest error."""
        line = " ".join([name, *map(text_of, args), "->"])
        if zlib.crc32(line.encode()) >= self.part * 2**32:
            return
        values = [value_of(a) for a in args]
        try:
            f = by or own(name)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                got = f(*values)
                if wide and isinstance(got, torch.Tensor) and is_float(got):
                    doubles = [widened(v) for v in map(value_of, args)]
                    got = f(*doubles).to(got.dtype)
                elif wide and isinstance(got, tuple):
                    doubles = f(*[widened(v) for v in map(value_of, args)])
                    got = [w.to(g.dtype) for g, w in zip(got, doubles)]
        except LeftOut:
            return
        except tuple(REFUSALS) as e:
            # The second: Python's own check of the arguments' types, where C++ has overloads.
            missing = "not implemented for" in str(e) and not self.kernels or "INTERNAL ASSERT" in str(e)
            if missing or re.search("must be .*, not|invalid combination", str(e)):
                self.left_out += 1
                return
            kind = REFUSALS[type(e)]
            # PyTorch has both kinds for a bad index, by function and path; Sinter has one.
            if kind == "Error" and re.search(r"index (?!k).* out of (bounds|range)|unflatten got[^?]*no dimensions|Index has to be a vector|Expected dtype int.* for index", str(e)):
                kind = "IndexError"
            # By function again, and NotImplementedError of Sinter.
            if kind == "TypeError" and re.search(r"not .*\b(support|for) [cC]omplex|omplex .*not support", str(e)):
                kind = "NotImplementedError"
            # And LinAlgError of Sinter wherever the numbers in a matrix are the reason.
            if re.search("is zero and using it on lu_solve|should not contain infs", str(e)):
                kind = "LinAlgError"
            self.lines.append(f"{line} !{kind}")
            return
        results = list(got) if isinstance(got, (list, tuple)) else [got]
        source = values[0] if views else None
        largest = max((bound(values, r) for r in results if bound and is_float(r)), default=0)
        largest = largest if math.isfinite(largest) else 0
        line += f" ~{largest:.3g}" if largest else ""
        self.lines.append(f"{line} {' ; '.join(result_text(r, source) for r in results)}".rstrip())

    def write(self):
        head = [f"# What PyTorch {torch.__version__} gives, written by generate.py: do not edit."]
        (HERE / self.name).write_text("\n".join(head + self.lines) + "\n")
        size = (HERE / self.name).stat().st_size
        print(f"{self.name}: {len(self.lines)} calls, {size // 1024} KB, {self.left_out} left out")

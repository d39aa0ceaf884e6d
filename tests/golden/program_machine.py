"""Runs the statements of random programs in PyTorch, by the rules that programs.py states."""

import math
import warnings
import zlib

import torch

from notation import FLOATS, NAME_OF, NAMES, T

DTYPES = [n for n in NAMES if n not in ("c64", "c128")]
LARGEST = 2500  # elements of a value


def made(name, count, seed):
    """The elements of `make`: small, and none is a zero with a sign."""
    return T(name, [count], "m", seed).tensor()


def scalar(word):
    if word in ("true", "false"):
        return word == "true"
    return float(word) if "." in word or word in ("inf", "-inf", "nan") else int(word)


def numbers(word):
    return [int(n) for n in word[1:-1].split(",") if n]


def digest(t):
    t = t.detach().clone(memory_format=torch.contiguous_format)
    if t.dtype.is_floating_point:
        t[t.isnan()] = math.nan
        bits = {torch.float16: 0x7e00, torch.bfloat16: 0x7fc0}.get(t.dtype)
        if bits is not None:
            t.view(torch.int16)[t.isnan()] = bits
    data = t.view(-1).view(torch.uint8).numpy().tobytes() if t.numel() else b""
    return f"{NAME_OF[t.dtype]}[{','.join(map(str, t.shape))}] {zlib.crc32(data):08x}"


class Left(Exception):
    """A statement that a rule leaves out."""


def exact_in(t, dims=None):
    """Whether every order of a sum over these gives the same bits."""
    if not isinstance(t, torch.Tensor) or not t.dtype.is_floating_point:
        return True
    d = t.double()
    if not bool(d.isfinite().all()) or bool((d.eq(0) & d.signbit()).any()):
        return False
    whole = bool((d * 16).frac().eq(0).all())
    return whole and float(d.abs().sum()) < {torch.float16: 2**11, torch.bfloat16: 2**11}.get(t.dtype, 2**19)


def require(truth):
    if not truth:
        raise Left


def no_signed_zero(*ts):
    for t in ts:
        if isinstance(t, torch.Tensor) and t.dtype.is_floating_point:
            require(not bool((t.eq(0) & t.signbit()).any()))


def separate(t):
    """Whether each element has an address of its own."""
    at = torch.zeros(1, dtype=torch.int64)
    for n, step in zip(t.shape, t.stride()):
        at = (at[:, None] + torch.arange(n)[None, :] * step).view(-1)
    return at.unique().numel() == t.numel()


def castable(t, dtype):
    """R3."""
    if isinstance(t, torch.Tensor) and t.dtype.is_floating_point and not dtype.is_floating_point and dtype != torch.bool:
        i = torch.iinfo(dtype)
        d = t.double()
        require(bool(d.isfinite().all()) and bool((d >= max(i.min, -2**53)).all()) and bool((d <= min(i.max, 2**53)).all()))


class Machine:
    """Runs statements in PyTorch."""

    def __init__(self):
        self.at = {}

    def run(self, text):
        """One statement; what it prints, or None."""
        words = text.split()
        names = []
        if len(words) > 1 and words[1] == "=":
            names, words = words[0].split(","), words[2:]
        if words[0].endswith("_") and words[0] != "poke_" and not (separate(self.t(words[1])) and self.apart(words)):
            require(words[0] != "index_put_")  # R9
            self.shadow().step(words)  # on a copy: PyTorch may refuse it
            require(self.uniform(words))  # R7, R8
        r = self.step(words)
        if not names:
            return r
        results = r if isinstance(r, (tuple, list)) else [r]
        for t in results:
            require(t.numel() <= LARGEST and t.dim() <= 6)
        for name, t in zip(names, results):
            self.at[name] = t
        return None

    def step(self, words):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return getattr(self, "do_" + words[0])(*words[1:])

    def shadow(self):
        """A machine over copies of all storages."""
        copies, m = {}, Machine()
        for name, t in self.at.items():
            old = t.untyped_storage()
            new = copies.setdefault(old.data_ptr(), old.clone())
            m.at[name] = torch.empty(0, dtype=t.dtype).set_(new, t.storage_offset(), t.shape, t.stride())
        return m

    def uniform(self, words):
        """Whether all that a write puts into an address is the same, in whatever order."""
        return words[0] in ("fill_", "zero_", "masked_fill_", "index_fill_") or words[0].startswith("set_") and words[-1] not in self.at

    def apart(self, words):
        """Whether what is read lies elsewhere, or is what is written, element for element."""
        target = self.t(words[1])
        same = [self.t(w) for w in words[2:] if w in self.at
                and self.t(w).untyped_storage().data_ptr() == target.untyped_storage().data_ptr()]
        if words[0].startswith("copy_") and words[0] != "copy_" or not same:
            return True
        place = (target.shape, target.stride(), target.storage_offset())
        pointwise = words[0] in ("copy_", "add_", "sub_", "mul_", "div_", "bitwise_xor_")
        return pointwise and all((t.shape, t.stride(), t.storage_offset()) == place for t in same)

    def t(self, word):
        return self.at[word]

    def arg(self, word):
        """A tensor of the pool, or a number."""
        return self.at[word] if word in self.at else scalar(word)

    @staticmethod
    def row_major(r):
        """R1."""
        return r.clone(memory_format=torch.contiguous_format)


def fresh(name, f):
    def run(self, *words):
        r = f(self, *words)
        return [self.row_major(t) for t in r] if isinstance(r, (tuple, list)) else self.row_major(r)
    setattr(Machine, "do_" + name, run)


def plain(name, f):
    """A view, or what gives no value."""
    def run(self, *words):
        r = f(self, *words)
        return None if name.endswith("_") else r
    setattr(Machine, "do_" + name, run)


# ---- new values
fresh("make", lambda m, d, s, seed: made(d, math.prod(numbers(s)), int(seed)).view(numbers(s)))
plain("blob", lambda m, d, s, st, seed: made(d, 1 + sum((n - 1) * k for n, k in zip(numbers(s), numbers(st))), int(seed)).as_strided(numbers(s), numbers(st)))
fresh("arange", lambda m, d, n: torch.arange(int(n), dtype=NAMES[d]))
fresh("full", lambda m, d, s, v: torch.full(numbers(s), scalar(v), dtype=NAMES[d]))
fresh("zeros", lambda m, d, s: torch.zeros(numbers(s), dtype=NAMES[d]))

# ---- views
plain("alias", lambda m, a: m.t(a))
plain("permute", lambda m, a, d: m.t(a).permute(numbers(d)))
plain("transpose", lambda m, a, i, j: m.t(a).transpose(int(i), int(j)))
plain("slice", lambda m, a, d, i, j, s: torch.ops.aten.slice(m.t(a), int(d), int(i), int(j), int(s)))
plain("select", lambda m, a, d, i: m.t(a).select(int(d), int(i)))
plain("expand", lambda m, a, s: m.t(a).expand(numbers(s)))
plain("squeeze", lambda m, a: m.t(a).squeeze())
plain("unsqueeze", lambda m, a, d: m.t(a).unsqueeze(int(d)))
plain("diagonal", lambda m, a, o, i, j: m.t(a).diagonal(int(o), int(i), int(j)))
plain("unfold", lambda m, a, d, n, s: m.t(a).unfold(int(d), int(n), int(s)))
plain("as_strided", lambda m, a, s, st, o: m.t(a).as_strided(numbers(s), numbers(st), int(o)))
plain("view", lambda m, a, s: m.t(a).view(numbers(s)))
plain("reshape", lambda m, a, s: m.t(a).reshape(numbers(s)))
plain("flatten", lambda m, a: m.t(a).flatten())
plain("detach", lambda m, a: m.t(a).detach())
plain("contiguous", lambda m, a: m.t(a).contiguous())
plain("index_at", lambda m, a, i: m.t(a)[..., int(i)])

# ---- moves
plain("clone", lambda m, a: m.t(a).clone())  # keeps the layout, as `to` does
fresh("flip", lambda m, a, d: m.t(a).flip(numbers(d)))
fresh("roll", lambda m, a, n, d: m.t(a).roll(int(n), int(d)))
fresh("cat", lambda m, a, b, d: torch.cat([m.t(a), m.t(b)], int(d)))
fresh("stack", lambda m, a, b, d: torch.stack([m.t(a), m.t(b)], int(d)))
fresh("repeat", lambda m, a, n: m.t(a).repeat(numbers(n)))
fresh("triu", lambda m, a, k: m.t(a).triu(int(k)))


def do_to(m, a, d):
    castable(m.t(a), NAMES[d])
    return m.t(a).to(NAMES[d])  # keeps the layout of dense memory here as well


plain("to", do_to)

# ---- operations of one and two values; a number may stand for the second
ORDERS = ["maximum", "minimum", "clamp", "relu", "amax", "amin", "max", "min", "argmax", "argmin", "sort", "cummax",
          "cummin", "median", "sign", "unique", "trunc", "topk"]
TWO = {n: getattr(torch, n) for n in
       ["add", "sub", "mul", "div", "maximum", "minimum", "eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or",
        "bitwise_and", "bitwise_or", "bitwise_xor", "remainder", "fmod", "floor_divide"]}
ONE = {n: getattr(torch, n) for n in
       ["neg", "abs", "square", "reciprocal", "floor", "ceil", "trunc", "round", "sign", "relu", "isnan", "logical_not",
        "bitwise_not"]}


ONE["sqrt"] = lambda t: root(t)


def checked_two(name, f):
    def run(m, a, b):
        x, y = m.arg(a), m.arg(b)
        if name in ORDERS:
            no_signed_zero(x, y)
        if name in ("remainder", "fmod", "floor_divide"):
            whole = isinstance(y, int) and not isinstance(y, bool) or isinstance(y, torch.Tensor) and not y.dtype.is_floating_point
            require(whole and not x.dtype.is_floating_point and (y.ne(0).all() if isinstance(y, torch.Tensor) else y != 0))
        return f(x, y)
    return run


def root(t):
    """Rounded correctly, as IEEE 754 has it: PyTorch's vector library is off in the last place at times."""
    r = torch.sqrt(t)
    return t.to(r.dtype).double().sqrt().to(torch.promote_types(r.dtype, torch.float32)).to(r.dtype)


def checked_one(name, f):
    def run(m, a):
        if name in ORDERS:
            no_signed_zero(m.t(a))
        return f(m.t(a))
    return run


for name, f in TWO.items():
    fresh(name, checked_two(name, f))
for name, f in ONE.items():
    fresh(name, checked_one(name, f))
fresh("rsub", lambda m, a, s: scalar(s) - m.t(a))
fresh("where", lambda m, c, a, b: torch.where(m.t(c), m.arg(a), m.arg(b)))
fresh("masked_fill", lambda m, a, c, s: m.t(a).masked_fill(m.t(c), scalar(s)))
fresh("mul_add", lambda m, a, b, c: m.arg(a) * m.arg(b) + m.arg(c))
fresh("sub_mul", lambda m, a, b, c: (m.arg(a) - m.arg(b)) * m.arg(c))


def do_clamp(m, a, low, high):
    no_signed_zero(m.t(a))
    return m.t(a).clamp(scalar(low), scalar(high))


fresh("clamp", do_clamp)

# A named expression is computed from what its operands are at its line.
fresh("named_add", lambda m, a, b: m.t(a) + m.t(b))
fresh("named_mul", lambda m, a, s: m.t(a) * scalar(s))


# ---- reductions, scans, sorts, products
def summed(f):
    def run(m, a, *rest):
        require(exact_in(m.t(a)))
        return f(m.t(a), *rest)
    return run


def ordered(f):
    def run(m, a, *rest):
        no_signed_zero(m.t(a))
        return f(m.t(a), *rest)
    return run


def do_mean(a, d):
    dims = numbers(d)
    n = math.prod(a.shape[k] for k in dims) if dims else a.numel()
    require(a.dtype in (torch.float32, torch.float64) and n in (1, 2, 4, 8, 16, 32))
    return a.mean(dims)


fresh("sum", summed(lambda a, d, k: a.sum(numbers(d), k == "true")))
fresh("sum_all", summed(lambda a: a.sum()))
fresh("mean", summed(do_mean))
fresh("cumsum", summed(lambda a, d: a.cumsum(int(d))))
fresh("amax", ordered(lambda a, d, k: a.amax(numbers(d), k == "true")))
fresh("amin", ordered(lambda a, d, k: a.amin(numbers(d), k == "true")))
fresh("max", ordered(lambda a, d, k: tuple(a.max(int(d), k == "true"))))
fresh("min", ordered(lambda a, d, k: tuple(a.min(int(d), k == "true"))))
fresh("argmax", ordered(lambda a, d: a.argmax(int(d))))
fresh("argmin", ordered(lambda a, d: a.argmin(int(d))))
fresh("cummax", ordered(lambda a, d: tuple(a.cummax(int(d)))))
fresh("sort", ordered(lambda a, d, down: tuple(torch.sort(a, dim=int(d), descending=down == "true", stable=True))))
fresh("topk", ordered(lambda a, k, d: a.topk(int(k), int(d))[0]))
fresh("median", ordered(lambda a, d: a.median(int(d))[0]))
fresh("unique", ordered(lambda a: a.unique()))
fresh("any", lambda m, a, d: m.t(a).any(int(d)))
fresh("all", lambda m, a, d: m.t(a).all(int(d)))
fresh("count_nonzero", lambda m, a, d: m.t(a).count_nonzero(int(d)))
fresh("nonzero", lambda m, a: m.t(a).nonzero())
fresh("masked_select", lambda m, a, c: m.t(a).masked_select(m.t(c)))
fresh("prod", lambda m, a, d: (require(not m.t(a).dtype.is_floating_point), m.t(a).prod(int(d)))[1])
fresh("cumprod", lambda m, a, d: (require(not m.t(a).dtype.is_floating_point), m.t(a).cumprod(int(d)))[1])


def do_matmul(m, a, b):
    x, y = m.t(a), m.t(b)
    require(x.dtype == y.dtype and NAME_OF[x.dtype] in ("f32", "f64", "i64", "i32"))
    r = torch.matmul(x, y)
    if x.dtype.is_floating_point:
        largest = torch.matmul(x.abs().double(), y.abs().double())
        require(exact_in(x) and exact_in(y) and (not largest.numel() or float(largest.max()) < 2**15))
        # A sum of products that all are zero may have either sign.
        require(not bool((largest == 0).any()) or not bool((x < 0).any()) and not bool((y < 0).any()))
    return r


fresh("matmul", do_matmul)

# ---- indices
fresh("index", lambda m, a, i: m.t(a)[m.t(i)])
fresh("index_last", lambda m, a, i: m.t(a)[..., m.t(i)])
fresh("index_select", lambda m, a, d, i: m.t(a).index_select(int(d), m.t(i)))
fresh("gather", lambda m, a, d, i: m.t(a).gather(int(d), m.t(i)))
fresh("take", lambda m, a, i: m.t(a).take(m.t(i)))


# ---- writes
def value_for(m, target, word):
    v = m.arg(word)
    castable(v, m.t(target).dtype)
    return v


def distinct(i):
    require(i.dtype == torch.int64 and i.unique().numel() == i.numel())


def do_index_put_(m, a, i, v, add):
    index = m.t(i)
    if add == "true":
        require(exact_in(m.t(a)) and exact_in(value_for(m, a, v)))
    elif index.dtype == torch.int64:
        distinct(index % max(1, m.t(a).shape[0]))
    m.t(a).index_put_([index], value_for(m, a, v), add == "true")


def do_scatter_(m, a, d, i, v):
    i_ = m.t(i)
    ordered_ = i_.sort(int(d))[0]
    if i_.shape[int(d)] > 1:
        n = i_.shape[int(d)]
        require(not bool((ordered_.narrow(int(d), 1, n - 1) == ordered_.narrow(int(d), 0, n - 1)).any()))
    m.t(a).scatter_(int(d), i_, m.arg(v))


def do_scatter_add_(m, a, d, i, v):
    require(exact_in(m.t(a)) and exact_in(m.t(v)))
    m.t(a).scatter_add_(int(d), m.t(i), m.t(v))


def do_index_add_(m, a, d, i, v):
    require(exact_in(m.t(a)) and exact_in(m.t(v)))
    m.t(a).index_add_(int(d), m.t(i), m.t(v))


def do_index_copy_(m, a, d, i, v):
    distinct(m.t(i))
    m.t(a).index_copy_(int(d), m.t(i), m.t(v))


def do_masked_scatter_(m, a, c, v):
    m.t(a).masked_scatter_(m.t(c), m.t(v))


plain("copy_", lambda m, a, b: m.t(a).copy_(value_for(m, a, b)))
plain("fill_", lambda m, a, s: m.t(a).fill_(scalar(s)))
plain("zero_", lambda m, a: m.t(a).zero_())
for name in ["add", "sub", "mul", "div", "maximum", "minimum", "bitwise_xor", "remainder"]:
    if name in ("maximum", "minimum"):
        continue

    def write(m, a, b, name=name):
        if name == "remainder":
            require(b not in m.at and not m.t(a).dtype.is_floating_point and isinstance(scalar(b), int) and scalar(b) != 0)
        getattr(m.t(a), name + "_")(m.arg(b))
    plain(name + "_", write)
for name in ["neg", "abs", "sqrt", "square", "relu", "logical_not", "sign"]:
    def write(m, a, name=name):
        if name in ORDERS:
            no_signed_zero(m.t(a))
        if name == "sqrt":
            m.t(a).clone().sqrt_()  # refuses what it refuses
            m.t(a).copy_(root(m.t(a)))
        else:
            getattr(m.t(a), name + "_")()
    plain(name + "_", write)


def copied(f):
    """An expression on the right of a write."""
    def run(m, a, *words):
        r = f(*map(m.arg, words))
        castable(r, m.t(a).dtype)
        m.t(a).copy_(r)
    return run


plain("copy_add_", copied(lambda b, c: b + c))
plain("copy_mul_", copied(lambda b, c: b * c))
plain("copy_mul_add_", copied(lambda b, c, d: b * c + d))
plain("copy_where_", copied(torch.where))


def do_add_mul_(m, a, b, c):
    m.t(a).add_(m.arg(b) * m.arg(c))


def do_set_at_(m, a, i, v):
    m.t(a)[int(i)] = value_for(m, a, v)


def do_set_slice_(m, a, i, j, v):
    m.t(a)[int(i):int(j)] = value_for(m, a, v)


def do_set_step_(m, a, step, v):
    m.t(a)[..., ::int(step)] = value_for(m, a, v)


for f in (do_add_mul_, do_set_at_, do_set_slice_, do_set_step_, do_index_put_, do_scatter_, do_scatter_add_, do_index_add_,
          do_index_copy_, do_masked_scatter_):
    plain(f.__name__[3:], f)
plain("masked_fill_", lambda m, a, c, s: m.t(a).masked_fill_(m.t(c), scalar(s)))
plain("index_fill_", lambda m, a, d, i, s: m.t(a).index_fill_(int(d), m.t(i), scalar(s)))
plain("clamp_", lambda m, a, s, u: (no_signed_zero(m.t(a)), m.t(a).clamp_(scalar(s), scalar(u))))
plain("fill_diagonal_", lambda m, a, s: m.t(a).fill_diagonal_(scalar(s)))
plain("triu_", lambda m, a: m.t(a).triu_())
plain("poke_", lambda m, a, i, s: m.t(a).as_strided([1], [1], m.t(a).storage_offset() + int(i)).fill_(scalar(s)))

# ---- looks
plain("print", lambda m, a: digest(m.t(a)))
plain("item", lambda m, a: digest(m.t(a).reshape([])))
plain("equal", lambda m, a, b: str(torch.equal(m.t(a), m.t(b))).lower())
plain("peek", lambda m, a: digest(m.t(a)))
for name in ["eval", "expose", "explain", "show"]:
    plain(name, lambda m, a: None)
plain("eval_two", lambda m, a, b: None)
plain("mode", lambda m, which: None)


def do_drop(m, a):
    del m.at[a]


plain("drop", do_drop)

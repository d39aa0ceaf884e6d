#!/usr/bin/env python3
"""Writes programs.txt: small random programs, and what PyTorch gives for each value they print.

Run by hand where PyTorch 2.x can be imported, and look at the difference before committing it:

    /tmp/pt/bin/python tests/golden/programs.py              # writes the file
    /tmp/pt/bin/python tests/golden/programs.py show 17      # runs one, and prints its values

A program is a paragraph. Its statements are `c = add a b` for a new value, `add_ a b` for a write,
and `print a -> i64[2,3] 1f00ab12` for a look at it: dtype, sizes, and the CRC-32 of its elements in
row-major order, each NaN as the same one. A `!` before a statement says that PyTorch refuses it, and
that the program goes on. program_statements.cpp runs the same notation.

Values are chosen so that results are exact: whole numbers and quarters, operations that are rounded
once, sums that no order changes. What is left out on purpose, each time by a rule:

- R1 A result is row-major here, while PyTorch keeps the layout of an operand: after each operation
  the result is copied to row-major in PyTorch as well, so that later views agree.
- R2 Zeros with a sign are not ordered (`-0 < +0` here): what orders or adds values does not see them.
- R3 Numbers outside an integer's range are not cast to it: C++ leaves that open, and PyTorch with it.
- R4 Sums and products of floating numbers are made where every order gives the same bits only.
- R5 Indices of a write do not repeat, but where it adds.
- R6 Refusals are kept if both have the same rule: not for dtypes that PyTorch has no kernel for.
- R7 Memory that overlaps itself is written with one number alone, unless PyTorch refuses it: it looks for a stride
  of 0, and where it finds none its order decides.
- R8 What a write reads itself is elsewhere, or is the written view: PyTorch does not find every overlap, and
  then reads what it has just written.
- R9 Two differences are known and left out: `x.copy_(x)` where x overlaps itself does nothing in PyTorch and is
  refused here, and `x.index_put_(i, x)` is refused in PyTorch and runs here.
"""

import math
import pathlib
import random
import sys

import torch

from program_machine import DTYPES, FLOATS, NAME_OF, ONE, TWO, Left, Machine, digest, require

PROGRAMS = 2000
POOL = "abcdefghijkl"


class Writer:
    def __init__(self, seed):
        self.c = random.Random(seed)
        self.m = Machine()
        self.lines = []
        self.base = [self.c.choice([1, 2, 2, 3, 3, 4, 5]) for _ in range(4)]
        if self.c.random() < 0.06:
            self.base = [self.c.choice([7, 8, 9, 16, 17, 33]), self.c.choice([15, 17, 31, 64, 65]), 2, 1]
        if self.c.random() < 0.04:
            self.base[self.c.randrange(4)] = 0
        self.dtypes = self.c.sample(["i64", "f32"] if self.c.random() < 0.3 else DTYPES, 2) + ["f32"]
        # Evaluations: none, some, after each statement.
        self.often = self.c.choice([0, 0.15, 0.6])

    # choices
    def a(self):
        return self.c.choice(sorted(self.m.at))

    def t(self, name):
        return self.m.at[name]

    def new(self, *kept):
        free = [n for n in POOL if n not in self.m.at]
        return self.c.choice(free or [n for n in POOL if n not in kept])

    def dtype(self):
        return self.c.choice(self.dtypes)

    def sizes(self):
        k = self.c.choice([1, 2, 2, 2, 3, 3, 4])
        s = self.c.sample(self.base, k)
        if self.c.random() < 0.15:
            s[self.c.randrange(k)] = 1
        return s

    @staticmethod
    def list(ns):
        return "[" + ",".join(map(str, ns)) + "]"

    def number(self, floating=None):
        floating = self.c.random() < 0.3 if floating is None else floating
        if floating:
            return self.c.choice(["0.5", "2.0", "-1.5", "0.25", "3.0"])
        return str(self.c.choice([1, 2, 3, 5, 7, 2, 3]))

    def dim(self, name):
        n = self.t(name).dim()
        require(n > 0)
        return self.c.randrange(-n, n)

    def dims(self, name):
        n = self.t(name).dim()
        require(n > 0)
        return sorted(self.c.sample(range(n), self.c.randint(1, n)))

    def fitting(self, sizes, into=False, mask=False):
        """A value that broadcasts with these sizes; `into`: to them."""
        for _ in range(12):
            b = self.a()
            if mask and self.t(b).dtype != torch.bool:
                continue
            try:
                r = torch.broadcast_shapes(tuple(sizes), tuple(self.t(b).shape))
            except RuntimeError:
                continue
            if not into or r == tuple(sizes):
                return b
        raise Left

    # statements
    def say(self, text, new=0):
        if new:
            free = [n for n in POOL if n not in self.m.at]
            names = self.c.sample(free if len(free) >= new else list(POOL), new)
            text = ",".join(names) + " = " + text
        printed = None
        before = dict(self.m.at)
        try:
            printed = self.m.run(text)
        except Left:
            self.m.at = before
            raise
        except (RuntimeError, IndexError, TypeError, ValueError, NotImplementedError) as e:
            self.m.at = before
            message = str(e)
            # R6, Python's own checks, and kernels that PyTorch has not.
            if any(p in message for p in ("not implemented for", "must be", "support bool", "invalid combination", "INTERNAL")):
                raise Left from None
            if self.c.random() < 0.85:
                raise Left from None
            self.lines.append("! " + text)
            return
        self.lines.append(text + (f" -> {printed}" if printed is not None else ""))
        if self.c.random() < self.often and new:
            self.look(names[0])

    def look(self, name):
        self.say(self.c.choice(["eval", "eval", "eval", "print", "peek", "show", "explain"]) + " " + name)

    def make(self):
        d, kind = self.dtype(), self.c.randrange(8)
        seed = self.c.randrange(40)
        if kind < 4:
            self.say(f"make {d} {self.list(self.sizes())} {seed}", 1)
        elif kind == 4:
            s = self.sizes()
            order = self.c.sample(range(len(s)), len(s))
            strides, k = [0] * len(s), self.c.choice([1, 1, 2])
            for i in order:
                strides[i], k = k, k * max(1, s[i])
            self.say(f"blob {d} {self.list(s)} {self.list(strides)} {seed}", 1)
        elif kind == 5:
            self.say(f"full {d} {self.list(self.sizes())} {'true' if d == 'bool' else self.number(d in FLOATS)}", 1)
        elif kind == 6:
            self.say(f"zeros {d} {self.list(self.sizes())}", 1)
        else:
            s = self.sizes()
            self.say(f"make {d} {self.list(s)} {seed}", 1)
            name = [line for line in self.lines if " = make" in line][-1][0]
            order = self.c.sample(range(len(s)), len(s))
            self.say(f"permute {name} {self.list(order)}", 1)

    def view(self, name=None, new=True):
        a = name or self.a()
        t = self.t(a)
        kind = self.c.choice(["permute", "permute", "transpose", "slice", "slice", "select", "expand", "squeeze", "unsqueeze",
                              "diagonal", "unfold", "as_strided", "view", "reshape", "flatten", "detach", "contiguous",
                              "alias", "index_at"])
        n = t.dim()
        if kind == "permute":
            require(n > 1)
            text = f"permute {a} {self.list(self.c.sample(range(n), n))}"
        elif kind == "transpose":
            require(n > 1)
            text = f"transpose {a} {self.dim(a)} {self.dim(a)}"
        elif kind == "slice":
            d = self.dim(a)
            i, j = self.c.randint(0, t.shape[d]), self.c.randint(-1, t.shape[d] + 1)
            text = f"slice {a} {d} {i} {j if j > i else t.shape[d]} {self.c.choice([1, 1, 2, 3])}"
        elif kind == "select":
            d = self.dim(a)
            text = f"select {a} {d} {self.c.randint(-1, t.shape[d])}"
        elif kind == "expand":
            s = [self.c.choice(self.base) if k == 1 else -1 if self.c.random() < 0.3 else k for k in t.shape]
            if self.c.random() < 0.4:
                s = [self.c.choice([1, 2, 3])] + s
            text = f"expand {a} {self.list(s)}"
        elif kind == "unsqueeze":
            text = f"unsqueeze {a} {self.c.randint(-n - 1, n)}"
        elif kind == "diagonal":
            require(n > 1)
            i, j = self.c.sample(range(n), 2)
            text = f"diagonal {a} {self.c.choice([-1, 0, 0, 1])} {i} {j}"
        elif kind == "unfold":
            d = self.dim(a)
            text = f"unfold {a} {d} {self.c.randint(1, 3)} {self.c.randint(1, 2)}"
        elif kind == "as_strided":
            k = self.c.choice([1, 2])
            s, st = [self.c.randint(1, 3) for _ in range(k)], [self.c.randint(0, 4) for _ in range(k)]
            text = f"as_strided {a} {self.list(s)} {self.list(st)} {t.storage_offset() + self.c.randint(0, 2)}"
            require(t.storage_offset() + 2 + sum(x * (y - 1) for x, y in zip(st, s)) < t.untyped_storage().size() // t.element_size())
        elif kind in ("view", "reshape"):
            s = self.c.choice([[-1], [t.shape[0], -1] if n and t.shape[0] else [-1], [*t.shape[:-2], -1] if n > 1 else [-1], [2, -1]])
            text = f"{kind} {a} {self.list(s)}"
        elif kind == "index_at":
            require(n > 0)
            text = f"index_at {a} {self.c.randint(-1, max(0, t.shape[-1] - 1))}"
        else:
            text = f"{kind} {a}"
        self.say(text, 1)

    def two(self):
        a = self.a()
        name = self.c.choice(list(TWO))
        if name == "floor_divide" and self.c.random() < 0.5:
            name = "add"
        b = self.number() if self.c.random() < 0.35 else self.fitting(self.t(a).shape)
        self.say(f"{name} {a} {b}", 1)

    def three(self):
        a = self.a()
        b = self.number() if self.c.random() < 0.3 else self.fitting(self.t(a).shape)
        c = self.number() if self.c.random() < 0.3 else self.fitting(self.t(a).shape)
        self.say(f"{self.c.choice(['mul_add', 'sub_mul'])} {a} {b} {c}", 1)

    def one(self):
        self.say(f"{self.c.choice(list(ONE))} {self.a()}", 1)

    def other(self):
        a = self.a()
        kind = self.c.choice(["rsub", "where", "masked_fill", "clamp", "to", "to", "to", "named_add", "named_mul", "clone", "flip", "roll",
                              "cat", "stack", "repeat", "triu"])
        if kind == "rsub":
            text = f"rsub {a} {self.number()}"
        elif kind == "where":
            mask = self.fitting(self.t(a).shape, mask=True)
            text = f"where {mask} {a} {self.fitting(self.t(a).shape)}"
        elif kind == "masked_fill":
            text = f"masked_fill {a} {self.fitting(self.t(a).shape, mask=True)} {self.number(False)}"
        elif kind == "clamp":
            low = self.c.choice([-3, -1, 0, 2])
            require(low >= 0 or self.t(a).dtype != torch.uint8)
            text = f"clamp {a} {low} {low + self.c.randint(0, 5)}"
        elif kind == "to":
            text = f"to {a} {self.c.choice(DTYPES)}"
        elif kind == "named_add":
            text = f"named_add {a} {self.fitting(self.t(a).shape)}"
        elif kind == "named_mul":
            text = f"named_mul {a} {self.number()}"
        elif kind == "clone":
            text = f"clone {a}"
        elif kind == "flip":
            text = f"flip {a} {self.list(self.dims(a))}"
        elif kind == "roll":
            text = f"roll {a} {self.c.randint(-2, 3)} {self.dim(a)}"
        elif kind in ("cat", "stack"):
            same = [n for n in sorted(self.m.at) if self.t(n).dim() == self.t(a).dim()]
            text = f"{kind} {a} {self.c.choice(same)} {self.dim(a)}"
        elif kind == "repeat":
            text = f"repeat {a} {self.list([self.c.choice([1, 2]) for _ in range(self.t(a).dim())])}"
        else:
            text = f"triu {a} {self.c.choice([-1, 0, 1])}"
        self.say(text, 1)

    def reduce(self):
        a = self.a()
        keep = self.c.choice(["true", "false"])
        kind = self.c.choice(["sum", "sum", "sum", "sum_all", "mean", "amax", "amin", "max", "min", "argmax", "argmin", "any", "all", "count_nonzero",
                              "prod", "cumsum", "cumsum", "cumprod", "cummax", "sort", "sort", "topk", "median", "unique", "nonzero", "masked_select"])
        if kind in ("sum", "amax", "amin"):
            self.say(f"{kind} {a} {self.list(self.dims(a))} {keep}", 1)
        elif kind == "mean":
            self.say(f"mean {a} {self.list(self.dims(a))}", 1)
        elif kind in ("sum_all", "unique", "nonzero"):
            self.say(f"{kind} {a}", 1)
        elif kind in ("max", "min"):
            self.say(f"{kind} {a} {self.dim(a)} {keep}", 2)
        elif kind == "cummax":
            self.say(f"{kind} {a} {self.dim(a)}", 2)
        elif kind == "sort":
            self.say(f"{kind} {a} {self.dim(a)} {keep}", 2)
        elif kind == "topk":
            d = self.dim(a)
            self.say(f"topk {a} {self.c.randint(0, self.t(a).shape[d])} {d}", 1)
        elif kind == "masked_select":
            self.say(f"masked_select {a} {self.fitting(self.t(a).shape, mask=True)}", 1)
        else:
            self.say(f"{kind} {a} {self.dim(a)}", 1)

    def product(self):
        a = self.a()
        t = self.t(a)
        require(t.dim() in (1, 2, 3))
        fits = [n for n in sorted(self.m.at) if self.t(n).dtype == t.dtype and self.t(n).dim() > 0
                and self.t(n).shape[-2 if self.t(n).dim() > 1 else -1] == t.shape[-1]]
        require(fits)
        self.say(f"matmul {a} {self.c.choice(fits)}", 1)

    def indices(self, below, count, *kept, distinct_=False):
        """A new index tensor's name."""
        require(below > 0)
        if distinct_:
            require(count <= below)
        name = self.new(*kept)
        k = self.c.choice([k for k in (1, 2, 3, 5, 7) if math.gcd(k, below) == 1])
        start = self.c.randrange(below)
        text = [f"{name} = arange i64 {count}", f"{name} = mul_add {name} {k} {start}", f"{name} = remainder {name} {below}"]
        for line in text:
            self.m.run(line)
            self.lines.append(line)
        return name

    def spread(self, i, d, shape, *kept):
        """The indices along one dimension, of that shape in all others."""
        ones, whole, j = [1] * len(shape), list(shape), self.new(*kept)
        ones[d] = whole[d] = -1
        for text in [f"{j} = view {i} {self.list(ones)}", f"{j} = expand {j} {self.list(whole)}"]:
            self.m.run(text)
            self.lines.append(text)
        return j

    def index(self):
        a = self.a()
        t = self.t(a)
        require(t.dim() > 0)
        kind = self.c.choice(["index", "index", "index_last", "index_select", "gather", "take", "mask"])
        if kind == "mask":
            masks = [n for n in sorted(self.m.at) if self.t(n).dtype == torch.bool and self.t(n).shape == t.shape[:self.t(n).dim()] and self.t(n).dim()]
            require(masks)
            return self.say(f"index {a} {self.c.choice(masks)}", 1)
        if kind == "index":
            i = self.indices(t.shape[0], self.c.randint(0, 4), a)
            return self.say(f"index {a} {i}", 1)
        if kind == "index_last":
            i = self.indices(t.shape[-1], self.c.randint(1, 4), a)
            return self.say(f"index_last {a} {i}", 1)
        if kind == "take":
            i = self.indices(t.numel(), self.c.randint(0, 4), a)
            return self.say(f"take {a} {i}", 1)
        d = self.dim(a)
        i = self.indices(t.shape[d], self.c.randint(1, 4), a)
        if kind == "gather":
            return self.say(f"gather {a} {d} {self.spread(i, d, t.shape, a)}", 1)
        self.say(f"index_select {a} {d} {i}", 1)
        return None

    def target(self):
        """Something to write to, often a new view of something."""
        if self.c.random() < 0.55:
            before = len(self.lines)
            self.view()
            for line in self.lines[before:]:
                if line[1:4] == " = ":
                    return line[0]
        return self.a()

    def write(self):
        a = self.target()
        t = self.t(a)
        whole = not t.dtype.is_floating_point
        n = self.number(None if not whole else False)
        kind = self.c.choice(["copy_"] * 4 + ["copy_add_"] * 4 + ["copy_mul_", "copy_mul_add_", "copy_mul_add_", "copy_where_", "fill_", "fill_", "zero_"] +
                             ["add_", "add_", "sub_", "mul_", "div_", "bitwise_xor_", "remainder_", "add_mul_"] +
                             ["neg_", "abs_", "sqrt_", "square_", "relu_", "logical_not_", "sign_", "clamp_"] +
                             ["masked_fill_", "masked_scatter_", "fill_diagonal_", "triu_"] +
                             ["set_at_", "set_slice_", "set_step_", "poke_"])
        if kind == "copy_":
            text = f"copy_ {a} {self.fitting(t.shape, True)}"
        elif kind in ("copy_add_", "copy_mul_"):
            b = self.fitting(t.shape, True)
            text = f"{kind} {a} {b} {n if self.c.random() < 0.5 else self.fitting(t.shape, True)}"
        elif kind in ("copy_mul_add_", "add_mul_"):
            b, c = self.fitting(t.shape, True), self.fitting(t.shape, True)
            text = f"{kind} {a} {b} {n}" + (f" {c}" if kind == "copy_mul_add_" else "")
        elif kind == "copy_where_":
            text = f"copy_where_ {a} {self.fitting(t.shape, True, True)} {self.fitting(t.shape, True)} {self.fitting(t.shape, True)}"
        elif kind == "fill_":
            text = f"fill_ {a} {n}"
        elif kind in ("add_", "sub_", "mul_", "div_", "bitwise_xor_"):
            text = f"{kind} {a} {n if self.c.random() < 0.4 else self.fitting(t.shape, True)}"
        elif kind == "remainder_":
            text = f"remainder_ {a} {self.number(False)}"
        elif kind == "clamp_":
            text = f"clamp_ {a} 1 {self.c.randint(2, 6)}"
        elif kind == "masked_fill_":
            text = f"masked_fill_ {a} {self.fitting(t.shape, True, True)} {n}"
        elif kind == "masked_scatter_":
            source = [b for b in sorted(self.m.at) if self.t(b).dtype == t.dtype and self.t(b).numel() >= t.numel()]
            require(source)
            text = f"masked_scatter_ {a} {self.fitting(t.shape, True, True)} {self.c.choice(source)}"
        elif kind == "fill_diagonal_":
            text = f"fill_diagonal_ {a} {n}"
        elif kind == "set_at_":
            require(t.dim() > 0 and t.shape[0] > 0)
            v = n if self.c.random() < 0.5 else self.fitting(t.shape[1:], True)
            text = f"set_at_ {a} {self.c.randrange(-1, t.shape[0])} {v}"
        elif kind == "set_slice_":
            require(t.dim() > 0 and t.shape[0] > 0)
            i = self.c.randrange(t.shape[0])
            j = self.c.randint(i, t.shape[0])
            v = n if self.c.random() < 0.5 else self.fitting([j - i, *t.shape[1:]], True)
            text = f"set_slice_ {a} {i} {j} {v}"
        elif kind == "set_step_":
            require(t.dim() > 0)
            text = f"set_step_ {a} {self.c.choice([1, 2, 3])} {n}"
        elif kind == "poke_":
            last = sum((k - 1) * s for k, s in zip(t.shape, t.stride()))
            require(t.numel() > 0 and t.dtype != torch.bool)
            text = f"poke_ {a} {self.c.randint(0, last)} {n}"
        else:
            text = f"{kind} {a}"
        self.say(text)

    def turned_write(self):
        """A row-major expression into dense memory that is permuted, or has its channels last."""
        a = self.c.choice([n for n in sorted(self.m.at) if self.t(n).dim() > 1] or self.a())
        t = self.t(a)
        require(t.dim() > 1 and t.numel() > 1)
        order = self.c.sample(range(t.dim()), t.dim()) if t.dim() != 4 or self.c.random() < 0.5 else [0, 2, 3, 1]
        back = [order.index(d) for d in range(t.dim())]
        w = self.new(a)
        d = NAME_OF[t.dtype] if self.c.random() < 0.7 else self.dtype()
        for text in [f"{w} = make {d} {self.list([t.shape[k] for k in order])} {self.c.randrange(40)}",
                     f"{w} = permute {w} {self.list(back)}"]:
            self.m.run(text)
            self.lines.append(text)
        n = self.number(d in FLOATS)
        self.say(self.c.choice([f"copy_add_ {w} {a} {n}", f"copy_mul_ {w} {a} {a}", f"copy_ {w} {a}", f"copy_mul_add_ {w} {a} {n} {a}",
                                f"add_mul_ {w} {a} {n}"]))
        self.look(w)

    def late_name(self):
        """A named expression, and then a write to its operand, through a pointer or not."""
        a = self.a()
        t = self.t(a)
        require(t.numel() > 0 and t.dtype != torch.bool)
        n = self.number(t.dtype.is_floating_point)
        name = self.new(a)
        for text in [f"{name} = " + (f"named_add {a} {a}" if self.c.random() < 0.5 else f"named_mul {a} {n}")]:
            self.m.run(text)
            self.lines.append(text)
        last = sum((k - 1) * s for k, s in zip(t.shape, t.stride()))
        self.say(f"poke_ {a} {self.c.randint(0, last)} {n}" if self.c.random() < 0.6 else f"fill_ {a} {n}")

    def index_write(self):
        a = self.target()
        t = self.t(a)
        require(t.dim() > 0)
        kind = self.c.choice(["index_put_", "index_put_", "put_mask", "scatter_", "scatter_add_", "index_add_", "index_copy_", "index_fill_"])
        n = self.number(False)
        if kind == "put_mask":
            masks = [b for b in sorted(self.m.at) if self.t(b).dtype == torch.bool and self.t(b).shape == t.shape[:self.t(b).dim()] and self.t(b).dim()]
            require(masks)
            return self.say(f"index_put_ {a} {self.c.choice(masks)} {n} false")
        if kind == "index_put_":
            add = self.c.random() < 0.4
            count = self.c.randint(1, 4 if add else max(1, min(4, t.shape[0])))
            v = n if self.c.random() < 0.4 else self.fitting([count, *t.shape[1:]], True)
            i = self.indices(t.shape[0], count, a, v, distinct_=not add)
            return self.say(f"index_put_ {a} {i} {v} {str(add).lower()}")
        d = self.dim(a)
        if kind == "index_fill_":
            i = self.indices(t.shape[d], self.c.randint(0, 3), a)
            return self.say(f"index_fill_ {a} {d} {i} {n}")
        sources = [b for b in sorted(self.m.at) if self.t(b).dtype == t.dtype and self.t(b).dim() == t.dim()
                   and all(x == y for k, (x, y) in enumerate(zip(self.t(b).shape, t.shape)) if k != d % t.dim())]
        require(sources)
        b = self.c.choice(sources)
        count = self.t(b).shape[d]
        i = self.indices(t.shape[d], count, a, b, distinct_=kind in ("scatter_", "index_copy_"))
        if kind in ("scatter_", "scatter_add_"):
            j = self.spread(i, d, self.t(b).shape, a, b, i)
            return self.say(f"{kind} {a} {d} {j} {b}")
        return self.say(f"{kind} {a} {d} {i} {b}")

    def watch(self):
        kind = self.c.randrange(10)
        if kind < 5:
            self.say(f"print {self.a()}")
        elif kind == 5:
            self.say(f"eval_two {self.a()} {self.a()}")
        elif kind == 6:
            self.say(f"equal {self.a()} {self.a()}")
        elif kind == 7:
            ones = [n for n in sorted(self.m.at) if self.t(n).numel() == 1]
            require(ones)
            self.say(f"item {self.c.choice(ones)}")
        elif kind == 8:
            self.say(f"expose {self.a()}" if self.c.random() < 0.3 else f"peek {self.a()}")
        else:
            self.say(self.c.choice(["mode eager", "mode lazy", f"drop {self.a()}"]) if len(self.m.at) > 3 else f"eval {self.a()}")

    def write_all(self):
        steps = [(self.make, 10), (self.view, 16), (self.two, 12), (self.three, 6), (self.one, 5), (self.other, 9), (self.reduce, 8),
                 (self.product, 4), (self.index, 5), (self.write, 28), (self.turned_write, 4), (self.late_name, 2), (self.index_write, 8), (self.watch, 9)]
        while len(self.m.at) < 3:
            try:
                self.make()
            except Left:
                pass
        length = self.c.randint(14, 30)
        kinds, weights = zip(*steps)
        tries = 0
        while len(self.lines) < length and tries < 400:
            tries += 1
            try:
                self.c.choices(kinds, weights)[0]()
            except Left:
                pass
        for name in sorted(self.m.at):
            self.lines.append(f"print {name} -> {digest(self.t(name))}")
        return self.lines


def random_program(seed):
    return Writer(seed).write_all()


def show(text):
    m = Machine()
    for line in text:
        line = line.split(" -> ")[0]
        print(line)
        if line[0] == "!":
            try:
                m.run(line[2:])
                print("  NOT REFUSED")
            except Exception as e:  # noqa: BLE001
                print("  refused:", str(e).splitlines()[0])
            continue
        before = m.run(line)
        words = line.split()
        if words[1:2] == ["="]:
            for n in words[0].split(","):
                t = m.at[n]
                print(f"    {n}: {NAME_OF[t.dtype]} {list(t.shape)} strides {list(t.stride())} offset {t.storage_offset()}: {t.flatten().tolist()[:40]}")
        elif words[0] in ("print", "item"):
            print("   ", before, m.at[words[1]].flatten().tolist()[:100])
        elif words[0].endswith("_"):
            print("    ->", m.at[words[1]].flatten().tolist()[:40])


def main():
    here = pathlib.Path(__file__).resolve().parent
    if sys.argv[1:2] == ["show"]:
        return show(random_program(int(sys.argv[2])))
    count = int(sys.argv[1]) if len(sys.argv) > 1 else PROGRAMS
    lines = [f"# What PyTorch {torch.__version__} gives, written by programs.py: do not edit."]
    statements = {}
    for seed in range(count):
        lines += ["", f"program {seed}"]
        program = random_program(seed)
        lines += program
        for line in program:
            words = line.split()
            kind = words[0] if words[1:2] != ["="] else words[2]
            statements[kind] = statements.get(kind, 0) + 1
    (here / "programs.txt").write_text("\n".join(lines) + "\n")
    print(dict(sorted(statements.items())))
    print(len(lines), (here / "programs.txt").stat().st_size // 1024, "KB")
    return None


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes database.txt and database_calls.def: what PyTorch's own operator database calls, and gives.

Run by hand where PyTorch 2.x and expecttest can be imported:

    /tmp/pt/bin/python tests/golden/database.py          # writes both, and says what is left out

The database (torch.testing._internal.common_methods_invocations.op_db) has samples of arguments and
of wrong arguments for each operator. Each sample is bound to the overload of the operator that takes
it, so that a line names that overload and all its arguments in order, as libtorch has them:

    add.Tensor fmio f32[2,3]i=7,-9.0,9.0 f32[3]v=3f8,4,bf8 1 -> f32[2,3] ...

The letters say in which forms the call is made: f function, m method, i in place, I in place and
refused, o into a given output. database_calls.def writes these forms in C++, from PyTorch's schemas.
An operand's elements are made by a formula (`i=seed,low,high`) or stored (`v=...`); `(3,1)+2` before them
are strides and offset. Of many results each `/7`th is written, and of `/0` none. `~a,r` is the largest error: a and r times the value.

What is not run is listed below, entry by entry, with its reason; the rest is counted when this runs.
"""

import collections
import math
import pathlib
import re
import sys
import warnings
import zlib

import torch

from notation import EPS, FLOATS, INTS, NAME_OF, NAMES, PARTS, REFUSALS, SIGNIFICAND, elements_of, result_text, text_of

warnings.simplefilter("ignore")
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402

from database_rules import (COPIES, CPP_FORMS, DROPPED, EXACT, KEPT_VALUES, LEFT_OUT, MISSING, NOT_WIDER, RENAMED,  # noqa: E402
                            SHAPES_ONLY, TOLERANCE, absent, different_on_purpose, refusal)

HERE = pathlib.Path(__file__).resolve().parent


class Unfit(Exception):
    """A sample that the notation or the overloads do not have."""


# ---- schemas

def split_arguments(text):
    depth, parts, at = 0, [], 0
    for k, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            parts.append(text[at:k].strip())
            at = k + 1
    parts.append(text[at:].strip())
    return [p for p in parts if p]


class Schema:
    """An overload: names, types and defaults of its arguments."""

    def __init__(self, schema):
        self.schema = schema
        self.name, self.overload = schema.name.split("::")[1], schema.overload_name
        text = str(schema)
        inner = text[text.index("(") + 1:text.rindex(") -> ")]
        self.arguments, only = [], False
        for part, a in zip([p for p in split_arguments(inner) if p != "*"], schema.arguments):
            kind = re.sub(r"\([a-z]+!?( -> \*)?\)", "", part.split("=")[0].rsplit(" ", 1)[0])
            kind = re.sub(r"\[\d+\]", "[]", kind).replace("SymInt", "int")
            only = a.kwarg_only
            self.arguments.append((a.name, kind, a.default_value, a.has_default_value(), only))
        self.is_out = any(n == "out" or k == "out" for n, k, *_ in self.arguments) or any(a.is_out for a in schema.arguments)
        self.writes = [a.name for a in schema.arguments if a.alias_info is not None and a.alias_info.is_write]

    def key(self):
        return self.name + ("." + self.overload if self.overload else "")

    def bind(self, args, kwargs):
        """The arguments in order, or None."""
        names = [n for n, *_ in self.arguments]
        kwargs = {("self" if k == "input" and "input" not in names else k): v for k, v in kwargs.items()}
        if any(k not in names for k in kwargs):
            return None
        values, args = [], list(args)
        for n, kind, default, has, only in self.arguments:
            if n in kwargs:
                v = kwargs[n]
            elif args and not only:
                v = args.pop(0)
            elif has:
                values.append(default)
                continue
            else:
                return None
            if not fits(kind, v):
                return None
            values.append(v)
        return None if args else values


def is_int(v):
    return isinstance(v, int) and not isinstance(v, bool)


def fits(kind, v):
    if kind.endswith("?"):
        return v is None or fits(kind[:-1], v)
    if kind.endswith("[]"):
        if kind == "int[]" and is_int(v):
            return True
        return isinstance(v, (list, tuple, torch.Size)) and all(fits(kind[:-2], x) for x in v)
    if kind == "Tensor":
        return isinstance(v, torch.Tensor)
    if kind == "Scalar":
        return isinstance(v, (int, float, complex, bool)) and not isinstance(v, torch.Tensor)
    if kind == "int":
        return is_int(v)
    if kind == "float":
        return isinstance(v, (int, float)) and not isinstance(v, bool)
    if kind == "bool":
        return isinstance(v, bool)
    if kind == "str":
        return isinstance(v, str)
    if kind in ("ScalarType", "Layout", "Device", "MemoryFormat", "Generator"):
        return isinstance(v, {"ScalarType": torch.dtype, "Layout": torch.layout, "Device": (str, torch.device),
                              "MemoryFormat": torch.memory_format, "Generator": torch.Generator}[kind])
    return False


def schemas(name):
    found = []
    for s in torch._C._jit_get_schemas_for_operator("aten::" + name):
        text = str(s)
        if s.overload_name in ("hacked_twin", "t", "str", "dimname") or "Dimname" in text or "out)" in text or "!)" in text.split("->")[0]:
            continue
        found.append(Schema(s))
    return found


def unnamed(schema):
    """Arguments that a line leaves out, as C++ does."""
    return ("layout", "device", "pin_memory", "generator", "memory_format", "non_blocking", *DROPPED.get(schema.key(), ()))


# ---- operands

def hashed(i, seed, bits):
    m = (1 << 64) - 1
    h = ((i + 1) * 0x9E3779B97F4A7C15 + seed * 0xD1B54A32D192ED03) & m
    h ^= h >> 29
    h = (h * 0xBF58476D1CE4E5B9) & m
    h ^= h >> 32
    return h >> (64 - bits)


def interval(d, i, seed, low, high):
    """Element i of `i=seed,low,high`."""
    if d in PARTS:
        return complex(interval(PARTS[d], 2 * i, seed, low, high), interval(PARTS[d], 2 * i + 1, seed, low, high))
    if d == "bool":
        return hashed(i, seed, 1) != 0
    if d in FLOATS:
        return low + (high - low) * math.ldexp(float(hashed(i, seed, 24)), -24)
    return low + hashed(i, seed, 32) % (high - low + 1)


class Placed:
    """An operand by its elements, and where they lie."""

    def __init__(self, t, keep):
        if t.dtype not in NAME_OF or t.layout != torch.strided or t.device.type != "cpu" or t.is_quantized:
            raise Unfit
        self.d, self.sizes, self.strides = NAME_OF[t.dtype], tuple(t.shape), tuple(t.stride())
        if any(s < 0 for s in self.strides) or t.numel() > 20000 or t.dim() > 8:
            raise Unfit
        row = torch.empty(self.sizes, device="meta").stride() if t.dim() else ()
        self.offset = t.storage_offset() if t.numel() else 0
        self.plain = tuple(row) == self.strides and self.offset == 0
        if self.offset > 64:
            self.offset = 3
        self.formula = None
        t = t.detach().resolve_conj().resolve_neg()
        if t.numel() > 9 and not keep:
            self.formula = self.fitted(t)
        self.words = [] if self.formula else elements_of(t.clone(memory_format=torch.contiguous_format))
        self.values = None if self.formula else t.clone(memory_format=torch.contiguous_format).view(-1)

    def fitted(self, t):
        seed = zlib.crc32(str((self.d, self.sizes, self.strides)).encode()) % 97
        if self.d == "bool":
            return seed, 0, 1
        parts = torch.view_as_real(t).double() if t.is_complex() else t.double()
        if not bool(parts.isfinite().all()):
            return None
        low, high = float(parts.min()), float(parts.max())
        if self.d in FLOATS or self.d in PARTS:
            return seed, float(f"{low:.3g}"), float(f"{high:.3g}")
        return seed, int(low), int(high)

    def __str__(self):
        s = f"{self.d}[{','.join(map(str, self.sizes))}]" + ("i" if self.formula else "v")
        if not self.plain:
            s += f"({','.join(map(str, self.strides))})+{self.offset}"
        return s + "=" + ",".join(map(str, self.formula) if self.formula else self.words)

    def tensor(self, dtype=None):
        n = math.prod(self.sizes)
        if self.formula:
            values = [interval(self.d, i, *self.formula) for i in range(n)]
            wide = torch.float64 if self.d in FLOATS else torch.complex128 if self.d in PARTS else NAMES[self.d]
            flat = torch.tensor(values, dtype=wide).to(NAMES[self.d])
        else:
            flat = self.values
        if dtype is not None:
            flat = flat.to(dtype)
        reach = self.offset + 1 + sum((k - 1) * s for k, s in zip(self.sizes, self.strides)) if n else self.offset + 1
        memory = torch.zeros(reach, dtype=flat.dtype)
        t = memory.as_strided(self.sizes, self.strides, self.offset)
        if n:
            at = torch.arange(reach).as_strided(self.sizes, self.strides, self.offset).reshape(-1)
            memory[at] = flat  # what an expanded tensor has twice is written twice, with equal values or the last
        return t


def recipe_of(v, keep):
    if isinstance(v, torch.Tensor):
        return Placed(v, keep)
    if isinstance(v, (list, tuple, torch.Size)):
        return [recipe_of(x, keep) for x in v]
    if isinstance(v, (torch.layout, torch.device, torch.memory_format, torch.Generator)):
        return None
    if v is None or isinstance(v, (bool, int, float, complex, torch.dtype)):
        if isinstance(v, torch.dtype) and v not in NAME_OF or is_int(v) and abs(v) > 2**62:
            raise Unfit
        return v
    if isinstance(v, str):
        return v.replace(" ", "_")
    raise Unfit


def value_of(r, dtype_of=None):
    if isinstance(r, Placed):
        return r.tensor(dtype_of(r.d) if dtype_of else None)
    if isinstance(r, list):
        return [value_of(x, dtype_of) for x in r]
    return r.replace("_", " ") if isinstance(r, str) and "->" in r else r


def written(r):
    if isinstance(r, Placed):
        return str(r)
    if isinstance(r, list):
        return " ".join(["{", *map(written, r), "}"])
    return text_of(r)


# ---- calls

def wider(d):
    return {"f16": torch.float64, "bf16": torch.float64, "f32": torch.float64, "c64": torch.complex128}.get(d, NAMES[d])


def listed(r):
    if isinstance(r, torch.Tensor):
        return [r]
    if isinstance(r, (bool, int, float, complex)):
        return [torch.tensor(r, dtype={bool: torch.bool, int: torch.int64, float: torch.float64, complex: torch.complex128}[type(r)])]
    return list(r)


def same(a, b):
    return (len(a) == len(b) and all(x.dtype == y.dtype and x.shape == y.shape and
                                     torch.equal(torch.nan_to_num(x, 7.0) if x.is_floating_point() else x,
                                                 torch.nan_to_num(y, 7.0) if y.is_floating_point() else y) and
                                     (not x.is_floating_point() or torch.equal(x.isnan(), y.isnan()))
                                     for x, y in zip(a, b)))


def is_inexact(t):
    return t.dtype.is_floating_point or t.dtype.is_complex


def require_wider(schema):
    if any(re.fullmatch(p, schema.name) for p in NOT_WIDER):
        raise ValueError


class Database:
    def __init__(self):
        self.lines, self.used, self.counts = [], {}, collections.Counter()
        self.entries, self.none = [], []
        self.reasons = collections.Counter()

    def invoke(self, schema, values):
        f = getattr(getattr(torch.ops.aten, schema.name), schema.overload or "default")
        args, kwargs = [], {}
        for (n, kind, _, _, only), v in zip(schema.arguments, values):
            if only:
                kwargs[n] = v
            else:
                args.append(v)
        return f(*args, **kwargs)

    def forms(self, schema, recipes, results):
        """The letters of the forms in which PyTorch gives the same."""
        name, letters = schema.name, self.possible(schema)
        first = schema.arguments[0] if schema.arguments else ("", "")
        is_method = first[0] == "self" and first[1] == "Tensor" and not re.match("linalg_|special_", name)
        if is_method and len(results) == 1 and hasattr(torch.Tensor, name + "_"):
            try:
                values = [value_of(r) for r in recipes]
                f = getattr(getattr(torch.ops.aten, name + "_"), schema.overload or "default")
                pos = [v for v, a in zip(values, schema.arguments) if not a[4]]
                kw = {a[0]: v for v, a in zip(values, schema.arguments) if a[4] and a[0] not in ("layout", "device", "pin_memory")}
                f(*pos, **kw)
                if tuple(values[0].shape) == recipes[0].sizes and same([values[0]], results):
                    letters += "i"
            except RuntimeError as e:
                if "not implemented" not in str(e) and "INTERNAL" not in str(e):
                    letters += "I"
            except Exception:  # noqa: BLE001  no such overload
                pass
        out = next((s for s in self.out_schemas(schema)), None)
        if out is not None:
            try:
                values = [value_of(r) for r in recipes]
                outs = [torch.empty(0, dtype=r.dtype) for r in results]
                kw = {a[0]: v for v, a in zip(values, schema.arguments) if a[4] and a[0] in [n for n, *_ in out.arguments]}
                pos = [v for v, a in zip(values, schema.arguments) if not a[4]]
                got = getattr(getattr(torch.ops.aten, name), out.overload)(*pos, **kw, **dict(zip(out.writes, outs)))
                if same(listed(got), results):
                    letters += "o"
            except Exception:  # noqa: BLE001
                pass
        return letters

    def out_schemas(self, schema):
        mine = [(n, k) for n, k, *_ in schema.arguments if n not in ("layout", "device", "pin_memory")]
        options = any(n == "layout" for n, *_ in schema.arguments)
        mine = [(n, k) for n, k in mine if not (options and n == "dtype")]
        for s in torch._C._jit_get_schemas_for_operator("aten::" + schema.name):
            if "!)" not in str(s).split(" -> ")[0]:
                continue
            o = Schema(s)
            rest = [(n, k) for n, k, *_ in o.arguments if n not in o.writes]
            if [n for n, _ in rest if n != "memory_format"] == [n for n, _ in mine if n != "memory_format"] and \
               [k.rstrip("?") for n, k in rest if n != "memory_format"] == [k.rstrip("?") for n, k in mine if n != "memory_format"] and \
               len(o.writes) == len([r for r in s.returns]):
                yield o

    def call(self, op, args, kwargs, error=False):
        """One line, or Unfit."""
        name = RENAMED.get(op.name, re.sub(r"^nn\.functional\.", "", op.aten_name or op.name).replace(".", "_"))
        if callable(name):
            name, args, kwargs = name(args, kwargs)
        kwargs = {k: v for k, v in kwargs.items() if k not in ("inplace", "requires_grad") and (k, v) != ("as_tuple", False)}
        bound = None
        for s in schemas(name):
            bound = s.bind(args, kwargs)
            if bound is None and len(args) > 2 and all(is_int(a) for a in args[1:]):
                bound = s.bind([args[0], list(args[1:])], kwargs)
            if bound is not None:
                break
        if bound is None:
            raise Unfit
        keep = any(re.fullmatch(p, s.name) for p in KEPT_VALUES)
        recipes = [recipe_of([v] if "int[]" in a[1] and is_int(v) else v, keep) for a, v in zip(s.arguments, bound)]
        values = [value_of(r) for r in recipes]
        arguments = self.shown(s, recipes)
        try:
            results = listed(self.invoke(s, values))
        except tuple(REFUSALS) as e:
            message = str(e)
            if re.search("not implemented for|INTERNAL ASSERT|must be .*, not|invalid combination|not compiled|Could not run", message):
                self.reasons["PyTorch has no kernel, or its Python refuses"] += 1
                raise Unfit from None
            kind = refusal(s.key(), REFUSALS[type(e)], message)
            self.used[s.key()] = s
            letters = self.possible(s)
            if not letters:
                raise Unfit from None
            return f"{s.key()} {letters} {arguments}-> !{kind}"
        if error:
            raise Unfit
        if any(not isinstance(r, torch.Tensor) or r.dtype not in NAME_OF for r in results) or sum(r.numel() for r in results) > 20000:
            raise Unfit
        results = [r.detach() for r in results]
        why = different_on_purpose(s.key(), values, results)
        if why:
            self.reasons[why] += 1
            raise Unfit
        bound_text, expected = self.judged(s, recipes, results)
        letters = self.forms(s, recipes, results)
        if not letters:
            raise Unfit
        source = values[0] if values and isinstance(values[0], torch.Tensor) and s.name not in COPIES else None
        self.used[s.key()] = s
        shown = " ; ".join(f"{NAME_OF[e.dtype]}[{','.join(map(str, e.shape))}]/0" if k in SHAPES_ONLY.get(s.name, [])
                           else result_text(e, source if r is e else None, 48)
                           for k, (r, e) in enumerate(zip(results, expected)))
        return f"{s.key()} {letters} {arguments}-> {bound_text}{shown}".rstrip()

    def possible(self, schema):
        name = schema.name
        plain_name = re.sub("^(linalg|special)_", "", name)
        letters = ""
        if hasattr(torch._C._VariableFunctions, name) or hasattr(torch._C._nn, name) or plain_name != name:
            letters += "f"
        first = schema.arguments[0] if schema.arguments else ("", "")
        if first[0] == "self" and first[1] == "Tensor" and plain_name == name and callable(getattr(torch.Tensor, name, None)):
            letters += "m"
        return letters + CPP_FORMS.get(name, "")

    def shown(self, schema, recipes):
        words = [written(r) for r, a in zip(recipes, schema.arguments) if a[0] not in unnamed(schema)]
        return " ".join(words) + (" " if words else "")

    def judged(self, schema, recipes, results):
        """The largest error as text, and the values that it is counted from."""
        if not any(is_inexact(r) for r in results) or any(re.fullmatch(p, schema.name) for p in EXACT):
            return "", results
        ulps, of_largest = next((v for p, v in TOLERANCE if re.fullmatch(p, schema.name)), (4, 0))
        expected = results
        try:
            require_wider(schema)
            wide = listed(self.invoke(schema, [value_of(r, wider) if isinstance(r, (Placed, list)) else
                                               (wider(NAME_OF[r]) and r) if isinstance(r, torch.dtype) else r for r in recipes]))
            if len(wide) == len(results) and all(w.shape == r.shape and is_inexact(w) == is_inexact(r) for w, r in zip(wide, results)):
                cast = [w.to(r.dtype) if is_inexact(r) else r for w, r in zip(wide, results)]
                if not all(torch.equal(c.isfinite(), r.isfinite()) for c, r in zip(cast, results) if is_inexact(r)):
                    self.reasons["PyTorch's own result overflows on the way"] += 1
                    raise Unfit
                expected = cast
        except Unfit:
            raise
        except Exception:  # noqa: BLE001
            pass
        absolute = relative = 0.0
        for r in expected:
            if not is_inexact(r) or not r.numel():
                continue
            e = EPS[NAME_OF[r.dtype]] * (0.5 if NAME_OF[r.dtype] in ("f16", "bf16") else 1)
            m = r.abs()
            m = m[m.isfinite()].double()
            top = float(m.max()) if m.numel() else 0.0
            relative = max(relative, ulps * e)
            absolute = max(absolute, of_largest * e * max(top, 1e-3), ulps * e * top if r.dtype.is_complex else 0.0)
        if not math.isfinite(absolute):
            absolute = 0.0
        return f"~{absolute:.2g},{relative:.2g} ", expected

    # ---- the choice of samples

    def dtypes(self, op):
        have = [NAME_OF[t] for t in op.supported_dtypes("cpu") if t in NAME_OF]
        turn = zlib.crc32(op.full_name.encode())
        wanted = [("f32", 8), ("i64", 4), ("c64", 3), ("bool", 2), ("f64", 2), (["f16", "bf16"][turn % 2], 2),
                  (["u8", "i8", "i16", "i32"][turn // 2 % 4], 2), ("c128", 1)]
        return [(d, n) for d, n in wanted if d in have]

    def entry(self, op):
        title = op.name + ("." + op.variant_test_name if op.variant_test_name else "")
        if op.name in LEFT_OUT or title in LEFT_OUT:
            self.none.append((title, LEFT_OUT.get(title) or LEFT_OUT[op.name]))
            return
        if absent(op.name):
            self.none.append((title, "Sinter has no such function"))
            return
        before, unfit = len(self.lines), 0
        seen = set()
        for d, count in self.dtypes(op):
            torch.manual_seed(0)
            try:
                samples = list(op.sample_inputs("cpu", NAMES[d], requires_grad=False))
            except Exception:  # noqa: BLE001
                continue
            kept = 0
            order = sorted(range(len(samples)), key=lambda k: zlib.crc32(f"{title}{d}{k}".encode()))
            groups = {}
            for k in order:
                s = samples[k]
                groups.setdefault((len(s.args), tuple(sorted(s.kwargs)), tuple(type(a) for a in s.args)), []).append(k)
            order = [k for row in zip(*[g + [None] * (len(order) - len(g)) for g in groups.values()]) for k in row if k is not None] if groups else []
            for k in order[:60]:
                if kept == count:
                    break
                s = samples[k]
                if kept % 2 == 1:
                    s = s.noncontiguous()
                try:
                    line = self.call(op, [s.input, *s.args], dict(s.kwargs))
                except Unfit:
                    unfit += 1
                    continue
                except Exception as e:  # noqa: BLE001
                    self.reasons[f"generator: {title}: {type(e).__name__} {str(e)[:80]}"] += 1
                    continue
                if len(line) > 2600 or line in seen:
                    continue
                seen.add(line)
                self.lines.append(line)
                kept += 1
                self.counts["refusals" if "-> !" in line else "samples"] += 1
        if op.error_inputs_func is not None:
            torch.manual_seed(0)
            try:
                errors = list(op.error_inputs("cpu"))
            except Exception:  # noqa: BLE001
                errors = []
            for e in errors[:12]:
                s = e.sample_input
                try:
                    line = self.call(op, [s.input, *s.args], dict(s.kwargs), error=True)
                except Unfit:
                    continue
                except Exception as x:  # noqa: BLE001
                    self.reasons[f"generator: {title} error input: {type(x).__name__} {str(x)[:80]}"] += 1
                    continue
                if len(line) < 2600 and line not in seen:
                    seen.add(line)
                    self.lines.append(line)
                    self.counts["error inputs"] += 1
        if len(self.lines) == before:
            self.none.append((title, f"no sample fits ({unfit} tried)"))
        else:
            self.entries.append(title)


# ---- the forms in C++

def getter(kind, name, k):
    table = {"Tensor": "t", "Tensor?": "ot", "Tensor[]": "tensors", "Tensor?[]": "indices", "Scalar": "s", "Scalar?": "os",
             "Scalar[]": "scalars", "int": "n", "int?": "on", "int[]": "list", "int[]?": "olist", "float": "d", "float?": "od",
             "float[]": "doubles", "float[]?": "odoubles", "bool": "flag", "bool?": "oflag", "str": "text", "str?": "otext",
             "ScalarType": "dtype", "ScalarType?": "odtype"}
    return f"a.{table[kind]}({k})"


def in_cpp(schema):
    """Function, method, in place, out: a form that the schema cannot have is empty."""
    options = any(n == "layout" for n, *_ in schema.arguments)
    got, k, rest = [], 0, []
    for n, kind, *_ in schema.arguments:
        if n in unnamed(schema):
            continue
        text = f"a.options({k})" if options and n == "dtype" else getter(kind, n, k)
        got.append(text)
        if not (options and n == "dtype"):
            rest.append(text)
        k += 1
    name = re.sub("^special_", "", schema.name)
    function = f"{name}({', '.join(got)})"
    first = schema.arguments[0] if schema.arguments else ("", "")
    method = in_place = ""
    if first[0] == "self" and first[1] == "Tensor":
        method = f"a.t(0).{name}({', '.join(got[1:])})"
        in_place = f"a.t(0).{name}_({', '.join(got[1:])})"
    outs = ", ".join(f"a.out({i})" for i in range(len(schema.schema.returns)))
    return function, method, in_place, f"{name}_out({', '.join([outs, *rest])})"


def write_calls(used):
    lines = ["// The forms of each overload that database.txt calls, written by database.py: do not edit."]
    for key in sorted(used):
        try:
            f, m, i, o = in_cpp(used[key])
        except KeyError as e:
            print("no getter", key, e)
            continue
        forms = [f"SINTER_FORM({x})" if x else "nullptr" for x in (f, m, i, o)]
        lines.append(f'SINTER_OVERLOAD("{key}", {forms[0]},')
        lines.append(f"                {forms[1]}, {forms[2]},")
        lines.append(f"                {forms[3]})")
    (HERE / "database_calls.def").write_text("\n".join(lines) + "\n")


def main():
    wanted = sys.argv[1:]
    base = Database()
    for op in sorted(op_db, key=lambda o: (o.name, o.variant_test_name)):
        if not wanted or op.name in wanted:
            base.entry(op)
    head = [f"# What PyTorch {torch.__version__} gives for its operator database, written by database.py: do not edit."]
    place = HERE / "database.txt" if not wanted else pathlib.Path("/tmp/database.txt")
    head += [f"missing {form} {why}" for form, why in sorted(MISSING.items())]
    place.write_text("\n".join(head + base.lines) + "\n")
    if not wanted:
        write_calls(base.used)
    print(f"{len(base.entries)} entries, {len(base.lines)} calls {dict(base.counts)}, {len(base.used)} overloads, {place.stat().st_size // 1024} KB")
    for title, why in base.none:
        print("  none:", title, "-", why)
    for why, n in base.reasons.most_common():
        print(f"  {n} x {why}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Rewrites a public header or a page for Doxygen, which calls this for each and reads standard output.

Doxygen does not read `namespace sinter::inline v1`, and takes only macros from what a header
includes: functions that a table lists would be missing. This script writes the tables' lines out,
each with a comment made from its row, and makes the comment at a header's top the file's.
"""

import re
import sys
from pathlib import Path

DOCS = Path(__file__).parent
HEADERS = DOCS.parent / "include"

SPECIAL = set("""airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 entr erfcx i0e i1 i1e log_ndtr
    modified_bessel_k0 modified_bessel_k1 ndtr ndtri scaled_modified_bessel_k0
    scaled_modified_bessel_k1 spherical_bessel_j0 xlog1py""".split())
FUNCTIONAL = set("hardsigmoid hardswish mish relu6 silu softplus softsign".split())
OTHER_NAMES = {
    "log_sigmoid": "torch.nn.functional.logsigmoid",
    "trigamma": "torch.polygamma(1, x)",
    "frexp_mantissa": "torch.frexp(x).mantissa",
    "frexp_exponent": "torch.frexp(x).exponent",
}
RESULTS = {
    "floating": "integers and Bool are computed in the default dtype.",
    "test": "the result is Bool.",
    "logical": "operands are converted to Bool, and the result is Bool.",
    "matched": "tensor operands must have the same dtype.",
}
CASTS = {
    "cast": "The result's dtype must be castable to that of `{out}`.",
    "kept": "The result's dtype must be castable to that of `{out}`; an `{out}` of as many elements keeps "
            "its sizes.",
    "joined": "Throws TypeError unless the result's dtype is castable to that of `{out}`.",
    "same": "`{out}` must have the result's dtype.",
    "truth": "`{out}` must be Bool or Byte.",
    "drawn": "`{out}` may have any real dtype.",
}
OVERLAPS = {
    "any": "",
    "partly": " An operand may be `{out}`, but must not overlap a part of it.",
    "apart": " No operand may share memory with `{out}`.",
}


def read(path):
    return (HEADERS / path).read_text()


def torch_name(name):
    if name in OTHER_NAMES:
        return OTHER_NAMES[name]
    place = "special." if name in SPECIAL else "nn.functional." if name in FUNCTIONAL else ""
    return f"torch.{place}{name}"


def dtypes():
    """The column `dtypes` of docs/functions.md, by function."""
    table = re.findall(r"^\| `(\w+)` \|[^|]*\|[^|]*\| ([^|]*?) \|", (DOCS / "functions.md").read_text(), re.M)
    return dict(table)


def formula(value):
    return re.sub(r"V\(([\d.]+)\)", r"\1", value.replace("math::", ""))


def row_comment(header, name, row, known):
    rule, value, error = row
    what = {
        "tensor.hpp": "Returns `{}`, element by element. `{}_` writes it to this tensor. Fused.",
        "pointwise.hpp": "Writes `{}` to `t`, element by element, and returns `t`. Fused.",
        "out.hpp": "Writes `{}` to `out`, element by element, and returns `out`. Fused.",
    }.get(header, "Returns `{}`, element by element. Fused.").format(value, name)
    lines = [what + f" PyTorch: {torch_name(name)}."]
    given = known.get(name, "")
    lines.append(f"Dtypes: {given}" + ("; " + RESULTS[rule] if rule in RESULTS else "."))
    if any(float(ulp) for ulp in error):
        lines.append(f"Largest error: {error[0]} ULP in Float, {error[1]} in Double.")
    return lines


def group(comment, code):
    return ["/// " + line for line in comment] + ["///@{"] + code + ["///@}"]


def rows(header):
    """The lines of expr/each_row.inc."""
    table = {}
    pattern = r"^ROW([12])\((\w+), (\w+), .*?ULP(?:_ABOVE)?\((?:0x1p-4, )?([\d.]+), ([\d.]+)\), VALUE\((.*?)\), (?:D0|NO_GRAD0)\("
    known = dtypes()
    out = []
    for arity, name, rule, f32, f64, value in re.findall(pattern, read("sinter/op/elementwise.def"), re.M):
        table[name] = (rule, formula(value), (f32, f64))
        if rule not in ("power", "random"):
            macro = "SINTER_UNARY" if arity == "1" else "SINTER_BINARY"
            out += group(row_comment(header, name, table[name], known), [f"{macro}({name}, {name})"])
    for kind, alias, row in re.findall(r"^(UNARY|BINARY)_ALIAS\((\w+), (\w+)\)", read("sinter/expr/aliases.def"), re.M):
        comment = [f"Another name of `{row}`. PyTorch: torch.{alias}."]
        out += group(comment, [f"SINTER_{kind}({alias}, {row})"])
    return out


def outs(_):
    """The lines of expr/outs.def."""
    out = []
    for line in read("sinter/expr/outs.def").splitlines():
        one = re.match(r"SINTER_INTO\((\w+), (\w+), (\w+), .*, \(([^()]*(?:\([^()]*\)[^()]*)*)\)\)$", line)
        several = re.match(r"SINTER_INTO_ALL\((\w+), \w+, (\w+), .*, \(([\w, ]*)\), \(.*\), (\(.*\))\)$", line)
        if one:
            casts, overlap, name, arguments = one.groups()
            target, result = "out", "`out`"
            rule = CASTS[casts] + OVERLAPS[overlap]
        elif several:
            casts, name, names, arguments = several.groups()
            target, result = "each output", f"`{names}`"
            rule = CASTS[casts]
        else:
            continue
        comment = [f"Writes the result of `{name}` to {result}, and returns references to the outputs." if several
                   else f"Writes the result of `{name}` to `out`, and returns `out`.",
                   rule.replace("`{out}`", "each output" if several else "`out`") + f" PyTorch: torch.{name}(..., out=)."]
        out += ["/// " + text for text in comment] + [line]
    return out


def special(_):
    out = []
    for line in read("sinter/functions/special.def").splitlines():
        names = re.match(r"SPECIAL(?:_AS)?\((\w+)(?:, (\w+))?\)", line)
        if names:
            name = names[1]
            out += group([f"The same as sinter::{names[2] or name}. PyTorch: torch.special.{name}."], [line])
    return out


def special_pairs(_):
    out = []
    for name in re.findall(r"^SINTER_SPECIAL\((\w+)\)", read("sinter/functions/special_pairs.def"), re.M):
        what = ("Hurwitz's zeta function: the sum of (b + k)^-a over k >= 0." if name == "zeta" else
                "The polynomial of degree n, the whole part of b, at a; 0 for n < 0.")
        out += group([f"{what} Opaque. PyTorch: torch.special.{name}."], [f"SINTER_SPECIAL({name})"])
    return out


def methods(_):
    return read("sinter/expr/methods.inc").splitlines()


INCLUDES = {
    "sinter/expr/each_row.inc": rows,
    "sinter/expr/outs.def": outs,
    "sinter/expr/methods.inc": methods,
    "sinter/functions/special.def": special,
    "sinter/functions/special_pairs.def": special_pairs,
}


def twice(lines):
    """linalg.hpp's functions, first as linalg_xxx and then in namespace linalg."""
    start = next(i for i, line in enumerate(lines) if line.startswith("// ---- linear systems"))
    end = next(i for i, line in enumerate(lines) if line.startswith("// ---- names without"))
    body = "\n".join(lines[start:end])
    body = re.sub(r"#define SINTER_TWO_TOLERANCES(.*\\\n)*.*\n", "", body).split("\n")

    def under(prefix):
        template = "template <tolerance_number X, tolerance_number Y>"
        return ["#undef SINTER_LINALG", "#undef SINTER_TWO_TOLERANCES",
                f"#define SINTER_LINALG(Result, name, parameters, arguments) Result {prefix}name parameters;",
                f"#define SINTER_TWO_TOLERANCES(name) {template} Tensor {prefix}name(const tensor_base& A, X atol, "
                "Y rtol, bool hermitian = false, SINTER_LINE);"] + body

    return lines[:start] + under("linalg_##") + ["namespace linalg {"] + under("") + ["}  // namespace linalg"] + lines[end:]


def code(span):
    """Code on one line; in double quotes if it holds a single one, which would end it."""
    text = span[0].replace("\n", " ")
    return f"`{text}`" if "'" in text else text


def page(text):
    """A page without what Doxygen cannot read: links to files that are no pages, code over two lines."""
    parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"\[([^\]]*)\]\((?!https?:|\w+\.md)[^)]*\)", r"\1", parts[i])
        paragraphs = re.split(r"(\n\s*\n)", parts[i])
        parts[i] = "".join(re.sub(r"`[^`]+`", code, p) for p in paragraphs)
    return "".join(parts)


def main():
    path = Path(sys.argv[1])
    if path.suffix == ".md":
        print(page(path.read_text()))
        return
    lines = path.read_text().splitlines()
    if path.name == "linalg.hpp":
        lines = twice(lines)
    top = 0
    while top < len(lines) and lines[top].startswith("//"):
        top += 1
    # One module for each header, of what stands in namespace sinter; other namespaces have pages of
    # their own. Macros stay outside: Doxygen would want a comment for each.
    name = "_".join(path.parts[path.parts.index("sinter") + 1:]).replace(".hpp", "")
    begin, end = f"\n/// \\addtogroup {name}\n///@{{\n", "///@}"
    print(f"/// \\defgroup {name} {path.name}")
    print("\n".join("/" + line for line in lines[:top]))
    inside, in_body, in_macro, before = [], False, False, ""
    opened_at = 0
    for number, line in enumerate(lines[top:]):
        included = re.match(r"#include <(.*)>", line)
        opened = re.match(r"(?:inline )?namespace ([\w:]+(?: v1[\w:]*)?) \{", line)
        closed = line.startswith("}  // namespace") or (line == "}" and number == opened_at + 2)
        in_module = inside == ["sinter::inline v1"]
        starts_body = re.match(r"[^\s/#}].*\{$", line) and not opened
        in_body = not line.startswith("}") and (in_body or bool(starts_body))
        in_macro = in_macro or (in_module and not in_body and line.startswith("#define") and before[:3] != "///")
        if included and included[1] in INCLUDES:
            print("\n".join(INCLUDES[included[1]](path.name)))
        elif opened or closed:
            inside = inside + [opened[1]] if opened else inside[:-1]
            opened_at = number if opened else opened_at
            if in_module:
                print(end)
            print(line.replace("::inline v1", ""))
            if inside == ["sinter::inline v1"]:
                print(begin)
        elif in_macro:
            if not before.endswith("\\"):
                print(end)
            print(line)
            in_macro = line.endswith("\\")
            if not in_macro:
                print(begin)
        else:
            print(line)
        before = line


main()

"""The public headers with the documentation of each function completed.

`read_header` writes a header's tables and macros out as declarations, each with a comment in front: the
hand-written one, then what a machine knows (`facts`). doxygen_filter.py gives the lines to Doxygen, and
check.py looks for what is missing.
"""

import functools
import re

from rows import (CASTS, HEADERS, OVERLAPS, RESULTS, SHARING, WORDS, aliases, elementwise, pytorch_name, read,
                  row_comment, row_name, table_rows)

FOLDERS = ("", "core/", "expr/", "functions/")  # of include/sinter, without formulas and tables
PRIVATE = ("geometry.hpp", "program.hpp", "reference_count.hpp")  # what tensors are made of


def header_paths():
    for folder in FOLDERS:
        yield from (p for p in sorted((HEADERS / "sinter" / folder).glob("*.hpp")) if p.name not in PRIVATE)


# ---- what a comment must say

# A comment names sizes if a sentence that is about no error has one of these words, or a tuple of sizes.
SIZES = re.compile(r"\b(sizes?|shapes?|broadcasts?|expands?|element by element|0-d|vectors?|matrix|matrices|dimensions?|"
                   r"along|(each|one|the only|number of|all|no) elements?)\b|\((\w+, |\.\.\.(, )?)+(\w+)?\)")
ERRORS = re.compile(r"\b[Tt]hrows?\b|\bTakes any tensors?\b")


def sentences(comment):
    return re.split(r"(?<=[.;:]) +(?=[A-Z`])|; ", " ".join(comment))


def names_sizes(comment):
    return any(SIZES.search(s) for s in sentences(comment) if not re.match("Throws", s))


def names_errors(comment):
    return bool(re.search(ERRORS, " ".join(comment)))


FACT = re.compile(r"(?:^|(?<=[.;:] ))(PyTorch|libtorch|NumPy|Runs|Dtypes): (.*?)\.(?: (?=[A-Z`])|$)")


def paragraphs(comment):
    return [" ".join(part.split()) for part in "\n".join(comment).split("\n\n")]


def own_facts(comment):
    """The facts that a comment states itself, as `PyTorch: torch.x.` and the like."""
    return {key: value for part in paragraphs(comment) for key, value in FACT.findall(part)}


# ---- tables, as lines to be expanded


def outs():
    """The lines of expr/outs.def, each with its comment."""
    out, lines = [], read("expr/outs.def").splitlines()
    form = next(line for line in lines if line.startswith("#define SINTER_FOLD(name) ")).split(" ", 2)[2]
    lines += [form.replace(" name,", f" {name},") for name in folds()]
    for line in lines:
        one = re.match(r"SINTER_INTO\((\w+), (\w+), (\w+), ", line)
        several = re.match(r"SINTER_INTO_ALL\((\w+), \w+, (\w+), .*?, \(([\w, ]*)\), ", line)
        if one:
            casts, overlap, name = one.groups()
            out += [f"/// Writes the result of `{name}` to `out`, and returns `out`.",
                    "/// " + CASTS[casts] + OVERLAPS[overlap], line]
        elif several:
            casts, name, outputs = several.groups()
            out += [f"/// Writes the results of `{name}` to `{outputs}`, and returns references to them.",
                    "/// " + CASTS[casts].replace("`out`", "each output"), line]
    return out


def folds():
    """The reductions that are functions by their row in op/reduce.def alone, each with its comment."""
    found, comment = {}, []
    for line in read("op/reduce.def").splitlines():
        row = re.match(r"FOLD\((\w+), same,", line)
        if row:
            found[row[1]] = comment
        comment = comment + [line] if line.startswith("///") else []
    return found


def each_fold():
    out = []
    for name, comment in folds().items():
        out += comment + ["/// Over `dim`, or over all elements (0-d). The result lacks these dimensions, or has size 1",
                          "/// in their places if `keepdim`. Throws Error if one is named twice, and IndexError if",
                          "/// there is no such dimension.", f"SINTER_FOLD({name})"]
    return out


def each_row():
    out = []
    for name, (_, _, _, arity) in elementwise().items():
        out.append(f"SINTER_{'UNARY' if arity == 1 else 'BINARY'}({name}, {name})")
    for name, row in aliases().items():
        out.append(f"SINTER_{'UNARY' if elementwise()[row][3] == 1 else 'BINARY'}({name}, {row})")
    return out


def special():
    out = []
    for line in read("functions/special.def").splitlines():
        found = re.match(r"SPECIAL(?:_AS)?\((\w+)(?:, (\w+))?\)", line)
        if found:
            out += [f"/// The same as sinter::{found[2] or found[1]}().", line]
    return out


def special_pairs():
    out = []
    for name in re.findall(r"^SINTER_SPECIAL\((\w+)\)", read("functions/special_pairs.def"), re.M):
        what = ("Hurwitz's zeta function: the sum of (b + k)^-a over k >= 0" if name == "zeta" else
                "the polynomial of degree n, the whole part of b, at a; 0 for n < 0")
        out += [f"/// Returns {what}. Element by element, computed in double; sizes broadcast, and one operand",
                "/// may be a number. Throws Error if the sizes do not broadcast, and NotImplementedError for",
                "/// complex operands.", f"SINTER_SPECIAL({name})"]
    return out


TABLES = {
    "sinter/expr/each_fold.inc": each_fold,
    "sinter/expr/each_row.inc": each_row,
    "sinter/expr/outs.def": outs,
    "sinter/expr/methods.inc": lambda: read("expr/methods.inc").splitlines(),
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
        return ["#undef SINTER_LINALG", "#undef SINTER_TWO_TOLERANCES",
                f"#define SINTER_LINALG(Result, name, parameters, arguments) Result {prefix}name parameters;",
                "#define SINTER_TWO_TOLERANCES(name) \\",
                "    template <tolerance_number X, tolerance_number Y> \\",
                f"    Tensor {prefix}name(const tensor_base& A, X atol, Y rtol, bool hermitian = false, SINTER_LINE);"
                ] + body

    return (lines[:start] + under("linalg_##") + ["namespace linalg {"] + under("") + ["}  // namespace linalg"] +
            lines[end:])


# ---- declarations

NAME = re.compile(r"(operator\s*(?:\(\)|\[\]|bool\b|[^\s\w(]+)|~?[A-Za-z_]\w*)\s*\(")
OPENS = re.compile(r"(?:inline )?namespace ([\w:]+(?: v1[\w:]*)?) \{")
HANDLE = re.compile(r"class SINTER_API (tensor_base|Tensor) [^;]*\{$")
OF_NUMBERS = ("complex.hpp", "complex_math.hpp", "dtype.hpp", "scalar.hpp")  # not of tensors
NO_FUNCTION = re.compile(r"\s*(class|struct|enum|union|using|concept|friend|extern|static_assert|typedef)\b")
CALL = re.compile(r"\s*([A-Z][A-Z_0-9]*)\((.*)\)\s*$", re.S)


def bare(line, strings=False):
    """The line without a comment and, unless asked for, strings and characters."""
    parts = re.split(r'("(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\')', line)
    out = ""
    for i, part in enumerate(parts):
        if i % 2:
            out += part if strings else '""'
        else:
            out += part.split("//")[0]
            if "//" in part:
                break
    return out.rstrip()


def end_of(lines, at, indent):
    """The end of the declaration, or macro, that begins at this line."""
    first, depth, begun = at, 0, False
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.lstrip().startswith("#"):
            while lines[at - 1].endswith("\\"):
                at += 1
            continue
        code = bare(line)
        depth += sum(map(code.count, "([{")) - sum(map(code.count, ")]}"))
        begun = begun or (len(line) - len(line.lstrip()) <= indent and not code.lstrip().startswith("template"))
        if begun and depth == 0 and (code.endswith((";", "}")) or CALL.match("\n".join(map(bare, lines[first:at])))):
            return at
    raise ValueError("a declaration does not end: " + lines[first])


def declared_name(code):
    """The name of the function that is declared, or None."""
    text = " ".join(bare(line).strip() for line in code if not re.match(r"\s*(template|requires|#|//)", line))
    if NO_FUNCTION.match(text):
        return None
    for found in NAME.finditer(text):
        before = text[:found.start()]
        if found[1] in ("SINTER_DEPRECATED", "decltype", "alignas"):
            continue
        if "=" in before or before.endswith("::"):
            return None
        return re.sub(r"\s+(?=\W)", "", found[1])
    return None


def arguments_of(text):
    """The arguments of a macro, split at its own commas."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [p.strip() for p in parts]


def expanded(macro, arguments, indent):
    """The lines that a macro stands for."""
    parameters, body = macro
    values = dict(zip(parameters, arguments))
    if parameters[-1:] == ["..."]:
        values["__VA_ARGS__"] = ", ".join(arguments[len(parameters) - 1:])
    body = re.sub(r"\b\w+\b", lambda m: values.get(m[0], m[0]), body.replace("##", "\0"))
    body = re.sub(r"\s*\0\s*", "", body)
    body = re.sub(r"\) (?=[A-Z][A-Z_]*\()", ")\n    ", body)  # several macros side by side
    lines = [line.rstrip() for line in body.split("\n") if line.strip()]
    least = min((len(line) - len(line.lstrip()) for line in lines), default=0)
    return [" " * indent + line[least:] for line in lines]


class Function:
    """A function in one of its forms, with the comment in front of it in the header."""

    def __init__(self, header, scope, name, comment, code):
        self.header, self.scope, self.name, self.comment, self.code = header, scope, name, comment, code
        self.row = None if header in OF_NUMBERS else row_name(scope, name)

    def __str__(self):
        return (self.scope + "::" if self.scope else "") + self.name

    def on_tensors(self):
        return self.row is not None or self.scope == "tensor_base"

    def is_complete(self):
        return names_sizes(self.comment) and names_errors(self.comment)


class Reader:
    """Reads one header. `document` gives the comment of a function, as lines."""

    def __init__(self, path, document):
        self.header = path.name
        self.document = document
        self.macros = {}
        self.functions, self.uncommented = [], []
        self.out = []
        self.scope = []
        self.shown = True  # false from @cond to @endcond, and behind `private:`

    def lines(self, lines, indent=0, inside=None):
        """Writes the lines of a namespace, or of the class `inside`."""
        at, comment, group = 0, [], None  # group: the comment of all until ///@}
        while at < len(lines):
            line = lines[at]
            text = line.strip()
            if text.startswith("#define"):
                end = at
                while lines[end].endswith("\\"):
                    end += 1
                self.define("\n".join(lines[at:end + 1]))
                self.out += lines[at:end + 1]
                at = end + 1
                continue
            at += 1
            included = re.match(r"#include <(.*)>", text)
            if included and included[1] in TABLES:
                self.lines(TABLES[included[1]](), indent, inside)
            elif re.match(r"/// [@\\](end)?cond", text):
                self.shown = "endcond" in text
                self.out.append(line)
            elif text == "///@{":
                group, comment = comment, []
                if not self.has_functions(lines, at, indent):
                    end = lines.index(line.replace("{", "}"), at) + 1
                    self.out += self.written(group, indent) + lines[at - 1:end]
                    at, group = end, None
            elif text == "///@}":
                group = None
            elif text.startswith("///"):
                comment.append(text[3:].strip())
            elif text.startswith("#undef"):
                self.macros.pop(text.split()[1], None)
                self.out.append(line)
            elif not text or text.startswith(("#", "//")) or re.match(r"(public|private|protected):", text):
                if not text:
                    self.out += self.written(comment, indent)
                    comment = []
                self.shown = text == "public:" or (self.shown and not text.endswith(("private:", "protected:")))
                self.out.append(line)
            elif OPENS.match(line) and not inside:
                self.out += self.written(comment, indent) + [line]
                comment = []
                self.scope.append(OPENS.match(line)[1])
            elif line.startswith("}") and not inside:
                if self.scope:
                    self.scope.pop()
                self.out.append(line)
            elif HANDLE.match(line):
                end = lines.index("};", at)
                self.out += self.written(comment, indent) + [line]
                comment, self.shown = [], False
                self.lines(lines[at:end], 4, "tensor_base")
                self.shown = True
                self.out.append(lines[end])
                at = end + 1
            else:
                end = end_of(lines, at - 1, indent)
                self.declaration(lines[at - 1:end], comment if group is None else group, indent, inside)
                comment, at = [], end

    def has_functions(self, lines, at, indent):
        while lines[at].strip() != "///@}":
            if lines[at].strip().startswith(("//", "#")) or not lines[at].strip():
                at += 1
                continue
            end = end_of(lines, at, indent)
            if CALL.match("\n".join(map(bare, lines[at:end]))) or declared_name(lines[at:end]):
                return True
            at = end
        return False

    def define(self, text):
        found = re.match(r"\s*#define (\w+)\(([^)]*)\)(.*)", text, re.S)
        if found and found[1] not in self.macros:  # else it is the default of a table
            body = re.sub(r"\s*\\$", "", found[3], flags=re.M)
            self.macros[found[1]] = ([p.strip() for p in found[2].split(",")], body)

    def declaration(self, code, comment, indent, inside):
        call = CALL.match("\n".join(bare(line, strings=True) for line in code))
        if call and call[1] in self.macros:
            arguments = arguments_of(call[2])
            macro = self.macros[call[1]]
            if self.header == "out.hpp" and call[1] == "SINTER_BINARY":  # rows with alpha have their own lines
                with_alpha = f"SINTER_OUT_HAS_ALPHA_{arguments[0]} " in read("functions/out.hpp")
                macro = self.macros["SINTER_OUT_NONE" if with_alpha else "SINTER_OUT_PLAIN"]
            is_row = not comment and call[1] in ("SINTER_UNARY", "SINTER_BINARY")
            lines = expanded(macro, arguments, indent)
            at = 0
            while at < len(lines):
                end = end_of(lines, at, indent)
                own = row_comment(inside or "", declared_name(lines[at:end]), arguments[0]) if is_row else comment
                self.declaration(lines[at:end], own, indent, inside)
                at = end
            return
        name = declared_name(code)
        scope = inside or self.namespace()
        if name and self.shown and scope is not None and name not in ("Tensor", "~Tensor", "self"):
            function = Function(self.header, scope, name, comment, code)
            (self.functions if comment else self.uncommented).append(function)
            if comment:
                comment = self.document(function)
        self.out += self.written(comment, indent) + code

    def namespace(self):
        """The namespace within sinter, or None for details."""
        names = [re.sub(r"^sinter::inline v1(::)?", "", name) for name in self.scope]
        if not self.scope or not self.scope[0].startswith("sinter::inline v1"):
            return None
        inner = "::".join(name for name in names if name)
        return None if "detail" in inner else inner

    @staticmethod
    def written(comment, indent):
        return [" " * indent + ("/// " + line).rstrip() for line in comment]


def read_header(path, document):
    """The header's lines with the comment that `document` gives each function, and its reader."""
    lines = []
    for line in path.read_text().splitlines():  # the table of dtypes stands within declarations, too
        dtypes = line.strip() == "#include <sinter/core/dtype.def>"
        lines += [row for row in read("core/dtype.def").splitlines() if row[:2] != "//"] if dtypes else [line]
    reader = Reader(path, document)
    reader.lines(twice(lines) if path.name == "linalg.hpp" else lines)
    return reader.out, reader


@functools.cache
def readers():
    return [read_header(path, lambda function: function.comment)[1] for path in header_paths()]


def all_functions():
    return [function for reader in readers() for function in reader.functions]


def uncommented():
    return [function for reader in readers() for function in reader.uncommented]


# ---- the documentation of a function


@functools.cache
def homes():
    """By function as docs/functions.md names it, the form whose comment tells all."""
    found = {}
    for function in all_functions():
        if function.row and function.is_complete() and function.name == function.row.split("::")[-1].removeprefix(
                "linalg_" if function.scope == "linalg" else ""):
            known = found.get(function.row)
            if not known or (known.scope == "tensor_base" and function.scope != "tensor_base"):
                found[function.row] = function
    return found


def home(function):
    if function.is_complete() or not function.row:
        return None
    row = aliases().get(function.row, function.row)
    for known in (row, row.split("::")[-1], "log_sigmoid" if row.endswith("logsigmoid") else None):
        found = homes().get(known)
        if found and found is not function:
            return found
    return None


def referred(function):
    """Sentences on sizes and errors that a form shares with the others of its function, or with its kind."""
    found, lines = home(function), []
    method, comment = function.scope == "tensor_base", " ".join(function.comment)
    if found:
        link = f"{'' if found.scope == 'tensor_base' else 'sinter::'}{found}()"
        which = (", whose first operand is this tensor" if method and found.scope != "tensor_base" else
                 ", the method of the first operand" if found.scope == "tensor_base" and not method else "")
        lines.append(f"Sizes and errors: {link}{which}.")
    writes = re.fullmatch(r"[a-z]\w*[a-z0-9]_", function.name) and function.row
    if writes and table_rows()[function.row][0] != "view" and "read-only" not in comment:
        shared = "" if function.name in SHARING else ", or elements of it share an address"
        alone = function.row == function.name  # nothing but a form that writes
        lines.append("Throws Error, too, if the memory is read-only" + shared + ("." if alone else ", if the result's"))
        lines += [] if alone else ["sizes are not those of the tensor that is written, or its dtype cannot be cast to that",
                                   "tensor's."]
    if function.row and function.name.endswith("_out") and not re.search("castable|result's dtype", comment):
        lines.append("The output gets the result's sizes. Throws Error unless the result's dtype is castable to the")
        lines.append("output's.")
    return lines


ALWAYS_ANSWER = set("defined has_storage is_conj is_neg is_same operator= reset requires_grad toString".split())


def facts(function):
    """What a list says of a function: its names elsewhere, how it runs, dtypes, errors in ULP."""
    own = own_facts(function.comment)
    known = {key: own[key] for key in ("PyTorch", "libtorch", "NumPy") if key in own}
    if function.on_tensors() and not known:
        known["PyTorch"] = pytorch_name(function.scope, function.name)
    runs, dtypes = table_rows().get(function.row, ("at its line", ""))
    if function.on_tensors() or "Runs" in own:
        runs = own.get("Runs", runs)
        known["Runs"] = re.sub(rf"^({'|'.join(WORDS)})\b", r'\\ref runs "\1"', runs)
    row = elementwise().get(aliases().get(function.row, function.row))
    if dtypes or "Dtypes" in own:
        result = "; " + RESULTS[row[0]] if row and row[0] in RESULTS else ""
        known["Dtypes"] = own.get("Dtypes") or f'\\ref dtypes "{dtypes}"{result}'
    if row and any(float(ulp) for ulp in row[2]):
        known["Largest error"] = f"{row[2][0]} ULP in Float, {row[2][1]} in Double"
    return known


def documented(function):
    """The whole comment of a function."""
    prose = "\n\n".join(FACT.sub("", part).strip() for part in paragraphs(function.comment)).split("\n")
    if function.scope == "tensor_base" and not function.row and not names_errors(prose):
        always = function.name in ALWAYS_ANSWER
        prose.append("An undefined tensor is allowed." if always else "Throws Error for an undefined tensor.")
    known = [f"- **{key}**: {value}" for key, value in facts(function).items()]
    return prose + referred(function) + ([""] + known if known else [])

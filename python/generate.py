#!/usr/bin/env python3
"""Writes the C++ that gives the library's functions and methods to Python.

    generate.py FOLDER      writes functions_0.cpp, tensor_0.cpp, linalg_0.cpp, ... and parts.inc

The functions come from the public headers, as docs/declarations.py reads them, so that a new function or
row of a table is in Python without a line here. `tables.py` lists what differs from C++ by more than a
rule: names, attributes, fields of results, and what Python does not get and why. A function with a
parameter of an unknown type that is not in that list ends the program with an error.
"""

import functools
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
SOURCE = Path(__file__).resolve().parent.parent
sys.path += [str(SOURCE / "docs"), str(SOURCE / "python")]

import declarations
import rows
import tables

# What a C++ type is in a lambda's parameters, and how it is handed on.
TYPES = {
    "const tensor_base&": ("const Tensor&", "{}"),
    "const Tensor&": ("const Tensor&", "{}"),
    "const Scalar&": ("const Scalar&", "{}"),
    "int64_t": ("int64_t", "{}"),
    "int": ("int", "{}"),
    "int8_t": ("int", "static_cast<int8_t>({})"),
    "bool": ("bool", "{}"),
    "double": ("double", "{}"),
    "ScalarType": ("ScalarType", "{}"),
    "MemoryFormat": ("MemoryFormat", "{}"),
    "IntArrayRef": ("const ints&", "{}"),
    "OptionalIntArrayRef": ("const std::optional<ints>&", "optional_list({})"),
    "Device": ("const device_name&", "{}.device()"),
    "optional<Device>": ("const std::optional<device_name>&", "optional_device({})"),
    "const optional_generator&": ("const std::optional<Generator>&", "{}"),
    "TensorList": ("const std::vector<Tensor>&", "{}"),
    "const std::vector<Tensor>&": ("const std::vector<Tensor>&", "{}"),
    "ArrayRef<Scalar>": ("const std::vector<Scalar>&", "{}"),
    "ArrayRef<double>": ("const std::vector<double>&", "{}"),
    "optional<ArrayRef<double>>": ("const std::optional<std::vector<double>>&", "optional_numbers({})"),
    "std::vector<int64_t>": ("const ints&", "{}.list"),
    "std::string": ("const std::string&", "{}"),
    "const std::string&": ("const std::string&", "{}"),
    "std::string_view": ("const std::string&", "{}"),
    "named_norm": ("const std::string&", "{}"),
    "reduction_t": ("const std::string&", "reduction_of({})"),
    "padding_t": ("const std::string&", "padding_of({})"),
    "Tensor": ("const Tensor&", "{}"),
    "optional<std::string_view>": ("const std::optional<std::string>&", "{}"),
    "const optional<std::string>&": ("const std::optional<std::string>&", "{}"),
}
for plain in ("int64_t", "double", "bool", "ScalarType", "MemoryFormat"):
    TYPES[f"optional<{plain}>"] = (f"std::optional<{plain}>", "{}")
for plain in ("Tensor", "Scalar"):
    TYPES[f"const optional<{plain}>&"] = (f"const std::optional<{plain}>&", "{}")

FUNCTIONS_IN_A_FILE = 150
AS_ARGUMENTS = {"const ints&": "ints", "const std::vector<Tensor>&": "tensors_of"}  # lists that may be arguments
FIRST = ("t", "self", "x", "a", "A")  # what the headers call the operand that PyTorch calls `input`
IGNORED = ("SINTER_LINE", "const std::source_location&")  # where the caller's line is


class LeftOut(Exception):
    """The function is not for Python."""


class Parameter:
    """A parameter of a lambda: its C++ type and name, its Python name and its default, a C++ expression."""

    def __init__(self, function, type, name, default, keyword=False):
        self.type, self.name, self.default, self.keyword = type, name, default, keyword
        self.python = tables.parameter(function, name)

    def annotation(self):
        text = f'"{self.python}"_a'
        if "optional<" in self.type or self.default == "nb::none()":
            text += ".none()"
        return text if self.default is None else f"{text} = {self.default}"


def python_default(text):
    """A C++ default as an expression that becomes a Python object."""
    if text in ("nullopt", "std::nullopt"):
        return "nb::none()"
    if text.startswith("{"):
        return f"nb::make_tuple({text[1:-1]})"
    return text


def split_parameter(text):
    """Type, name and default of one parameter."""
    declared, _, default = (part.strip() for part in text.partition("="))
    declared = re.sub(r"\s*([&*])\s*", r"\1 ", declared).strip()
    found = re.fullmatch(r"(.*[\s>])(\w+)", declared)
    type, name = (found[1], found[2]) if found and found[1].strip() != "const" else (declared, "")
    return type.strip(), name, python_default(default) if default else None


@functools.cache
def option_fields():
    """By struct of options in nn_functional.hpp its fields: type, name, and whether it has no default."""
    found, fields, required = {}, None, set()
    for line in rows.read("functions/nn_functional.hpp").splitlines():
        struct = re.match(r"struct (\w+Options) \{", line)
        alias = re.match(r"using (\w+Options) = (\w+Options);", line)
        field = re.match(r"\s+SINTER_OPTION\(([\w:<>]+), (\w+), .*\)$", line)
        if struct:
            fields, required = found.setdefault(struct[1], []), set()
        elif alias:
            found[alias[1]] = found[alias[2]]
        elif re.match(r"\s+SINTER_LOSS_OPTIONS\(\w+Options\)", line):
            fields.append(("reduction_t", "reduction", False))
        elif re.match(r"    \w+Options\([^=)]+\)", line):
            required = set(re.findall(r"[\w>] (\w+)[,)]", line))
        elif field and fields is not None:
            fields.append((*field.groups(), field[2] in required))
    return found


def declaration(function):
    """The type of the result and the parameters, as text."""
    text = " ".join(line.strip() for line in function.code if not re.match(r"\s*(#|//)", line))
    before, rest = re.match(r"(.*?)\b" + re.escape(function.name) + r"\s*\((.*)", text).groups()
    depth, end = 1, 0
    while depth:
        depth += (rest[end] in "([{") - (rest[end] in ")]}")
        end += 1
    if text.startswith("template") or "= delete" in rest[end:]:
        raise LeftOut("a template" if text.startswith("template") else "deleted")
    result = re.sub(r"\b(SINTER_API|SINTER_INLINE|inline|static|constexpr)\b", "", before).strip()
    return result, [part for part in declarations.arguments_of(rest[:end - 1]) if part]


class Overload:
    """A C++ function or method as Python gets it: parameters, and what the lambda does with them."""

    def __init__(self, function):
        self.name, self.method = function.name, function.scope == "tensor_base"
        self.comment, self.module = function.comment, tables.MODULES[function.scope]
        runs = rows.table_rows().get(function.row, ("",))[0]
        self.computes = runs == "at its line" or "reads" in runs  # other threads may go on meanwhile
        self.result, parameters = declaration(function)
        self.shown = [Parameter(self.name, "const Tensor&", "self", None)] if self.method else []
        self.prepare, self.arguments = [], []
        for part in parameters:
            self.add(*split_parameter(part))
        for parameter in reversed(self.shown):  # what may be missing in C++, and is not in front of what may not
            if parameter.default is None and not parameter.type.startswith(("std::optional", "const std::optional")):
                break
            parameter.default = parameter.default or "nb::none()"
        first = self.shown[0] if self.shown else None
        plain = function.scope not in ("linalg", "windows")
        if first and not self.method and first.type == "const Tensor&" and plain and first.python in FIRST:
            first.python = "input"
        space = function.scope + "::" if function.scope else ""
        self.call = (f"self.{self.name}" if self.method else f"sinter::{space}{self.name}")

    def add(self, type, name, default):
        fields = re.fullmatch(r"const (\w+Options)&", type)
        if name in (parameter.name for parameter in self.shown):
            raise LeftOut(f"two parameters {name}")
        if type in IGNORED or type.startswith("SINTER_LINE"):
            return
        if type == "const TensorOptions&":
            self.shown += [Parameter(self.name, "std::optional<ScalarType>", "dtype", "nb::none()", keyword=True),
                           Parameter(self.name, "const std::optional<device_name>&", "device", "nb::none()", keyword=True),
                           Parameter(self.name, "bool", "requires_grad", "false", keyword=True)]
            self.arguments.append("options_of(dtype, device, requires_grad)")
        elif fields and fields[1] in option_fields():
            made = []
            for of, field, required in option_fields()[fields[1]]:
                given, expression = TYPES[re.sub(r"^optional<(.*)>$", r"\1", of)]
                if required:
                    self.shown.append(Parameter(self.name, given, field, None))
                    made.append(expression.format(field))
                    continue
                value = re.sub(r"^const (.*)&$", r"\1", given)
                parameter = Parameter(self.name, f"const std::optional<{value}>&", field, "nb::none()")
                self.shown.append(parameter)
                self.prepare.append(f"if ({parameter.name}) options.{field}({expression.format('(*' + parameter.name + ')')});")
            self.prepare.insert(0, f"nn::functional::{fields[1]} options{'(' * bool(made)}{', '.join(made)}{')' * bool(made)};")
            self.arguments.append("options")
        elif type in TYPES:
            given, expression = TYPES[type]
            generator = "Generator" in given
            parameter = Parameter(self.name, given, name, "nb::none()" if generator else default, keyword=generator)
            self.shown.append(parameter)
            self.arguments.append(expression.format(parameter.name))
        else:
            raise LeftOut(f"a parameter of type {type}")

    def body(self):
        """The lambda's result type and body."""
        call = f"{self.call}({', '.join(self.arguments)})"
        if self.computes:
            call = f"unlocked([&] {{ return {call}; }})"
        fields = tables.FIELDS.get(f"{self.module}.{self.name}") or tables.FIELDS.get(self.name, "")
        if self.result == "Tensor&":
            written = self.shown[0].name
            return "const Tensor&", f"{call}; return {written};"
        if self.result.startswith("std::tuple") or self.result.startswith("detail::"):
            return "nb::object", f'return named("{self.name}", "{fields}", {call});'
        if self.result == "std::vector<Tensor>":
            return "nb::tuple", f"return tuple_of({call});"
        if "_expr<" in self.result or self.result == "Tensor":
            return "Tensor", f"return {call};"
        if self.result == "TypeMeta":
            return "ScalarType", f"return {call};"
        return self.result, f"return {call};"

    def text(self, several=False):
        """The call of `def`; `several`: with sizes as arguments of their own instead of a list."""
        shown = sorted(self.shown, key=lambda p: p.keyword)  # stable
        result, body = self.body()
        types, annotations, keyword = [], [], False
        for parameter in shown:
            type, given = parameter.type, f", {parameter.annotation()}"
            if several and type in AS_ARGUMENTS:
                type, given, keyword = "const nb::args&", f', "{parameter.python}"_a', True
                body = re.sub(rf"(?<=[(, ]){parameter.name}(?=[,)])",
                              f"{AS_ARGUMENTS[parameter.type]}({parameter.name})", body, count=1)
            elif parameter.keyword and not keyword:
                keyword, given = True, ", nb::kw_only()" + given
            if self.method and parameter is shown[0]:
                given = ""  # nanobind names it itself
            types.append(f"{type} {parameter.name}")
            annotations.append(given)
        policy = ", nb::rv_policy::reference" if self.result == "Tensor&" else ""
        comment = "\n".join(self.comment) if not several else ""
        code = " ".join(self.prepare + [body])
        return definition(self.name, ", ".join(types), result, code, "".join(annotations) + policy, comment)


def definition(name, parameters, result, code, annotations, comment, kind="def"):
    """A call of `def`. Pointers to functions and text have one type for many functions, so that the compiler makes
    nanobind's part once for each signature: a quarter less of its time, a sixth less of the module's size."""
    return (f'm.{kind}("{name}", +[]({parameters}) -> {result} {{ {code} }}{annotations}, '
            f'text(R"doc({comment})doc"));')


def overloads(scope):
    """The overloads of a scope by name, in the headers' order. Fails for what nobody decided about."""
    found, undecided = {}, []
    for function in declarations.all_functions():
        name = function.name
        if function.scope != scope or not function.on_tensors() or not in_pytorch(scope, name):
            continue
        try:
            found.setdefault(name, []).append(Overload(function))
        except LeftOut as reason:
            known = row_of(name) or (scope == "special" and name in rows.special_names())
            if name not in tables.PARTLY_LEFT_OUT and not (known and str(reason) == "a template"):
                undecided.append(f"{function.header}: {function}: {reason}")
    if undecided:
        sys.exit("python/tables.py does not say what becomes of:\n  " + "\n  ".join(undecided))
    return found


def in_pytorch(scope, name):
    """Whether Python has a function of this name: not the forms and names of C++ and libtorch."""
    plain = name.removesuffix("_")
    missing = set()
    if scope == "tensor_base":
        missing = rows.NO_METHOD if name == plain else rows.NO_IN_PLACE
    elif scope == "" and name != plain:
        missing = rows.NO_IN_PLACE - rows.FUNCTIONAL
    return not (name.startswith(("operator", "__", "linalg_", "special_")) or name.endswith("_out")
                or name in tables.LEFT_OUT or plain in missing)


def row_of(name):
    """The element-wise row of a public function, if it has one."""
    row = rows.aliases().get(name, name)
    return row if row in rows.elementwise() else None


def row_functions():
    """The element-wise rows and their other names, whose functions are templates in C++."""
    for name in [*rows.elementwise(), *rows.aliases()]:
        if not in_pytorch("", name):
            continue
        row = row_of(name)
        comment = " ".join(rows.row_comment("", name, name))
        if rows.elementwise()[row][3] == 1:
            forms = [("const Tensor& input", '"input"_a')]
        else:
            both = f'"input"_a, "{tables.parameter(name, "other")}"_a'
            forms = [(f"const {a}& input, const {b}& other", both)
                     for a, b in (("Tensor", "Tensor"), ("Tensor", "Scalar"), ("Scalar", "Tensor"))]
        for parameters, annotations in forms:
            values = ", ".join(re.findall(r"& (\w+)", parameters))
            yield definition(name, parameters, "Tensor", f"return sinter::{name}({values});", f", {annotations}", comment)


def attribute(overload):
    result, body = overload.body()
    return definition(overload.name, "const Tensor& self", result, body, "", "\n".join(overload.comment), "def_prop_ro")


def statements(scope):
    """The statements that add the functions of a scope to `m`."""
    found = overloads(scope)
    for name, forms in found.items():
        if scope == "tensor_base" and name in tables.ATTRIBUTES:
            yield attribute(forms[0])
            continue
        for form in forms:
            yield form.text()
        if name in tables.SIZES_AS_ARGUMENTS | tables.TENSORS_AS_ARGUMENTS:
            lists = [form for form in forms if any(p.type in AS_ARGUMENTS for p in form.shown)]
            yield lists[-1].text(several=True)
    if scope == "":
        yield from row_functions()
    # Functions that are in namespace sinter, but in a module of PyTorch's; the names of some are in both.
    if scope == "special":
        for name, function in [*rows.special_names().items(), ("logsumexp", "logsumexp")]:
            yield f'm.attr("{name}") = sinter_module.attr("{function}");'
        moved = rows.SPECIAL
    elif scope == "nn::functional":
        moved = sorted(rows.FUNCTIONAL)
        for name in moved:
            if name not in found:
                yield f'm.attr("{name}") = sinter_module.attr("{name}");'
    else:
        moved = ()
    for name in sorted(moved):
        yield f'if (nb::hasattr(sinter_module, "{name}")) nb::delattr(sinter_module, "{name}");'


def main(folder):
    folder = Path(folder)
    parts = []  # the name of a file, and the module of its functions
    for scope, module in tables.MODULES.items():
        lines = list(statements(scope))
        count = max(1, round(len(lines) / FUNCTIONS_IN_A_FILE))
        for i in range(count):
            part = f"{module or 'functions'}_{i}".replace(".", "_").lower()
            parts.append((part, module))
            body = "\n".join("    " + line for line in lines[i * len(lines) // count:(i + 1) * len(lines) // count])
            write(folder / f"{part}.cpp", "// Written by python/generate.py.\n#include \"bound.hpp\"\n\n"
                  f"void add_{part}([[maybe_unused]] nb::module_& sinter_module, {kind(module)} m) {{\n{body}\n}}\n")
    declared = "".join(f"void add_{part}(nb::module_&, {kind(module)});\n" for part, module in parts)
    called = "".join(f'ADD({part}, "{module}")\n' for part, module in parts)
    write(folder / "parts.inc", f"#ifdef DECLARE\n{declared}#else\n{called}#endif\n")
    for old in set(folder.glob("*.cpp")) - {folder / f"{part}.cpp" for part, _ in parts}:
        old.unlink()


def kind(module):
    return "nb::class_<Tensor>&" if module == "Tensor" else "nb::module_&"


def write(path, text):
    if not path.exists() or path.read_text() != text:  # so that nothing is compiled again for nothing
        path.write_text(text)


if __name__ == "__main__":
    main(sys.argv[1])

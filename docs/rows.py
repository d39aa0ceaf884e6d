"""What the tables of the library and docs/functions.md tell of a function by its name.

docs/functions.md has a row for each function: how it runs, and the dtypes that it takes. The name in
PyTorch follows from a rule and a list of exceptions. The table of element-wise rows gives a comment.
"""

import functools
import re
from pathlib import Path

DOCS = Path(__file__).parent
HEADERS = DOCS.parent / "include"


def read(path):
    return (HEADERS / "sinter" / path).read_text()



# ---- docs/functions.md


@functools.cache
def table_rows():
    """How a function runs, and the dtypes that it takes, by the function's name."""
    text = (DOCS / "functions.md").read_text()
    found = re.findall(r"^\| `([\w:]+)` \|[^|]*\| ([^|]*?) \| ([^|]*?) \| [A-D] \|", text, re.M)
    return {name: (runs, dtypes) for name, runs, dtypes in found}


@functools.cache
def other_names():
    """The functions that are about no tensor: the second table."""
    return set(re.findall(r"^\| `([\w:]+)` \| `sinter/", (DOCS / "functions.md").read_text(), re.M))


@functools.cache
def special_names():
    """The functions that special.def gives another name, by that name."""
    found = re.findall(r"^SPECIAL(?:_AS)?\((\w+)(?:, (\w+))?\)", read("functions/special.def"), re.M)
    return {name: function or name for name, function in found}


OPERATORS = {"+": "add", "-": "sub", "*": "mul", "/": "div", "%": "remainder", "==": "eq", "!=": "ne", "<": "lt",
             "<=": "le", ">": "gt", ">=": "ge", "&": "bitwise_and", "|": "bitwise_or", "^": "bitwise_xor",
             "~": "bitwise_not"}
PYTHON_OPERATORS = {"__and__": "&", "__or__": "|", "__xor__": "^", "__lshift__": "<<", "__rshift__": ">>"}
SHIFTS = {"<<": "bitwise_left_shift", ">>": "bitwise_right_shift"}


def row_name(scope, name):
    """The name under which docs/functions.md has a function in any of its forms, or None."""
    if name.startswith("operator"):
        symbol = name[len("operator"):]
        assigned = symbol.endswith("=") and symbol not in OPERATORS
        name = OPERATORS.get(symbol[:-1] if assigned else symbol, name)
    symbol = PYTHON_OPERATORS.get(name)
    if symbol:
        name = {**OPERATORS, **SHIFTS}[symbol]
    plain = name[:-4] if name.endswith("_out") else name
    for form in (plain, plain[:-1] if plain.endswith("_") else plain):
        special = form[len("special_"):] if form.startswith("special_") else form if scope == "special" else None
        for known in ([special_names().get(special), f"special::{special}", special] if special else
                      [f"linalg_{form}"] if scope == "linalg" else
                      [f"{scope}::{form}"] if scope in ("nn::functional", "windows", "fft") else [form]):
            if known in table_rows():
                return known
    return None


# ---- names in PyTorch

# Functions that are in neither `torch` nor `torch.Tensor`.
FUNCTIONAL = set("""elu elu_ gelu hardsigmoid hardswish hardtanh hardtanh_ leaky_relu leaky_relu_ mish one_hot
    pairwise_distance relu6 silu softplus softshrink softsign""".split())
SPECIAL = set("""airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 entr erfcx i0e i1 i1e log_ndtr
    modified_bessel_k0 modified_bessel_k1 ndtr ndtri scaled_modified_bessel_k0
    scaled_modified_bessel_k1 spherical_bessel_j0 xlog1py""".split())
# Functions that are no methods, or have no in-place form, in PyTorch.
NO_METHOD = FUNCTIONAL | SPECIAL | set("frexp_exponent frexp_mantissa log_sigmoid nonzero_numpy rsub trigamma".split())
NO_IN_PLACE = NO_METHOD | set("""fmax fmin isfinite isinf isnan isneginf isposinf logaddexp logaddexp2 maximum
    minimum signbit""".split())
# Names that follow no rule.
FUNCTION_NAMES = {
    "_unique2": "`torch.unique`",
    "celu_": "`torch.celu_`",
    "frexp_exponent": "`torch.frexp(x).exponent`",
    "frexp_mantissa": "`torch.frexp(x).mantissa`",
    "from_blob": "`torch::from_blob` (libtorch)",
    "index": "`t[indices]`",
    "index_put_": "`t[indices] = values`",
    "log_sigmoid": "`torch.nn.functional.logsigmoid`",
    "nonzero_numpy": "`torch.nonzero(t, as_tuple=True)`",
    "scalar_to_tensor": "`c10::scalar_to_tensor` (libtorch)",
    "selu_": "`torch.selu_`",
    "slice": "`t[start:end:step]`",
    "sum_to_size": "`torch.Tensor.sum_to_size`",
    "threshold_": "`torch.threshold_`",
    "trigamma": "`torch.polygamma(1, t)`",
    "unique_dim": "`torch.unique(t, dim=...)`",
}
METHOD_NAMES = {
    "eval": "none",
    "index": "`t[indices]`",
    "index_put_": "`t[indices] = values`",
    "matrix_H": "`torch.Tensor.H`",
    "numpy_T": "`torch.Tensor.T`",
    "operator bool": "`bool(t)`",
    "operator=": "`t[...] = value` for a temporary",
    "operator[]": "`t[index]`",
    "scalar_type": "`torch.Tensor.dtype`",
    "set_data": "`torch.Tensor.data`",
    "set_requires_grad": "`torch.Tensor.requires_grad_`",
    "sizes": "`torch.Tensor.size`",
    "slice": "`t[start:end:step]`",
    "strides": "`torch.Tensor.stride`",
    "toType": "`torch.Tensor.to`",
    "view_as_dtype": "`torch.Tensor.view`",
}
LIBTORCH_METHODS = set("""accessor const_data_ptr defined has_storage is_alias_of is_non_overlapping_and_dense is_same
    mutable_data_ptr options packed_accessor32 packed_accessor64 reset suggest_memory_format toString
    unsafeGetTensorImpl""".split())


def pytorch_name(scope, name):
    """The counterpart of a function, as Markdown."""
    if name.endswith("_out"):
        plain = pytorch_name(scope, name[:-4])
        return plain[:-1].split("(")[0] + "(..., out=)`" if plain.startswith("`torch.") else plain
    in_place = name.endswith("_") and not name.startswith("__")
    plain = name[:-1] if in_place else name
    if scope == "tensor_base":
        if name in METHOD_NAMES:
            return METHOD_NAMES[name]
        if name in LIBTORCH_METHODS:
            return f"`at::Tensor::{name}` (libtorch)"
        if plain in (NO_IN_PLACE if in_place else NO_METHOD):
            return pytorch_name("", plain)
    symbol = PYTHON_OPERATORS.get(name) or (name[len("operator"):] if name.startswith("operator") else None)
    if symbol:
        return f"`{symbol}t`" if symbol == "~" else f"`a {symbol} b`"
    if scope == "tensor_base":
        return f"`torch.Tensor.{name}`"
    if scope in ("linalg", "special", "fft", "nn::functional"):
        return f"`torch.{scope.replace('::', '.')}.{name}`"
    if scope == "windows":
        return f"`torch.signal.windows.{name}`"
    if name in FUNCTION_NAMES:
        return FUNCTION_NAMES[name]
    if name in FUNCTIONAL:
        return f"`torch.nn.functional.{name}`"
    if in_place:
        return pytorch_name("", plain) if plain in NO_IN_PLACE else f"`torch.Tensor.{name}`"
    space = re.match("(linalg|special)_", name)
    if space:
        return f"`torch.{space[1]}.{name[len(space[0]):]}`"
    return f"`torch.{'special.' if name in SPECIAL else ''}{name}`"


# ---- what a machine knows

RESULTS = {
    "floating": "integers and Bool are computed in the default dtype",
    "test": "the result is Bool",
    "logical": "operands are converted to Bool, and the result is Bool",
    "matched": "tensor operands have the same dtype",
}
WORDS = ("view", "fused", "opaque", "library", "at its line", "reads")
CASTS = {
    "cast": "Throws Error unless the result's dtype is castable to that of `out`.",
    "kept": "Throws Error unless the result's dtype is castable to that of `out`; an `out` of as many elements "
            "keeps its sizes.",
    "joined": "Throws TypeError unless the result's dtype is castable to that of `out`.",
    "same": "Throws Error unless `out` has the result's dtype.",
    "truth": "Throws Error unless `out` is Bool or Byte.",
    "drawn": "`out` may have any real dtype.",
}
OVERLAPS = {
    "any": "",
    "partly": " An operand may be `out`; throws Error if it overlaps a part of it.",
    "apart": " Throws Error if an operand shares memory with `out`.",
}
# What a row refuses, by its dtypes in docs/functions.md.
REFUSED = {
    "all": "",
    "all real": "complex numbers",
    "numbers, complex": "Bool",
    "numbers": "Bool and complex numbers",
    "floating, complex": "integers and Bool",
    "floating": "integers, Bool and complex numbers",
    "integers, Bool": "floating and complex numbers",
    "integers": "Bool, floating and complex numbers",
}
# In-place forms that write elements which share an address, with a warning.
SHARING = {"masked_fill_", "index_fill_", "index_put_", "fill_", "zero_"}


@functools.cache
def elementwise():
    """Rule, formula, largest errors and number of operands by row, for rows that are public functions."""
    pattern = (r"^ROW([12])\((\w+), (\w+), .*?ULP(?:_ABOVE)?\((?:0x1p-4, |0\.5, )?([\d.]+), ([\d.]+)\), "
               r"VALUE\((.*?)\), (?:D0\(|ZERO0|NO_GRAD0\(|MISSING0\(|POLYGAMMA0\()")
    found = {}
    for arity, name, rule, f32, f64, value in re.findall(pattern, read("op/elementwise.def"), re.M):
        value = re.sub(r"V\(([\d.]+)\)", r"\1", value.replace("math::", ""))
        if rule not in ("power", "random"):
            found[name] = (rule, value, (f32, f64), int(arity))
    return found


@functools.cache
def aliases():
    """The row of each other name."""
    found = re.findall(r"^(?:UNARY|BINARY)_ALIAS\((\w+), (\w+)\)", read("expr/aliases.def"), re.M)
    return dict(found)


def row_errors(name, in_place):
    rule, _, _, arity = elementwise()[name]
    dtypes = table_rows()[name][1]
    found = []
    if REFUSED[dtypes]:
        found.append(f"Throws NotImplementedError for {REFUSED[dtypes]}.")
    causes = ["the sizes do not broadcast"] if arity == 2 else []
    if rule == "matched":
        causes.append("the tensors' dtypes differ")
    if in_place:
        causes += ["the result's sizes are not this tensor's"] if arity == 2 else []
        causes += ["its dtype cannot be cast to this tensor's" if arity == 2 else
                   "the result's dtype cannot be cast to this tensor's",
                   "the memory is read-only", "elements share an address"]
    if causes:
        found.append(f"Throws Error if {', '.join(causes[:-1])}{' or ' if len(causes) > 1 else ''}{causes[-1]}.")
    if name in ("maximum", "minimum"):
        found.append("Throws ValueError for a number that a floating dtype does not hold, and Error for one "
                     "beyond which an integer dtype has no values.")
    return found or ["Takes any tensor."]


def row_comment(scope, declared, name):
    """The comment of a row's function, method, in-place form or _out form."""
    row = aliases().get(name, name)
    _, value, _, arity = elementwise()[row]
    writes = declared != name
    if row != name and not writes:
        return [f"Another name of `{row}`."]
    what = f"`{value}`, element by element" + (" of a and b, whose sizes broadcast" if arity == 2 else "")
    if declared == name + "_out":
        return [f"Writes {what}, to `out`, and returns `out`."]
    if writes:
        target = "this tensor" if scope == "tensor_base" else "`t`"
        return [f"Writes {what}, to {target}, and returns it."] + row_errors(row, True)
    return [f"Returns {what}."] + row_errors(row, False)

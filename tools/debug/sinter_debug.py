"""What gdb and lldb share: Sinter's objects as text, read from memory.

A debugger gives a `memory` with

    read(address, size)   bytes; raises anything where there are none
    symbol(name)          the address of a variable of the library, or None
    symbol_at(address)    the name of what is at an address, or ""

and, for types that a program's own debug information describes, values with

    name()                the type's name, without typedefs, references, const and volatile
    arguments()           the type's template arguments: a value without memory for each
    size()                of the type, in bytes
    field(name)           a member
    integer(), real()     a number
    enumerator()          the name of an enumeration's value
    address()             where it is; None where it is in a register
    at(address, index)    the element of an array of this type
    plain()               the text that the debugger has itself

The library describes its inside by a table, `sinter_debug_layout` (engine/run/debug_layout.cpp).
Memory may hold anything: what cannot be read is said in angle brackets, and the rest is shown.
"""
import re
import struct

MOST_ELEMENTS = 8
MOST_DIMENSIONS = 64
MOST_WORDS = 256
ENTRY = struct.Struct("<44si")

FORMATS = {"Byte": "<B", "Char": "<b", "Short": "<h", "Int": "<i", "Long": "<q", "Half": "<e", "BFloat16": "<H",
           "Float": "<f", "Double": "<d", "Bool": "<?", "ComplexFloat": "<ff", "ComplexDouble": "<dd"}
DIGITS = {"Half": 4, "BFloat16": 3, "Float": 7, "ComplexFloat": 7, "Double": 15, "ComplexDouble": 15}


class Broken(Exception):
    """What is wrong, for people."""


def guarded(method):
    """A part that cannot be read becomes text, and leaves the other parts alone."""
    def tried(*arguments, **options):
        try:
            return method(*arguments, **options)
        except Broken as e:
            return f"<{e}>"
        except Exception as e:  # of the debugger, for memory and values that are not there
            return f"<cannot be read: {' '.join(str(e).split()) or type(e).__name__}>"
    return tried


def joined(values, most=MOST_ELEMENTS):
    values = list(values)
    return ", ".join(values[:most]) + (", ..." if len(values) > most else "")


class Inside:
    """Objects that are defined inside the library, by their addresses."""

    def __init__(self, memory):
        self.memory = memory
        self.table = {}
        self.read_table()

    def read_table(self):
        at = self.memory.symbol("sinter_debug_layout")
        if at is None:
            raise Broken("the library is not loaded, or has no sinter_debug_layout")
        for name, value in self.entries(at):
            name = name.split(b"\0")[0].decode("ascii", "replace")
            if not name:
                break
            self.table[name] = value
        self.names = {}  # by kind and number
        for name, value in self.table.items():
            kind, _, rest = name.partition(".")
            self.names.setdefault(kind, {})[value] = rest

    def entries(self, at, together=64):
        """Many at once, for the sake of slow connections; one by one where the memory ends."""
        for _ in range(4096):
            try:
                found = self.read(at, together * ENTRY.size)
            except Broken:
                if together == 1:
                    raise
                together = 1
                continue
            yield from ENTRY.iter_unpack(found)
            at += len(found)

    # ---- numbers and pointers

    def read(self, address, size):
        try:
            found = bytes(self.memory.read(address, size))
        except Exception:
            found = b""
        if len(found) != size:
            raise Broken(f"no memory at {address:#x}")
        return found

    def number(self, address, form):
        return struct.unpack(form, self.read(address, struct.calcsize(form)))[0]

    def pointer(self, address):
        return self.number(address, "<Q")

    def place(self, address, field):
        """Where a field of an object is; a field's name says of which type."""
        if field not in self.table:
            raise Broken(f"this library has no {field}")
        return address + self.table[field]

    def get(self, address, field, form="<Q"):
        return self.number(self.place(address, field), form)

    def text(self, address, most=200):
        """A C string. Read piece by piece: the next page may not be there."""
        found = b""
        while len(found) < most:
            try:
                piece = self.read(address + len(found), 16 - (address + len(found)) % 16)
            except Broken:
                if not found:
                    raise
                return found.decode("utf-8", "replace") + "<...>"
            found += piece.split(b"\0")[0]
            if b"\0" in piece:
                return found.decode("utf-8", "replace")
        return found.decode("utf-8", "replace") + "..."

    def vector(self, address, size):
        """Address and length of a std::vector or of anything else that begins with two pointers."""
        begin, end = self.pointer(address), self.pointer(address + 8)
        if end < begin or (end - begin) % size:
            raise Broken(f"a broken vector at {address:#x}")
        return begin, (end - begin) // size

    def numbers(self, address, form, most=MOST_WORDS):
        size = struct.calcsize(form)
        begin, n = self.vector(address, size)
        if n > most:
            raise Broken(f"{n} numbers")
        return [self.number(begin + i * size, form) for i in range(n)]

    # ---- names

    def dtype(self, number):
        return self.names.get("ScalarType", {}).get(number, f"<dtype {number}>")

    @staticmethod
    def place_name(index):
        return "cpu" if index == -1 else f"cuda:{index}" if index >= 0 else f"<device {index}>"

    # ---- geometry

    def sizes_and_strides(self, geometry):
        n = self.get(geometry, "geometry.ndim", "<i")
        if not 0 <= n <= MOST_DIMENSIONS:
            raise Broken(f"{n} dimensions")
        both = struct.unpack(f"<{2 * n}q", self.read(self.place(geometry, "geometry.size"), 16 * n))
        return both[:n], both[n:]

    @guarded
    def geometry(self, geometry, strides=True):
        if not geometry:
            raise Broken("no sizes")
        sizes, steps = self.sizes_and_strides(geometry)
        text = f"[{', '.join(map(str, sizes))}]"
        if strides:
            text += f" strides [{', '.join(map(str, steps))}]"
            offset = self.get(geometry, "geometry.offset", "<q")
            text += f" offset {offset}" if offset else ""
        return text

    # ---- elements

    def element(self, data, dtype, index):
        form = FORMATS[dtype]
        size = struct.calcsize(form)
        parts = struct.unpack(form, self.read(data + index * size, size))
        if dtype == "BFloat16":
            parts = struct.unpack("<f", struct.pack("<I", parts[0] << 16))
        if dtype == "Bool":
            return "true" if parts[0] else "false"
        if dtype not in DIGITS:
            return str(parts[0])
        texts = [f"{x:.{DIGITS[dtype]}g}" for x in parts]
        return texts[0] if len(texts) == 1 else f"({','.join(texts)})"

    @guarded
    def elements(self, version, geometry, dtype):
        """The first ones in row-major order, as far as they are in memory that the host can read."""
        if dtype not in FORMATS:
            raise Broken("elements of that dtype are unknown")
        if self.get(version, "Version.device", "<b") != -1:
            return ""
        buffer = self.get(version, "Version.buffer")
        if not buffer:
            raise Broken("no buffer")
        data, capacity = self.get(buffer, "buffer.data"), self.get(buffer, "buffer.bytes")
        sizes, strides = self.sizes_and_strides(geometry)
        offset = self.get(geometry, "geometry.offset", "<q")
        if any(n < 0 for n in sizes):
            raise Broken("negative sizes")
        if 0 in sizes:
            return "{}"
        found, at = [], [0] * len(sizes)
        while len(found) <= MOST_ELEMENTS:
            index = offset + sum(i * s for i, s in zip(at, strides))
            size = struct.calcsize(FORMATS[dtype])
            if index < 0 or (index + 1) * size > capacity:
                found.append(f"<element {index} is outside {capacity} bytes>")
                break
            if len(found) == MOST_ELEMENTS:
                found.append("...")
                break
            found.append(self.element(data, dtype, index))
            d = len(at) - 1
            while d >= 0:
                at[d] += 1
                if at[d] < sizes[d]:
                    break
                at[d] = 0
                d -= 1
            if d < 0:
                break
        return f"{{{', '.join(found)}}}" if sizes else found[0]

    # ---- nodes, versions, edges

    def program_text(self, code):
        source = self.get(code, "typed_program.source")
        words = self.numbers(self.place(source, "program.words"), "<H")
        tokens, rows, found, i = self.names.get("token", {}), self.names.get("row", {}), [], 0
        random = self.table.get("random_row", 0)
        while i < len(words):
            token, row = tokens.get(words[i]), rows.get(words[i])
            if token in ("cast", "join"):
                i += 1
            if not row and words[i] | random in rows:
                row = rows[words[i] | random]
                i += 1
            if token not in ("leaf", "scalar"):
                found.append({"join": "complex"}.get(token) or token or row or f"<row {words[i]}>")
            i += 1
        return "+".join(found) or "copy"

    @guarded
    def operation(self, node):
        """The name, as `explain` prints it."""
        if not node:
            raise Broken("no operation")
        kind = self.names.get("node_kind", {}).get(self.get(node, "Node.kind", "<B"))
        if kind == "reduce":
            number = self.get(node, "Node.reduction", "<H")
            return self.names.get("reduction", {}).get(number, f"<reduction {number}>")
        if kind == "library":
            return self.text(self.get(self.get(node, "Node.library"), "kernel_op.name"))
        if kind == "pointwise":
            return self.program_text(self.get(node, "Node.code"))
        raise Broken("an unknown kind of operation")

    @guarded
    def error(self, thrown):
        """An exception's type, and its text where it is a std::runtime_error of libstdc++."""
        if not thrown:
            raise Broken("no exception")
        found = re.match(r"vtable for (?:.*::)?(\w+)", self.memory.symbol_at(self.pointer(thrown)) or "")
        if not found:
            return f"exception at {thrown:#x}"
        if not found[1].endswith(("Error", "runtime_error")):
            return found[1]
        try:
            return f"{found[1]}: {self.text(self.pointer(thrown + 8))}"
        except Broken:
            return found[1]

    @guarded
    def state(self, version, geometry=None, dtype=None):
        """Pending, ready or failed, and what belongs to that."""
        state = self.get(version, "Version.state", "<B")
        name = self.names.get("version_state", {}).get(state)
        if name == "pending":
            return f"pending: {self.operation(self.get(version, 'Version.producer'))}"
        if name == "failed":
            return f"failed: {self.error(self.get(version, 'Version.error'))}"
        if name == "ready":
            elements = self.elements(version, geometry, dtype) if geometry else ""
            return f"ready: {elements}" if elements else "ready"
        raise Broken(f"state {state}")

    @guarded
    def tensor(self, impl):
        """What a Tensor points to."""
        if not impl:
            return "undefined"
        dtype = self.dtype(self.get(impl, "TensorImpl.dtype", "<b"))
        shape = self.get(impl, "TensorImpl.shape")
        device = self.place_name(self.get(impl, "TensorImpl.device", "<b"))
        return f"{dtype} {self.geometry(shape)} on {device}, {self.of_storage(impl, shape, dtype)}"

    @guarded
    def of_storage(self, impl, shape, dtype):
        storage = self.get(impl, "TensorImpl.storage")
        if not storage:
            raise Broken("no storage")
        version = self.get(storage, "Storage.current")
        if not version:
            raise Broken("no version")
        return self.state(version, shape, dtype)

    @guarded
    def version(self, version):
        dtype = self.dtype(self.get(version, "Version.dtype", "<b"))
        numel = self.get(version, "Version.numel", "<q")
        device = self.place_name(self.get(version, "Version.device", "<b"))
        return f"{numel} of {dtype} on {device}, {self.state(version)}"

    @guarded
    def storage(self, storage):
        version = self.get(storage, "Storage.current")
        changes = self.get(storage, "Storage.version")
        external = ", external" if self.get(storage, "Storage.external", "<B") else ""
        return f"{self.version(version)}, {changes} changes{external}" if version else "no version"

    @guarded
    def edge(self, edge):
        value = self.get(edge, "Edge.value")
        what = self.version(value) if value else "indices"
        dtype = self.dtype(self.get(edge, "Edge.dtype", "<b"))
        return f"{what}; read as {dtype} {self.geometry(self.get(edge, 'Edge.shape'))}"

    @guarded
    def node(self, node):
        dtype = self.dtype(self.get(node, "Node.dtype", "<b"))
        device = self.place_name(self.get(node, "Node.device", "<b"))
        reads = self.pointer(self.place(node, "Node.sources") + 8)  # of a std::span the size
        text = f"{self.operation(node)} -> {dtype} {self.geometry(self.get(node, 'Node.shape'))} on {device}"
        text += f", reads {reads}"
        if self.get(node, "Node.has_base", "<B"):
            text += ", writes a part"
        if self.get(node, "Node.claimed", "<B"):
            text += ", claimed"
        return text

    @guarded
    def buffer(self, buffer):
        data, size = self.get(buffer, "buffer.data"), self.get(buffer, "buffer.bytes")
        return f"{size} bytes at {data:#x} on {self.place_name(self.get(buffer, 'buffer.device', '<b'))}"

    # ---- plans

    @guarded
    def kernel_step(self, kernel):
        extents = self.numbers(self.place(kernel, "kernel_step.extents"), "<q")
        nodes = self.numbers(self.place(kernel, "kernel_step.nodes"), "<i", 1 << 20)
        operands = self.count(kernel, "kernel_step.operands", "operand_binding")
        return (f"kernel over [{', '.join(map(str, extents))}] of {joined(f'%{n}' for n in nodes) or 'a copy'}, "
                f"{operands} operands, {self.get(kernel, 'kernel_step.bytes', '<q')} bytes")

    def count(self, address, field, element):
        return self.vector(self.place(address, field), self.table[element + ".size"])[1]

    def optional_kernel(self, step, field):
        """The address of a kernel that a std::optional holds, or None. Its flag follows the kernel."""
        at = self.place(step, f"plan_step.{field}")
        return at if self.read(at + self.table["kernel_step.size"], 1) != b"\0" else None

    @guarded
    def plan_step(self, step):
        parts = []
        before, kernel = self.optional_kernel(step, "before"), self.optional_kernel(step, "kernel")
        library = self.get(step, "plan_step.library", "<i")
        if before:
            parts.append(self.kernel_step(before))
        if library >= 0:
            bias = " with bias" if self.get(step, "plan_step.bias", "<i") >= 0 else ""
            parts.append(f"library node %{library}{bias}")
        if kernel:
            parts.append(self.kernel_step(kernel))
        return " + ".join(parts) or "an empty step"

    @guarded
    def plan(self, plan):
        begin, steps = self.vector(self.place(plan, "planned.steps"), self.table["plan_step.size"])
        size = self.table["plan_step.size"]
        shown = joined((self.plan_step(begin + i * size) for i in range(min(steps, MOST_ELEMENTS + 1))))
        return (f"{steps} steps over {self.get(plan, 'planned.values', '<i')} values, "
                f"{self.count(plan, 'planned.temporaries', 'temporary')} temporaries, "
                f"{self.count(plan, 'planned.cuts', 'cut_record')} cuts" + (f": {shown}" if steps else ""))

    # ---- pointers

    @guarded
    def pointee(self, name, pointer):
        """What an intrusive_ptr points to, for the types that are known here."""
        plain = name.split("::")[-1]
        read = {"TensorImpl": self.tensor, "Version": self.version, "Storage": self.storage,
                "geometry": self.geometry, "buffer": self.buffer}.get(plain)
        if not read:
            return ""
        references = self.get(pointer, plain + ".references", "<I")
        return f"{references} references: {read(pointer)}"


# ---- values of a program's types

@guarded
def tensor(memory, value):
    impl = value.field("impl_").field("p_").integer()
    return Inside(memory).tensor(impl) if impl else "undefined"


@guarded
def pointer(memory, value):
    p = value.field("p_").integer()
    if not p:
        return "null"
    known = Inside(memory).pointee(value.arguments()[0].name(), p)
    return f"{p:#x}" + (f", {known}" if known else "")


@guarded
def scalar(memory, value):
    kind = value.field("kind_").enumerator()
    if kind == "floating":
        number = f"{value.field('d_').real():.15g}"
    elif kind == "complex":
        number = f"({value.field('d_').real():.15g},{value.field('imag_').real():.15g})"
    elif kind == "boolean":
        number = "true" if value.field("i_").integer() else "false"
    elif kind == "integral":
        number = str(value.field("i_").integer())
    else:
        raise Broken(f"kind {kind}")
    return f"{number} ({kind})"


@guarded
def scalar_type(memory, value):
    return value.enumerator()


@guarded
def type_meta(memory, value):
    return value.field("type_").enumerator()


@guarded
def device(memory, value):
    index = value.field("index_").integer()
    return value.field("type_").enumerator().lower() + (f":{index}" if index >= 0 else "")


@guarded
def array_ref(memory, value):
    size, data = value.field("size_").integer(), value.field("data_").integer()
    element = value.arguments()[0]
    if size and not data:
        raise Broken(f"{size} elements at no address")
    if size >= 1 << 40:
        raise Broken(f"{size} elements")
    shown = []
    for i in range(min(size, 32)):
        shown.append(describe(memory, element.at(data, i)))
        if shown[-1].startswith("<cannot be read"):
            break
    return f"[{', '.join(shown)}{', ...' if len(shown) < size else ''}]"


@guarded
def optional_list(memory, value):
    return array_ref(memory, value.field("list_")) if value.field("has_value_").integer() else "none"


@guarded
def optional(memory, value):
    # As libstdc++ and libc++ have it: the value, then whether there is one.
    held, at = value.arguments()[0], value.address()
    if at is None:
        raise Broken("in a register")
    there = memory.read(at + held.size(), 1)[0]
    return describe(memory, held.at(at, 0)) if there else "none"


def inside(method):
    @guarded
    def of_value(memory, value):
        at = value.address()
        if at is None:
            raise Broken("in a register")
        return getattr(Inside(memory), method)(at)
    return of_value


# lldb leaves the inline namespace out, and its regular expressions have no (?:...).
V1 = r"sinter::(v1::)?"
# (name of the printer, regular expression of types' names, text of a value)
PRINTERS = [
    ("Tensor", f"^{V1}Tensor$", tensor),
    ("Scalar", f"^{V1}Scalar$", scalar),
    ("ScalarType", f"^{V1}ScalarType$", scalar_type),
    ("TypeMeta", f"^{V1}TypeMeta$", type_meta),
    ("Device", f"^{V1}Device$", device),
    ("ArrayRef", f"^{V1}ArrayRef<.*>$", array_ref),
    ("OptionalIntArrayRef", f"^{V1}OptionalIntArrayRef$", optional_list),
    ("optional", f"^std::(__1::)?optional<{V1}.*>$", optional),
    ("intrusive_ptr", f"^{V1}intrusive_ptr<.*>$", pointer),
    ("TensorImpl", f"^{V1}TensorImpl$", inside("tensor")),
    ("Storage", f"^{V1}Storage$", inside("storage")),
    ("Version", f"^{V1}Version$", inside("version")),
    ("Edge", f"^{V1}Edge$", inside("edge")),
    ("Node", f"^{V1}Node$", inside("node")),
    ("geometry", f"^{V1}geometry$", inside("geometry")),
    ("plan", r"^sinter::plan::plan$", inside("plan")),
    ("plan_step", r"^sinter::plan::plan_step$", inside("plan_step")),
    ("kernel_step", r"^sinter::plan::kernel_step$", inside("kernel_step")),
]


def printer_of(name):
    for _, pattern, text in PRINTERS:
        if re.match(pattern, name):
            return text
    return None


@guarded
def describe(memory, value):
    """The text of a value of a type that is known here, or of a number."""
    text = printer_of(value.name())
    return text(memory, value) if text else str(value.plain())

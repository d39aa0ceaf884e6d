"""Sinter's types in gdb: `source /usr/share/sinter/sinter_gdb.py`, or as CONTRIBUTING.md says.

The texts come from sinter_debug.py; this file reads memory and values for it.
"""
import os
import sys

import gdb
import gdb.printing
import gdb.types

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sinter_debug  # noqa: E402


class Memory:
    def read(self, address, size):
        return gdb.selected_inferior().read_memory(address, size).tobytes()

    def symbol(self, name):
        try:
            return int(gdb.parse_and_eval(f"(unsigned long)&{name}"))
        except gdb.error:
            return None

    def symbol_at(self, address):
        try:
            return gdb.execute(f"info symbol {address:#x}", to_string=True)
        except gdb.error:
            return ""


class Value:
    """A gdb.Value; without one, its type alone."""

    def __init__(self, value, type=None):
        self.value = value
        self.type = gdb.types.get_basic_type(value.type if type is None else type)

    def name(self):
        return self.type.name or str(self.type)

    def arguments(self):
        found = []
        for i in range(8):
            try:
                found.append(Value(None, self.type.template_argument(i)))
            except (RuntimeError, gdb.error):
                break
        return found

    def size(self):
        return self.type.sizeof

    def field(self, name):
        return Value(self.value[name])

    def integer(self):
        return int(self.value)

    def real(self):
        return float(self.value)

    def enumerator(self):
        number = int(self.value)
        for f in self.type.fields():
            if f.enumval == number:
                return f.name.split("::")[-1]
        return f"<{number}>"

    def address(self):
        return None if self.value.address is None else int(self.value.address)

    def at(self, address, index):
        pointer = gdb.Value(address + index * self.type.sizeof).cast(self.type.pointer())
        return Value(pointer.dereference())

    def plain(self):
        return self.value.format_string(raw=True)


class Printer:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return sinter_debug.describe(Memory(), Value(self.value))


def register(objfile=None):
    """Adds the printers; to the library alone where its file is given."""
    printers = gdb.printing.RegexpCollectionPrettyPrinter("sinter")
    for name, pattern, _ in sinter_debug.PRINTERS:
        printers.add_printer(name, pattern, Printer)
    gdb.printing.register_pretty_printer(objfile, printers, replace=True)


if __name__ == "__main__":  # sourced
    register()

"""Sinter's types in lldb: `command script import /usr/share/sinter/sinter_lldb.py`.

The texts come from sinter_debug.py; this file reads memory and values for it.
"""
import os
import sys

import lldb

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sinter_debug  # noqa: E402


class Memory:
    def __init__(self, value):
        self.target = value.GetTarget()
        self.process = value.GetProcess()

    def read(self, address, size):
        error = lldb.SBError()
        # Constants can be read from the library's file before there is a process.
        found = self.process.ReadMemory(address, size, error) if self.process.IsValid() else None
        if found is None or error.Fail():
            raise sinter_debug.Broken(f"no memory at {address:#x}")
        return found

    def symbol(self, name):
        for context in self.target.FindSymbols(name):
            address = context.symbol.GetStartAddress().GetLoadAddress(self.target)
            if address != lldb.LLDB_INVALID_ADDRESS:
                return address
        return None

    def symbol_at(self, address):
        return self.target.ResolveLoadAddress(address).GetSymbol().GetName() or ""


class Value:
    """An SBValue, of which no formatter is asked; without one, its type alone."""

    def __init__(self, value, target=None, type=None):
        self.value = None if value is None else value.GetNonSyntheticValue()
        self.target = value.GetTarget() if target is None else target
        found = value.GetType() if type is None else type
        if found.IsReferenceType():
            found = found.GetDereferencedType()
            self.value = None if value is None else self.value.Dereference()
        self.type = found.GetCanonicalType().GetUnqualifiedType()

    def name(self):
        return self.type.GetName()

    def arguments(self):
        return [Value(None, self.target, self.type.GetTemplateArgumentType(i))
                for i in range(self.type.GetNumberOfTemplateArguments())]

    def size(self):
        return self.type.GetByteSize()

    def field(self, name):
        found = self.value.GetChildMemberWithName(name)
        if not found.IsValid():
            raise sinter_debug.Broken(f"no field {name}")
        return Value(found)

    def checked(self, found, error):
        if error.Fail():
            raise RuntimeError(str(error))
        return found

    def integer(self):
        error = lldb.SBError()
        if self.type.GetTypeFlags() & lldb.eTypeIsSigned:
            return self.checked(self.value.GetValueAsSigned(error, 0), error)
        return self.checked(self.value.GetValueAsUnsigned(error, 0), error)

    def real(self):
        error = lldb.SBError()
        return self.checked(self.value.GetData().GetDouble(error, 0), error)

    def enumerator(self):
        return str(self.value.GetValue()).split("::")[-1]

    def address(self):
        at = self.value.GetLoadAddress()
        return None if at == lldb.LLDB_INVALID_ADDRESS else at

    def at(self, address, index):
        place = lldb.SBAddress(address + index * self.size(), self.target)
        return Value(self.target.CreateValueFromAddress("element", place, self.type))

    def plain(self):
        text = self.value.GetValue() or self.value.GetSummary()
        if self.value.GetError().Fail():
            raise RuntimeError(str(self.value.GetError()))
        return text or "{...}"


def summary(value, _dictionary, _options=None):
    return sinter_debug.describe(Memory(value), Value(value))


def __lldb_init_module(debugger, _dictionary):
    for _, pattern, _ in sinter_debug.PRINTERS:
        debugger.HandleCommand(f'type summary add --no-value -w sinter -F {__name__}.summary -x "{pattern}"')
    debugger.HandleCommand("type category enable sinter")

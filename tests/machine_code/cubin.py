"""Reads the machine code of NVIDIA's GPUs from sm_70 on: what each kernel of a cubin holds of instructions whose number
says how fast it can be.

An instruction has 16 bytes. Its lowest 12 bits name it. A load of global memory names one of six scoreboards (bits 110
to 112), and an instruction that needs its result waits for that (bits 116 to 121, one each); bits 73 to 75 say how much
it loads. None of this is documented; the numbers were compared with those of nvdisasm
13.5, 2,149 for sm_90 and 500 for sm_80 and sm_100, and all were equal.
"""

import struct

LOADED = (1, 1, 2, 2, 4, 8, 16)  # bytes: U8, S8, U16, S16, 32, 64, 128
DOUBLE = (0x028, 0x029, 0x02A, 0x02B)  # DMUL, DADD, DSETP, DFMA, in any form of operands
THREADS_ATTRIBUTE, REGISTERS_ATTRIBUTE = 0x05, 0x2F


def sections(data):
    """Yields the name and the bytes of each section of an ELF file."""
    (table,) = struct.unpack_from("<Q", data, 0x28)
    count, names = struct.unpack_from("<HH", data, 0x3C)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, table + 64 * i) for i in range(count)]
    texts = headers[names][4]
    for h in headers:
        empty = h[1] == 8  # NOBITS: memory that is not in the file
        yield data[texts + h[0]:data.index(b"\0", texts + h[0])].decode(), b"" if empty else data[h[4]:h[4] + h[5]]


def attributes(info):
    """Yields the number and the bytes of each attribute of a section .nv.info that has some."""
    at = 0
    while at < len(info):
        form, attribute, size = struct.unpack_from("<BBH", info, at)
        at += 4
        if form == 4:  # of the others the value is the size
            yield attribute, info[at:at + size]
            at += size


def registers(parts):
    """Returns the registers of a thread, by kernel."""
    texts = parts[".strtab"]
    symbols = [texts[s:texts.index(b"\0", s)].decode() for (s,) in struct.iter_unpack("<I20x", parts[".symtab"])]
    pairs = [struct.unpack("<II", b) for a, b in attributes(parts[".nv.info"]) if a == REGISTERS_ATTRIBUTE]
    return {symbols[symbol]: number for symbol, number in pairs}


def block(parts, kernel):
    """Returns the most threads of a block: the launch bounds."""
    for attribute, value in attributes(parts[".nv.info." + kernel]):
        if attribute == THREADS_ATTRIBUTE:
            return struct.unpack_from("<I", value)[0]
    return 1024


def kernels(data):
    """Returns what each kernel of a cubin holds. `double` counts instructions that every element runs: not those which
    a branch passes between BSSY and BSYNC, where threads part and meet again."""
    parts = dict(sections(data))
    of = registers(parts)
    found = {}
    for name, code in parts.items():
        if not name.startswith(".text."):
            continue
        name = name[len(".text."):]
        kernel = {"registers": of[name], "block": block(parts, name), "instructions": 0, "loaded": 0, "local": 0, "double": 0, "barriers": 0}
        under_way = {}  # bytes, by scoreboard
        passed = []  # whether a branch goes past, by open BSSY
        for low, high in struct.iter_unpack("<QQ", code):
            for board in range(6):
                if high >> (52 + board) & 1:
                    under_way.pop(board, None)
            operation = low & 0xFFF
            if operation == 0x981:  # LDG
                board = high >> 46 & 7
                under_way[board] = under_way.get(board, 0) + LOADED[high >> 9 & 7]
                kernel["loaded"] = max(kernel["loaded"], sum(under_way.values()))
            kernel["instructions"] += 1
            kernel["local"] += operation in (0x983, 0x387)  # LDL, STL: registers that are spilled
            if operation == 0x945:  # BSSY
                passed.append(False)
            elif operation == 0x941 and passed:  # BSYNC
                passed.pop()
            elif operation == 0x947 and passed and low >> 12 & 15 != 7:  # BRA under a predicate
                passed[-1] = True
            kernel["double"] += operation & 0x1FF in DOUBLE and not any(passed)
            kernel["barriers"] += operation == 0xB1D
        found[name] = kernel
    return found

#!/usr/bin/env python3
"""Fails where a layer of the library needs one above it.

    tests/layers/check.py                      what files include
    tests/layers/check.py --objects DIR        and what the objects of a build need of each other

A file may include its own layer and those behind it in LAYERS; within a layer, folders keep the order
of FOLDERS, where one is given. A file of another folder may be included only if the README of its folder
names it: what is not named is private. No folder has more than MOST source files. A text of kernels (.cuh)
is in another one, or it is embedded in the library and compiled by a test. One file reads the environment.
"""
import os
import re
import subprocess
import sys

LAYERS = ["ops", "engine", "kernels", "jit", "runtime"]
FOLDERS = {
    "engine": ["frames", "run", "run/steps", "run/library", "run/executable", "run/results", "measure", "recordings", "plan", "graph", "watch"],
    "jit": ["launch/gpu", "interpret", "launch", "cache", "stored", "codegen/llvm", "codegen/c_like",
            "codegen/c_like/prelude", "codegen", "simd", "kernel_ir/rows", "kernel_ir", ""],
    "kernels": ["lapack", "linalg", "gpu_linalg", "fft", "index", "scan", "special", "histogram", "random", "sort", "slices", "gpu", ""],
    "runtime": ["strided", "threads", "device", "memory", "report", "types", "base"],
}
MOST = 30
ENVIRONMENT = "runtime/base/environment.cpp"
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def sources(of=LAYERS):
    for layer in of:
        for folder, _, files in os.walk(os.path.join(ROOT, layer)):
            for file in files:
                if file.endswith((".cpp", ".hpp", ".inc", ".def", ".cuh")):
                    yield os.path.relpath(os.path.join(folder, file), ROOT)


def rank(path):
    """Larger is deeper; one that has no place in the order of its layer is None there."""
    layer, rest = path.split("/", 1)
    folder = os.path.dirname(rest)
    order = FOLDERS.get(layer, [])
    return LAYERS.index(layer), order.index(folder) if folder in order else None


def check_includes():
    found = []
    for file in sources():
        layer, place = rank(file)
        with open(os.path.join(ROOT, file), encoding="utf-8") as text:
            lines = text.read().split("\n")
        for number, line in enumerate(lines, 1):
            match = re.match(r'#include "((?:%s)/[^"]+)"' % "|".join(LAYERS), line)
            if not match:
                continue
            other_layer, other_place = rank(match[1])
            up = other_layer < layer
            if other_layer == layer and place is not None and other_place is not None:
                up = other_place < place
            if up:
                found.append(f"{file}:{number}: includes {match[1]}, which is above it")
    return found


def check_private():
    readmes = {}

    def readme(folder):
        path = os.path.join(ROOT, folder, "README.md")
        if folder not in readmes:
            readmes[folder] = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
        return readmes[folder]

    found = set()
    for file in sources():
        with open(os.path.join(ROOT, file), encoding="utf-8") as text:
            included = re.findall(r'#include "((?:%s)/[^"]+\.hpp)"' % "|".join(LAYERS), text.read())
        for header in included:
            folder, name = os.path.split(header)
            if folder != os.path.dirname(file) and not re.search(rf"\b{re.escape(name)}", readme(folder)):
                found.add(f"{file}: includes {header}, which {folder}/README.md does not name")
    return sorted(found)


def check_sizes():
    count = {}
    for file in sources(LAYERS + ["include", "tests", "tools", "bench", "examples"]):
        folder = os.path.dirname(file)
        count[folder] = count.get(folder, 0) + 1
    return [f"{folder}: {n} source files, more than {MOST}"
            for folder, n in sorted(count.items()) if n > MOST]


def check_environment():
    found = []
    for file in sources(LAYERS + ["include"]):
        with open(os.path.join(ROOT, file), encoding="utf-8") as text:
            for number, line in enumerate(text, 1):
                if file != ENVIRONMENT and re.search(r"\b(secure_)?getenv\b|\benviron\b", line):
                    found.append(f"{file}:{number}: reads the environment, as only {ENVIRONMENT} may")
    return found


def check_texts():
    """Every .cuh reaches the library, and those with kernels a test."""
    def read(path):
        with open(os.path.join(ROOT, path), encoding="utf-8") as text:
            return text.read()

    files = [file for file in sources() if file.endswith(".cuh")]
    included = {name for file in files for name in re.findall(r'#include "([^"]+)"', read(file))}
    test = read("tests/jit/codegen/c_like/kernel_source_test.cpp")
    found = []
    for file in set(files) - included:
        layer, path = file.split("/", 1)
        if path not in read(f"{layer}/CMakeLists.txt").split("sinter_embed(")[-1]:
            found.append(f"{file}: neither embedded by {layer}/CMakeLists.txt nor included")
        name = "_".join(path[:-len(".cuh")].split("/")[-2:])
        if "__global__" in read(file) and not re.search(rf"embedded::{name}\b", test):
            found.append(f"{file}: not compiled by tests/jit/codegen/c_like/kernel_source_test.cpp")
        if "__global__" in read(file) and f'"{name}"' not in read("ops/cache/build/sources.cpp"):
            found.append(f"{file}: not in ops/cache/build/sources.cpp, so recordings of it cannot be built")
    return sorted(found)


def check_objects(build):
    """What an object does not define is defined in its layer, or in one behind it. Folders of the engine
    keep their order as well: the graph, which only records, needs nothing that runs."""
    parts = {"sinter_ir": "jit", "sinter_block": "jit", **{"sinter_" + layer: layer for layer in LAYERS}}
    defined, needed = {}, []
    for folder, _, files in os.walk(build):
        match = re.search(r"/(sinter_\w+)\.dir(/|$)", folder)
        if not match or match[1] not in parts:
            continue
        layer = parts[match[1]]
        for file in files:
            if not file.endswith(".o"):
                continue
            path = os.path.join(folder, file)
            at = place_of(layer, path)
            for line in subprocess.run(["nm", "-C", path], capture_output=True, text=True, check=True).stdout.split("\n"):
                match = re.match(r"(?:[0-9a-f]+)? +([A-Za-z]) (.*)", line)
                if match and match[1] == "U":
                    needed.append((at, match[2], file))
                elif match and match[1] in "TDBR":
                    defined[match[2]] = at
    if not defined:
        return [f"{build}: no objects of the library here"]

    def above(one, other):
        if one[0] != other[0]:
            return LAYERS.index(one[0]) < LAYERS.index(other[0])
        order = FOLDERS.get(one[0], [])
        return one[1] in order and other[1] in order and order.index(one[1]) < order.index(other[1])

    return sorted({f"{'/'.join(at)} needs {symbol}, of {'/'.join(defined[symbol])} ({file})"
                   for at, symbol, file in needed if symbol in defined and above(defined[symbol], at)})


def place_of(layer, path):
    """The layer and the folder of an object; files of the engine are compiled together by folder."""
    together = re.search(r"/unity_engine_([a-z_]+?)_\d+_", path)
    return layer, together[1].replace("_", "/") if together else ""


def main(arguments):
    found = check_includes() + check_private() + check_sizes() + check_environment() + check_texts()
    if arguments[:1] == ["--objects"]:
        found += check_objects(arguments[1])
    print("\n".join(found) if found else "each layer needs only those behind it")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

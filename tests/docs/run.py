#!/usr/bin/env python3
"""Compiles and runs each block of C++ in README.md and docs/*.md.

    run.py SOURCE_FOLDER LIBRARY COMPILER

A block with `main` is a program. The others of a page are functions of one program, each in a scope of
its own. What a block takes for granted stands in a comment above it, which is not shown:

    <!-- given:
    Tensor x = rand({8});
    -->

A block that is not C++ is fenced without `cpp`, or indented.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"(?:<!-- given:\n(?P<given>.*?)\n-->\n)?^```cpp\n(?P<code>.*?)^```$", re.M | re.S)
INCLUDE = re.compile(r"^#include .*\n", re.M)


def programs(page):
    """The sources that a page becomes, each with the line of its first block."""
    functions, includes, first = [], "", None
    for block in BLOCK.finditer(page):
        line = page.count("\n", 0, block.start("code")) + 1
        code = block["code"]
        if re.search(r"\bint main\(", code):
            yield line, code
            continue
        first = first or line
        includes += "".join(INCLUDE.findall(code))
        body = f'#line {line} "block"\n' + INCLUDE.sub("\n", code)
        functions.append(f"void block_{line}() {{\n{block['given'] or ''}\n{body}}}\n")
    if functions:
        calls = "".join(f"    {f.split('(')[0][5:]}();\n" for f in functions)
        yield first, (f"#include <sinter/sinter.hpp>\n#include <sinter/optim.hpp>\n{includes}#include <fstream>\n"
                      f"#include <iostream>\n#include <vector>\n\nusing namespace sinter;\n\nnamespace {{\n"
                      + "".join(functions) + "}\n\nint main() {\n" + calls + "}\n")


def main():
    source, library, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    status, count = 0, 0
    for path in [source / "README.md", *sorted((source / "docs").glob("*.md"))]:
        page = path.read_text()
        count += len(BLOCK.findall(page))
        for line, text in programs(page):
            with tempfile.TemporaryDirectory() as folder:
                (pathlib.Path(folder) / "block.cpp").write_text(text)
                build = [compiler, "-std=c++20", "-w", f"-I{source / 'include'}", "block.cpp", "-o", "block",
                         str(library), f"-Wl,-rpath,{library.parent}"]
                for command in build, ["./block"]:
                    done = subprocess.run(command, cwd=folder, capture_output=True, text=True,
                                          env=os.environ | {"SINTER_CACHE_DIR": folder})
                    if done.returncode != 0:
                        print(f"{path.name}:{line}: {' '.join(command[:1])} failed\n{done.stdout}{done.stderr}{text}")
                        status = 1
                        break
    if count < 15:
        print(f"only {count} blocks were found")
        status = 1
    print(f"{count} blocks of C++")
    return status


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Compiles and runs each block of C++ in README.md, docs/*.md and docs/tutorials/*.md.

    run.py SOURCE_FOLDER LIBRARY COMPILER

A block with `main` is a program. The others of a page are one program, in reading order: each in a scope of
its own, or, on the pages of docs/tutorials/, all in one scope, so that a block uses the names of those before
it. What a block takes for granted stands in a comment above it, which is not shown:

    <!-- given:
    Tensor x = rand({8});
    -->

What a block writes to std::cout may follow it, in a block fenced with `text`, below one line that has the word
"prints". It is compared line by line; only spaces at the ends of lines do not count:

    ```cpp
    std::cout << 6 * 7 << "\\n";
    ```

    prints

    ```text
    42
    ```

A `text` block in any other place is an error. A block that is neither C++ nor compared is fenced without
these words, or indented.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"(?:<!-- given:\n(?P<given>.*?)\n-->\n)?^```cpp\n(?P<code>.*?)^```$"
                   r"(?:\n+[^\n]*\bprints\b[^\n]*\n+```text\n(?P<prints>.*?)^```$)?", re.M | re.S)
INCLUDE = re.compile(r"^#include .*\n", re.M)
FEWEST_BLOCKS = 60
MARK = "\x1e"  # written after each block


def line_of(page, block, group):
    return page.count("\n", 0, block.start(group)) + 1


def programs(name, page, one_scope):
    """The programs that a page becomes: the text of each, and its blocks."""
    blocks, includes, body = [], "", ""
    for block in BLOCK.finditer(page):
        code = block["code"]
        if re.search(r"\bint main\(", code):
            yield code, [block]
            continue
        blocks.append(block)
        includes += "".join(INCLUDE.findall(code))
        text = f'{block["given"] or ""}\n#line {line_of(page, block, "code")} "{name}"\n' + INCLUDE.sub("\n", code)
        body += (text if one_scope else f"{{\n{text}}}\n") + f'std::cout << "\\x{ord(MARK):x}";\n'
    if blocks:
        yield (f"#include <sinter/sinter.hpp>\n#include <sinter/optim.hpp>\n{includes}#include <fstream>\n"
               f"#include <iostream>\n#include <vector>\n\nusing namespace sinter;\n\nint main() {{\n{body}}}\n"), blocks


def run(text, source, library, compiler):
    """What a program writes to std::cout, and what went wrong, if anything did."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "block.cpp").write_text(text)
        build = [compiler, "-std=c++20", "-w", f"-I{source / 'include'}", "block.cpp", "-o", "block",
                 str(library), f"-Wl,-rpath,{library.parent}"]
        for command in build, ["./block"]:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True,
                                  env=os.environ | {"SINTER_CACHE_DIR": folder})
            if done.returncode != 0:
                return "", f"{command[0]} failed\n{done.stdout}{done.stderr}"
        return done.stdout, ""


def trimmed(text):
    return [line.rstrip() for line in text.splitlines()]


def problems(name, page, one_scope, tools):
    """What is wrong with a page, each with its line."""
    if page.count("\n```text\n") != sum(block["prints"] is not None for block in BLOCK.finditer(page)):
        yield 1, "a block of `text` does not follow a block of C++ and a line with the word prints"
    for text, blocks in programs(name, page, one_scope):
        output, failure = run(text, *tools)
        if failure:
            yield line_of(page, blocks[0], "code"), failure
            continue
        for block, actual in zip(blocks, output.split(MARK)):
            if block["prints"] is not None and trimmed(block["prints"]) != trimmed(actual):
                yield line_of(page, block, "prints"), f"expected\n{block['prints']}actual\n{actual}"


def main():
    source, library = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    status, count, compared = 0, 0, 0
    tutorials = source / "docs" / "tutorials"
    for path in [source / "README.md", *sorted((source / "docs").glob("*.md")), *sorted(tutorials.glob("*.md"))]:
        page = path.read_text()
        blocks = list(BLOCK.finditer(page))
        count += len(blocks)
        compared += sum(block["prints"] is not None for block in blocks)
        for line, problem in problems(path.name, page, path.parent == tutorials, (source, library, sys.argv[3])):
            print(f"{path.relative_to(source)}:{line}: {problem}")
            status = 1
    if count < FEWEST_BLOCKS:
        print(f"only {count} blocks were found")
        status = 1
    print(f"{count} blocks of C++, {compared} outputs compared")
    return status


if __name__ == "__main__":
    sys.exit(main())

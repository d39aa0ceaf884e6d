#!/usr/bin/env python3
"""Rewrites a public header or a page for Doxygen, which calls this for each and reads standard output.

Doxygen does not read `namespace sinter::inline v1`, and takes only macros from what a header includes.
This script completes each function's comment (declarations.py), makes the comment at a header's top the
description of its module, and puts what stands in namespace sinter there.
"""

import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True

import declarations


def header(path):
    lines, _ = declarations.read_header(path, declarations.documented)
    top = 0
    while lines[top].startswith("//"):
        top += 1
    # One module for each header, of what stands in namespace sinter; other namespaces have pages of
    # their own. Macros stay outside: Doxygen would want a comment for each.
    name = "_".join(path.parts[path.parts.index("sinter") + 1:]).replace(".hpp", "")
    begin, end = f"\n/// \\addtogroup {name}\n///@{{\n", "///@}"
    out = [f"/// \\defgroup {name} {path.name}"] + ["/" + line for line in lines[:top]]
    inside, in_body, in_macro, before = [], False, False, ""
    opened_at = 0
    for number, line in enumerate(lines[top:]):
        opened = declarations.OPENS.match(line)
        closed = line.startswith("}  // namespace") or (line == "}" and number == opened_at + 2)
        in_module = inside == ["sinter::inline v1"]
        starts_body = re.match(r"[^\s/#}].*\{$", line) and not opened
        in_body = not line.startswith("}") and (in_body or bool(starts_body))
        in_macro = in_macro or (in_module and not in_body and line.startswith("#define") and before[:3] != "///")
        if opened or closed:
            inside = inside + [opened[1]] if opened else inside[:-1]
            opened_at = number if opened else opened_at
            if in_module:
                out.append(end)
            out.append(line.replace("::inline v1", ""))
            if inside == ["sinter::inline v1"]:
                out.append(begin)
        elif in_macro:
            if not before.endswith("\\"):
                out.append(end)
            out.append(line)
            in_macro = line.endswith("\\")
            if not in_macro:
                out.append(begin)
        else:
            out.append(line)
        before = line
    return out


def link_pages(text, code=""):
    """Names of pages, `docs/name.md`, as links."""
    return re.sub(rf"{code}docs/(\w+)\.md{code}", r"[docs/\1.md](docs/\1.md)", text)


def code(span):
    """Code on one line; in double quotes if it holds a single one, which would end it."""
    text = span[0].replace("\n", " ")
    return f"`{text}`" if "'" in text else text


def page(text):
    """A page without what Doxygen cannot read: links to files that are no pages, code over two lines."""
    parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"(?<!!)\[([^\]]*)\]\((?!https?:|(?:\.\./|tutorials/)?\w+\.md\))[^)]*\)", r"\1", parts[i])
        paragraphs = re.split(r"(\n\s*\n)", parts[i])
        parts[i] = "".join(re.sub(r"`[^`]+`", code, link_pages(p, code="`")) for p in paragraphs)
    return "".join(parts)


def main():
    path = Path(sys.argv[1])
    if path.suffix == ".md":
        print(page(path.read_text()))
        return
    lines = header(path)
    # Doxygen is told to leave namespace std out; its pattern would leave sinter::std out, too.
    text = re.sub(r"^namespace std \{.*?^\}  // namespace std\n", "", "\n".join(lines) + "\n", flags=re.M | re.S)
    # Doxygen's links to members of a union without a name are dead.
    text = re.sub(r"^    union \{\n(.*?)^    \};\n", r"\1", text, flags=re.M | re.S)
    print(re.sub(r"^ *///.*", lambda comment: link_pages(comment[0]), text, flags=re.M))


main()

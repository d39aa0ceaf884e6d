#!/usr/bin/env python3
"""Runs a program in a debugger up to `look_here` and compares what is printed of its variables with
the comments in its source.

    run.py gdb|lldb DEBUGGER SCRIPT PROGRAM SOURCE
"""
import os
import re
import subprocess
import sys


def expectations(source):
    """(variable, pattern) of each `// NAME: TEXT`; in a text `...` stands for anything."""
    found = []
    with open(source, encoding="utf-8") as lines:
        for line in lines:
            match = re.match(r"\s+// (\w+): (.*)$", line)
            if match:
                text = re.escape(match[2]).replace("0xADDRESS", "0x[0-9a-f]+").replace(r"\.\.\.", ".*")
                found.append((match[1], text, match[2]))
    return found


def run(command):
    # Nothing of the machine's own settings, no downloads, and no compiler: its library is large.
    environment = dict(os.environ, SINTER_JIT="off", DEBUGINFOD_URLS="", HOME="/nonexistent", TERM="dumb")
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", timeout=300)
    return done.stdout


def why_not(kind, debugger):
    """Why there is nothing to test with, or an empty text."""
    if not debugger or debugger.endswith("NOTFOUND"):
        return f"no {kind}"
    if kind == "gdb":
        said = run([debugger, "-nx", "-batch", "-ex", "python print(6 * 7)", "-ex", "run", "/bin/true"])
        python, traced = "42" in said, "exited normally" in said
    else:
        said = run([debugger, "-x", "-b", "-o", "script print(6 * 7)", "-o", "settings set target.disable-aslr false",
                    "-o", "run", "/bin/true"])
        python, traced = "\n42" in said, "exited with status = 0" in said
    if not python:
        return f"this {kind} has no Python"
    return "" if traced else f"{kind} cannot trace a process here: {' '.join(said.split())[-300:]}"


def outputs(kind, debugger, script, program, names):
    """What is printed of each variable, and all that was said."""
    if kind == "gdb":
        command = [debugger, "-nx", "-batch", "-iex", "set auto-load off"]
        steps = ["set width 0", "set print elements 2000", f"source {script}", "break look_here", "run", "up"]
        for name in names:
            steps += [f"echo \\n@@ {name}\\n", f"print {name}"]
        for step in steps:
            command += ["-ex", step]
        said = run(command + [program])
        line = r"^\$\d+ = (?:\([^@\n]*\) @0x[0-9a-f]+: )?(.*)$"
    else:
        command = [debugger, "-x", "-b"]
        steps = ["settings set target.disable-aslr false", f"command script import {script}",
                 "breakpoint set --name look_here", "run", "frame select 1"]
        for name in names:
            steps += [f"script print('@@ {name}')", f"frame variable {name}"]
        for step in steps:
            command += ["-o", step]
        said = run(command + [program])
        line = r"^\(.*\) \w+ = (?:0x[0-9a-f]+ )?(.*)$"
    found = {}
    for piece in re.split(r"^@@ ", said, flags=re.MULTILINE)[1:]:
        name, _, rest = piece.partition("\n")
        shown = re.search(line, rest, flags=re.MULTILINE)
        found[name] = shown[1] if shown else rest.strip()
    return found, said


def main():
    kind, debugger, script, program, source = sys.argv[1:]
    why = why_not(kind, debugger)
    if why:
        print(f"[SKIP] {why}; its printers are not tested")
        return 0
    expected = expectations(source)
    if len(expected) < 10:
        print(f"{source} says of {len(expected)} variables what is printed, expected more")
        return 1
    found, said = outputs(kind, debugger, script, program, [name for name, _, _ in expected])
    failed = 0
    for name, pattern, text in expected:
        if not re.fullmatch(pattern, found.get(name, "")):
            failed += 1
            print(f"{name}: printed {found.get(name)!r}, expected {text!r}")
    if re.search(r"Traceback|Python Exception|error: .*\.py", said):
        failed += 1
        print("a printer threw")
    if failed:
        print(said[-6000:])
    print(f"{kind}, {os.path.basename(program)}: {len(expected) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

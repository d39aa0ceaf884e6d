#!/usr/bin/env python3
"""Fails where the documentation of a public function lacks one of five things:

    sizes      the sizes of operands and result
    errors     which error is thrown for what, or that it takes any tensor
    dtypes     the dtypes that it takes
    laziness   how it runs
    PyTorch    the name of its counterpart

The first two are in the function's comment, or in that of another of its forms, to which the reference
then refers. Dtypes and laziness come from docs/functions.md, which test_surface writes, and the name from
a rule; a comment may say them itself after "Dtypes:", "Runs:" or "PyTorch:" (or "libtorch:", "NumPy:").
Functions that are not about tensors (modes, threads, files, ...) need only the name; "PyTorch: none." is one.
"""

import sys

sys.dont_write_bytecode = True

import declarations
import rows


def lacking(function):
    """What the documentation of a function lacks."""
    facts, refers = declarations.facts(function), declarations.home(function) is not None
    known = declarations.documented(function)
    found = [] if {"PyTorch", "libtorch", "NumPy"} & set(facts) else ["PyTorch"]
    if function.on_tensors():
        if not (declarations.names_errors(known) or refers or function.name in declarations.ALWAYS_ANSWER):
            found.append("errors")
        if "Runs" not in facts:
            found.append("laziness")
    if function.row:
        if not (declarations.names_sizes(function.comment) or refers):
            found.append("sizes")
        if "Dtypes" not in facts:
            found.append("dtypes")
    return found


def main():
    functions = declarations.all_functions()
    others = rows.other_names()
    checked = [f for f in functions if f.on_tensors() or str(f) in others]
    problems = []
    for function in checked:
        found = lacking(function)
        if found:
            problems.append(f"{function.header}: {function} lacks {', '.join(sorted(found))}")
    documented = {str(f) for f in functions}
    problems += [f"{f.header}: {f} has no comment" for f in declarations.uncommented() if str(f) not in documented]
    declared = {f.row for f in functions}
    problems += [f"{name}: in docs/functions.md, but in no header" for name in rows.table_rows()
                 if name not in declared]
    print("\n".join(sorted(set(problems))) if problems else
          f"{len({str(f) for f in checked})} functions have sizes, errors, dtypes, laziness and a name in PyTorch")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Writes the reference values beside this file: thousands of calls, and what PyTorch gives.

Run by hand where PyTorch 2.x can be imported, and look at the difference before committing it:

    python3 -m venv /tmp/pt && /tmp/pt/bin/pip install torch numpy
    /tmp/pt/bin/python tests/golden/generate.py        # --all: all calls, twice as much to look at
    /tmp/pt/bin/python tests/golden/generate.py complex       # this file only

A line is `name argument... -> result ; result`. Operands are not stored: `f32[2,3]s5.7t` is made
by a formula that call.hpp and inputs.cpp have as well. Floats are bits in hexadecimal without the
zeros at the end, a complex number is two words, the real part first, and `(1,2)` as an argument;
`x*3` is three times x, `(3,1)+0` behind the sizes are strides and offset of a
view, `!IndexError` is a refusal, `~1e-6` the largest error allowed.

What Sinter does differently on purpose is left out here, each time with the rule of its own. A
dtype that PyTorch has no kernel for is left out as well: Sinter may compute it.
"""

import sys

import complex_numbers
import draws
import indexing
import linalg
import neural
import ordering
import parameters
import pointwise
import products
import reductions
import shapes
import special
from notation import File


# What of the calls is kept, so that the files stay small.
FILES = [("operands", pointwise.operands, 1), ("unary", pointwise.unary, 1),
         ("binary", pointwise.binary, 0.65), ("casts", pointwise.casts, 1),
         ("reductions", reductions.reductions, 0.55), ("shapes", shapes.shapes, 0.75),
         ("creation", shapes.creation, 1), ("indexing", indexing.indexing, 0.7),
         ("ordering", ordering.ordering, 0.55), ("parameters", parameters.parameters, 1),
         ("complex", complex_numbers.complex_numbers, 0.5),
         ("products", products.products, 1), ("linalg", linalg.linalg, 0.5),
         ("random", draws.draws, 0.5), ("special", special.special, 1),
         ("neural", neural.neural, 0.7)]


def main():
    wanted = [a for a in sys.argv[1:] if not a.startswith("-")]
    for name, fill, part in FILES:
        if wanted and name not in wanted:
            continue
        f = File(name + ".txt", 1 if "--all" in sys.argv else part)
        fill(f)
        f.write()


if __name__ == "__main__":
    main()

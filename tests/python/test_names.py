"""Each function of the library is in Python under PyTorch's name, unless python/tables.py says otherwise."""

import os
import re
import sys
import unittest
from pathlib import Path

import sinter

SOURCE = Path(os.environ.get("SINTER_SOURCE", Path(__file__).parents[2]))
sys.path += [str(SOURCE / "docs"), str(SOURCE / "python")]

import declarations  # noqa: E402
import rows  # noqa: E402
import tables  # noqa: E402

def found(path):
    """Whether `sinter` has what PyTorch calls by this path."""
    at = sinter
    for part in path.split(".")[1:]:
        at = getattr(at, part, None)
        if at is None:
            return False
    return True


class Names(unittest.TestCase):
    def test_functions(self):
        missing, count = set(), 0
        for function in declarations.all_functions():
            if not function.on_tensors() or function.name.startswith(("operator", "__")):
                continue
            if function.name in tables.C_PLUS_PLUS or function.name.endswith("_out"):
                continue
            name = re.fullmatch(r"`(torch\.[\w.]+)`", rows.pytorch_name(function.scope, function.name))
            if name:
                count += 1
                if not found(name[1]):
                    missing.add(name[1])
        self.assertEqual(sorted(missing), [])
        self.assertGreater(count, 1500)

    def test_what_is_left_out_exists(self):
        names = {function.name for function in declarations.all_functions()}
        for table in (tables.BY_HAND, tables.C_PLUS_PLUS, tables.PARTLY_LEFT_OUT, tables.ATTRIBUTES,
                      tables.SIZES_AS_ARGUMENTS, tables.TENSORS_AS_ARGUMENTS):
            self.assertEqual(sorted(name for name in table if name not in names), [])

    def test_version(self):
        text = (SOURCE / "python" / "pyproject.toml").read_text()
        self.assertIn(f'version = "{sinter.__version__}"', text)

    def test_documentation(self):
        self.assertIn("Returns `exp(x)`, element by element", sinter.exp.__doc__)
        self.assertIn("keepdim: bool = False", sinter.Tensor.sum.__doc__)


if __name__ == "__main__":
    unittest.main()

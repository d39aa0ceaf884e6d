"""PyTorch's tensors over expressions that are planned, fused and compiled when a value is read.

Names and semantics are PyTorch's. `explain(x)` shows the plan that reading `x` would run, `stats()` what was
run so far.
"""

import builtins as _builtins
import sys as _sys

from math import e, inf, nan, pi  # noqa: F401

from . import _core
from ._core import *  # noqa: F403
from ._functions import (as_tensor, asarray, einsum, enable_grad, fast_math, inference_mode, mode, no_grad,
                         set_grad_enabled, tensordot, unique, unique_consecutive)

__version__ = _core.__version__


def _name_modules(module, name):
    """Makes the modules of the extension importable: `import sinter.nn.functional as F`."""
    for key, value in vars(module).items():
        if isinstance(value, type(_sys)) and value.__name__.startswith("sinter._core."):
            full = f"{name}.{key}"
            _sys.modules[full] = value
            _name_modules(value, full)


_name_modules(_core, "sinter")

contiguous_format, preserve_format = memory_format.contiguous_format, memory_format.preserve_format  # noqa: F405
channels_last, channels_last_3d = memory_format.channels_last, memory_format.channels_last_3d  # noqa: F405
lazy, eager = Mode.lazy, Mode.eager  # noqa: F405
Tensor.unique, Tensor.unique_consecutive = unique, unique_consecutive  # noqa: F405
linalg.LinAlgError = LinAlgError  # noqa: F405

# `from sinter import *` leaves Python's own names alone, as PyTorch's does.
__all__ = [name for name in dir() if not name.startswith("_") and not hasattr(_builtins, name)]

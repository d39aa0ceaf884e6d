"""Functions whose results in Python depend on their arguments, and contexts."""

import contextlib as _contextlib

from . import _core


def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """Returns the distinct elements, or slices of `dim`; on demand also where each element is, and how often.

    Computes the tensor at the call, since the result's size depends on its values.
    """
    if dim is None:
        results = _core._unique2(input, sorted, return_inverse, return_counts)
    else:
        results = _core.unique_dim(input, dim, sorted, return_inverse, return_counts)
    return _asked_for(results, return_inverse, return_counts)


def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    """Returns the tensor without elements, or slices of `dim`, that repeat the one before. Computes it at the call."""
    return _asked_for(_core.unique_consecutive(input, return_inverse, return_counts, dim), return_inverse,
                      return_counts)


def _asked_for(results, return_inverse, return_counts):
    values, inverse, counts = results
    found = (values,) + (inverse,) * return_inverse + (counts,) * return_counts
    return found if len(found) > 1 else values


def einsum(equation, *operands):
    """Returns the sum of products that the equation names: `einsum("ij,jk->ik", a, b)`."""
    return _core._einsum(equation, list(operands[0] if len(operands) == 1 and not isinstance(operands[0], _core.Tensor)
                                        else operands))


def tensordot(a, b, dims=2):
    """Returns the sum of products over dimensions: the last ones of a and the first of b, or a list for each."""
    if isinstance(dims, int):
        dims = (list(range(a.ndim - dims, a.ndim)), list(range(dims)))
    return _core._tensordot(a, b, *dims)


def as_tensor(data, dtype=None, device=None):
    """Returns the data as a tensor: a tensor itself, an array's memory if the dtype is right, else a copy."""
    if hasattr(data, "__array_interface__"):
        data = _core.from_numpy(data)
    if not isinstance(data, _core.Tensor):
        data = _core.tensor(data, dtype=dtype)
    return data.to(device, dtype)


def asarray(obj, *, dtype=None, device=None, copy=None):
    """Returns the object as a tensor, as as_tensor(); `copy=True` copies always."""
    if not isinstance(obj, _core.Tensor) and not hasattr(obj, "__array_interface__") and hasattr(obj, "__dlpack__"):
        obj = _core.from_dlpack(obj)
    made = as_tensor(obj, dtype, device)
    return made.clone() if copy else made


class _Context(_contextlib.ContextDecorator):
    """A guard of the library, for a block or a function. Entered again, it makes another guard."""

    def __init__(self, make):
        self._make, self._open = make, []

    def __enter__(self):
        self._open.append(self._make())
        self._open[-1].__enter__()
        return self

    def __exit__(self, *error):
        self._open.pop().__exit__(*error)


def no_grad():
    """`with sinter.no_grad():`, or `@sinter.no_grad()`: records no gradients."""
    return _Context(lambda: _core._grad_mode(False))


def enable_grad():
    """`with sinter.enable_grad():`: records gradients, also within no_grad()."""
    return _Context(lambda: _core._grad_mode(True))


class set_grad_enabled:  # noqa: N801: PyTorch's name
    """Turns gradients on or off at once; as a context, until the block ends."""

    def __init__(self, mode):
        self._before = _core.is_grad_enabled()
        _core._set_grad_enabled(mode)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        _core._set_grad_enabled(self._before)


def inference_mode(mode=True):
    """`with sinter.inference_mode():`: makes tensors that gradients never see."""
    return _Context(lambda: _core._inference_mode(mode))


def mode(mode):
    """`with sinter.mode(sinter.eager):`: runs each operation at its call; sinter.lazy: when a value is read."""
    return _Context(lambda: _core._mode(mode))


def fast_math(fast=True):
    """`with sinter.fast_math():`: allows functions of up to 4 ULP, which are faster."""
    return _Context(lambda: _core._fast_math(fast))

"""A real NumPy, and a real PyTorch if there is one, share memory with Sinter, both ways.

    share.py BRIDGE.so
"""
import ctypes
import gc
import os
import sys
import tempfile

import numpy as np

b = ctypes.CDLL(sys.argv[1])
for name, result, arguments in [
    ("make", ctypes.c_void_p, [ctypes.c_int]), ("free", None, [ctypes.c_void_p]),
    ("free_on_thread", None, [ctypes.c_void_p]), ("export", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_int]),
    ("import", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_int]), ("add", None, [ctypes.c_void_p, ctypes.c_double]),
    ("refuses", ctypes.c_int, [ctypes.c_void_p]), ("sum", ctypes.c_double, [ctypes.c_void_p]),
    ("load", ctypes.c_int, [ctypes.c_char_p]), ("save", None, [ctypes.c_char_p, ctypes.c_int]),
]:
    f = getattr(b, "bridge_" + name)
    f.restype, f.argtypes = result, arguments
api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_IsValid.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
names = {0: b"dltensor", 1: b"dltensor_versioned"}
used = {0: b"used_dltensor", 1: b"used_dltensor_versioned"}
checks = 0


def check(condition, what):
    global checks
    checks += 1
    if not condition:
        sys.exit("FAILED: " + what)


class Sinter:
    """A tensor of the bridge, as the array API wants to see one."""

    def __init__(self, handle, versioned):
        self.handle, self.versioned = handle, versioned

    def __del__(self):
        b.bridge_free(self.handle)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        versioned = self.versioned if max_version else 0
        return api.PyCapsule_New(b.bridge_export(self.handle, versioned), names[versioned], None)

    def __dlpack_device__(self):
        return (1, 0)


def taken(array, versioned):
    """Sinter's tensor over another library's memory."""
    capsule = array.__dlpack__(max_version=(1, 0)) if versioned else array.__dlpack__()
    kind = 1 if api.PyCapsule_IsValid(capsule, names[1]) else 0
    check(kind == versioned, "the capsule is of the kind that was asked for")
    handle = b.bridge_import(api.PyCapsule_GetPointer(capsule, names[kind]), kind)
    if handle:
        kept = used[kind]
        api.PyCapsule_SetName(capsule, kept)
    return Sinter(handle, kind) if handle else None


def give(library, from_dlpack, versioned, to_numpy):
    x = Sinter(b.bridge_make(0), versioned)
    a = from_dlpack(x)
    n = to_numpy(a)
    check(n.shape == (2, 3) and str(n.dtype) == "float32", f"{library}: sizes and dtype")
    check((n == np.arange(6).reshape(2, 3)).all(), f"{library}: values of a pending tensor")
    b.bridge_add(x.handle, 10)
    check(n[0, 1] == 11, f"{library} sees a write in place")
    if n.flags.writeable:  # NumPy before 2.1 never writes what it imports
        a[1, 2] = 100
        check(b.bridge_sum(x.handle) == 10 + 11 + 12 + 13 + 14 + 100, f"Sinter sees {library}'s write")
    kept = n.copy()
    del x
    gc.collect()
    check((n == kept).all(), f"{library} keeps the memory")
    strided = Sinter(b.bridge_make(1), versioned)
    n = to_numpy(from_dlpack(strided))
    expected = np.arange(24).reshape(4, 6)[:, 1:6:2].T
    check(n.shape == (3, 4) and (n == expected).all(), f"{library}: a strided view")
    check(tuple(s // 8 for s in n.strides) == (2, 6), f"{library}: its strides")
    n = to_numpy(from_dlpack(Sinter(b.bridge_make(2), versioned)))
    check(n.shape == () and n == 2, f"{library}: no dimensions")
    check(to_numpy(from_dlpack(Sinter(b.bridge_make(3), versioned))).shape == (2, 0), f"{library}: no elements")
    check(to_numpy(from_dlpack(Sinter(b.bridge_make(5), versioned)))[3] == 1.5, f"{library}: halves")
    borrowed = Sinter(b.bridge_make(7), versioned)
    n = to_numpy(from_dlpack(borrowed))
    b.bridge_add(borrowed.handle, 1)
    check(n[0] == b.bridge_sum(borrowed.handle) - n[1] - n[2], f"{library}: memory of nobody's")


def gives_versioned(array):
    # Older libraries either ignore the argument or do not know it.
    try:
        return bool(api.PyCapsule_IsValid(array.__dlpack__(max_version=(1, 0)), names[1]))
    except TypeError:
        return False


def take(library, array, to_numpy, versioned):
    before = sys.getrefcount(array)
    t = taken(array, versioned)
    n = to_numpy(array)
    total = float(n.sum())
    check(b.bridge_sum(t.handle) == total, f"Sinter reads {library}'s array")
    b.bridge_add(t.handle, 1)
    check(float(n.sum()) == total + n.size, f"{library} sees Sinter's write")
    n[(0,) * n.ndim] += 5
    check(b.bridge_sum(t.handle) == float(n.sum()), f"Sinter sees {library}'s next write")
    del n
    check(sys.getrefcount(array) > before or library != "NumPy", "Sinter holds NumPy's array")
    handle, t.handle = t.handle, None
    b.bridge_free_on_thread(handle)
    gc.collect()
    check(sys.getrefcount(array) <= before, f"{library}'s array is given back, once")


numpy_version = tuple(int(p) for p in np.__version__.split(".")[:2])
kinds = [0, 1] if numpy_version >= (2, 1) else [0]
for versioned in kinds:
    give("NumPy", np.from_dlpack, versioned, lambda a: a)
    for a in [np.arange(6.0), np.arange(12, dtype=np.int32).reshape(3, 4).T, np.arange(20, dtype=np.float32)[::3],
              np.array([[1, 2], [3, 4]], dtype=np.uint8), np.array(3.0)]:
        take("NumPy", a, lambda a: a, versioned)
    refused = np.arange(3.0)[::-1]
    check(taken(refused, versioned) is None, "negative strides are refused")
if 1 in kinds:
    locked = np.arange(3.0)
    locked.flags.writeable = False
    t = taken(locked, 1)
    check(b.bridge_refuses(t.handle) == 1 and b.bridge_sum(t.handle) == 3, "a read-only array is not written")
    n = np.from_dlpack(Sinter(b.bridge_make(8), 1))
    check(not n.flags.writeable and n[2] == 3, "read-only memory stays so")
    check(np.from_dlpack(Sinter(b.bridge_make(4), 1)).tolist() == [False, False, True, True], "truth values")

with tempfile.TemporaryDirectory() as folder:
    for compressed in (0, 1):
        path = os.path.join(folder, "a.npz")
        b.bridge_save(path.encode(), compressed)
        with np.load(path, allow_pickle=False) as z:
            check(sorted(z.files) == ["b", "f", "s", "t"], "names of an archive")
            check((z["f"] == np.arange(6, dtype=np.float32).reshape(2, 3)).all() and z["f"].dtype == np.float32, "f")
            check((z["t"] == np.arange(6).reshape(2, 3).T).all() and z["b"].tolist() == [False, False, True], "t, b")
            check(z["s"].shape == () and z["s"] == 2.5, "s")
    path = os.path.join(folder, "b.npz")
    np.savez_compressed(path, x=np.arange(1000.0), y=np.asfortranarray(np.ones((3, 4), ">i4")))
    check(b.bridge_load(path.encode()) == 2, "an archive of NumPy's")
print(f"NumPy {np.__version__}: shares memory")

try:
    import torch
except ImportError as e:
    print(f"[SKIP] no PyTorch: sharing memory with it was not tested ({e})")
else:
    for versioned in (0, 1):
        give("PyTorch", torch.from_dlpack, versioned, lambda a: a.numpy())
        for a in [torch.arange(6.0), torch.arange(12, dtype=torch.int32).view(3, 4).t(), torch.arange(20.0)[::3],
                  torch.tensor(3.0, dtype=torch.double)]:
            if versioned and not gives_versioned(a):
                continue
            take("PyTorch", a, lambda a: a.numpy(), versioned)
        half = torch.from_dlpack(Sinter(b.bridge_make(6), versioned))
        check(half.dtype == torch.bfloat16 and half[3] == 1.5, "bfloat16")
        try:
            truth = torch.from_dlpack(Sinter(b.bridge_make(4), versioned))
        except RuntimeError as e:
            print(f"[SKIP] PyTorch {torch.__version__} takes no truth values ({e})")
        else:
            check(truth.dtype == torch.bool and truth.tolist() == [False, False, True, True], "truth values")
    print(f"PyTorch {torch.__version__}: shares memory")
print(f"{checks} checks")

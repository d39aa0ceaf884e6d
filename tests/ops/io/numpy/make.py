#!/usr/bin/env python3
"""Writes the files of this folder, with NumPy (1.24 or newer): python3 tests/ops/io/numpy/make.py"""
import os
import numpy as np

os.chdir(os.path.dirname(os.path.abspath(__file__)))
base = np.arange(6).reshape(2, 3)
arrays = {}
for code in ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1"]:
    for order in "<>":
        a = base.astype(order + code) - (0 if code == "u1" else 2)
        arrays[f"{code}_{'little' if order == '<' else 'big'}"] = a
arrays["bool"] = base % 2 == 0
arrays["fortran"] = np.asfortranarray(base.astype("f4"))
arrays["fortran_big"] = np.asfortranarray(base.astype(">i2"))
arrays["zero_d"] = np.array(2.5)
arrays["empty"] = np.zeros((2, 0, 3), "f4")
arrays["one"] = np.array([7], "i8")
np.savez("stored.npz", **arrays)
np.savez_compressed("deflated.npz", **arrays)
np.savez("objects.npz", plain=np.arange(3), objects=np.array([1, "a", None], dtype=object))
np.save("objects.npy", np.array([{}, 1], dtype=object))

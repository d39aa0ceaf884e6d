#!/usr/bin/env python3
"""Writes the files of this folder, with PyTorch (2.6 or newer) and safetensors:
python3 tests/ops/io/torch/make.py"""
import json
import os
import pickle
import struct
import zipfile

import numpy as np
import torch
from safetensors.torch import save_file

os.chdir(os.path.dirname(os.path.abspath(__file__)))
base = torch.arange(6).view(2, 3)
dtypes = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16,
          torch.bfloat16, torch.float32, torch.float64]


def name(dtype):
    return str(dtype).removeprefix("torch.")


each = {name(d): base.to(d) for d in dtypes}
each["bool"] = base % 2 == 0
each["complex64"] = torch.complex(base.float(), -base.float())
each["zero_d"] = torch.tensor(2.5)
each["empty"] = torch.zeros(2, 0, 3)
unsigned = {name(d): torch.tensor([1, 40000, 2**15], dtype=d)
            for d in [torch.uint16, torch.uint32, torch.uint64]}

torch.save(each | {"complex128": torch.complex(base.double(), -base.double())}, "each.pt")
torch.save(unsigned, "unsigned.pt")
torch.save(base.float().t(), "one.pt")
row = torch.arange(12.0)
torch.save({"row": row, "even": row[::2], "last": row.view(3, 4)[2], "again": row}, "shared.pt")
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
with torch.no_grad():
    for i, p in enumerate(net.parameters()):
        p.copy_(torch.arange(p.numel()).view_as(p) + 10.0 * i)
torch.save(net.state_dict(), "module.pt")
adam = torch.optim.Adam(net.parameters(), lr=0.125)
net(torch.ones(1, 2)).sum().backward()
adam.step()
torch.save({"epoch": 3, "best": 0.5, "done": False, "arch": "mlp", "model": net.state_dict(),
            "parts": [torch.ones(2), (torch.zeros(1), -(2**40))], "moments": adam.state_dict()["state"]},
           "checkpoint.pt")
torch.save([torch.nn.Parameter(torch.ones(2)), torch.ones(2, requires_grad=True)], "gradients.pt")
torch.save({"conj": torch.tensor([1 + 2j]).conj(), "neg": torch.tensor([1 + 2j]).conj().imag}, "signs.pt")
torch.save(net, "whole_module.pt")
torch.save(np.arange(3), "numpy.pt")
torch.save(base, "old.pt", _use_new_zipfile_serialization=False)


class Evil:
    def __reduce__(self):
        return os.system, ("touch sinter_was_fooled",)


with zipfile.ZipFile("evil.pt", "w") as z:
    z.writestr("evil/data.pkl", pickle.dumps({"x": Evil()}, protocol=2))
    z.writestr("evil/version", "3\n")

with zipfile.ZipFile("one.pt") as stored, zipfile.ZipFile("compressed.pt", "w", zipfile.ZIP_DEFLATED) as z:
    for entry in stored.namelist():
        z.writestr(entry, stored.read(entry))

save_file(each, "each.safetensors", metadata={"format": "pt", "note": "\u00e9 \"quoted\""})
save_file(unsigned, "unsigned.safetensors")


def raw(file, table, elements=b""):
    text = table if isinstance(table, bytes) else json.dumps(table).encode()
    with open(file, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + elements)


raw("float8.safetensors", {"x": {"dtype": "F8_E4M3", "shape": [2], "data_offsets": [0, 2]}}, b"\0\0")

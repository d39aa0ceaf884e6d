"""Holds the machine code of kernels to what makes them fast, without a GPU: machine_code.py SINTER EXPRESSIONS [--print]

Each expression is recorded, built by NVRTC and looked at. In its fullest kernel the loads under way on a multiprocessor
are at least as many KiB as one needs to use its share of the bandwidth (runtime/device/cuda.cpp: 16 on an A100, 48 on an
H200); no kernel spills more registers, or runs more double-precision instructions outside of rare branches, than the
table says. --print shows the figures. Prints [SKIP] where there is no NVRTC.
"""

import json
import os
import subprocess
import sys
import tempfile

import cubin

# expression, dtype: KiB under way, spills, double-precision instructions. Of NVRTC 13.0, with a tenth to spare.
LIMITS = {
    ("sum", "f32"): (43, 0, 0),
    ("sum", "f16"): (57, 0, 0),
    ("sum(1)", "f32"): (68, 7, 0),
    ("sum(1)", "f16"): (57, 0, 0),
    ("sum(1) of 1000", "f32"): (72, 0, 0),
    ("sum(1) of 1000", "f16"): (57, 0, 0),
    ("sum(0)", "f32"): (115, 0, 0),
    ("sum(0)", "f16"): (75, 0, 0),
    ("max", "f32"): (43, 0, 0),
    ("max", "f16"): (57, 0, 0),
    ("var(1)", "f32"): (86, 0, 0),
    ("var(1)", "f16"): (86, 0, 0),
    ("softmax", "f32"): (64, 0, 0),
    ("softmax", "f16"): (64, 0, 0),
    ("layer norm of 65536", "f32"): (57, 0, 0),
    ("mul add sum(1)", "f32"): (28, 0, 0),
    ("mul add sum(1)", "f16"): (72, 0, 0),
    ("axpy", "f32"): (115, 0, 0),
    ("axpy", "f16"): (72, 0, 0),
    ("gelu", "f32"): (57, 0, 457),
    ("gelu", "f16"): (43, 0, 457),
    ("exp", "f32"): (57, 0, 0),
    ("exp", "f16"): (54, 0, 0),
    ("sin", "f32"): (43, 0, 0),
    ("sin", "f16"): (43, 0, 0),
    ("remainder", "f32"): (86, 0, 1),
    ("remainder", "f16"): (46, 0, 1),
    ("pow", "f32"): (115, 0, 237),
    ("pow", "f16"): (57, 0, 0),
    ("tanh", "f32"): (57, 0, 0),
    ("tanh", "f16"): (36, 0, 0),
    ("copy of a transpose", "f32"): (28, 0, 0),
    ("copy of a transpose", "f16"): (14, 0, 0),
}
TARGETS = ("sm_80", "sm_90", "sm_100")

sinter, expressions = sys.argv[1:3]
printing = "--print" in sys.argv


def command(*words):
    done = subprocess.run([sinter, "cache", *words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"sinter cache {words[0]} fails:\n{done.stdout}{done.stderr}")
    return done.stdout


def threads_in(kernel):
    """Returns the threads that a multiprocessor holds, by their registers, of which it has 65,536."""
    granted, block = (kernel["registers"] + 7) // 8 * 8, kernel["block"]
    return min(2048, 65536 // granted // block * block, 32 * block)


def figures_of(folder, expression, dtype, target):
    recording, pack, code = (os.path.join(folder, name) for name in ("e.srec", "e.spk", "code." + target))
    if not os.path.exists(recording):
        command("record", "-o", recording, "--", expressions, expression, dtype)
    command("build", recording, "-o", pack, "--targets", target)
    found = []
    for file in json.loads(command("extract", pack, "-o", code, "--json")):
        if file["form"] == "own":  # base forms are for programs that lack the kernel
            with open(file["file"], "rb") as f:
                found += cubin.kernels(f.read()).values()
    return found


def check():
    failures = []
    for (expression, dtype), (least, spills, double) in LIMITS.items():
        with tempfile.TemporaryDirectory() as folder:
            for target in TARGETS:
                found = figures_of(folder, expression, dtype, target)
                got = (max(threads_in(k) * k["loaded"] // 1024 for k in found), max(k["local"] for k in found),
                       max(k["double"] for k in found))
                if printing:
                    print(f"{expression:20} {dtype} {target:7} KiB {got[0]:4} spills {got[1]:3} double {got[2]:3}",
                          "registers", [k["registers"] for k in found], flush=True)
                if got[0] < least or got[1] > spills or got[2] > double:
                    failures.append(f"{expression} of {dtype} for {target}: (KiB under way, spills, double) are {got}, "
                                    f"expected at least {least}, at most {spills} and {double}")
    return failures


has_nvrtc = "none" not in next(line for line in subprocess.run([sinter, "info"], capture_output=True, text=True)
                               .stdout.splitlines() if line.startswith("nvrtc"))
if not has_nvrtc:
    print("[SKIP] the machine code of kernels was not looked at: no NVRTC")
    sys.exit()
failed = check()
print("\n".join(failed) or f"{len(LIMITS)} expressions for {len(TARGETS)} architectures are as fast as their table says")
sys.exit(bool(failed))

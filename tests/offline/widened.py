"""Records a program once, builds its kernels with --widen, and runs it over random sizes and layouts where the
compiler is not: widened.py SINTER PROGRAM [CASES [all]]
With SINTER_TEST_DEVICE, for that GPU: of the vendor whose compiler SINTER_TEST_COMPILER names.

SINTER_TEST_SEED replays a run."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sinter, program, *rest = sys.argv[1:]
cases = rest[0] if rest else "10000" if os.environ.get("SINTER_TEST_LONG", "0") != "0" else "300"
which = "all" if rest[1:] else "few"
seed = os.environ.get("SINTER_TEST_SEED", "20240229")
device = os.environ.get("SINTER_TEST_DEVICE", "cpu")
target, hidden = "x86-64-v3", {}
if device != "cpu":
    compiler = os.environ["SINTER_TEST_COMPILER"]  # the variable that names its library
    target = {"SINTER_NVRTC_LIBRARY": "sm_90", "SINTER_HIPRTC_LIBRARY": "gfx90a"}[compiler]
    hidden = {compiler: "none"}


def command(*words):
    """Returns what `sinter cache WORDS --json` prints."""
    p = subprocess.run([sinter, "cache", *words, "--json"], capture_output=True, text=True)
    assert p.returncode == 0, (words, p.stdout, p.stderr)
    return json.loads(p.stdout)


with tempfile.TemporaryDirectory() as folder:
    recording, plain, pack = (os.path.join(folder, n) for n in ("app.srec", "plain.spk", "app.spk"))
    subprocess.run([sinter, "cache", "record", "-o", recording, "--", program, which], check=True, capture_output=True)
    targets = ["--targets", target]
    few = command("build", recording, "-o", plain, *targets)[0]["kernels"]
    many = command("build", recording, "--widen", "-o", pack, *targets)[0]["kernels"]
    assert many > few > 0, (many, few)
    assert command("coverage", pack, recording, "--require", "100")[0]["percent"] == 100

    alone = shutil.copy(program, os.path.join(folder, "alone"))  # the compiler is a plugin beside the program
    def run(file):
        variables = {"SINTER_CACHE": "require", "SINTER_CACHE_PACKS": file, "SINTER_CACHE_DIR": ""} | hidden
        p = subprocess.run([alone, which, cases, seed, device], env=os.environ | variables, capture_output=True, text=True)
        assert p.returncode == 0, p
        return {k: int(v) for k, v in re.findall(r"(\w+) (\d+)", p.stdout)}, p.stderr

    counts, errors = run(pack)
    print("seed", seed, "kernels", many, "of", few, counts)
    assert counts["misses"] == counts["failures"] == counts["wrong"] == counts["compiled"] == counts["blocks"] == 0, (counts, errors)
    assert counts["loaded"] > few, counts
    counts, errors = run(plain)
    assert counts["misses"] > 0 and counts["failures"] == counts["wrong"] == 0, (counts, errors)

"""Runs test programs with kernels built of their own recording, where the compiler is not:
suites.py [--without FOLDER] SINTER SUITE...

SINTER is the program `sinter`, a SUITE a test program (build/release/bin/test_ops), with options after a comma if
needed (test_property,-tce=*disk*). Each is recorded, its recording is built, and it runs again without the compiler's
plugin and with SINTER_CACHE=require, where a kernel that is missing is an error at its line. A test that asks for the
compiler itself (tests/support/compiler.hpp) cannot pass there: these are counted. The exit status is 1 if any other
test fails.

With --without, the program of the same name in FOLDER runs the second time: that of a build with SINTER_LLVM=OFF.

Not for suites whose tests have kernels or caches of their own. Two tests must be left out: "random programs give equal
bits with kernels from disk", whose children compile, and "recorded writes and reads, asked for by many threads in any
order", which fuses what the threads happen to ask for.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

arguments = sys.argv[1:]
without = arguments[1] if arguments[0] == "--without" else None
sinter, *suites = arguments[2:] if without else arguments
no_compiler = "the compiler cannot be used"  # tests/support/compiler.hpp
missing = "a kernel is in no cache"


def run(program, log, *options, **variables):
    """Returns exit status, what it printed, and seconds."""
    same_programs = {"SINTER_TEST_SEED": "1", "SINTER_TEST_PROGRAMS": "24"}
    environment = same_programs | os.environ | {"SINTER_CACHE_DIR": "", "SINTER_JIT": "wait"} | variables
    start = time.monotonic()
    with open(log, "w", encoding="utf-8") as file:
        status = subprocess.run([program, *options], env=environment, stdout=file, stderr=file).returncode
    with open(log, encoding="utf-8", errors="replace") as file:
        return status, file.read(), time.monotonic() - start


def failed_tests(text):
    """Returns what each failed test printed: doctest writes a line of = before each."""
    return [part for part in re.split(r"^={20,}$", text, flags=re.M)[1:] if "TEST CASE:" in part and "ERROR" in part]


def kept(name, log):
    """Returns where the output of a failed run stays."""
    return shutil.copy(log, os.path.join(tempfile.gettempdir(), f"{name}.failed.log"))


def run_suite(folder, suite, options):
    name = os.path.basename(suite)
    recording, pack, log, alone = (os.path.join(folder, name + end) for end in (".recorded", ".spk", ".log", ""))
    status, text, recorded_s = run(suite, log, *options, SINTER_CACHE_RECORD=recording)
    if status != 0:
        print(f"{name}: fails while it is recorded; see {kept(name, log)}", flush=True)
        return False
    targets = "x86-64-v3,x86-64-v4"
    status, text, build_s = run(sinter, log, "cache", "build", recording, "-o", pack, "--targets", targets)
    assert status == 0, text
    # The plugin is beside the program, and not beside this copy.
    shutil.copy(os.path.join(without, name) if without else suite, alone)
    status, text, required_s = run(alone, log, *options, SINTER_CACHE="require", SINTER_CACHE_PACKS=pack)
    failed = failed_tests(text)
    excused = [part for part in failed if no_compiler in part and missing not in part]
    tests = re.search(r"test cases: +(\d+) \| +(\d+) passed", text)
    only_excused = tests is not None and len(excused) == int(tests[1]) - int(tests[2])
    good = only_excused and missing not in text and status == (1 if excused else 0)  # no crash at the end either
    listed = json.loads(run(sinter, os.path.join(folder, "list.log"), "cache", "list", pack, "--json")[1])
    passed = tests[2] if tests else 0
    print(f"{name}: {len(listed)} kernels built in {build_s:.0f} s; recorded in {recorded_s:.0f} s, run without a "
          f"compiler in {required_s:.0f} s: {passed} tests passed, {len(excused)} ask for the compiler, "
          f"{text.count(missing)} misses" + ("" if good else f"; see {kept(name, log)}"), flush=True)
    os.remove(pack)
    return good


with tempfile.TemporaryDirectory() as temporary:
    results = []
    for argument in suites:
        program, *words = argument.split(",")
        results.append(run_suite(temporary, program, words))
sys.exit(0 if all(results) else 1)

"""Compiles a program's kernels once, then runs it where the compiler is not: run.py SINTER PROGRAM [VARIABLE]

SINTER is the program `sinter`. VARIABLE: the kernels are a GPU's, and this names the library that compiles
them."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sinter, program, *rest = sys.argv[1:]
device = {"SINTER_NVRTC_LIBRARY": ["cuda"], "SINTER_HIPRTC_LIBRARY": ["cuda"]}[rest[0]] if rest else []


def run(path, cache, *options, **variables):
    """Returns exit status, results, {"compiled": n, ...} and messages."""
    environment = os.environ | {"SINTER_CACHE_DIR": cache, "SINTER_JIT": "wait"} | variables
    p = subprocess.run([path, *device, *options], env=environment, capture_output=True, text=True)
    results, _, counts = p.stdout.strip().rpartition("\n")
    return p.returncode, results, {k: int(v) for k, v in re.findall(r"(\w+) (\d+)", counts)}, p.stderr


def files(folder):
    return sorted(os.listdir(folder))


def command(*words):
    """Returns what `sinter cache WORDS --json` prints."""
    p = subprocess.run([sinter, "cache", *words, "--json"], capture_output=True, text=True)
    assert p.returncode == 0, (words, p.stderr)
    return json.loads(p.stdout)


def make_pack(folder, cache, count):
    pack = os.path.join(folder, "app.spk")
    assert command("merge", cache, "-o", pack)[0]["kernels"] == count
    assert command("verify", pack)[0]["state"] == "whole"
    return pack


def test_gpu(folder, variable):
    cache, empty = os.path.join(folder, "cache"), os.path.join(folder, "empty")
    status, results, made, errors = run(program, cache)
    assert status == 0 and made["compiled"] > 3, (made, errors)
    hidden = {variable: os.path.join(folder, "nowhere.so")}
    for variables in ({}, {"SINTER_CACHE": "require"}):
        status, again, counts, errors = run(program, cache, **hidden, **variables)
        assert (status, again, errors) == (0, results, ""), (variables, errors)
        assert counts["compiled"] == 0 and counts["loaded"] == made["compiled"], (made, counts)
    status, _, _, errors = run(program, empty, SINTER_CACHE="require")
    assert status != 0 and "[cache] a kernel is in no cache" in errors, errors
    # The error has the name under which the cache has the kernel.
    on_cpu = os.path.join(folder, "cpu.spk")
    levels = {k["target"] for k in command("list", cache) if k["target"].startswith("x86-64")}
    command("merge", cache, "-o", on_cpu, "--targets", ",".join(levels))
    status, _, _, errors = run(program, empty, "--pack", on_cpu, SINTER_CACHE="require")
    name = re.search(r"got kernel (\w+) for", errors)[1]
    assert name in {k["name"][:16] for k in command("list", cache)}, (name, errors)
    # It names the line, and the kernel that is most like the missing one.
    lacking = os.path.join(folder, "lacking")
    shutil.copytree(cache, lacking)
    of_gpu = [k for k in command("list", cache) if not k["target"].startswith("x86-64")]
    largest = max((k for k in of_gpu if not k["operations"].startswith("source")), key=lambda k: len(k["operations"]))
    os.remove(os.path.join(lacking, os.path.basename(largest["file"])))
    status, _, _, errors = run(program, lacking, SINTER_CACHE="require", SINTER_LINES="on")
    assert status != 0 and f"got kernel {largest['name'][:16]} for {largest['target']} from " in errors, errors
    assert "program.cpp:" in errors and "; nearest is " + lacking in errors, errors
    # Code of another producer is a miss, which the CPU runs.
    status, again, counts, errors = run(program, cache, **hidden, SINTER_CACHE_ACCEPT="exact")
    assert (status, again) == (0, results) and counts["cpu"] > 3, (counts, errors)
    assert errors.count("a kernel for a GPU is in no cache and cannot be compiled; got ") == 1, errors
    # The same in one file.
    pack = make_pack(folder, cache, made["compiled"])
    for options, variables in ((("--pack", pack), {}), ((), {"SINTER_CACHE_PACKS": pack})):
        status, again, counts, errors = run(program, empty, *options, **hidden, **variables, SINTER_CACHE="require")
        assert (status, again, errors) == (0, results, "") and counts["loaded"] == made["compiled"], (counts, errors)
    test_gpu_recordings(folder, variable, results, made)
    return made["compiled"]


def test_gpu_recordings(folder, variable, results, made):
    """Packs for a GPU, built where none is: of what a program recorded there, and of what it recorded on a CPU."""
    empty, hidden = os.path.join(folder, "empty"), {variable: os.path.join(folder, "nowhere.so")}
    no_driver = {"SINTER_CUDA_LIBRARY": "none", "SINTER_HIP_LIBRARY": "none"}
    target = {"SINTER_NVRTC_LIBRARY": "sm_90", "SINTER_HIPRTC_LIBRARY": "gfx90a"}[variable]

    def sinter_run(*words, **variables):
        p = subprocess.run([sinter, "cache", *words], env=os.environ | variables, capture_output=True, text=True)
        assert p.returncode == 0, (words, p.stdout, p.stderr)
        return p.stdout

    def record_and_build(name, *options, **variables):
        recording, pack = (os.path.join(folder, name + end) for end in (".srec", ".spk"))
        sinter_run("record", "-o", recording, "--", program, *options, SINTER_CACHE_DIR=empty, **variables)
        sinter_run("build", recording, "-o", pack, "--targets", target, **no_driver)
        covered = json.loads(sinter_run("coverage", pack, recording, "--targets", target, "--json", **no_driver))[0]
        assert covered["percent"] == 100 and covered["base_form"] == 0, covered
        return recording, pack

    # The program needs no compiler while it is recorded.
    recording, pack = record_and_build("there", *device, **hidden)
    status, again, counts, errors = run(program, empty, "--pack", pack, **hidden, SINTER_CACHE="require")
    assert (status, again, errors) == (0, results, ""), errors
    assert counts["compiled"] == counts["base"] == counts["cpu"] == counts["other"] == 0, counts
    # On the CPU other layouts were met: some kernels run in another form, and what is missing by the CPU.
    on_cpu, _ = record_and_build("here")
    base, both = os.path.join(folder, "base.srec"), os.path.join(folder, "both.spk")
    sinter_run("base", "-o", base, "--dtypes", "f32,i64,boolean")
    sinter_run("build", on_cpu, "-o", both, "--targets", target, **no_driver)
    status, again, counts, errors = run(program, empty, "--pack", both, **hidden)
    assert (status, again) == (0, results) and counts["cpu"] > 0, (counts, errors)
    if variable == "SINTER_NVRTC_LIBRARY":
        # A pack of single operations runs eager mode, whatever the program.
        sinter_run("build", base, "-o", both, "--targets", target, **no_driver)
        status, eager, counts, errors = run(program, empty, "--eager", "--pack", both, **hidden, SINTER_CACHE="require")
        assert (status, eager, errors, counts["cpu"]) == (0, results, "", 0), (counts, errors)
        # Of another device of the architecture, and PTX for an older one, in whose forms some kernels run.
        for other in ("sm_90@h100", "ptx:80"):
            sinter_run("build", recording, "-o", both, "--targets", other, **no_driver)
            status, again, counts, errors = run(program, empty, "--pack", both, **hidden)
            assert (status, again, counts["cpu"]) == (0, results, 0), (other, counts, errors)
    # The device as it is, to build for it elsewhere.
    profile = os.path.join(folder, "here.sdev")
    sinter_run("probe", "-o", profile)
    sinter_run("build", recording, "-o", both, "--targets", target + "@" + profile, **no_driver)
    status, again, counts, errors = run(program, empty, "--pack", both, **hidden, SINTER_CACHE="require")
    assert (status, again, errors, counts["base"]) == (0, results, "", 0), (counts, errors)
    for name, why in (("sm_90@nothing", "the device is not known; got nothing, expected t4 (sm_75)"),
                      ("sm_80@h100", "a device has another architecture than its target"),
                      ("sm_90@" + recording, "the device is not known")):
        p = subprocess.run([sinter, "cache", "build", recording, "-o", both, "--targets", name], capture_output=True,
                           text=True)
        assert p.returncode == 1 and why in p.stderr, p


def test_packs(folder, alone, results, made):
    """The kernels of `cache` in one file, in a program that has no compiler."""
    cache, empty = os.path.join(folder, "cache"), os.path.join(folder, "empty")
    pack = make_pack(folder, cache, made["compiled"])
    expected = {"compiled": 0, "loaded": made["compiled"], "blocks": 0, "copies": 0}
    require = {"SINTER_CACHE": "require"}
    for options, variables in ((("--pack", pack), {}), ((), {"SINTER_CACHE_PACKS": pack}),
                               (("--pack", pack), {"SINTER_JIT": "background"})):
        status, again, counts, errors = run(alone, empty, *options, **variables, **require)
        assert (status, again, errors, counts) == (0, results, "", expected), (options, variables, counts, errors)

    # Where memory that was written cannot become executable, packs run, and copies do not.
    status, again, counts, errors = run(alone, empty, "--pack", pack, "--no-jit", **require)
    if status == 77:
        print("[SKIP] this kernel has no PR_SET_MDWE: that packs run where JITs are forbidden was not tested")
    else:
        assert (status, again, errors, counts) == (0, results, "", expected), (counts, errors)
        status, _, _, errors = run(alone, cache, "--no-jit", **require)
        assert status != 0 and "the code of a kernel cannot be mapped" in errors, errors
        status, again, counts, errors = run(alone, cache, "--no-jit")
        assert (status, again, counts["loaded"]) == (0, results, 0) and counts["blocks"] > 3, (counts, errors)
        assert errors.count("[cache] a stored kernel is not used; got [jit] the code") == 1, errors

    # Beside the library, which is in the program.
    installed = os.path.join(os.path.dirname(alone), "sinter", "packs")
    os.makedirs(installed)
    shutil.copy(pack, installed)
    status, again, counts, errors = run(alone, empty, **require)
    assert (status, again, errors, counts) == (0, results, "", expected), (counts, errors)
    status, again, counts, errors = run(alone, empty, SINTER_CACHE="off")
    assert (status, again, counts["loaded"]) == (0, results, 0), (counts, errors)
    shutil.rmtree(os.path.dirname(installed))

    # A pack that lacks some: the others are in the folder, or run by blocks, or are an error.
    half = os.path.join(folder, "half.spk")
    some = [os.path.join(cache, name) for name in files(cache)[::2]]
    command("merge", *some, "-o", half)
    status, again, counts, errors = run(alone, cache, "--pack", half, **require)
    assert (status, again, errors, counts["loaded"]) == (0, results, "", made["compiled"]), (counts, errors)
    status, again, counts, errors = run(alone, empty, "--pack", half)
    assert (status, again, counts["loaded"]) == (0, results, len(some)) and counts["blocks"] > 0, (counts, errors)
    status, _, _, errors = run(alone, empty, "--pack", half, **require)
    assert status != 0 and "; nearest is " + half + ": " in errors, errors
    missing = re.search(r"got kernel (\w+)", errors)[1]
    reasons = {r["file"]: r["used"] for r in command("why", missing, half, cache)}
    assert reasons[half].startswith("no: it lacks the kernel; nearest is " + half), reasons
    assert "yes" in reasons.values(), reasons

    # A pack for v3 alone runs on a processor that could have v4.
    low = os.path.join(folder, "low")
    status, again, counts, errors = run(program, low, SINTER_ISA="v3")
    assert (status, again) == (0, results) and counts["compiled"] == made["compiled"], errors
    command("merge", low, "-o", os.path.join(folder, "low.spk"))
    for path in (alone, program):
        status, again, counts, errors = run(path, empty, "--pack", os.path.join(folder, "low.spk"), **require)
        assert (status, again, errors) == (0, results, "") and counts["loaded"] == made["compiled"], (counts, errors)

    # Kernels that were damaged are compiled again, or run by blocks.
    with open(pack, "r+b") as file:
        file.seek(-20, os.SEEK_END)
        file.write(b"x" * 20)
    status, again, counts, errors = run(alone, empty, "--pack", pack)
    assert (status, again) == (0, results) and counts["loaded"] == made["compiled"] - 1, (counts, errors)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def test_recordings(folder, alone, results, made):
    """Kernels that another machine builds: of a recording, for both levels."""
    empty, recording = os.path.join(folder, "empty"), os.path.join(folder, "app.srec")
    # By a program that has no compiler, and runs by blocks.
    recorded = subprocess.run([sinter, "cache", "record", "-o", recording, "--json", "--", alone], text=True,
                              capture_output=True, env=os.environ | {"SINTER_CACHE_DIR": empty})
    assert recorded.returncode == 0, recorded.stderr
    assert recorded.stdout.startswith(results + "\n"), recorded.stdout
    said = json.loads(recorded.stdout[recorded.stdout.index("[\n  {"):])
    assert said[0]["processes"] == 1 and said[0]["works"] > 3, said
    first = read(recording)
    # A second run adds nothing, and a program that fails is recorded, with its status.
    subprocess.run([sinter, "cache", "record", "-o", recording, "--", alone], check=True, capture_output=True)
    assert read(recording) == first
    failing = subprocess.run([sinter, "cache", "record", "-o", recording, "--", alone, "nonsense"], capture_output=True)
    assert failing.returncode != 0 and read(recording) == first, failing

    packs = [os.path.join(folder, f"built{n}.spk") for n in range(3)]
    for pack, options in zip(packs, ([], ["-j", "1"], ["--targets", "x86-64-v3"])):
        for target in command("build", recording, "-o", pack, *options):
            assert target["kernels"] >= made["compiled"] and target["failed"] == 0, target
    assert read(packs[0]) == read(packs[1])
    for target in command("coverage", packs[0], recording, "--require", "100"):
        assert target["covered"] == target["works"] > 0 and target["stored"] == target["kernels"] > 0, target
    lacking = subprocess.run([sinter, "cache", "coverage", packs[2], recording, "--targets", "x86-64-v4", "--require",
                              "1"], capture_output=True, text=True)
    assert lacking.returncode == 1 and "missing: " in lacking.stdout and "; nearest is " in lacking.stdout, lacking
    run_all = command("verify", packs[0], "--run")[0]
    assert run_all["same_bits"] > 0 and run_all["same_bits"] + run_all["not_run"] == run_all["kernels"], run_all
    for pack in packs:
        for variables in ({}, {"SINTER_ISA": "v3"}, {"SINTER_JIT": "background"}):
            status, again, counts, errors = run(alone, empty, "--pack", pack, **variables, SINTER_CACHE="require")
            assert (status, again, errors) == (0, results, ""), (variables, errors)
            assert counts == {"compiled": 0, "loaded": made["compiled"], "blocks": 0, "copies": 0}, (variables, counts)

    # Both levels in one pack, on a processor that has the lower one.
    qemu = shutil.which("qemu-x86_64")
    if not qemu:
        print("[SKIP] no qemu-user: a pack for two levels was not run on an emulated Haswell")
    else:
        environment = os.environ | {"OPENBLAS_CORETYPE": "Haswell", "SINTER_CACHE": "require", "SINTER_CACHE_DIR": ""}
        here, there = (subprocess.run([*emulator, alone, "--pack", packs[0]], env=environment, capture_output=True,
                                      text=True) for emulator in ([], [qemu, "-cpu", "Haswell"]))
        assert there.returncode == 0 and there.stdout == here.stdout, there

    # What is damaged is said: a torn tail, and a work of another library.
    with open(recording, "r+b") as file:
        file.truncate(len(first) - 5)
    built = subprocess.run([sinter, "cache", "build", recording, "-o", packs[0]], capture_output=True, text=True)
    assert built.returncode == 0 and "not whole: " in built.stdout, built
    wrong = subprocess.run([sinter, "cache", "build", packs[1], "-o", packs[0]], capture_output=True, text=True)
    assert wrong.returncode == 1 and "it is not a recording" in wrong.stderr, wrong
    wrong = subprocess.run([sinter, "cache", "build", recording, "-o", packs[0], "--targets", "z80"],
                           capture_output=True, text=True)
    assert wrong.returncode == 1 and "no code generator for a target; got z80, expected x86-64-v3" in wrong.stderr, wrong
    wrong = subprocess.run([alone], capture_output=True, text=True,
                           env=os.environ | {"SINTER_CACHE_DIR": empty, "SINTER_CACHE_RECORD": "/proc/nowhere"})
    assert wrong.stdout.startswith(results) and wrong.stderr.count("is not recorded; got /proc/nowhere") == 1, wrong


def test_harvest(folder, alone, recording):
    """Kernels of the expressions that the program has, whether a run reaches them or not."""
    empty, harvested, pack = (os.path.join(folder, name) for name in ("empty", "harvested.srec", "harvested.spk"))
    found = command("harvest", alone, "-o", harvested)
    assert {"works": 2, "reached": "-", "expression": "(a + #) * b / #"} in found, found
    command("build", harvested, "-o", pack)
    command("coverage", pack, harvested, "--require", "100")
    status, results, counts, errors = run(alone, empty, "--pack", pack, "--dense", SINTER_CACHE="require")
    assert (status, results, errors) == (0, "\n".join(["2.8571429252624512 1", "2.8571428571428572 1"]), ""), (results, errors)
    assert counts == {"compiled": 0, "loaded": 4, "blocks": 0, "copies": 0}, counts

    # What the other run did not reach is named, until it is recorded.
    reached = lambda: {e["expression"]: e["reached"] for e in command("harvest", alone, "--against", recording)}
    before = reached()
    assert before["(a + #) * b / #"] is False and before["a * # + exp(neg(b))"] is True, before
    # Not half of them: the library, which is linked into the program, has expressions of its own. What
    # was harvested has nearly all.
    for against, expected in ((recording, 1), (harvested, 0)):
        words = [sinter, "cache", "harvest", alone, "--against", against, "--require", "50"]
        assert subprocess.run(words, capture_output=True).returncode == expected, against
    subprocess.run([sinter, "cache", "record", "-o", recording, "--", alone, "--dense"], check=True, capture_output=True)
    after = reached()
    assert after["(a + #) * b / #"] and after["where(a < #, b - #, c)"] and before.items() - after.items(), after


def test_counts(folder, alone):
    """Each work is weighted by its runs, if these are recorded."""
    recording, pack, counted = (os.path.join(folder, name) for name in ("counts.srec", "counts.spk", "counted.srec"))
    count = lambda *options: subprocess.run([sinter, "cache", "record", "-o", counted, "--counts", "--", alone, *options],
                                            check=True, capture_output=True)
    count()
    once = read(counted)
    count()
    again = read(counted)
    assert len(again) == len(once) and again != once
    subprocess.run([sinter, "cache", "record", "-o", recording, "--", alone, "--dense"], check=True, capture_output=True)
    command("build", recording, "-o", pack, "--targets", "x86-64-v3")
    subprocess.run([sinter, "cache", "record", "-o", recording, "--", alone], check=True, capture_output=True)
    plain = command("coverage", pack, recording)[0]
    assert plain["weighted"] == plain["percent"] < 100, plain
    # Two runs of the works that have no kernels, and one of those that have: these weigh less.
    count("--dense")
    weighted = command("coverage", pack, counted)[0]
    assert weighted["percent"] == plain["percent"] and weighted["weighted"] < plain["percent"], (plain, weighted)


def test_cpu(folder):
    cache, empty, elsewhere = (os.path.join(folder, name) for name in ("cache", "empty", "elsewhere"))
    os.mkdir(elsewhere)
    os.mkdir(empty)
    alone = shutil.copy(program, elsewhere)  # the compiler is a plugin beside the program

    status, results, made, errors = run(program, cache)
    assert status == 0 and made["compiled"] > 3 and made["blocks"] == 0, (made, errors)
    stored = files(cache)

    # Without the compiler all kernels come from disk.
    for variables in ({}, {"SINTER_CACHE": "require"}, {"SINTER_CACHE": "readonly"}, {"SINTER_JIT": "background"}):
        status, again, counts, errors = run(alone, cache, **variables)
        assert (status, again, errors) == (0, results, ""), (variables, errors)
        assert counts.pop("copies") > 0, counts  # the system may join them
        assert counts == {"compiled": 0, "loaded": made["compiled"], "blocks": 0}, (variables, counts)

    test_packs(folder, alone, results, made)
    test_recordings(folder, alone, results, made)
    test_harvest(folder, alone, os.path.join(folder, "app.srec"))
    test_counts(folder, alone)

    # A folder that is only read.
    status, again, counts, errors = run(alone, empty, SINTER_CACHE_LAYERS=cache, SINTER_CACHE="require")
    assert (status, again, errors) == (0, results, "") and files(empty) == [], errors

    # Without kernels either, everything runs by blocks, which is said once.
    for variables in ({}, {"SINTER_CACHE": "off"}, {"SINTER_JIT": "background"}):
        where = cache if variables.get("SINTER_CACHE") else empty
        status, again, counts, errors = run(alone, where, **variables)
        assert (status, again) == (0, results), errors
        assert counts["blocks"] > 3 and counts["compiled"] == counts["loaded"] == 0, counts
        assert errors.count("kernels cannot be compiled; got ") == 1, errors

    # Not everything is there: what is not runs by blocks.
    half = os.path.join(folder, "half")
    shutil.copytree(cache, half)
    for name in stored[::2]:
        os.remove(os.path.join(half, name))
    status, again, counts, errors = run(alone, half)
    assert (status, again) == (0, results), errors
    assert errors.count("those that are in no cache run block by block") == 1, errors
    assert counts["blocks"] > 0 and counts["loaded"] == made["compiled"] - len(stored[::2]), counts

    # What must be there and is not is an error, with and without a compiler. It names the kernel
    # that is most like the missing one.
    for path in (program, alone):
        status, _, _, errors = run(path, half, SINTER_CACHE="require")
        assert status != 0, errors
        assert "[cache] a kernel is in no cache, and SINTER_CACHE=require forbids to compile it" in errors, errors
        assert "; nearest is " + half in errors, errors
        status, _, _, errors = run(path, empty, SINTER_CACHE="require", SINTER_LINES="on")
        assert status != 0 and "no kernel is stored that could be compared" in errors, errors

    # What is only read is not written, and what is off is not read.
    status, again, counts, errors = run(program, empty, SINTER_CACHE="readonly")
    assert (status, again) == (0, results) and counts["compiled"] == made["compiled"] and files(empty) == [], errors
    status, again, counts, errors = run(program, cache, SINTER_CACHE="off")
    assert (status, again) == (0, results) and counts["compiled"] == made["compiled"], errors

    # Kernels for a lower level run where there is no compiler for the highest.
    low = os.path.join(folder, "low")
    status, again, counts, errors = run(alone, low)
    assert (status, again, counts["loaded"], errors) == (0, results, made["compiled"], ""), (counts, errors)
    return made["compiled"]


with tempfile.TemporaryDirectory() as folder:
    print("kernels:", test_gpu(folder, *rest) if rest else test_cpu(folder))

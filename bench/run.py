"""What `./dev bench` does around sinter_bench: baseline ratios, the peers in Python, the report.

python3 bench/run.py PROGRAM [--check | --write-baseline] [--report DIR] [--peers] [options of PROGRAM]
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
baseline_path = here / "baseline.json"
tolerated = 1.10  # of a ratio against that of the baseline
again = 2  # measurements of a case that seems slower

# What others set for programs of their own would change what is measured here.
unwanted = re.compile(r"(?!SINTER_PEERS_VENV$)(OPENBLAS|OMP|GOMP|KMP|MKL|SINTER|ATEN|TORCH|TORCHINDUCTOR|XLA|JAX|NUMEXPR)_")


def settle_environment():
    """What was set that would matter; unset from here on."""
    found = {name: value for name, value in os.environ.items() if unwanted.match(name)}
    for name in found:
        del os.environ[name]
        print(f"unset {name} (was {found[name]})")
    for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
        found.setdefault(name, None)
    return found


def key(r):
    return f"{r['case']} {r['dtype']} n={r['n']} t={r['threads']}"


def measure(program, options, warnings=None):
    """The records of one run; its own output goes through, what it warns of is kept."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "records.json"
        with subprocess.Popen([program, "--json", path, *options], stdout=subprocess.PIPE, text=True) as run:
            for line in run.stdout:
                print(line, end="", flush=True)
                if warnings is not None and "NOT RESULTS" in line:
                    warnings.append(line.strip())
        if run.returncode:
            sys.exit(run.returncode)
        return json.loads(path.read_text())


def column(r):
    reused = r["impl"] == "fused" and r["note"].startswith("reused")
    return "reused" if reused else r["impl"]


def ratios(records):
    """{case: {ratio: value}}: of the library to the loop by hand, where there is none to its eager mode; under fast math to
    the loop with those numerics."""
    times = {}
    for r in records:
        of_case = times.setdefault(key(r), {})
        of_case[column(r)] = min(r["min_ns"], of_case.get(column(r), r["min_ns"]))
    found = {}
    for name, t in times.items():
        wanted = [("fused", "hand"), ("reused", "hand")] if "hand" in t else [("fused", "eager")]
        wanted.append(("fast", "hand_fast"))
        pairs = {f"{a}/{b}": round(t[a] / t[b], 3) for a, b in wanted if a in t and b in t}
        if pairs:
            found[name] = pairs
    return found


def slower(now, before):
    """[(case, ratio, now, before)] of what the baseline has and that got worse."""
    return [
        (name, ratio, now[name][ratio], limit)
        for name, pairs in before.items()
        for ratio, limit in pairs.items()
        if ratio in now.get(name, {}) and now[name][ratio] > tolerated * limit
    ]


def check(program, records, options):
    """Compares with the baseline; a case that seems slower is measured again, by itself."""
    before = json.loads(baseline_path.read_text())
    now = ratios(records)
    for attempt in range(again):
        suspects = sorted({name for name, *_ in slower(now, before)})
        if not suspects:
            break
        print(f"\n{len(suspects)} cases seem slower; measured again ({attempt + 1} of {again})")
        names = "|".join(re.escape(name) for name in suspects)
        for name, pairs in ratios(measure(program, ["--filter", f"^({names})$", *options])).items():
            for ratio, value in pairs.items():
                now[name][ratio] = min(value, now[name].get(ratio, value))
    losses = slower(now, before)
    compared = sum(name in before for name in now)
    print(f"\n{compared} cases compared with {baseline_path.name}, {len(losses)} ratios lost more than "
          f"{round(100 * (tolerated - 1))} %")
    for name, ratio, value, limit in losses:
        print(f"  {name}: {ratio} {value:.2f}, was {limit:.2f}")
    return 1 if losses else 0


def write_baseline(records):
    """Cases that were not measured keep their ratios."""
    known = json.loads(baseline_path.read_text()) if baseline_path.exists() else {}
    known.update(ratios(records))
    lines = [f"{json.dumps(name)}: {json.dumps(known[name])}" for name in sorted(known)]
    baseline_path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"wrote {baseline_path}: {len(known)} cases")


def output_of(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, cwd=here).stdout.strip()
    except OSError:
        return ""


def describe(command, environment):
    """What a reader needs to run it again."""
    lscpu = dict(line.split(":", 1) for line in output_of("lscpu").splitlines() if ":" in line)
    memory = re.search(r"MemTotal:\s*(\d+)", pathlib.Path("/proc/meminfo").read_text())
    packages = {name: output_of("dpkg-query", "-W", "-f", "${Version}", name) for name in
                ("libopenblas0-openmp", "libeigen3-dev", "libxtensor-dev", "libxsimd-dev")}
    return {
        "command": command,
        "commit": output_of("git", "describe", "--always", "--dirty"),
        "date": output_of("date", "-u", "+%Y-%m-%d %H:%M UTC"),
        "processor": lscpu.get("Model name", "").strip(),
        "model": ", ".join(f"{name.lower()} {lscpu[name].strip()}" for name in
                           ("CPU family", "Model", "Hypervisor vendor") if name in lscpu),
        "processors": os.cpu_count(),
        "caches": {name: lscpu[name].strip() for name in lscpu if name.endswith("cache")},
        "memory_gb": round(int(memory.group(1)) / 2**20) if memory else 0,
        "kernel": output_of("uname", "-sr"),
        "compiler": output_of("c++", "--version").splitlines()[0],
        "load": os.getloadavg()[0],
        "environment": environment,
        "set": {"SINTER_JIT": "wait, but background in first_call and where said", "SINTER_CACHE_DIR": "empty"},
        "versions": {name: version for name, version in packages.items() if version},
    }


def main():
    command = "./dev bench " + " ".join(sys.argv[2:])
    parser = argparse.ArgumentParser(prog="./dev bench", add_help=False)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--write-baseline", action="store_true")
    parser.add_argument("--report", type=pathlib.Path)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    known, options = parser.parse_known_args(sys.argv[2:])
    program = sys.argv[1]
    if "--help" in options or "-h" in options:
        print(__doc__)
    environment = settle_environment()
    description = describe(command, environment)
    description["warnings"] = []
    records = measure(program, options, description["warnings"])
    if known.peers:
        import peers

        records += peers.measure(program, options)
        description["versions"] |= peers.versions()
    if known.json:
        known.json.write_text(json.dumps(records, indent=1) + "\n")
    if known.report:
        import report

        known.report.mkdir(parents=True, exist_ok=True)
        (known.report / "results.json").write_text(json.dumps(records, indent=1) + "\n")
        (known.report / "run.json").write_text(json.dumps(description, indent=1) + "\n")
        print(f"report: {report.write(known.report)}")
    if known.write_baseline:
        # The best times of two runs: one disturbed loop by hand would promise too much.
        write_baseline(records + measure(program, options))
    if not known.check:
        return 0
    without_filter = [o for i, o in enumerate(options) if o != "--filter" and
                      (i == 0 or options[i - 1] != "--filter") and not o.startswith("--filter=")]
    return check(program, records, without_filter)


if __name__ == "__main__":
    sys.exit(main())

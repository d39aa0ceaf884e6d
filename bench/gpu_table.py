"""The results of `./run bench` on a GPU as a table, and in the form that is kept in bench/results.

python3 bench/gpu_table.py RESULTS [--keep FILE] [--before FILE]     # RESULTS: results.json of a bundle, or a kept file

Times are microseconds, the best of several samples. --before adds the library's times of another file.
"""

import argparse
import json
import pathlib

columns = {"fused": ("fused", "fused (peers)"), "copy": ("copy", "copy (peers)"), "eager": ("eager", "eager (peers)"),
           "torch": ("torch",), "torch.compile": ("torch.compile",), "library": ("blas", "cub")}


def keep(results):
    """One line for each case, and for each step what ran."""
    if "cases" in results:
        return results
    cases = {}
    for r in results["records"] + results["peers"]:
        note = r["note"] if r["case"] in ("launch", "small_kernels", "compile") else ""
        line = cases.setdefault((r["case"], r["dtype"], r["n"], note), {})
        name = next((name for name, impls in columns.items() if r["impl"] in impls), r["impl"])
        line[name] = min(line.get(name, 1e30), round(r["min_ns"] / 1e3, 2))
    steps = {}
    for s in results["steps"]:
        words = s["step"].split()
        name = " ".join(words[:2]) if "to" in words or "alone" in words else s["step"]
        count = int(words[4]) - int(words[2]) + 1 if words[3:4] == ["to"] else 1
        # The cases of a part that failed ran alone, too.
        if count > 1 and s["state"] not in ("passed", "left out"):
            continue
        states = steps.setdefault(name, {})
        states[s["state"]] = states.get(s["state"], 0) + count
    commands = [s["command"] for s in results["steps"] if s["step"].startswith("bench") and s["command"]]
    return {"gpu": results["gpu"].strip(), "commands": commands, "steps": steps,
            "cases": [{"case": c, "dtype": t, "n": n, **({"note": note} if note else {}), "us": us}
                      for (c, t, n, note), us in cases.items()]}


def text(kept, before):
    old = {(c["case"], c["dtype"], c["n"], c.get("note")): c["us"] for c in before["cases"]} if before else {}
    shown = [name for name in columns if any(name in c["us"] for c in kept["cases"])]
    head = ["case", "dtype", "n", *(["before"] if before else []), *shown]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for c in kept["cases"]:
        was = old.get((c["case"], c["dtype"], c["n"], c.get("note")), {})
        cells = [c["case"] + (f" ({c['note']})" if c.get("note") else ""), c["dtype"], f"{c['n']:.3g}"]
        if before:
            cells.append(f"{was['fused']:.0f}" if "fused" in was else "")
        cells += [f"{c['us'][name]:.4g}" if name in c["us"] else "" for name in shown]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("results")
    parser.add_argument("--keep")
    parser.add_argument("--before")
    options = parser.parse_args()
    kept = keep(json.loads(pathlib.Path(options.results).read_text()))
    if options.keep:
        lines = json.dumps({k: v for k, v in kept.items() if k != "cases"}, indent=1)[:-2]
        lines += ',\n "cases": [\n  ' + ",\n  ".join(map(json.dumps, kept["cases"])) + "\n ]\n}\n"
        pathlib.Path(options.keep).write_text(lines)
    before = keep(json.loads(pathlib.Path(options.before).read_text())) if options.before else None
    print(text(kept, before))


if __name__ == "__main__":
    main()

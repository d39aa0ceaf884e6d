"""Runs a program with a trace, draws it whole and in part, and reads the pictures: run.py PROGRAM SCRIPT"""

import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

program, script = sys.argv[1:]


def rectangles(trace, picture, *options):
    subprocess.run([sys.executable, script, trace, picture, *options], check=True)
    root = xml.etree.ElementTree.parse(picture).getroot()
    named = {}
    for r in root.iter("{http://www.w3.org/2000/svg}rect"):
        for title in r:
            assert 0 <= float(r.get("x")) and float(r.get("x")) + float(r.get("width")) <= 901, r.attrib
            named.setdefault(title.text.split(" ")[0], []).append(r)
    return named


with tempfile.TemporaryDirectory() as folder:
    trace, picture = os.path.join(folder, "trace.json"), os.path.join(folder, "picture.svg")
    subprocess.run([program], env=os.environ | {"SINTER_TRACE": trace, "SINTER_CACHE_DIR": ""}, check=True,
                   stdout=subprocess.DEVNULL)
    whole = rectangles(trace, picture)
    for name in ("flush", "plan", "kernel"):
        assert name in whole, (name, list(whole))
    end = max(e["ts"] + e["dur"] for e in json.load(open(trace)) if e["ph"] == "X") / 1e3
    part = rectangles(trace, picture, "--from", "0", "--to", str(end - 0.001))
    assert 0 < sum(map(len, part.values())) < sum(map(len, whole.values()))
    # A program that was killed leaves a list without an end.
    text = open(trace).read().rstrip().removesuffix("]").rstrip()
    open(trace, "w").write(text)
    assert rectangles(trace, picture).keys() == whole.keys()
print("drawn:", {name: len(r) for name, r in whole.items()})

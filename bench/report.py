"""One HTML page, readable without a network, from a folder with results.json and run.json.

python3 bench/report.py DIR writes DIR/index.html, and DIR/table.md for docs/performance.md; `./dev bench --report DIR` does it after a run.
"""

import html
import json
import math
import pathlib
import sys

from chart import bars, log_plot

# Rivals in the order in which they are shown.
rivals = ["hand", "hand_fast", "blas", "eager", "eigen", "xtensor", "numpy", "numexpr", "torch", "torch.compile", "jax"]
python_peers = {"numpy", "numexpr", "torch", "torch.compile", "jax"}
peers = python_peers | {"eigen", "xtensor"}
tie = 1.05  # times within this are a tie
limit = 0.85  # and so is what leaves neither of library and peer much to gain: of the triad
own_compared = "fused (peers)"  # the library as it ran in turn with the Python peers
reused = "fused reused"


def escape(text):
    return html.escape(str(text))


class group:
    """Records of one case, dtype, size and thread count."""

    def __init__(self, r):
        self.case, self.dtype, self.n, self.threads = r["case"], r["dtype"], r["n"], r["threads"]
        self.bytes, self.flops = r["bytes"], r["flops"]
        self.times, self.triads = {}, {}

    def add(self, r):
        into_existing = r["impl"].startswith("fused") and r["note"].startswith("reused")
        name = r["impl"] + (" reused" if into_existing else "")
        if name not in self.times or r["min_ns"] < self.times[name]:
            self.times[name] = r["min_ns"]
        if r.get("stream_fraction"):
            side = r["impl"] in python_peers or r["impl"].endswith("(peers)")
            self.triads[side] = max(self.triads.get(side, 0), r["gbps"] / r["stream_fraction"])

    def own_name(self, rival):
        """Whom of the library to hold against a rival: of the same interleaved run, and under the rival's numerics."""
        if rival in python_peers:
            return own_compared
        return "fast" if rival == "hand_fast" and "fast" in self.times else "fused"

    def own(self, rival):
        return self.times.get(self.own_name(rival))

    def shown(self):
        return self.times.get("fused") or self.times.get(own_compared)

    def gain(self, rival):
        """How many times faster than the rival the library is; None where they did not meet."""
        own, other = self.own(rival), self.times.get(rival)
        return other / own if own and other else None

    def triad_gbps(self, with_python=False):
        """Of the better triad of as many bytes, beside the Python peers or beside the others."""
        return self.triads.get(with_python) or self.triads.get(not with_python)

    def fraction(self, ns, with_python=False):
        triad = self.triad_gbps(with_python)
        return self.bytes / ns / triad if triad and ns else None

    def at_limit(self, rival):
        """Whether library and peer both do what memory can."""
        slower = max(self.own(rival), self.times[rival])
        return rival in peers and (self.fraction(slower, rival in python_peers) or 0) > limit

    def outcome(self, rival):
        gain = self.gain(rival)
        if 1 / tie <= gain <= tie or self.at_limit(rival):
            return "tied"
        return "won" if gain > 1 else "lost"


def grouped(records):
    groups = {}
    for r in records:
        if not r["bytes"]:
            continue
        k = (r["case"], r["dtype"], r["n"], r["threads"])
        groups.setdefault(k, group(r)).add(r)
    return list(groups.values())


def present(groups):
    return [r for r in rivals if any(r in g.times for g in groups)]


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def short(n):
    for unit, size in (("M", 10**6), ("k", 10**3)):
        if n >= size:
            return f"{n / size:.3g}{unit}"
    return str(n)


def duration(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.3g} ns"


# ---- who wins where

def scores(groups):
    """A bar for each rival: geometric mean of how many times faster the library is."""
    rows = []
    for rival in present(groups):
        met = [g for g in groups if g.gain(rival)]
        if not met:
            continue
        outcomes = [g.outcome(rival) for g in met]
        rows.append((rival, geometric_mean([g.gain(rival) for g in met]),
                     ", ".join(f"{outcomes.count(o)} {o}" for o in ("won", "tied", "lost"))))
    return bars(rows, "times faster than the rival, geometric mean; left of 1 the rival is faster")


def shade(gain, outcome):
    """The class of a cell: how clear the win or the loss is."""
    if outcome == "won":
        return "win2" if gain >= 2 else "win1"
    if outcome == "lost":
        return "loss2" if gain <= 0.5 else "loss1"
    return "tied"


def factor(gain):
    return f"{gain:.2f}" if gain < 10 else f"{gain:.0f}"


def marked(g, rival):
    """A factor, with ▼ for a loss and ≈ for what is a tie only since memory allows no more."""
    gain, outcome = g.gain(rival), g.outcome(rival)
    sign = "▼ " if outcome == "lost" else "≈ " if outcome == "tied" and not 1 / tie <= gain <= tie else ""
    return sign + factor(gain)


def matrix(groups):
    """Rows are cases and sizes; a cell says how many times faster the library is."""
    columns = present(groups)
    head = ("<tr class=head><th>case</th><th>n</th><th>fused</th><th>of triad</th><th>reused</th>"
            + "".join(f"<th>{escape(c)}</th>" for c in columns) + "</tr>")
    body, last, cases = [], None, 0
    for g in groups:
        cells = []
        for c in columns:
            gain = g.gain(c)
            cells.append("<td></td>" if gain is None else
                         f'<td class="{shade(gain, g.outcome(c))}" title="{escape(c)} {duration(g.times[c])}, '
                         f'{g.own_name(c)} {duration(g.own(c))}">{marked(g, c)}</td>')
        name = escape(g.case) if g.case != last else ""
        if name and cases % 8 == 0 and cases:
            body.append(head)  # a long table: what the columns are is out of sight
        cases += bool(name)
        last = g.case
        side = "fused" not in g.times
        fraction, own = g.fraction(g.shown(), side), g.shown()
        into = g.times.get(own_compared + " reused" if side else reused)
        body.append(f'<tr{" class=first" if name else ""}><th>{name}</th><td>{short(g.n)}</td><td>{duration(own)}</td>'
                    f'<td>{"" if not fraction else f"{fraction:.2f}"}</td>'
                    f'<td>{"" if not into else f"{into / own:.2f}"}</td>{"".join(cells)}</tr>')
    return f'<div class="wide"><table><thead>{head}</thead><tbody>{"".join(body)}</tbody></table></div>'


def losses(groups):
    """Every one, a fold for each rival, furthest behind first."""
    folds = []
    for rival in present(groups):
        met = [g for g in groups if g.gain(rival)]
        lost = sorted((g for g in met if g.outcome(rival) == "lost"), key=lambda g: g.gain(rival))
        if not lost:
            if met:
                folds.append(f"<p class='none'>{escape(rival)}: none of {len(met)}</p>")
            continue
        rows = "".join(
            f"<tr><th>{escape(g.case)}</th><td>{g.dtype}</td><td>{short(g.n)}</td><td>{g.threads}</td>"
            f"<td>{duration(g.own(rival))}</td><td>{duration(g.times[rival])}</td>"
            f"<td class='{shade(g.gain(rival), 'lost')}'>▼ {factor(g.gain(rival))}</td></tr>" for g in lost)
        folds.append(
            f"<details{' open' if rival in peers and len(lost) <= 12 else ''}><summary>{escape(rival)}: {len(lost)} of "
            f"{len(met)}</summary><div class='wide'><table><thead><tr><th>case</th><th>dtype</th><th>n</th><th>threads</th>"
            f"<th>{escape(lost[0].own_name(rival))}</th><th>{escape(rival)}</th><th>factor</th></tr></thead>"
            f"<tbody>{rows}</tbody></table></div></details>")
    return "".join(folds) or "<p>None.</p>"


# ---- plots

def roofline(groups, dtype, threads):
    """Arithmetic over bytes; the largest size of each case, under what the machine was seen to do."""
    chosen = {}
    for g in groups:
        if g.dtype == dtype and g.threads == threads and "fused" in g.times and g.flops:
            if g.case not in chosen or g.n > chosen[g.case].n:
                chosen[g.case] = g
    measured = [g for g in groups if g.dtype == dtype and g.threads == threads]
    if not chosen:
        return ""
    points = [(g.flops / g.bytes, g.flops / g.times["fused"], g.case) for g in chosen.values()]
    peak = max(g.flops / t for g in measured for name, t in g.times.items() if "peers" not in name)
    ceilings = []
    for name, low, high in (("memory", 2e8, 1e12), ("L2", 2e5, 1.5e6)):
        rates = [g.triad_gbps() for g in measured if g.triad_gbps() and low <= g.bytes <= high]
        if rates:
            ceilings.append((f"{name} triad {max(rates):.0f} GB/s", max(rates)))
    low, high = min(p[0] for p in points) / 2, max(p[0] for p in points) * 2
    lines = []
    for name, rate in ceilings:
        knee = min(max(peak / rate, low), high)
        lines.append((name, "limit", [(low, low * rate), (knee, knee * rate)]))
    lines.append((f"best seen {peak:.0f} GFLOP/s", "limit",
                  [(min(peak / max(r for _, r in ceilings), high) if ceilings else low, peak), (high, peak)]))
    return log_plot(lines, points, 920, 480, "operations a byte", "GFLOP/s", labels=True)


shown_lines = ["fused", "hand", "eager", "eigen", "torch.compile", "jax"]


def over_n(groups, dtype, threads):
    """Small multiples: GB/s over n, one for each case."""
    figures = []
    by_case = {}
    for g in groups:
        if g.dtype == dtype and g.threads == threads:
            by_case.setdefault(g.case, []).append(g)
    for case, members in by_case.items():
        members.sort(key=lambda g: g.n)
        lines = []
        # What computes much for each byte is told by its arithmetic.
        what, unit = ("flops", "GFLOP/s") if members[0].flops > 8 * members[0].bytes else ("bytes", "GB/s")
        for name in shown_lines:
            points = [(g.n, getattr(g, what) / g.times[name]) for g in members if name in g.times]
            if points:
                lines.append((name, name.replace(".", "-"), points))
        if lines:
            figures.append(f"<figure><figcaption>{escape(case)}</figcaption>"
                           f"{log_plot(lines, [], 290, 190, 'n', unit)}</figure>")
    return f'<div class="multiples">{"".join(figures)}</div>'


def legend(names):
    return '<p class="legend">' + "".join(
        f'<span><i class="{n.replace(".", "-")}"></i>{escape(n)}</span>' for n in names) + "</p>"


def latencies(records):
    """A plot for each kind of thing that is paid before and around kernels; the rival's bars are grey."""
    kinds = {"A cached statement of three operations, 16 elements": [], "Statements that stay pending, of 16 elements": [],
             "Compilation": [], "First call on 1e6 elements, compiler open": [], "First result of a process": []}
    dispatch, graphs, compilation, calls, results = kinds.values()
    for r in records:
        if r["bytes"]:
            continue
        t = f", {r['threads']} threads" if r["threads"] > 1 else ""
        case, n, ns = r["case"], r["n"], r["median_ns"]
        rival = r["impl"] != "fused"
        if case == "dispatch":
            dispatch.append((r["impl"] + t, ns, rival))
        elif case.startswith("graph"):
            what = {"graph_chain": "a chain", "graph_apart": "apart"}.get(case, case)
            graphs.append((f"{short(n)} in {what}, a statement".replace("in apart", "apart"), ns / n, rival))
        elif case == "compile":
            compilation.append((f"{n} operation{'s' if n > 1 else ''}", ns, rival))
        elif case == "compile_together":
            compilation.append((f"{n} kernels at once, each{t}", ns, rival))
        elif case == "first_call":
            calls.append((r["impl"] + t, ns, rival))
        elif case == "first_result":
            results.append((r["note"], ns, rival))
    return "".join(f"<h3>{title}</h3>" + bars([(name, ns, duration(ns), rival) for name, ns, rival in rows],
                                              "median, logarithmic", base=None, number=duration)
                   for title, rows in kinds.items() if rows) or "<p>Not measured.</p>"


# ---- the page

def facts(run):
    rows = [("commit", run["commit"]), ("date", run["date"]),
            ("processor", f"{run['processor']} ({run.get('model', '')}), {run['processors']} processors, {run['memory_gb']} GB"),
            ("caches", ", ".join(f"{k.removesuffix(' cache')} {v}" for k, v in run["caches"].items())),
            ("system", f"{run['kernel']}; {run['compiler']}"),
            ("versions", ", ".join(f"{k} {v}" for k, v in run.get("versions", {}).items()) or "not recorded"),
            ("load before", f"{run['load']:.2f}")]
    return "<dl>" + "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in rows) + "</dl>"


def environment(run):
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{'not set' if value is None else escape(value)}</td>"
                   f"<td class=said>{'' if value is None else 'unset for the run'}</td></tr>"
                   for name, value in sorted(run["environment"].items()))
    rows += "".join(f"<tr><th>{escape(name)}</th><td></td><td class=said>set for the run: {escape(value)}</td></tr>"
                    for name, value in run.get("set", {}).items())
    return (f"<table><thead><tr><th>variable</th><th>was</th><th></th></tr></thead><tbody>{rows}</tbody></table>")


def by_dtype_and_threads(groups, render):
    """One fold for each; the first is open."""
    parts = []
    for threads in sorted({g.threads for g in groups}):
        for dtype in ("f32", "f64", "f16", "bf16"):
            chosen = [g for g in groups if g.threads == threads and g.dtype == dtype]
            if chosen:
                parts.append(f"<details{'' if parts else ' open'}><summary>{dtype}, {threads} "
                             f"thread{'s' if threads > 1 else ''}</summary>{render(chosen, dtype, threads)}</details>")
    return "".join(parts)


def page(records, run):
    groups = grouped(records)
    style = (pathlib.Path(__file__).parent / "report.css").read_text()
    threads = sorted({g.threads for g in groups})
    long_enough = [g for g in groups if g.n >= 50000]
    sections = [
        ("Who wins where", "<p>Work of 50,000 elements and more; smaller work is in the tables below. "
         f"Within {round(100 * (tie - 1))} % is a tie, and against Eigen, xtensor and the Python peers so is what both do at more "
         f"than {limit} of the triad's rate. The means are over all factors, ties as measured. hand_fast is held against "
         "FastMathGuard.</p>" + "".join(
             f"<h3>{t} thread{'s' if t > 1 else ''}</h3>" + scores([g for g in long_enough if g.threads == t])
             for t in threads)),
        ("Losses", "<p>Every case of 50,000 elements and more that is slower than a rival; hand_fast has other numerics.</p>"
         + losses(long_enough)),
        ("Every case", "<p>How many times faster <b>fused</b>, with a fresh result, is than each rival; "
         "<span class='loss1'>▼ below 1</span> the rival is faster, <span class='tied'>≈</span> both are at the triad's rate. "
         "<i>of triad</i>: the rate over the better of two triads of as many bytes. <i>reused</i>: the time into an existing "
         "tensor over that into a new one. Hover for times.</p>" + by_dtype_and_threads(groups, lambda g, *_: matrix(g))),
        ("Roofline", "<p>The largest size of each case, f32. The slanted lines are triads measured in the same run, "
         "the level one is the highest rate of any rival.</p>" + "".join(
             f"<h3>{t} thread{'s' if t > 1 else ''}</h3>{roofline(groups, 'f32', t)}" for t in threads)),
        ("Speed over n", legend(shown_lines) + by_dtype_and_threads(
            groups, lambda g, dtype, t: over_n(g, dtype, t))),
        ("Latency and compilation", latencies(records)),
        ("How it was run", f"<pre>{escape(run['command'])}</pre>{facts(run)}<h3>Environment</h3>{environment(run)}"
         "<p>docs/performance.md says how to read this page, bench/README.md how it is measured.</p>"),
    ]
    warned = "".join(f"<p class='loss2'>{escape(w)}</p>" for w in run.get("warnings", []))
    body = "".join(f"<section><h2>{name}</h2>{text}</section>" for name, text in sections)
    return (f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Sinter: speed on CPUs</title>'
            f'<meta name="viewport" content="width=device-width"><style>{style}</style></head><body><main>'
            f"<h1>Sinter: speed on CPUs</h1><p class='lead'>{escape(run['processor'])}, commit {escape(run['commit'])}, "
            f"{escape(run['date'])}</p>{warned}{body}</main></body></html>")


def markdown(records):
    """The table of docs/performance.md: about 1e6 elements, not f64."""
    nearest = {}
    for g in grouped(records):
        k = (g.threads, g.case)
        distance = abs(math.log(g.n / 1e6))
        if g.dtype != "f64" and distance < 4 and (k not in nearest or distance < abs(math.log(nearest[k].n / 1e6))):
            nearest[k] = g
    columns = present(nearest.values())
    parts = []
    for threads in sorted({t for t, _ in nearest}):
        head = ["case", "dtype", "n", "fused", "of triad", *columns]
        rows = [head, ["---"] * len(head)]
        for (t, _), g in nearest.items():
            if t != threads:
                continue
            side = "fused" not in g.times
            fraction = g.fraction(g.shown(), side)
            rows.append([f"`{g.case}`", g.dtype, short(g.n), duration(g.shown()), f"{fraction:.2f}" if fraction else "",
                         *("" if not g.gain(c) else marked(g, c) for c in columns)])
        table = "\n".join("| " + " | ".join(row) + " |" for row in rows)
        parts.append(f"### {threads} thread{'s' if threads > 1 else ''}\n\n{table}\n")
    return "\n".join(parts)


def write(folder):
    records = json.loads((folder / "results.json").read_text())
    run = json.loads((folder / "run.json").read_text())
    path = folder / "index.html"
    path.write_text(page(records, run))
    (folder / "table.md").write_text(markdown(records))
    return path


if __name__ == "__main__":
    print(write(pathlib.Path(sys.argv[1])))

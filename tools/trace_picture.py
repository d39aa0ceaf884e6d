"""Draws a trace (SINTER_TRACE=trace.json) as an SVG picture, for pages where Perfetto is too much:

python3 tools/trace_picture.py trace.json picture.svg [--from MS] [--to MS]

One band for each thread; in it, what the library did, from the outside (flush) to the inside (kernel).
"""

import argparse
import html
import json

colours = {"flush": "#9aa5b1", "plan": "#e8a33d", "find kernels": "#d9c04a", "compile": "#c0504d",
           "load": "#b07aa1", "kernel": "#4f81bd", "reduction": "#8fb8de", "library": "#6aa84f"}
depth = {"flush": 0, "plan": 1, "find kernels": 1, "compile": 0, "load": 1, "kernel": 2, "reduction": 2, "library": 2}
width, left, row, gap = 900, 70, 22, 14


def events_of(path):
    text = open(path).read().strip()
    if not text.endswith("]"):  # of a program that still runs, or was killed
        text = text.rstrip(",") + "]"
    return [e for e in json.loads(text) if e.get("ph") == "X"]


def kind_of(event):
    return "library" if event.get("cat") == "library" else event["name"] if event["name"] in colours else None


def picture(events, begin, end):
    scale = (width - left - 10) / (end - begin)
    threads = sorted({e["tid"] for e in events})
    parts, y, used = [], 30, []
    for thread in threads:
        mine = [e for e in events if e["tid"] == thread and kind_of(e)]
        if not mine:
            continue
        rows = 1 + max(depth[kind_of(e)] for e in mine)
        label = "program" if thread == threads[0] else "compiler" if any(e["name"] == "compile" for e in mine) \
            else f"thread {thread}"
        parts.append(f'<text x="4" y="{y + 15}">{label}</text>')
        for e in sorted(mine, key=lambda e: depth[kind_of(e)]):
            kind = kind_of(e)
            if kind not in used:
                used.append(kind)
            x = left + (e["ts"] / 1e3 - begin) * scale
            w = max(e["dur"] / 1e3 * scale, 0.4)
            note = ", ".join(f"{k}: {v}" for k, v in e.get("args", {}).items())
            parts.append(
                f'<rect x="{x:.1f}" y="{y + row * depth[kind]}" width="{w:.1f}" height="{row - 3}" '
                f'fill="{colours[kind]}"><title>{html.escape(e["name"])} {e["dur"] / 1e3:.3f} ms; '
                f'{html.escape(note)}</title></rect>')
        y += rows * row + gap
    step = next(s for s in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 1e9) if (end - begin) / s <= 12)
    at = step * (int(begin / step) + (begin % step > 0))
    while at <= end:
        x = left + (at - begin) * scale
        parts.append(f'<line x1="{x:.1f}" y1="24" x2="{x:.1f}" y2="{y - gap + 4}" stroke="#ddd"/>'
                     f'<text x="{x:.1f}" y="18" text-anchor="middle">{at:g} ms</text>')
        at += step
    x = left
    for kind in used:
        parts.append(f'<rect x="{x}" y="{y}" width="12" height="12" fill="{colours[kind]}"/>'
                     f'<text x="{x + 17}" y="{y + 11}">{kind}</text>')
        x += 40 + 8 * len(kind)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y + 24}" '
            f'viewBox="0 0 {width} {y + 24}" font-family="sans-serif" font-size="12">\n'
            f'<rect width="{width}" height="{y + 24}" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("trace")
    parser.add_argument("picture")
    parser.add_argument("--from", dest="begin", type=float)
    parser.add_argument("--to", dest="end", type=float)
    options = parser.parse_args()
    events = events_of(options.trace)
    begin = options.begin if options.begin is not None else min(e["ts"] for e in events) / 1e3
    end = options.end if options.end is not None else max(e["ts"] + e["dur"] for e in events) / 1e3
    inside = [e for e in events if e["ts"] / 1e3 >= begin and (e["ts"] + e["dur"]) / 1e3 <= end]
    open(options.picture, "w").write(picture(inside, begin, end))


if __name__ == "__main__":
    main()

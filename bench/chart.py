"""Plots as inline SVG; colours come from classes of report.css."""

import html
import math


def text(x, y, words, anchor="start", kind="", extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}" {extra}>{html.escape(words)}</text>'


def ticks(low, high, most):
    """Powers of ten in [low, high], thinned out; with 2 and 5 between them where there are few."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    found = [10.0**e for e in range(first, last + 1)]
    if len(found) < 2:
        found = [m * 10.0**e for e in range(first - 1, last + 1) for m in (1, 2, 5) if low <= m * 10.0**e <= high]
    return found[:: max(1, math.ceil(len(found) / most))]


def number(v):
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if v >= size:
            return f"{v / size:g}{unit}"
    return f"{v:g}"


def place(points, names, width, height, taken):
    """Where each name goes: [(x, y, anchor, far)], beside its point, or further off where that is taken."""
    taken = [(x - 5, y - 5, x + 5, y + 5) for x, y in points] + taken
    found = []
    for (x, y), name in zip(points, names):
        wide = 6.6 * len(name) + 4
        for distance in range(8, 150, 6):
            spots = []
            for angle in (0, 180, 30, -30, 150, -150, 60, -60, 120, -120, 90, -90):
                dx, dy = distance * math.cos(math.radians(angle)), distance * math.sin(math.radians(angle))
                anchor = "start" if dx >= 0 else "end"
                left = x + dx if anchor == "start" else x + dx - wide
                spots.append((left, y + dy - 7, left + wide, y + dy + 6, x + dx, y + dy + 4, anchor))
            free = [s for s in spots if s[0] > 46 and s[2] < width - 4 and s[1] > 4 and s[3] < height - 32
                    and not any(s[0] < t[2] and t[0] < s[2] and s[1] < t[3] and t[1] < s[3] for t in taken)]
            if free:
                spot = free[0]
                taken.append(spot[:4])
                found.append((spot[4], spot[5], spot[6], distance > 14))
                break
        else:
            found.append(None)  # its point still has a title
    return found


def log_plot(lines, points, width, height, x_name, y_name, labels=False):
    """lines: [(name, class, [(x, y)])], points: [(x, y, name)]; both axes logarithmic."""
    xs = [x for _, _, line in lines for x, _ in line] + [p[0] for p in points]
    ys = [y for _, _, line in lines for _, y in line] + [p[1] for p in points]
    x0, x1, y0, y1 = min(xs), max(xs), min(ys), max(ys)
    x0, x1 = (x0 / 2, x1 * 2) if x0 == x1 else (x0, x1)
    y0, y1 = y0 / 1.3, y1 * 1.3
    if y1 / y0 < 10:
        middle = math.sqrt(y0 * y1)
        y0, y1 = middle / 3.2, middle * 3.2
    left, right, top, bottom = 44, 12, 8, 30

    def px(x):
        return left + (math.log(x / x0) / math.log(x1 / x0)) * (width - left - right)

    def py(y):
        return height - bottom - (math.log(y / y0) / math.log(y1 / y0)) * (height - top - bottom)

    out = [f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">']
    for t in ticks(y0, y1, 6):
        out.append(f'<line class="grid" x1="{left}" x2="{width - right}" y1="{py(t):.1f}" y2="{py(t):.1f}"/>')
        out.append(text(left - 5, py(t) + 4, number(t), "end", "tick"))
    for t in ticks(x0, x1, 6 if width < 400 else 12):
        out.append(f'<line class="grid" y1="{top}" y2="{height - bottom}" x1="{px(t):.1f}" x2="{px(t):.1f}"/>')
        out.append(text(px(t), height - bottom + 14, number(t), "middle", "tick"))
    words_taken = []
    out.append(text((left + width - right) / 2, height - 3, x_name, "middle", "axis"))
    out.append(text(11, (top + height - bottom) / 2, y_name, "middle", "axis",
                    f'transform="rotate(-90 11 {(top + height - bottom) / 2:.0f})"'))
    for name, kind, line in reversed(lines):
        path = " ".join(f"{px(x):.1f},{py(y):.1f}" for x, y in line)
        out.append(f'<polyline class="{kind}" points="{path}"><title>{html.escape(name)}</title></polyline>')
        if kind != "limit":
            out.extend(f'<circle class="{kind}" cx="{px(x):.1f}" cy="{py(y):.1f}" r="2.6"><title>'
                       f"{html.escape(name)}: {y:.3g} {y_name} at {number(x)}</title></circle>" for x, y in line)
        elif labels:
            x, y = line[-1] if line[0][1] == line[-1][1] else line[0]
            end = line[0][1] == line[-1][1]
            slope = 0 if end else math.degrees(math.atan2(py(line[1][1]) - py(line[0][1]), px(line[1][0]) - px(line[0][0])))
            for step in range(0, 0 if end else 7 * len(name), 7):
                along = math.radians(slope)
                middle = (px(x) + 8 + step * math.cos(along) + 10 * math.sin(along),
                          py(y) + step * math.sin(along) - 10 * math.cos(along))
                words_taken.append((middle[0] - 6, middle[1] - 6, middle[0] + 6, middle[1] + 6))
            where = f'transform="rotate({slope:.1f} {px(x):.1f} {py(y):.1f})"'
            out.append(text(px(x) + (-4 if end else 8), py(y) - 6, name, "end" if end else "start", "tick", where))
    spots = [(px(x), py(y)) for x, y, _ in points]
    words = place(spots, [name for _, _, name in points], width, height, words_taken) if labels else [None] * len(points)
    for (x, y, name), (at_x, at_y), word in zip(points, spots, words):
        out.append(f'<circle class="fused" cx="{at_x:.1f}" cy="{at_y:.1f}" r="4"><title>{html.escape(name)}: '
                   f"{y:.3g} {y_name}</title></circle>")
        if word:
            if word[3]:
                out.append(f'<line class="leader" x1="{at_x:.1f}" y1="{at_y:.1f}" x2="{word[0]:.1f}" y2="{word[1] - 4:.1f}"/>')
            out.append(text(word[0], word[1], name, word[2], "label"))
    out.append("</svg>")
    return "".join(out)


def bars(rows, caption, base=1.0, number=number):
    """rows: [(name, value, note[, rival])], logarithmic; from `base`, or from below the smallest."""
    width, line, left, right = 920, 24, 340 if base is None else 250, 190
    values = [row[1] for row in rows] + ([base] if base else [])
    low, high = min(values), max(values)
    if base:
        low, high = min(low, 0.5) / 1.1, max(high, 2) * 1.1
    else:
        low, high = 10.0 ** math.floor(math.log10(low / 1.5)), 10.0 ** math.ceil(math.log10(high))
    height = line * len(rows) + 30

    def px(v):
        return left + math.log(v / low) / math.log(high / low) * (width - left - right)

    out = [f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">']
    for t in ticks(low, high, 8):
        out.append(f'<line class="grid" x1="{px(t):.1f}" x2="{px(t):.1f}" y1="0" y2="{height - 30}"/>')
        out.append(text(px(t), height - 16, number(t), "middle", "tick"))
    out.append(text((left + width - right) / 2, height - 2, caption, "middle", "axis"))
    for i, (name, value, note, *rival) in enumerate(rows):
        y = i * line
        start = px(base) if base else left
        a, b = min(start, px(value)), max(start, px(value))
        kind = "other" if any(rival) else "bad" if base and value < base else "good"
        out.append(text(left - 8, y + 16, name, "end", "label"))
        out.append(f'<rect class="{kind}" x="{a:.1f}" y="{y + 4}" width="{max(b - a, 1):.1f}" height="{line - 8}" rx="2"/>')
        shown = f"{value:.2f}× · {note}" if base else note
        out.append(text(max(b, px(base) if base else b) + 6, y + 16, shown, "start", "tick"))
    if base:
        out.append(f'<line class="base" x1="{px(base):.1f}" x2="{px(base):.1f}" y1="0" y2="{height - 30}"/>')
    out.append("</svg>")
    return f'<div class="wide">{"".join(out)}</div>'

"""Plain pictures of measurements, as SVG."""

from html import escape
from math import log10

COLORS = ["#2a6fb0", "#c2541b", "#3c8d40", "#8a4fa3", "#a08000", "#555555"]


def svg(width, height, parts):
    style = "text { font: 13px sans-serif; fill: #222 } rect.ground { fill: #fff }"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
    return "\n".join([head, f"<style>{style}</style>", '<rect class="ground" width="100%" height="100%"/>', *parts, "</svg>\n"])


def text(x, y, words, anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(str(words))}</text>'


def bars(title, values):
    """A bar for each name, in the order given."""
    most = max(values.values())
    parts = [text(10, 20, title)]
    for row, (name, value) in enumerate(values.items()):
        y = 34 + 20 * row
        width = 420 * value / most
        parts.append(text(240, y + 12, name, "end"))
        parts.append(f'<rect x="248" y="{y}" width="{width:.1f}" height="15" fill="{COLORS[0]}"/>')
        parts.append(text(254 + width, y + 12, f"{value:.0f}"))
    return svg(740, 44 + 20 * len(values), parts)


def curves(title, lines):
    """Lines over sizes, both axes by powers of ten: what grows with its size is a slope of one."""
    points = [point for line in lines.values() for point in line]
    low = [min(log10(point[axis]) for point in points) for axis in (0, 1)]
    high = [max(log10(point[axis]) for point in points) for axis in (0, 1)]
    across = lambda value: 70 + 480 * (log10(value) - low[0]) / max(high[0] - low[0], 1e-9)
    up = lambda value: 340 - 290 * (log10(value) - low[1]) / max(high[1] - low[1], 1e-9)
    parts = [text(10, 20, title)]
    for size in sorted({point[0] for point in points}):
        parts.append(text(across(size), 362, f"{size:,}", "middle"))
    for power in range(int(low[1] // 1), int(high[1] // 1) + 2):
        y = up(10**power)
        if 40 <= y <= 345:
            parts.append(f'<line x1="70" y1="{y:.1f}" x2="550" y2="{y:.1f}" stroke="#ddd"/>')
            parts.append(text(62, y + 4, f"{10**power:g}", "end"))
    for number, (name, line) in enumerate(lines.items()):
        color = COLORS[number % len(COLORS)]
        path = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in line)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>')
        parts.append(f'<rect x="570" y="{50 + 20 * number}" width="12" height="12" fill="{color}"/>')
        parts.append(text(588, 61 + 20 * number, name))
    return svg(740, 380, parts)

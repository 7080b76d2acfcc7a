"""Two plots as SVG text: a scatter plot of two tools, task by task, and a cactus plot of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import ceil, floor, log10

_SIZE, _LEFT, _BOTTOM, _TOP, _RIGHT = 440, 70, 50, 30, 20
_COLOURS = ("#1b6ca8", "#c4442f", "#3a8a4c", "#8a5ba6", "#b5852a")
_STYLE = "text{font:12px sans-serif;fill:#444}line,path{fill:none}.grid{stroke:#ddd}.axis{stroke:#666}"


class Axis:
    """A logarithmic scale from `low` to `high` on `length` pixels."""

    def __init__(self, values: Sequence[float], length: int):
        self.low = floor(log10(max(min(values, default=0.1), 0.001)))
        self.high = max(self.low + 1, ceil(log10(max(max(values, default=1.0), 0.001))))
        self.length = length

    def at(self, value: float) -> float:
        return (log10(max(value, 10**self.low)) - self.low) / (self.high - self.low) * self.length

    def ticks(self) -> list[float]:
        return [10.0**k for k in range(self.low, self.high + 1)]


def scatter(points: Sequence[tuple[float, float, bool]], across: str, up: str, limit: float) -> str:
    """Seconds of two tools on the same tasks: (one, other, whether the task is safe). On a `limit` line: not solved."""
    values = [limit, *(value for x, y, _ in points for value in (x, y))]
    x_axis, y_axis = Axis(values, _SIZE), Axis(values, _SIZE)
    body = _frame(x_axis, y_axis, f"{across}, seconds", f"{up}, seconds")
    body.append(f'<line class="axis" x1="{_LEFT}" y1="{_TOP + _SIZE}" x2="{_LEFT + _SIZE}" y2="{_TOP}" stroke-dasharray="4 4"/>')
    for x, y, safe in points:
        colour = _COLOURS[2] if safe else _COLOURS[1]
        cx, cy = _LEFT + x_axis.at(min(x, limit)), _TOP + _SIZE - y_axis.at(min(y, limit))
        body.append(f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="3" fill="{colour}" fill-opacity="0.5"/>')
    body += _legend([("safe", _COLOURS[2]), ("unsafe", _COLOURS[1])])
    return _document(body)


def cactus(times: Mapping[str, Sequence[float]]) -> str:
    """How many tasks each tool solves within a time each: the times of its right answers, sorted."""
    y_axis = Axis([t for row in times.values() for t in row] or [1.0], _SIZE)
    most = max([1, *(len(row) for row in times.values())])
    body = _frame(None, y_axis, f"tasks solved (of all tools: at most {most})", "seconds for one task")
    for colour, (_, row) in zip(_COLOURS, times.items()):
        points = [(_LEFT + (k + 1) / most * _SIZE, _TOP + _SIZE - y_axis.at(t)) for k, t in enumerate(sorted(row))]
        line = " ".join(f"{'L' if k else 'M'}{x:.1f} {y:.1f}" for k, (x, y) in enumerate(points))
        body.append(f'<path d="{line}" stroke="{colour}" stroke-width="2"/>')
    body += _legend([(f"{name} ({len(row)})", colour) for colour, (name, row) in zip(_COLOURS, times.items())])
    return _document(body)


def _frame(x_axis: Axis | None, y_axis: Axis, across: str, up: str) -> list[str]:
    bottom, right = _TOP + _SIZE, _LEFT + _SIZE
    body = [f'<rect x="{_LEFT}" y="{_TOP}" width="{_SIZE}" height="{_SIZE}" fill="none" class="axis"/>']
    for tick in y_axis.ticks():
        y = bottom - y_axis.at(tick)
        body.append(f'<line class="grid" x1="{_LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}"/>')
        body.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{tick:g}</text>')
    for tick in x_axis.ticks() if x_axis else []:
        assert x_axis is not None
        x = _LEFT + x_axis.at(tick)
        body.append(f'<line class="grid" x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{bottom}"/>')
        body.append(f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{tick:g}</text>')
    body.append(f'<text x="{_LEFT + _SIZE // 2}" y="{bottom + 38}" text-anchor="middle">{escape(across)}</text>')
    middle = _TOP + _SIZE // 2
    body.append(f'<text x="16" y="{middle}" text-anchor="middle" transform="rotate(-90 16 {middle})">{escape(up)}</text>')
    return body


def _legend(entries: Sequence[tuple[str, str]]) -> list[str]:
    body = []
    for k, (name, colour) in enumerate(entries):
        y = _TOP + 18 + 18 * k
        body.append(f'<circle cx="{_LEFT + 14}" cy="{y - 4}" r="4" fill="{colour}"/><text x="{_LEFT + 24}" y="{y}">{escape(name)}</text>')
    return body


def _document(body: Sequence[str]) -> str:
    width, height = _LEFT + _SIZE + _RIGHT, _TOP + _SIZE + _BOTTOM
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
    return "\n".join([head, f"<style>{_STYLE}</style>", f'<rect width="{width}" height="{height}" fill="#fff"/>', *body, "</svg>", ""])

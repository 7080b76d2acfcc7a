"""The control-flow graphs of a Program as one HTML file: a drawing for each start routine, and the same steps as a table.

A circle is a location, a box a step with its statement and its guard. The drawing is made here (`layered.py`): nothing has to be installed.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import pairwise

from fsoft.program.expr import TRUE, show
from fsoft.program.program import Check, Program, Step, Template
from fsoft.program.text import AddressNames
from fsoft.trace.html import asset, document
from fsoft.trace.layered import Drawing, draw
from fsoft.trace.values import user_loc
from fsoft.version import VERSION

_CUT = 46  # characters of a line in a box
_CHARACTER, _ROW, _RADIUS = 7.4, 16.0, 13.0
_MARGIN = 14.0
_TOOLS = (
    '<nav class="tools" aria-label="Search"><label>Search <input type="search" id="search" title="slash; Enter goes to the first"></label>'
    '<span id="hits" role="status"></span></nav>'
)


def graphs(program: Program, name: str) -> str:
    """The whole file; `name` is what the user calls the program."""
    words = AddressNames(program)
    parts = [_template(program, words, number, template) for number, template in enumerate(program.templates())]
    links = "".join(f'<li><a href="#g{k}">{escape(t.name)}</a></li>' for k, t in enumerate(program.templates()))
    counts = f"{len(program.threads)} threads, {sum(len(t.steps) for t in program.templates())} steps, {len(program.objects) - 1} objects"
    head = f'<header><h1>{escape(name)}</h1><p>{counts}</p><ul class="reasons">{links}</ul></header>'
    foot = f"<footer><p>Made by fsoft {escape(VERSION)}.</p></footer>"
    return document(f"{name}: control flow", f'{head}{_TOOLS}<main class="whole">{"".join(parts)}</main>{foot}', asset("graph.js"))


def _template(program: Program, words: AddressNames, number: int, template: Template) -> str:
    threads = ", ".join(f"{t.index} {t.name}" for t in program.threads if t.template is template)
    title = f'<h2 id="g{number}">{escape(template.name)}</h2><p>Threads: {escape(threads)}</p>'
    picture = f'<figure tabindex="0" role="group" aria-label="Drawing of {escape(template.name)}">{_svg(template, number)}</figure>'
    return f'<section aria-labelledby="g{number}">{title}{picture}{_table(words, template, number)}</section>'


# ---------------------------------------------------------------- the drawing


def _lines(step: Step) -> list[str]:
    """What is written in the box of a step."""
    found = [] if step.guard is TRUE else [f"[{show(step.guard)}]"]
    loc = user_loc(step)
    text = f"{loc.line}: {step.text}" if step.text else ", ".join(dict.fromkeys(tag.kind for tag in step.tags))
    return [line if len(line) <= _CUT else line[: _CUT - 3] + "..." for line in [*found, text] if line]


def _svg(template: Template, number: int) -> str:
    used = sorted({0} | {k for step in template.steps for k in (step.source, step.target)})
    index = {location: k for k, location in enumerate(used)}
    boxes = [_lines(step) for step in template.steps]
    sizes = [(2 * _RADIUS, 2 * _RADIUS)] * len(used)
    sizes += [(max((len(line) for line in box), default=1) * _CHARACTER + 12, max(1, len(box)) * _ROW + 8) for box in boxes]
    edges: list[tuple[int, int]] = []
    for k, step in enumerate(template.steps):
        edges += [(index[step.source], len(used) + k), (len(used) + k, index[step.target])]
    drawing = draw(sizes, edges, index[0])
    stops = {at: kind for kind, at in template.stops.items()}
    ends = [(sizes[a][1] / 2, sizes[b][1] / 2) for a, b in edges]
    shapes = [_edge(*one) for one in zip(drawing.bends, ends, drawing.backward)]
    for location in used:
        shapes.append(_circle(template, location, stops.get(location, ""), drawing.centres[index[location]]))
    for k, (step, box) in enumerate(zip(template.steps, boxes)):
        shapes.append(_box(f"g{number}s{k}", step, box, drawing.centres[len(used) + k], sizes[len(used) + k]))
    return _frame(drawing, template, number, shapes)


def _frame(drawing: Drawing, template: Template, number: int, shapes: Sequence[str]) -> str:
    width, height = drawing.width + 2 * _MARGIN, drawing.height + 2 * _MARGIN
    label = f"Control flow of {template.name}: {len(template.steps)} steps. The table below says the same."
    arrow = (
        f'<defs><marker id="arrow{number}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0L8 4L0 8z" fill="currentColor"/></marker></defs>'
    )
    body = "".join(shapes).replace("ARROW", f"arrow{number}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(label)}" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="{-_MARGIN:.0f} {-_MARGIN:.0f} {width:.0f} {height:.0f}">{arrow}{body}</svg>'
    )


def _circle(template: Template, location: int, stop: str, centre: tuple[float, float]) -> str:
    place = template.locations[location]
    kinds = ["node", *(["start"] if location == 0 else []), *(["stop"] if stop else []), *(["loop"] if place.loop else [])]
    kinds += ["atomic"] if place.atomic else []
    x, y = centre
    title = escape(f"location {location}{', ' + stop if stop else ''}{', loop ' + place.loop if place.loop else ''}")
    text = f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle">{location}</text>'
    return f'<g class="{" ".join(kinds)}"><title>{title}</title><circle cx="{x:.1f}" cy="{y:.1f}" r="{_RADIUS:.0f}"/>{text}</g>'


def _box(name: str, step: Step, lines: Sequence[str], centre: tuple[float, float], size: tuple[float, float]) -> str:
    (x, y), (width, height) = centre, size
    kind = " check" if any(isinstance(action, Check) for action in step.actions) else " sync" if step.tags else ""
    corner = f'x="{x - width / 2:.1f}" y="{y - height / 2:.1f}" width="{width:.1f}" height="{height:.1f}" rx="4"'
    texts = "".join(
        f'<text x="{x - width / 2 + 6:.1f}" y="{y - height / 2 + 16 + k * _ROW:.1f}">{escape(line)}</text>' for k, line in enumerate(lines)
    )
    return f'<g class="node{kind}" id="{name}"><title>{escape(step.text or "no statement")}</title><rect {corner}/>{texts}</g>'


def _edge(way: Sequence[tuple[float, float]], ends: tuple[float, float], back: bool) -> str:
    """A curve that is bent in each layer. `ends` are half the heights of its source and target: it goes from border to border."""
    points, down = list(way), 1 if way[-1][1] >= way[0][1] else -1
    points[0] = (way[0][0], way[0][1] + down * ends[0])
    points[-1] = (way[-1][0], way[-1][1] - down * ends[1])
    parts = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for (x0, y0), (x1, y1) in pairwise(points):
        middle = (y0 + y1) / 2
        parts.append(f"C{x0:.1f} {middle:.1f} {x1:.1f} {middle:.1f} {x1:.1f} {y1:.1f}")
    return f'<path class="edge{" back" if back else ""}" d="{"".join(parts)}" marker-end="url(#ARROW)"/>'


# ---------------------------------------------------------------- the table


def _table(words: AddressNames, template: Template, number: int) -> str:
    head = "".join(f'<th scope="col">{name}</th>' for name in ("from", "to", "place", "statement", "guard", "actions", "tags"))
    rows = []
    for k, step in enumerate(template.steps):
        guard = "" if step.guard is TRUE else show(step.guard)
        actions = "<br>".join(escape(words.action(action)) for action in step.actions)
        tags = ", ".join(words.tag(tag) for tag in step.tags)
        cells = [str(step.target), f"{user_loc(step).line}", step.text, guard]
        row = "".join(f"<td><code>{escape(cell)}</code></td>" for cell in cells)
        rows.append(
            f'<tr data-node="g{number}s{k}"><th scope="row">{step.source}</th>{row}<td><code>{actions}</code></td>'
            f"<td><code>{escape(tags)}</code></td></tr>"
        )
    caption = f"<caption>Steps of {escape(template.name)}</caption>"
    table = f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    box = f'<div class="scroll" tabindex="0" role="group" aria-label="Steps of {escape(template.name)}">{table}</div>'
    return f"<details open><summary>Table of steps</summary>{box}</details>"


__all__ = ["graphs"]

"""A verdict as one HTML file that needs nothing else: no network, no other file.

The steps are a table with a column per thread, the sources are beside it; without JavaScript (or on paper) that is all of it. The script
only walks: it marks the current step and its lines, and shows what variables, locks and call stacks are there. All text that comes
from the user's program is escaped; the policy in the head of the page forbids loading anything.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from fsoft.frontend.source import Loc
from fsoft.trace.story import Line, Story
from fsoft.trace.text import LOOP, REST, effects
from fsoft.trace.values import Sources, is_hidden
from fsoft.version import VERSION

_ASSETS = Path(__file__).parent / "report"
_COLOURS = 8
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


@dataclass(frozen=True, slots=True)
class Page:
    """What the report says beside the trace. `verdict` is the line for machines, `reasons` and `notes` as in the text."""

    name: str
    verdict: str
    reasons: Sequence[str] = ()
    notes: Sequence[str] = ()
    again: str = ""
    failing: dict[str, str] = field(default_factory=dict)


def asset(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8")


def document(title: str, body: str, script: str = "") -> str:
    """A page around a body."""
    head = (
        '<meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f'<meta name="generator" content="fsoft {VERSION}">'
        f"<title>{escape(title)}</title>\n<style>\n{asset('report.css')}</style>"
    )
    end = f"\n<script>\n{script}</script>" if script else ""
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>{head}</head>\n<body>\n{body}{end}\n</body>\n</html>\n'


def embedded(data: Any) -> str:
    """JSON that no text in it can end early."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return f'<script type="application/json" id="data">{text}</script>'


def report(page: Page, story: Story | None) -> str:
    """The whole file."""
    head = _header(page)
    foot = f"<footer><p>Made by fsoft {escape(VERSION)}.</p></footer>"
    if story is None or not story.lines:
        return document(f"{page.verdict}: {page.name}", f'{head}<main class="whole"><p>There is no trace to show.</p></main>{foot}')
    sources = Sources()
    files = list(dict.fromkeys(line.loc.file for line in story.lines if sources.lines(line.loc.file)))
    steps = [_step(story, line, files) for line in story.lines]
    data = {"threads": [thread.name for thread in story.program.threads], "initial": list(story.initial.items()), "steps": steps}
    main = f'<main class="split" id="main">{_steps(story, files)}<div>{_sources(files, sources)}{_state()}</div></main>'
    return document(f"{page.verdict}: {page.name}", f"{_SKIP}{head}{_TOOLS}{main}{foot}{embedded(data)}", asset("report.js"))


# ---------------------------------------------------------------- the parts

_SKIP = '<a class="skip" href="#steps">Skip to the steps</a>'
_TOOLS = (
    '<nav class="tools" aria-label="Walk through the steps">'
    '<button type="button" id="first" title="Home">First</button>'
    '<button type="button" id="back" title="Arrow left or k">Back</button>'
    '<button type="button" id="next" title="Arrow right or j">Next</button>'
    '<button type="button" id="last" title="End">Last</button>'
    '<button type="button" id="switch" title="s">Next switch</button>'
    '<label><input type="checkbox" id="all"> all steps</label>'
    '<label>Search <input type="search" id="search" title="slash; Enter goes to the next"></label>'
    '<span id="hits" role="status"></span></nav>'
    '<p id="now" role="status" aria-live="polite" aria-atomic="true">The steps are below.</p>'
)


def _table(name: str, title: str, *columns: str) -> str:
    """A table that the script fills."""
    head = "".join(f'<th scope="col">{column}</th>' for column in columns)
    table = f'<table aria-labelledby="{name}-title"><thead><tr>{head}</tr></thead><tbody id="{name}"></tbody></table>'
    return f'<h2 id="{name}-title">{title}</h2>{table}'


def _state() -> str:
    tables = _table("vars", "Variables", "name", "value") + _table("locks", "Locks", "lock", "held by")
    tables += _table("stack", "Call stack", "function", "at")
    return f'<section id="state" class="scroll" tabindex="0" aria-label="State after the current step">{tables}</section>'


def _header(page: Page) -> str:
    kind = page.verdict.partition("(")[0]
    lines = "".join(f"<li><code>{escape(line)}</code></li>" for line in page.reasons)
    if page.failing:
        values = ", ".join(f"{name} = {value}" for name, value in page.failing.items())
        lines += f"<li>with <code>{escape(values)}</code></li>"
    lines += "".join(f"<li>{escape(line)}</li>" for line in page.notes)
    again = f'<h2>See it again</h2><code class="again" tabindex="0">{escape(page.again)}</code>' if page.again else ""
    title = f'<h1><span class="{escape(kind)}">{escape(page.verdict)}</span> {escape(page.name)}</h1>'
    return f'<header>{title}<ul class="reasons">{lines}</ul>{again}</header>'


def _steps(story: Story, files: Sequence[str]) -> str:
    slots = story.slots()
    names = "".join(f'<th scope="col" class="lane">{slot} {escape(story.thread(slot))}</th>' for slot in slots)
    head = f'<thead><tr><th scope="col">step</th>{names}<th scope="col">what happens</th></tr></thead>'
    body, before = [], -1
    for number, line in enumerate(story.lines):
        if line.loop:
            body.append(_mark(LOOP.strip("- "), len(slots)))
        body.append(_row(number, line, slots, line.slot != before, len(files) > 1))
        before = line.slot
    if story.rests:
        body.append(_mark(REST.strip("- "), len(slots)))
    widths = f'<colgroup><col class="num">{"<col>" * len(slots)}<col class="what"></colgroup>'
    caption = "<caption>What each thread does, in the order of time; arrow keys walk through it.</caption>"
    table = f'<table class="steps folded" id="steps">{caption}{widths}{head}<tbody>{"".join(body)}</tbody></table>'
    return f'<section class="scroll" tabindex="0" aria-label="Steps">{table}</section>'


def _mark(text: str, lanes: int) -> str:
    return f'<tr class="mark"><td colspan="{lanes + 2}">{escape(text)}</td></tr>'


def _row(number: int, line: Line, slots: Sequence[int], switch: bool, named: bool) -> str:
    place = f"{Path(line.loc.file).name}:{line.loc.line}" if named else f"{line.loc.line}"
    lanes = []
    for slot in slots:
        if slot != line.slot:
            lanes.append('<td class="lane"></td>')
            continue
        mark = "about to: " if line.pending else ""
        text = f'<button type="button" tabindex="-1">{mark}{escape(line.text) or "(no statement)"}</button>'
        lanes.append(f'<td class="lane t{slot % _COLOURS}"><span class="where">{escape(place)}</span> {text}</td>')
    stop = f' <span class="why">{escape(line.stop)}</span>' if line.stop else ""
    words = "; ".join(effects(line, everything=False)[: -1 if line.stop else None])
    kinds = [name for name, on in (("minor", line.matters == 4), ("switch", switch), ("bad", bool(line.notes))) if on]
    return (
        f'<tr data-step="{number}" class="{" ".join(kinds)}"><th scope="row" class="num">{number + 1}</th>{"".join(lanes)}'
        f'<td class="what">{escape(words)}{stop}</td></tr>'
    )


def _anchor(files: Sequence[str], loc: Loc) -> str:
    return f"f{files.index(loc.file)}l{loc.line}" if loc.file in files else ""


def _step(story: Story, line: Line, files: Sequence[str]) -> dict[str, Any]:
    """What the script needs to know about a step."""
    changes = []
    for name, (_, new) in line.changes.items():
        if not is_hidden(name):
            changes.append([name if name in line.shared else f"{line.slot} {story.thread(line.slot)}: {name}", new])
    return {
        "slot": line.slot,
        "line": line.loc.line,
        "at": _anchor(files, line.loc),
        "text": line.text,
        "words": "; ".join(effects(line)),
        "changes": changes,
        "owners": [[name, ", ".join(f"{slot} {story.thread(slot)}" for slot in who)] for name, who in line.owners.items()],
        "stack": [[frame.function, f"{frame.loc.file}:{frame.loc.line}"] for frame in reversed(line.stack)],
    }


def _sources(files: Sequence[str], sources: Sources) -> str:
    parts = []
    for number, file in enumerate(files):
        lines = "".join(
            f'<li id="f{number}l{k}"><span class="who"></span><span class="no">{k}</span><code>{escape(text)}</code></li>'
            for k, text in enumerate(sources.lines(file), 1)
        )
        title = f'<h2 id="f{number}">{escape(file)}</h2>'
        source = f'<div class="scroll" tabindex="0" role="group" aria-labelledby="f{number}"><ol class="source">{lines}</ol></div>'
        parts.append(f'<section class="file" aria-labelledby="f{number}">{title}{source}</section>')
    return "".join(parts)


__all__ = ["Page", "asset", "document", "embedded", "report"]

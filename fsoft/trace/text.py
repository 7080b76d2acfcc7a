"""A run as plain text.

Where the terminal is wide enough, one column per thread, in time order:

     line 0 main                     1 deposit                     what happens
       34 pthread_create(&t1, 0, ..                                starts 1 (deposit); [preempted]
       14                            balance = balance + amount;   balance: 0 -> 100

else one line per step with its thread and its place. Steps that do not matter are folded: `... 12 steps of 1 (deposit)`. What
happens is said in words for locks and threads (`takes m`), as `name: old -> new` for variables that threads share, and in brackets stands
why the thread did not go on.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from fsoft.program.program import Program
from fsoft.program.verdict import Move
from fsoft.trace.story import Line, Story, tell
from fsoft.trace.values import is_hidden, user_loc

_LONGEST = 48  # characters of a statement
_CHANGES = 8  # changes listed per line
_NARROWEST = 22  # characters of a column
_LEFT = 6  # characters of the line numbers
SCREEN = 50  # lines

LOOP = "---- loop: what follows repeats for ever"
REST = "---- nobody moves any more"


@dataclass(frozen=True, slots=True)
class Style:
    """`width` of the terminal (0: one line per step, not cut). `rows`: how many lines there may be at most (None: any number)."""

    width: int = 0
    stack: bool = False
    everything: bool = False
    rows: int | None = SCREEN

    @staticmethod
    def of_terminal(stack: bool = False, everything: bool = False, rows: int | None = SCREEN) -> Style:
        """What suits the terminal; where there is none, COLUMNS can say how wide the text is to be."""
        seen = sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit()
        return Style(shutil.get_terminal_size().columns if seen else 0, stack, everything, rows)


def text_of_trace(program: Program, moves: Sequence[Move], loop: int | None = None) -> str:
    """Every step of a trace, one line each. `loop`: the number of the move with which a loop begins (the last: nobody moves any more)."""
    return text_of_story(tell(program, moves, loop), Style(everything=True))


# ---------------------------------------------------------------- folding


@dataclass(frozen=True, slots=True)
class Folded:
    """Steps that are not shown."""

    lines: tuple[Line, ...]

    def words(self, story: Story) -> str:
        count = sum(line.last - line.first + 1 for line in self.lines)
        slots = dict.fromkeys(line.slot for line in self.lines)
        who = ", ".join(f"{slot} ({story.thread(slot)})" for slot in slots)
        return f"... {count} step{'s' if count != 1 else ''} of {who}"


def folded(story: Story, style: Style) -> list[Line | Folded]:
    """The lines that are shown, with what is folded between them: the most that matters, as far as the rows allow."""
    if style.everything:
        return list(story.lines)
    ranked = sorted((line.matters, -k) for k, line in enumerate(story.lines) if line.matters < 4)
    items = _fold(story, {-k for _, k in ranked})
    few, many = 0, len(ranked)
    while style.rows is not None and len(items) > style.rows and few + 1 < many:
        middle = (few + many) // 2
        items = _fold(story, {-k for _, k in ranked[:middle]})
        few, many = (few, middle) if len(items) > style.rows else (middle, many)
    return items if style.rows is None or len(items) <= style.rows else _fold(story, {-k for _, k in ranked[:few]})


def _fold(story: Story, shown: set[int]) -> list[Line | Folded]:
    items: list[Line | Folded] = []
    gap: list[Line] = []
    for number, line in enumerate([*story.lines, None]):
        if line is not None and number not in shown:
            gap.append(line)
            continue
        items += gap if len(gap) == 1 and gap[0].text else [Folded(tuple(gap))] if any(one.text for one in gap) else []
        gap = []
        if line is not None:
            items.append(line)
    return items


# ---------------------------------------------------------------- words


def effects(line: Line, everything: bool = True) -> list[str]:
    """What happens in a line, part by part: inputs, synchronisation, changes (of private variables only with `everything`), notes."""
    changes = [
        f"{name}: {old} -> {new}"
        for name, (old, new) in line.changes.items()
        if old != new and not is_hidden(name) and (everything or name in line.shared)
    ]
    if len(changes) > _CHANGES:
        changes = [*changes[:_CHANGES], f"and {len(changes) - _CHANGES} more"]
    reads = [f"reads {name} = {value}" for name, value in line.reads.items() if name not in line.changes]
    return [*line.inputs, *line.does, *reads, *changes, *line.notes, *([f"[{line.stop}]"] if line.stop else [])]


def stack_words(line: Line) -> str:
    """`main:30 > f:12 > g:7`"""
    return " > ".join(f"{frame.function}:{frame.loc.line}" for frame in line.stack)


_Text = tuple[Line | Folded | None, str]
"""A line of text, and what it stands for."""


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: max(0, width - 3)] + "..."


def text_of_story(story: Story, style: Style) -> str:
    """The lines of a story, in columns if they fit."""
    items = folded(story, style)
    widths = _widths(story, items, style)
    texts = _columns(story, items, style, widths) if widths else _rows(story, items, style.width)
    out: list[str] = []
    for item, text in texts:
        out += [LOOP] if isinstance(item, Line) and item.loop else []
        out.append(text)
        if style.stack and isinstance(item, Line) and item.stack:
            out.append(f"{'':>6}in {stack_words(item)}")
    return "\n".join([*out, *([REST] if story.rests else [])])


def _rows(story: Story, items: Sequence[Line | Folded], width: int) -> list[_Text]:
    """One line per step: thread, place, statement, effects. Where there is a width, they are cut to fit it."""
    cells = {}
    for item in items:
        if isinstance(item, Line):
            who, mark = f"{item.slot} {story.thread(item.slot)}", "> " if item.pending else ""
            file = os.path.basename(item.loc.file) if width else item.loc.file
            cells[id(item)] = (who, f"{file}:{item.loc.line}", mark + _cut(item.text, min(_LONGEST, width // 3 or _LONGEST)))
    widths = [max((len(row[k]) for row in cells.values()), default=0) for k in range(3)]
    room = max(24, width - sum(widths) - 6)
    out: list[_Text] = []
    for item in items:
        if isinstance(item, Folded):
            out.append((item, item.words(story)))
        else:
            right = _fit(effects(item, everything=False), room, len(item.notes)) if width else "; ".join(effects(item))
            left = "  ".join(f"{cell:<{size}}" for cell, size in zip(cells[id(item)], widths))
            out.append((item, f"{left}  {right}".rstrip()))
    return out


def _statement(line: Line) -> str:
    return ("> " if line.pending else "") + line.text


def _widths(story: Story, items: Sequence[Line | Folded], style: Style) -> dict[int, int]:
    """The widths of the threads' columns: as wide as their statements, but so that what happens has room; {} if that is too narrow."""
    lines = [item for item in items if isinstance(item, Line)]
    needed = {slot: len(f"{slot} {story.thread(slot)}") + 2 for slot in sorted({line.slot for line in lines})}
    for line in lines:
        needed[line.slot] = max(needed[line.slot], min(len(_statement(line)), _LONGEST) + 2)
    happens = max((len("; ".join(effects(line, style.everything))) for line in lines), default=0)
    room = style.width - _LEFT - min(max(happens, _NARROWEST), _LONGEST, style.width // 3)
    while needed and sum(needed.values()) > room:
        widest = max(needed, key=lambda slot: (needed[slot], slot))
        if needed[widest] <= _NARROWEST:
            room = style.width - _LEFT - _NARROWEST  # what happens gives way, too
            return needed if sum(needed.values()) <= room else {}
        needed[widest] -= 1
    return needed


def _columns(story: Story, items: Sequence[Line | Folded], style: Style, widths: dict[int, int]) -> list[_Text]:
    """One column per thread; the line of the source is on the left, what happens on the right."""
    names = "".join(f"{_cut(f'{slot} {story.thread(slot)}', width - 2):<{width}}" for slot, width in widths.items())
    out: list[_Text] = [(None, f"{'line':>5} {names}what happens")]
    whole = sum(widths.values())
    for item in items:
        if isinstance(item, Folded):
            out.append((item, f"{'':>5} {item.words(story)}"))
            continue
        before = sum(width for slot, width in widths.items() if slot < item.slot)
        lanes = f"{'':>{before}}{_cut(_statement(item), widths[item.slot] - 2)}"
        right = _fit(effects(item, style.everything), style.width - _LEFT - whole, len(item.notes))
        out.append((item, f"{item.loc.line:>5} {lanes:<{whole}}{right}".rstrip()))
    return out


def _fit(parts: Sequence[str], width: int, notes: int) -> str:
    """As many parts as fit; with notes, those at the end stay."""
    kept = list(parts)
    while len(kept) > 1 and len("; ".join(kept)) > width - 5:
        if len("; ".join(kept)) <= width and len(kept) == len(parts):
            break
        kept.pop(0 if notes else -1)
    if len(kept) < len(parts):
        kept.insert(0 if notes else len(kept), "...")
    return _cut("; ".join(kept), width)


__all__ = [
    "Folded", "LOOP", "Line", "REST", "SCREEN", "Style", "effects", "folded", "stack_words", "text_of_story",
    "text_of_trace", "user_loc",
]  # fmt: skip

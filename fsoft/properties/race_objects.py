"""Which bytes of memory the user means by a C name (`--race-on disk.head`).

A name is that of an object, with as many members and elements behind it as the user likes: `disk`, `disk.byte`, `disk.byte[3]`,
`table[2].held`; `[]` or `[*]` stands for every element. A static local is `function.name`, as is a local whose address is taken, and such a
name, like that of a thread-local variable, means those of all threads (`function.name:thread` means one).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fsoft.frontend.source import NOWHERE, InputError, Loc
from fsoft.program.layout import Cells
from fsoft.program.program import Object, Program

ByteRanges = dict[int, list[tuple[int, int]]]
"""By object id: byte ranges [low, high), sorted and apart."""

_NAMELESS = ("system", "function", "string")


def race_ranges(program: Program) -> ByteRanges | None:
    """The bytes on which races count, by `program.race_on`; None if they count everywhere. InputError for a name that means nothing."""
    if not program.race_on:
        return None
    found: ByteRanges = {}
    for name in program.race_on:
        bytes_of = _bytes_of(program, name)
        if not bytes_of:
            raise InputError(_file(program), _complaint(program, name))
        for number, ranges in bytes_of.items():
            found.setdefault(number, []).extend(ranges)
    return {number: _joined(ranges) for number, ranges in found.items()}


def counts(ranges: ByteRanges | None, number: int, low: int, high: int) -> bool:
    """Whether a race on the bytes [low, high) of an object is one that was asked for."""
    return ranges is None or any(low < end and start < high for start, end in ranges.get(number, ()))


def _bytes_of(program: Program, name: str) -> ByteRanges:
    """What one name means; empty if nothing."""
    found: ByteRanges = {}
    for obj in _objects(program):
        for alias in _aliases(obj):
            if name == alias:
                found[obj.id] = [(0, obj.size)]
            elif name.startswith((f"{alias}.", f"{alias}[")) and obj.id not in found:
                pattern, cells = _pattern(name[len(alias) :]), Cells(obj)
                inside = [c for c in cells if pattern.match(_within(cells, c.number))]
                if inside:
                    found[obj.id] = [(c.offset, c.offset + c.size) for c in inside]
    return found


def _objects(program: Program) -> Iterator[Object]:
    return (obj for obj in program.objects if obj.id and obj.storage not in _NAMELESS)


def _aliases(obj: Object) -> tuple[str, ...]:
    """The names of an object: as fsoft prints it and, if every thread has one of its own, without the thread."""
    return tuple(dict.fromkeys((obj.name, obj.name.split(":")[0])))


def _pattern(path: str) -> re.Pattern[str]:
    """Matches the path of every cell that is, or is part of, what `path` means."""
    text = re.escape(path).replace(re.escape("[*]"), "[]").replace(re.escape("[]"), "[]").replace("[]", r"\[\d+\]")
    return re.compile(text + r"(?![^.\[])")


def _within(cells: Cells, number: int) -> str:
    """A cell's name without that of its object: `.byte[3]`."""
    return cells.name(number)[len(cells.object.name) :]


def _file(program: Program) -> Loc:
    """The file where the program starts."""
    places = (place.loc for place in program.threads[0].template.locations if place.loc.line > 0)
    return Loc(next(places, NOWHERE).file, 0)


def _joined(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if joined and low <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        else:
            joined.append((low, high))
    return joined


def _complaint(program: Program, name: str) -> str:
    import difflib  # only when something is wrong

    known: dict[str, None] = {}
    for obj in _objects(program):
        cells = Cells(obj)
        known[_aliases(obj)[-1]] = None
        known.update(dict.fromkeys(_aliases(obj)[-1] + re.sub(r"\[\d*\]$", "", run.name) for run in obj.runs))
        if name.startswith(f"{obj.name}.") or name.startswith(f"{obj.name}["):
            known.update(dict.fromkeys(cells.name(c.number) for c in cells))
    last = [full for full in known if full.endswith(f".{name}")]
    close = list(dict.fromkeys([*last, *difflib.get_close_matches(name, known, 3, 0.6)]))[:3]
    hint = "; did you mean " + " or ".join(f"'{one}'" for one in close) + "?" if close else ""
    return f"--race-on: no object in memory is called '{name}'" + hint


__all__ = ["ByteRanges", "counts", "race_ranges"]

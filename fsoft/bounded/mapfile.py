"""The map of a formula: that of a circuit (`circuit/formats/mapfile.py`), with the encoding and its bounds in place of words and states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, fields, replace
from typing import Any

from fsoft.bounded.given import Formula, Given
from fsoft.circuit.formats.export import Exported
from fsoft.circuit.formats.mapfile import Recipe, file_table, read_table, recipe_table, text_of_table
from fsoft.frontend.source import InputError, Loc
from fsoft.passes.bounds import Bounds
from fsoft.passes.unwind import Unwound

_MOST = 1 << 20


def comment_of(name: str, unwound: Unwound, formula: Formula) -> str:
    """What an AIGER file says about itself, for people."""
    return f"fsoft: {unwound.program.name}, --encoding {name}, {formula.describe()}"


def write_map(recipe: Recipe, name: str, given: Given, unwound: Unwound, exported: Exported) -> str:
    """The text of the map of a formula that the encoding of that name made with those bounds."""
    table = recipe_table(recipe, unwound.original)
    table["encoding"] = {"name": name, "bounds": asdict(given)}
    return text_of_table(table | file_table(unwound.program, exported))


def read_bounds(text: str, name: str, record_of: Callable[[str], type[Given] | None]) -> tuple[str, Given] | None:
    """The encoding and its bounds, if the map is that of a formula. Whatever is wrong with them is an InputError. `record_of` gives the
    record of the bounds of formulas by the encoding's name."""

    def read(table: dict[str, Any]) -> tuple[str, Given] | None:
        entry = table.get("encoding")
        if entry is None:
            return None
        if not isinstance(entry["name"], str):
            raise TypeError("a name")
        record = record_of(entry["name"])
        if record is None:
            raise InputError(Loc(name, 0), f"not a map that fsoft wrote: there are no formulas of an encoding '{entry['name']}'")
        return entry["name"], _given(dict(entry["bounds"]), record)

    return read_table(text, name, read)


def _given(table: dict[str, Any], record: type[Given]) -> Given:
    loops = dict(table.pop("loops"))
    each = tuple(((_word(thread), _word(loop)), _number(count)) for (thread, loop), count in loops.pop("each"))
    if loops.keys() != {"unwind", "static", "largest"} or table.keys() != {f.name for f in fields(record)} - {"loops"}:
        raise TypeError("other bounds")
    for one in fields(record):
        if one.name != "loops":
            _fits(table[one.name], str(one.type).split(" | "))
    return replace(record(**table), loops=Bounds(**{key: _number(value) for key, value in loops.items()}, each=each))


def _fits(value: Any, types: list[str]) -> None:
    """A TypeError unless the value, read from JSON, is of one of the types."""
    if type(value).__name__.replace("NoneType", "None") not in types or (type(value) is int and _number(value) < 0):
        raise TypeError("another type")


def _word(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text expected")
    return value


def _number(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= _MOST:
        raise TypeError("a number expected")
    return value


__all__ = ["comment_of", "read_bounds", "write_map"]

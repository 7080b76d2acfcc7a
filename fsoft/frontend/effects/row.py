"""A row of effects, and files of rows.

    "fsync fdatasync" = { type = "int(int file)", returns = "-1..0", errno = true, cancels = true }
    read = { type = "long(int file, void *data, unsigned long size)", returns = "-1..size", writes = ["data[result]"], errno = true }

`type` names the parameters; the other columns are the fields of `EffectRow`. In regions and ranges C expressions may be used, over the
parameters and `result`.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, fields
from typing import Any

from fsoft.frontend.source import InputError, Loc

_TYPE = re.compile(r"(?P<result>[\w\s*]+?)\s*\((?P<params>.*)\)", re.DOTALL)
_PARAMETER = re.compile(r"(?P<type>[\w\s*]+?[\s*])(?P<name>[A-Za-z_]\w*)")
_REGION = re.compile(r"(?P<pointer>[A-Za-z_]\w*)(?P<null>\?)?(?:\[(?P<text>:)?(?P<size>[^\[\]]*)\])?")
_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class EffectParameter:
    """A parameter by name, with its type as written."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class EffectRegion:
    """Memory behind a parameter. `size` is a number of bytes as a C expression; "" with `text`: up to the zero; None: one object of the
    type that the caller's pointer has. `text` with a size: a text that takes at most so many bytes. `null`: the pointer may be null."""

    pointer: str
    size: str | None = None
    text: bool = False
    null: bool = False


@dataclass(frozen=True, slots=True)
class EffectRow:
    """What a function does.

    reads, writes: regions: `p` (one object), `p[n]` (n bytes), `p[:]` (a text), `p[:n]` (a text within n bytes); `p?` if it may be null.
    returns: `a..b` (a range), `any`, an argument or another C expression, `new n` (a heap object of n bytes), `new text`,
      `hidden H` (storage of the library), `text H` (a text of the library), `outside` (memory of the library about which nothing is known),
      each also as `null|...`.
    when: the condition under which it writes (by default: it has not failed).
    uses, changes: storage of the library that it reads or writes (the objects of `frontend/library/effects.c`).
    guards: functions; storage in `uses` counts only if the program refers to one of them.
    errno, blocks, cancels, ends: it may set errno, wait, act on a cancellation; it does not return.
    calls: parameters that it calls, each with one unknown argument.
    frees: parameters whose heap objects it frees.
    opens, closes, handles: the kind of handle (stream, directory) that it returns, closes, needs; the parameter comes after a blank.
    contents: which values it writes, where they are not any values that the standard allows (adds behaviour).
    inexact: what the row says too much of (adds behaviour). unknown: what it says nothing of (leaves behaviour out).
    """

    name: str
    result: str
    params: tuple[EffectParameter, ...]
    variadic: bool = False
    reads: tuple[EffectRegion, ...] = ()
    writes: tuple[EffectRegion, ...] = ()
    returns: str = "any"
    when: str = ""
    uses: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    guards: tuple[str, ...] = ()
    errno: bool = False
    blocks: bool = False
    cancels: bool = False
    ends: bool = False
    calls: tuple[str, ...] = ()
    frees: tuple[str, ...] = ()
    opens: str = ""
    closes: str = ""
    handles: str = ""
    contents: str = ""
    inexact: str = ""
    unknown: str = ""

    @property
    def returns_nothing(self) -> bool:
        return self.result == "void"


KINDS = ("stream", "directory")
_HANDLE = re.compile(rf"({'|'.join(KINDS)})( \w+)?")
_HANDLES = ("opens", "closes", "handles")
_FLAGS = ("errno", "blocks", "cancels", "ends")
_LISTS = ("uses", "changes", "guards", "calls", "frees")
_REGIONS = ("reads", "writes")
_TEXTS = ("returns", "when", "opens", "closes", "handles", "contents", "inexact", "unknown")
COLUMNS = ("type", *_REGIONS, *_TEXTS, *_LISTS, *_FLAGS)


def read_rows(path: str) -> dict[str, EffectRow]:
    """The rows of a file by function; InputError with its line where one is wrong."""
    try:
        with open(path, "rb") as file:
            data = file.read()
        table = tomllib.loads(data.decode())
    except OSError as error:
        raise InputError(Loc(path, 0), f"cannot read the effects: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(Loc(path, 0), "effects are a TOML file, and this is no text") from None
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        raise InputError(Loc(path, int(line[1]) if line else 0), f"this is no TOML: {error}; a row is: name = {{ type = ... }}") from None
    text = data.decode().splitlines()
    return {name: _row(name, columns, _place(path, text, names)) for names, columns in table.items() for name in names.split()}


def _place(path: str, text: list[str], key: str) -> Loc:
    for number, line in enumerate(text, 1):
        if line.lstrip().startswith((f"{key} ", f"{key}=", f'"{key}"', f"[{key}]")):
            return Loc(path, number)
    return Loc(path, 0)


def _row(name: str, columns: Any, loc: Loc) -> EffectRow:
    if not _NAME.fullmatch(name):
        raise InputError(loc, f"'{name}' is no name of a function")
    if not isinstance(columns, dict) or not isinstance(columns.get("type"), str):
        raise InputError(loc, f"the row of '{name}' needs its type, as in: type = \"int(int file, void *data)\"")
    result, params, variadic = _signature(name, columns["type"], loc)
    values: dict[str, Any] = {}
    for column, value in columns.items():
        if column != "type":
            values[column] = _value(name, column, value, {p.name for p in params}, loc)
    if result == "void":
        values.setdefault("returns", "")
    return EffectRow(name, result, params, variadic, **values)


def _signature(name: str, text: str, loc: Loc) -> tuple[str, tuple[EffectParameter, ...], bool]:
    match = _TYPE.fullmatch(text.strip())
    if match is None:
        raise InputError(loc, f"the type of '{name}' is no function: '{text}'; write it as in: int(int file, void *data)")
    parts = [part.strip() for part in match["params"].split(",") if part.strip() not in ("", "void")]
    variadic = bool(parts) and parts[-1] == "..."
    params = []
    for part in parts[: len(parts) - variadic]:
        found = _PARAMETER.fullmatch(part)
        if found is None:
            raise InputError(loc, f"the parameter '{part}' of '{name}' needs a type and a name; give functions as void *")
        params.append(EffectParameter(found["name"], found["type"].strip()))
    return match["result"].strip(), tuple(params), variadic


def _value(name: str, column: str, value: Any, params: set[str], loc: Loc) -> Any:
    """A column as a field of EffectRow."""
    if column not in COLUMNS:
        known = ", ".join(COLUMNS)
        raise InputError(loc, f"the row of '{name}' has an unknown column '{column}'; there are: {known}")
    if column in _FLAGS:
        if not isinstance(value, bool):
            raise InputError(loc, f"the column '{column}' of '{name}' must be true or false")
        return value
    if column in _TEXTS:
        if not isinstance(value, str) or ('"' in value and column in ("contents", "inexact", "unknown")):
            raise InputError(loc, f"the column '{column}' of '{name}' must be a text without quotes")
        if column in _HANDLES and not _HANDLE.fullmatch(value):
            raise InputError(
                loc, f"the column '{column}' of '{name}' must be a kind ({' or '.join(KINDS)}) and, but for opens, a parameter"
            )
        return value
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InputError(loc, f"the column '{column}' of '{name}' must be a list of texts")
    if column in _REGIONS:
        return tuple(_region(name, item, params, loc) for item in value)
    if column in ("calls", "frees") and not set(value) <= params:
        raise InputError(loc, f"the column '{column}' of '{name}' names no parameter: {', '.join(sorted(set(value) - params))}")
    return tuple(value)


def _region(name: str, text: str, params: set[str], loc: Loc) -> EffectRegion:
    match = _REGION.fullmatch(text.strip())
    if match is None or match["pointer"] not in params:
        raise InputError(loc, f"'{name}': '{text}' is no region of a parameter: p, p[bytes], p[:] (a text) or p[:bytes]")
    size = match["size"]
    if size is not None and not match["text"] and not size.strip():
        raise InputError(loc, f"'{name}': '{text}' needs a number of bytes")
    return EffectRegion(match["pointer"], size, bool(match["text"]), bool(match["null"]))


assert {field.name for field in fields(EffectRow)} == {*COLUMNS, "name", "result", "params", "variadic"} - {"type"}

__all__ = ["COLUMNS", "EffectParameter", "EffectRegion", "EffectRow", "read_rows"]

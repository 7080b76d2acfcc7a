"""Reading a trace for replay. The file may come from anyone and may be damaged, so it is data and nothing else.

It follows its schema, its numbers fit into what the runtime counts with, and all that decides which program is compiled (files, macros,
include paths, where the run starts) is compared with what the user gives: the trace says what it needs, and the user passes it.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from fsoft.compiled.replay.schedule import FILE_STEP, MOST_THREADS, ReplaySchedule
from fsoft.frontend.inputs import read_file
from fsoft.frontend.source import InputError, Loc, Source, program_name
from fsoft.trace.record import SCHEMA, digest_of, hash_of
from fsoft.trace.schema import Json, trace_schema

_MOST = 1 << 31
_RANGES = {
    "slot": (0, MOST_THREADS - 1), "creates": (0, MOST_THREADS - 1), "thread": (-1, MOST_THREADS - 1), "line": (-1, FILE_STEP - 1),
    "object": (0, _MOST - 1), "id": (0, _MOST - 1), "size": (0, _MOST - 1), "width": (1, 1 << 12), "offset": (-(1 << 63), (1 << 64) - 1),
}  # fmt: skip
"""What the numbers of a run may be, by name."""
_NEEDED = ("threads", "objects", "moves", "end")


def read_trace(path: str) -> Json:
    """The trace in a file, which has a run that can be replayed. InputError otherwise."""
    trace = _json(path)
    here = Loc(path, 0)
    if not isinstance(trace, dict) or trace.get("schema") != SCHEMA:
        raise InputError(here, f"not a trace that fsoft wrote (its schema is not {SCHEMA})")
    if mistake := trace_schema().mistake(trace):
        raise InputError(here, f"not a trace that fsoft wrote: {mistake}")
    if trace["verdict"] != "FALSE":
        raise InputError(here, f"the verdict is {trace['verdict']}: there is nothing to replay")
    missing = [key for key in _NEEDED if key not in trace]
    if missing:
        raise InputError(here, f"'{missing[0]}' is missing (was it written with --no-trace?)")
    if (why := endless(trace)) is not None:
        raise InputError(here, why)
    if mistake := next(_misfits(trace), ""):
        raise InputError(here, f"not a trace that fsoft wrote: {mistake}")
    return trace


def endless(trace: Json) -> str | None:
    """Why no execution can end in what the trace shows, if that is so."""
    if trace["end"].get("kind") != "open":
        return None
    if trace["property"] == "no-data-race":
        return "the accesses follow each other: that nothing orders them (race model c11) shows in no execution"
    return "the property is one of infinite runs: there is no failure to end in"


def _json(path: str) -> Any:
    try:
        return json.loads(read_file(path).decode("utf-8"))
    except (ValueError, RecursionError):
        raise InputError(Loc(path, 0), "not valid JSON") from None


# ---------------------------------------------------------------- what a schema cannot say


def _misfits(trace: Json) -> Iterator[str]:
    """What does not fit together, one by one."""
    yield from _out_of_range([trace[key] for key in _NEEDED])
    if trace["property"] is None:
        yield "property is missing"
    for move in trace["moves"]:
        if not all(0 < slot < MOST_THREADS for slot in move.get("also_creates", ())):
            yield "'also_creates' is no list of slots"
    sizes = {one["id"]: one["size"] for one in trace["objects"]}
    if len(sizes) != len(trace["objects"]):
        yield "two objects have the same id"
    for move in trace["moves"]:
        for given in move["inputs"]:
            if given["kind"] == "undefined":
                yield from _outside(given, sizes)
    if not trace["moves"] and trace["end"]["kind"] == "violation":
        yield "a violation without a move"
    if ReplaySchedule(trace).most >= MOST_THREADS:
        yield f"more than {MOST_THREADS} threads"


def _out_of_range(value: Any) -> Iterator[str]:
    """Numbers that are no slots, lines, sizes, ... Not recursive: a trace may be long, but the schema says how deep it is."""
    todo = [value]
    while todo:
        one = todo.pop()
        if isinstance(one, dict):
            for name, number in one.items():
                low, high = _RANGES.get(name, (None, None))
                if low is not None and high is not None and isinstance(number, int) and not low <= number <= high:
                    yield f"'{name}' is {_short(number)}"
        todo += one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()


def _short(number: int) -> str:
    return str(number) if abs(number) < 1 << 64 else "too large"


def _outside(given: Json, sizes: dict[int, int]) -> Iterator[str]:
    """An undefined value is one of an object: no other memory is ever written."""
    at, size = given.get("offset", -1), sizes.get(given.get("object", -1), -1)
    if not 0 <= at <= at + (given["width"] + 7) // 8 <= size:
        yield "an undefined value that lies in no object"


# ---------------------------------------------------------------- what the user gives


def compare(trace: Json, path: str, sources: Sequence[Source], bits: int | None, entry: str, starts: Sequence[str]) -> None:
    """InputError unless the trace is of these files, read in this way, started there. The message says what to pass."""
    here = Loc(path, 0)
    model = 64 if trace["data_model"] == "LP64" else 32
    if bits not in (None, model):
        raise InputError(here, f"the trace is of the {model}-bit program: leave out --{bits}")
    if len(sources) != len(trace["files"]):
        raise InputError(here, f"the trace is of {len(trace['files'])} files, not {len(sources)}")
    for source, told in zip(sources, trace["files"]):
        if not os.path.isfile(source.path):
            raise InputError(Loc(source.path, 0), "there is no such file")
        if hash_of(source.path) != told["sha256"]:
            raise InputError(here, f"the trace is of another version of {source.path} (its SHA-256 differs): run fsoft check again")
        if _flags(source) != _told(told):
            raise InputError(here, f"the trace is of {source.path} read with {_written(_told(told))}, not {_written(_flags(source))}: "
                             "give fsoft replay the flags that fsoft check had")  # fmt: skip
    threads = list(trace.get("starts", []))
    if threads != list(starts):
        raise InputError(here, f"the run starts with {_written([('--thread ', t) for t in threads])}: give fsoft replay the same")
    if not threads and trace["entry"] != entry:
        raise InputError(here, f"the run starts at {trace['entry']}: pass --entry {shlex.quote(trace['entry'])} if it is to be called")


def compare_arguments(trace: Json, path: str, given: Sequence[str] | None) -> None:
    """InputError unless these are the arguments of main that the trace is of; None: any, so that the trace has chosen some."""
    told = trace.get("arguments")
    if told is None and given is not None:
        raise InputError(Loc(path, 0), "the trace has arguments of its own: leave out -- and what follows")
    name = program_name(Source(trace["files"][0]["path"]))
    if told is not None and (told[:1] != [name] or told[1:] != given):
        raise InputError(Loc(path, 0), f"the trace is of the arguments {shlex.join(['--', *told[1:]])}: give fsoft replay the same")


def _flags(source: Source) -> list[tuple[str, str]]:
    return [*_each("-I", map(os.path.normpath, source.include)), *_each("-U", source.undefine), *_each("-D", source.define)]


def _told(entry: Json) -> list[tuple[str, str]]:
    return [*_each("-I", map(os.path.normpath, entry["include"])), *_each("-U", entry["undefine"]), *_each("-D", entry["define"])]


def _each(flag: str, values: Iterable[str]) -> list[tuple[str, str]]:
    return [(flag, value) for value in values]


def _written(flags: Sequence[tuple[str, str]]) -> str:
    return " ".join(flag + shlex.quote(value) for flag, value in flags) or "no flags"


def unchanged(trace: Json) -> bool:
    """Whether the trace is what fsoft wrote, as far as its digest tells: nobody is kept from computing another."""
    return bool(trace.get("digest") == digest_of(trace))


__all__ = ["compare", "compare_arguments", "endless", "read_trace", "unchanged"]

"""Runs that start elsewhere than at main (`--entry`, `--thread`): a small C file that calls the functions as the run does.

An entry gets null pointers and the values that the run was given (`missing argument NAME`); functions that are threads from the start get a
null pointer. The file declares them without parameters, so arguments are passed as C promotes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import fsoft.frontend.types as ct
from fsoft.compiled.replay.arguments import arguments_text
from fsoft.frontend.load import load
from fsoft.frontend.source import InputError, Source
from fsoft.frontend.tree import FunctionDef, Symbol

MISSING = "missing argument "
_HEAD = "static double fsoft_double(unsigned long long bits) { double value; __builtin_memcpy(&value, &bits, 8); return value; }"


@dataclass(frozen=True, slots=True)
class Starts:
    """The functions by name, and the text of the file; none for a run that starts at main."""

    names: tuple[str, ...] = ()
    text: str = ""


def starts_of(trace: dict[str, Any], sources: Sequence[Source], bits: int) -> Starts:
    """How the run of a trace starts. InputError if a function takes what cannot be given to it."""
    threads: list[str] = trace.get("starts", [])
    names = tuple(threads or [trace["entry"]])
    if names == ("main",) and not threads:
        text = arguments_text(trace)
        return Starts() if text is None else Starts(("main",), text)
    unit = load(sources, model=ct.LP64 if bits == 64 else ct.ILP32, roots=names)
    calls = [_call(unit.functions[name], _given(trace, slot), bool(threads)) for slot, name in enumerate(names)]
    return Starts(names, _text(calls, names, bool(threads)))


def _given(trace: dict[str, Any], slot: int) -> dict[str, int]:
    """The arguments that the run was given, by the names of the parameters."""
    found: dict[str, int] = {}
    for move in trace["moves"]:
        for given in move["inputs"] if move["slot"] == slot else ():
            if given["name"].startswith(MISSING):
                found.setdefault(given["name"].removeprefix(MISSING), given["value"] & ((1 << given["width"]) - 1))
    return found


def _call(function: FunctionDef, given: dict[str, int], thread: bool) -> str:
    values = ["0" if thread and k == 0 else str(given.get(p.name, 0)) for k, p in enumerate(function.params)]
    return f"{function.name}({', '.join(_argument(p, value) for p, value in zip(function.params, values))})"


def _argument(symbol: Symbol, value: str) -> str:
    kind = symbol.type
    if isinstance(kind, ct.Pointer):
        return "(void *)0"
    if isinstance(kind, ct.Float) and ct.size_of(kind) == 8:
        return f"fsoft_double({value}ULL)"
    if isinstance(kind, ct.Int) and ct.size_of(kind) <= 8:
        return f"({'unsigned long long' if ct.size_of(kind) == 8 else 'unsigned'}){value}ULL"
    raise InputError(symbol.loc, f"the run starts with a parameter '{symbol.name}' of a type that replay cannot pass")


def _text(calls: Sequence[str], names: Sequence[str], threads: bool) -> str:
    lines = [_HEAD, *dict.fromkeys(f"extern long {name}();" for name in names), f"int replay_main(void) {{ {calls[0]}; return 0; }}"]
    if threads:
        lines += [f"static void *start{k}(void *p) {{ (void)p; {call}; return 0; }}" for k, call in enumerate(calls) if k]
        entries = ", ".join(["0", *(f"start{k}" for k in range(1, len(calls)))])
        lines += [f"void *(*replay_starts[])(void *) = {{{entries}}};", f"int replay_start_count = {len(calls)};"]
    return "\n".join([*lines, ""])


__all__ = ["MISSING", "Starts", "starts_of"]

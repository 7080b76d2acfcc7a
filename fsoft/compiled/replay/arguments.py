"""What the compiled program's main is called with: the arguments of the trace, or those that its run was given.

They are static arrays of a small C file, named as the objects of the Program are, so that the schedule finds them.
"""

from __future__ import annotations

import os
import re

from fsoft.frontend.source import InputError, Loc
from fsoft.trace.schema import Json

ARGC = "argc"
"""The name of the input that says how many arguments there are."""
_MOST = 1 << 21
_STRING = re.compile(r"argv\[(\d{1,3})\]", re.ASCII)
_OURS = re.compile(r"argv|argv\[\d{1,3}\]|argv\(\d{1,3}(\.\.\.)?\)", re.ASCII)
"""Names of objects, as `program/lower/arguments.py` gives them."""


def arguments_text(trace: Json) -> str | None:
    """The C file; None if the program does not look at its arguments."""
    given = [os.fsencode(text) for text in trace.get("arguments", ())]
    count = len(given) if given else _count(trace)
    if count is None:
        return None
    word = 8 if trace["data_model"] == "LP64" else 4
    sizes = {o["name"]: o["size"] for o in trace["objects"] if o["storage"] == "global" and _OURS.fullmatch(o["name"])}
    if not 0 <= count <= _MOST or not all(0 <= size <= 8 * _MOST + 8 for size in sizes.values()):
        raise InputError(Loc(trace["files"][0]["path"], 0), "the trace has arguments that no program is called with")
    array = next((name for name in sizes if not _STRING.fullmatch(name)), "argv")
    cells = max(sizes.get(array, 0) // word, count + 1)
    strings = {int(match[1]): size for name, size in sizes.items() if (match := _STRING.fullmatch(name))}
    known = range(len(given) or max(strings, default=-1) + 1)
    chosen = _chosen(trace)
    lines = [_string(k, given[k] if given else chosen.get(f"argv[{k}]", b""), strings.get(k)) for k in known]
    lines += [
        f"static char *cells[{cells}] {_named(array)} = {{{', '.join(f's{k}' for k in known if k < count) or '0'}}};",
        f"static char rest[{2 * max(count - len(known), 0) + 1}];",
        "extern int replay_users_main(int, char **, char **);",
        "int replay_main(int argc, char **argv, char **environment) {",
        f"    for (int k = {len(known)}; k < {count}; k++) cells[k] = rest + 2 * (k - {len(known)});",
        f"    return replay_users_main({count}, cells, environment);",
        "}",
    ]
    return "\n".join([*lines, ""])


def _count(trace: Json) -> int | None:
    """How many arguments the run was given."""
    inputs = (given for move in trace["moves"] for given in move["inputs"])
    return next((given["value"] for given in inputs if given["kind"] == "input" and given["name"] == ARGC), None)


def _chosen(trace: Json) -> dict[str, bytes]:
    """By name of the string, what the run found in it. Nobody has written a character that was read while it was any."""
    names = string_objects(trace)
    found: dict[str, dict[int, int]] = {}
    for move in trace["moves"]:
        for given in move["inputs"]:
            if given["kind"] == "undefined" and given["object"] in names and 0 <= given["offset"] < 1 << 17:
                found.setdefault(names[given["object"]], {})[given["offset"]] = given["value"] & 0xFF
    return {name: bytes(text.get(at, 0) for at in range(max(text) + 1)) for name, text in found.items()}


def string_objects(trace: Json) -> dict[int, str]:
    """The names of the arguments by number of the object."""
    return {o["id"]: o["name"] for o in trace["objects"] if o["storage"] == "global" and _STRING.fullmatch(o["name"])}


def _string(number: int, text: bytes, size: int | None) -> str:
    content = ", ".join(map(str, text))
    return f"static char s{number}[{size or len(text) + 1}] {_named(f'argv[{number}]')} = {{{content or '0'}}};"


def _named(name: str) -> str:
    """The name of the symbol, in quotes for the assembler."""
    return f'__asm__("\\"{name}\\"")'


__all__ = ["ARGC", "arguments_text", "string_objects"]

"""The files that say what to check: SV-COMP properties (`.prp`), SV-COMP tasks (`.yml`), `compile_commands.json`."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from fsoft.frontend.inputs import read_file
from fsoft.frontend.source import InputError, Loc, Unsupported

if TYPE_CHECKING:
    from fsoft.properties.ltl.syntax import Text

FORMULAS = {
    "G!call(reach_error())": "unreach-call",
    "G!call(__VERIFIER_error())": "unreach-call",
    "G!data-race": "no-data-race",
    "Gvalid-deref": "valid-deref",
    "Gvalid-free": "valid-free",
    "Gvalid-memtrack": "valid-memtrack",
    "G!overflow": "no-overflow",
    "G!deadlock": "no-deadlock",
}
_CHECK = re.compile(r"CHECK\s*\(\s*init\s*\(\s*(\w+)\s*\(\s*\)\s*\)\s*,\s*LTL\s*\((.*)\)\s*\)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class StatedProperties:
    """What a property file asks: which properties, which formulas (a place in the file each), of runs that start at which function."""

    checks: frozenset[str]
    entry: str | None = None
    formulas: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class Task:
    """A `.yml` task: C files, property files, and the data model ("ILP32", "LP64" or "" for not said)."""

    files: tuple[str, ...]
    properties: tuple[str, ...]
    model: str

    @property
    def bits(self) -> int | None:
        return {"ILP32": 32, "LP64": 64}.get(self.model)


@dataclass(frozen=True, slots=True)
class Compilation:
    """One entry of a compilation database, reduced to what decides the meaning of the C text. `targets` are the programs and libraries to
    which the output belongs, read from the folders in which CMake (`prog.dir`) and Meson (`prog.p`) put objects."""

    file: str
    include: tuple[str, ...]
    define: tuple[str, ...]
    undefine: tuple[str, ...]
    targets: frozenset[str] = frozenset()


def read_text(path: str) -> str:
    """The text of a file; whatever stops us is one `InputError` that names it."""
    try:
        return read_file(path).decode()
    except UnicodeDecodeError:
        raise InputError(Loc(path, 0), "not a text file") from None


def read_property(path: str) -> StatedProperties:
    """A `.prp` file: one or more lines `CHECK( init(main()), LTL(G ...) )`. What is not one of SV-COMP's properties is a formula."""
    checks: set[str] = set()
    formulas: list[Text] = []
    entry = None
    for number, line in enumerate(read_text(path).splitlines(), 1):
        text = line.strip()
        if not text or text.startswith(("#", "//")):
            continue
        match = _CHECK.fullmatch(text)
        if text.startswith("COVER"):
            raise Unsupported(Loc(path, number, 1), "this asks for tests that cover the program, not for a verdict")
        if not match:
            raise InputError(Loc(path, number, 1), "expected a line such as CHECK( init(main()), LTL(G ! call(reach_error())) )")
        entry = match[1]
        known = [FORMULAS.get("".join(conjunct.split())) for conjunct in match[2].split("&")]
        if None in known:
            formulas.append(_formula(path, number, line, match[2], len(line) - len(line.lstrip()) + match.start(2) + 1))
        else:
            checks.update(name for name in known if name is not None)
    if not checks and not formulas:
        raise InputError(Loc(path, 0), "the file states no property: no CHECK(...) line")
    return StatedProperties(frozenset(checks), entry, tuple(formulas))


def _formula(path: str, number: int, line: str, formula: str, column: int) -> Text:
    """An LTL formula that is none of SV-COMP's. Calls of functions and SV-COMP's own words cannot be part of one."""
    if "".join(formula.split()) == "Fend":
        return formula_text("termination", path, number, column, line)
    if re.search(r"\bcall\s*\(|\b(?:valid|data|overflow)\b", formula):
        names = ", ".join(sorted({*FORMULAS.values(), "termination"}))
        raise Unsupported(Loc(path, number, column), f"the property '{formula.strip()}' is not supported; supported are: {names}, and LTL")
    return formula_text(formula, path, number, column, line)


def formula_text(text: str, file: str, line: int = 1, column: int = 1, whole: str = "") -> Text:
    """A formula as it was written, with its place."""
    from fsoft.properties.ltl.syntax import Text  # temporal logic is seldom asked for

    return Text(text, file, line, column, whole)


def read_task(path: str) -> Task:
    """An SV-COMP task definition, format 2.0. Paths in it are relative to it."""
    from fsoft.cli.yaml import read_yaml  # few runs read a task

    data = read_yaml(read_text(path), path)
    here = os.path.dirname(path)
    if not isinstance(data, dict) or "input_files" not in data:
        raise InputError(Loc(path, 0), "not a task definition: there is no 'input_files'")
    files = _strings(data["input_files"], path, "input_files")
    if not files:
        raise InputError(Loc(path, 0), "'input_files' is empty")
    properties = []
    listed = data.get("properties") or []
    for entry in listed if isinstance(listed, list) else [listed]:
        if not isinstance(entry, dict) or not isinstance(entry.get("property_file"), str):
            raise InputError(Loc(path, 0), "each entry of 'properties' needs a 'property_file'")
        properties.append(os.path.join(here, str(entry["property_file"])))
    options = data.get("options")
    model = str(options.get("data_model", "")) if isinstance(options, dict) else ""
    if model not in ("", "ILP32", "LP64"):
        raise InputError(Loc(path, 0), f"unknown data_model '{model}': ILP32 or LP64")
    return Task(tuple(os.path.join(here, f) for f in files), tuple(properties), model)


def _strings(value: object, path: str, key: str) -> list[str]:
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(v, str) for v in values):
        raise InputError(Loc(path, 0), f"'{key}' must be a file name or a list of file names")
    return [str(v) for v in values]


def read_compile_commands(path: str) -> list[Compilation]:
    """The entries of a `compile_commands.json`, in order, each C file once (for each target)."""
    import json  # two milliseconds of each start: few runs read a database

    try:
        entries = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise InputError(Loc(path, error.lineno, error.colno), f"not valid JSON: {error.msg}") from None
    if not isinstance(entries, list) or not entries:
        raise InputError(Loc(path, 1, 1), "a compilation database is a non-empty list of entries")
    found: dict[tuple[str, frozenset[str]], Compilation] = {}
    for number, entry in enumerate(entries, 1):
        compilation = _compilation(entry, Loc(path, 1, 1), number)
        found.setdefault((compilation.file, compilation.targets), compilation)
    return list(found.values())


def _compilation(entry: object, loc: Loc, number: int) -> Compilation:
    if not isinstance(entry, dict) or not isinstance(entry.get("file"), str):
        raise InputError(loc, f"entry {number} has no 'file'")
    arguments = entry.get("arguments")
    if isinstance(entry.get("command"), str):
        try:
            arguments = shlex.split(entry["command"])
        except ValueError as error:
            raise InputError(loc, f"entry {number}: cannot split 'command': {error}") from None
    if not isinstance(arguments, list) or not all(isinstance(a, str) for a in arguments):
        raise InputError(loc, f"entry {number} has neither 'command' nor 'arguments'")
    folder = str(entry.get("directory", ""))
    flags = _flags(arguments)
    include = tuple(os.path.join(folder, i) for i in flags["-I"])
    output = entry.get("output") or next((after for word, after in pairwise(arguments) if word == "-o"), "")
    targets = frozenset(match[1] for part in str(output).split("/") if (match := re.fullmatch(r"(.+)\.(?:dir|p)", part)))
    return Compilation(os.path.join(folder, entry["file"]), include, tuple(flags["-D"]), tuple(flags["-U"]), targets)


def _flags(arguments: list[str]) -> dict[str, list[str]]:
    """The values of -I, -D, -U (and -isystem, -iquote, as -I), joined to the flag or in the next argument."""
    flags: dict[str, list[str]] = {"-I": [], "-D": [], "-U": []}
    rest = iter(arguments[1:])
    for argument in rest:
        if argument in ("-isystem", "-iquote"):
            flags["-I"].append(next(rest, "."))
        elif argument[:2] in flags:
            flags[argument[:2]].append(argument[2:] or next(rest, ""))
    return flags

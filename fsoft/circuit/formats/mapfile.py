"""`model.map.json`: what the symbols of a model file mean in C, and how the model was made, so that a witness can be read back.

The map names the C files and the options; whoever explains a witness loads them again, and the hash of the Program says whether it is
still the same one. Nothing in the map is trusted: it says what to build, and the model file must be what comes out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from typing import Any, TypeVar

from fsoft.circuit.encode.encoding import WHICH, ProgramCircuit
from fsoft.circuit.encode.scheduler import ContextScheduler, FixedScheduler, FreeScheduler, RoundsScheduler, Scheduler
from fsoft.circuit.formats.export import Exported, Form
from fsoft.frontend.source import InputError, Loc, Source
from fsoft.passes.watch import CHECK, RACE
from fsoft.program.options import PROPERTIES, RACE_MODELS, Options
from fsoft.program.program import Program
from fsoft.program.state import Place
from fsoft.program.text import text_of
from fsoft.version import VERSION

T = TypeVar("T")
FORMAT = 1
_SCHEDULERS: dict[str, type[Any]] = {
    "free": FreeScheduler,
    "context-bounded": ContextScheduler,
    "round-robin": RoundsScheduler,
    "given": FixedScheduler,
}


def map_name(model: str) -> str:
    """`model.aag` has its map in `model.map.json`."""
    return model.rpartition(".")[0] + ".map.json"


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a model file is made: C files and options, the scheduler, the form of the file, the reduction (--por, --transactions); `ltl` is
    the formula of a property of runs with its fairness."""

    sources: tuple[Source, ...]
    bits: int
    cpp: str
    options: Options
    scheduler: Scheduler
    form: Form
    reduction: tuple[str, str] = ("none", "none")
    ltl: tuple[str, str] | None = None


def program_hash(program: Program) -> str:
    """SHA-256 of the Program's text form."""
    return hashlib.sha256(text_of(program).encode()).hexdigest()


# ---------------------------------------------------------------- writing


def write_map(recipe: Recipe, encoding: ProgramCircuit, exported: Exported, program: Program | None = None) -> str:
    """The text of the map file: indented JSON, the same for the same model. `program` is the one that is recognised by its hash, if it is
    not that of the encoding."""
    table = recipe_table(recipe, program or encoding.program.taken_apart())
    table |= file_table(encoding.program, exported)
    table["words"] = _words_of(encoding, exported)
    return text_of_table(table)


def recipe_table(recipe: Recipe, program: Program) -> dict[str, Any]:
    """The part of a map that says how the model was made."""
    form = asdict(recipe.form)
    return {
        "fsoft": VERSION,
        "map": FORMAT,
        "program": {"name": program.name, "sha256": program_hash(program)},
        "sources": [asdict(source) for source in recipe.sources],
        "bits": recipe.bits,
        "cpp": recipe.cpp,
        "options": _options(recipe.options),
        "scheduler": _scheduler(recipe.scheduler),
        "reduction": list(recipe.reduction),
        **({"ltl": {"formula": recipe.ltl[0], "fairness": recipe.ltl[1]}} if recipe.ltl is not None else {}),
        "form": {name: value for name, value in form.items() if name != "format"},
    }


def file_table(program: Program, exported: Exported) -> dict[str, Any]:
    """The part of a map that says what the file has, with the markers of `program`."""
    return {
        "threads": [{"slot": thread.index, "name": thread.name} for thread in program.threads],
        "inputs": exported.inputs,
        "states": exported.states,
        "targets": {name: target_line(program, name) for name in exported.targets},
    }


def text_of_table(table: dict[str, Any]) -> str:
    return json.dumps(table, indent=1, ensure_ascii=False) + "\n"


def _options(options: Options) -> dict[str, Any]:
    table = asdict(options)
    table["checks"] = sorted(options.checks)
    return table


def _scheduler(scheduler: Scheduler) -> dict[str, Any]:
    for name, kind in _SCHEDULERS.items():
        if isinstance(scheduler, kind):
            return {"kind": name, **{f.name: getattr(scheduler, f.name) for f in fields(kind)}}
    raise TypeError(f"no name for the scheduler {scheduler!r}")


def target_line(program: Program, name: str) -> str:
    """What a bad or bound of the circuit means."""
    kind, _, rest = name.removeprefix("bound:").partition(".")
    if not name.startswith("bound:"):
        return f"violation of {RACE} in the race model c11" if name == CHECK else f"violation of {name}"
    if kind == "marker" and rest.isdigit():
        marker = program.markers[int(rest)]
        return f"bound: {marker.kind}: {marker.message} ({marker.loc})"
    return "bound: " + name.removeprefix("bound:").replace("@", " at ")


def describe_words(encoding: ProgramCircuit) -> dict[str, dict[str, Any]]:
    """Every word of the circuit: what it is in the program."""
    program, layout, names = encoding.program, encoding.layout, encoding.words.names
    table: dict[str, dict[str, Any]] = {names[0]: {"kind": "the run is over"}}
    for slot, thread in enumerate(program.threads):
        lines = [str(location.loc) for location in thread.template.locations]
        table[names[layout.pc[slot]]] = {"kind": "location", "thread": thread.name, "lines": lines}
        for register, index in layout.registers[slot].items():
            entry = thread.template.registers[register]
            known = {"kind": "variable", "name": entry.symbol, "type": entry.ctype} if entry.symbol else {"kind": "temporary"}
            table[names[index]] = {**known, "thread": thread.name, "line": str(entry.loc)}
    for place in layout.places:
        if place is not None and place.rom is None:
            _object(place, names, table)
    for bank, name in encoding.words.arrays.items():
        line = str(bank.place.object.loc)
        table[name] = {"kind": "memory", "name": bank.name, "type": f"{bank.run.ctype} [{bank.run.count}]", "line": line}
    for name in encoding.model.inputs:
        kind = "which step" if name == WHICH else "who moves" if name.startswith("schedule") else "value chosen"
        table[name] = {"kind": kind}
    return table


def _object(place: Place, names: list[str], table: dict[str, dict[str, Any]]) -> None:
    line = str(place.object.loc)
    if place.status >= 0:
        table[names[place.status]] = {"kind": "alive", "object": place.object.name, "line": line}
    if place.extent >= 0:
        table[names[place.extent]] = {"kind": "size", "object": place.object.name, "line": line}
    for cell in place.cells:
        if not names[place.base + cell.number]:
            continue  # it is in a bank
        run = place.cells.run_of(cell.number)[0]
        entry = {"kind": "memory", "name": place.cells.name(cell.number), "type": run.ctype, "line": line}
        table[names[place.base + cell.number]] = entry


def _words_of(encoding: ProgramCircuit, exported: Exported) -> dict[str, dict[str, Any]]:
    """The words of which something is in the file."""
    table = describe_words(encoding)
    widths = exported.model.inputs | exported.model.states
    used = dict.fromkeys(name if name in widths else name.rsplit("[", 1)[0] for name in [*exported.inputs, *exported.states])
    return {name: {"width": widths[name], **table.get(name, {"kind": _of_formula(name)})} for name in used if name in widths}


def _of_formula(name: str) -> str:
    """What a word is that the Program does not have."""
    return "formula" if name.startswith(("ltl.", "fair.")) else "scheduler"


def comment_of(encoding: ProgramCircuit, recipe: Recipe) -> str:
    """What an AIGER file says about its words, for people."""
    lines = [f"fsoft {VERSION}: the circuit of {', '.join(source.path for source in recipe.sources)}"]
    lines += [f"thread_{thread.index} is {thread.name}" for thread in encoding.program.threads]
    for name, entry in describe_words(encoding).items():
        if entry["kind"] in ("variable", "memory") and entry.get("line"):
            lines.append(f"{name}: {entry['type'] or 'word'} {entry['name']}, {entry['line']}")
    return "\n".join(lines)


# ---------------------------------------------------------------- reading


def read_map(text: str, name: str, format: str) -> tuple[Recipe, str]:
    """The recipe in a map file for a model file of that format, and the hash of the Program. Whatever is wrong is an InputError."""
    return read_table(text, name, lambda table: (_recipe(table, format), _text(table["program"]["sha256"])))


def read_table(text: str, name: str, read: Callable[[dict[str, Any]], T]) -> T:
    """What `read` finds in a map file; whatever it stumbles over is an InputError."""
    try:
        table = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 0)
        raise InputError(Loc(name, line), "not valid JSON") from None
    try:
        return read(table)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        what = f"'{error.args[0]}' is missing" if isinstance(error, KeyError) else "a value has the wrong type"
        raise InputError(Loc(name, 0), f"not a map that fsoft wrote: {what}") from None


def _recipe(table: dict[str, Any], format: str) -> Recipe:
    if table["map"] != FORMAT:
        raise ValueError("another format")
    sources = tuple(_source(entry) for entry in table["sources"])
    if not sources or table["bits"] not in (32, 64) or table["cpp"] not in ("builtin", "gcc"):
        raise ValueError("no sources")
    return Recipe(sources, table["bits"], table["cpp"], _read_options(table["options"]), _read_scheduler(table["scheduler"]),
                  _read_form(table["form"], format), _read_reduction(table.get("reduction", ["none", "none"])),
                  _read_ltl(table.get("ltl")))  # fmt: skip


def _read_ltl(entry: dict[str, Any] | None) -> tuple[str, str] | None:
    if entry is None:
        return None
    formula, fairness = _text(entry["formula"]), _text(entry["fairness"])
    if fairness not in ("none", "weak", "strong"):
        raise ValueError("fairness")
    return formula, fairness


def _read_reduction(entry: list[str]) -> tuple[str, str]:
    por, transactions = map(_text, entry)
    if por not in ("none", "cstub", "peephole", "monotonic") or transactions not in ("none", "lockset", "lock-pattern"):
        raise ValueError("reduction")
    return por, transactions


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text expected")
    return value


def _source(entry: dict[str, Any]) -> Source:
    flags = {name: tuple(_text(flag) for flag in entry[name]) for name in ("include", "define", "undefine")}
    return Source(_text(entry["path"]), flags["include"], flags["define"], flags["undefine"])


def _typed(given: dict[str, Any], default: Any, names: set[str]) -> dict[str, Any]:
    """The entries, each of the type that the default has."""
    if not isinstance(given, dict) or given.keys() != names:
        raise TypeError("other entries")
    for key, value in given.items():
        wanted = getattr(default, key)
        if wanted is not None and type(value) is not type(wanted) and not isinstance(wanted, (tuple, frozenset)):
            raise TypeError(key)
    return dict(given)


def _read_options(entry: dict[str, Any]) -> Options:
    given = _typed(entry, Options(), {f.name for f in fields(Options)})
    given["checks"] = frozenset(_text(check) for check in given["checks"])
    given["thread_functions"] = tuple(_text(f) for f in given["thread_functions"])
    given["arguments"] = None if given["arguments"] is None else tuple(_text(text) for text in given["arguments"])
    given["error_labels"] = tuple(_text(name) for name in given["error_labels"])
    given["race_on"] = tuple(_text(name) for name in given["race_on"])
    if not given["checks"] <= set(PROPERTIES):
        raise ValueError("checks")
    if given["race_model"] not in RACE_MODELS:
        raise ValueError("race model")
    return Options(**given)


def _read_scheduler(entry: dict[str, Any]) -> Scheduler:
    kind = _SCHEDULERS[_text(entry["kind"])]
    given = {f.name: entry[f.name] for f in fields(kind)}
    for value in given.values():
        numbers = value if isinstance(value, list) else [value]
        if not all(type(n) is int and 0 <= n < 1 << 20 for n in numbers):
            raise ValueError("scheduler")
    scheduler: Scheduler = kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in given.items()})
    return scheduler


def _read_form(entry: dict[str, Any], format: str) -> Form:
    given = _typed(entry, Form(format), {f.name for f in fields(Form)} - {"format"})
    if not isinstance(given["bad"], str | None) or not isinstance(given["depth"], int | None):
        raise TypeError("form")
    return Form(format, **given)

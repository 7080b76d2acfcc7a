"""The table of `models/`: every C program of ours with its questions and the right answers, as typed rows.

    for row in rows():
        verdict = run(row)          # "TRUE", "FALSE(no-data-race)", "UNKNOWN"
        assert verdict == row.verdict

The table itself says what its columns mean (`models/table.toml`). `models/large.toml` has the same programs at sizes that
not every engine can answer about in a minute; `rows("large.toml")` reads it.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

MODELS = Path(__file__).resolve().parents[2] / "models"
PROPERTIES = (
    "unreach-call", "no-data-race", "no-deadlock", "valid-deref", "valid-free", "valid-memtrack", "no-overflow", "no-division-by-zero",
    "no-bad-shift", "no-bad-conversion", "no-bad-index", "no-lock-misuse", "no-handle-misuse",
)  # fmt: skip
RUNS = ("ltl", "termination")
"""Properties of whole runs."""
BITS = {"LP64": 64, "ILP32": 32}


@dataclass(frozen=True, slots=True)
class Row:
    """One question: does `program` (a path below `models/`) with these flags have the property?

    `verdict` is the last line that `fsoft check` must print.
    """

    program: str
    prop: str
    verdict: str
    defines: tuple[str, ...] = ()
    model: str = "LP64"
    options: tuple[str, ...] = ()
    ltl: str = ""
    fairness: str = ""

    @property
    def path(self) -> Path:
        return MODELS / self.program

    @property
    def bits(self) -> int:
        return BITS[self.model]

    @property
    def name(self) -> str:
        """The row on one line, unique in the table."""
        flags = [f"-D{d}" for d in self.defines] + (["--32"] if self.bits == 32 else []) + list(self.options)
        flags += [f"'{self.ltl}'"] if self.ltl else []
        flags += [f"--fairness {self.fairness}"] if self.fairness else []
        return " ".join([self.program, self.prop, *flags])

    def arguments(self) -> list[str]:
        """What comes after `fsoft check`."""
        defines = [part for d in self.defines for part in ("-D", d)]
        asked = ["--ltl", self.ltl] if self.ltl else ["--property", self.prop]
        fairness = ["--fairness", self.fairness] if self.fairness else []
        return [*asked, *fairness, f"--{self.bits}", *defines, *self.options, str(self.path)]


@cache
def rows(table_file: str = "table.toml") -> tuple[Row, ...]:
    """All rows, in the order of the table. A row that the table's own rules forbid is a ValueError."""
    with (MODELS / table_file).open("rb") as file:
        table = tomllib.load(file)
    return tuple(_row(program, entry) for program, entries in table.items() for entry in entries)


def _row(program: str, entry: dict[str, Any]) -> Row:
    unknown = set(entry) - {"property", "verdict", "defines", "model", "options", "ltl", "fairness"}
    if unknown:
        raise ValueError(f"{program}: unknown columns {sorted(unknown)}")
    asked, verdict, model = entry["property"], entry["verdict"], entry.get("model", "LP64")
    known = asked in PROPERTIES + RUNS and (asked == "ltl") == ("ltl" in entry)
    if not known or verdict not in ("TRUE", "FALSE", "UNKNOWN") or model not in BITS:
        raise ValueError(f"{program}: {asked} {verdict} {model}: no such property, verdict or data model")
    full = f"FALSE({asked})" if verdict == "FALSE" else str(verdict)
    more = {"ltl": entry.get("ltl", ""), "fairness": entry.get("fairness", "")}
    return Row(program, asked, full, tuple(entry.get("defines", ())), model, tuple(entry.get("options", ())), **more)

"""What was checked, as report files name it: the C files with their hashes, the data model, the property in SV-COMP's words."""

from __future__ import annotations

import hashlib
import os
import re
import time
from dataclasses import dataclass, field

from fsoft.frontend.inputs import read_file, read_lines
from fsoft.frontend.source import InputError, Loc
from fsoft.version import VERSION

PRODUCER = "fsoft"
FORMULAS = {
    "unreach-call": "G ! call(reach_error())",
    "valid-deref": "G valid-deref",
    "valid-free": "G valid-free",
    "valid-memtrack": "G valid-memtrack",
    "no-overflow": "G ! overflow",
    "no-data-race": "G ! data-race",
    "no-deadlock": "G ! deadlock",
    "no-division-by-zero": "G ! division-by-zero",
    "no-bad-shift": "G ! bad-shift",
    "no-bad-conversion": "G ! bad-conversion",
    "no-bad-index": "G ! bad-index",
    "no-lock-misuse": "G ! lock-misuse",
    "no-handle-misuse": "G ! handle-misuse",
}
"""The properties as formulas: SV-COMP's where it has one, ours in the same manner where it has none."""

_HIDDEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|^[ \t]*#(?:\\\n|[^\n])*', re.DOTALL | re.MULTILINE)
"""Comments, strings and directives: text that is no code."""


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])


@dataclass(slots=True)
class ReportTask:
    """`checks` are the properties that were asked, by name; `command` is the command line, for the reader; `formula` is the property
    of runs that a file is about."""

    files: tuple[str, ...]
    bits: int
    checks: frozenset[str]
    entry: str = "main"
    command: str = ""
    formula: str = ""
    _texts: dict[str, list[str]] = field(default_factory=dict)

    def specification(self) -> str:
        """A line of SV-COMP for each property that was asked."""
        asked = [formula for name, formula in FORMULAS.items() if name in self.checks]
        if self.formula:
            asked = ["F end" if self.formula == "termination" else self.formula]
        return "\n".join(f"CHECK( init({self.entry}()), LTL({formula}) )" for formula in asked)

    @property
    def model(self) -> str:
        return "LP64" if self.bits == 64 else "ILP32"

    def hashes(self) -> dict[str, str]:
        """SHA-256 of each file; a file that is gone has none."""
        found = {}
        for file in self.files:
            try:
                found[file] = hashlib.sha256(read_file(file)).hexdigest()
            except InputError:
                continue
        return found

    def own(self, loc: Loc) -> bool:
        """Whether a place is in one of the files as they were given (and not where a `#line` or a header says)."""
        return loc.line > 0 and loc.file in self.files

    def line(self, loc: Loc) -> str:
        """The line of the text at a place, "" if it cannot be read."""
        lines = self._lines(loc.file)
        return lines[loc.line - 1] if 0 < loc.line <= len(lines) else ""

    def _lines(self, path: str) -> list[str]:
        if path not in self._texts:
            self._texts[path] = read_lines(path)
        return self._texts[path]

    def declared_once(self, name: str) -> bool:
        """Whether the files have no more than one thing that looks like a declaration of the name: then it means the global everywhere."""
        looks = re.compile(rf"(?:\b(?!(?:return|else|goto|do)\b)\w+\s+|\*\s*|,\s*){re.escape(name)}\s*(?:=(?!=)|[;,\[)])")
        return sum(len(looks.findall(line)) for file in self.files for line in self._lines(file)) <= 1

    def first_statement(self) -> Loc | None:
        """Where the body of the function that the run starts in begins, found in the text alone."""
        head = re.compile(rf"\b{re.escape(self.entry)}\s*\([^;{{}}]*\)\s*{{\s*(?=\S)")
        for file in self.files:
            text = _HIDDEN.sub(_blank, "\n".join(self._lines(file)))
            found = head.search(text)
            if found:
                line = text.count("\n", 0, found.end()) + 1
                return Loc(file, line, found.end() - (text.rfind("\n", 0, found.end()) + 1) + 1)
        return None

    def column_of(self, loc: Loc, text: str) -> int:
        """The column at which a statement begins on the line of `loc`; 0 if it does not begin there."""
        head = text.split(";")[0][:16]
        at = self.line(loc).rfind(head, 0, loc.column - 1 + len(head)) if head else -1
        return at + 1

    def closing(self, loc: Loc, function: str) -> int:
        """The column of the parenthesis that closes the call of `function` at a place; 0 if that is not on the same line."""
        line = self.line(loc)
        start = line.find(function, max(0, loc.column - 1))
        at = line.find("(", start) if start >= 0 else -1
        depth = 0
        for k in range(at, len(line)) if at >= 0 else ():
            depth += {"(": 1, ")": -1}.get(line[k], 0)
            if depth == 0:
                return k + 1
        return 0


def creation_time() -> str:
    """Now, in ISO 8601; `SOURCE_DATE_EPOCH` makes files reproducible."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    moment = time.gmtime(int(epoch) if epoch.isdigit() else time.time())
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", moment)


__all__ = ["FORMULAS", "PRODUCER", "ReportTask", "VERSION", "creation_time"]

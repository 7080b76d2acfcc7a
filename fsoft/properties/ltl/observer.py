"""Atoms as C: the observer, a thread that only looks on.

Every atom that reads memory becomes a function that is one atomic step, which stores the atom's value in a variable of its own. The
front end reads these functions as the last lines of the user's file, so an atom means what it means in C, macros included. The observer
calls them all; it counts as a thread that may run at any time, so no pass drops, folds or delays a write that it could see.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fsoft.properties.ltl.formula import Atom, TemporalFormula, atoms_of
from fsoft.properties.ltl.syntax import Text

OBSERVER = "__fsoft_ltl_observer"
_VARIABLE = "__fsoft_ltl_"
_FUNCTION = "__VERIFIER_atomic_fsoft_ltl_"

_LOCKS = """\
    _Static_assert(sizeof({m}) == 4 || sizeof({m}) == 24 || sizeof({m}) == 40 || sizeof({m}) == 32 || sizeof({m}) == 56, "not a lock");
    {v} = sizeof({m}) == 24 || sizeof({m}) == 40 ? *(int *)((char *)&({m}) + 8) : *(int *)&({m});
    {v}_readers = sizeof({m}) == 32 || sizeof({m}) == 56 ? *(unsigned long long *)((char *)&({m}) + 8) : 0;
"""
"""Who holds a lock: a mutex has its owner at byte 8, a read-write lock its writer at 0 and the mask of its readers at 8, a spin lock its
owner at 0 (`frontend/library/objects.h`)."""


@dataclass(frozen=True, slots=True)
class WatchedAtom:
    """An atom that is computed by C, with the formula that it comes from."""

    atom: Atom
    source: Text
    number: int

    @property
    def variable(self) -> str:
        return f"{_VARIABLE}{self.number}"

    @property
    def file(self) -> str:
        """Where errors are that come from the text around the atom."""
        return f"ltl.observer.{self.number}"

    @property
    def function(self) -> str:
        return f"{_FUNCTION}{self.number}"


def watches(formulas: Sequence[tuple[TemporalFormula, Text]]) -> list[WatchedAtom]:
    """The atoms of several formulas that read memory, each once."""
    found: dict[Atom, Text] = {}
    for formula, source in formulas:
        for atom in atoms_of(formula):
            if atom.kind in ("c", "holds"):
                found.setdefault(atom, source)
    return [WatchedAtom(atom, source, number) for number, (atom, source) in enumerate(found.items())]


def text_of(one: WatchedAtom) -> str:
    """The C definitions of one atom."""
    head = f'\n#line 1 "{one.file}"\nint {one.variable};\n'
    if one.atom.kind == "holds":
        lock = one.atom.text
        probe = _placed(one, ((lock, one.atom.at),))
        body = f"    (void)sizeof({probe});\n" + _LOCKS.format(m=lock, v=one.variable)
        return f"{head}unsigned long long {one.variable}_readers;\nvoid {one.function}(void) {{\n{body}}}\n"
    value = _placed(one, one.atom.pieces or ((one.atom.text, one.atom.at),))
    return f"{head}void {one.function}(void) {{ {one.variable} = !!({value}); }}\n"


def _placed(one: WatchedAtom, pieces: Sequence[tuple[str, int]]) -> str:
    """The pieces, those of the user at the line and column where they stand in the formula."""
    out, file = [], one.source.file.replace("\\", "\\\\").replace('"', '\\"')
    for text, column in pieces:
        if column:
            blanks = " " * (one.source.column + column - 2)
            out.append(f'\n#line {one.source.line} "{file}"\n{blanks}{text}\n#line 1 "{one.file}"\n')
        else:
            out.append(text)
    return "".join(out)


def observer_text(all_of: Sequence[WatchedAtom]) -> str:
    """The observer itself."""
    declared = "".join(f"void {one.function}(void);\n" for one in all_of)
    calls = " ".join(f"{one.function}();" for one in all_of)
    return f'\n#line 1 "ltl.observer"\n{declared}void {OBSERVER}(void) {{ {calls} }}\n'


__all__ = ["OBSERVER", "WatchedAtom", "observer_text", "text_of", "watches"]

"""What is in the way of an answer: records, and the words that people read for them.

Whoever decides by what cut (which bound grows, who may go on) looks at the record; the words are only here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fsoft.frontend.source import NOWHERE, Loc
from fsoft.program.program import Marker, Program

_OF_ENGINES = {
    "contexts": ("a run needs more contexts than were allowed", "--contexts"),
    "switches": ("a run needs more context switches than were allowed", "--context-bound"),
    "writes": ("a run needs more writes to shared memory, or clusters of writes, than were allowed", "--writes"),
    "rounds": ("a run needs more rounds than were allowed", "--rounds"),
    "range": ("a word needs more bits than the engine had time for", ""),
    "schedule": ("the program can make moves that the given schedule leaves out", "--schedule"),
    "access": ("the circuit does not follow an access at an unusual offset", "the engine explicit does"),
    "blocked": ("whether a step is blocked depends on too many inputs for the circuit", "the engine explicit tries them"),
    "others": ("others may cut as well", "the search ended with these"),
    "bound": ("a bound cuts", ""),
}
"""Cuts that are made by the way in which a question was put, not by the Program: what is wrong and what could be done."""
_BARE = ("access", "blocked", "others")  # their words begin with what is wrong, not with their kind


@dataclass(frozen=True, slots=True)
class Cut:
    """`kind` is that of a marker of the Program (loop, slot, heap, ...), "undefined", "cut", "violated" (runs stop where `what` is
    violated), "sampled" (of the input `what` only some values were tried), "said" (`what` says it all) or one of _OF_ENGINES; `remedy` is
    what a user can do about it. `adds`: a trace depends on it, with the `values` that were taken; everything else leaves behaviour out. A
    name of a bound that no word is known for is in `what`, and the kind is "bound"."""

    kind: str
    place: Loc = NOWHERE
    what: str = ""
    remedy: str = ""
    adds: bool = False
    values: tuple[str, ...] = ()

    @property
    def of_program(self) -> bool:
        """Whether it is in the Program, so that no other engine can do without it."""
        return self.kind not in _OF_ENGINES

    def short(self) -> str:
        """A few words: neither its place nor what could be done about it."""
        if self.kind in _OF_ENGINES:
            return _OF_ENGINES[self.kind][0]
        if self.kind == "undefined":
            return "undefined behaviour" + (f": {self.what}" if self.what else "")
        if self.kind == "violated":
            return f"runs stop where {self.what} is violated"
        if self.kind == "sampled":
            return f"only some values of {self.what} were tried"
        return self.what

    def __str__(self) -> str:
        """The line that is printed."""
        place = f"{self.place}: " if self.place.line > 0 else ""
        if self.kind in _OF_ENGINES:
            what, remedy = _OF_ENGINES[self.kind]
            head = "" if self.kind in _BARE else f"{self.what or self.kind}: "
            return f"{place}{head}{what}" + (f" ({remedy})" if remedy else "")
        remedy = f" ({self.remedy})" if self.remedy else ""
        if self.adds:
            taken = f", here {', '.join(dict.fromkeys(self.values))}" if self.values else ""
            return f"{self.place}: depends on: {self.what}{taken}{remedy}"
        if self.kind == "cut":
            return f"{place}cut" + (f": {self.what}" if self.what else "")
        head = {"sampled": "input: ", "undefined": "", "violated": "", "said": ""}.get(self.kind, f"{self.kind}: ")
        return f"{place}{head}{self.short()}{remedy}"


OTHERS = Cut("others")


def cut_of_marker(marker: Marker) -> Cut:
    """The marker as what is in the way."""
    return Cut(marker.kind, marker.loc, marker.message, marker.remedy)


def cut_of_bound(program: Program, name: str) -> Cut:
    """What the bound of that name is in a Model of the Program: `marker.N`, `violated.PROPERTY`, `KIND@PLACE`, or a kind."""
    kind, _, place = name.partition("@")
    if name.startswith("marker."):
        return cut_of_marker(program.markers[int(name.removeprefix("marker."))])
    if name.startswith("violated."):
        return Cut("violated", what=name.removeprefix("violated."))
    if place:
        return Cut(kind, _place(place))
    return Cut(kind) if kind in _OF_ENGINES else Cut("bound", what=name)


def _place(text: str) -> Loc:
    """A place as it prints."""
    found = re.fullmatch(r"(.*?):(\d+)(?::(\d+))?", text, re.DOTALL)
    return Loc(found[1], int(found[2]), int(found[3] or 0)) if found else Loc(text, 0)


__all__ = ["Cut", "OTHERS", "cut_of_bound", "cut_of_marker"]

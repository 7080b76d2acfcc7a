"""Defects of the argument for any number of threads: each replaces one function by one that drops a rule."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fsoft.parametric import certificate, infer, system
from fsoft.parametric.clauses import choices
from fsoft.parametric.system import System
from fsoft.program.expr import eq, negate


def own_kind_ignored(patch: pytest.MonkeyPatch) -> None:
    """Threads of one kind do not disturb each other."""

    def undisturbed(whole: System, mover: int, kinds: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        own = whole.kind_of[mover].slots
        return (slots for slots in choices(whole, kinds) if not any(slot != mover and slot in own for slot in slots))

    for module in (certificate, infer):
        patch.setattr(module, "after_move", undisturbed)


def nobody_is_named(patch: pytest.MonkeyPatch) -> None:
    """No shared word is ever the number of a thread."""
    identities = system._Builder._identities

    def anonymous(self: system._Builder, whole: System) -> None:
        before = len(whole.axioms)
        identities(self, whole)
        numbers = {name: whole.word(name) for axiom in whole.axioms[before:] for name in axiom.reads if name in whole.widths}
        shared = [whole.word(name) for name in whole.shared]
        whole.axioms += [negate(eq(one, other)) for one in numbers.values() for other in shared if one.width == other.width]

    patch.setattr(system._Builder, "_identities", anonymous)


def position_ignored(patch: pytest.MonkeyPatch) -> None:
    """What a thread does may depend on which slot it is."""
    patch.setattr(system._Builder, "_check_same", lambda *_: None)

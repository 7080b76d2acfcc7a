"""Defects of the reduction for the tests to catch: each replaces one function by one that drops a rule."""

from __future__ import annotations

from typing import Any

import pytest

from fsoft.por import bits, facts, locks, stubborn, terms
from fsoft.por.blocked import Blockade
from fsoft.por.cells import Ground
from fsoft.por.footprint import Footprint
from fsoft.por.locks import Acquire, acquires, own_id
from fsoft.por.threads import Descriptors
from fsoft.program.expr import const


def none_sticky(patch: pytest.MonkeyPatch) -> None:
    """No location is sticky."""
    patch.setattr(facts, "sticky_locations", lambda *_: frozenset())


def blocked_for_ever(patch: pytest.MonkeyPatch) -> None:
    """Nobody is thought able to enable a step that is disabled."""
    for module in (stubborn, terms):
        patch.setattr(module, "blockade", lambda *_: Blockade((), (), 0))


def creators_ignored(patch: pytest.MonkeyPatch) -> None:
    """What a slot will touch is not counted for the thread that creates it."""
    patch.setattr(Descriptors, "starts", lambda *_: 0)


def entry_ignored(patch: pytest.MonkeyPatch) -> None:
    """Entering an atomic section of several steps is like any other step."""
    patch.setattr(facts.StubbornFacts, "_entering", lambda self: [frozenset() for _ in self.program.threads])


def try_acquires(patch: pytest.MonkeyPatch) -> None:
    """A try lock counts as one that blocks."""

    def eager(ground: Ground, one: Footprint) -> list[Acquire]:
        found = acquires(ground, one)
        mine = own_id(ground, one.slot)
        return found or [Acquire(w.address, w.masks[1], False) for w in one.stores if w.value is const(mine, w.value.width)]

    for module in (locks, facts):
        patch.setattr(module, "acquires", eager)


def setters_ignored(patch: pytest.MonkeyPatch) -> None:
    """Others may set a bit that only its owner should set."""
    patch.setattr(bits, "_leaves_clear", lambda *_: True)


def nothing_visible(patch: pytest.MonkeyPatch) -> None:
    """No step is visible."""

    def blind(program: Any, *_: Any) -> list[frozenset[int]]:
        return [frozenset() for _ in program.threads]

    patch.setattr(facts, "visible_locations", blind)


def nobody_stops(patch: pytest.MonkeyPatch) -> None:
    """That a step stops its thread is not visible."""
    patch.setattr("fsoft.por.visible.stopping", lambda *_: False)

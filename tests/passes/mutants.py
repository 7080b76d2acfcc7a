"""A defect of folding for the tests to catch."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fsoft.passes import fold
from fsoft.program.expr import negate
from fsoft.program.program import Action, Halt, Require, Step


def assume_in_guard(patch: pytest.MonkeyPatch) -> None:
    """A folded assume disables the step instead of stopping the thread after it."""
    appended = fold._Folding._appended

    def folded(action: Action) -> Action:
        return Require(negate(action.when)) if isinstance(action, Halt) and action.kind == "pruned" else action

    def eager(self: fold._Folding, first: Step, follower: Step) -> Step:
        return appended(self, first, replace(follower, actions=tuple(map(folded, follower.actions))))

    patch.setattr(fold._Folding, "_appended", eager)

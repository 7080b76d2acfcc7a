"""valid-memtrack: what is lost when the process ends."""

from __future__ import annotations

import pytest

from fsoft.checkers.explicit.engine import explore
from fsoft.program.program import Action, Alloc, Free, Halt, Program, Store
from tests.program.build import Builder, c


def program(keep: str, end: bool) -> Program:
    """Allocate two objects, link them, and then `keep` them: free, global, inner (only the second), lost."""
    b = Builder(("valid-memtrack",))
    pool, root = b.pool(2, 8), b.variable("root")
    t = b.template("main", p=32, q=32)
    t.step(0, 1, Alloc("p", c(8), pool))
    t.step(1, 2, Alloc("q", c(8), pool))
    t.step(2, 3, Store(t["p"], t["q"], 4))
    ends: dict[str, tuple[Action, ...]] = {
        "free": (Free(t["q"]), Free(t["p"])),
        "global": (Store(root, t["p"], 4),),
        "inner": (Store(root, t["q"], 4),),
        "lost": (),
    }
    t.step(3, 4, *ends[keep])
    if end:
        t.step(4, 5, Halt("ended"))
    return b.program(("main", t))


@pytest.mark.parametrize("end", [True, False])
@pytest.mark.parametrize("keep, lost", [("free", ""), ("global", ""), ("inner", "heap0.0"), ("lost", "heap0.0, heap0.1")])
def test_leaks(keep: str, lost: str, end: bool) -> None:
    verdict = explore(program(keep, end))
    assert verdict.kind == ("FALSE" if lost else "TRUE")
    if lost:
        assert f"memory leak: {lost} is neither freed nor reachable" in verdict.reasons[0]

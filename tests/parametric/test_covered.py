"""What the argument for any number of threads does not cover is named, never proved."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.parametric import NotCovered
from tests.parametric.programs import PLACED, system_in, text

CANCELLED = text("x = 1;", "pthread_t t; while (1) { pthread_create(&t, 0, worker, 0); pthread_cancel(t); }")
WAITING = text("pthread_mutex_lock(&m); while (!x) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);")
NESTED = text("pthread_t t; pthread_create(&t, 0, worker, 0);")


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (CANCELLED, "the handle of a thread is looked up"),
        (WAITING, "sets of waiting threads"),
        (NESTED, "creates threads"),
        (PLACED, "own memory"),
    ],
    ids=["cancel", "condition", "creation", "address"],
)
def test_it_is_named(tmp_path: Path, source: str, why: str) -> None:
    with pytest.raises(NotCovered, match=why):
        system_in(tmp_path, source)


def test_creation_without_end_is_no_cut(tmp_path: Path) -> None:
    system = system_in(tmp_path, text("x = 1;"))
    assert [(kind.name, kind.many, len(kind.slots)) for kind in system.kinds] == [("main", False, 1), ("worker", True, 3)]
    assert [marker.kind for marker in system.program.markers if marker.cuts] == []

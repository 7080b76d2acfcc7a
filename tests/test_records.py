"""`fsoft.records.dataclass` against the standard decorator: the same class body, the same behaviour."""

from __future__ import annotations

import dataclasses
import pickle
from dataclasses import field
from typing import Any

import pytest

import fsoft.records


def _classes(decorate: Any, **options: Any) -> Any:
    @decorate(**options)
    class Pair:
        left: int
        right: list[int] = field(default_factory=list, compare=False)
        name: str = "x"
        seen: int = field(init=False, default=7, repr=False)

    return Pair


def _behaviour(cls: Any) -> list[object]:
    one, two = cls(1, [2]), cls(1, right=[3], name="x")
    told: list[object] = [repr(one).rpartition(".")[2], one == two, one == cls(2), one == 1, one.seen, cls.__match_args__]
    told.append([(one_field.name, getattr(dataclasses.replace(one, left=5), one_field.name)) for one_field in dataclasses.fields(cls)])
    try:
        told.append(hash(one) == hash(two))
    except TypeError:
        told.append("no hash")
    for change in (lambda: setattr(one, "left", 9), lambda: setattr(one, "none", 9), lambda: delattr(one, "left")):
        try:
            told.append((change(), one.left if hasattr(one, "left") else None))
        except (AttributeError, TypeError):
            told.append("refused")
    with pytest.raises(TypeError):
        cls()
    return told


@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize("slots", [False, True])
@pytest.mark.parametrize("eq", [False, True])
def test_same_behaviour(frozen: bool, slots: bool, eq: bool) -> None:
    options = {"frozen": frozen, "slots": slots, "eq": eq}
    assert _behaviour(_classes(fsoft.records.dataclass, **options)) == _behaviour(_classes(dataclasses.dataclass, **options))


@fsoft.records.dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 0

    def __post_init__(self) -> None:
        assert self.x >= 0


@fsoft.records.dataclass(frozen=True, slots=True)
class Named(Point):
    name: str = ""


def test_pickle_inheritance_and_post_init() -> None:
    one = Named(1, 2, "a")
    assert pickle.loads(pickle.dumps(one)) == one and hash(one) == hash(Named(1, 2, "a")) and one != Named(1, 2, "b")
    assert Point(1, 2) != one
    with pytest.raises(AssertionError):
        Named(-1)


def test_other_options_are_left_to_the_standard_decorator() -> None:
    cls = fsoft.records.dataclass(order=True)(type("Ordered", (), {"__annotations__": {"x": int}}))
    assert cls(1) < cls(2)

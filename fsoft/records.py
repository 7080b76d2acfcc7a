"""`dataclass` as in the standard library, made in a third of the time: for modules that every start-up imports.

The standard decorator compiles the text of up to six methods for each class, and half of the time of `import fsoft` was that. Here only
`__init__` is compiled; equality and hash read the fields through `operator.attrgetter`, the other methods are the same for all classes.
What is not asked for in this package (`order`, `kw_only`, ...) is left to the standard decorator. Type checkers see the standard one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, *, eq=True, frozen=False, slots=False, **more):
        """The decorator, with the arguments of the standard one."""

        def make(cls):
            if more:
                return dataclasses.dataclass(cls, eq=eq, frozen=frozen, slots=slots, **more)
            return _made(cls, eq, frozen, slots)

        return make if cls is None else make(cls)


def _made(cls: Any, eq: bool, frozen: bool, slots: bool) -> Any:
    own = set(vars(cls))
    if not cls.__doc__:
        cls.__doc__ = cls.__name__  # the standard decorator would write a signature
    if frozen and slots and "__getstate__" not in own:
        cls.__getstate__, cls.__setstate__ = _state, _set_state
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots)(cls)
    found = fields(made)
    made.__init__ = _initialiser(made, found, frozen)
    if "__repr__" not in own:
        made.__repr__ = _show
    if eq and "__eq__" not in own:
        _compare(made, tuple(one.name for one in found if one.compare), frozen, "__hash__" in own)
    if frozen:
        made.__setattr__, made.__delattr__ = _refuse_set, _refuse_delete
    return made


def _initialiser(cls: Any, found: tuple[Field[Any], ...], frozen: bool) -> Callable[..., None]:
    known: dict[str, Any] = {"_set": object.__setattr__, "_missing": MISSING}
    heads, lines = ["self"], []
    for one in found:
        head, value = one.name, one.name
        if one.default is not MISSING:
            known[f"_of_{one.name}"], head = one.default, f"{one.name}=_of_{one.name}"
            value = value if one.init else f"_of_{one.name}"
        elif one.default_factory is not MISSING:
            known[f"_of_{one.name}"], head = one.default_factory, f"{one.name}=_missing"
            value = f"_of_{one.name}() if {one.name} is _missing else {one.name}" if one.init else f"_of_{one.name}()"
        elif not one.init:
            continue
        if one.init:
            heads.append(head)
        lines.append(f"_set(self, {one.name!r}, {value})" if frozen else f"self.{one.name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    exec(f"def __init__({', '.join(heads)}):\n " + "\n ".join(lines or ["pass"]), known)
    made: Callable[..., None] = known["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


def _compare(cls: Any, names: tuple[str, ...], frozen: bool, hashed: bool) -> None:
    """Equality by fields, and what follows for the hash."""
    values = _values(names)

    def equal(self: Any, other: object) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    cls.__eq__ = equal
    if not hashed:
        cls.__hash__ = _hash_of(values) if frozen else None


def _hash_of(values: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any], int]:
    return lambda record: hash(values(record))


def _values(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    if len(names) > 1:
        return attrgetter(*names)
    only = [attrgetter(name) for name in names]
    return lambda record: tuple([get(record) for get in only])


def _show(self: Any) -> str:
    inside = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({inside})"


def _refuse_set(self: Any, name: str, value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, one.name) for one in fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for one, value in zip(fields(self), state):
        object.__setattr__(self, one.name, value)


__all__ = ["dataclass"]

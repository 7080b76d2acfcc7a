"""Options: the fields of a dataclass, declared once where they are used.

An engine, an encoding or a scheduler is a dataclass, and what a user may choose about it are its fields:

    @dataclass(frozen=True)
    class Walk:
        runs: int = option(500, "how many random runs", metavar="N", least=1)

From the fields come the options of the command line (`cli/choices.py`), their documents, and the checks of every door (`chosen`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

_KEY = "fsoft option"
_KINDS = ("bool", "int", "float", "str", "tuple[str, ...]")

T = TypeVar("T")


class BadOption(ValueError):
    """An option that is not there, or a value that it cannot have."""


@dataclass(frozen=True, slots=True)
class Option:
    """`name` is that of the field, `flag` that of the command line (without dashes; "" where it has none), `kind` one of _KINDS. None is a
    value where it is the default. `allowed`: the only values; () for all. `least`: no number is smaller. `writes`: it
    names a file that is written, which must be possible."""

    name: str
    flag: str
    kind: str
    default: Any
    help: str
    metavar: str = ""
    allowed: tuple[str, ...] = ()
    least: int | None = None
    writes: bool = False

    def wrong(self, value: object) -> str | None:
        """Why the option cannot have this value; None if it can."""
        if value is None and self.default is None:
            return None
        if not _fits(self.kind, value):
            return f"{_SAID[self.kind]} expected, not {value!r}"
        if self.allowed and value not in self.allowed:
            return f"one of {', '.join(self.allowed)}, not {value}"
        if self.least is not None and isinstance(value, (int, float)) and value < self.least:
            return f"at least {self.least}, not {value}"
        return None


def _fits(kind: str, value: object) -> bool:
    if kind == "tuple[str, ...]":
        return isinstance(value, (tuple, list)) and all(isinstance(one, str) for one in value)
    return isinstance(value, (int, float)) and not isinstance(value, bool) if kind == "float" else type(value).__name__ == kind


_SAID = dict(zip(_KINDS, ("True or False", "a whole number", "a number", "a string", "a sequence of strings")))


def option(default: Any, help: str, *, flag: str | None = None, metavar: str = "", allowed: tuple[str, ...] = (),
           least: int | None = None, writes: bool = False) -> Any:  # fmt: skip
    """A field that users may set. See `Option`; the flag is the field's name unless said otherwise."""
    told = {"help": help, "flag": flag, "metavar": metavar, "allowed": allowed, "least": least, "writes": writes}
    return field(default=default, metadata={_KEY: told})


def options_of(record: Any) -> tuple[Option, ...]:
    """The options that a dataclass declares, in order. Anything else has none."""
    found = []
    for one in fields(record) if hasattr(record, "__dataclass_fields__") else ():
        told = one.metadata.get(_KEY)
        if told is not None:
            kind = str(one.type).removesuffix(" | None")
            if kind not in _KINDS:
                raise TypeError(f"the option {one.name} of {record.__name__} is a {one.type}: options are one of {', '.join(_KINDS)}")
            flag = one.name.replace("_", "-") if told["flag"] is None else told["flag"]
            rest = {key: told[key] for key in ("help", "metavar", "allowed", "least", "writes")}
            found.append(Option(one.name, flag, kind, one.default, **rest))
    return tuple(found)


def chosen(record: type[T], given: Mapping[str, Any], who: str) -> T:
    """The record with these options; BadOption for one that `who` does not have, or a value that it cannot have."""
    known = {one.name: one for one in options_of(record)}
    for name, value in given.items():
        if name not in known:
            raise BadOption(f"{who} has no option {name!r}")
        if why := known[name].wrong(value):
            raise BadOption(f"{who}: {name}: {why}")
    return record(**given)


__all__ = ["BadOption", "Option", "chosen", "option", "options_of"]

"""Bounded encodings by name. Each is a file with an `ENCODING` of its own, imported when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from fsoft.option import chosen
from fsoft.passes.bounds import Bounds

if TYPE_CHECKING:
    from fsoft.bounded.given import BoundedEncoding, Given
    from fsoft.bounded.sequential import Scheme

Unwindset = Iterable[tuple[tuple[str, str], int]]
"""Bounds of single loops, as `passes.bounds.read_unwindset` reads them."""

_MODULES = {
    "tcbmc": "fsoft.bounded.tcbmc",
    "mu": "fsoft.bounded.mu",
    "lazy": "fsoft.bounded.sequential",
    "schedule": "fsoft.bounded.schedule",
    "paths": "fsoft.search.paths",
    "uw": "fsoft.search.uw",
}
"""Where each encoding is. This is the list that a new one is added to."""


class UnknownEncoding(ValueError):
    """No encoding of that name; the message lists those there are."""


def encoding_names() -> tuple[str, ...]:
    """Those of the bounded encodings."""
    return tuple(_MODULES)


def encoding_of(name: str) -> BoundedEncoding:
    """The bounded encoding of that name."""
    if name not in _MODULES:
        raise UnknownEncoding(f"no encoding {name!r}: one of {', '.join(_MODULES)}")
    found = import_module(_MODULES[name]).ENCODING
    encoding: BoundedEncoding = found
    return encoding


def formula_bounds(name: str) -> type[Given] | None:
    """The record of bounds of the encoding of that name, if it makes formulas."""
    found = encoding_of(name) if name in _MODULES else None
    return None if found is None or found.search else found.bounds


def given_for(name: str, *, unwind: int | None = None, unwindset: Unwindset = (), incremental: bool = False, **options: Any) -> Any:
    """The record of bounds of the encoding of that name: `unwind` and `unwindset` are for loops, `options` are those of the encoding.
    BadOption for one that it does not have, or a value that means nothing."""
    record = chosen(encoding_of(name).bounds, options, f"the encoding {name}")
    first = 1 if incremental else Bounds().unwind
    return replace(record, loops=Bounds(first if unwind is None else unwind, tuple(unwindset)), incremental=incremental)


def scheme_of(name: str) -> Scheme:
    """What makes a sequential Program in the way of the encoding of that name."""
    scheme = encoding_of(name).scheme
    if scheme is None:
        raise UnknownEncoding(f"no scheme {name!r}: one of {', '.join(schemes())}")
    found: Scheme = scheme
    return found


def schemes() -> list[str]:
    """The encodings that can be sequential Programs."""
    return [name for name in _MODULES if encoding_of(name).scheme is not None]


__all__ = ["UnknownEncoding", "encoding_names", "encoding_of", "formula_bounds", "given_for", "scheme_of", "schemes"]

"""What library functions do that have no model in C: a table, one row a function (`rows/*.toml`), and the C text that a row means.

A row says what a function reads and writes through its arguments, what it returns, which storage of the library it uses, and what else it
may do. The text made of it (`model.py`) is a model like those of `frontend/library`: a sequence of single accesses, never one step. Users
bring rows of their own (`--effects FILE`), which come before everything but a body in the program.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache

from fsoft.frontend.effects.model import text_of
from fsoft.frontend.effects.row import COLUMNS, EffectRow, read_rows

_FOLDER = os.path.join(os.path.dirname(__file__), "rows")


@cache
def rows() -> Mapping[str, EffectRow]:
    """The table, by the names of the functions."""
    found: dict[str, EffectRow] = {}
    for name in sorted(os.listdir(_FOLDER)):
        for function, row in read_rows(os.path.join(_FOLDER, name)).items():
            if function in found:
                raise ValueError(f"{function} has two rows of effects")
            found[function] = row
    return found


@cache
def rows_of(files: tuple[str, ...]) -> Mapping[str, EffectRow]:
    """The rows of the user's files; a later file wins."""
    found: dict[str, EffectRow] = {}
    for file in files:
        found.update(read_rows(file))
    return found


def effect_text(name: str, files: Sequence[str] = ()) -> str | None:
    """C text that does what the row of a function says: of the user's files if there are any, else of the table. None without a row."""
    row = rows_of(tuple(files)).get(name) if files else rows().get(name)
    return None if row is None else text_of(row)


__all__ = ["COLUMNS", "EffectRow", "effect_text", "read_rows", "rows", "rows_of", "text_of"]

"""The library models: C text for each library function, found by name.

The sources are the `.h` and `.c` files of this folder. They are cut into top-level declarations; `find` gives the one asked for with
the types, globals, intrinsics and static helpers that it needs, and prototypes of the other library functions that it calls. The text
is preprocessed C: the sources use only `#define NAME tokens`, which is expanded here. A global appears in the text of every function
that uses it, as a tentative definition: they are one object. `table.py` says of each function whether it is modelled exactly.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cache

_FOLDER = os.path.dirname(__file__)
_FIRST = ("intrinsics.h", "objects.h")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_DEFINE = re.compile(r"^#define[ \t]+(\w+)[ \t]+(.*)$", re.MULTILINE)
_STRING = r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\''
_WORD_OR_STRING = re.compile(_STRING + r"|[A-Za-z_]\w*")
_BREAK = re.compile(_STRING + r"|[{};]")
_TAG = re.compile(r"(?:struct|union)\s+(\w+)\s*\{")
_CALLABLE = re.compile(r"(\w+)\s*\((?!\s*\*)")
_FUNCTION_POINTER = re.compile(r"\(\s*\*\s*(\w+)")
_OBJECT = re.compile(r"(\w+)\s*(?:\[[^]]*\]\s*)?(?:=[^;]*)?;$")
_ATTRIBUTE = re.compile(r"__fsoft_(?:atomic|plain)\s+")
_SIZE_TYPE = "unsigned long"  # as wide as size_t in both data models


@dataclass(frozen=True, slots=True)
class _Piece:
    """A top-level declaration: what it declares and its text as written. `kind`: function, static, declaration."""

    name: str
    kind: str
    text: str
    order: int

    def prototype(self) -> str:
        return _ATTRIBUTE.sub("", self.text[: self.text.index("{")]).strip() + ";"


def _cut(text: str) -> list[str]:
    """The top-level declarations of a text without comments and directives."""
    pieces, depth, start, body = [], 0, 0, False
    for match in _BREAK.finditer(text):
        mark = match[0]
        if mark == "{":
            body = body or (depth == 0 and text[start : match.start()].rstrip().endswith(")"))
            depth += 1
        elif mark == "}":
            depth -= 1
        if depth == 0 and (mark == ";" or (mark == "}" and body)):
            pieces.append(text[start : match.end()].strip())
            start, body = match.end(), False
    return pieces


def _piece(text: str, order: int) -> _Piece:
    """Names a declaration: `struct S {`, `f(`, `(*p`, or the last word."""
    named = _TAG.match(text) or _CALLABLE.search(text) or _FUNCTION_POINTER.search(text) or _OBJECT.search(text)
    if named is None:
        raise ValueError(f"library declaration without a name: {text}")
    kind = "declaration" if text.endswith(";") else "static" if "static " in text[: named.start()] else "function"
    return _Piece(named[1], kind, text, order)


@cache
def _sources() -> tuple[dict[str, _Piece], dict[str, str]]:
    """Every declaration by name, and every macro."""
    macros = {"__SIZE_TYPE__": _SIZE_TYPE}
    index: dict[str, _Piece] = {}
    for name in [*_FIRST, *sorted(name for name in os.listdir(_FOLDER) if name.endswith(".c"))]:
        with open(os.path.join(_FOLDER, name), encoding="utf-8") as file:
            text = _COMMENT.sub("", file.read())
        macros.update((name, value.strip()) for name, value in _DEFINE.findall(text))
        for declaration in _cut(_DEFINE.sub("", text)):
            piece = _piece(declaration, len(index))
            if piece.name in index:
                raise ValueError(f"library name {piece.name} is declared twice")
            index[piece.name] = piece
    return index, macros


@cache
def _expand(text: str) -> tuple[str, frozenset[str]]:
    """The text with its macros replaced, also in what they expand to, and the words in it."""
    macros = _sources()[1]
    words = set(_WORD_OR_STRING.findall(text))
    while not words.isdisjoint(macros):
        text = _WORD_OR_STRING.sub(lambda match: macros.get(match[0], match[0]), text)
        words = set(_WORD_OR_STRING.findall(text))
    return text, frozenset(words)


def _needed(root: _Piece) -> tuple[list[_Piece], list[_Piece]]:
    """The declarations that the text of `root` must contain, and the library functions that it calls."""
    index = _sources()[0]
    inside, called, work = {root.name: root}, dict[str, _Piece](), [root.text]
    while work:
        for word in _expand(work.pop())[1]:
            piece = index.get(word)
            if piece is None or word in inside or word in called:
                continue
            (called if piece.kind == "function" else inside)[word] = piece
            work.append(piece.prototype() if piece.kind == "function" else piece.text)
    return sorted(inside.values(), key=lambda p: p.order), sorted(called.values(), key=lambda p: p.order)


@cache
def find(name: str, effects: tuple[str, ...] = ()) -> str | None:
    """C text that defines the library function: what its row in the files `effects` says, else its model, else what its row in the table of
    effects says. None if nothing is known of it."""
    from fsoft.frontend.effects import effect_text  # reads its table only if it is asked

    text, root = effect_text(name, effects) if effects else None, _sources()[0].get(name)
    if text is None and (root is None or root.kind != "function"):
        text = effect_text(name)
        if text is None:
            return None
    if text is not None:
        root = _Piece(name, "function", text, len(_sources()[0]))
    assert root is not None
    inside, called = _needed(root)
    types = [p.text for p in inside if p.kind == "declaration"]
    bodies = [p.text for p in inside if p.kind != "declaration"]
    return "\n".join(_expand(text)[0] for text in (*types, *(p.prototype() for p in called), *bodies)) + "\n"


def names() -> list[str]:
    """Every function that `find` knows, in alphabetical order."""
    return sorted(piece.name for piece in _sources()[0].values() if piece.kind == "function")


__all__ = ["find", "names"]

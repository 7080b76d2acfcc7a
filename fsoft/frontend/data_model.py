"""Whether a text that was preprocessed before belongs to the data model that it is read with.

glibc's and gcc's headers leave typedefs behind whose types tell the model apart: `size_t` is `unsigned int` in ILP32 and `unsigned long`
in LP64. Read with the other model, every `long` of such a file has the wrong size; so it is refused, and the right option is named.
"""

from __future__ import annotations

import re

from fsoft.frontend.source import InputError, Loc
from fsoft.frontend.types import ILP32, LP64, DataModel

_POINTER_SIZED = ("size_t", "ssize_t", "ptrdiff_t", "intptr_t", "uintptr_t", "__ssize_t", "__intptr_t")
_EIGHT_BYTES = ("int64_t", "uint64_t", "__int64_t", "__uint64_t", "__quad_t", "__u_quad_t")
_TYPEDEF = re.compile(rf"\btypedef\s+((?:(?:unsigned|signed|long|int)\s+)+)({'|'.join((*_POINTER_SIZED, *_EIGHT_BYTES))})\s*;")
_MARKER = re.compile(r'^#[ \t]+\d+[ \t]+"', re.MULTILINE)
_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(?:include|define|undef|if)", re.MULTILINE)


def check_typedefs(text: str, path: str, model: DataModel) -> None:
    """Refuse a preprocessed text (`.i`, line markers, or no directive at all) with a typedef of the other model."""
    marked = _MARKER.search(text) is not None
    if not marked and not path.endswith(".i") and _DIRECTIVE.search(text):
        return
    other = LP64 if model is ILP32 else ILP32
    for match in _TYPEDEF.finditer(text):
        words, name = match[1].split(), match[2]
        size, wanted = _size(words, model), 8 if name in _EIGHT_BYTES else model.pointer
        only_other = marked and name == "size_t" and model is ILP32 and words.count("long") == 1  # gcc's is `unsigned int`
        if (size != wanted or only_other) and _size(words, other) == (8 if name in _EIGHT_BYTES else other.pointer):
            bits = other.pointer_bits
            start = text.rfind("\n", 0, match.start()) + 1
            raise InputError(
                Loc(path, text.count("\n", 0, match.start()) + 1, match.start() - start + 1),
                f"this file was preprocessed for {other.name}: '{name}' is '{' '.join(words)}'; use --{bits} (bits={bits})",
            )


def _size(words: list[str], model: DataModel) -> int:
    longs = words.count("long")
    return (4, model.long, 8)[min(longs, 2)]

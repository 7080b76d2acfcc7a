"""The built-in C preprocessor: `scan` (tokens), `macros` and `expand` (macros), `directives` (the rest), `writer` (text with places)."""

from fsoft.frontend.cpp.directives import run

__all__ = ["run"]

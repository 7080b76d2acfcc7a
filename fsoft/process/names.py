"""File names as arguments of other programs: whatever a file is called, its name means a file to them and nothing else.

gcc and binutils take `-o` for an option and `@file` for a list of further arguments. A name that begins with a letter, a digit, a dot, an
underscore or a slash is neither; any other gets `./` in front.
"""

from __future__ import annotations

import re

_PLAIN = re.compile(r"[A-Za-z0-9_./]")


def as_path(name: str) -> str:
    """The name of a file, so that a program that finds it among its arguments takes it for a file."""
    return name if _PLAIN.match(name) else f"./{name}"


__all__ = ["as_path"]

"""`fsoft cxx`: g++, for builds whose programs `fsoft test` is to run (`make CXX="fsoft cxx"`)."""

from __future__ import annotations

from collections.abc import Sequence

from fsoft.cli import cc
from fsoft.compiled.toolchain import GXX


def run(argv: Sequence[str]) -> int:
    """Become the compiler."""
    return cc.run(argv, GXX)


__all__ = ["run"]

"""`fsoft cc`: gcc, for builds whose programs `fsoft test` is to run (`make CC="fsoft cc"`)."""

from __future__ import annotations

import os
from collections.abc import Sequence

from fsoft.cli import exits
from fsoft.cli.arguments import Parser
from fsoft.compiled.toolchain import GCC, GXX, wrapped
from fsoft.process.tools import ExternalTool, find


def run(argv: Sequence[str], compiler: ExternalTool = GCC) -> int:
    """Become the compiler."""
    if not argv or list(argv) == ["--help"]:
        what = f"{compiler.title}, for builds whose programs fsoft test is to run: it adds the hooks, and links the runtime to programs."
        parser = Parser("cxx" if compiler is GXX else "cc", what)
        parser.usage = f"{parser.prog} ARGUMENT...      (the arguments of {compiler.title})"
        parser.parse_args(list(argv))
        raise exits.UsageError(f"no input file: {parser.usage}")
    path = os.environ.get("FSOFT_COMPILER") or find(compiler)
    os.execv(path, [path, *wrapped(argv, compiler is GXX)])


__all__ = ["run"]

"""fsoft: a verifier for concurrent C.

    program = fsoft.load("prog.c")               # C files as one concurrent program
    result = program.check("no-data-race")       # TRUE, FALSE with a trace, or UNKNOWN with the bound that cut
    program.build("prog.aag")                    # the circuit, for any model checker

`docs/python.md` tells more. Names are imported on first use, so that `import fsoft` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsoft.version import VERSION as __version__

if TYPE_CHECKING:
    from fsoft.checkers.registry import UnknownEngine
    from fsoft.frontend.source import InputError, Source, Unsupported
    from fsoft.program.options import PROPERTIES, Options
    from fsoft.python.loaded import Built, Loaded, check, load
    from fsoft.python.result import Result, Trace, TraceChange, TraceGuilty, TraceStep, TraceThread

_HOMES = {
    "fsoft.python.loaded": ("Built", "Loaded", "check", "load"),
    "fsoft.python.result": ("Result", "Trace", "TraceChange", "TraceGuilty", "TraceStep", "TraceThread"),
    "fsoft.program.options": ("Options", "PROPERTIES"),
    "fsoft.frontend.source": ("InputError", "Source", "Unsupported"),
    "fsoft.checkers.registry": ("UnknownEngine",),
}


def __getattr__(name: str) -> object:
    for module, names in _HOMES.items():
        if name in names:
            from importlib import import_module  # so that it is no name of this package

            return getattr(import_module(module), name)
    raise AttributeError(f"module 'fsoft' has no attribute {name!r}")


__all__ = [
    "Built", "InputError", "Loaded", "Options", "PROPERTIES", "Result", "Source", "Trace", "TraceChange", "TraceGuilty", "TraceStep",
    "TraceThread", "UnknownEngine", "Unsupported", "__version__", "check", "load",
]  # fmt: skip

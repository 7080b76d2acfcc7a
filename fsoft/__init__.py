"""fsoft: a verifier for concurrent C.

    program = fsoft.load(["prog.c"])            # the concurrent Program
    verdict = fsoft.check(["prog.c"])           # TRUE, FALSE with a trace, or UNKNOWN with the bound that cut

Names are imported on first use, so that `import fsoft` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsoft.version import VERSION as __version__

if TYPE_CHECKING:
    from fsoft.api import Options, Source, check, load

_API = ("Options", "Source", "check", "load")


def __getattr__(name: str) -> object:
    if name in _API:
        from fsoft import api

        return getattr(api, name)
    raise AttributeError(f"module 'fsoft' has no attribute {name!r}")


__all__ = ["Options", "Source", "__version__", "check", "load"]

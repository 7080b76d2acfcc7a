"""What a user can choose about `auto`."""

from __future__ import annotations

from dataclasses import dataclass

from fsoft.option import option


@dataclass(frozen=True, slots=True)
class AutoOptions:
    """See the options."""

    jobs: int | None = option(None, "how many engines run at a time (one per core)", metavar="N", least=1)
    seed: int = option(0, "a different order among equals (0: as written)", metavar="N")


__all__ = ["AutoOptions"]

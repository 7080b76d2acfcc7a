"""Questions over program states: races, deadlocks, leaks."""

from __future__ import annotations

from collections.abc import Sequence

from fsoft.program.replay import Monitor
from fsoft.properties.deadlocks import Deadlocks
from fsoft.properties.leaks import Leaks
from fsoft.properties.races import Races

MONITORS: dict[str, type[Monitor]] = {"no-data-race": Races, "no-deadlock": Deadlocks, "valid-memtrack": Leaks}


def monitors(props: Sequence[str]) -> list[Monitor]:
    """Monitors of the properties that are not checks inside steps."""
    return [MONITORS[prop]() for prop in props if prop in MONITORS]


__all__ = ["Deadlocks", "Leaks", "MONITORS", "Races", "monitors"]

"""Facts about a Program: points-to, sharing, liveness, loops, locks, constants along a path. Nothing here changes a Program."""

from fsoft.analysis.liveness import Liveness, live_registers
from fsoft.analysis.locks import CertainLocks
from fsoft.analysis.loops import Loop, loops, show_loops
from fsoft.analysis.points_to import PointsTo
from fsoft.analysis.sharing import Sharing

__all__ = ["Liveness", "CertainLocks", "Loop", "PointsTo", "Sharing", "live_registers", "loops", "show_loops"]

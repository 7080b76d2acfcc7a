"""A trace in the real program: the user's files compiled by gcc, executed under the schedule and the inputs of the trace."""

from __future__ import annotations

from fsoft.trace.replay.run import Outcome, Prepared, endless, prepare

__all__ = ["Outcome", "Prepared", "endless", "prepare"]

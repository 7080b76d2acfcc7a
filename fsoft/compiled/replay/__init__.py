"""A trace in the real program: the user's files compiled by gcc, executed under the schedule and the inputs of the trace."""

from __future__ import annotations

from fsoft.compiled.replay.reading import compare, compare_arguments, endless, read_trace, unchanged
from fsoft.compiled.replay.run import Prepared, ReplayOutcome, prepare, source_of

__all__ = ["ReplayOutcome", "Prepared", "compare", "compare_arguments", "endless", "prepare", "read_trace", "source_of", "unchanged"]

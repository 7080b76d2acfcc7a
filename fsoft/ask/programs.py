"""The Programs that one text becomes under different options, each read once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from fsoft.frontend.source import Source
from fsoft.process.phases import phase
from fsoft.program.options import Options
from fsoft.program.program import Program

After = Callable[[str, Program], None]
"""Called with the name of each stage and the Program it made: for dumping, checking and timing."""


def _unheard(_name: str, _program: Program) -> None:
    pass


@dataclass(slots=True)
class Programs:
    """`sources`, `bits` and `cpp` are as for `load`."""

    sources: tuple[Source, ...]
    bits: int
    cpp: str = "builtin"
    known: dict[Options, Program] = field(default_factory=dict, repr=False)

    def get(self, options: Options, after: After = _unheard) -> Program:
        """The Program under these options; `after` is told of the stages if it has to be made."""
        if options not in self.known:
            with phase("imports"):
                from fsoft.ask.load import load  # front end and passes: the limits hold by now

            self.known[options] = load(self.sources, options, bits=self.bits, cpp=self.cpp, after=after)
        return self.known[options]


__all__ = ["After", "Programs"]

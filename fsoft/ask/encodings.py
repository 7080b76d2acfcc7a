"""How a Program is put to an engine, by name: as a circuit, or unwound and bounded in one of several ways.

A **formula** encoding turns an unwound Program into a Model without states, which any engine on Models answers; `Formula.run` brings
a counterexample home. A **search** asks many small questions itself. Both are found by name here, and imported when asked for.

With `incremental`, bounds grow step by step until the answer is FALSE, or TRUE because nothing cuts any more. TRUE always means that no
loop, context, round or write is missing. An engine that can keeps its solver from step to step (`checkers/growing.py`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from fsoft.ask.by_name import encoding_of
from fsoft.ask.models import ask, verdict_of_answer
from fsoft.bounded.given import BoundedEncoding, Formula, Given
from fsoft.bounded.home import choices
from fsoft.checkers.registry import GrowingChecker, Progress, model_engine
from fsoft.circuit.model.verdict import Answer, Proved, Unknown, Violated
from fsoft.passes.bounds import BadBound
from fsoft.passes.unwind import Unwound, unwind
from fsoft.process.phases import phase
from fsoft.program.cuts import cut_of_bound
from fsoft.program.program import Program
from fsoft.program.verdict import Say, Stats, Verdict
from fsoft.properties.confirmation import confirm_run

Simpler = Callable[[Unwound, Verdict], Verdict]
"""Makes a FALSE easier to read, with the unwound Program that its run was found in."""

Raised = Callable[[Verdict], bool]
"""Whether the caller asks again, about a Program with larger bounds of its own, if this is the verdict."""

DEFAULT_ENGINE = "sat"
_MOST_STEPS = 64  # of --incremental


def answer(
    program: Program,
    name: str,
    given: Given,
    *,
    engine: str = DEFAULT_ENGINE,
    progress: Progress = lambda _stats: None,
    timeout: float | None = None,
    say: Say = lambda _line: None,
    simpler: Simpler | None = None,
    raised: Raised = lambda _verdict: False,
    **options: Any,
) -> Verdict:
    """The verdict under the encoding of that name. `say` is told what each step of an incremental search cost; `simpler` is for the run
    that a formula has given; `raised` is asked where a bound of the Program cuts."""
    encoding = encoding_of(name)
    if not isinstance(given, encoding.bounds):
        raise TypeError(f"the encoding {name} is bounded by {encoding.bounds.__name__}, not by {type(given).__name__}")
    if encoding.search:
        verdict: Verdict = encoding.door(program, given, progress=progress, timeout=timeout, say=say, **options)
        return verdict
    return _Asking(program, encoding, engine, progress, timeout, say, simpler, raised, options).answer(given)


@dataclass(slots=True)
class _Asking:
    program: Program
    encoding: BoundedEncoding
    engine: str
    progress: Progress
    timeout: float | None
    say: Say
    simpler: Simpler | None
    raised: Raised
    options: dict[str, Any]
    started: float = field(default_factory=time.monotonic)
    covered: str = ""

    def answer(self, given: Given) -> Verdict:
        entry = model_engine(self.engine)
        growing = entry.growing(entry.made(**self.options)) if given.incremental and entry.growing is not None else None
        try:
            return self._grow(given, growing)
        finally:
            if growing is not None:
                growing.close()

    def _grow(self, given: Given, growing: GrowingChecker | None) -> Verdict:
        """The verdict of the first step that decides, or of the last."""
        make = self.encoding.door
        unwound: Unwound | None = None
        verdict: Verdict | None = None
        for step in range(_MOST_STEPS):
            before = time.monotonic()
            try:
                if unwound is None:
                    with phase("unwind"):
                        unwound = unwind(self.program, given.loops)
                with phase(self.encoding.name):
                    formula: Formula = make(unwound, given)
            except BadBound as error:
                if verdict is None:
                    raise
                verdict.reasons.append(f"no bound can grow further: {error}")
                return verdict
            found = ask(formula.model, self.engine, lambda _depth: None, self._left(), self.options, growing)
            with phase("home"):
                verdict = self._verdict(unwound, formula, found)
            verdict.stats.depth, verdict.stats.seconds = step, time.monotonic() - self.started
            if isinstance(found, Unknown) and found.proved:
                self.covered = formula.describe()
            verdict.stats.covered = self.covered
            self.progress(verdict.stats)
            cost = f" ({growing.cost})" if growing is not None else ""
            self.say(f"{formula.describe()}: {_what(unwound, found)}, {time.monotonic() - before:.2f} s{cost}")
            cuts = found.bounds if isinstance(found, Unknown) and found.proved else ()
            if isinstance(found, Violated) and self.simpler is not None:
                verdict = self.simpler(unwound, verdict)
            if not given.incremental or not cuts or self._late():
                return verdict
            after = formula.grown(given, cuts)
            if after == given and not self.raised(verdict):
                after = self._other_cuts(formula, given, cuts, growing)
            if after == given:
                return verdict
            if after.loops != given.loops:
                unwound = None
            given = after
        assert verdict is not None
        return verdict

    def _other_cuts(self, formula: Formula, given: Any, cuts: tuple[str, ...], growing: GrowingChecker | None) -> Any:
        """What to ask next where nothing can be done about these cuts: an engine names some that are reached, not all, so the others are
        asked for."""
        model = formula.model
        while (after := formula.grown(given, cuts)) == given and not self._late():
            model = replace(model, bounds={name: term for name, term in model.bounds.items() if name not in cuts})
            found = ask(model, self.engine, lambda _depth: None, self._left(), self.options, growing)
            if not isinstance(found, Unknown) or not found.proved or not found.bounds:
                return given
            cuts = found.bounds
        return after

    def _late(self) -> bool:
        return self.timeout is not None and time.monotonic() - self.started > self.timeout

    def _left(self) -> float | None:
        return None if self.timeout is None else max(0.1, self.timeout - (time.monotonic() - self.started))

    def _verdict(self, unwound: Unwound, formula: Formula, found: Answer) -> Verdict:
        stats = Stats()
        if isinstance(found, Violated):
            inputs = found.stimulus.inputs[-1]
            moves = unwound.home(formula.run(inputs, found.bad), found.bad)
            return confirm_run(self.program, moves, found.bad, stats, choices(inputs, formula.model.inputs))
        verdict = verdict_of_answer(unwound.program, found, stats, f"{self.engine} on {self.encoding.name}")
        if isinstance(found, Unknown) and not found.proved:
            verdict.reasons[0] = f"nothing is known for {formula.describe()}: {found.why}"
        elif isinstance(found, Unknown):
            verdict.reasons.insert(1, f"covered: {formula.describe()}")
        return verdict


def _what(unwound: Unwound, found: Answer) -> str:
    """An answer in a few words."""
    if isinstance(found, Violated):
        return found.bad
    if isinstance(found, Proved):
        return "proved"
    return cut_of_bound(unwound.program, found.bounds[0]).short() if found.proved and found.bounds else found.why


__all__ = ["DEFAULT_ENGINE", "answer"]

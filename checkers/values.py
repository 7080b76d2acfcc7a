"""The engine `values`: no check can fail, from sets of values that each thread may know, whatever the others do
(`fsoft/analysis/thread_states.py`). It never looks at interleavings, so it answers for many threads as easily as for two; it answers TRUE
or nothing, and TRUE only after a separate checker has gone over what it found."""

from __future__ import annotations

import time

from fsoft.analysis.slot_memory import NoClaim
from fsoft.analysis.thread_evidence import check_facts
from fsoft.analysis.thread_states import ThreadStates
from fsoft.checkers.registry import Engine, Progress
from fsoft.program.options import PROPERTIES
from fsoft.program.program import Program
from fsoft.program.verdict import Stats, Verdict

ANSWERED = tuple(prop for prop in PROPERTIES if prop not in ("no-data-race", "no-deadlock", "valid-memtrack"))
"""The checks inside steps."""


class ByValues:
    """First without locks, which takes a moment; then with them."""

    def check(self, program: Program, progress: Progress, *, timeout: float | None = None) -> Verdict:
        started = time.monotonic()
        asked = program.checks
        prop = next(iter(asked)) if len(asked) == 1 else ""
        why = "sets of values answer for checks inside steps only"
        for locks in (False, True) if asked <= set(ANSWERED) else ():
            try:
                facts = ThreadStates(program, asked, locks).solve()
            except NoClaim as no_claim:
                why = str(no_claim)
                continue
            check_facts(program, asked, facts)
            states = sum(map(len, facts.states))
            relied = " and what they hold locks for" if locks else ""
            reason = f"from the values that each thread may know{relied}: {states} states of single threads (certificate checked)"
            return Verdict("TRUE", prop, [reason], stats=Stats(states=states, seconds=time.monotonic() - started))
        return Verdict("UNKNOWN", prop, [f"no claim from sets of values: {why}"], stats=Stats(seconds=time.monotonic() - started))


ENGINE = Engine(
    name="values",
    summary="proves that no check fails from the values that single threads may know, for many threads",
    properties=ANSWERED,
    proves=True,
    refutes=False,
    maker=ByValues,
)

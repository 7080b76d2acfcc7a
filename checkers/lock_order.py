"""The engine `lock-order`: no deadlock because locks are taken in an order (`fsoft/analysis/lock_order.py`). It never looks at the
interleavings, so it answers for many threads as easily as for two; it answers TRUE or nothing, and TRUE only after the certificate has been
checked."""

from __future__ import annotations

import time

from fsoft.analysis.lock_evidence import check_certificate
from fsoft.analysis.lock_order import prove
from fsoft.analysis.slot_memory import NoClaim
from fsoft.checkers.registry import Engine, Progress
from fsoft.program.options import PROPERTIES
from fsoft.program.program import Program
from fsoft.program.verdict import Stats, Verdict

ANSWERED = tuple(prop for prop in PROPERTIES if prop not in ("no-data-race", "valid-memtrack"))
"""Deadlocks, and with them the checks inside steps."""


class LockOrder:
    """The analysis and the checker of its certificates behind the common interface."""

    def check(self, program: Program, progress: Progress, *, timeout: float | None = None) -> Verdict:
        started = time.monotonic()
        asked = program.checks
        prop = next(iter(asked)) if len(asked) == 1 else ""
        try:
            if "no-deadlock" not in asked or not asked <= set(ANSWERED):
                raise NoClaim("the order of locks answers for no-deadlock only")
            certificate = prove(program, asked)
        except NoClaim as why:
            return Verdict("UNKNOWN", prop, [f"no claim from the order of locks: {why}"], stats=Stats(seconds=time.monotonic() - started))
        check_certificate(program, asked, certificate)
        states = sum(map(len, certificate.facts.states))
        resources = len(certificate.ranks)
        reason = f"every thread waits in order: {resources} resources, {states} states of single threads (certificate checked)"
        return Verdict("TRUE", prop, [reason], stats=Stats(states=states, seconds=time.monotonic() - started))


ENGINE = Engine(
    name="lock-order",
    summary="proves that there is no deadlock by the order in which locks are taken",
    properties=ANSWERED,
    proves=True,
    refutes=False,
    maker=LockOrder,
)

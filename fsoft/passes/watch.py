"""A monitor of data races built into the Program, for `--race-model c11` where threads may learn more than they are ordered by.

In the model of SV-COMP two conflicting accesses that are pending together race (`properties/races.py`). In C11 two conflicting accesses
race if neither happens before the other. As long as all atomic operations are sequentially consistent that is the same: a program with a
race has an interleaving in which the two accesses are next to each other. A weaker operation orders less, and so does a lock that could not
be had: then this pass is needed.

A race is a pair of conflicting accesses, not both atomic, of which the first does not happen before the second. The monitor guesses the
first one: where an access may be part of a race, its thread may **pick** it (an input, once per run). From then on it is enough to know
who knows of that one access: a bit for each thread, and for each cell through which threads synchronise a bit for each thread that heads a
release sequence there (`properties/ordering.py` has the edges). A conflicting access by a thread that does not know violates the check
`CHECK`. So all that is added is finite, no engine has to know of it, and a run without a pick is the run that it was.

    r := flag (sync, acquire)        r := flag
                                     if on: h := carried[flag]; if on and h != 0: knows |= self
    data := 1                        data := 1
                                     if on: check not (picked is in the way and self not in knows)
                                     if not on: p := input; if p: on, picked, knows := 1, &data, self

The way home takes the picks out of a run and leaves out the step with which it ends, so that the second access is pending.
`properties/happens_before.py` judges the result.
"""

from __future__ import annotations

from dataclasses import replace

from fsoft.frontend.source import Loc, Unsupported
from fsoft.passes.watch_plan import Plan, Unwatchable
from fsoft.passes.watch_steps import CHECK, PICK, SELF, Watching
from fsoft.program.cuts import Cut
from fsoft.program.interpreter import Machine
from fsoft.program.program import Program, Thread
from fsoft.program.replay import play
from fsoft.program.state import Violation
from fsoft.program.verdict import Move, Verdict
from fsoft.properties.confirmation import confirm_run
from fsoft.properties.ordering import orders_less

RACE = "no-data-race"


def watched(program: Program) -> Program:
    """The Program with the monitor; `plain` of it is the one that was given. Unwatchable where that cannot be."""
    plan = Plan(program)
    templates = {id(template): Watching(plan, template).made() for template in program.templates()}
    threads = [Thread(t.index, t.name, templates[id(t.template)], {**t.own, SELF: 1 << t.index}) for t in program.threads]
    checks = program.checks - {RACE} | {CHECK}
    return replace(program, threads=threads, objects=[*program.objects, plan.layout.object()], checks=checks, race_on=(), plain=program)


def home(program: Program, moves: list[Move]) -> list[Move]:
    """A run of a watched Program as one of the plain one: without picks, and before the step that violates the check."""
    machine = Machine(program, compiled=False)
    played = play(machine, moves)
    if played and any(isinstance(event, Violation) and event.prop == CHECK for event in played[-1].events):
        played.pop()
    return [one.move._replace(choices=tuple(answer for question, answer in one.asked if question.name != PICK)) for one in played]


def with_race_model(program: Program) -> Program:
    """The Program in which checks answer what `program.race_model` means by a data race."""
    if program.race_model != "c11" or RACE not in program.checks or not orders_less(program):
        return program
    try:
        return watched(program)
    except Unwatchable as why:
        return replace(program, unwatched=str(why))


def exported_check(program: Program, name: str | None) -> str | None:
    """The name that the bad of the property `name` has in circuits of the Program. Unsupported, if the race model is not in it: in a file
    that other tools read nobody could tell that the question is a weaker one."""
    if program.unwatched:
        why = f"what release and acquire order is not followed here ({program.unwatched})"
        raise Unsupported(Loc(program.name, 0), f"--race-model c11: {why}: the circuit would ask less; --race-model svcomp builds that one")
    return CHECK if name == RACE and program.plain is not None else name


def under_race_model(program: Program, verdict: Verdict) -> tuple[Program, Verdict]:
    """What a verdict about such a Program says about the one that the user wrote, and that one."""
    plain = program.plain
    if plain is None:
        if not program.unwatched or verdict.kind != "TRUE":
            return program, verdict
        why = f"race model c11: what release and acquire order is not followed here ({program.unwatched}); svcomp: no race"
        return program, replace(verdict, kind="UNKNOWN", cuts=[*verdict.cuts, Cut("said", what=why)])
    prop, moves = RACE if verdict.prop == CHECK else verdict.prop, home(program, verdict.trace)
    if verdict.kind != "FALSE":
        return plain, replace(verdict, prop=prop, trace=moves)
    return plain, replace(confirm_run(plain, moves, prop, verdict.stats), engine=verdict.engine)


__all__ = ["CHECK", "PICK", "RACE", "Unwatchable", "exported_check", "home", "under_race_model", "watched", "with_race_model"]

"""A formula that `fsoft build --encoding` wrote, made again, and the witness of another tool for it as a run of the C program."""

from __future__ import annotations

from collections.abc import Mapping

from fsoft.ask.by_name import encoding_of
from fsoft.bounded.given import Formula, Given
from fsoft.bounded.home import choices
from fsoft.bounded.mapfile import comment_of
from fsoft.circuit.bits import BOUND
from fsoft.circuit.formats.export import Exported, export_model
from fsoft.circuit.formats.mapfile import Recipe
from fsoft.circuit.model.simulate import simulate
from fsoft.circuit.model.verdict import Stimulus
from fsoft.cli import exits
from fsoft.frontend.source import InputError, Loc
from fsoft.passes.bounds import BadBound
from fsoft.passes.unwind import Unwound, unwind
from fsoft.passes.watch import home, under_race_model
from fsoft.program.cuts import cut_of_bound
from fsoft.program.program import Program
from fsoft.program.verdict import Stats, Verdict
from fsoft.properties.confirmation import confirm_run
from fsoft.trace import Style, tell, text_of_story, text_of_trace


class Rebuilt:
    """The formula of the encoding `name` with the bounds of a map, and the file that it gives."""

    def __init__(self, program: Program, name: str, given: Given, recipe: Recipe, map_file: str):
        try:
            self.unwound: Unwound = unwind(program, given.loops)
            self.formula: Formula = encoding_of(name).door(self.unwound, given)
        except BadBound as error:
            raise InputError(Loc(map_file, 0), str(error)) from None
        comment = comment_of(name, self.unwound, self.formula)
        self.exported: Exported = export_model(self.formula.model, recipe.form, comment, program.name)

    def explain(self, stimulus: Stimulus, witness: str) -> int:
        """Prints the run that the witness chooses; the exit code of its verdict."""
        program = self.unwound.original
        reached, inputs = self._reached(stimulus, witness)
        prop = "" if reached.startswith(BOUND) else reached
        moves = self.unwound.home(self.formula.run(inputs, prop), prop)
        if prop:
            given = choices(inputs, self.formula.model.inputs)
            return show(*under_race_model(program, confirm_run(program, moves, prop, Stats(), given)))
        print(text_of_trace(program, moves) if program.plain is None else text_of_trace(program.plain, home(program, moves)))
        line = cut_of_bound(self.unwound.program, reached.removeprefix(BOUND))
        print(f"\nthe run violates nothing, it hits a bound\n{line}\nUNKNOWN")
        return exits.UNKNOWN

    def _reached(self, stimulus: Stimulus, witness: str) -> tuple[str, Mapping[str, int]]:
        """A target that holds at some step of the witness, a bad before a bound, and the inputs there. Steps know nothing of each other."""
        model, broken = self.formula.model, False
        bounds = {BOUND + name: term for name, term in model.bounds.items()}
        steps = simulate(model, stimulus)
        for targets in (model.bad, bounds):
            for step in steps:
                legal = all(step.holds(term) for term in model.constraints.values())
                for name, term in targets.items():
                    if legal and step.holds(term):
                        return name, step.values
                broken = broken or not legal
        what = "breaks a constraint of the formula" if broken else "reaches no bad and no bound of the program"
        raise InputError(Loc(witness, 0), f"this run of {len(steps)} steps {what}")


def show(program: Program, verdict: Verdict) -> int:
    """Prints a violation that has been replayed; the exit code."""
    print(text_of_story(tell(program, verdict.trace, prop=verdict.prop), Style.of_terminal(everything=True)))
    print("\n".join(["", *verdict.lines(), *program.notes, verdict.last_line()]))
    return verdict.exit_code()


__all__ = ["Rebuilt", "show"]

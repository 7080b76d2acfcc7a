"""`fsoft explain model.aag witness`: the counterexample of any model checker as a run of the C program."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from fsoft.ask.by_name import formula_bounds
from fsoft.ask.circuits import violated
from fsoft.ask.load import load
from fsoft.ask.runs import lifted, live_encoding, load_watched
from fsoft.ask.runs import violated as run_violated
from fsoft.bounded.mapfile import read_bounds
from fsoft.circuit.bits import BOUND
from fsoft.circuit.encode.banks import LEAST
from fsoft.circuit.encode.encoding import ProgramCircuit
from fsoft.circuit.encode.lift import Lifter
from fsoft.circuit.encode.live import live_model
from fsoft.circuit.formats.export import FORMATS, Exported, export, export_live
from fsoft.circuit.formats.home import first_target, read_witness
from fsoft.circuit.formats.mapfile import Recipe, comment_of, map_name, program_hash, read_map
from fsoft.circuit.model import Model
from fsoft.circuit.model.liveness import fair_loop
from fsoft.circuit.model.verdict import Stimulus
from fsoft.cli import exits
from fsoft.cli.arguments import Parser, add_limits
from fsoft.cli.formulas import Rebuilt, show
from fsoft.cli.limits import limited
from fsoft.cli.ltl import live_comment
from fsoft.frontend.inputs import read_file
from fsoft.frontend.source import InputError, Loc
from fsoft.passes.watch import home, under_race_model
from fsoft.program.cuts import cut_of_bound
from fsoft.program.program import Program
from fsoft.program.verdict import Stats
from fsoft.properties.ltl import Property, Text, Watched, read
from fsoft.trace import Style, tell, text_of_story, text_of_trace
from fsoft.transactions import Reduction, in_steps


def run(argv: Sequence[str]) -> int:
    parser = Parser("explain", "Turn the witness of a model checker (aigsim, ABC or BTOR2 format) into a trace of C statements.")
    parser.usage = "fsoft explain MODEL WITNESS [options]"
    parser.add_argument("model", metavar="MODEL", help="a file that fsoft build wrote")
    parser.add_argument("witness", metavar="WITNESS", help="the counterexample")
    parser.add_argument("--map", metavar="FILE", help="the map of the model (beside it: MODEL with .map.json)")
    add_limits(parser)
    args = parser.parse_args(argv)
    suffix = args.model.rpartition(".")[2]
    if suffix not in FORMATS or suffix in ("smv", "smt2"):
        raise exits.UsageError(f"{args.model}: witnesses are explained for .aag, .aig and .btor2 files")
    return limited(lambda: _work(args.model, args.witness, args.map or map_name(args.model), suffix), args.timeout, args.memory)


def _work(model: str, witness: str, map_file: str, suffix: str) -> int:
    data, text = read_file(model), _text(witness)
    table = _text(map_file)
    recipe, wanted = read_map(table, map_file, suffix)
    if recipe.ltl is not None:
        return _explain_runs(recipe, wanted, ExplainedFiles(model, data, witness, text, map_file))
    bounded = read_bounds(table, map_file, formula_bounds)
    with _folder(recipe, map_file):
        program = load(recipe.sources, recipe.options, bits=recipe.bits, cpp=recipe.cpp)
    _unchanged(recipe, program, wanted, map_file)
    if bounded is not None:
        made = Rebuilt(program, *bounded, recipe, map_file)
        _same(made.exported, data, model, map_file)
        return made.explain(read_witness(made.exported, text, witness), witness)
    encoding = Reduction(*recipe.reduction).circuit(program, recipe.scheduler, LEAST if recipe.form.arrays else 0)
    exported = export(encoding, recipe.form, comment_of(encoding, recipe))
    _same(exported, data, model, map_file)
    return _explain(encoding, exported, read_witness(exported, text, witness), witness)


def _same(exported: Exported, data: bytes, model: str, map_file: str) -> None:
    if exported.data != data:
        raise InputError(Loc(model, 0), f"this is not the model that {os.path.basename(map_file)} describes: build it again")


@dataclass(frozen=True, slots=True)
class ExplainedFiles:
    """The files of one explanation, with what is in them."""

    model: str
    data: bytes
    witness: str
    text: str
    map_file: str


def _explain_runs(recipe: Recipe, wanted: str, given: ExplainedFiles) -> int:
    """The witness of a property of runs: a lasso, or a run that hits a bound."""
    assert recipe.ltl is not None
    prop = read(Text(recipe.ltl[0]), recipe.ltl[1])
    with _folder(recipe, given.map_file):
        watched = load_watched(recipe.sources, recipe.options, [prop], bits=recipe.bits, cpp=recipe.cpp)
    _unchanged(recipe, watched.whole, wanted, given.map_file)
    encoding = live_encoding(watched, prop, Reduction(*recipe.reduction))
    live = live_model(encoding, watched, prop)
    exported, _ = export_live(live, recipe.form, live_comment(prop))
    _same(exported, given.data, given.model, given.map_file)
    stimulus = read_witness(exported, given.text, given.witness)
    bound, cut = first_target(live, stimulus)
    if bound:
        return _at_bound(encoding, bound, cut)
    return _lasso(watched, prop, encoding, live, stimulus, given.witness)


def _lasso(watched: Watched, prop: Property, encoding: ProgramCircuit, live: Model, stimulus: Stimulus, witness: str) -> int:
    loop = fair_loop(live, stimulus)
    if loop is None:
        raise InputError(Loc(witness, 0), f"this run of {len(stimulus.inputs)} steps does not come back to where it was in a fair loop")
    lasso, ignore = lifted(encoding, live, Stimulus(stimulus.initial, stimulus.inputs[: loop[1]]), loop[0])
    answer = run_violated(watched, prop, lasso, Stats(), ignore)
    if answer.lasso is not None:
        begins = sum(move is not None for move in answer.lasso.stem)
        print(text_of_story(tell(watched.program, answer.verdict.trace, begins), Style.of_terminal(everything=True)))
    print("\n".join(["", *answer.verdict.lines(), *answer.notes, *watched.program.notes, answer.verdict.last_line()]))
    return answer.verdict.exit_code()


def _text(path: str) -> str:
    try:
        return read_file(path).decode()
    except UnicodeDecodeError:
        raise InputError(Loc(path, 0), "not a text file") from None


class _folder:
    """Within it, the paths of the recipe make sense: the current folder, that of the map, or one above that."""

    def __init__(self, recipe: Recipe, map_file: str) -> None:
        self.old = os.getcwd()
        first = recipe.sources[0].path
        folder = os.path.dirname(os.path.abspath(map_file))
        candidates = [self.old, folder]
        while os.path.dirname(folder) != folder:
            folder = os.path.dirname(folder)
            candidates.append(folder)
        self.new = next((c for c in candidates if os.path.exists(os.path.join(c, first))), self.old)

    def __enter__(self) -> None:
        os.chdir(self.new)

    def __exit__(self, *_: object) -> None:
        os.chdir(self.old)


def _unchanged(recipe: Recipe, program: Program, wanted: str, map_file: str) -> None:
    if program_hash(program) != wanted:
        names = ", ".join(source.path for source in recipe.sources)
        raise InputError(Loc(map_file, 0), f"{names} or fsoft has changed since the model was built: build it again")


def _explain(encoding: ProgramCircuit, exported: Exported, stimulus: Stimulus, witness: str) -> int:
    program = encoding.program.taken_apart()
    reached, stimulus = first_target(encoding.model, stimulus)
    if not reached:
        other = "" if exported.model is encoding.model else "; it may leave the range of a narrowed word: build without --narrow"
        raise InputError(Loc(witness, 0), f"this run of {len(stimulus.inputs)} steps reaches no bad and no bound of the program{other}")
    if reached.startswith(BOUND):
        return _at_bound(encoding, reached, stimulus)
    return show(*under_race_model(program, violated(encoding, stimulus, reached, Stats())))


def _at_bound(encoding: ProgramCircuit, reached: str, stimulus: Stimulus) -> int:
    program, moves = encoding.program.taken_apart(), in_steps(encoding.program, Lifter(encoding).moves(stimulus))
    print(text_of_trace(program, moves) if program.plain is None else text_of_trace(program.plain, home(program, moves)))
    print(f"\nthe run violates nothing, it hits a bound\n{cut_of_bound(program, reached.removeprefix(BOUND))}\nUNKNOWN")
    return exits.UNKNOWN

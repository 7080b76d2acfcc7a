"""`fsoft explain model.aag witness`: the counterexample of any model checker as a run of the C program."""

from __future__ import annotations

import os
from collections.abc import Sequence

from fsoft import api
from fsoft.bounded.mapfile import read_bounds
from fsoft.circuit.banks import LEAST
from fsoft.circuit.bits import BOUND
from fsoft.circuit.encode import Encoding, encode
from fsoft.circuit.export import FORMATS, Exported, export
from fsoft.circuit.home import first_target, read_witness
from fsoft.circuit.lift import Lifter
from fsoft.circuit.mapfile import Recipe, comment_of, program_hash, read_map
from fsoft.circuit.verdict import Stimulus
from fsoft.cli import exits
from fsoft.cli.arguments import Parser, add_limits
from fsoft.cli.build import map_name
from fsoft.cli.circuits import read_bytes
from fsoft.cli.formulas import Rebuilt, show
from fsoft.cli.limits import limited
from fsoft.decide import bound_line, violated
from fsoft.frontend.source import InputError, Loc
from fsoft.program.verdict import Stats
from fsoft.transactions import Reduction


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
    data, text = read_bytes(model), _text(witness)
    table = _text(map_file)
    recipe, wanted = read_map(table, map_file, suffix)
    bounded = read_bounds(table, map_file)
    with _folder(recipe, map_file):
        program = api.load(recipe.sources, recipe.options, bits=recipe.bits, cpp=recipe.cpp)
    if program_hash(program) != wanted:
        names = ", ".join(source.path for source in recipe.sources)
        raise InputError(Loc(map_file, 0), f"{names} or fsoft has changed since the model was built: build it again")
    other = InputError(Loc(model, 0), f"this is not the model that {os.path.basename(map_file)} describes: build it again")
    if bounded is not None:
        made = Rebuilt(program, *bounded, recipe, map_file)
        if made.exported.data != data:
            raise other
        return made.explain(read_witness(made.exported, text, witness), witness)
    encoding = encode(program, recipe.scheduler, LEAST if recipe.form.arrays else 0, Reduction(*recipe.reduction).restrict(program))
    exported = export(encoding, recipe.form, comment_of(encoding, recipe))
    if exported.data != data:
        raise other
    return _explain(encoding, exported, read_witness(exported, text, witness), witness)


def _text(path: str) -> str:
    try:
        return read_bytes(path).decode()
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


def _explain(encoding: Encoding, exported: Exported, stimulus: Stimulus, witness: str) -> int:
    from fsoft.trace import text_of_trace

    program = encoding.program
    reached, stimulus = first_target(encoding.model, stimulus)
    if not reached:
        other = "" if exported.model is encoding.model else "; it may leave the range of a narrowed word: build without --narrow"
        raise InputError(Loc(witness, 0), f"this run of {len(stimulus.inputs)} steps reaches no bad and no bound of the program{other}")
    if reached.startswith(BOUND):
        print(text_of_trace(program, Lifter(encoding).moves(stimulus)))
        print(f"\nthe run violates nothing, it hits a bound\n{bound_line(program, reached.removeprefix(BOUND))}\nUNKNOWN")
        return exits.UNKNOWN
    return show(program, violated(encoding, stimulus, reached, Stats()))

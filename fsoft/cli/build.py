"""`fsoft build`: the circuit of a concurrent C program as a file for other model checkers, with a map back to C beside it."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from functools import partial

from fsoft.ask.ways import scheduler_for, sound_reduction
from fsoft.bounded import mapfile as bounded_mapfile
from fsoft.bounded.given import BoundedEncoding
from fsoft.circuit.encode.banks import LEAST
from fsoft.circuit.encode.encoding import ProgramCircuit
from fsoft.circuit.encode.scheduler import FreeScheduler
from fsoft.circuit.formats.export import ARRAY_FORMATS, FORMATS, Exported, Form, export, export_model
from fsoft.circuit.formats.mapfile import Recipe, comment_of, map_name, write_map
from fsoft.cli import exits
from fsoft.cli.arguments import (
    Parser,
    Request,
    add_checks,
    add_insight,
    add_limits,
    add_lowering,
    add_race_model,
    add_reading,
    request,
)
from fsoft.cli.circuits import (
    add_arrays,
    add_reduction,
    add_scheduler,
    natural,
    note,
    reduction_of,
    scheduling_of,
)  # fmt: skip
from fsoft.cli.encoding import add_encoding, chosen, given_bounds
from fsoft.cli.limits import limited
from fsoft.cli.ltl import build_runs
from fsoft.cli.stages import Dumped, Stages
from fsoft.passes.bounds import BadBound
from fsoft.passes.unwind import unwind
from fsoft.passes.watch import exported_check
from fsoft.process.files import write_file
from fsoft.process.interrupts import undisturbed
from fsoft.trace.schedule import BadSchedule
from fsoft.transactions import NO_REDUCTION

_MOST_DEPTH = 10_000


def run(argv: Sequence[str]) -> int:
    args = build_parser().parse_args(argv)
    bounded = chosen(args)
    if bounded is None:
        scheduling_of(args)
    if args.output is None:
        raise exits.UsageError("build needs -o FILE (.aag, .aig, .btor2, .smv or .smt2)")
    suffix = args.output.rpartition(".")[2]
    if suffix not in FORMATS or "." not in os.path.basename(args.output):
        raise exits.UsageError(f"-o {args.output}: the name must end in .aag, .aig, .btor2, .smv or .smt2")
    _check_form(args, suffix)
    asked = request(args)
    if args.race_model != "svcomp" and "no-data-race" not in asked.options.checks:
        raise exits.UsageError("--race-model says what a data race is: ask for races with --property no-data-race or --data-races-check")
    if asked.formulas:
        return build_runs(args, asked, suffix)
    work = _work if bounded is None else partial(_bounded, bounded)
    return limited(lambda: work(args, asked, suffix), args.timeout, args.memory)


def build_parser() -> Parser:
    """The options of the command."""
    parser = Parser("build", "Write the circuit of a program for other model checkers, and a map back to C beside it.")
    add_reading(parser)
    form = parser.add_argument_group("the file")
    form.add_argument("-o", dest="output", metavar="FILE", help="the model: .aag, .aig (AIGER), .btor2, .smv or .smt2")
    form.add_argument("--bad", metavar="NAME", help="only this bad (or bound: 'bound:NAME')")
    form.add_argument("--fold-constraints", action="store_true", help="AIGER: constraints become part of the bads")
    form.add_argument("--aiger", choices=("1.0", "1.9"), help="AIGER: 1.0 writes bads as outputs, for older tools (1.9)")
    form.add_argument("--depth", type=natural, metavar="N", help=".smt2: is a bad reachable within N steps? (10)")
    form.add_argument("--no-reduce", action="store_true", help="keep constant, equal and useless states")
    form.add_argument("--narrow", action="store_true", help="words get the bits that they seem to need, watched by the bound 'range'")
    add_arrays(form, "kept in .btor2 and .smt2 files")
    add_checks(parser)
    add_race_model(parser)
    add_reduction(parser)
    add_scheduler(parser)
    add_encoding(parser)
    add_lowering(parser)
    add_limits(parser)
    add_insight(parser)
    return parser


def _check_form(args: argparse.Namespace, suffix: str) -> None:
    """UsageError for options that do not fit the format."""
    given = {"--fold-constraints": args.fold_constraints, "--aiger": args.aiger is not None}
    for option, is_given in given.items():
        if is_given and suffix not in ("aag", "aig"):
            raise exits.UsageError(f"{option} is for AIGER files, not .{suffix}")
    if args.arrays == "keep" and suffix not in ARRAY_FORMATS:
        raise exits.UsageError(f"--arrays keep is for .btor2 and .smt2 files, not .{suffix}")
    if args.depth is not None and suffix != "smt2":
        raise exits.UsageError(f"--depth is for .smt2 files, not .{suffix}: the others have no bound")
    if (args.depth or 0) > _MOST_DEPTH:
        raise exits.UsageError(f"--depth: at most {_MOST_DEPTH}, not {args.depth}")


def _work(args: argparse.Namespace, asked: Request, suffix: str) -> int:
    stages = Stages(args.dump_after)
    try:
        _, exported = build_circuit(args, asked, suffix, stages)
    except Dumped as dumped:
        print(dumped.text())
        return exits.TRUE
    if args.stats:
        stages.report()
    unit = "bits" if exported.bits is not None else "words"
    sizes = f"{len(exported.states)} state {unit}, {len(exported.inputs)} input {unit}, {len(exported.targets)} bads and bounds"
    print(f"{args.output}: {sizes}")
    return exits.TRUE


def _bounded(bounded: BoundedEncoding, args: argparse.Namespace, asked: Request, suffix: str) -> int:
    """The formula of a bounded encoding: a model without states, and its map."""
    for option, given in (("--narrow", args.narrow), ("--depth", args.depth is not None), ("--arrays keep", args.arrays == "keep")):
        if given:
            raise exits.UsageError(f"{option} is for circuits, not for --encoding {bounded.name}")
    if bounded.search:
        raise exits.UsageError(f"--encoding {bounded.name} asks many small questions: there is no one model to build")
    stages, bounds = Stages(args.dump_after), given_bounds(args, bounded.name)
    try:
        program = stages.load(asked)
    except Dumped as dumped:
        print(dumped.text())
        return exits.TRUE
    bad = exported_check(program, args.bad)
    try:
        unwound = unwind(program, bounds.loops)
        formula = bounded.door(unwound, bounds)
    except BadBound as error:
        raise exits.UsageError(str(error)) from None
    stages.note("encode", f"{len(formula.model.inputs)} inputs, {len(formula.model.constraints)} constraints")
    form = Form(suffix, not args.no_reduce, False, bad, args.fold_constraints, args.aiger or "1.9", 0 if suffix == "smt2" else None)
    exported = export_model(formula.model, form, bounded_mapfile.comment_of(bounded.name, unwound, formula), program.name)
    recipe = Recipe(asked.sources, asked.bits, asked.cpp, asked.options, FreeScheduler(), form)
    stages.note("export", f"{len(exported.data)} bytes")
    write_file(args.output, exported.data)
    write_file(map_name(args.output), bounded_mapfile.write_map(recipe, bounded.name, bounds, unwound, exported).encode())
    if args.stats:
        stages.report()
    unit = "input bits" if exported.bits is not None else "inputs"
    print(f"{args.output}: {formula.describe()}: {len(exported.inputs)} {unit}, {len(exported.targets)} bads and bounds")
    return exits.TRUE


def build_circuit(args: argparse.Namespace, asked: Request, suffix: str, stages: Stages) -> tuple[ProgramCircuit, Exported]:
    """From C to the two files, `args.output` and its map; what was written, and the circuit that it came from."""
    program = stages.load(asked)
    bad = exported_check(program, args.bad)
    depth = (10 if args.depth is None else args.depth) if suffix == "smt2" else None
    arrays = args.arrays != "flatten" and suffix in ARRAY_FORMATS
    form = Form(suffix, not args.no_reduce, args.narrow, bad, args.fold_constraints, args.aiger or "1.9", depth, arrays)
    scheduling = scheduling_of(args)
    try:
        scheduler = scheduler_for(scheduling, program) or FreeScheduler()
    except BadSchedule as error:
        raise exits.UsageError(f"--schedule: {error}") from None
    reduction = sound_reduction(reduction_of(args) or NO_REDUCTION, scheduling, program.checks, note)
    encoding = reduction.circuit(program, scheduler, LEAST if arrays else 0)
    stages.note("encode", f"{len(encoding.model.states)} states, {len(encoding.model.inputs)} inputs, {len(encoding.steps)} steps")
    recipe = Recipe(asked.sources, asked.bits, asked.cpp, asked.options, scheduler, form, (reduction.por, reduction.transactions))
    exported = export(encoding, form, comment_of(encoding, recipe))
    stages.note("export", f"{len(exported.states)} states, {len(exported.inputs)} inputs, {len(exported.data)} bytes")
    mapped = write_map(recipe, encoding, exported).encode()
    with undisturbed():  # the two belong together
        write_file(args.output, exported.data)
        write_file(map_name(args.output), mapped)
    return encoding, exported

"""`fsoft sequentialize`: a concurrent C program as a sequential one, for other verifiers or to be run."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from fsoft.ask.by_name import encoding_of, scheme_of, schemes
from fsoft.cli import exits
from fsoft.cli.arguments import Parser, Request, add_checks, add_insight, add_limits, add_lowering, add_reading, request
from fsoft.cli.choices import scheme_owners
from fsoft.cli.encoding import add_unwinding, given_bounds, refuse_others
from fsoft.cli.limits import limited
from fsoft.cli.stages import Dumped, Stages
from fsoft.passes.bounds import BadBound
from fsoft.passes.unwind import unwind
from fsoft.process.files import utf8, write_file
from fsoft.sequentialize.c_text import c_text
from fsoft.sequentialize.targets import TARGETS

_TOOLS = ("cbmc", "esbmc", "klee", "svcomp", "gcc")


def run(argv: Sequence[str]) -> int:
    args = _parser().parse_args(argv)
    asked = request(args)
    if asked.formulas:
        raise exits.UsageError("sequentialize is for properties of states: --ltl and termination cannot be asked")
    stages = Stages(args.dump_after)
    return limited(lambda: _work(args, asked, stages), args.timeout, args.memory)


def _parser() -> Parser:
    parser = Parser("sequentialize", "Write a sequential C program that fails an assertion if some bounded run of the concurrent one does.")
    add_reading(parser)
    form = parser.add_argument_group("the file")
    form.add_argument("-o", dest="output", metavar="FILE", help="write there (standard output)")
    form.add_argument("--for", dest="tool", choices=_TOOLS, default="cbmc", help="whose names for nondet, assume and assert it uses (cbmc)")
    bounds = parser.add_argument_group("bounds (docs/sequentialize.md)")
    bounds.add_argument("--scheme", default="lazy", metavar="S", help="lazy (the default) or mu")
    add_unwinding(bounds)
    parser.declared.add("--scheme", bounds, scheme_owners)
    add_lowering(parser)
    add_checks(parser)
    add_limits(parser)
    add_insight(parser)
    return parser


def _work(args: argparse.Namespace, asked: Request, stages: Stages) -> int:
    if args.scheme not in schemes():
        raise exits.UsageError(f"--scheme: one of {', '.join(schemes())}")
    refuse_others(args, encoding_of(args.scheme), "--scheme")
    try:
        program = stages.load(asked)
    except Dumped as dumped:
        print(dumped.text())
        return exits.TRUE
    try:
        given = given_bounds(args, args.scheme)
        made = scheme_of(args.scheme)(unwind(program, given.loops), given)
    except BadBound as error:
        raise exits.UsageError(str(error)) from None
    text = c_text(made.plain.program, TARGETS[args.tool], f"{asked.name}, {made.describe()}")
    if args.output is None:
        sys.stdout.write(text)
    else:
        write_file(args.output, utf8(text))
    stages.note("sequentialize", f"{len(text.splitlines())} lines")
    if args.stats:
        stages.report()
    return exits.TRUE

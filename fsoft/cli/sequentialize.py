"""`fsoft sequentialize`: a concurrent C program as a sequential one, for other verifiers or to be run."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from fsoft.cli import exits
from fsoft.cli.arguments import Parser, Request, add_checks, add_insight, add_limits, add_lowering, add_reading, positive, request
from fsoft.cli.encoding import refuse_others
from fsoft.cli.limits import limited
from fsoft.cli.stages import Dumped, Stages
from fsoft.process.files import utf8, write_file

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
    bounds.add_argument("--unwind", type=positive, metavar="N", help="rounds of loops whose number constants do not decide (2)")
    bounds.add_argument("--unwindset", action="append", default=[], metavar="[T:]L:N", help="the same for one loop (of one thread)")
    bounds.add_argument("--rounds", type=positive, metavar="N", help="lazy: rounds of all threads (2)")
    bounds.add_argument("--schedule", metavar="R:R:...", help="lazy: who may run in each round: + for all, or threads, as 0,2")
    bounds.add_argument("--writes", type=positive, metavar="N", help="mu: at most N writes to shared memory, or clusters of writes")
    bounds.add_argument("--mu-grain", choices=("fine", "intra", "inter"), help="mu: single writes or clusters (inter; with --writes: fine)")
    bounds.add_argument("--mu-reads", choices=("explicit", "implicit", "mixed"), help="mu: how reads find their write (implicit)")
    add_lowering(parser)
    add_checks(parser)
    add_limits(parser)
    add_insight(parser)
    return parser


def _work(args: argparse.Namespace, asked: Request, stages: Stages) -> int:
    from fsoft.bounded.given import Given
    from fsoft.bounded.sequential import SCHEMES, scheme_of
    from fsoft.passes.bounds import BadBound, Bounds, read_unwindset
    from fsoft.passes.unwind import unwind
    from fsoft.sequentialize.c_text import c_text
    from fsoft.sequentialize.targets import TARGETS

    if args.scheme not in SCHEMES:
        raise exits.UsageError(f"--scheme: one of {', '.join(SCHEMES)}")
    refuse_others(args, args.scheme, "--scheme")
    try:
        program = stages.load(asked)
    except Dumped as dumped:
        print(dumped.text())
        return exits.TRUE
    try:
        loops = Bounds(args.unwind or Bounds().unwind, read_unwindset(args.unwindset))
        given = Given(loops, rounds=args.rounds, schedule=args.schedule, writes=args.writes, grain=args.mu_grain, reads=args.mu_reads)
        made = scheme_of(args.scheme)(unwind(program, loops), given)
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

"""`fsoft show`: the concurrent program that C became, as text, as a drawing, or only its loops."""

from __future__ import annotations

from collections.abc import Sequence

from fsoft.analysis.loops import show_loops
from fsoft.cli import exits
from fsoft.cli.arguments import Parser, add_checks, add_insight, add_limits, add_lowering, add_reading, request
from fsoft.cli.limits import limited
from fsoft.cli.stages import Dumped, Stages
from fsoft.process.files import check_writable, write_file
from fsoft.program.dot import dot_of
from fsoft.program.program import Program
from fsoft.program.text import text_of
from fsoft.trace.graphs import graphs


def run(argv: Sequence[str]) -> int:
    parser = Parser("show", "Print the concurrent program that C became.")
    add_reading(parser)
    add_lowering(parser)
    add_checks(parser)
    form = parser.add_argument_group("what is shown").add_mutually_exclusive_group()
    form.add_argument("--dot", action="store_true", help="the control-flow graphs, for Graphviz")
    form.add_argument("--html", metavar="FILE", help="write the control-flow graphs as a page to look at in a browser")
    form.add_argument("--show-loops", action="store_true", help="every loop with its thread, its place and its bound")
    add_limits(parser)
    add_insight(parser)
    args = parser.parse_args(argv)
    asked = request(args)
    if args.html:
        check_writable(args.html)
    stages = Stages(args.dump_after)

    def work() -> int:
        try:
            program = stages.load(asked)
        except Dumped as dumped:
            program = dumped.program
        if args.html:
            write_file(args.html, graphs(program, asked.name).encode("utf-8", "replace"))
        else:
            print(_text(program, args.dot, args.show_loops))
        if args.stats:
            stages.report()
        return exits.TRUE

    return limited(work, args.timeout, args.memory)


def _text(program: Program, dot: bool, loops: bool) -> str:
    if dot:
        return dot_of(program)
    if loops:
        return show_loops(program)
    return text_of(program)

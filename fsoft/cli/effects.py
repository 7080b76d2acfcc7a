"""`fsoft effects`: which functions of a program have neither a body nor a model nor a row of effects, and rows of effects to fill in."""

from __future__ import annotations

from collections.abc import Sequence

from fsoft.ask.load import read_unit
from fsoft.cli import exits
from fsoft.cli.arguments import Parser, add_limits, add_lowering, add_reading, request
from fsoft.cli.limits import limited
from fsoft.process.files import check_writable, write_file
from fsoft.program.lower.missing import missing_functions


def run(argv: Sequence[str]) -> int:
    args = make_parser().parse_args(argv)
    if not args.missing and args.rows is None:
        raise exits.UsageError("say what to do: --missing lists functions without effects, --rows FILE writes rows to fill in")
    asked = request(args)
    if args.rows:
        check_writable(args.rows)

    def work() -> int:
        found = missing_functions(read_unit(asked.sources, asked.options, bits=asked.bits, cpp=asked.cpp))
        if args.missing:
            for one in found:
                print(f"{one.loc}: {one.name}: {one.dependents} functions depend on it, {one.calls} calls")
            print(f"{len(found)} functions have no body, no model and no row of effects")
        if args.rows:
            write_file(args.rows, "".join(one.row() + "\n" for one in found).encode())
        return exits.TRUE

    return limited(work, args.timeout, args.memory)


def make_parser() -> Parser:
    parser = Parser("effects", "List functions about which nothing is known, and write rows of effects for them.")
    add_reading(parser)
    add_lowering(parser)
    group = parser.add_argument_group("what is done")
    group.add_argument("--missing", action="store_true", help="list the functions, ranked by how many others depend on them")
    group.add_argument("--rows", metavar="FILE", help="write a row for each, to fill in: what --effects reads")
    add_limits(parser)
    return parser

"""`fsoft checkers`: the engines and what each can answer."""

from __future__ import annotations

from collections.abc import Sequence

from fsoft.cli import exits
from fsoft.cli.arguments import Parser


def run(argv: Sequence[str]) -> int:
    from checkers.registry import engines

    parser = Parser("checkers", "List the engines and what each can answer.")
    parser.usage = "fsoft checkers"
    parser.parse_args(argv)
    for engine in engines().values():
        answers = " and ".join(word for word, can in (("TRUE", engine.proves), ("FALSE", engine.refutes)) if can)
        print(f"{engine.name}: {engine.summary}")
        print(f"    takes a {engine.takes}; answers {answers}")
        print(f"    properties: {', '.join(engine.properties)}")
    return exits.TRUE

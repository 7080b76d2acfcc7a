"""`fsoft checkers`: the engines, whether they can be used here, and what each can answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fsoft.ask.settings import AutoOptions
from fsoft.checkers.registry import AnyEngine, everyone
from fsoft.cli import exits
from fsoft.cli.arguments import Parser
from fsoft.option import Option, options_of
from fsoft.program.options import PROPERTIES


def run(argv: Sequence[str]) -> int:
    parser = Parser("checkers", "List the engines, whether they can be used here, and what each can answer.")
    parser.usage = "fsoft checkers"
    parser.parse_args(argv)
    print("auto: several of the engines below, side by side; the first confirmed answer (the default of fsoft check)\n    available")
    print(f"    takes a program; answers TRUE and FALSE; options: {_options(options_of(AutoOptions))}")
    print(f"    properties: {', '.join(PROPERTIES)}")
    for entry in everyone().values():
        _print(entry, "; bads and justice of a model file" if entry.takes == "model" else "", entry.missing())
    print("klive: k-liveness on top of pdr, for --ltl and termination only\n    available\n    takes a circuit; answers TRUE and FALSE")
    return exits.TRUE


def _options(options: Iterable[Option]) -> str:
    return ", ".join(option.flag for option in options if option.flag)


def _print(engine: AnyEngine, more: str, missing: str | None) -> None:
    answers = " and ".join(word for word, can in (("TRUE", engine.proves), ("FALSE", engine.refutes)) if can)
    takes = "program" if engine.takes == "program" else "circuit"
    print(f"{engine.name}: {engine.summary}")
    print(f"    {'available' if missing is None else f'not available: {missing}'}")
    print(f"    takes a {takes}; answers {answers}" + (f"; options: {_options(engine.options)}" if engine.options else ""))
    print(f"    properties: {', '.join(engine.properties)}{more}")

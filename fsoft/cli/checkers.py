"""`fsoft checkers`: the engines, whether they can be used here, and what each can answer."""

from __future__ import annotations

from collections.abc import Sequence

from fsoft.checkers.registry import Engine, ModelEngine, engines, model_engines
from fsoft.cli import exits
from fsoft.cli.arguments import Parser
from fsoft.program.options import PROPERTIES


def run(argv: Sequence[str]) -> int:
    parser = Parser("checkers", "List the engines, whether they can be used here, and what each can answer.")
    parser.usage = "fsoft checkers"
    parser.parse_args(argv)
    print("auto: several of the engines below, side by side; the first confirmed answer (the default of fsoft check)\n    available")
    print(f"    takes a program; answers TRUE and FALSE; options: jobs, seed\n    properties: {', '.join(PROPERTIES)}")
    for engine in engines().values():
        _print(engine, "", None)
    for entry in model_engines().values():
        _print(entry, "; bads and justice of a model file", entry.missing())
    print("klive: k-liveness on top of pdr, for --ltl and termination only\n    available\n    takes a circuit; answers TRUE and FALSE")
    return exits.TRUE


def _print(engine: Engine | ModelEngine, more: str, missing: str | None) -> None:
    answers = " and ".join(word for word, can in (("TRUE", engine.proves), ("FALSE", engine.refutes)) if can)
    takes = "program" if engine.takes == "program" else "circuit"
    print(f"{engine.name}: {engine.summary}")
    print(f"    {'available' if missing is None else f'not available: {missing}'}")
    print(f"    takes a {takes}; answers {answers}" + (f"; options: {', '.join(engine.options)}" if engine.options else ""))
    print(f"    properties: {', '.join(engine.properties)}{more}")

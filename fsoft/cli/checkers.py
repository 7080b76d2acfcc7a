"""`fsoft checkers`: the engines, whether they can be used here, and what each can answer."""

from __future__ import annotations

from collections.abc import Sequence

from checkers.registry import Engine, ModelEngine, engines, model_engines
from fsoft.cli import exits
from fsoft.cli.arguments import Parser
from fsoft.program.options import PROPERTIES


def run(argv: Sequence[str]) -> int:
    parser = Parser("checkers", "List the engines, whether they can be used here, and what each can answer.")
    parser.usage = "fsoft checkers"
    parser.parse_args(argv)
    for engine in engines().values():
        _print(engine, f"properties: {', '.join(engine.properties)}", None)
    for entry in model_engines().values():
        _print(entry, _properties(), entry.missing())
    return exits.TRUE


def _properties() -> str:
    return f"properties: {', '.join(PROPERTIES)}; bads of a model file"


def _print(engine: Engine | ModelEngine, properties: str, missing: str | None) -> None:
    answers = " and ".join(word for word, can in (("TRUE", engine.proves), ("FALSE", engine.refutes)) if can)
    takes = "program" if engine.takes == "program" else "circuit"
    print(f"{engine.name}: {engine.summary}")
    print(f"    {'available' if missing is None else f'not available: {missing}'}")
    print(f"    takes a {takes}; answers {answers}" + (f"; options: {', '.join(engine.options)}" if engine.options else ""))
    print(f"    {properties}")

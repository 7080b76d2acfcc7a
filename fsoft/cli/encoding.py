"""Options of the bounded encodings and of other verifiers."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from fsoft.ask.by_name import encoding_names, encoding_of, given_for
from fsoft.ask.question import CIRCUIT, FORMULA_ENGINE, ByEngine
from fsoft.checkers.registry import AnyEngine, ModelEngine, Unanswered, UnknownEngine, model_engine
from fsoft.cli.arguments import Parser, positive
from fsoft.cli.choices import encoding_owners, given_flags, given_options, of_encodings
from fsoft.cli.exits import UsageError
from fsoft.option import BadOption, options_of
from fsoft.passes.bounds import BadBound, read_unwindset

if TYPE_CHECKING:
    from fsoft.ask.backend import Backend
    from fsoft.bounded.given import BoundedEncoding, Given

BACKEND = "lazy"
"""What another verifier gets unless the user says otherwise."""


def add_encoding(parser: Parser) -> None:
    """Which encoding, and its bounds; those of single encodings are declared by them."""
    group = parser.add_argument_group("bounded encodings (docs/bounded.md)")
    group.add_argument("--encoding", metavar="E", help="circuit (unbounded) or " + ", ".join(encoding_names()))
    add_unwinding(group)
    more = "grow the bounds step by step until the answer is known"
    group.add_argument("--incremental", "--incremental-context-bound", action="store_true", help=more)
    group.add_argument("--verbose", action="store_true", help="what each step cost, on stderr")
    parser.declared.add("--encoding", group, encoding_owners)


def add_unwinding(group: argparse._ArgumentGroup) -> None:
    """How far loops are unwound."""
    group.add_argument("--unwind", type=positive, metavar="N", help="rounds of loops whose number constants do not decide (2)")
    group.add_argument("--unwindset", action="append", default=[], metavar="[T:]L:N", help="the same for one loop (of one thread)")


def chosen(args: argparse.Namespace, backend: bool = False) -> BoundedEncoding | None:
    """The bounded encoding that was asked for, or None; UsageError for options that it does not have. A `backend` gets `lazy` unless
    another is named."""
    name = args.encoding or (BACKEND if backend else CIRCUIT)
    if name == CIRCUIT:
        only = [flag for flag in args.declared if of_encodings(args, flag) and flag in given_flags(args)]
        only += [name for name in ("unwind", "incremental", "unwindset") if getattr(args, name)]
        if only:
            raise UsageError(f"--{only[0]} is for bounded encodings: choose one with --encoding")
        return None
    if name not in encoding_names():
        raise UsageError(f"--encoding: one of circuit, {', '.join(encoding_names())}")
    found = encoding_of(name)
    flags = {one.flag for one in options_of(found.bounds)}
    refuse_others(args, found, "--encoding", backend)
    if args.por not in (None, "none") and "por" not in flags:
        raise UsageError(f"--encoding {found.name} has no --por")
    if args.por in ("cstub", "peephole", "monotonic") or args.transactions is not None:
        raise UsageError("--encoding paths has --por sleep, persistent or source, and no --transactions")
    if found.search and getattr(args, "engine", None) is not None:
        raise UsageError(f"--encoding {found.name} asks a solver itself: choose one with --solver, not with --engine")
    if args.scheduler is not None:
        raise UsageError(f"--scheduler is for circuits: --encoding {found.name} has bounds of its own")
    return found


def refuse_others(args: argparse.Namespace, found: BoundedEncoding, word: str, backend: bool = False) -> None:
    """UsageError for an option that the encoding, which `word` names, does not have. Where an engine answers about its formula, that may
    have options, too."""
    own = {one.flag for one in options_of(found.bounds)}
    for flag in given_flags(args):
        engines = hasattr(args, "engine") and not found.search and not of_encodings(args, flag) and flag not in _BOUNDS
        if flag not in own and not engines and not (backend and flag == "backend"):
            raise UsageError(f"{word} {found.name} has no --{flag}")


_BOUNDS = ("contexts", "rounds", "schedule")
"""Options that schedulers of circuits have as well."""


def given_bounds(args: argparse.Namespace, name: str) -> Given:
    """The bounds that the options ask for."""
    try:
        each = read_unwindset(args.unwindset)
    except BadBound as error:
        raise UsageError(f"--unwindset: {error}") from None
    options = given_options(args, f"--encoding {name}", options_of(encoding_of(name).bounds))
    found: Given = given_for(name, unwind=args.unwind, unwindset=each, incremental=getattr(args, "incremental", False), **options)
    return found


def chosen_backend(args: argparse.Namespace) -> Backend | None:
    """The back end that was asked for, or None. (With an engine, --backend is an option of that engine.)"""
    if args.backend is None or (args.engine is not None and "{file}" not in args.backend):
        return None
    if args.encoding not in (None, "lazy", "mu") or args.incremental:
        raise UsageError("--backend gets the program of --encoding lazy or mu, with bounds that stay as they are")
    if args.engine is not None:
        raise UsageError("--backend answers in place of an engine: leave out --engine")
    of_scheme = {one.flag for one in options_of(encoding_of(args.encoding or BACKEND).bounds)}
    for flag in given_flags(args):
        if flag not in ("backend", *_BOUNDS, *of_scheme) and not of_encodings(args, flag):
            raise UsageError(f"--{flag} is for engines: --backend answers in place of one")
    from fsoft.ask.backend import backend_of  # sequentializations, and how to read other verifiers

    try:
        return backend_of(args.backend)
    except ValueError as error:
        raise UsageError(f"--backend: {error}") from None


def formula_engine(args: argparse.Namespace, encoding: BoundedEncoding) -> ByEngine | None:
    """Who answers about the formula of the encoding; None if it asks a solver itself."""
    if encoding.search:
        return None
    entry = _engine(args.engine or FORMULA_ENGINE)
    try:
        return ByEngine(entry.name, entry.made(**_options_of_engine(entry, encoding, args)))
    except (Unanswered, UnknownEngine, BadOption) as error:
        raise UsageError(str(error)) from None


def _engine(name: str) -> ModelEngine:
    try:
        entry = model_engine(name)
    except UnknownEngine as error:
        raise UsageError(f"--engine: {error}") from None
    if (missing := entry.missing()) is not None:
        raise UsageError(f"--engine {name}: {missing}")
    return entry


def _options_of_engine(entry: AnyEngine, encoding: BoundedEncoding, args: argparse.Namespace) -> dict[str, Any]:
    """The options of the engine that answers about a formula: those that are given and are not the encoding's."""
    both = {one.flag for one in entry.options} | {one.flag for one in options_of(encoding.bounds)}
    for flag in given_flags(args):
        if flag not in both:
            raise UsageError(f"the engine {entry.name} has no --{flag}")
    return given_options(args, f"the engine {entry.name}", entry.options)

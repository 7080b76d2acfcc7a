"""Files to a linked Unit: the front end as one call."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from fsoft.frontend import library
from fsoft.frontend.parse import parse_source
from fsoft.frontend.sema.analyzer import Analyzer
from fsoft.frontend.source import InputError, Loc, Source
from fsoft.frontend.tree import Unit
from fsoft.frontend.types import HOST, DataModel, Types

_STACK = 512 << 20  # virtual; only what is touched costs memory
_DEPTH = 60_000
_PARTS = (1, 4, 16)  # of the stack: where memory is short

T = TypeVar("T")


def load(
    sources: Sequence[str | Source],
    *,
    model: DataModel = HOST,
    roots: Sequence[str] | None = ("main",),
    cpp: str = "builtin",
    include: Sequence[str] = (),
    define: Sequence[str] = (),
    undefine: Sequence[str] = (),
    effects: Sequence[str] = (),
) -> Unit:
    """Read, parse, analyse and link C files. `roots` are the functions to start from (None: every function of the files).
    The flags given here come after those that a Source brings. `effects`: files with rows of effects."""
    analyzer = Analyzer(Types(model), lambda name: library.find(name, tuple(effects)))
    files = [(Source(s) if isinstance(s, str) else s).also(include, define, undefine) for s in sources]

    def run() -> Unit:
        where = Loc(files[0].path if files else "<input>", 0)
        try:
            for file in files:
                where = Loc(file.path, 0)
                analyzer.add(parse_source(file, cpp=cpp, bits=model.pointer_bits))
            return analyzer.finish(roots)
        except RecursionError:
            raise InputError(analyzer.place() or where, "expressions, statements or declarations are nested too deeply") from None

    return deeply(run)


def deeply(function: Callable[[], T]) -> T:
    """Call a function with room for deep recursion: in a thread with a large stack."""
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(function())
        except BaseException as error:  # handed to the caller below
            errors.append(error)

    depth, size = sys.getrecursionlimit(), threading.stack_size()
    try:
        _start(run, depth).join()
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(depth)
    if errors:
        raise errors[0]
    return results[0]


def _start(run: Callable[[], None], depth: int) -> threading.Thread:
    """A thread that runs it, with the largest stack that the system gives and a recursion limit that fits it (`depth` at least)."""
    for part in _PARTS:
        threading.stack_size(_STACK // part)
        sys.setrecursionlimit(max(depth, _DEPTH // part))
        thread = threading.Thread(target=run, daemon=True)
        try:
            thread.start()
            return thread
        except RuntimeError:  # "can't start new thread": no room for the stack, or no more threads
            continue
    raise MemoryError("no thread can be started")

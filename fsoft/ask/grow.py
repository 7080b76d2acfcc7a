"""Larger bounds for a Program whose own bounds cut: more threads per creating statement, more heap objects, deeper recursion."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from fsoft.program.cuts import Cut
from fsoft.program.options import Options

_KINDS = {"slot": "threads", "heap": "heap", "recursion": "recursion", "arguments": "args_bound", "argument length": "arg_length"}
"""Kinds of markers, and the options that bound them."""
_MOST = {"threads": 48, "heap": 80, "recursion": 64, "args_bound": 12, "arg_length": 40}


def grown(options: Options, cuts: Iterable[Cut], fixed: frozenset[str]) -> Options | None:
    """The options with larger bounds where one of these cuts; None if there is nothing to raise, because the user has `fixed` it or because
    it would not be tractable."""
    named = {_KINDS[cut.kind] for cut in cuts if cut.kind in _KINDS and not cut.adds}
    larger = {name: _larger(name, getattr(options, name)) for name in sorted(named - fixed)}
    raised: dict[str, Any] = {name: value for name, value in larger.items() if value > getattr(options, name)}
    return replace(options, **raised) if raised else None


def _larger(name: str, value: int) -> int:
    return min(value + max(2, value // 2), max(value, _MOST[name]))


def difference(before: Options, after: Options) -> str:
    """The options of the command line that tell them apart."""
    changed = [name for name in _KINDS.values() if getattr(before, name) != getattr(after, name)]
    return ", ".join(f"--{name.replace('_', '-')} {getattr(after, name)}" for name in changed)

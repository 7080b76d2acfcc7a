"""How many interleavings the tree has: closed formulas without reduction, Mazurkiewicz traces with it."""

from __future__ import annotations

from math import comb, factorial, prod
from pathlib import Path

import pytest

from fsoft.search.paths import check_paths
from fsoft.search.settings import REDUCTIONS, Settings
from tests.search.programs import LOCKS, program, writers

REDUCED = [name for name in REDUCTIONS if name != "none"]


def counts(folder: Path, text: str, *threads: str, **settings: object) -> dict[str, int]:
    """What was counted on a program that is right."""
    verdict = check_paths(program(folder, text, *threads), Settings(**settings))[0]  # type: ignore[arg-type]
    assert verdict.kind == "TRUE"
    return verdict.stats.counts


def multinomial(numbers: list[int]) -> int:
    return factorial(sum(numbers)) // prod(map(factorial, numbers))


@pytest.mark.parametrize("statements", [(1, 1), (3, 2), (2, 2, 2), (2, 1, 1, 1)])
def test_closed_formula(tmp_path: Path, statements: tuple[int, ...]) -> None:
    """Straight-line threads of n visible statements."""
    names = [f"f{k}" for k in range(len(statements))]
    assert counts(tmp_path, writers(*statements), *names)["interleavings"] == multinomial(list(statements))


@pytest.mark.parametrize("switches", [1, 2, 3])
def test_context_bound(tmp_path: Path, switches: int) -> None:
    """Orders of 3 and 2 steps with at most so many switches; a path that the bound ends counts where it ends."""
    verdict = check_paths(program(tmp_path, writers(3, 2), "f0", "f1"), Settings(contexts=switches))[0]
    assert verdict.stats.counts["interleavings"] == _orders(3, 2, switches)
    assert verdict.kind == "UNKNOWN" and "(--context-bound)" in str(verdict.cuts[0])


def _orders(first: int, second: int, switches: int) -> int:
    """Maximal sequences of steps of two threads, the first of which begins active, that make no more switches."""

    def paths(left: tuple[int, int], active: int, spent: int) -> int:
        moves = [t for t in (0, 1) if left[t] and spent + (t != active) <= switches]
        if not moves:
            return 1
        after = [(left[0] - (t == 0), left[1] - (t == 1)) for t in moves]
        return sum(paths(rest, t, spent + (t != active)) for t, rest in zip(moves, after, strict=True))

    return paths((first, second), 0, 0)


SUITE = [
    (writers(3, 2), ("f0", "f1"), comb(5, 2)),
    (writers(1, 1, 1), ("f0", "f1", "f2"), 6),
    (writers(2, 1, 1), ("f0", "f1", "f2"), 12),
    ("int x, y; void f0(void) { x = 1; } void f1(void) { y = 1; }", ("f0", "f1"), 1),
    ("int x, y, r0, r1; void f0(void) { x = 1; r0 = y; } void f1(void) { y = 1; r1 = x; }", ("f0", "f1"), 3),
    ("int x, r1, r2; void f0(void) { x = 1; } void f1(void) { r1 = x; } void f2(void) { r2 = x; }", ("f0", "f1", "f2"), 4),
    (LOCKS + "int x; void f0(void) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); } "
     "void f1(void) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); }", ("f0", "f1"), 2),
    (LOCKS + "int x; void f0(void) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); } "
     "void f1(void) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); } "
     "void f2(void) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); }", ("f0", "f1", "f2"), 6),
    ("int a[3], s; void f0(void) { a[0] = 1; s = 1; } void f1(void) { a[1] = 1; s = 2; } void f2(void) { a[2] = 1; }",
     ("f0", "f1", "f2"), 2),
    ("int x; void f0(void) { __VERIFIER_atomic_begin(); x++; x++; __VERIFIER_atomic_end(); } void f1(void) { x = 0; } ",
     ("f0", "f1"), 2),
]  # fmt: skip
"""Programs, their threads, and the number of Mazurkiewicz traces."""


@pytest.mark.parametrize("reduction", REDUCED)
@pytest.mark.parametrize(("text", "threads", "traces"), SUITE)
def test_one_complete_interleaving_for_each_trace(tmp_path: Path, text: str, threads: tuple[str, ...], traces: int, reduction: str) -> None:
    """Blocked ones are counted apart."""
    found = counts(tmp_path, text, *threads, por=reduction)
    assert found["interleavings"] == traces


def test_source_sets_try_less_than_sleep_sets(tmp_path: Path) -> None:
    text = "".join(f"int x{k}; void f{k}(void) {{ x{k} = 1; x{k} = 2; }} " for k in range(3))
    by_name = {name: counts(tmp_path, text, "f0", "f1", "f2", por=name) for name in REDUCED}
    assert {name: found["interleavings"] for name, found in by_name.items()} == dict.fromkeys(REDUCED, 1)
    assert by_name["sleep"]["blocked"] > by_name["source"]["blocked"] == 0


def test_merged_states(tmp_path: Path) -> None:
    """A state that was reached before is not explored again: what is left is the grid of states, and the two ways into its last one."""
    count = "__sync_fetch_and_add(&x, 1);"
    text = f"int x; void f0(void) {{ {count} {count} }} void f1(void) {{ {count} {count} }}"
    plain = counts(tmp_path, text, "f0", "f1")
    merged = counts(tmp_path, text, "f0", "f1", merge=True)
    assert plain["interleavings"] == comb(4, 2) and merged["interleavings"] == 2
    assert merged["steps"] == 2 * (2 * 3) + 2 + 2 * 3  # the edges of a grid of 3 by 3 states, two starts, and the ends

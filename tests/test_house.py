"""The house rules that a script can see: one name for one thing, files that fit on a few screens."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

from benchmarks.house import hidden_imports, type_names

ROOT = Path(__file__).parent.parent
LONGEST = 600
MOST_HIDDEN = 65
"""Imports inside functions. Lower it when there are fewer: each needs a reason, and start-up time is the only good one."""


@cache
def sources() -> dict[Path, ast.Module]:
    """The modules of fsoft, parsed."""
    files = [*(ROOT / "fsoft").rglob("*.py"), *(ROOT / "checkers").rglob("*.py")]
    paths = {path.resolve() for path in files}
    return {path.relative_to(ROOT): ast.parse(path.read_text()) for path in sorted(paths)}


def shared_names(modules: dict[Path, ast.Module]) -> dict[str, list[Path]]:
    """Names of types that more than one module defines."""
    where: dict[str, list[Path]] = defaultdict(list)
    for path, module in modules.items():
        for name in type_names(module):
            where[name].append(path)
    return {name: paths for name, paths in where.items() if len(paths) > 1}


def test_one_name_means_one_thing() -> None:
    assert shared_names(sources()) == {}


def test_a_name_that_two_modules_define_is_noticed() -> None:
    one = ast.parse("class Frame: ...\nRow = tuple[int, ...]\nLIMIT = 3")
    other = ast.parse("class _Row: ...\nclass Row: ...\nLIMIT = 4")
    assert list(shared_names({Path("one.py"): one, Path("other.py"): other})) == ["Row"]


def test_files_fit_on_a_few_screens() -> None:
    lengths = {path: len((ROOT / path).read_text().splitlines()) for path in sources()}
    assert {path: length for path, length in lengths.items() if length > LONGEST} == {}


def test_defects_for_tests_live_with_the_tests() -> None:
    """No switch of a module that only a test turns on."""
    switches = []
    for path, module in sources().items():
        for node in module.body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, bool):
                switches += [f"{path}: {one.id}" for one in node.targets if isinstance(one, ast.Name) and one.id.islower()]
    assert switches == []


def test_imports_inside_functions_become_fewer() -> None:
    assert sum(len(list(hidden_imports(module))) for module in sources().values()) <= MOST_HIDDEN

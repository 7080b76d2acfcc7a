"""The house rules that a script can see: one name for one thing, files that fit on a few screens."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

from benchmarks.house import hidden_imports, of_fsoft, type_names

ROOT = Path(__file__).parent.parent
LONGEST = 600
MOST_HIDDEN = 38
"""Imports of modules of fsoft inside functions: start-up time, an optional package and a circle are the only reasons."""


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
    assert sum(of_fsoft(one) for module in sources().values() for one in hidden_imports(module)) <= MOST_HIDDEN


def test_imports_inside_functions_say_why() -> None:
    lines = {path: (ROOT / path).read_text().splitlines() for path in sources()}
    hidden = [(path, one.lineno) for path, module in sources().items() for one in hidden_imports(module)]
    assert [f"{path}:{line}" for path, line in hidden if "  # " not in lines[path][line - 1]] == []


def test_which_imports_are_of_fsoft() -> None:
    tree = ast.parse(
        "def f():\n import json\n from fsoft import ask\n import fsoft.option as option\n from fsofter import a\n from . import b"
    )
    assert [of_fsoft(one) for one in hidden_imports(tree)] == [False, True, True, False, True]

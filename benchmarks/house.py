"""How large the sources of fsoft are, and how tidy: `python benchmarks/house.py [FOLDER]` (another checkout, to compare)."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent


def modules(root: Path) -> dict[Path, str]:
    """The text of every module of fsoft, the engines included, each once."""
    found = {path.resolve() for folder in ("fsoft", "checkers") for path in (root / folder).rglob("*.py")}
    return {path: path.read_text() for path in sorted(found)}


def hidden_imports(tree: ast.Module) -> Iterator[ast.stmt]:
    """The import statements inside functions."""
    functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    inner = {id(node): node for function in functions for node in ast.walk(function) if isinstance(node, (ast.Import, ast.ImportFrom))}
    yield from inner.values()


def of_fsoft(statement: ast.stmt) -> bool:
    """Whether an import statement is about modules of fsoft, not about other packages or the standard library."""
    if isinstance(statement, ast.ImportFrom):
        return statement.level > 0 or (statement.module or "").split(".")[0] == "fsoft"
    return isinstance(statement, ast.Import) and any(one.name.split(".")[0] == "fsoft" for one in statement.names)


def type_names(tree: ast.Module) -> Iterator[str]:
    """The public classes, type variables and names of types that a module defines."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            names = [node.name]
        elif isinstance(node, ast.Assign):
            names = [one.id for one in node.targets if isinstance(one, ast.Name)]
        else:
            continue
        yield from (name for name in names if name[0].isupper() and not name.isupper())


def main(arguments: list[str]) -> None:
    texts = modules(Path(arguments[0]) if arguments else ROOT)
    trees = [ast.parse(text) for text in texts.values()]
    names = Counter(name for tree in trees for name in set(type_names(tree)))
    print(f"modules                                 {len(texts):6}")
    print(f"lines                                   {sum(len(text.splitlines()) for text in texts.values()):6}")
    hidden = [of_fsoft(statement) for tree in trees for statement in hidden_imports(tree)]
    print(f"imports of fsoft inside functions       {hidden.count(True):6}")
    print(f"other imports inside functions          {hidden.count(False):6}")
    print(f"public type names of several modules    {sum(count > 1 for count in names.values()):6}")


if __name__ == "__main__":
    main(sys.argv[1:])

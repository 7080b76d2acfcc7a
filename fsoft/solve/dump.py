"""Every question to a solver as an SMT-LIB file: `0001.smt2`, `0002.smt2`, ... in a folder, each on its own satisfiable or not."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from fsoft.circuit.formats.smtlib import apply, constant, quoted, sort
from fsoft.circuit.model.lower import TermLowering
from fsoft.frontend.source import InputError, Loc
from fsoft.program.expr import Expr, postorder
from fsoft.solve.terms import Solver, make_solver


def write_question(terms: Sequence[Expr], comment: str = "") -> str:
    """The text of a file that is satisfiable if and only if all terms (of one bit) can hold together."""
    lowered = [TermLowering()(term) for term in terms]
    return "\n".join(_lines(lowered, comment)) + "\n"


def _lines(terms: Sequence[Expr], comment: str) -> Iterator[str]:
    yield from (f"; {row}" for row in comment.splitlines())
    order = postorder(tuple(terms))
    yield f"(set-logic {'QF_ABV' if any(node.index for node in order) else 'QF_BV'})"
    names: dict[Expr, str] = {}
    for i, node in enumerate(order):
        if node.op == "reg":
            names[node] = quoted(str(node.data))
            yield f"(declare-const {names[node]} {sort(node)})"
        elif node.op == "const":
            names[node] = constant(node)
        else:
            names[node] = f"n{i}"
            yield f"(define-fun n{i} () {sort(node)} {apply(node, [names[a] for a in node.args])})"
    yield from (f"(assert (= {names[term]} #b1))" for term in terms)
    yield "(check-sat)"


class Dumping:
    """A solver that writes what it is asked. Files appear whole or not at all."""

    def __init__(self, solver: Solver, folder: str):
        self._solver, self._folder = solver, Path(folder)
        self._levels: list[list[Expr]] = [[]]
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(Loc(folder, 0), f"cannot write questions there: {error.strerror}") from None

    @property
    def calls(self) -> int:
        return self._solver.calls

    def add(self, term: Expr) -> None:
        self._levels[-1].append(term)
        self._solver.add(term)

    def push(self) -> None:
        self._levels.append([])
        self._solver.push()

    def pop(self, levels: int = 1) -> None:
        del self._levels[len(self._levels) - levels :]
        self._solver.pop(levels)

    def solve(self, assumptions: Sequence[Expr] = (), deadline: float | None = None) -> bool:
        terms = [term for level in self._levels for term in level]
        self._write(write_question([*terms, *assumptions], f"{len(terms)} assertions, {len(assumptions)} assumptions"))
        return self._solver.solve(assumptions, deadline)

    def _write(self, text: str) -> None:
        path = self._folder / f"{self._solver.calls + 1:04d}.smt2"
        part = path.with_suffix(".part")
        try:
            part.write_text(text, encoding="utf-8")
            os.replace(part, path)
        except OSError as error:
            raise InputError(Loc(str(path), 0), f"cannot be written: {error.strerror}") from None

    def core(self) -> list[Expr]:
        return self._solver.core()

    def value(self, term: Expr) -> int:
        return self._solver.value(term)


def solver_of(name: str, folder: str = "") -> Solver:
    """A fresh solver of that name, which writes its questions into the folder if one is given."""
    solver = make_solver(name)
    return Dumping(solver, folder) if folder else solver

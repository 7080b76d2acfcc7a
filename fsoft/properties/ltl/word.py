"""The meaning of a formula on one run that ends in a loop, straight from the definition.

This is the judge of counterexamples and of the tableau: it knows neither normal forms nor automata. The loop is written out a few times
because what a past operator says about a position of the loop depends on how often the loop was passed: after as many passes
as past operators are nested it no longer does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fsoft.properties.ltl.formula import Atom, TemporalFormula, subformulas

Letter = Mapping[Atom, bool]


def holds(formula: TemporalFormula, letters: Sequence[Letter], loop: int) -> bool:
    """Whether the run `letters[:loop] letters[loop:] letters[loop:] ...` satisfies the formula at its first position."""
    past = sum(node.op in ("Y", "Z", "O", "H", "S", "T") for node in subformulas(formula))
    word = [*letters, *(list(letters[loop:]) * (past + 1))]
    back = len(word) - (len(letters) - loop)
    values: dict[TemporalFormula, list[bool]] = {}
    for node in subformulas(formula):
        values[node] = _row(node, [values[a] for a in node.args], word, back)
    return values[formula][0]


def _row(node: TemporalFormula, args: list[list[bool]], word: list[Letter], back: int) -> list[bool]:
    op, size = node.op, len(word)
    if node.atom is not None:
        return [bool(letter[node.atom]) for letter in word]
    if op in ("true", "false"):
        return [op == "true"] * size
    if op == "not":
        return [not x for x in args[0]]
    if op in ("and", "or", "implies", "iff"):
        return [_connect(op, x, y) for x, y in zip(*args)]
    if op == "X":
        return [*args[0][1:], args[0][back]]
    if op in ("Y", "Z"):
        return [op == "Z", *args[0][:-1]]
    if op in ("F", "G", "U", "R", "W"):
        return _future(op, args, back)
    return _past(op, args)


def _connect(op: str, x: bool, y: bool) -> bool:
    return {"and": x and y, "or": x or y, "implies": not x or y, "iff": x == y}[op]


def _future(op: str, args: list[list[bool]], back: int) -> list[bool]:
    """From the end, twice: the second time with what the first found at the start of the last pass of the loop."""
    size = len(args[0])
    strong = op in ("F", "U")
    row, after = [False] * size, not strong
    for _ in range(2):
        for i in reversed(range(size)):
            here = [row_[i] for row_ in args]
            if op == "F":
                row[i] = here[0] or after
            elif op == "G":
                row[i] = here[0] and after
            elif op == "R":
                row[i] = here[1] and (here[0] or after)
            else:
                row[i] = here[1] or (here[0] and after)
            after = row[i]
        after = row[back]
    return row


def _past(op: str, args: list[list[bool]]) -> list[bool]:
    row: list[bool] = []
    before = op in ("H", "T")
    for here in zip(*args):
        if op == "O":
            before = here[0] or before
        elif op == "H":
            before = here[0] and before
        elif op == "S":
            before = here[1] or (here[0] and before)
        else:
            before = here[1] and (here[0] or before)
        row.append(before)
    return row

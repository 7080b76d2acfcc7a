"""The tableau accepts exactly the runs that the definition of LTL says: random formulas on random lassos."""

from __future__ import annotations

from random import Random

from fsoft.checkers.explicit.product import Guesses
from fsoft.properties.ltl.formula import BINARY, UNARY, Atom, TemporalFormula, atoms_of, normal
from fsoft.properties.ltl.tableau import tableau
from fsoft.properties.ltl.word import holds

ATOMS = [Atom("c", name) for name in "pqr"]


def random_formula(source: Random, depth: int) -> TemporalFormula:
    if depth == 0 or source.random() < 0.15:
        return TemporalFormula("atom", atom=source.choice(ATOMS))
    op = source.choice([*UNARY, *BINARY, "not", "and", "or", "implies", "iff"])
    count = 1 if op in UNARY or op == "not" else 2
    return TemporalFormula(op, tuple(random_formula(source, depth - 1) for _ in range(count)))


def accepts(formula: TemporalFormula, letters: list[dict[Atom, bool]], loop: int) -> bool:
    """Whether the tableau has a fair run over the lasso: a search in the product of positions and latches."""
    guesses = Guesses(tableau(normal(formula)))
    wanted = (1 << len(guesses.tableau.justice)) - 1
    edges: dict[tuple[int, tuple[int, ...]], list[tuple[tuple[int, tuple[int, ...]], int]]] = {}
    work = [(0, guesses.initial())]
    while work:
        node = work.pop()
        if node in edges:
            continue
        at, latches = node
        row = tuple(int(letters[at][atom]) for atom in guesses.atoms)
        after = at + 1 if at + 1 < len(letters) else loop
        edges[node] = [((after, new), met) for new, met in guesses.after(latches, row)]
        work += [target for target, _ in edges[node]]
    return any(_fair_loop(edges, node, wanted) for node in edges if node[0] >= loop)


def _fair_loop(edges: dict, start: tuple, wanted: int) -> bool:
    seen, work = set(), [(start, 0)]
    while work:
        node, met = work.pop()
        for target, more in edges[node]:
            if target == start and (met | more) & wanted == wanted:
                return True
            if (target, met | more) not in seen:
                seen.add((target, met | more))
                work.append((target, met | more))
    return False


def test_tableau_and_definition_agree() -> None:
    source = Random(7)
    verdicts = {True: 0, False: 0}
    for _ in range(400):
        formula = random_formula(source, 3)
        if sum(n.op in "XURFGWZ" for n in _nodes(formula)) > 5 or not atoms_of(formula):
            continue
        letters = [{atom: source.random() < 0.5 for atom in ATOMS} for _ in range(source.randint(1, 5))]
        loop = source.randrange(len(letters))
        right = holds(formula, letters, loop)
        assert accepts(formula, letters, loop) == right, f"{formula} on {letters} from {loop}"
        verdicts[right] += 1
    assert min(verdicts.values()) > 80


def _nodes(formula: TemporalFormula) -> list[TemporalFormula]:
    return [formula, *(node for arg in formula.args for node in _nodes(arg))]


def test_past_on_a_loop_depends_on_the_pass() -> None:
    """O p is false in the first pass of a loop before p, true ever after."""
    p, q = ATOMS[:2]
    letters = [{p: False, q: True}, {p: True, q: False}]
    once = TemporalFormula("O", (TemporalFormula("atom", atom=p),))
    assert not holds(once, letters, 0)
    assert holds(TemporalFormula("X", (once,)), letters, 0)
    assert holds(TemporalFormula("F", (TemporalFormula("and", (once, TemporalFormula("atom", atom=q))),)), letters, 0)
    assert not holds(TemporalFormula("G", (once,)), letters, 0)

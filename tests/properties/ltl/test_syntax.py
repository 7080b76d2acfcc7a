"""The text of formulas: what they mean, and what is said about wrong ones."""

from __future__ import annotations

import pytest

from fsoft.properties.ltl.formula import atoms_of, joined, negate, normal, stutters
from fsoft.properties.ltl.syntax import FormulaError, Text, parse

READ = [
    ("G (request -> F served)", "G ((request) -> F (served))"),
    ("shared_x > 0 && t == 2", "((shared_x > 0) && (t == 2))"),
    ("!x == 1", "(!x == 1)"),  # C: (!x) == 1
    ("!(x == 1) U y", "(!(x == 1) U (y))"),
    ("p->f > 0 -> q", "((p->f > 0) -> (q))"),
    ("a U b U c && d", "(((a) U ((b) U (c))) && (d))"),
    ("a -> b -> c", "((a) -> ((b) -> (c)))"),
    ("(a+b)*2 > c || !(a) == b", "(((a+b)*2 > c) || (!(a) == b))"),
    ("{ G > 1 } && H O x", "((G > 1) && H O (x))"),
    ("X -x > 1", "X (-x > 1)"),
    ("F x == 1", "F (x == 1)"),
    ("G holds(w#2, a[1].m) <-> ended()", "(G holds(w#2, a[1].m) <-> ended())"),
    ("at(worker, crit) W at(a.c:12)", "(at(worker, crit) W at(a.c:12))"),
    ("G s.X > 0", "G (s.X > 0)"),
    ("true U false", "(true U false)"),
    ("G (x ? 1 : 1)", "G (x ? 1 : 1)"),
    ("G { x ? 1 : 1 }", "G (x ? 1 : 1)"),
    ("F ((x, y) || !{ a ? b : c })", "F ((x, y) || !(a ? b : c))"),
]


@pytest.mark.parametrize(("text", "meaning"), READ)
def test_formulas(text: str, meaning: str) -> None:
    assert str(parse(Text(text))) == meaning


WRONG = [
    ("G (a ->", 3, "never closed"),
    ("G x = 1", 5, "did you mean '=='?"),
    ("f(x)", 1, "must not call functions"),
    ("at(x)", 1, "write at(thread, label)"),
    ("enabled(1, 2)", 1, "write enabled(thread)"),
    ("a ? b : c", 3, "in parentheses or braces"),
    ("x && && y", 6, "a formula is missing"),
    ("G", 2, "needs a formula"),
    ("a $ b", 3, "unexpected character"),
    ("", 1, "empty"),
    ("at(t, l) > 1", 10, "no operator of C can follow"),
    ("1 + ended()", 5, "cannot be an operand"),
    ("a)", 2, "closes nothing"),
    ("x++ > 1", 2, "must not change anything"),
    ("a + F b", 5, "temporal operator"),
    ("(F a ? b : c)", 6, "in parentheses or braces"),
]


@pytest.mark.parametrize(("text", "column", "words"), WRONG)
def test_errors_have_a_caret(text: str, column: int, words: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(Text(text))
    first, line, caret = str(caught.value).split("\n")
    assert first.startswith(f"--ltl:1:{column}: error: ") and words in first
    assert line == f"  {text}" and caret == " " * (column + 1) + "^"


def test_boolean_combinations_of_c_stay_c() -> None:
    """`p == 0 || *p` must not read *p where p is null."""
    found = joined(parse(Text("G (p == 0 || *p > 0)")))
    assert [atom.text for atom in atoms_of(found)] == ["((p == 0) || (*p > 0))"]
    assert [atom.kind for atom in atoms_of(joined(parse(Text("a && ended()"))))] == ["c", "ended"]


def test_normal_form_has_negated_atoms_only() -> None:
    found = normal(negate(parse(Text("G (ended() -> (finished(1) U running(1)) && Y O H enabled(1))"))))
    assert "!(" not in str(found).replace("!(ended", "")
    assert " Z " in f" {found}" and " R " in str(found)


def test_what_can_tell_steps_apart() -> None:
    assert stutters(parse(Text("G (a -> F b) && O c"))) == []
    assert stutters(parse(Text("X a && Y b && running(1) && enabled(1) && at(1, l)"))) == ["X", "Y", "running", "enabled", "at"]

"""What counts as an execution, and what an atom means, through the explicit product."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.ask.runs import Answered, check_circuit, check_explicit, load_watched
from fsoft.frontend.source import InputError
from fsoft.program.options import Options
from fsoft.program.verdict import Move
from fsoft.properties.ltl import Lasso, NotALasso, Runs, TemporalFormula, Text, confirm, read

THREADS = """#include <pthread.h>
#include <assert.h>
#define TWO 2
void __VERIFIER_assume(int); void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);
int x, y, a[2], *p; struct { int f; } s[2]; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *w(void *arg) { %s return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); %s return 0; }
"""


def ask(folder: Path, formula: str, thread: str = "", main: str = "pthread_join(t, 0);", fairness: str = "none",
        engine: str = "explicit", fold: bool = True) -> Answered:  # fmt: skip
    path = folder / "prog.c"
    path.write_text(THREADS % (thread, main))
    prop = read(Text(formula), fairness)
    watched = load_watched([str(path)], Options(fold=fold), [prop])
    return check_explicit(watched, prop) if engine == "explicit" else check_circuit(watched, prop, engine)


CASES = [
    # the end is eager, but an access and the end after it are two steps: w may see x == 1
    ("G !y", "if (x) y = 1;", "x = 1;", "none", "FALSE"),
    ("F x", "x = 1; x = 0;", "pthread_join(t, 0);", "weak", "TRUE"),  # only the formula sees it
    ("F y", "y = 1;", "", "weak", "FALSE"),  # main may end first
    ("F y", "y = 1;", "pthread_join(t, 0);", "weak", "TRUE"),
    ("F ended()", "pthread_mutex_lock(&m); pthread_mutex_lock(&m);", "pthread_join(t, 0);", "strong", "FALSE"),  # a deadlock counts
    ("F y", "__VERIFIER_assume(0);", "pthread_join(t, 0);", "weak", "TRUE"),  # no execution at all
    ("G x == 0", "x = 1; __VERIFIER_assume(0);", "while (1) {}", "none", "FALSE"),  # the thread may never come to the assume
    ("G x == 0", "x = 1; __VERIFIER_assume(0);", "while (1) {}", "weak", "TRUE"),
    ("F x", "assert(0); x = 1;", "pthread_join(t, 0);", "weak", "FALSE"),  # a failed assertion ends the process
    ("F ended()", "__VERIFIER_atomic_begin(); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); __VERIFIER_atomic_end();",
     "pthread_mutex_lock(&m); pthread_join(t, 0);", "weak", "TRUE"),  # blocking in a section prunes
    ("G (x == TWO -> s[1].f == 3)", "s[1].f = 3; x = TWO;", "pthread_join(t, 0);", "none", "TRUE"),
    ("G (p == 0 || *p < 2)", "p = &a[1]; a[1] = 1;", "pthread_join(t, 0);", "none", "TRUE"),
    ("G (*p < 2)", "p = &a[1];", "pthread_join(t, 0);", "none", "UNKNOWN"),  # *p has no value at first
    ("F finished(w) && !finished(w)", "x = 1;", "pthread_join(t, 0);", "weak", "TRUE"),
    ("!finished(w) W y == 1", "x = 1; y = 1;", "pthread_join(t, 0);", "none", "TRUE"),
    ("G (holds(w, m) -> !holds(0, m))", "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);",
     "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);", "none", "TRUE"),
    ("F (at(w, here) && X !at(w, here))", "x = 1; here: x = 2;", "pthread_join(t, 0);", "weak", "TRUE"),
    ("G (y -> O x)", "x = 1; y = 1;", "", "none", "TRUE"),
    ("G F running(w)", "while (1) {}", "pthread_join(t, 0);", "none", "TRUE"),  # main waits: nobody else can move
    ("G F running(w)", "while (1) {}", "while (1) {}", "none", "FALSE"),
    ("G F running(w)", "while (1) {}", "pthread_join(t, 0);", "weak", "TRUE"),
    ("G (x -> y)", "__VERIFIER_atomic_begin(); x = 1; y = 1; __VERIFIER_atomic_end();", "pthread_join(t, 0);", "none", "TRUE"),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]} | {case[1]} | {case[3]}")
def test_verdicts(case: tuple[str, str, str, str, str], tmp_path: Path) -> None:
    formula, thread, main, fairness, verdict = case
    assert ask(tmp_path, formula, thread, main, fairness).verdict.kind == verdict
    assert ask(tmp_path, formula, thread, main, fairness, fold=False).verdict.kind == verdict
    assert ask(tmp_path, formula, thread, main, fairness, engine="bdd").verdict.kind == verdict


@pytest.mark.parametrize("engine", ["bmc", "pdr", "kinduction", "klive", "smt"])
def test_every_engine_gives_a_lasso(engine: str, tmp_path: Path) -> None:
    found = ask(tmp_path, "F y", "while (1) { x = !x; }", engine=engine, fairness="weak")
    assert found.verdict.kind == "FALSE" and found.lasso is not None and found.lasso.loop


def test_bmc_finds_a_shortest_lasso(tmp_path: Path) -> None:
    thread = "x = 1; x = 2; x = 3; while (1) { x = 4; x = 5; }"
    found = ask(tmp_path, "F G x == 4", thread, engine="bmc", fairness="weak")
    assert found.lasso is not None
    longer = ask(tmp_path, "F G x == 4", thread, fairness="weak")
    assert longer.lasso is not None
    size = [len(one.stem) + len(one.loop) for one in (found.lasso, longer.lasso)]
    assert size[0] <= size[1]


def test_a_counter_that_nothing_depends_on_does_not_keep_a_loop_open(tmp_path: Path) -> None:
    """y goes through 2 ** 32 values; the lasso of the circuit does not care."""
    found = ask(tmp_path, "F x", "while (1) { y++; }", engine="bmc", fairness="weak")
    assert found.verdict.kind == "FALSE" and found.lasso is not None and found.lasso.drift == ("y",)
    assert "(each pass of the loop changes y, on which nothing here depends)" in found.verdict.reasons


@pytest.mark.parametrize("engine", ["bmc", "pdr", "klive", "bdd"])
def test_values_that_do_not_fit_narrow_words_are_not_lost(engine: str, tmp_path: Path) -> None:
    """No random run makes y large; the guess of its width must not hide the run that does."""
    thread = "int n; if (n == 123456) y = 70000; x = 1;"
    found = ask(tmp_path, "G y < 4", thread, engine=engine, fairness="weak")
    assert found.verdict.kind == "FALSE"


def test_false_lassos_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "prog.c"
    path.write_text(THREADS % ("while (1) { x = !x; }", "pthread_join(t, 0);"))
    prop = read(Text("F y"), "none")
    watched = load_watched([str(path)], Options(), [prop])
    good = check_explicit(watched, prop).lasso
    assert good is not None
    runs = Runs(watched, prop.atoms(), compiled=False)
    with pytest.raises(NotALasso, match=r"does not close|does not replay"):
        confirm(runs, prop.formula, Lasso(good.stem, good.loop[:-1]), "none")
    with pytest.raises(NotALasso, match="although somebody could"):
        confirm(runs, prop.formula, Lasso((), (None,)), "none")
    with pytest.raises(NotALasso, match="does not replay"):
        confirm(runs, prop.formula, Lasso((Move(1, 0),), (None,)), "none")
    with pytest.raises(NotALasso, match="satisfies the property"):
        confirm(runs, TemporalFormula("not", (prop.formula,)), good, "none")


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("F yy", "--ltl:1:3: error: 'yy' undeclared"),
        ("F t == 1", "--ltl:1:3: error: 't' is a local variable of main(): an atom reads globals only"),
        ("G (x && s[0].g)", "no member named 'g'"),
        ("F running(ww)", "--ltl:1:11: error: no thread 'ww': did you mean 'w'?"),
        ("F at(w, heer)", "did you mean 'here'?"),
        ("F at(900)", "--ltl:1:6: error: no step begins at line 900"),
        ("F x +", "'x +' is no expression of C"),
        ("F holds(w, s)", "'s' is not a lock"),
        ("F s[0]", "error"),
    ],
)
def test_errors(formula: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        ask(tmp_path, formula, "here: x = 1;")
    assert words in str(caught.value) and str(caught.value).endswith("^")


def test_atoms_find_their_file(tmp_path: Path) -> None:
    """A static variable of the second file is read in the scope of that file."""
    (tmp_path / "a.c").write_text("int one(void); int g; int main(void) { g = one(); return 0; }\n")
    (tmp_path / "b.c").write_text("static int hidden; int one(void) { hidden = 1; return 1; }\n")
    prop = read(Text("F hidden && G (g -> O hidden)"))
    watched = load_watched([str(tmp_path / "a.c"), str(tmp_path / "b.c")], Options(), [prop])
    assert check_explicit(watched, prop).verdict.kind == "TRUE"

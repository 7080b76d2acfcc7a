"""Exported justice files: an independent reading of the file finds a fair run exactly where the property is violated."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.ask.runs import check_explicit, load_watched
from fsoft.cli.main import main
from fsoft.program.options import Options
from fsoft.properties.ltl import Text, read
from tests.circuit.justice import File, has_fair_run
from tests.circuit.justice import read as read_file

HEAD = "#include <pthread.h>\n_Bool x, y; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
WAIT = (
    HEAD
    + "void *w(void *p) { while (!x) {} y = 1; return 0; }\n"
    + ("int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); x = 1; pthread_join(t, 0); return 0; }\n")
)
LOOP = (
    HEAD
    + "void *w(void *p) { while (1) { pthread_mutex_lock(&m); x = !x; pthread_mutex_unlock(&m); } return 0; }\n"
    + ("int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); pthread_mutex_lock(&m); y = 1; return 0; }\n")
)
ALONE = "_Bool x, y;\nint main(void) { while (1) { x = 1; y = !y; x = 0; } return 0; }\n"
CASES = [
    (WAIT, "F y", "none"), (WAIT, "F y", "weak"), (WAIT, "F y", "strong"), (WAIT, "G (y -> O x)", "none"), (WAIT, "x R !y", "none"),
    (LOOP, "F y", "weak"), (LOOP, "F y", "strong"), (LOOP, "G F x", "strong"),
    (ALONE, "G F x && G F !x", "none"), (ALONE, "G (x -> X y)", "none"), (ALONE, "F G y", "none"), (ALONE, "G (y S x || !y)", "none"),
]  # fmt: skip


def exported(folder: Path, text: str, formula: str, fairness: str, *more: str) -> File:
    (folder / "p.c").write_text(text)
    name = str(folder / "p.aag")
    assert main(["build", str(folder / "p.c"), "--ltl", formula, "--fairness", fairness, "-o", name, *more]) == 0
    return read_file(Path(name).read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[1]} {case[2]}")
def test_files_say_what_the_product_says(case: tuple[str, str, str], tmp_path: Path) -> None:
    text, formula, fairness = case
    fair, bound = has_fair_run(exported(tmp_path, text, formula, fairness))
    prop = read(Text(formula), fairness)
    verdict = check_explicit(load_watched([str(tmp_path / "p.c")], Options(), [prop]), prop).verdict.kind
    assert not bound and verdict == ("FALSE" if fair else "TRUE")


def test_folded_constraints_mean_the_same(tmp_path: Path) -> None:
    for fairness, fair in (("none", True), ("weak", False)):
        file = exported(tmp_path, WAIT, "F y", fairness, "--fold-constraints")
        assert not file.constraints and has_fair_run(file)[0] == fair


@pytest.mark.parametrize(("more", "words"), [(["--narrow"], "--narrow"), (["--ltl", "G x"], "one formula"), (["--bad", "b"], "--bad")])
def test_what_build_refuses(more: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p.c").write_text(ALONE)
    assert main(["build", str(tmp_path / "p.c"), "--ltl", "F x", "-o", str(tmp_path / "p.aag"), *more]) == 1
    assert words in capsys.readouterr().err

"""`fsoft effects`: what is missing, ranked, and rows that can be read again."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.cli.main import main
from fsoft.frontend.effects import read_rows

TEXT = """struct s; struct s *open_it(const char *name); int use_it(struct s *s, int n, double d); void close_it(struct s *);
int once(int x); int strange();
static int use(struct s *s) { return use_it(s, 1, 2.0); }
static int twice(struct s *s) { return use(s) + use(s); }
int main(void) { struct s *s = open_it("a"); int r = twice(s) + once(1) + strange(1, 2); close_it(s); return r; }
"""


def test_what_is_missing_is_ranked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program, rows = tmp_path / "p.c", tmp_path / "rows.toml"
    program.write_text(TEXT)
    assert main(["effects", str(program), "--missing", "--rows", str(rows)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "use_it: 3 functions depend on it, 1 calls" in lines[0]
    assert lines[-1] == "5 functions have no body, no model and no row of effects"
    found = read_rows(str(rows))
    assert set(found) == {"use_it", "open_it", "close_it", "once", "strange"}
    assert [p.type for p in found["use_it"].params] == ["void *", "int", "double"] and found["strange"].variadic
    assert main(["effects", str(program), "--missing", "--effects", str(rows)]) == 0
    assert capsys.readouterr().out.splitlines() == ["0 functions have no body, no model and no row of effects"]


def test_nothing_to_do_is_a_usage_error(tmp_path: Path) -> None:
    program = tmp_path / "p.c"
    program.write_text(TEXT)
    assert main(["effects", str(program)]) == 1

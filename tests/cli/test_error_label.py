"""The label ERROR: a violation in tasks of the competition or where it is asked for, a label like any other elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.cli.main import main

CLEANUP = "int fails; int f(void) { if (fails) goto ERROR; return 0; ERROR: {BODY} } int main(void) { fails = 1; return f() != 1; }\n"
UNREACH = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n"


def last(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    main(["check", *arguments, "--no-trace"])
    return capsys.readouterr().out.splitlines()[-1]


def test_a_label_like_any_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "p.c"
    file.write_text(CLEANUP.replace("{BODY}", "return 1;"))
    assert main(["check", str(file)]) == 0
    said = capsys.readouterr().out
    assert "the label ERROR is a label like any other (--error-label ERROR" in said
    assert last(capsys, str(file), "--error-label", "ERROR") == "FALSE(unreach-call)"
    assert last(capsys, str(file), "--error-label", "OTHER") == "TRUE"
    file.write_text(file.read_text().replace("ERROR", "cleanup"))
    assert last(capsys, str(file), "--error-label", "x", "--error-label", "cleanup") == "FALSE(unreach-call)"


@pytest.mark.parametrize("body", ["goto ERROR;", "{ goto ERROR; }", "; goto ERROR;"])
def test_a_loop_at_the_label(body: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p.c").write_text(CLEANUP.replace("{BODY}", body))
    assert last(capsys, str(tmp_path / "p.c")) == "FALSE(unreach-call)"


def test_tasks_of_the_competition(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = CLEANUP.replace("{BODY}", "return 1;")
    (tmp_path / "p.c").write_text(text)
    (tmp_path / "p.prp").write_text(UNREACH)
    (tmp_path / "p.yml").write_text("format_version: '2.0'\ninput_files: p.c\nproperties:\n  - property_file: p.prp\n")
    assert last(capsys, str(tmp_path / "p.c"), "--property", str(tmp_path / "p.prp")) == "FALSE(unreach-call)"
    assert last(capsys, str(tmp_path / "p.yml")) == "FALSE(unreach-call)"
    (tmp_path / "q.c").write_text("extern void __VERIFIER_assume(int);\n" + text)
    assert last(capsys, str(tmp_path / "q.c")) == "FALSE(unreach-call)"
    (tmp_path / "q.c").write_text("/* not __VERIFIER_assume */\n" + text)
    assert last(capsys, str(tmp_path / "q.c")) == "TRUE"

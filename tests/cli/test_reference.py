"""docs/cli.md is what the parsers say."""

from __future__ import annotations

from pathlib import Path

from fsoft.cli.main import COMMANDS
from fsoft.cli.reference import parser_of, reference

PAGE = Path(__file__).resolve().parents[2] / "docs" / "cli.md"


def test_the_page_is_current() -> None:
    assert PAGE.read_text() == reference(), "run `make docs`"


def test_every_option_is_there() -> None:
    text = PAGE.read_text()
    for name in COMMANDS:
        section = text.split(f"\n## fsoft {name}\n")[1].split("\n## ")[0]
        for action in parser_of(name)._actions:
            assert all(f"`{option}" in section for option in action.option_strings if option not in ("-h", "--help"))


def test_parsers_work_again_afterwards() -> None:
    parser_of("show")
    assert parser_of("run").parse_args(["x.c"]).files == ["x.c"]

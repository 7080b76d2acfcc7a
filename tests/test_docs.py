"""The pages of docs/: commands do what is shown, links lead somewhere, the example package works."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from fsoft.process.tools import ABC, missing

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT)}
MODEL = "data model LP64 (--64): long and pointers have 64 bits"
TAKEN = "pthread_create is taken to succeed (--library-may-fail)"
CODES = {"TRUE": 0, "UNKNOWN": 5}


def examples() -> list[tuple[str, str, list[str]]]:
    """(page, command, lines that it prints) for everything after a `$` in a console block."""
    found = []
    for page in PAGES:
        for block in re.findall(r"```console\n(.*?)```", page.read_text(), re.DOTALL):
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, *lines = part.rstrip("\n").split("\n")
                found.append((page.name, command, lines))
    return found


@pytest.mark.parametrize(("page", "command", "lines"), examples())
def test_commands(page: str, command: str, lines: list[str], tmp_path: Path) -> None:
    words = [str(ROOT / word) if word.startswith(("models/", "docs/")) else word for word in shlex.split(command)]
    assert words[0] == "fsoft"
    done = subprocess.run([sys.executable, "-m", "fsoft", *words[1:]], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True)
    printed = done.stdout.replace(f"{ROOT}/", "").splitlines()
    at = -1
    for line in lines:
        if line != "...":
            assert line in printed[at + 1 :], f"{page}: {command}: {line}"
            at = printed.index(line, at + 1)
    assert done.returncode == CODES.get(printed[-1], 10), done.stderr


def test_there_are_examples() -> None:
    assert {page for page, _, _ in examples()} >= {"quickstart.md", "queue.md"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text()):
        assert target.startswith(("http://", "https://")) or (page.parent / target).exists(), target


def installed(folder: Path) -> dict[str, str]:
    """The example package as an installer would leave it: its module, and metadata with its entry points."""
    plugin = ROOT / "docs/examples/plugin"
    project = tomllib.loads((plugin / "pyproject.toml").read_text())["project"]
    info = folder / "fsoft_walk-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    points = project["entry-points"]["fsoft.checkers"]
    (info / "entry_points.txt").write_text("[fsoft.checkers]\n" + "".join(f"{k} = {v}\n" for k, v in points.items()))
    (folder / "fsoft_walk.py").write_text((plugin / "fsoft_walk.py").read_text())
    return ENVIRONMENT | {"PYTHONPATH": f"{ROOT}{os.pathsep}{folder}"}


def test_the_example_package(tmp_path: Path) -> None:
    environment = installed(tmp_path)

    def fsoft(*words: str) -> tuple[int, list[str]]:
        done = subprocess.run([sys.executable, "-m", "fsoft", *words], cwd=ROOT, env=environment, capture_output=True, text=True)
        assert not done.stderr
        return done.returncode, done.stdout.splitlines()

    assert any(line.startswith("walk: random runs") for line in fsoft("checkers")[1])
    code, lines = fsoft("check", "models/classic/account.c", "-D", "UNLOCKED", "--engine", "walk", "--seed", "7")
    assert (code, lines[-1]) == (10, "FALSE(unreach-call)")
    code, lines = fsoft("check", "models/classic/account.c", "--engine", "walk")
    assert (code, lines) == (5, ["no violation in 500 random runs", MODEL, TAKEN, "UNKNOWN"])
    code, lines = fsoft("check", "models/classic/account.c", "--engine", "walk", "--runs", "3")
    assert (code, lines[0]) == (5, "no violation in 3 random runs")
    assert any("`--runs" in line or "--runs N" in line for line in fsoft("check", "--help")[1])
    script = "import fsoft; print(fsoft.load('models/classic/account.c').check(engine='walk', runs=2).reasons[0])"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.stdout == "no violation in 2 random runs\n"
    wrong = [sys.executable, "-m", "fsoft", "check", "models/classic/account.c", "--engine"]
    for words, said in ((["walk", "--runs", "0"], "must be at least 1, not 0"), (["pdr", "--runs", "4"], "the engine pdr has no --runs")):
        done = subprocess.run([*wrong, *words], cwd=ROOT, env=environment, capture_output=True, text=True)
        assert done.returncode == 1 and said in done.stderr
    script = "import fsoft; print(fsoft.load('models/classic/account.c', define=['UNLOCKED']).check(engine='walk', seed=7, timeout=60))"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.stdout == "FALSE(unreach-call)\n"


@pytest.mark.skipif(missing(ABC) is not None, reason="ABC is not installed")
def test_ask_abc() -> None:
    def ask(*words: str) -> str:
        done = subprocess.run([sys.executable, "docs/examples/ask_abc.py", "models/classic/account.c", *words],
                              cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True)  # fmt: skip
        return done.stdout.splitlines()[-1]

    assert ask("-D", "UNLOCKED") == "FALSE(unreach-call)"
    assert ask() == "ABC finds no counterexample"


def known_options() -> dict[str, set[str]]:
    """The options of each command, as `docs/cli.md` has them (which is made from the code)."""
    sections = re.split(r"^## fsoft ", (ROOT / "docs/cli.md").read_text(), flags=re.MULTILINE)[1:]
    return {section.split()[0]: {*re.findall(r"(?<![\w-])--?[a-zA-Z0-9][\w-]*", section), "--help"} for section in sections}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_option_that_is_shown_exists(page: Path) -> None:
    known = known_options()
    lines = re.findall(r"^(?: {4}|\$ |    \$ )(?:\.venv/bin/)?fsoft (.+)$", page.read_text(), re.MULTILINE)
    spans = re.findall(r"`fsoft ([^`]+)`", page.read_text())
    for text in [*lines, *spans]:
        command, *words = re.sub(r"'[^']*'", "X", text.partition("  #")[0]).split()
        if command in known:
            plugins = {"--runs"} if "walk" in words else set()
            wrong = [w for w in words if re.fullmatch(r"--[a-z][\w-]*", w) and w not in known[command] | plugins]
            assert not wrong, f"{page.name}: fsoft {text}: {wrong}"
        else:
            assert not command.isalpha() or command.isupper(), f"{page.name}: fsoft {text}"

"""A wheel from a clean copy of the repository, in an environment with nothing else, used beside a folder that is called checkers, too."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
RACY = ["account.c", "-D", "UNLOCKED", "--data-races-check"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the files that git knows, without the network."""
    folder = tmp_path_factory.mktemp("wheel")
    copy = folder / "copy"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True)
    if listed.returncode != 0:
        pytest.skip("not a checkout of git")
    for name in listed.stdout.decode().split("\0"):
        if name.startswith(("fsoft", "checkers/", "pyproject.toml", "setup.py", "README.md", "LICENSE")) and (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name, follow_symlinks=False)
        elif (ROOT / name).is_symlink():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).symlink_to((ROOT / name).readlink())
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-index", "--no-build-isolation", "-w", str(folder), str(copy)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def fsoft(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command, as installed in an environment of its own with only what the wheel asks for."""
    home = tmp_path_factory.mktemp("environment") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True)
    pip = [sys.executable, "-m", "pip", "--python", str(home / "bin/python"), "--disable-pip-version-check", "install", "-q", str(wheel)]
    done = subprocess.run(pip, capture_output=True, text=True)
    if "No matching distribution found for pycparser" in done.stderr:
        pytest.skip("no package index: what the wheel needs cannot be installed")
    assert done.returncode == 0, done.stderr
    return home / "bin/fsoft"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder of a user, with a package of the name that the engines' folder has in the repository."""
    (tmp_path / "checkers").mkdir()
    (tmp_path / "checkers/__init__.py").write_text("raise ImportError('not the one of fsoft')\n")
    shutil.copy(ROOT / "models/classic/account.c", tmp_path)
    return tmp_path


def test_only_fsoft_is_installed(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"fsoft"}


def test_the_index_page_has_no_links_into_the_repository(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    (metadata,) = (name for name in archive.namelist() if name.endswith("METADATA"))
    text = archive.read(metadata).decode()
    assert "A verifier for concurrent C" in text
    assert [target for target in re.findall(r"\]\(([^)\s]+)\)", text) if not target.startswith(("http://", "https://", "#"))] == []


def test_commands_of_the_installed_package(fsoft: Path, place: Path) -> None:
    def run(*words: str) -> tuple[int, list[str]]:
        done = subprocess.run([str(fsoft), *words], cwd=place, capture_output=True, text=True)
        assert not done.stderr, done.stderr
        return done.returncode, done.stdout.splitlines()

    code, lines = run("check", *RACY, "--engine", "explicit", "--trace-file", "trace.json")
    assert (code, lines[-1]) == (10, "FALSE(no-data-race)")
    code, lines = run("build", *RACY, "-o", "model.aag")
    assert code == 0
    subprocess.run([sys.executable, "-m", "fsoft", "check", "model.aag", "--witness", "model.cex"], cwd=place, capture_output=True)
    code, lines = run("explain", "model.aag", "model.cex")
    assert (code, lines[-1]) == (10, "FALSE(no-data-race)")
    code, lines = run("run", "account.c", "--seed", "1")
    assert code in (0, 10)
    if shutil.which("gcc"):
        code, lines = run("replay", *RACY[:3], "trace.json")
        assert (code, lines[-1]) == (10, "FALSE(no-data-race)")
    python = fsoft.with_name("python")
    done = subprocess.run([str(python), "-m", "fsoft", "--version"], cwd=place, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("fsoft ")

"""The Daisy file system as C: it does what a file system does, in every variant and at several sizes, when gcc compiles it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.models.table import MODELS

GCC = ["gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-pthread"]
DEFECTIVE = [[], ["HEAD_LOCK"], ["ALLOC_LOCK"], ["HEAD_PER_THREAD"]]
REPAIRED = ["HEAD_LOCK", "ALLOC_LOCK"]
LARGER = ["BLOCKS=20", "INODES=9", "BLOCK_SIZE=64", "WORD_BYTES=2", "NAME_BYTES=3"]

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")


def run(driver: str, defines: list[str], folder: Path) -> None:
    program = folder / "daisy"
    flags = [f"-D{define}" for define in defines]
    built = subprocess.run([*GCC, *flags, str(MODELS / "daisy" / driver), "-o", str(program)], capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    done = subprocess.run([str(program)], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("variant", [*DEFECTIVE, REPAIRED])
@pytest.mark.parametrize("sizes", [[], ["BLOCKS=8", "INODES=5"], LARGER])
def test_one_thread_finds_no_fault(variant: list[str], sizes: list[str], tmp_path: Path) -> None:
    run("single.c", [*variant, *sizes], tmp_path)


@pytest.mark.parametrize("driver", ["seek.c", "blocks.c", "files.c", "directory.c"])
def test_the_repaired_one_survives_real_threads(driver: str, tmp_path: Path) -> None:
    sizes = ["THREADS=4", "OPERATIONS=201", "INODES=5", "BLOCKS=8", "BLOCK_SIZE=16", "WORD_BYTES=2"]
    run(driver, [*REPAIRED, *sizes], tmp_path)
    run(driver, [*REPAIRED, *sizes, "BY_NUMBER"], tmp_path)


def test_the_driver_of_the_case_study_prints_its_table() -> None:
    command = [sys.executable, str(MODELS.parent / "benchmarks" / "daisy.py"), "--engine", "explicit", "--timeout", "60"]
    done = subprocess.run([*command, "--witness", "race-head", "--witness", "seek"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    plain = [line.split() for line in done.stdout.splitlines() if " plain " in line]
    assert [cells[:3] for cells in plain] == [["race-head", "plain", "FALSE(no-data-race)"], ["seek", "plain", "FALSE(unreach-call)"]]
    assert all(int(cells[3]) > 0 and float(cells[4]) > 0 and int(cells[5]) > 0 for cells in plain)
    wrong = subprocess.run([*command, "--witness", "nothing"], capture_output=True, text=True)
    assert wrong.returncode == 1 and "no witness 'nothing'" in wrong.stderr

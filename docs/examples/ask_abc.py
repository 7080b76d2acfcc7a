"""Export a program to ABC and read its answer back: `python docs/examples/ask_abc.py models/classic/account.c -D UNLOCKED`."""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

import fsoft
from fsoft.process.tools import ABC, find, missing


def ask(path: str, define: list[str]) -> fsoft.Result | None:
    """The counterexample that ABC finds, as a result about the C program; None if it finds none."""
    with tempfile.TemporaryDirectory() as folder:
        built = fsoft.load(path, define=define).build(f"{folder}/model.aig", fold_constraints=True)
        commands = "read model.aig; pdr; write_cex -a model.cex"
        done = subprocess.run([find(ABC), "-c", commands], cwd=folder, capture_output=True, text=True)
        if "was asserted in frame" not in done.stdout:
            return None
        return built.explain(Path(folder, "model.cex").read_text())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("path")
    parser.add_argument("-D", dest="define", action="append", default=[])
    args = parser.parse_args()
    if (why := missing(ABC)) is not None:
        raise SystemExit(why)
    result = ask(args.path, args.define)
    print("ABC finds no counterexample" if result is None else f"{result.trace}\n\n{result}")


if __name__ == "__main__":
    main()

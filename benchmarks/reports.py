"""Are report files valid? `python -m benchmarks.reports [WORD...] [--every N] [--schema FILE] [--linter FILE]`.

For every Nth row of `models/` (engine `explicit`, in a process of its own) all report files are written and held to their schemas:
JSON to the one of the package, SARIF and YAML witnesses (2.0 and 2.2) to those of the tests. `--schema` is the official `sarif-
schema-2.1.0.json`, which OASIS publishes, `--linter` the `witnesslinter.py` of the authors of the witness formats (GraphML only, with
`--svcomp` for the properties of SV-COMP); neither is part of fsoft. Prints what is wrong, and how many files of each kind were looked
at. The exit code is 1 if something is wrong.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import yaml

import fsoft.trace
from tests.models.agree import in_child, warm_up
from tests.models.table import RUNS, Row, rows
from tests.trace.schemas import SARIF, correctness, violation

TRACE = json.loads((Path(fsoft.trace.__file__).parent / "trace.schema.json").read_text())
SVCOMP = ("unreach-call", "valid-deref", "valid-free", "valid-memtrack", "no-overflow", "no-data-race")
Judge = Callable[[Path], str]


def complaint(schema: Any, read: Callable[[str], Any]) -> Judge:
    """What the first violation of a schema in a file is; nothing if there is none."""
    validator = jsonschema.validators.validator_for(schema)(schema)

    def judge(path: Path) -> str:
        first = next(validator.iter_errors(read(path.read_text())), None)
        return "" if first is None else f"{first.json_path}: {first.message[:300]}"

    return judge


def well_formed(path: Path) -> str:
    try:
        ET.parse(path)
    except ET.ParseError as error:
        return str(error)
    return ""


def linted(linter: Path, row: Row) -> Judge:
    strict = ["--svcomp"] if row.prop in SVCOMP else []

    def judge(path: Path) -> str:
        command = [sys.executable, str(linter), *strict, "--witness", str(path), str(row.path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        return "" if done.returncode == 0 else f"exit code {done.returncode}: {done.stdout[-600:]} {done.stderr[-300:]}"

    return judge


def written(row: Row, folder: Path, version: str) -> bool:
    """All report files of a row, in a folder; False if there is no verdict in time."""
    witnesses = ["--graphml-witness", f"{folder}/w.graphml", "--witness", f"{folder}/w.yml", "--witness-version", version]
    files = ["--sarif", f"{folder}/s.sarif", "--junit", f"{folder}/j.xml", *([] if row.prop in RUNS else witnesses)]
    who = [] if row.prop in RUNS else ["--engine", "explicit"]
    with (folder / "t.json").open("w") as out, (folder / "errors").open("w") as err:
        return in_child(["check", *who, "--json", "--timeout", "30", *files, *row.arguments()], out.fileno(), err.fileno()) in (0, 5, 10)


def judges(row: Row, version: str, args: argparse.Namespace) -> Iterator[tuple[str, str, Judge]]:
    """For each file that should be there: a word for the count, its name, who judges it."""
    yield "JSON", "t.json", complaint(TRACE, json.loads)
    yield "SARIF", "s.sarif", complaint(SARIF, json.loads)
    if args.schema:
        yield "SARIF, official schema", "s.sarif", complaint(json.loads(args.schema.read_text()), json.loads)
    yield "JUnit", "j.xml", well_formed
    if row.prop not in RUNS and row.verdict != "UNKNOWN":
        kind = correctness(version) if row.verdict == "TRUE" else violation(version)
        yield f"YAML {version}", "w.yml", complaint(kind, yaml.safe_load)
        yield "GraphML", "w.graphml", linted(args.linter, row) if args.linter else well_formed


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.reports", description=__doc__.split("\n")[0])
    parser.add_argument("words", nargs="*", help="only rows whose name contains all of these")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth row")
    parser.add_argument("--schema", type=Path, help="the official schema of SARIF 2.1.0")
    parser.add_argument("--linter", type=Path, help="the linter of GraphML witnesses, witnesslinter.py")
    args = parser.parse_args(argv)
    good: Counter[str] = Counter()
    wrong = 0
    warm_up()
    for row in [r for r in rows() if all(word in r.name for word in args.words)][:: args.every]:
        for version in ("2.0", "2.2"):
            with tempfile.TemporaryDirectory() as folder:
                if not written(row, Path(folder), version):
                    print(f"no verdict: {row.name}", flush=True)
                    break
                for word, name, judge in judges(row, version, args):
                    said = judge(Path(folder, name)) if Path(folder, name).exists() else "not written"
                    good[word] += not said
                    wrong += bool(said)
                    if said:
                        print(f"{word}: {row.name}: {said}", flush=True)
    print(", ".join(f"{count} {word}" for word, count in sorted(good.items())) + f" valid; {wrong} not")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The unsafe tasks of folders of the competition, under each bounded encoding with growing bounds.

    python benchmarks/unsafe.py FOLDER... [--encoding E]... [--timeout S] [--sample K] [--jobs N] [--out DIR] [--again]

A task is found if `fsoft check FILE --encoding E --incremental` says FALSE within the limit, start-up included. Prints, per folder and
encoding, how many are found and the average of wall and processor time over all tasks, and how many the best of the encodings finds. With
`--cpu` the limit is one of processor time, for a machine that is busy with other things (wall time: ten times as much). Results
go to DIR (unsafe-results) as they come, and a run that was interrupted goes on from there. Exits with 1 if a task is proved safe.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.contest import Result, Tool, find_tasks, fsoft_tool, sample  # noqa: E402
from benchmarks.svcomp import collect, exit_code  # noqa: E402

ENCODINGS = ("tcbmc", "lazy", "mu")


def main(argv: Sequence[str] | None = None) -> int:
    args = _parser().parse_args(argv)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an fsoft that is installed has its byte code
    tasks = sample([task for task in find_tasks(args.folders) if task.expected == "FALSE"], args.sample)
    if not tasks:
        print("no unsafe tasks", file=sys.stderr)
        return 2
    limit, args.timeout = args.timeout, args.timeout * (10 if args.cpu else 1)
    tools = [_tool(name, args.timeout, args.memory) for name in args.encoding or ENCODINGS]
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    results = collect(args, tools, tasks, out / "log.jsonl", limit if args.cpu else None)
    for one in results:
        if (one.cpu if args.cpu else one.wall) > limit:
            one.verdict, one.how = "UNKNOWN", "out of time"
    print(table([tool.name for tool in tools], results))
    return exit_code(results)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folders", nargs="+", metavar="FOLDER", help="folders with tasks, or tasks")
    parser.add_argument("--encoding", action="append", choices=ENCODINGS, metavar="E", help="one of tcbmc, lazy, mu (again for more; all)")
    parser.add_argument("--timeout", type=float, default=60.0, metavar="S", help="seconds for each run (60)")
    parser.add_argument("--cpu", action="store_true", help="the limit is one of processor time")
    parser.add_argument("--memory", type=int, default=4000, metavar="MB", help="megabytes for each run (4000)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="tasks at a time (1)")
    parser.add_argument("--sample", type=int, metavar="K", help="only K tasks, evenly spread")
    parser.add_argument("--out", default="unsafe-results", metavar="DIR", help="where the results go (unsafe-results)")
    parser.add_argument("--again", action="store_true", help="do not go on from an earlier log")
    return parser


def _tool(encoding: str, timeout: float, memory: int) -> Tool:
    return Tool(encoding, fsoft_tool(timeout, memory, ["--encoding", encoding, "--incremental"]).command)


def table(tools: Sequence[str], results: list[Result]) -> str:
    """Markdown: per folder what each tool found, how long a task took, and what the best found; then what some tool left open."""
    lines = ["| folder | tasks | " + " | ".join(f"{tool} | wall s | cpu s" for tool in tools) + " | best |"]
    lines.append("|---|---:|" + "---:|" * (3 * len(tools) + 1))
    for folder in [*sorted({one.folder for one in results}), "all"]:
        rows = [one for one in results if folder in (one.folder, "all")]
        found = {one.task for one in rows if one.judgement == "right"}
        cells = [cell for tool in tools for cell in _cells([one for one in rows if one.tool == tool])]
        lines.append(f"| {' | '.join([folder, str(len({one.task for one in rows})), *cells, str(len(found))])} |")
    left = [f"- `{one.task}`: {one.tool}: {one.how}, {one.wall:.1f} s" for one in results if one.judgement == "unknown"]
    return "\n".join([*lines, "", *(["Not found:", "", *sorted(left), ""] if left else [])])


def _cells(rows: list[Result]) -> list[str]:
    found, count = sum(one.judgement == "right" for one in rows), max(1, len(rows))
    asked = "" if found == len(rows) else f" of {len(rows)}"
    return [f"{found}{asked}", f"{sum(one.wall for one in rows) / count:.2f}", f"{sum(one.cpu for one in rows) / count:.2f}"]


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    sys.exit(main())

"""The competition: `fsoft check` on tasks with known verdicts, beside any other command.

    python benchmarks/svcomp.py FOLDER... [--peer 'NAME=COMMAND {file}']... [--timeout S] [--memory MB] [--jobs N] [--sample K]
                                [--out DIR] [--options '...'] [--again]

The verdict is in the name of a task (`_true-unreach-call`, `_false-unreach-call`, `_true.i`). All tools run on a task one after the other,
each within the limits; `--jobs` tasks at a time. Results go to DIR (svcomp-results) as they come: `log.jsonl`, from which a run that was
interrupted goes on, `results.csv`, `table.md`, `cactus.svg` and, with a peer, `scatter.svg`. Exits with 1 if a verdict is wrong.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import shlex
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, fields
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.contest import Result, Task, Tool, end_all, find_tasks, fsoft_tool, peer_tool, run, sample  # noqa: E402
from benchmarks.plots import cactus, scatter  # noqa: E402

_SLOWEST = 5


def main(argv: Sequence[str] | None = None) -> int:
    args = _parser().parse_args(argv)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    tasks = sample(find_tasks(args.folders), args.sample)
    if not tasks:
        print("no tasks with a verdict in their name", file=sys.stderr)
        return 2
    tools = [fsoft_tool(args.timeout, args.memory, shlex.split(args.options)), *map(peer_tool, args.peer)]
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    results = collect(args, tools, tasks, out / "log.jsonl")
    _write(out, tools, results, args.timeout)
    print(table(tools, results))
    return exit_code(results)


def exit_code(results: Sequence[Result]) -> int:
    """1 if an answer is wrong; each that is is printed."""
    wrong = [one for one in results if one.judgement == "wrong"]
    for one in wrong:
        print(f"wrong: {one.tool}: {one.task}: {one.verdict} ({one.how})")
    return 1 if wrong else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folders", nargs="+", metavar="FOLDER", help="folders with tasks, or tasks")
    parser.add_argument("--peer", action="append", default=[], metavar="CMD", help="another command: 'name=cmd {file}' (again for more)")
    parser.add_argument("--timeout", type=float, default=60.0, metavar="S", help="seconds for each run (60)")
    parser.add_argument("--memory", type=int, default=8000, metavar="MB", help="megabytes for each run (8000)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="tasks at a time (1: each may use all cores)")
    parser.add_argument("--sample", type=int, metavar="K", help="only K tasks, evenly spread")
    parser.add_argument("--out", default="svcomp-results", metavar="DIR", help="where the results go (svcomp-results)")
    parser.add_argument("--options", default="", metavar="'...'", help="further options of fsoft check")
    parser.add_argument("--again", action="store_true", help="do not go on from an earlier log")
    return parser


# ---------------------------------------------------------------- running


def collect(args: argparse.Namespace, tools: list[Tool], tasks: list[Task], log: Path, cpu_limit: float | None = None) -> list[Result]:
    """All results, those of the log first; new ones are added to it as they come. `cpu_limit`: seconds of the processor for each run."""
    if args.again:
        log.unlink(missing_ok=True)
    known = {(one.tool, one.task): one for one in read_log(log)}
    todo = [task for task in tasks if any((tool.name, task.name) not in known for tool in tools)]
    done, started = len(tasks) - len(todo), time.monotonic()

    def work(task: Task) -> list[Result]:
        return [run(tool, task, args.timeout, args.memory, cpu_limit) for tool in tools if (tool.name, task.name) not in known]

    with log.open("a", encoding="utf-8") as file:
        for results in _in_parallel(work, todo, args.jobs):
            for one in results:
                known[one.tool, one.task] = one
                file.write(json.dumps(asdict(one)) + "\n")
                file.flush()
            done += 1
            _bar(done, len(tasks), [one for one in known.values() if one.tool == tools[0].name], time.monotonic() - started)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    names = {tool.name for tool in tools}, {task.name for task in tasks}
    return [one for one in known.values() if one.tool in names[0] and one.task in names[1]]


def _in_parallel(work: Callable[[Task], list[Result]], tasks: list[Task], jobs: int) -> Iterator[list[Result]]:
    """The results of the tasks as they come, `jobs` at a time."""
    with ThreadPoolExecutor(jobs) as pool:
        queue = iter(tasks)
        running: set[Future[list[Result]]] = {pool.submit(work, task) for _, task in zip(range(jobs), queue)}
        try:
            while running:
                finished, running = wait(running, return_when=FIRST_COMPLETED)
                for one in finished:
                    for task in [task for task in [next(queue, None)] if task is not None]:
                        running.add(pool.submit(work, task))
                    yield one.result()
        except BaseException:
            end_all()
            raise


def read_log(log: Path) -> list[Result]:
    """What an earlier run has written; a line that it did not finish is not there."""
    if not log.exists():
        return []
    found = []
    for line in log.read_text(encoding="utf-8").splitlines():
        try:
            found.append(Result(**json.loads(line)))
        except (ValueError, TypeError):
            continue
    return found


def _bar(done: int, total: int, results: list[Result], seconds: float) -> None:
    if not sys.stderr.isatty():
        return
    counts = {what: sum(one.judgement == what for one in results) for what in ("right", "wrong", "unknown")}
    filled = 30 * done // total
    said = ", ".join(f"{count} {what}" for what, count in counts.items())
    print(f"\r\x1b[K[{'#' * filled}{'.' * (30 - filled)}] {done}/{total}  {said}  {seconds:.0f} s", end="", file=sys.stderr, flush=True)


# ---------------------------------------------------------------- reporting


def table(tools: list[Tool], results: list[Result]) -> str:
    """Markdown: per folder and tool, what was right, and the time; then the slowest tasks."""
    folders = sorted({one.folder for one in results})
    lines = ["| folder | tool | tasks | right true | right false | wrong | unknown | wall s | cpu s | wall s, average |"]
    lines.append("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for folder in [*folders, "all"]:
        for tool in tools:
            lines.append(_row(folder, tool.name, [r for r in results if r.tool == tool.name and folder in (r.folder, "all")]))
    both = _both(tools, results)
    lines += ["", *both, *_slowest(tools[0], results)]
    return "\n".join(lines) + "\n"


def _row(folder: str, tool: str, rows: list[Result]) -> str:
    true = [r for r in rows if r.expected == "TRUE"]
    false = [r for r in rows if r.expected == "FALSE"]
    wall, cpu = sum(r.wall for r in rows), sum(r.cpu for r in rows)
    cells = [folder, tool, str(len(rows)), f"{_right(true)} of {len(true)}", f"{_right(false)} of {len(false)}"]
    cells += [str(sum(r.judgement == what for r in rows)) for what in ("wrong", "unknown")]
    cells += [f"{wall:.0f}", f"{cpu:.0f}", f"{wall / max(1, len(rows)):.2f}"]
    return f"| {' | '.join(cells)} |"


def _right(rows: list[Result]) -> int:
    return sum(r.judgement == "right" for r in rows)


def _both(tools: list[Tool], results: list[Result]) -> list[str]:
    """For each peer: the times of both on the tasks that both solve."""
    lines = []
    by_tool = {tool.name: {r.task: r for r in results if r.tool == tool.name and r.judgement == "right"} for tool in tools}
    ours = by_tool[tools[0].name]
    for tool in tools[1:]:
        common = [(ours[task], theirs) for task, theirs in by_tool[tool.name].items() if task in ours]
        mine, other = sum(a.wall for a, _ in common), sum(b.wall for _, b in common)
        lines.append(f"On the {len(common)} tasks that both solve: {tools[0].name} {mine:.0f} s, {tool.name} {other:.0f} s.")
    return [*lines, ""] if lines else []


def _slowest(tool: Tool, results: list[Result]) -> list[str]:
    rows = sorted((r for r in results if r.tool == tool.name and r.judgement == "right"), key=lambda r: -r.wall)[:_SLOWEST]
    return ["Slowest right answers:", "", *(f"- `{r.task}`: {r.verdict}, {r.wall:.1f} s wall, {r.cpu:.1f} s cpu, {r.how}" for r in rows)]


def _write(out: Path, tools: list[Tool], results: list[Result], limit: float) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [field.name for field in fields(Result)]
    writer.writerow([*names, "judgement"])
    writer.writerows([*(getattr(one, name) for name in names), one.judgement] for one in sorted(results, key=lambda r: (r.task, r.tool)))
    _replace(out / "results.csv", text.getvalue())
    _replace(out / "table.md", table(tools, results))
    right = {tool.name: [r.wall for r in results if r.tool == tool.name and r.judgement == "right"] for tool in tools}
    _replace(out / "cactus.svg", cactus(right))
    if len(tools) > 1:
        times = {(r.tool, r.task): r.wall if r.judgement == "right" else limit for r in results}
        tasks = {r.task: r.expected == "TRUE" for r in results}
        one, other = tools[0].name, tools[1].name
        _replace(out / "scatter.svg", scatter([(times[one, t], times[other, t], safe) for t, safe in tasks.items()], one, other, limit))


def _replace(path: Path, text: str) -> None:
    """Written whole or not at all."""
    new = path.with_name(path.name + ".new")
    new.write_text(text, encoding="utf-8")
    os.replace(new, path)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    sys.exit(main())

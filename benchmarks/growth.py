"""How time and formulas grow: `python benchmarks/growth.py [--encoding E ...] [--quick] [--no-answers] [--svg FOLDER]`.

Three programs that scale, each encoding: against unwinding (1..50), threads (2..16), contexts (2..20; rounds and writes for the encodings
that count those) and the size of an array (4..256). For each curve the exponent of a power law fitted to its upper half (log-log least
squares): of the number of clauses, of the processor time from C to clauses, and of the time of the SAT solver, for which there is no theory
but the exponential one. A formula that takes more processor time than --timeout ends its curve, an answer that does ends the
curve of answers. Exits with 1 if the size or the time of making a formula grows faster than its theory says.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.formulas import FORMULAS, formula_of, size_of  # noqa: E402
from benchmarks.measured import PROGRAMS, table  # noqa: E402
from fsoft.ask.by_name import encoding_of  # noqa: E402
from fsoft.ask.circuits import ask  # noqa: E402
from fsoft.bounded.given import Given  # noqa: E402
from fsoft.passes.unwind import Bounds  # noqa: E402

WHOLE = {
    "unwinding": (1, 2, 4, 8, 16, 32, 50),
    "threads": (2, 3, 4, 6, 8, 12, 16),
    "contexts": (2, 4, 6, 8, 12, 16, 20),
    "array": (4, 8, 16, 32, 64, 128, 256),
}
QUICK = {what: sizes[:4] for what, sizes in WHOLE.items()}
THEORY = {"unwinding": 2.0, "threads": 2.0, "contexts": 2.0, "array": 1.0}
"""Clauses: every thread's steps times what each of them can see, which is linear in each of steps, threads, contexts and cells; unwinding
and threads also add to what is guessed, hence their square."""
OF_ENCODING = {("schedule", "threads"): 3.0}
"""`schedule` merges the words of a state at every location of a thread in every context: the locations of the thread that creates the
others, the words of their descriptors and the contexts are each linear in the number of threads."""
_NOISE = 0.25


@dataclass(frozen=True, slots=True)
class Point:
    """`made`: seconds from C to clauses. `answered`: seconds of the SAT solver; None: not asked, or not in time."""

    size: int
    clauses: int
    made: float
    answered: float | None = None


def _bound(name: str, count: int) -> Given:
    """`count` contexts in the words of the encoding."""
    fields = {"tcbmc": "contexts", "lazy": "rounds", "mu": "writes", "schedule": "context_bound"}
    return encoding_of(name).bounds(**{fields[name]: count})  # type: ignore[arg-type]


def _question(what: str, name: str, size: int) -> tuple[str, Given, tuple[str, ...]]:
    if what == "unwinding":
        return "fibonacci.c", encoding_of(name).bounds(loops=Bounds(unwind=size)), (f"ROUNDS={size}",)
    if what == "threads":
        return "counter.c", encoding_of(name).bounds(), (f"THREADS={size}", "ROUNDS=1")
    if what == "contexts":
        return "fibonacci.c", _bound(name, size), ("ROUNDS=4",)
    return "ring.c", encoding_of(name).bounds(), (f"SIZE={size}",)


def _work(what: str, name: str, size: int, timeout: float, asked: bool, out: Connection) -> None:
    """Sends the Point without, then with an answer."""
    limit = resource.RLIMIT_CPU
    resource.setrlimit(limit, (math.ceil(timeout), resource.RLIM_INFINITY))
    file, given, define = _question(what, name, size)
    start = time.process_time()
    model = formula_of(str(PROGRAMS / file), name, given, define)
    found = Point(size, size_of(model).clauses, time.process_time() - start)
    out.send(found)
    if asked:
        resource.setrlimit(limit, (math.ceil(time.process_time() + timeout), resource.RLIM_INFINITY))
        start = time.process_time()
        ask(model, "sat", lambda _depth: None, None, {})
        out.send(replace(found, answered=time.process_time() - start))


def point(what: str, name: str, size: int, timeout: float, asked: bool) -> Point | None:
    """One point of a curve, measured in a process of its own; None past the limit. `asked`: with the time of the answer."""
    mine, theirs = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=_work, args=(what, name, size, timeout, asked, theirs))
    child.start()
    theirs.close()
    found = None
    try:
        while True:
            found = mine.recv()
    except EOFError:  # it has ended, or died of its limit
        pass
    child.join()
    return found


def curve(what: str, name: str, sizes: tuple[int, ...], timeout: float, answers: bool) -> list[Point]:
    """The points until one takes too long, with answers as long as they are wanted and come in time."""
    points: list[Point] = []
    for size in sizes:
        found = point(what, name, size, timeout, answers and (not points or points[-1].answered is not None))
        if found is None:
            break
        points.append(found)
        times = f"{found.made:.2f} s to make, {'-' if found.answered is None else f'{found.answered:.2f} s'} to answer"
        print(f"{what} {size} {name}: {found.clauses:,} clauses, {times}", file=sys.stderr, flush=True)
    return points


def exponent(points: list[Point], value: Callable[[Point], float]) -> float | None:
    """The slope of log(value) over log(size) in the upper half of the curve."""
    upper = points[len(points) // 2 - 1 :] if len(points) > 2 else points
    if len(upper) < 2:
        return None
    xs, ys = [math.log(p.size) for p in upper], [math.log(max(value(p), 1e-3)) for p in upper]
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - mx) * (y - my) for x, y in zip(xs, ys, strict=True)) / sum((x - mx) ** 2 for x in xs)


def svg(title: str, curves: dict[str, list[tuple[int, float]]]) -> str:
    """Values over sizes, both on logarithmic axes."""
    every = [(math.log(x), math.log(y)) for points in curves.values() for x, y in points]
    width, height, margin = 560, 360, 50
    (low_x, high_x), (low_y, high_y) = ((min(p[k] for p in every), max(p[k] for p in every)) for k in (0, 1))

    def at(size: int, value: float) -> str:
        x = margin + (math.log(size) - low_x) / (high_x - low_x or 1) * (width - 2 * margin)
        y = height - margin - (math.log(value) - low_y) / (high_y - low_y or 1) * (height - 2 * margin)
        return f"{x:.1f},{y:.1f}"

    colours = ("#1b6ca8", "#c8553d", "#3a7d44", "#7b4b94", "#b08900")
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"><title>{title}</title>']
    lines.append(f'<rect width="{width}" height="{height}" fill="white"/><text x="{margin}" y="24" font-family="sans-serif">{title}</text>')
    for k, (name, points) in enumerate(curves.items()):
        colour, path = colours[k % len(colours)], " ".join(at(*p) for p in points)
        lines.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{path}"/>')
        lines.append(f'<text x="{width - margin - 60}" y="{50 + 18 * k}" fill="{colour}" font-family="sans-serif">{name}</text>')
    labels = f"{math.exp(low_x):.0f} .. {math.exp(high_x):.0f}; {math.exp(low_y):,.3g} .. {math.exp(high_y):,.3g}"
    lines.append(f'<text x="{margin}" y="{height - 15}" font-family="sans-serif" font-size="12">{labels}</text>')
    return "\n".join([*lines, "</svg>\n"])


def _draw(folder: Path, what: str, curves: dict[str, list[Point]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    kinds: dict[str, Callable[[Point], float | None]] = {
        "clauses": lambda p: p.clauses, "seconds to make": lambda p: p.made, "seconds to answer": lambda p: p.answered,
    }  # fmt: skip
    for kind, value in kinds.items():
        drawn = {name: [(p.size, max(y, 1e-3)) for p in points for y in [value(p)] if y is not None] for name, points in curves.items()}
        drawn = {name: points for name, points in drawn.items() if points}
        if drawn:
            path = folder / f"growth-{what}-{kind.split()[-1]}.svg"
            path.write_text(svg(f"{kind} against {what}", drawn), encoding="utf-8")


def _text(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _row(what: str, name: str, points: list[Point]) -> tuple[list[str], bool]:
    """The row of a curve, and whether it is worse than its theory says."""
    theory = OF_ENCODING.get((name, what), THEORY[what])
    clauses, made = exponent(points, lambda p: p.clauses), exponent(points, lambda p: p.made)
    answered = exponent([p for p in points if p.answered is not None], lambda p: p.answered or 0.0)
    worse = any(slope is not None and slope > theory + _NOISE for slope in (clauses, made))
    last = f"{points[-1].size}: {points[-1].clauses:,} clauses, {points[-1].made:.1f} s" if points else "none"
    return [what, name, _text(clauses), _text(made), f"{theory:g}", _text(answered), last], worse


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--encoding", action="append", default=[], choices=FORMULAS)
    parser.add_argument("--what", action="append", default=[], choices=tuple(WHOLE))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--timeout", type=float, default=60, metavar="S", help="processor seconds to make a formula, and to answer it (60)")
    parser.add_argument("--no-answers", dest="answers", action="store_false", help="make formulas only")
    parser.add_argument("--svg", metavar="FOLDER")
    args = parser.parse_args()
    rows = []
    for what, sizes in (QUICK if args.quick else WHOLE).items():
        if args.what and what not in args.what:
            continue
        curves = {name: curve(what, name, sizes, args.timeout, args.answers) for name in args.encoding or FORMULAS}
        rows += [_row(what, name, points) for name, points in curves.items()]
        if args.svg:
            _draw(Path(args.svg), what, curves)
    head = ["against", "encoding", "exponent of clauses", "of the time to make them", "theory", "of the time to answer", "largest"]
    print(table(head, [row for row, _ in rows]))
    worse = sum(bad for _, bad in rows)
    print(f"{worse} curves worse than their theory")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())

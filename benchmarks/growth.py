"""How time and formulas grow: `python benchmarks/growth.py [--encoding E ...] [--quick] [--svg FOLDER]`.

Three programs that scale, each encoding: against unwinding (1..50), threads (2..16), contexts (2..20; rounds and writes for the encodings
that count those) and the size of an array (4..256). For each curve the exponent of a power law fitted to its upper half (log-log least
squares): of the number of clauses, and of the processor time from the Program to the answer. A point that takes longer than --timeout
ends its curve.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.formulas import FORMULAS, formula_of, size_of  # noqa: E402
from benchmarks.measured import PROGRAMS, table  # noqa: E402
from fsoft.bounded.given import Given  # noqa: E402
from fsoft.decide import ask  # noqa: E402
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


@dataclass(frozen=True, slots=True)
class Point:
    size: int
    clauses: int
    seconds: float


def _bound(name: str, count: int) -> Given:
    """`count` contexts in the words of the encoding."""
    fields = {"tcbmc": "contexts", "lazy": "rounds", "mu": "writes", "schedule": "context_bound"}
    return Given(**{fields[name]: count})  # type: ignore[arg-type]


def _question(what: str, name: str, size: int) -> tuple[str, Given, tuple[str, ...]]:
    if what == "unwinding":
        return "fibonacci.c", Given(loops=Bounds(unwind=size)), (f"ROUNDS={size}",)
    if what == "threads":
        return "counter.c", Given(), (f"THREADS={size}", "ROUNDS=1")
    if what == "contexts":
        return "fibonacci.c", _bound(name, size), ("ROUNDS=4",)
    return "ring.c", Given(), (f"SIZE={size}",)


def _work(what: str, name: str, size: int, timeout: float, out: Connection) -> None:
    file, given, define = _question(what, name, size)
    start = time.process_time()
    model = formula_of(str(PROGRAMS / file), name, given, define)
    built = time.process_time() - start
    clauses = size_of(model).clauses
    start = time.process_time()
    ask(model, "sat", lambda _depth: None, timeout, {})
    out.send(Point(size, clauses, built + time.process_time() - start))


def point(what: str, name: str, size: int, timeout: float) -> Point | None:
    """One point of a curve, measured in a process of its own; None past the limit."""
    mine, theirs = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=_work, args=(what, name, size, timeout, theirs))
    child.start()
    theirs.close()
    found = None
    if mine.poll(timeout):
        try:
            found = mine.recv()
        except EOFError:
            found = None
    child.kill()
    child.join()
    return found


def exponent(points: list[Point], value: Callable[[Point], float]) -> float | None:
    """The slope of log(value) over log(size) in the upper half of the curve."""
    upper = points[len(points) // 2 - 1 :] if len(points) > 2 else points
    if len(upper) < 2:
        return None
    xs, ys = [math.log(p.size) for p in upper], [math.log(max(value(p), 1e-3)) for p in upper]
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - mx) * (y - my) for x, y in zip(xs, ys, strict=True)) / sum((x - mx) ** 2 for x in xs)


def svg(title: str, curves: dict[str, list[Point]]) -> str:
    """The number of clauses over the size, both on logarithmic axes."""
    every = [p for points in curves.values() for p in points]
    width, height, margin = 560, 360, 50
    low_x, high_x = math.log(min(p.size for p in every)), math.log(max(p.size for p in every))
    low_y, high_y = math.log(min(p.clauses for p in every)), math.log(max(p.clauses for p in every))

    def at(p: Point) -> str:
        x = margin + (math.log(p.size) - low_x) / (high_x - low_x or 1) * (width - 2 * margin)
        y = height - margin - (math.log(p.clauses) - low_y) / (high_y - low_y or 1) * (height - 2 * margin)
        return f"{x:.1f},{y:.1f}"

    colours = ("#1b6ca8", "#c8553d", "#3a7d44", "#7b4b94", "#b08900")
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"><title>{title}</title>']
    lines.append(f'<rect width="{width}" height="{height}" fill="white"/><text x="{margin}" y="24" font-family="sans-serif">{title}</text>')
    for k, (name, points) in enumerate(curves.items()):
        if points:
            colour, path = colours[k % len(colours)], " ".join(at(p) for p in points)
            lines.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{path}"/>')
            lines.append(f'<text x="{width - margin - 60}" y="{50 + 18 * k}" fill="{colour}" font-family="sans-serif">{name}</text>')
    labels = f"{min(p.size for p in every)} .. {max(p.size for p in every)}; clauses {min(p.clauses for p in every):,} .. "
    labels += f"{max(p.clauses for p in every):,}"
    lines.append(f'<text x="{margin}" y="{height - 15}" font-family="sans-serif" font-size="12">{labels}</text>')
    return "\n".join([*lines, "</svg>\n"])


def _text(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--encoding", action="append", default=[], choices=FORMULAS)
    parser.add_argument("--what", action="append", default=[], choices=tuple(WHOLE))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--svg", metavar="FOLDER")
    args = parser.parse_args()
    rows, worse = [], 0
    for what, sizes in (QUICK if args.quick else WHOLE).items():
        if args.what and what not in args.what:
            continue
        curves: dict[str, list[Point]] = {}
        for name in args.encoding or FORMULAS:
            points = curves[name] = []
            for size in sizes:
                found = point(what, name, size, args.timeout)
                if found is None:
                    break
                points.append(found)
                print(f"{what} {size} {name}: {found.clauses:,} clauses, {found.seconds:.2f} s", file=sys.stderr, flush=True)
            slope = exponent(points, lambda p: p.clauses)
            worse += slope is not None and slope > THEORY[what] + 0.25
            last = f"{points[-1].size}: {points[-1].clauses:,} clauses, {points[-1].seconds:.1f} s" if points else "none"
            rows.append([what, name, _text(slope), f"{THEORY[what]:g}", _text(exponent(points, lambda p: p.seconds)), last])
        if args.svg and any(curves.values()):
            Path(args.svg).mkdir(parents=True, exist_ok=True)
            (Path(args.svg) / f"growth-{what}.svg").write_text(svg(f"clauses against {what}", curves))
    print(table(["against", "encoding", "exponent of clauses", "theory", "exponent of time", "largest"], rows))
    print(f"{worse} curves worse than their theory")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())

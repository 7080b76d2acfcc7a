"""What the reductions save, and what they cost.

    python benchmarks/reduction.py [NAME...] [--timeout S] [--depth N] [--no-bmc] [--results FILE] [--markdown]

For each program and each setting (none, none with the constraint that somebody moves if somebody can, which all reductions have, cstub,
cstub with lockset, cstub with lock-pattern, peephole, monotonic): states and transitions of the explorer; AIG nodes of the circuit and
seconds to build it from the C text, each with the reduction's share of it; clauses, conflicts, seconds and peak memory of bounded model
checking (to the violation, or to `--depth` steps), and clauses and seconds of the same without the values of words in each frame
(`--no-frames`). Seconds are processor time, those of `--timeout` too; a cell that takes longer is `> S`. Each cell is measured in a
process of its own. With `--results` what is known is kept in a file, and a run that was stopped goes on from there. Lines at the end say
where the reduction's part is more than 30%, and what it saves there. The exit code is 1 if two settings contradict each other.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import exp, log
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

MOVING = ("none", "moving")
SETTINGS = (
    ("none", "none"), MOVING, ("cstub", "none"), ("cstub", "lockset"), ("cstub", "lock-pattern"), ("peephole", "none"),
    ("monotonic", "none"),
)  # fmt: skip
_FRAMES = (0, 4)  # settings that are asked without the values of words, too
_MOST = 0.30  # of the circuit, and of the time to build it

PHILOSOPHERS = """#include <pthread.h>
#include <assert.h>
static pthread_mutex_t fork_of[N];
static int in_use[N];
static void *philosopher(void *arg) {
    int left = (int)(long)arg, right = (left + 1) % N;
    pthread_mutex_lock(&fork_of[left]);
    pthread_mutex_lock(&fork_of[right]);
    assert(!in_use[left] && !in_use[right]);
    in_use[left] = in_use[right] = 1;
    in_use[left] = in_use[right] = 0;
    pthread_mutex_unlock(&fork_of[right]);
    pthread_mutex_unlock(&fork_of[left]);
    return 0;
}
int main(void) {
    pthread_t t[N];
    for (long i = 0; i < N; i++) pthread_create(&t[i], 0, philosopher, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
    return 0;
}
"""

PROGRAMS: dict[str, tuple[str, tuple[str, ...]]] = {
    **{f"philosophers {n}": (PHILOSOPHERS, (f"N={n}",)) for n in range(2, 7)},
    "figure 1": ("classic/fsoft_figure1.c", ()),
    "figure 1, wrong": ("classic/fsoft_figure1.c", ("LATE_ONE",)),
    "figure 2": ("classic/fsoft_figure2.c", ()),
    "indexer": ("classic/indexer.c", ()),
    "fsbench": ("classic/fsbench.c", ()),
    "fsbench, wrong": ("classic/fsbench.c", ("UNLOCKED",)),
    "account": ("classic/account.c", ()),
    "stack": ("classic/stack.c", ()),
    "twostage, wrong": ("classic/twostage.c", ()),
    "reorder, wrong": ("classic/reorder.c", ()),
    "circular buffer": ("classic/circular_buffer.c", ()),
    "consumer": ("sync/prodcons_cond.c", ()),
    "readers": ("sync/readers_rwlock.c", ()),
    "philosophers, polite": ("sync/philosophers.c", ("POLITE",)),
    "monitor queue": ("sync/monitor_queue.c", ()),
    "work queue": ("threads/workqueue.c", ()),
    "hand over hand": ("locks/list_hand_over_hand.c", ()),
    "daisy, blocks": ("daisy/blocks.c", ("HEAD_LOCK",)),
}
"""Name to C text or a file below models/, and macros."""


def load(name: str) -> Any:
    from fsoft.ask.load import load as read

    text, defines = PROGRAMS[name]
    if "\n" not in text:
        return read([str(ROOT / "models" / text)], bits=64, define=defines)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.c"
        path.write_text(text)
        return read([str(path)], bits=64, define=defines)


# ---------------------------------------------------------------- one measurement, in a process of its own


def reduction_of(setting: int) -> Any:
    from fsoft.program.expr import TRUE
    from fsoft.transactions import NO_REDUCTION, Reduction

    class Moving(Reduction):
        """No thread is left out, but somebody moves while somebody can."""

        def restrict(self, program: Any, seen: Any = None) -> Any:
            return lambda moves: [TRUE] * len(program.threads)

    if SETTINGS[setting] == MOVING:
        return Moving()
    return Reduction(*SETTINGS[setting]) if setting else NO_REDUCTION


def explored(program: Any, setting: int, _depth: int) -> dict[str, Any]:
    from fsoft.checkers.explicit.engine import explore

    verdict = explore(program, choice=reduction_of(setting).choice(program))
    return {"verdict": verdict.last_line(), "states": verdict.stats.states, "transitions": verdict.stats.transitions}


def encoded(program: Any, setting: int, _depth: int) -> dict[str, Any]:
    """The least of some measurements: two, and up to five where they take little."""
    found: dict[str, Any] = {}
    times: list[float] = []
    while len(times) < 2 or (len(times) < 5 and sum(times) < 2):
        start = time.process_time()
        found = _built(program, setting)
        times.append(time.process_time() - start)
    return {**found, "circuit": min(times)}


def _built(program: Any, setting: int) -> dict[str, Any]:
    from fsoft.circuit.bits.bitblast import bitblast
    from fsoft.circuit.encode.narrow import narrow
    from fsoft.circuit.encode.ranges import Ranges

    encoding = reduction_of(setting).circuit(program)
    shapes = Ranges(encoding).shapes()
    return {"nodes": len(bitblast(narrow(encoding.model, shapes) if shapes else encoding.model).aig)}


def bounded(program: Any, setting: int, depth: int, frames: bool = True) -> dict[str, Any]:
    """Clauses and conflicts are summed over all questions of `decide`, narrowing included."""
    import fsoft.checkers.bmc as bmc
    from fsoft.ask.circuits import decide
    from fsoft.solve.sat import Sat

    totals = {"clauses": 0, "conflicts": 0}

    class Counting(Sat):
        def __init__(self, solver: str) -> None:
            super().__init__(solver)
            inner = self.add

            def add(clause: Any) -> None:
                totals["clauses"] += 1
                inner(clause)

            self.add = add

        def close(self) -> None:
            totals["conflicts"] += (self._solver.accum_stats() or {}).get("conflicts", 0)
            super().close()

    setattr(bmc, "Sat", Counting)  # noqa: B010  (a patch)
    start = time.process_time()
    verdict = decide(program, "bmc", reduction=reduction_of(setting), depth=depth, complete=False, solver="glucose4", frames=frames)
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return {"bmc": verdict.last_line(), "depth": verdict.stats.depth, **totals, "seconds": seconds, "megabytes": peak}


def plain(program: Any, setting: int, depth: int) -> dict[str, Any]:
    found = bounded(program, setting, depth, frames=False)
    return {"plain bmc": found["bmc"], "plain clauses": found["clauses"], "plain seconds": found["seconds"]}


Cell = Callable[[Any, int, int], dict[str, Any]]
PARTS: dict[str, tuple[Cell, tuple[str, ...]]] = {
    "explored": (explored, ("states", "transitions")),
    "encoded": (encoded, ("nodes", "build")),
    "bounded": (bounded, ("depth", "clauses", "conflicts", "seconds", "megabytes")),
    "plain": (plain, ("plain clauses", "plain seconds")),
}
"""What is measured together, and the columns it fills."""


def measure(cell: Cell, program: Any, setting: int, depth: int, timeout: float) -> dict[str, Any] | None:
    """The cell in a child; None if it takes longer than that."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        resource.setrlimit(resource.RLIMIT_CPU, (int(timeout) + 1, int(timeout) + 2))
        with os.fdopen(write, "w") as out:
            out.write(json.dumps(cell(program, setting, depth)))
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as given:
        text = given.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return None
    if not text:
        sys.exit(f"reduction: error: a cell of '{SETTINGS[setting]}' ended with {os.waitstatus_to_exitcode(status)}")
    return dict(json.loads(text))


# ---------------------------------------------------------------- what is known already


@dataclass
class Results:
    """One line of JSON per measurement: [program, setting, part, depth, limit, what was found]."""

    path: Path | None
    known: dict[tuple[str, int, str, int, float], dict[str, Any] | None]

    @staticmethod
    def read(path: Path | None) -> Results:
        lines = path.read_text().splitlines() if path is not None and path.exists() else []
        return Results(path, {tuple(row[:5]): row[5] for row in map(json.loads, lines)})  # type: ignore[misc]

    def add(self, key: tuple[str, int, str, int, float], found: dict[str, Any] | None) -> None:
        self.known[key] = found
        if self.path is not None:
            with self.path.open("a") as out:
                out.write(json.dumps([*key, found]) + "\n")


class Program:
    """Read when the first measurement needs it; `seconds` that took."""

    def __init__(self, name: str, results: Results):
        self.name, self.results, self._loaded = name, results, None

    def cell(self, part: str, setting: int, args: argparse.Namespace) -> dict[str, Any] | None:
        key = (self.name, setting, part, args.depth, args.timeout)
        if key not in self.results.known:
            self.results.add(key, measure(PARTS[part][0], self.loaded(args), setting, args.depth, args.timeout))
        return self.results.known[key]

    def loaded(self, args: argparse.Namespace) -> Any:
        if self._loaded is None:
            start = time.process_time()
            self._loaded = load(self.name)
            key = (self.name, 0, "loaded", args.depth, args.timeout)
            if key not in self.results.known:  # again: the first time imports as well
                start = time.process_time()
                load(self.name)
                self.results.add(key, {"load": time.process_time() - start})
        return self._loaded

    def load_seconds(self, args: argparse.Namespace) -> float:
        found = self.results.known.get((self.name, 0, "loaded", args.depth, args.timeout)) or {}
        return float(found.get("load", 0.0))


# ---------------------------------------------------------------- the table


COLUMNS = (
    ("states", "states"), ("transitions", "transitions"), ("nodes", "nodes"), ("node share", "share"), ("build", "build s"),
    ("build share", "share"), ("depth", "depth"), ("clauses", "clauses"), ("conflicts", "conflicts"), ("seconds", "bmc s"),
    ("megabytes", "MB"), ("plain clauses", "no frames: clauses"), ("plain seconds", "s"),
)  # fmt: skip


def parts_of(setting: int, args: argparse.Namespace) -> Iterator[str]:
    if SETTINGS[setting][0] not in ("peephole", "monotonic") and SETTINGS[setting] != MOVING:
        yield "explored"  # the others are for circuits
    yield "encoded"
    if not args.no_bmc:
        yield "bounded"
        if setting in _FRAMES:
            yield "plain"


def row(program: Program, setting: int, args: argparse.Namespace, base: dict[str, Any]) -> dict[str, Any]:
    """All that is known of a setting; shares are of the whole with the reduction in it."""
    found: dict[str, Any] = {}
    for part in parts_of(setting, args):
        got = program.cell(part, setting, args)
        found.update(dict.fromkeys(PARTS[part][1], f"> {args.timeout:g} s") if got is None else got)
    if "circuit" in found:
        found["build"] = program.load_seconds(args) + found["circuit"]
    for what, share in (("nodes", "node share"), ("build", "build share")):
        if all(isinstance(one.get(what), (int, float)) for one in (base, found)):
            found[share] = max(0.0, (found[what] - base[what]) / found[what])
    return found


def label(setting: int) -> str:
    por, kind = SETTINGS[setting]
    return por if kind == "none" else f"{por}, moving" if kind == "moving" else f"+ {kind}"


def show(key: str, value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.0%}" if key.endswith("share") else f"{value:.2f}"
    return "" if value is None else f"{value:,}" if isinstance(value, int) else str(value)


def line(name: str, setting: int, found: dict[str, Any], markdown: bool) -> str:
    """Cells of the same part that took too long are said once."""
    shown = [show(key, found.get(key)) for key, _ in COLUMNS]
    answers = " ".join(dict.fromkeys(str(found[key]) for key in ("verdict", "bmc") if key in found))
    title = name if not setting else ""
    if markdown:
        return "| " + " | ".join([title, label(setting), *shown, answers]) + " |"
    return f"{title:<22} {label(setting):<15} " + " ".join(f"{text:>11}" for text in shown) + f"  {answers}"


def header(markdown: bool) -> str:
    titles = [title for _, title in COLUMNS]
    if markdown:
        return "| " + " | ".join(["program", "reduction", *titles, "answers"]) + " |\n" + "|---" * (len(titles) + 3) + "|"
    return f"{'program':<22} {'reduction':<15} " + " ".join(f"{title:>11}" for title in titles) + "  answers"


def contradicts(rows: list[dict[str, Any]]) -> bool:
    answers = {r.get(key) for r in rows for key in ("verdict", "bmc", "plain bmc")}
    return len(answers - {None, "UNKNOWN"}) > 1


def saved(base: dict[str, Any], found: dict[str, Any]) -> str:
    """What a setting saves compared with none, as far as both are known."""
    out = []
    for key, name in (("transitions", "transitions"), ("conflicts", "conflicts"), ("seconds", "seconds of bmc")):
        old, new = base.get(key), found.get(key)
        if isinstance(new, (int, float)) and isinstance(old, (int, float)) and old:
            out.append(f"{name} {show(key, old)} -> {show(key, new)}")
        elif isinstance(new, (int, float)) and isinstance(old, str):
            out.append(f"{name} {old} -> {show(key, new)}")
    return "; ".join(out) or "nothing that was measured"


def costly(name: str, rows: list[dict[str, Any]]) -> Iterator[str]:
    """Where the reduction is more than 30% of the circuit or of the time to build it, and what it saves there."""
    for setting, found in enumerate(rows):
        over = [f"{share:.0%} of the {what}" for what, key in (("nodes", "node share"), ("time to build", "build share"))
                if (share := found.get(key, 0.0)) > _MOST]  # fmt: skip
        if over:
            yield f"  {name}, {label(setting)}: {', '.join(over)}; it saves {saved(rows[0], found)}"


def mean(ratios: list[float]) -> str:
    return f"{exp(sum(map(log, ratios)) / len(ratios)):.2f} ({len(ratios)} cells)" if ratios else "not measured"


def frames_line(every: list[dict[str, Any]]) -> str:
    """Geometric means of with by without the values of words in frames."""
    both = [r for r in every if isinstance(r.get("clauses"), int) and isinstance(r.get("plain clauses"), int)]
    clauses = mean([r["clauses"] / r["plain clauses"] for r in both if r["plain clauses"]])
    seconds = mean([r["seconds"] / r["plain seconds"] for r in both if r["plain seconds"] > 0])
    return f"values of words in frames: clauses x {clauses}, seconds x {seconds}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"programs (all): {', '.join(PROGRAMS)}")
    parser.add_argument("--timeout", type=float, default=60.0)
    parser.add_argument("--depth", type=int, default=20)
    parser.add_argument("--no-bmc", action="store_true")
    parser.add_argument("--results", type=Path, metavar="FILE", help="keep measurements there, and go on from them")
    parser.add_argument("--markdown", action="store_true")
    args = parser.parse_args()
    unknown = [name for name in args.names if name not in PROGRAMS]
    if unknown:
        parser.error(f"no program '{unknown[0]}'")
    results = Results.read(args.results)
    print(header(args.markdown))
    wrong, flagged, every = [], [], []
    for name in args.names or PROGRAMS:
        program, rows = Program(name, results), list[dict[str, Any]]()
        for setting in range(len(SETTINGS)):
            rows.append(row(program, setting, args, rows[0] if rows else {}))
            print(line(name, setting, rows[-1], args.markdown), flush=True)
        wrong += [name] if contradicts(rows) else []
        flagged += list(costly(name, rows))
        every += rows
    print(f"\nreduction is more than {_MOST:.0%}: {'' if flagged else 'nowhere'}", *flagged, sep="\n")
    print(frames_line(every))
    print("contradictions: " + (", ".join(wrong) or "none"))
    return 1 if wrong else 0


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    sys.exit(main())

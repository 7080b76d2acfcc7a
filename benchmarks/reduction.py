"""What the reductions save, and what they cost.

    python benchmarks/reduction.py [NAME...] [--timeout S] [--depth N] [--no-bmc]

For each program and each setting (none, cstub, cstub with lockset, cstub with lock-pattern, peephole, monotonic): states and transitions
of the explorer; AIG nodes of the circuit and seconds to encode it; clauses, conflicts, seconds and peak memory of bounded model checking
(to the violation, or to `--depth` steps). Seconds are processor time, those of `--timeout` too. Each cell of the table is measured in a
process of its own; `-` is a time-out. A line at the end says where the reduction's part of the circuit is more than 30%. The exit code is
1 if two settings contradict each other.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from fsoft.por.order import ORDERS  # noqa: E402

SETTINGS = (
    ("none", "none"), ("cstub", "none"), ("cstub", "lockset"), ("cstub", "lock-pattern"), ("peephole", "none"), ("monotonic", "none"),
)  # fmt: skip

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
}
"""Name to C text or a file below models/, and macros."""


def load(name: str) -> Any:
    from fsoft.api import load as read

    text, defines = PROGRAMS[name]
    if "\n" not in text:
        return read([str(ROOT / "models" / text)], bits=64, define=defines)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.c"
        path.write_text(text)
        return read([str(path)], bits=64, define=defines)


# ---------------------------------------------------------------- one measurement, in a process of its own


def explored(name: str, setting: int) -> dict[str, Any]:
    from fsoft.properties import explore
    from fsoft.transactions import Reduction

    program = load(name)
    verdict = explore(program, choice=Reduction(*SETTINGS[setting]).choice(program))
    return {"verdict": verdict.last_line(), "states": verdict.stats.states, "transitions": verdict.stats.transitions}


def encoded(name: str, setting: int) -> dict[str, Any]:
    from fsoft.circuit.bitblast import bitblast
    from fsoft.circuit.encode import encode
    from fsoft.circuit.narrow import narrow
    from fsoft.circuit.ranges import Ranges
    from fsoft.transactions import Reduction

    program = load(name)
    start = time.process_time()
    encoding = encode(program, restrict=Reduction(*SETTINGS[setting]).restrict(program))
    shapes = Ranges(encoding).shapes()
    bits = bitblast(narrow(encoding.model, shapes) if shapes else encoding.model)
    return {"nodes": len(bits.aig), "build": time.process_time() - start}


def bounded(name: str, setting: int, depth: int) -> dict[str, Any]:
    """Clauses and conflicts are summed over all questions of `decide`, narrowing included."""
    import checkers.bmc as bmc
    from fsoft.decide import decide
    from fsoft.solve.sat import Sat
    from fsoft.transactions import Reduction

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

    bmc.Sat = Counting  # type: ignore[misc]
    program = load(name)
    start = time.process_time()
    verdict = decide(program, "bmc", reduction=Reduction(*SETTINGS[setting]), depth=depth, complete=False, solver="glucose4")
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return {"bmc": verdict.last_line(), "depth": verdict.stats.depth, **totals, "seconds": seconds, "megabytes": peak}


def measure(what: str, name: str, setting: int, depth: int, timeout: float) -> dict[str, Any]:
    command = [sys.executable, __file__, "--cell", what, name, str(setting), str(depth)]

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (int(timeout) + 1, int(timeout) + 2))

    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit)
    if done.returncode < 0:
        return {}
    if done.returncode:
        sys.exit(f"reduction: error: {name}: {done.stderr.strip().splitlines()[-1:]}")
    return dict(json.loads(done.stdout))


def cell(what: str, name: str, setting: str, depth: str) -> int:
    functions: dict[str, Any] = {"explored": explored, "encoded": encoded}
    found = bounded(name, int(setting), int(depth)) if what == "bounded" else functions[what](name, int(setting))
    print(json.dumps(found))
    return 0


# ---------------------------------------------------------------- the table


COLUMNS = (
    ("states", "states"), ("transitions", "transitions"), ("nodes", "nodes"), ("build", "build s"), ("depth", "depth"),
    ("clauses", "clauses"), ("conflicts", "conflicts"), ("seconds", "bmc s"), ("megabytes", "MB"),
)  # fmt: skip


def show(value: Any) -> str:
    return "-" if value is None else f"{value:.2f}" if isinstance(value, float) else f"{value}"


def row(name: str, setting: int, args: argparse.Namespace) -> dict[str, Any]:
    explorer = [] if SETTINGS[setting][0] in ORDERS else ["explored"]  # the newer reductions are for circuits
    parts = [*explorer, "encoded"] + ([] if args.no_bmc else ["bounded"])
    found: dict[str, Any] = {}
    for part in parts:
        found.update(measure(part, name, setting, args.depth, args.timeout))
    label = SETTINGS[setting][0] if SETTINGS[setting][1] == "none" else f"+ {SETTINGS[setting][1]}"
    cells = " ".join(f"{show(found.get(key)):>11}" for key, _ in COLUMNS)
    print(f"{name if not setting else '':<22} {label:<15} {cells}  {found.get('verdict', '-')} {found.get('bmc', '')}", flush=True)
    return found


def main() -> int:
    if sys.argv[1:2] == ["--cell"]:
        return cell(*sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"programs (all): {', '.join(PROGRAMS)}")
    parser.add_argument("--timeout", type=float, default=120.0)
    parser.add_argument("--depth", type=int, default=25)
    parser.add_argument("--no-bmc", action="store_true")
    args = parser.parse_args()
    unknown = [name for name in args.names if name not in PROGRAMS]
    if unknown:
        parser.error(f"no program '{unknown[0]}'")
    print(f"{'program':<22} {'reduction':<15} " + " ".join(f"{title:>11}" for _, title in COLUMNS) + "  explorer, bmc")
    wrong, costly = [], []
    for name in args.names or PROGRAMS:
        rows = [row(name, setting, args) for setting in range(len(SETTINGS))]
        answers = {v for r in rows for v in (r.get("verdict"), r.get("bmc")) if v not in (None, "UNKNOWN")}
        wrong += [name] if len(answers) > 1 else []
        base = rows[0].get("nodes", 0)
        costly += [f"{name} ({r['nodes'] / base - 1:.0%})" for r in rows[3:4] if base and r.get("nodes", 0) > 1.3 * base]
    print(f"reduction is more than 30% of the circuit: {', '.join(costly) or 'nowhere'}")
    print("contradictions: " + (", ".join(wrong) or "none"))
    return 1 if wrong else 0


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    sys.exit(main())

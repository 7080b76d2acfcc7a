"""Random LTL formulas on random small programs: every engine must agree with the explicit product on the unfolded program.

`python -m tests.fuzz.temporal --count 2000` is the campaign; tests take a slice. It prints how much each way decided and the
mix of verdicts, every hundred pairs and at the end. Four formulas in a row are about one program, which is loaded once. `--rotate` asks
one of the engines about each pair, in turn; `--reducible` takes formulas and fairness that stubborn sets keep.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import groupby
from pathlib import Path

from fsoft.ask.runs import check_circuit, check_explicit, load_watched
from fsoft.program.options import Options
from fsoft.program.program import Program
from fsoft.program.verdict import Limits
from fsoft.properties.ltl import FAIRNESS, Property, TemporalFormula, Text, Watched, read, stutters, watched
from fsoft.transactions import NO_REDUCTION, Reduction

HEAD = """#include <pthread.h>
#include <assert.h>
_Bool __VERIFIER_nondet_bool(void);
void __VERIFIER_assume(int);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void abort(void);
int x, y, z, own; /* own: of the first thread alone, and of the formula */
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
"""
LIMITS = Limits(seconds=10, states=30_000)
FORMULAS = 4
"""So many formulas are put to each program."""
REDUCTION = Reduction("cstub", "lock-pattern")
REDUCED = ", reduced"
"""How the names of ways end that leave interleavings out: they are asked where the property allows that."""


class Programs:
    """Programs of main and one or two threads, with loops that may run for ever."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.first = False

    def condition(self) -> str:
        return self.random.choice(("x", "!y", "z == 1", "x != y", "__VERIFIER_nondet_bool()", "x && z", "y < 2"))

    def simple(self) -> str:
        target = self.random.choice(("x", "y", "z", "own", "own") if self.first else ("x", "y", "z"))
        value = self.random.choice(("0", "1", "2", "!x", "y", f"({target} + 1) % 3", "z == 1"))
        return f"{target} = {value};"

    def statement(self, depth: int) -> str:
        kind = self.random.randrange(18) if depth else self.random.randrange(3)
        if kind < 4:
            return self.simple()
        inner = " ".join(self.statement(depth - 1) for _ in range(self.random.randint(1, 2)))
        return {
            4: f"while ({self.condition()}) {{}}",
            5: f"while ({self.condition()}) {{ {inner} }}",
            6: f"while (1) {{ {inner} }}",
            7: f"if ({self.condition()}) {{ {inner} }} else {{ {self.simple()} }}",
            8: f"pthread_mutex_lock(&m); {inner} pthread_mutex_unlock(&m);",
            9: f"pthread_mutex_lock(&m); {inner} pthread_mutex_unlock(&m);",
            10: "pthread_mutex_lock(&m);",
            11: f"pthread_mutex_lock(&m); while ({self.condition()}) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);",
            12: "pthread_cond_broadcast(&c);",
            13: f"__VERIFIER_assume({self.condition()});",
            14: f"__VERIFIER_atomic_begin(); {self.simple()} {self.simple()} __VERIFIER_atomic_end();",
            15: f"__VERIFIER_atomic_begin(); __VERIFIER_assume({self.condition()}); {self.simple()} __VERIFIER_atomic_end();",
            16: f"assert({self.condition()});",
            17: f"if ({self.condition()}) abort();",
        }[kind]

    def program(self) -> str:
        threads = self.random.randint(1, 2)
        bodies = []
        for number in range(threads):
            self.first = number == 0
            bodies.append(" ".join(self.statement(2) for _ in range(self.random.randint(1, 3))))
        self.first = False
        functions = "".join(f"void *w{k}(void *arg) {{ l{k}: {body} return 0; }}\n" for k, body in enumerate(bodies))
        create = " ".join(f"pthread_create(&t{k}, 0, w{k}, 0);" for k in range(threads))
        join = " ".join(f"pthread_join(t{k}, 0);" for k in range(threads)) if self.random.random() < 0.6 else ""
        declared = ", ".join(f"t{k}" for k in range(threads))
        return f"{HEAD}{functions}int main(void) {{ pthread_t {declared}; {create} {self.statement(1)} {join} return 0; }}\n"


class Formulas:
    """Formulas of a few operators over the globals of `Programs`, and now and then over threads; `reducible`: without what can tell
    steps apart."""

    def __init__(self, seed: int, reducible: bool = False):
        self.random, self.reducible = random.Random(seed), reducible

    def atom(self) -> str:
        pick = self.random
        if pick.random() < 0.25:
            places = ("ended()", "finished(w0)", "holds(w0, m)", "at(w0, l0)", "running(w0)", "enabled(w0)", "running(0)")
            return pick.choice(places[:4] if self.reducible else places)
        return pick.choice(("x", "y == 1", "z < 2", "x == y", "x + z > 1", "!z", "own", "own == 1"))

    def formula(self, depth: int) -> str:
        pick = self.random
        if depth == 0:
            return self.atom()
        kind = pick.randrange(16)
        if kind < 8:
            signs = "FGFGFGOHFG" if self.reducible else "FGFGFGXYOHFG"
            return f"{pick.choice(signs)} ({self.formula(depth - 1)})" if kind < 7 else f"!({self.formula(depth - 1)})"
        sign = pick.choice(("&&", "||", "->", "<->", "U", "R", "W", "S", "->", "U"))
        return f"({self.formula(depth - 1)}) {sign} ({self.formula(depth - 1)})"


@dataclass(slots=True)
class Tally:
    """What a campaign found. `wrong` lists contradictions, with the seed."""

    pairs: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)
    decided: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        mix = ", ".join(f"{kind} {count}" for kind, count in sorted(self.verdicts.items()))
        ways = [f"{way}: {self.decided[way]}/{count} decided" for way, count in sorted(self.asked.items())]
        return [f"{self.pairs} pairs: {mix}", *ways, *self.wrong]


Way = Callable[[Watched, Property], str]


def explicit(watched: Watched, prop: Property, reduction: Reduction = NO_REDUCTION) -> str:
    return check_explicit(watched, prop, LIMITS, reduction=reduction).verdict.kind


def circuit(engine: str, seconds: float, reduction: Reduction = NO_REDUCTION) -> Way:
    return lambda watched, prop: check_circuit(watched, prop, engine, timeout=seconds, reduction=reduction).verdict.kind


def engines_of(names: Sequence[str], seconds: float) -> dict[str, Way]:
    """Each engine as it is, and with stubborn sets."""
    plain = {name: circuit(name, seconds) for name in names}
    return plain | {name + REDUCED: circuit(name, seconds, REDUCTION) for name in names}


def campaign(
    seeds: Iterable[int], engines: dict[str, Way], deadline: float = float("inf"), reducible: bool = False, rotate: bool = False,
    report: Callable[[Tally], None] = lambda _tally: None,
) -> Tally:  # fmt: skip
    """Every engine, or one of them in turn, on every pair (program, formula) of the seeds. `report` hears of every hundredth pair."""
    tally = Tally()
    names = list(dict.fromkeys(name.removesuffix(REDUCED) for name in engines))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "prog.c"
        for number, some in groupby(seeds, lambda seed: seed // FORMULAS):
            props = {seed: formula(seed, reducible) for seed in some}
            path.write_text(Programs(number).program())
            plain, folded = both(path, list(props.values()))
            for seed, prop in props.items():
                if time.monotonic() > deadline:
                    return tally
                turn = names[seed % len(names)] if rotate and names else None
                asked = {name: way for name, way in engines.items() if turn in (None, name.removesuffix(REDUCED))}
                _one(seed, prop, plain, plain if stutters(prop.formula) else folded, asked, tally)
                if tally.pairs % 100 == 0:
                    report(tally)
    return tally


def formula(seed: int, reducible: bool = False) -> Property:
    """The property of a seed."""
    text = Formulas(seed, reducible).formula(1 + seed % 3)
    return read(Text(text), "none" if reducible else FAIRNESS[seed // 3 % 3])


def both(path: Path, props: Sequence[Property]) -> tuple[Watched, Watched]:
    """The program as it is before folding, and after, with the atoms of all properties."""
    seen: list[Program] = []
    atoms = [replace(prop, formula=_all_atoms(prop)) for prop in props]
    folded = load_watched([str(path)], Options(), atoms, after=lambda _name, program: seen.append(program))
    return watched(seen[-2], [reading.watch for reading in folded.readings.values()]), folded


def _all_atoms(prop: Property) -> TemporalFormula:
    """A formula with the atoms of a property that read memory: they do not forbid folding."""
    found = [TemporalFormula("atom", atom=atom) for atom, _ in prop.atoms() if atom.kind in ("c", "holds")]
    return reduce(lambda one, two: TemporalFormula("and", (one, two)), found, TemporalFormula("true"))


def _one(seed: int, prop: Property, plain: Watched, folded: Watched, engines: dict[str, Way], tally: Tally) -> None:
    """Every way must agree with the product on `plain`; `folded` is that if the property can tell steps apart."""
    tally.pairs += 1
    right = explicit(plain, prop)
    tally.verdicts[right] += 1
    ways: dict[str, Way] = {"explicit, folded": explicit} if folded is not plain else {}
    ways["explicit" + REDUCED] = lambda given, asked: explicit(given, asked, REDUCTION)
    for name, way in (ways | engines).items():
        if name.endswith(REDUCED) and prop.unreducible():
            continue
        tally.asked[name] += 1
        found = way(plain if name.endswith(REDUCED) and seed % 2 else folded, prop)
        tally.decided[name] += found != "UNKNOWN"
        if "UNKNOWN" not in (found, right) and found != right:
            tally.wrong.append(f"seed {seed}: {name} says {found}, the product {right}: {prop.source.text} ({prop.fairness})")


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.fuzz.temporal", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--engines", default="bmc,pdr,klive,bdd")
    parser.add_argument("--rotate", action="store_true", help="one of the engines for each pair, in turn")
    parser.add_argument("--reducible", action="store_true", help="only what stubborn sets keep")
    parser.add_argument("--seconds", type=float, default=10, help="of the processor, per pair and engine")
    args = parser.parse_args()
    time.monotonic = time.process_time  # limits do not depend on how busy the machine is
    engines = engines_of([name for name in args.engines.split(",") if name], args.seconds)
    seeds = range(args.start, args.start + args.count)

    def report(tally: Tally) -> None:
        print("\n".join(tally.lines()), flush=True)

    tally = campaign(seeds, engines, reducible=args.reducible, rotate=args.rotate, report=report)
    report(tally)
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""Random calls of library functions: fsoft's verdicts on memory and races beside AddressSanitizer, UndefinedBehaviorSanitizer and
ThreadSanitizer of gcc. `python -m tests.fuzz.library_calls [COUNT [FIRST]]`.

What the sanitizers report, fsoft must find: they are right about what they say. Where they are silent and fsoft answers FALSE, a reason
must be in `BLIND`, or it is a disagreement, too. Values that the compiled program computes must be fsoft's: it answers TRUE if they are
asserted, FALSE if one of them is changed, and never TRUE for a program with undefined behaviour.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random

import fsoft
from tests.fuzz.library.memory import NAMES, Sample, Writer
from tests.fuzz.library.threads import lock_program, race_program

HERE = Path(__file__).parent / "library"
FSOFT_SECONDS = 20
_FLAGS = ("-O0", "-g", "-w", "-std=gnu11", "-pthread", "-fno-builtin", "-DCOMPILED", "-include", str(HERE / "reference.h"))
ADDRESS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
THREAD = ("-fsanitize=thread", "-DSANITIZED_THREAD")
_ENVIRONMENT = {
    "ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=1:allocator_may_return_null=1",
    "TSAN_OPTIONS": "halt_on_error=1",
}
_REPORT = re.compile(r"(?:AddressSanitizer|ThreadSanitizer): ([\w-]+(?: (?!on )[\w-]+)*)|runtime error: ([^\n]*)")
_FREE = ("attempting free", "attempting double-free")
_INSIST = 16
"""How often a program is run again where fsoft sees a race: ThreadSanitizer remembers four accesses to a word and forgets one at random."""
BLIND: dict[tuple[str, str], str] = {
    ("pthread_mutex_init", "locked"): "ThreadSanitizer takes a locked mutex for a new one when it is initialised",
}
"""(function, what is special about the call): why the sanitizers are silent where fsoft is right to answer FALSE."""
UNSEEN = frozenset({"printf", "fprintf", "dprintf", "puts", "fputs", "perror", "write"})
"""What these read is looked at only where memory or races are checked: they may do it wrongly and assertions still be TRUE."""


@dataclass(frozen=True)
class Ran:
    """What a compiled program did: the first report of a sanitizer and the values that it recorded before."""

    report: str | None
    values: dict[int, int]
    ended: bool


def sample(seed: int) -> Sample:
    random = Random(seed)
    kind = random.random()
    if kind < 0.55:
        return Writer(random).program()
    return race_program(random) if kind < 0.92 else lock_program(random)


@cache
def launcher() -> tuple[str, ...]:
    """ThreadSanitizer wants its addresses where they are not randomised."""
    setarch = shutil.which("setarch")
    works = setarch and subprocess.run([setarch, "-R", "true"], capture_output=True).returncode == 0
    return (setarch, "-R") if setarch and works else ()


@cache
def available() -> bool:
    """Whether gcc is here with its sanitizers."""
    if shutil.which("gcc") is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        trivial = Path(folder, "t.c")
        trivial.write_text("int main(void) { return 0; }\n")
        return all(run(build(trivial, flags), None).ended for flags in (ADDRESS, THREAD))


def build(source: Path, flags: tuple[str, ...]) -> Path:
    """The program with `turns.c`, compiled."""
    binary = source.with_suffix("")
    turns = source.with_name("turns.o")
    if not turns.exists():
        subprocess.run(["gcc", "-O0", "-fno-builtin", "-c", str(HERE / "turns.c"), "-o", str(turns)], check=True, capture_output=True)
    done = subprocess.run(["gcc", *_FLAGS, *flags, str(source), str(turns), "-o", str(binary)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"gcc refuses a generated program:\n{done.stderr}")
    return binary


def _limits() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (5, 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(binary: Path, first: int | None, shift: int = 0) -> Ran:
    """Run it; `first` is the thread that does not wait, `shift` changes what ThreadSanitizer forgets."""
    env = {**os.environ, **_ENVIRONMENT, "SHIFT": str(shift)} | ({} if first is None else {"FIRST": str(first)})
    given = b"a" * 200
    try:
        done = subprocess.run([*launcher(), str(binary)], capture_output=True, input=given, timeout=10, env=env, preexec_fn=_limits)
    except subprocess.TimeoutExpired:
        return Ran(None, {}, False)
    text = done.stderr.decode(errors="replace")
    found = _REPORT.search(text)
    values = {int(number): int(value) for number, value in re.findall(r"^@(\d+) (-?\d+)$", text, re.M)}
    return Ran((found[1] or found[2]) if found else None, values, done.returncode == 0)


def sanitized(sample: Sample, source: Path) -> Ran | None:
    """What the sanitizers say; None if the program does not end by itself and nothing is reported."""
    if not sample.threads:
        runs = [run(build(source, ADDRESS), None)]
    else:
        binary = build(source, THREAD)
        runs = [run(binary, first) for first in (() if sample.locks else (0, 1))] or [run(binary, None)]
    reported = next((ran for ran in runs if ran.report), None)
    return reported or (runs[0] if all(ran.ended for ran in runs) else None)


# ------------------------------------------------------------------------------------------------- fsoft


def ask(source: Path, checks: tuple[str, ...], define: tuple[str, ...] = (), race_model: str | None = None) -> str:
    """The last line of fsoft's answer."""
    loaded = fsoft.load(source, bits=64, define=define)
    return str(loaded.check(*checks, engine="explicit", timeout=FSOFT_SECONDS, race_model=race_model, shorten=False))


def expected(sample: Sample, ran: Ran, wrong: int | None = None) -> tuple[str, ...]:
    """Macros with the values that were recorded; one of them changed."""
    return tuple(f"EXPECTED_{i}={ran.values.get(i, 0) + (i == wrong)}L" for i in range(sample.values))


@dataclass
class Answers:
    """What fsoft says about one program, each with what it should say."""

    sample: Sample
    ran: Ran
    asked: list[tuple[str, str, str]] = field(default_factory=list)

    def ask(self, source: Path, question: str, right: str, checks: tuple[str, ...], **how: object) -> None:
        try:
            answer = ask(source, checks, **how)  # type: ignore[arg-type]
        except fsoft.InputError as refused:
            answer = f"refused: {refused}"
        self.asked.append((question, right, answer))

    def disagreements(self) -> Iterator[tuple[str, str, str]]:
        for question, right, answer in self.asked:
            if right == "not TRUE":
                agree = answer != "TRUE"
            else:
                agree = answer in (right, "UNKNOWN") or answer.startswith("refused")
            if not agree and not (answer.startswith("FALSE") and right == "TRUE" and self.reasons()):
                yield question, right, answer

    def reasons(self) -> list[str]:
        pairs = [(function, feature) for function in self.sample.functions for feature in self.sample.features]
        return [BLIND[pair] for pair in pairs if pair in BLIND]

    def decided(self) -> int:
        return sum(answer.startswith(("TRUE", "FALSE")) or (right == "not TRUE" and answer == "UNKNOWN") for _, right, answer in self.asked)


def memory_answers(sample: Sample, ran: Ran, source: Path, random: Random) -> Answers:
    answers = Answers(sample, ran)
    prop = None if ran.report is None else "valid-free" if any(word in ran.report for word in _FREE) else "valid-deref"
    right = expected(sample, ran)
    answers.ask(source, "memory", f"FALSE({prop})" if prop else "TRUE", ("valid-deref", "valid-free"), define=right)
    if not prop or not UNSEEN.intersection(sample.functions):
        answers.ask(source, "values", "not TRUE" if prop else "TRUE", ("unreach-call",), define=right)
    if sample.values and not prop:
        wrong = expected(sample, ran, random.randrange(sample.values))
        answers.ask(source, "a wrong value", "FALSE(unreach-call)", ("unreach-call",), define=wrong)
    return answers


def thread_answers(sample: Sample, ran: Ran, source: Path) -> Answers:
    answers = Answers(sample, ran)
    check = "no-lock-misuse" if sample.locks else "no-data-race"
    right = "TRUE" if ran.report is None else f"FALSE({check})"
    if sample.locks:
        answers.ask(source, "locks", right, (check,))
        return answers
    answers.ask(source, "races", right, (check,), race_model="c11")
    if "relaxed flag" not in sample.features:
        answers.ask(source, "races, svcomp", right, (check,))
    return answers


def judge(seed: int, folder: Path) -> Answers | None:
    """The answers about the program of this seed; None if the compiled program gives nothing to compare with."""
    made = sample(seed)
    source = folder / f"calls{seed}.c"
    source.write_text(made.text)
    ran = sanitized(made, source)
    if ran is None:
        return None
    if not made.threads:
        return memory_answers(made, ran, source, Random(seed))
    answers = thread_answers(made, ran, source)
    if not made.locks and any(answers.disagreements()):
        again = insist(source.with_suffix(""))
        answers = thread_answers(made, again, source) if again else answers
    return answers


def insist(binary: Path) -> Ran | None:
    """The report of one of several more runs."""
    runs = (run(binary, shift % 2, shift) for shift in range(1, _INSIST))
    return next((ran for ran in runs if ran.report), None)


# ------------------------------------------------------------------------------------------------- the campaign


@dataclass
class Tally:
    programs: int = 0
    skipped: int = 0
    violated: int = 0
    asked: int = 0
    decided: int = 0
    explained: Counter[str] = field(default_factory=Counter)
    functions: Counter[str] = field(default_factory=Counter)
    reports: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def add(self, seed: int, answers: Answers | None) -> None:
        self.programs += 1
        if answers is None:
            self.skipped += 1
            return
        self.violated += answers.ran.report is not None
        self.reports[answers.ran.report or "nothing"] += 1
        self.functions.update(answers.sample.functions)
        self.asked += len(answers.asked)
        self.decided += answers.decided()
        self.refused.update(answer.partition("error: ")[2] for _, _, answer in answers.asked if answer.startswith("refused"))
        found = list(answers.disagreements())
        self.wrong += [f"seed {seed}: {question}: {answer}, not {right} ({answers.ran.report})" for question, right, answer in found]
        if not found and any(right == "TRUE" and answer.startswith("FALSE") for _, right, answer in answers.asked):
            self.explained.update(answers.reasons())

    def lines(self) -> list[str]:
        return [
            f"{self.programs} programs, {self.violated} with a report of a sanitizer, {self.skipped} that did not end",
            f"decided {self.decided}/{self.asked} questions; disagreements: {len(self.wrong)}",
            "calls: " + ", ".join(f"{name} {count}" for name, count in sorted(self.functions.items())),
            "never called: " + (", ".join(name for name in NAMES if not self.functions[name]) or "none"),
            "reports: " + ", ".join(f"{name} {count}" for name, count in self.reports.most_common()),
            *(f"refused {count}: {why}" for why, count in self.refused.items()),
            *(f"explained {count}: {why}" for why, count in self.explained.items()),
        ]


def campaign(first: int, count: int, loud: bool = False) -> Tally:
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            before = len(tally.wrong)
            tally.add(seed, judge(seed, Path(folder)))
            if loud:
                print("\n".join(tally.wrong[before:]) or ".", flush=True, end="\n" if tally.wrong[before:] else "")
    return tally


def main(argv: list[str]) -> int:
    count, first = (int(argv[0]) if argv else 300), (int(argv[1]) if len(argv) > 1 else 0)
    started = time.monotonic()
    tally = campaign(first, count, loud=True)
    print(f"\n{time.monotonic() - started:.0f} s")
    print("\n".join(tally.lines()))
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

"""While a thread runs nobody else touches its descriptor: who joins it waits."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.ask.load import load
from fsoft.checkers.explicit.engine import explore
from fsoft.por.facts import StubbornFacts
from fsoft.por.stubborn import Stubborn
from fsoft.program import descriptor
from fsoft.program.options import Options
from fsoft.program.program import Program
from fsoft.transactions import patterns

TEXT = """#include <pthread.h>
pthread_t t[2]; int x[3];
void *worker(void *arg) { x[(long)arg] = 1; BODY return 0; }
int main(void) {
    pthread_t last;
    for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, worker, (void *)i);
    pthread_create(&last, 0, worker, (void *)2);
    MAIN
    pthread_join(last, 0);
    x[2]++;
    for (int i = 0; i < 2; i++) { pthread_join(t[i], 0); x[i]++; }
    return 0;
}
"""


def loaded(folder: Path, body: str = "", main: str = "") -> Program:
    path = folder / "p.c"
    path.write_text(TEXT.replace("BODY", body).replace("MAIN", main))
    return load([str(path)], Options(checks=frozenset({"no-deadlock"})))


def test_the_order_in_which_threads_end_does_not_matter(tmp_path: Path) -> None:
    program = loaded(tmp_path)
    facts = StubbornFacts(program, patterns("lock-pattern"))
    assert all(mask.bit_count() == len(descriptor.FIELDS) for mask in facts.quiet)
    fewer = explore(program, choice=Stubborn(facts))
    facts.quiet = [0 for _ in facts.quiet]
    more = explore(program, choice=Stubborn(facts))
    assert fewer.kind == more.kind == "TRUE" and fewer.stats.states < more.stats.states


@pytest.mark.parametrize("main", ["pthread_detach(t[1]); return 0;", "if (x[0]) pthread_detach(t[1]);"])
def test_threads_that_may_be_detached(tmp_path: Path, main: str) -> None:
    """A detached thread may be joined (which is undefined) while it runs: then its descriptor is not its own. Verdicts agree."""
    program = loaded(tmp_path, main=main)
    plain = explore(program)
    for transactions in ("none", "lock-pattern"):
        verdict = explore(program, choice=Stubborn(StubbornFacts(program, patterns(transactions))))
        assert verdict.last_line() == plain.last_line()


def test_a_circle_of_joins_is_found(tmp_path: Path) -> None:
    program = loaded(tmp_path, "if (arg == 0) pthread_join(t[1], 0); if (arg == (void *)1) pthread_join(t[0], 0);", "pthread_exit(0);")
    verdict = explore(program, choice=Stubborn(StubbornFacts(program, patterns("lock-pattern"))))
    assert verdict.last_line() == "FALSE(no-deadlock)"

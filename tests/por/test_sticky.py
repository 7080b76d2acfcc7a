"""Sticky locations: one on every cycle, and not where a thread passes that does not go round."""

from __future__ import annotations

from pathlib import Path

from fsoft.analysis.loops import template_loops
from fsoft.ask.load import load
from fsoft.por.sticky import sticky_locations
from fsoft.program.options import Options
from fsoft.program.program import Template

WAIT = """#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int held, x;
void *t(void *a) {
    pthread_mutex_lock(&m);
    while (held) pthread_cond_wait(&c, &m);
    held = 1;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t p[2];
    for (int i = 0; i < 2; i++) pthread_create(&p[i], 0, t, 0);
    for (int i = 0; i < 2; i++) {
        pthread_join(p[i], 0);
        if (x) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); }
    }
    while (x < 9) x = x + 1;
    return 0;
}
"""


def templates(folder: Path) -> dict[str, Template]:
    path = folder / "p.c"
    path.write_text(WAIT)
    return {template.name: template for template in load([str(path)], Options()).templates()}


def cyclic_without(template: Template, removed: frozenset[int]) -> bool:
    """Whether some cycle avoids the locations (and location 0, where a slot starts again)."""
    left = set(range(1, len(template.locations))) - removed
    while True:
        ends = {n for n in left if not any(s.source == n and s.target in left for s in template.steps)}
        if not ends:
            return bool(left)
        left -= ends


def test_a_waiting_loop_is_sticky_only_where_it_waits(tmp_path: Path) -> None:
    template = templates(tmp_path)["t"]
    found = sticky_locations(template, False)
    assert len(found) == 1 and not cyclic_without(template, found)
    waits = {step.target for step in template.steps if any(tag.kind == "wait" for tag in step.tags)}
    assert found <= waits


def test_loops_that_count_are_not_sticky(tmp_path: Path) -> None:
    template = templates(tmp_path)["main"]
    heads = {loop.head: loop for loop in template_loops(template)}
    assert [loop.count for loop in heads.values()] == [2, 2, None]
    (one,) = sticky_locations(template, False)
    assert one in next(loop.body for loop in heads.values() if loop.count is None)

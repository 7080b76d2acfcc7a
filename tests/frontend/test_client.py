"""Clients of libraries: threads that call functions in any order, and comparison with sequential orders."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fsoft.frontend.client import Client, with_client
from fsoft.frontend.load import load
from fsoft.frontend.source import InputError, Source

LIBRARY = """
#include <pthread.h>
#include <stdlib.h>
typedef struct box { int full, value; } box_t;
static pthread_mutex_t m;
box_t *make(unsigned size) { box_t *b = malloc(sizeof *b); b->full = size == 0 ? 0 : 0; return b; }
int put(box_t *b, int value) {
    pthread_mutex_lock(&m); int was = b->full; b->full = 1; b->value = value; pthread_mutex_unlock(&m); return was;
}
_Bool take(box_t *b, int *value) { _Bool was = b->full; b->full = 0; return was; }
void drop(box_t *b) { free(b); }
int name(const char *text) { return text[0] != 0 && text[1] == 'x'; }
int each(box_t *b, int (*f)(int)) { return f(b->value); }
"""
WAITS = "int waits(pthread_cond_t *c) { return pthread_cond_wait(c, &m); }"


def write(text: str, tmp_path: Path) -> Source:
    path = tmp_path / "lib.c"
    path.write_text(text)
    return Source(str(path))


def check(text: str, tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    source = write(text, tmp_path)
    command = [sys.executable, "-m", "fsoft", "check", source.path, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)


def test_arguments_are_shared_free_or_private(tmp_path: Path) -> None:
    client = Client(("put", "take", "name"), init="make", fini="drop")
    text = with_client([write(LIBRARY, tmp_path)], client)[0].more
    assert "static struct box *__client_handle;" in text or "static box_t *__client_handle;" in text
    assert "put(__client_handle, __client_put_1[__client_me][0]);" in text
    assert "take(__client_handle, (int *)__client_take_1[__client_me][0]);" in text
    assert "__client_handle = make(__client_make_0[0][0]);" in text
    assert "name((char *)__client_name_0[__client_me][0]);" in text
    unit = load(with_client([write(LIBRARY, tmp_path)], client), roots=("__client_main",))
    assert {"put", "take", "name", "make", "drop"} <= set(unit.functions)


COUNTER = Path(__file__).parents[2].joinpath("models/api/counter.c").read_text()
EACH = ("--entry", "next,reset", "--calls-each", "1", "--engine", "explicit")


def test_a_race_between_calls(tmp_path: Path) -> None:
    done = check(COUNTER.replace("pthread_mutex_lock(&lock);", ""), tmp_path, *EACH, "--data-races-check")
    assert done.stdout.endswith("FALSE(no-data-race)\n"), done.stdout + done.stderr
    good = check(COUNTER, tmp_path, *EACH, "--data-races-check")
    assert good.stdout.endswith("TRUE\n"), good.stdout + good.stderr
    assert "client: 2 threads call next, reset in any order, each once" in good.stdout


def test_results_of_some_sequential_order(tmp_path: Path) -> None:
    assert check(COUNTER, tmp_path, *EACH, "--linearizable").stdout.endswith("TRUE\n")
    done = check("#define TORN\n" + COUNTER, tmp_path, *EACH, "--linearizable")
    assert done.stdout.endswith("FALSE(unreach-call)\n")
    assert "no sequential order of the calls gives these results" in done.stdout


@pytest.mark.parametrize(
    ("client", "said"),
    [
        (Client(("nothing",)), "no definition of function 'nothing'"),
        (Client(("put", "nothing")), "no function 'nothing' is declared"),
        (Client(("each",)), "'each' takes a pointer to a function"),
        (Client(("waits",), linearizable=True), "'pthread_cond_wait' waits for other threads"),
        (Client(("put",), threads=4, calls_each=4, linearizable=True), "too many orders of the calls"),
    ],
)
def test_what_no_client_can_be_made_for(client: Client, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        with_client([write(LIBRARY + (WAITS if "waits" in client.entries else ""), tmp_path)], client)


def test_options_that_need_others(tmp_path: Path) -> None:
    assert "--entry F,G" in check(LIBRARY, tmp_path, "--init", "make").stderr
    assert check(LIBRARY, tmp_path, "--entry", "put,take", "--thread", "put").returncode == 1

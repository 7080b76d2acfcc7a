"""C programs for tests of traces, and a way to run a command of fsoft in this process."""

from __future__ import annotations

import io
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from fsoft.ask.load import load
from fsoft.checkers.explicit.engine import explore
from fsoft.cli.main import main
from fsoft.program.options import Options
from fsoft.program.program import Program
from fsoft.program.verdict import Verdict

MODELS = Path(__file__).resolve().parents[2] / "models"

LOST = """#include <pthread.h>
#include <assert.h>
int balance = 10;
static void change(int amount) {
    int old = balance;
    balance = old + amount;
}
void *deposit(void *p) { change(5); return 0; }
void *withdraw(void *p) { change(-3); return 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, deposit, 0);
    pthread_create(&b, 0, withdraw, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(balance == 12);
    return 0;
}
"""
CROSSED = """#include <pthread.h>
pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
void *one(void *p) {
    pthread_mutex_lock(&left);
    pthread_mutex_lock(&right);
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
    return 0;
}
void *two(void *p) {
    pthread_mutex_lock(&right);
    pthread_mutex_lock(&left);
    pthread_mutex_unlock(&left);
    pthread_mutex_unlock(&right);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
"""
INPUTS = """int __VERIFIER_nondet_int(void);
void reach_error(void);
int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    if (x == 77 && y < x) reach_error();
    return 0;
}
"""


def command(*argv: str) -> tuple[int, str, str]:
    """Exit code, output and complaints of a command."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(list(argv))
    return code, out.getvalue(), err.getvalue()


def judged(text: str, prop: str, folder: Path, define: tuple[str, ...] = ()) -> tuple[Program, Verdict]:
    """The Program of a C text and the verdict of the explorer, as found."""
    file = folder / "prog.c"
    file.write_text(text)
    program = load([str(file)], Options(checks=frozenset({prop})), define=define)
    return program, explore(program)

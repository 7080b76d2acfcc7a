"""Small programs for the search over paths."""

from __future__ import annotations

from pathlib import Path

from fsoft.ask.load import load
from fsoft.program.options import Options
from fsoft.program.program import Program

_HEAD = """#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "p.c"
    path.write_text(_HEAD + text)
    return path


def program(folder: Path, text: str, *threads: str, checks: str = "unreach-call") -> Program:
    """The text as a Program; with `threads`, these functions run from the start instead of main."""
    options = Options(checks=frozenset(checks.split()), thread_functions=threads)
    return load([str(write(folder, text))], options)


def writers(*statements: int) -> str:
    """Threads f0, f1, ... that write the same word so many times."""
    lines = ["int x;"]
    for k, count in enumerate(statements):
        lines.append(f"void f{k}(void) {{ {' '.join(f'x = {10 * k + n};' for n in range(count))} }}")
    return "\n".join(lines)


def main_with(*functions: str) -> str:
    """A main that creates a thread for each function and joins them all."""
    create = " ".join(f"pthread_t t{k}; pthread_create(&t{k}, 0, {name}, 0);" for k, name in enumerate(functions))
    join = " ".join(f"pthread_join(t{k}, 0);" for k in range(len(functions)))
    return f"int main(void) {{ {create} {join} return 0; }}\n"


LOCKS = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\n"

"""The layout of a thread descriptor, shared by the library models (in C) and everything that looks at a state.

`struct __fsoft_thread` in `frontend/library/intrinsics.h` must list the same fields in the same order; a test compares them.
All fields are words of the pointer's width, so offsets are index * word size.
"""

from __future__ import annotations

FIELDS = ("state", "detached", "arg", "result", "cancel", "waits_for")
"""state: one of the numbers below. arg: the argument of the start routine. result: what it returned.
cancel: cancellation pending. waits_for: reserved for library models that queue a thread."""

ARRAY = "__fsoft_threads"
"""Name of the object that holds all descriptors, slot by slot."""

UNUSED = 0  # never started, or finished and joined: the slot can be taken
RUNNING = 1
FINISHED = 2  # waits to be joined


def offset(slot: int, field: str, word_bytes: int) -> int:
    return (slot * len(FIELDS) + FIELDS.index(field)) * word_bytes

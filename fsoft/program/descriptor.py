"""The layout of a thread descriptor, shared by the library models (in C) and everything that looks at a state.

`struct __fsoft_thread` in `frontend/library/intrinsics.h` must list the same fields in the same order; a test compares them.
All fields are words of the pointer's width, so offsets are index * word size.
"""

from __future__ import annotations

FIELDS = ("state", "detached", "arg", "result", "cancel", "held")
"""state: one of the numbers below. arg: the argument of the start routine. result: what it returned.
cancel: cancellation pending. held: how many locks that know their owner the thread holds (counted only where slots run
several threads, one after the other)."""

ARRAY = "__fsoft_threads"
"""Name of the object that holds all descriptors, slot by slot."""

UNUSED = 0  # never started, or finished and joined: the slot can be taken
RUNNING = 1
FINISHED = 2  # waits to be joined
LEFT = 3  # finished and joined, but still the owner of a lock: the slot must not be taken again


def offset(slot: int, field: str, word_bytes: int) -> int:
    return (slot * len(FIELDS) + FIELDS.index(field)) * word_bytes

"""What a user can choose about how C becomes a Program."""

from __future__ import annotations

from dataclasses import dataclass

MEMORY = frozenset({"valid-deref", "valid-free"})
PROPERTIES = (
    "unreach-call",  # assertions and reach_error
    "valid-deref",  # null, dangling, freed, out of bounds, misaligned
    "valid-free",  # double free, free of something else
    "valid-memtrack",  # leaks
    "no-overflow",  # signed overflow
    "no-division-by-zero",
    "no-bad-shift",
    "no-bad-conversion",  # of a floating number that the integer type cannot hold
    "no-bad-index",  # an index outside its member or row, within the object
    "no-lock-misuse",
    "no-handle-misuse",  # files and directories used after they were closed, or closed twice
    "no-data-race",
    "no-deadlock",
)
RACE_MODELS = ("svcomp", "c11")
ASSUMPTIONS = {"quiet-unknown": "functions without body, model or row of effects return any value and do nothing else"}
"""What the user may assume, and what that means: an answer names it."""
GROWING = ("threads", "heap", "recursion", "args_bound", "arg_length")
"""The options that bound the program: raised where they cut, unless the user has set them."""
UNWOUND_EXPANSION = 400_000
"""The `expansion` for programs that are unwound in any case: a copy that several calls share would count as a loop."""
WEAKER_ORDER = "a memory order weaker than seq_cst is treated as sequentially consistent"
"""The note of programs for which that is so."""


@dataclass(frozen=True, slots=True)
class Options:
    """`threads`: slots for a creation site whose number of executions is not known. `heap`: objects per pool where
    that is not known. `heap_size`: bytes of a heap object whose size is not constant. `recursion`: how many frames of one
    function may be active. `array_limit`: how many cells of an array are modelled, 0 for all.
    `calls`: one copy of a function for each call ("inline"), or one in each thread ("once"); "auto" is inline as long as the program
    has at most `expansion` nodes with all calls expanded.
    `race_on`: the C names of the objects on which data races count; none means all. `race_model`: "svcomp" or "c11".
    `malloc_may_fail`: allocations may give null. `library_may_fail`: creating threads, locks and their kin may fail for want of resources.
    `checks`: properties of PROPERTIES that are on. `strict`: what cannot be modelled exactly is an error, not an
    abstraction. `assume`: names of ASSUMPTIONS that the user makes. `effects`: files with rows of effects.
    `error_labels`: labels that violate unreach-call when they are reached; ERROR does in tasks of the competition in any case.
    `observer`: a function that only looks on (the atoms of an LTL formula), in a slot of its own behind all others. What it reads
    stays visible, and steps that may stop their thread stay apart from accesses, because the end is observed.
    `arguments`: what main is called with, the name of the program first; None for anything. `args_bound`: how many of free arguments may be
    read, `arg_length`: how many characters of each.
    `main_return`: what the return of main does: it "ends" the process, or "waits" for the threads that are left, as some harnesses mean it.
    `unbounded`: where the number of executions of a creation site is not known, its slots stand for any number of threads
    (`Program.unbounded`), and creating one more is never a cut."""

    entry: str = "main"
    thread_functions: tuple[str, ...] = ()
    threads: int = 3
    heap: int = 5
    heap_size: int = 64
    heap_reuse: bool = True
    malloc_may_fail: bool = False
    library_may_fail: bool = False
    recursion: int = 4
    array_limit: int = 0
    calls: str = "auto"  # or "inline", "once"
    expansion: int = 60_000
    eval_order: str = "left"  # or "right", "any"
    strict: bool = False
    assume: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    error_labels: tuple[str, ...] = ()
    checks: frozenset[str] = frozenset({"unreach-call"})
    fold: bool = True
    race_on: tuple[str, ...] = ()
    race_model: str = "svcomp"
    observer: str = ""
    unbounded: bool = False
    main_return: str = "ends"
    arguments: tuple[str, ...] | None = None
    args_bound: int = 3
    arg_length: int = 8

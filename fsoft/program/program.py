"""THE PROGRAM: threads as control-flow graphs of guarded atomic steps over one memory of objects.

This is the `(T, V, R, s0)` of the F-Soft paper (section 2) made concrete; every encoding reads this record and
`interpreter.py` says what it means.

A **thread slot** runs a **template** (the CFG of its start routine, calls expanded); slots with the same start routine share
the template and differ in the values of `own(...)` leaves. A template has **registers** (locals whose address is never taken, and
temporaries) and numbered **locations**. A **step** `source -> target` is taken atomically when its guard (over registers) holds, all its
`Require` actions hold, and no other thread is at an `atomic` location. Its actions run in order, each only `when` its
predicate holds. An action that halts, fails a check or touches invalid memory ends the thread at one of the template's
`stops`; the actions after it do not run, those before it took effect.

Synchronisation is nothing special: a mutex is an object with fields, `lock` loads its owner, requires it to be free and
stores itself. The step keeps a `Tag` for the analyses.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Union

from fsoft.frontend.source import NOWHERE, Loc
from fsoft.program.expr import FALSE, TRUE, Expr

# ---------------------------------------------------------------- actions


@dataclass(frozen=True, slots=True)
class Assign:
    """register := value"""

    reg: str
    value: Expr
    when: Expr = TRUE


@dataclass(frozen=True, slots=True)
class Load:
    """register := memory[address], `size` bytes (register width is 8 * size). `sync` marks atomic and library accesses:
    they do not race. `order` is the memory order of an atomic operation where that is weaker than seq_cst: a name of ORDERS."""

    reg: str
    address: Expr
    size: int
    sync: bool = False
    when: Expr = TRUE
    loc: Loc = NOWHERE
    order: str = ""


@dataclass(frozen=True, slots=True)
class Store:
    """memory[address] := value (width 8 * size)"""

    address: Expr
    value: Expr
    size: int
    sync: bool = False
    when: Expr = TRUE
    loc: Loc = NOWHERE
    order: str = ""


@dataclass(frozen=True, slots=True)
class Input:
    """register := any value of its width. With `among` (a bit mask): the number of any set bit, and 0 if there is none.

    `name` says where it comes from, for traces ("__VERIFIER_nondet_int()", "uninitialised x", "wake whom"). `marker` names the
    approximation that it is, if it is one.
    """

    reg: str
    name: str
    among: Expr | None = None
    when: Expr = TRUE
    loc: Loc = NOWHERE
    signed: bool = False
    marker: int | None = None  # index into Program.markers


@dataclass(frozen=True, slots=True)
class Require:
    """The step is not enabled unless the condition holds here (blocking: mutex free, semaphore positive, ...)."""

    condition: Expr
    when: Expr = TRUE


@dataclass(frozen=True, slots=True)
class Check:
    """A property: if the condition is false the property is violated here and the thread stops at `failed`."""

    condition: Expr
    prop: str  # "unreach-call", "no-overflow", "valid-deref", ...
    message: str
    when: Expr = TRUE
    loc: Loc = NOWHERE


@dataclass(frozen=True, slots=True)
class Halt:
    """The thread stops (lazily: the others may go on). `kind` is a name of STOPS; a cut names its marker."""

    kind: str
    marker: int | None = None  # index into Program.markers
    when: Expr = TRUE
    loc: Loc = NOWHERE


@dataclass(frozen=True, slots=True)
class Alloc:
    """register := address of a heap object of the pool, new or (unless heap is "fresh") a freed one; contents undefined.

    With `zero` the contents are zero. No unused object left, or a size beyond the pool's capacity: the thread is cut with
    the pool's marker.
    """

    reg: str
    size: Expr
    pool: int  # index into Program.pools
    zero: bool = False
    when: Expr = TRUE
    loc: Loc = NOWHERE


@dataclass(frozen=True, slots=True)
class Free:
    """The heap object at `address` dies. Anything but the start of a live heap object violates valid-free. A write, for races."""

    address: Expr
    when: Expr = TRUE
    loc: Loc = NOWHERE


@dataclass(frozen=True, slots=True)
class Measure:
    """register := size in bytes of the live object that `address` points into (a heap object: the size asked for), 0 if there is none."""

    reg: str
    address: Expr
    when: Expr = TRUE


@dataclass(frozen=True, slots=True)
class Enter:
    """The local object at `address` (an `own` leaf) comes to life, contents undefined."""

    address: Expr
    when: Expr = TRUE


@dataclass(frozen=True, slots=True)
class Leave:
    """The local object at `address` ends its life. A write, for races."""

    address: Expr
    when: Expr = TRUE
    loc: Loc = NOWHERE


Action = Union[Assign, Load, Store, Input, Require, Check, Halt, Alloc, Free, Measure, Enter, Leave]

WHOLE_RUNS = frozenset({"no-deadlock", "valid-memtrack"})
"""Properties that more behaviour can hide errors against. So it is with formulas over runs, which are asked with an observer."""

PADDING = "padding"
"""The `ctype` of runs of bytes between members, and the name of the inputs that such bytes get where a struct is assigned."""

NO_VALUE = "no value of "
"""How the names of inputs begin that are what a function without a return gives."""

PLACEMENT = "placement"
"""The name of the inputs that say whether the objects lie elsewhere, where a program uses addresses as numbers."""

ORDERS = ("relaxed", "consume", "acquire", "release", "acq_rel", "")
"""Memory orders by their number in C; "" is seq_cst, and "?" (in a Load or Store) one that is computed."""

STOPS = ("pruned", "ended", "cut", "undefined", "failed")
"""Where a thread can stop: a failed assume, the end of the process, a bound, undefined behaviour that no switched-on
check names (division by zero, an invalid access), a violated property."""


@dataclass(frozen=True, slots=True)
class Tag:
    """What a step does for synchronisation: acquire, release, try, rdlock, wrlock, create, join, wait, wake, signal, broadcast,
    post, update (an atomic operation), fence (its order by number), spurious, timeout, exit, section (a user's atomic section:
    blocking inside is never a deadlock), atomic (one step made of several: if the thread stops inside, the run is over and nobody moves any
    more), ... The operand is evaluated in the state before the step."""

    kind: str
    operand: Expr | None = None


@dataclass(frozen=True, slots=True)
class Step:
    source: int
    guard: Expr
    actions: tuple[Action, ...]
    target: int
    loc: Loc = NOWHERE
    text: str = ""  # the C statement, as written, on one line
    tags: tuple[Tag, ...] = ()
    calls: tuple[Loc, ...] = ()  # call sites from the thread's start routine down to this step

    def to(self, target: int) -> Step:
        return replace(self, target=target)

    def first_text(self) -> str:
        """The first of the statements that were folded into it: the one in which it waits, or makes its access."""
        depth = 0
        for at, character in enumerate(self.text):
            depth += (character in "({") - (character in ")}")
            if character == ";" and depth == 0:
                return self.text[: at + 1]
        return self.text


@dataclass(slots=True)
class Location:
    """`atomic`: while a thread is here no other thread moves. `loop` is the loop id of a loop head, `labels` are the user's."""

    loc: Loc
    function: str
    atomic: bool = False
    loop: str = ""
    labels: tuple[str, ...] = ()


@dataclass(slots=True)
class Register:
    """`symbol` is the C variable it stands for ("" for a temporary); `ctype` prints values."""

    name: str
    width: int
    symbol: str = ""
    signed: bool = True
    ctype: str = ""
    loc: Loc = NOWHERE


@dataclass(slots=True)
class Template:
    """The CFG of one start routine. Location 0 is the entry; a slot that has finished returns there and can be started again.
    `stops` maps each kind of STOPS to its location."""

    name: str
    registers: dict[str, Register] = field(default_factory=dict)
    locations: list[Location] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    stops: dict[str, int] = field(default_factory=dict)

    def outgoing(self) -> list[list[Step]]:
        """Steps by source location."""
        out: list[list[Step]] = [[] for _ in self.locations]
        for step in self.steps:
            out[step.source].append(step)
        return out


# ---------------------------------------------------------------- memory


@dataclass(frozen=True, slots=True)
class CellRun:
    """`count` equal cells of `size` bytes at offsets start, start + stride, ... `name` prints them ("", ".next", "[].lock")."""

    start: int
    size: int
    stride: int
    count: int
    name: str = ""
    signed: bool = False
    ctype: str = ""


@dataclass(slots=True)
class Object:
    """A piece of memory. `id` is its number in addresses: address = id << offset_bits | offset; id 0 is null.

    `storage`: global, static, thread, local, string, heap, function, system (fsoft's own: thread descriptors).
    `initial` maps offsets of cells to values; other cells are 0, or undefined if `undefined`. An object that is not
    `alive` at the start comes to life by Enter or Alloc. `slot` is the owner of a thread-local or local object. `dropped` are ranges of
    bytes whose cells `passes/truncate` took away, or that never had any: then `cut` is the marker that an access to them raises.
    """

    id: int
    name: str
    size: int
    runs: tuple[CellRun, ...]
    storage: str
    initial: dict[int, int] = field(default_factory=dict)
    undefined: bool = False
    alive: bool = True
    readonly: bool = False
    slot: int | None = None
    pool: int | None = None
    loc: Loc = NOWHERE
    dropped: tuple[tuple[int, int], ...] = ()
    cut: int | None = None


@dataclass(slots=True)
class Pool:
    """Heap objects of one size class. `capacity` is the size of each object, `exact` if every allocation asks for just that."""

    index: int
    objects: tuple[int, ...]
    capacity: int
    exact: bool
    marker: int


@dataclass(frozen=True, slots=True)
class Marker:
    """What is not exact, with its place: an abstraction, or a bound. `cuts`: behaviour of the program is left out beyond it, which forbids
    TRUE where it is reached. `adds`: behaviour that the program may not have, so that a trace that passes it is only a candidate.
    `message` is a noun phrase ("what 'f' does"), `remedy` what the user can do about it. `values`: it adds nothing but values of the inputs
    that name it, so a trace depends on it only if one of them decides something."""

    kind: str  # loop, recursion, slot, heap, input, unknown, ...
    cuts: bool
    adds: bool
    loc: Loc
    message: str
    remedy: str = ""
    values: bool = False

    def hides(self, props: Collection[str]) -> bool:
        """Whether an error against one of the properties may be hidden behind it. What only adds keeps the truth of safety; it hides
        errors of whole runs, because an unknown call that returns, unlocks or frees ends a wait or a leak."""
        return self.cuts or (self.adds and not WHOLE_RUNS.isdisjoint(props))


@dataclass(slots=True)
class Thread:
    """A slot. Slot 0 is main and runs from the start; the others wait for their descriptor to be set running."""

    index: int
    name: str
    template: Template
    own: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Origin:
    """Of a template in which steps were joined: with which step of the old one each step begins (-1: it only decides where control goes),
    and the old locations that each location may be (several where a joined step ends in several ways)."""

    steps: tuple[int, ...]
    places: tuple[frozenset[int], ...]


@dataclass(frozen=True, slots=True)
class Apart:
    """The program before steps were joined, and by template the way back."""

    program: Program
    origins: dict[str, Origin]


@dataclass(slots=True)
class Program:
    """`descriptors` is the address of the array of thread descriptors (see `program/descriptor.py` for its fields).
    `checks` are the properties that are on; what is off is undefined behaviour and stops the thread. `heap_reuse` as in Alloc.
    `race_on`: the objects on which data races count, by C name (`properties/race_objects.py` reads them); all, if there are none.
    `race_model` says what a data race is: "svcomp" or "c11". `plain`: this Program has a monitor of races built in
    (`passes/watch.py`), and that is the one without. `unwatched`: why c11 cannot have such a monitor here.
    `apart`: steps of this Program are several of that one (`transactions/merge.py`).
    `unbounded`: groups of slots that stand for any number of threads made at one creation site (`Options.unbounded`). A creation there
    starts one of the group that is unused, or none of them: a thread that has no slot. What such threads do is not in the Program; it
    says all about the threads that have slots as long as those without do not move."""

    name: str
    word: int  # pointer width in bits
    offset_bits: int
    threads: list[Thread] = field(default_factory=list)
    objects: list[Object] = field(default_factory=list)  # by id; entry 0 is the null object
    pools: list[Pool] = field(default_factory=list)
    markers: list[Marker] = field(default_factory=list)
    checks: frozenset[str] = frozenset()
    heap_reuse: bool = True
    race_on: tuple[str, ...] = ()
    race_model: str = "svcomp"
    plain: Program | None = None
    unwatched: str = ""
    apart: Apart | None = None
    notes: list[str] = field(default_factory=list)
    unbounded: tuple[tuple[int, ...], ...] = ()

    def templates(self) -> list[Template]:
        """Each template once, in order of the first slot that runs it."""
        return list({id(t.template): t.template for t in self.threads}.values())

    def taken_apart(self) -> Program:
        """The Program before steps were joined; itself if none were."""
        return self if self.apart is None else self.apart.program

    def address(self, obj: Object, offset: int = 0) -> int:
        return obj.id << self.offset_bits | offset


__all__ = [
    "Action", "Alloc", "Apart", "Assign", "CellRun", "Check", "Enter", "FALSE", "Free", "Halt", "Input", "Leave", "Load", "Location",
    "Marker", "Measure", "ORDERS", "Object", "Origin", "PADDING", "Pool", "Program", "Register", "Require", "STOPS", "Step", "Store",
    "TRUE", "Tag", "Template", "Thread", "WHOLE_RUNS",
]  # fmt: skip

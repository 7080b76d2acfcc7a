"""What every part of the lowering of one template shares: the cursor, the frames of inlined calls, places, checks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import nullcontext
from dataclasses import dataclass, field

from fsoft.frontend import tree
from fsoft.frontend import types as ct
from fsoft.frontend.source import Loc, Unsupported
from fsoft.program.expr import FALSE, Expr, conj, const, disj, make, negate, nonzero, own, resize
from fsoft.program.lower.builder import Builder
from fsoft.program.lower.layout import BitRange, is_signed, value_bits
from fsoft.program.lower.memory import LocalObject, LoweredMemory
from fsoft.program.lower.placement import misplaced
from fsoft.program.lower.scan import JumpTarget, Scan
from fsoft.program.options import Options
from fsoft.program.program import PADDING, PLACEMENT, Assign, CellRun, Check, Enter, Halt, Input, Leave, Load, Marker, Measure, Store

_NO_X87 = "float and double are computed in their own precision (FLT_EVAL_METHOD 0), as with gcc -msse2 -mfpmath=sse"
_CHECKED = "switch on the check that names it, to see the run"


@dataclass(slots=True)
class CreateSite:
    """One `pthread_create` in a template: `own` names hold the first slot and the number of slots for each start routine. `repeat` is how
    often one thread may pass it; None where that is not known, or more than there shall be slots."""

    index: int
    template: str
    repeat: int | None
    starts: list[str]
    loc: Loc


@dataclass(slots=True)
class ProgramContext:
    """What the templates of one program have in common."""

    unit: tree.Unit
    options: Options
    memory: LoweredMemory
    scan: Scan
    creates: list[CreateSite] = field(default_factory=list)
    wanted: list[str] = field(default_factory=list)  # start routines, in order of discovery
    undefined: dict[tuple[Loc, str], int] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)
    succeeding: dict[str, dict[str, None]] = field(default_factory=dict)  # library functions by the option that lets them fail
    jump_places: int = 0  # how many `setjmp`s there are
    limits: bool = False  # some address is compared with the end of static storage
    reuses: bool = False  # a slot may run several threads, one after the other
    copies_creators: bool = False  # with one copy of each function: of those that create threads, too
    most_created: int = 0  # creations by one thread at one site up to which each has its slot

    @property
    def word(self) -> int:
        return self.memory.word_bytes * 8

    def marker(
        self, kind: str, loc: Loc, message: str, remedy: str = "", cuts: bool = True, adds: bool = False, values: bool = False
    ) -> int:
        """The number of the marker for this message at this place."""
        key = (loc, message)
        if key not in self.undefined:
            self.undefined[key] = len(self.memory.markers)
            cuts = cuts or (adds and bool(self.options.observer))  # more runs hide errors from formulas over runs
            self.memory.markers.append(Marker(kind, cuts, adds, loc, message, remedy, values))
        return self.undefined[key]


@dataclass(frozen=True, slots=True)
class RegisterPlace:
    """A variable in a register."""

    reg: Expr
    type: ct.CType


@dataclass(frozen=True, slots=True)
class MemoryPlace:
    """`offset` bytes past `base`, with the bits of a bit-field if it is one."""

    base: Expr
    offset: int
    type: ct.CType
    bits: BitRange | None = None
    atomic: bool = False


LoweredPlace = RegisterPlace | MemoryPlace


@dataclass(slots=True)
class Jumps:
    """Where `break` and `continue` go, and how many scopes are open there."""

    break_to: int
    continue_to: int | None
    scopes: int


@dataclass(slots=True)
class Expansion:
    """One expansion of a function. `bindings` says where each variable is; `scopes` lists the objects alive in each open block."""

    function: tree.FunctionDef
    suffix: str
    parent: Expansion | None
    return_to: int
    result: Expr | None = None  # register, or the address of the object for a record
    sync: bool = False
    call: tree.Call | None = None
    contents: int | None = None  # the marker of what its inputs stand for, in a model of the library
    rest: tuple[tuple[ct.CType, Expr], ...] = ()  # scalar arguments beyond the parameters
    area: Expr | None = None  # the address of the memory that holds them all, in functions that use `va_start`
    bindings: dict[tree.Symbol, Expr | LoweredPlace] = field(default_factory=dict)
    labels: dict[str, int] = field(default_factory=dict)
    targets: dict[str, JumpTarget] = field(default_factory=dict)
    scopes: list[list[Expr | tree.TypedExpr]] = field(default_factory=list)  # objects by address, and what is evaluated at the end
    blocks: list[tree.Block] = field(default_factory=list)  # whose scopes these are, but for the first: that of parameters
    jumps: list[Jumps] = field(default_factory=list)
    cases: list[dict[int, int]] = field(default_factory=list)  # id of Case node -> location
    loops: int = 0


class LoweringContext(ABC):
    """The state of lowering one template."""

    def __init__(self, shared: ProgramContext, name: str):
        self.shared = shared
        self.options = shared.options
        self.memory = shared.memory
        self.word = shared.word
        self.b = Builder(name)
        self.b.stops_apart = bool(shared.options.observer)
        self.name = name
        self.locals: dict[str, LocalObject] = {}
        self.thread_locals: dict[str, None] = {}  # those of `locals` that are C's thread-local variables
        self.repeat: int | None = 1  # how often the code at the cursor can run in one thread; None: no bound known
        self.hint: ct.CType | None = None  # what an allocation here is going to hold
        self.instances: dict[str, int] = {}
        self._records = 0
        self._indexed: set[int] = set()
        self.frame: Expansion
        self.thread_end = self.b.location()

    # ------------------------------------------------------------ the parts that know each other only by these

    @abstractmethod
    def value(self, expr: tree.TypedExpr) -> Expr: ...

    @abstractmethod
    def place(self, expr: tree.TypedExpr) -> LoweredPlace: ...

    @abstractmethod
    def record(self, expr: tree.TypedExpr) -> MemoryPlace: ...

    @abstractmethod
    def effect(self, expr: tree.TypedExpr) -> None: ...

    @abstractmethod
    def call(self, call: tree.Call) -> Expr | MemoryPlace | None: ...

    @abstractmethod
    def statement(self, statement: tree.Statement, before: tree.Statement | None = None) -> None: ...

    @abstractmethod
    def initialise(self, place: MemoryPlace | RegisterPlace, ctype: ct.CType, init: tree.Initializer) -> None: ...

    # ------------------------------------------------------------ where we are in the source

    def at(self, loc: Loc) -> None:
        """From here on, steps come from this place. Library code shows the user's call instead of its own lines."""
        frame: Expansion | None = self.frame
        while frame is not None and "library" in frame.function.attributes:
            frame = frame.parent
        if frame is self.frame:
            self.b.loc = loc
            self.b.text = self.shared.unit.lines.get((loc.file, loc.line), "").strip()

    # ------------------------------------------------------------ constants and addresses

    def word_const(self, value: int) -> Expr:
        return const(value, self.word)

    def add_bytes(self, pointer: Expr, delta: Expr) -> Expr:
        return make("padd", self.word, (pointer, delta), self.memory.offset_bits)

    def address(self, place: MemoryPlace) -> Expr:
        return self.add_bytes(place.base, self.word_const(place.offset))

    def static_address(self, object_id: int) -> Expr:
        return self.word_const(object_id << self.memory.offset_bits)

    def local_object(self, name: str, ctype: ct.CType, loc: Loc, image: bytes | None = None) -> Expr:
        """The address of this thread's own copy of an object."""
        key = "&" + name
        if key not in self.locals:
            self.memory.sized(ctype, name, loc)
            self.locals[key] = LocalObject(key, ctype, loc, image)
        return own(key, self.word)

    def instance_name(self, symbol: tree.Symbol) -> str:
        return symbol.unique + self.frame.suffix

    # ------------------------------------------------------------ reading and writing places

    def load(self, place: LoweredPlace, loc: Loc) -> Expr:
        if isinstance(place, RegisterPlace):
            return place.reg
        if place.bits is not None:
            unit = self.load_bytes(self.bits_address(place), place.bits.size, loc, place.atomic)
            return self.extract_bits(unit, place.bits, place.type)
        return self.load_bytes(self.address(place), value_bits(place.type) // 8, loc, place.atomic)

    def bits_address(self, place: MemoryPlace) -> Expr:
        assert place.bits is not None
        return self.add_bytes(place.base, self.word_const(place.offset + place.bits.offset))

    @staticmethod
    def extract_bits(unit: Expr, bits: BitRange, ctype: ct.CType) -> Expr:
        part = make("extract", bits.width, (unit,), bits.shift)
        return resize(part, value_bits(ctype), is_signed(ctype))

    def load_bytes(self, address: Expr, size: int, loc: Loc, sync: bool = False) -> Expr:
        target = self.b.temporary(size * 8)
        self.b.emit(Load(str(target.data), address, size, sync or self.frame.sync, loc=loc))
        return target

    def store_bytes(self, address: Expr, value: Expr, loc: Loc, sync: bool = False) -> None:
        self.b.emit(Store(address, value, value.width // 8, sync or self.frame.sync, loc=loc))

    def store(self, place: LoweredPlace, value: Expr, loc: Loc) -> None:
        if isinstance(place, RegisterPlace):
            self.b.emit(Assign(str(place.reg.data), value))
        elif place.bits is not None:
            self._store_bits(place, place.bits, value, loc)
        else:
            self.store_bytes(self.address(place), value, loc, place.atomic)

    def _store_bits(self, place: MemoryPlace, bits: BitRange, value: Expr, loc: Loc) -> None:
        """Read the storage unit, replace the bits, write it back: two accesses, as a compiler makes them."""
        address, width = self.bits_address(place), bits.size * 8
        old = self.load_bytes(address, bits.size, loc, place.atomic)
        mask = ((1 << bits.width) - 1) << bits.shift
        kept = make("and", width, (old, const(~mask, width)))
        part = make("extract", bits.width, (value,), 0)
        new = make("shl", width, (resize(part, width, False), const(bits.shift, width)))
        self.store_bytes(address, make("or", width, (kept, new)), loc, place.atomic)

    def copy_record(self, target: MemoryPlace, source: MemoryPlace, ctype: ct.CType, loc: Loc, fresh: bool = False) -> None:
        """Scalar by scalar: a struct copy is not atomic, but an `_Atomic` struct is read, and written, in one step. Compilers copy padding
        or leave it alone, and C lets it be anything (C11 6.2.6.1). `fresh`: so it is already, for the target has just come to life."""
        cells = [(run.start + k * run.stride, run) for run in self.memory.runs(ctype, loc) for k in range(run.count)]
        if not (source.atomic or target.atomic):
            for delta, run in cells:
                value = self._load_cell(source, delta, run, loc)
                self._store_cell(target, delta, run, value, loc, fresh)
            return
        with self.b.one_step() if source.atomic else nullcontext():
            values = [self._load_cell(source, delta, run, loc) for delta, run in cells]
        with self.b.one_step() if target.atomic else nullcontext():
            for (delta, run), value in zip(cells, values, strict=True):
                self._store_cell(target, delta, run, value, loc, fresh)

    def _load_cell(self, place: MemoryPlace, delta: int, run: CellRun, loc: Loc) -> Expr | None:
        """The value of a cell; None of padding."""
        if run.ctype == PADDING:
            return None
        return self.load_bytes(self.add_bytes(place.base, self.word_const(place.offset + delta)), run.size, loc, place.atomic)

    def _store_cell(self, place: MemoryPlace, delta: int, run: CellRun, value: Expr | None, loc: Loc, fresh: bool) -> None:
        address = self.add_bytes(place.base, self.word_const(place.offset + delta))
        if value is not None:
            self.store_bytes(address, value, loc, place.atomic)
        elif not fresh:
            self._any_padding(address, run.size, loc, place.atomic)

    def new_record(self, ctype: ct.CType, loc: Loc, name: str = "") -> MemoryPlace:
        """Room for a struct that only this place in the program knows."""
        self._records += not name
        base = self.local_object(name or f"{self.frame.function.name}.value@{self._records}{self.frame.suffix}", ctype, loc)
        self.b.emit(Enter(base))
        return MemoryPlace(base, 0, ctype)

    def _any_padding(self, address: Expr, size: int, loc: Loc, sync: bool = False) -> None:
        value = self.b.temporary(size * 8)
        self.b.emit(Input(str(value.data), PADDING, loc=loc))
        self.store_bytes(address, value, loc, sync)

    def keep(self, value: Expr) -> Expr:
        """The value now, safe from later assignments to the registers in it."""
        if value.is_const or value.op == "own":
            return value
        target = self.b.temporary(value.width)
        self.b.emit(Assign(str(target.data), value))
        return target

    # ------------------------------------------------------------ checks and halts

    def check(self, condition: Expr, prop: str, message: str, loc: Loc) -> None:
        """Emit the check if its property is on; a condition that always holds costs nothing."""
        if prop in self.options.checks and not (condition.is_const and condition.value):
            self.b.emit(Check(condition, prop, message, loc=loc))

    def must(self, condition: Expr, prop: str, message: str, loc: Loc) -> None:
        """As `check`; with the property off, a false condition is undefined behaviour and stops the thread."""
        if condition.is_const and condition.value:
            return
        if prop in self.options.checks:
            self.b.emit(Check(condition, prop, message, loc=loc))
        else:
            self.undefined(message, loc, negate(condition))

    def undefined(self, message: str, loc: Loc, when: Expr | None = None, remedy: str = _CHECKED) -> None:
        marker = self.shared.marker("undefined", loc, message, remedy)
        if when is None:
            self.halt("undefined", marker, loc)
        else:
            self.b.emit(Halt("undefined", marker, when, loc))

    def contents_marker(self) -> int | None:
        """The marker of inputs of the library model at the cursor, if what they stand for is not exact."""
        frame: Expansion | None = self.frame
        while frame is not None and "library" in frame.function.attributes:
            if frame.contents is not None:
                return frame.contents
            frame = frame.parent
        return None

    def abstract(
        self, kind: str, loc: Loc, message: str, remedy: str = "", *, adds: bool = True, cuts: bool = False, values: bool = False
    ) -> int:
        """What follows at the cursor is no exact meaning of the program: the marker that every run which comes here passes, also for the
        inputs that stand for what is unknown. `message` is a noun phrase that says what is not exact. With `--strict` an Unsupported.
        With `values` nothing but those inputs is unknown."""
        if self.options.strict:
            raise Unsupported(loc, f"{message} is not modelled exactly{f': {remedy}' if remedy else ''} (--strict)")
        marker = self.shared.marker(kind, loc, message, remedy, cuts=cuts, adds=adds, values=values)
        self.b.seal()
        self.b.tag("marker", self.word_const(marker))
        return marker

    def placed(self, expr: tree.TypedExpr, *operands: Expr) -> None:
        """Where addresses are used as numbers, TRUE holds for one placement of the objects only: some run is cut there, and one goes on."""
        rule = self.shared.scan.numbers.get(id(expr))
        if rule is None:
            return
        condition = misplaced(rule, operands, self.memory.offset_bits)
        if condition.is_const and not condition.value:
            return
        message = "addresses are used as numbers, which holds for one placement of the objects"
        self._elsewhere(condition, message, "compare addresses for equality only, or within an object", expr.loc)

    def _elsewhere(self, condition: Expr, message: str, remedy: str, loc: Loc) -> None:
        """If the condition holds, objects may lie elsewhere: some run is cut, another goes on as they lie."""
        marker = self.shared.marker("placement", loc, message, remedy)
        elsewhere = self.b.temporary(1)
        self.b.emit(Input(str(elsewhere.data), PLACEMENT, None, condition, loc))
        self.b.emit(Halt("cut", marker, conj(condition, elsewhere), loc))

    def compared(self, expr: tree.BinaryExpr, *operands: Expr) -> None:
        """Whether a pointer to freed memory is equal to another one: the model of realloc always moves the block."""
        if not self.compares_freed(expr):
            return
        dead: Expr = FALSE
        for operand in operands:
            size = self.b.temporary(self.word)
            self.b.emit(Measure(str(size.data), operand))
            number = make("extract", self.word - self.memory.offset_bits, (operand,), self.memory.offset_bits)
            dead = disj(dead, conj(nonzero(number), negate(nonzero(size))))
        self._elsewhere(
            dead, "a pointer to freed memory is compared: realloc may have left the block where it was", "compare first", expr.loc
        )

    def compares_freed(self, expr: tree.BinaryExpr) -> bool:
        """Two pointers to objects are compared in a program of the user's that calls realloc."""
        if not self.shared.scan.reallocates or "library" in self.frame.function.attributes:
            return False
        sides = (expr.left, expr.right)
        objects = all(isinstance(side.type, ct.Pointer) and not isinstance(side.type.to, ct.Function) for side in sides)
        return objects and expr.op in ("==", "!=") and not any(isinstance(side, tree.IntConstant) for side in sides)

    def rounded(self, ctype: ct.CType, loc: Loc) -> None:
        """A `long double` is computed here, with the digits of a double: the program may get another value."""
        if isinstance(ctype, ct.Float) and ctype.name == "long double":
            self.abstract("long double", loc, "long double is computed as double", "compute with double", cuts=True)
        elif isinstance(ctype, ct.Float) and self.word == 32:
            self.shared.notes[_NO_X87] = None

    def any_value(self, width: int, name: str, marker: int, signed: bool = False) -> Expr:
        """An input that stands for a value nobody knows: a trace says what it was taken to be, and on which abstraction that rests."""
        target = self.b.temporary(width)
        self.b.emit(Input(str(target.data), name, loc=self.b.loc, signed=signed, marker=marker))
        return target

    def halt(self, kind: str, marker: int | None, loc: Loc) -> None:
        """The thread stops here, always."""
        self.b.emit(Halt(kind, marker, loc=loc))
        self.b.jump(self.b.template.stops[kind])

    # ------------------------------------------------------------ scopes

    def leave_scopes(self, down_to: int, *, lives: bool = True, cleans: bool = True) -> None:
        """Leave the scopes above `down_to`, innermost first; they stay open for other paths. `lives`: the objects there end their lives;
        `cleans`: functions of the attribute `cleanup` are called."""
        for scope in reversed(self.frame.scopes[down_to:]):
            for item in reversed(scope):
                if isinstance(item, Expr):
                    if lives:
                        self.b.emit(Leave(item, loc=self.b.loc))
                elif lives if gives_memory_back(item) else cleans:
                    self.effect(item)


def gives_memory_back(release: tree.TypedExpr) -> bool:
    """What ends the life of an array of variable length, as opposed to a call that the user wants."""
    return isinstance(release, tree.Call) and isinstance(release.callee, tree.FunctionName) and release.callee.name == "__fsoft_free"

"""What instructions of x86 do to registers, flags and memory (Intel's manual, volume 2), as terms.

`meaning` gives the function that carries out an instruction on a `MachineState`. Which instructions there are is in `_TABLE` and the
families below it; a name may end in the letter of its size (`addl`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial

from fsoft.program.expr import FALSE, Expr, conj, const, disj, eq, ite, make, negate, resize
from fsoft.program.lower.machine_text import Immediate, Instruction, MachineOperand, MachineRegister, UnknownText

_SUFFIXES = {"b": 1, "w": 2, "l": 4, "q": 8}
_CONDITIONS = {
    "e": "z", "z": "z", "ne": "!z", "nz": "!z", "c": "c", "b": "c", "nae": "c", "nc": "!c", "ae": "!c", "nb": "!c", "a": "a", "nbe": "a",
    "be": "!a", "na": "!a", "s": "s", "ns": "!s", "o": "o", "no": "!o", "l": "l", "nge": "l", "ge": "!l", "nl": "!l", "g": "g", "nle": "g",
    "le": "!g", "ng": "!g",
}  # fmt: skip


class MachineState(ABC):
    """`width`: of a register. `flags` has those that are known. `locked`, `bulk`: of the instruction that is being carried out."""

    def __init__(self, width: int):
        self.width = width
        self.flags: dict[str, Expr] = {}
        self.locked = False
        self.bulk = False

    @abstractmethod
    def size_of(self, operand: MachineOperand) -> int | None: ...

    @abstractmethod
    def is_memory(self, operand: MachineOperand) -> bool: ...

    @abstractmethod
    def address(self, operand: MachineOperand) -> Expr: ...

    @abstractmethod
    def read(self, operand: MachineOperand, size: int) -> Expr: ...

    @abstractmethod
    def write(self, operand: MachineOperand, value: Expr) -> None: ...

    @abstractmethod
    def load(self, address: Expr, size: int) -> Expr: ...

    @abstractmethod
    def store(self, address: Expr, value: Expr) -> None: ...

    @abstractmethod
    def kept(self, value: Expr) -> Expr: ...

    @abstractmethod
    def anything(self, width: int, name: str) -> Expr: ...

    @abstractmethod
    def unspecified(self, name: str) -> Expr: ...

    @abstractmethod
    def moved(self, address: Expr, delta: Expr) -> Expr: ...

    @abstractmethod
    def one_step(self) -> AbstractContextManager[None]: ...

    @abstractmethod
    def fence(self) -> None: ...

    @abstractmethod
    def trap(self) -> None: ...

    @abstractmethod
    def require(self, condition: Expr, prop: str, message: str) -> None: ...

    @abstractmethod
    def repeat(self, count: Expr, body: Callable[[Expr], None]) -> None: ...

    # ------------------------------------------------------------ flags

    def flag(self, name: str) -> Expr:
        return self.flags[name] if name in self.flags else self.unspecified("what a flag of the processor is")

    def condition(self, name: str) -> Expr:
        """The truth of a condition code, as in `sete`."""
        meant = _CONDITIONS.get(name)
        if meant is None:
            return self.unspecified("what a flag of the processor is")
        truth = self._truth(meant.lstrip("!"))
        return negate(truth) if meant.startswith("!") else truth

    def _truth(self, name: str) -> Expr:
        if name == "a":
            return negate(disj(self.flag("c"), self.flag("z")))
        if name in "lg":
            less = make("xor", 1, (self.flag("s"), self.flag("o")))
            return less if name == "l" else negate(disj(less, self.flag("z")))
        return self.flag(name)

    def set_flags(self, result: Expr, carry: Expr | None, overflow: Expr | None) -> None:
        """Zero and sign from the result; None leaves a flag open."""
        self.flags = {"z": self.kept(eq(result, const(0, result.width))), "s": self.kept(_sign(result))}
        if carry is not None:
            self.flags["c"] = self.kept(carry)
        if overflow is not None:
            self.flags["o"] = self.kept(overflow)


def _sign(value: Expr) -> Expr:
    return make("extract", 1, (value,), value.width - 1)


def _size(machine: MachineState, instruction: Instruction, suffix: int | None) -> int:
    """Bytes that the instruction works on."""
    if suffix is not None:
        return suffix
    ordered = sorted(instruction.operands, key=machine.is_memory)
    sizes = [size for size in map(machine.size_of, ordered) if size is not None]
    return sizes[-1] if sizes and not machine.is_memory(ordered[-1]) else sizes[0] if sizes else machine.width // 8


# ---------------------------------------------------------------- arithmetic


def _sum(a: Expr, b: Expr, carry: Expr) -> tuple[Expr, Expr, Expr]:
    """Sum, carry and overflow."""
    width = a.width
    wide = make("add", width + 1, (resize(a, width + 1, False), resize(b, width + 1, False)))
    wide = make("add", width + 1, (wide, resize(carry, width + 1, False)))
    total = make("extract", width, (wide,), 0)
    overflow = make("and", 1, (make("xor", 1, (_sign(a), _sign(total))), make("xor", 1, (_sign(b), _sign(total)))))
    return total, make("extract", 1, (wide,), width), overflow


def _difference(a: Expr, b: Expr, borrow: Expr) -> tuple[Expr, Expr, Expr]:
    total, carry, overflow = _sum(a, make("not", b.width, (b,)), negate(borrow))
    return total, negate(carry), overflow


def _combine(machine: MachineState, op: str, a: Expr, b: Expr) -> Expr:
    """a op b, with its flags."""
    if op in ("add", "adc", "xadd"):
        result, carry, overflow = _sum(a, b, machine.flag("c") if op == "adc" else FALSE)
    elif op in ("sub", "sbb", "cmp"):
        result, carry, overflow = _difference(a, b, machine.flag("c") if op == "sbb" else FALSE)
    else:
        result, carry, overflow = make("and" if op == "test" else op, a.width, (a, b)), FALSE, FALSE
    result = machine.kept(result)
    machine.set_flags(result, carry, overflow)
    return result


def _two(machine: MachineState, instruction: Instruction, size: int, op: str) -> None:
    source, target = instruction.operands
    b = machine.kept(machine.read(source, size))
    result = _combine(machine, op, machine.kept(machine.read(target, size)), b)
    if op not in ("cmp", "test"):
        machine.write(target, result)


def _one(machine: MachineState, instruction: Instruction, size: int, op: str) -> None:
    (target,) = instruction.operands
    old = machine.kept(machine.read(target, size))
    one = const(1, old.width)
    if op == "not":
        machine.write(target, make("not", old.width, (old,)))
        return
    carry = machine.flags.get("c")
    if op == "neg":
        result = _combine(machine, "sub", const(0, old.width), old)
    else:
        result = _combine(machine, "add" if op == "inc" else "sub", old, one)
        machine.flags.pop("c")
        machine.flags |= {} if carry is None else {"c": carry}
    machine.write(target, result)


def _shift(machine: MachineState, instruction: Instruction, size: int, op: str) -> None:
    *given, target = instruction.operands
    width = size * 8
    amount = machine.read(given[0], 1) if given else const(1, 8)
    count = make("and", width, (resize(amount, width, False), const(63 if width == 64 else 31, width)))
    old = machine.kept(machine.read(target, size))
    if op in ("rol", "ror"):
        turn = make("urem", width, (count, const(width, width)))
        back = make("sub", width, (const(width, width), turn))
        first, second = ("shl", "lshr") if op == "rol" else ("lshr", "shl")
        result = make("or", width, (make(first, width, (old, turn)), make(second, width, (old, back))))
    else:
        result = make({"shl": "shl", "sal": "shl", "shr": "lshr", "sar": "ashr"}[op], width, (old, count))
    machine.flags = {}
    machine.write(target, result)


def _family(letter: str, size: int) -> MachineRegister:
    return MachineRegister(letter, size)


def _mul(machine: MachineState, instruction: Instruction, size: int, op: str) -> None:
    signed, operands, width = op == "imul", instruction.operands, size * 8
    if len(operands) > 1:
        target = operands[-1]
        a = machine.read(operands[0], size)
        b = machine.read(operands[1], size)
        machine.flags = {}
        machine.write(target, make("mul", width, (a, b)))
        return
    a, b = machine.read(_family("a", size), size), machine.read(operands[0], size)
    wide = machine.kept(make("mul", 2 * width, (resize(a, 2 * width, signed), resize(b, 2 * width, signed))))
    machine.flags = {}
    _write_pair(machine, size, make("extract", width, (wide,), 0), make("extract", width, (wide,), width))


def _write_pair(machine: MachineState, size: int, low: Expr, high: Expr) -> None:
    """A double-length result: in a and d, or in ax."""
    if size == 1:
        machine.write(_family("a", 2), make("concat", 16, (high, low)))
    else:
        machine.write(_family("a", size), low)
        machine.write(_family("d", size), high)


def _div(machine: MachineState, instruction: Instruction, size: int, op: str) -> None:
    signed, width = op == "idiv", size * 8
    by = machine.kept(machine.read(instruction.operands[0], size))
    low, high = machine.read(_family("a", size), size), machine.read(_family("d", size), size)
    wide = machine.read(_family("a", 2), 2) if size == 1 else make("concat", 2 * width, (high, low))
    wide, long = machine.kept(wide), resize(by, 2 * width, signed)
    machine.require(negate(eq(by, const(0, width))), "no-division-by-zero", "division by zero")
    quotient = make("sdiv" if signed else "udiv", 2 * width, (wide, long))
    rest = make("srem" if signed else "urem", 2 * width, (wide, long))
    short = make("extract", width, (quotient,), 0)
    machine.require(eq(resize(short, 2 * width, signed), quotient), "no-division-by-zero", "a quotient that does not fit its register")
    machine.flags = {}
    _write_pair(machine, size, short, make("extract", width, (rest,), 0))


def _extend_a(machine: MachineState, instruction: Instruction, size: int, into: str) -> None:
    """cltd and its kin: the sign of a fills d; cltq: a is widened."""
    value = machine.read(_family("a", size), size)
    if into == "d":
        machine.write(_family("d", size), make("ashr", size * 8, (value, const(size * 8 - 1, size * 8))))
    else:
        machine.write(_family("a", 2 * size), resize(value, 16 * size, True))


# ---------------------------------------------------------------- moves


def _mov(machine: MachineState, instruction: Instruction, size: int, op: str) -> None:
    source, target = instruction.operands
    machine.write(target, machine.kept(machine.read(source, size)))


def _widen(machine: MachineState, instruction: Instruction, source_size: int, target_size: int, signed: bool) -> None:
    source, target = instruction.operands
    machine.write(target, resize(machine.read(source, source_size), target_size * 8, signed))


def _lea(machine: MachineState, instruction: Instruction, size: int, op: str) -> None:
    source, target = instruction.operands
    machine.write(target, resize(machine.address(source), size * 8, False))


def _xchg(machine: MachineState, instruction: Instruction, size: int, op: str) -> None:
    first, second = instruction.operands
    a, b = machine.kept(machine.read(first, size)), machine.kept(machine.read(second, size))
    memory, other = ((first, b), (second, a)) if machine.is_memory(first) else ((second, a), (first, b))
    machine.write(*memory)
    machine.write(*other)


def _xadd(machine: MachineState, instruction: Instruction, size: int, op: str) -> None:
    source, target = instruction.operands
    a, b = machine.kept(machine.read(target, size)), machine.kept(machine.read(source, size))
    result = _combine(machine, "xadd", a, b)
    machine.write(source, a)
    machine.write(target, result)


def _cmpxchg(machine: MachineState, instruction: Instruction, size: int, op: str) -> None:
    source, target = instruction.operands
    old, wanted = machine.kept(machine.read(target, size)), machine.kept(machine.read(_family("a", size), size))
    new = machine.kept(machine.read(source, size))
    _combine(machine, "cmp", wanted, old)
    machine.write(target, ite(machine.flag("z"), new, old))
    whole = machine.read(_family("a", machine.width // 8), machine.width // 8)
    after = old if old.width == machine.width else resize(old, machine.width, False) if old.width == 32 else None
    if after is None:
        machine.write(_family("a", size), old)
    else:
        machine.write(_family("a", machine.width // 8), ite(machine.flag("z"), whole, after))


def _cmpxchg_pair(machine: MachineState, instruction: Instruction, size: int, op: str) -> None:
    """cmpxchg8b, cmpxchg16b: d:a with memory, c:b goes there."""
    (target,) = instruction.operands
    where, width = machine.address(target), size * 8
    upper = machine.moved(where, const(size, machine.width))
    low, high = machine.kept(machine.load(where, size)), machine.kept(machine.load(upper, size))
    same = machine.kept(conj(eq(low, machine.read(_family("a", size), size)), eq(high, machine.read(_family("d", size), size))))
    machine.store(where, ite(same, machine.read(_family("b", size), size), low))
    machine.store(upper, ite(same, machine.read(_family("c", size), size), high))
    machine.write(_family("a", size), ite(same, machine.read(_family("a", size), size), resize(low, width, False)))
    machine.write(_family("d", size), ite(same, machine.read(_family("d", size), size), resize(high, width, False)))
    machine.flags["z"] = same


def _bswap(machine: MachineState, instruction: Instruction, size: int, op: str) -> None:
    (target,) = instruction.operands
    old = machine.kept(machine.read(target, size))
    result = make("extract", 8, (old,), 0)
    for k in range(8, old.width, 8):
        result = make("concat", result.width + 8, (result, make("extract", 8, (old,), k)))
    machine.write(target, result)


def _scan_bits(machine: MachineState, instruction: Instruction, size: int, op: str) -> None:
    """bsf, bsr leave the target alone if there is no bit, tzcnt, lzcnt count up to the width; popcnt."""
    source, target = instruction.operands
    width = size * 8
    value = machine.kept(machine.read(source, size))
    bits = [make("extract", 1, (value,), k) for k in range(width)]
    if op == "popcnt":
        result = const(0, width)
        for bit in bits:
            result = make("add", width, (result, resize(bit, width, False)))
    else:
        result = machine.read(target, size) if op in ("bsf", "bsr") else const(width, width)
        for k in range(width) if op in ("bsr", "lzcnt") else reversed(range(width)):
            result = ite(bits[k], const(width - 1 - k if op == "lzcnt" else k, width), result)
    machine.flags = {"z": machine.kept(eq(value, const(0, width)))}
    machine.write(target, result)


def _bit(machine: MachineState, instruction: Instruction, size: int, op: str) -> None:
    """bt, bts, btr, btc; a number in a register may lead out of a memory operand."""
    index, target = instruction.operands
    width = size * 8
    number = machine.kept(machine.read(index, size))
    within = make("and", width, (number, const(width - 1, width)))
    where = None
    if machine.is_memory(target):
        where = machine.address(target)
        if not isinstance(index, Immediate):
            words = make("ashr", width, (number, const(width.bit_length() - 1, width)))
            where = machine.moved(where, make("mul", machine.width, (resize(words, machine.width, True), const(size, machine.width))))
    old = machine.kept(machine.load(where, size) if where is not None else machine.read(target, size))
    mask = make("shl", width, (const(1, width), within))
    machine.flags = {"c": machine.kept(negate(eq(make("and", width, (old, mask)), const(0, width))))}
    if op == "bt":
        return
    changed = {"bts": ("or", mask), "btr": ("and", make("not", width, (mask,))), "btc": ("xor", mask)}[op]
    new = make(changed[0], width, (old, changed[1]))
    if where is not None:
        machine.store(where, new)
    else:
        machine.write(target, new)


def _set(machine: MachineState, instruction: Instruction, size: int, op: str) -> None:
    machine.write(instruction.operands[0], resize(machine.condition(op), 8, False))


def _cmov(machine: MachineState, instruction: Instruction, size: int, op: str) -> None:
    source, target = instruction.operands
    machine.write(target, ite(machine.condition(op), machine.read(source, size), machine.read(target, size)))


# ---------------------------------------------------------------- the processor


def _nothing(machine: MachineState, instruction: Instruction, size: int, op: str) -> None:
    return


def _fence(machine: MachineState, instruction: Instruction, size: int, op: str) -> None:
    machine.fence()


def _trap(machine: MachineState, instruction: Instruction, size: int, op: str) -> None:
    machine.trap()


def _clock(machine: MachineState, instruction: Instruction, size: int, op: str) -> None:
    for letter in "adc" if op == "rdtscp" else "ad":
        machine.write(_family(letter, 4), machine.anything(32, op))


def _identify(machine: MachineState, instruction: Instruction, size: int, op: str) -> None:
    for letter in "abcd":
        machine.write(_family(letter, 4), machine.anything(32, op))


def _string(machine: MachineState, instruction: Instruction, size: int, op: str) -> None:
    """stos and movs, once or c times, upwards."""
    word = machine.width // 8
    repeated = bool(instruction.prefixes)
    count = machine.kept(machine.read(_family("c", word), word)) if repeated else const(1, machine.width)
    to = machine.kept(machine.read(_family("D", word), word))
    source = machine.kept(machine.read(_family("S", word), word)) if op == "movs" else None
    value = machine.kept(machine.read(_family("a", size), size)) if op == "stos" else None

    def once(k: Expr) -> None:
        delta = make("mul", machine.width, (k, const(size, machine.width)))
        stored = value if value is not None else machine.load(machine.moved(source, delta), size) if source is not None else None
        assert stored is not None
        machine.store(machine.moved(to, delta), stored)

    machine.bulk = True
    machine.repeat(count, once)
    machine.bulk = False
    length = make("mul", machine.width, (count, const(size, machine.width)))
    machine.write(_family("D", word), machine.moved(to, length))
    if source is not None:
        machine.write(_family("S", word), machine.moved(source, length))
    if repeated:
        machine.write(_family("c", word), const(0, machine.width))


Meaning = Callable[[MachineState, Instruction, int, str], None]
_TABLE: dict[str, tuple[Meaning, int]] = {
    **dict.fromkeys(("add", "sub", "and", "or", "xor", "cmp", "test", "adc", "sbb"), (_two, 2)),
    **dict.fromkeys(("inc", "dec", "neg", "not"), (_one, 1)),
    **dict.fromkeys(("bsf", "bsr", "tzcnt", "lzcnt", "popcnt"), (_scan_bits, 2)),
    **dict.fromkeys(("bt", "bts", "btr", "btc"), (_bit, 2)),
    **dict.fromkeys(("nop", "pause", "cld"), (_nothing, 0)),
    **dict.fromkeys(("mfence", "lfence", "sfence"), (_fence, 0)),
    **dict.fromkeys(("ud2", "hlt", "int3"), (_trap, 0)),
    **dict.fromkeys(("stos", "movs"), (_string, 0)),
    "mov": (_mov, 2), "lea": (_lea, 2), "xchg": (_xchg, 2), "xadd": (_xadd, 2), "cmpxchg": (_cmpxchg, 2), "bswap": (_bswap, 1),
    "mul": (_mul, 1), "div": (_div, 1), "idiv": (_div, 1), "rdtsc": (_clock, 0), "rdtscp": (_clock, 0), "cpuid": (_identify, 0),
}  # fmt: skip
"""What an instruction does, and how many operands it has."""
_TWO_WRITING = ("add", "sub", "and", "or", "xor", "adc", "sbb")
_SHIFTS = ("shl", "sal", "shr", "sar", "rol", "ror")
_FIXED: dict[str, tuple[Meaning, int, str]] = {
    "cltd": (_extend_a, 4, "d"), "cdq": (_extend_a, 4, "d"), "cqto": (_extend_a, 8, "d"), "cqo": (_extend_a, 8, "d"),
    "cwtd": (_extend_a, 2, "d"), "cltq": (_extend_a, 4, "a"), "cdqe": (_extend_a, 4, "a"), "cwtl": (_extend_a, 2, "a"),
    "cmpxchg8b": (_cmpxchg_pair, 4, ""), "cmpxchg16b": (_cmpxchg_pair, 8, ""),
}  # fmt: skip
_LOCKABLE = frozenset(
    {*_TWO_WRITING, "inc", "dec", "neg", "not", "bts", "btr", "btc", "xchg", "xadd", "cmpxchg", "cmpxchg8b", "cmpxchg16b"}
)
_REPEATABLE = frozenset({"stos", "movs", "nop"})


def meaning(instruction: Instruction) -> Callable[[MachineState, Instruction], None]:
    """What carries out the instruction. Raises UnknownText for one that is not in the table."""
    name, does = _find(instruction)
    prefixes = set(instruction.prefixes)
    if "lock" in prefixes and name not in _LOCKABLE:
        raise UnknownText(name)
    if prefixes - {"lock"} and name not in _REPEATABLE:
        raise UnknownText(name)
    return partial(_carry_out, name, does)


def _carry_out(name: str, does: Callable[[MachineState, Instruction], None], machine: MachineState, instruction: Instruction) -> None:
    memory = any(machine.is_memory(operand) for operand in instruction.operands)
    machine.locked = memory and ("lock" in instruction.prefixes or name == "xchg")
    with machine.one_step() if machine.locked else nullcontext():
        does(machine, instruction)
    machine.locked = False


def _find(instruction: Instruction) -> tuple[str, Callable[[MachineState, Instruction], None]]:
    """The name without the letter of a size, and the meaning."""
    name, count = instruction.name, len(instruction.operands)
    if name in _FIXED:
        means, size, op = _FIXED[name]
        return name, lambda machine, it: means(machine, it, size, op)
    widened = _widening(name)
    if widened is not None and count == 2:
        return name, widened
    for prefix, does in (("set", _set), ("cmov", _cmov)):
        condition = name.removeprefix(prefix)
        if name.startswith(prefix) and (condition in _CONDITIONS or condition[:-1] in _CONDITIONS):
            code = condition if condition in _CONDITIONS else condition[:-1]
            return name, partial(_sized, does, None, code)
    for plain, suffix in ((name, None), (name[:-1], _SUFFIXES.get(name[-1:]))):
        if plain in _TABLE and _TABLE[plain][1] == count and (plain == name or suffix is not None):
            return plain, partial(_sized, _TABLE[plain][0], suffix, plain)
        if plain in _SHIFTS and count in (1, 2) and (plain == name or suffix is not None):
            return plain, partial(_sized, _shift, suffix, plain)
        if plain == "imul" and 1 <= count <= 3 and (plain == name or suffix is not None):
            return plain, partial(_sized, _mul, suffix, plain)
    raise UnknownText(name)


def _sized(does: Meaning, suffix: int | None, op: str, machine: MachineState, instruction: Instruction) -> None:
    does(machine, instruction, _size(machine, instruction, suffix), op)


def _widening(name: str) -> Callable[[MachineState, Instruction], None] | None:
    """movzbl, movslq and their kin."""
    letters = name[4:]
    if name[:4] not in ("movz", "movs") or len(letters) != 2 or any(letter not in _SUFFIXES for letter in letters):
        return None
    source, target = (_SUFFIXES[letter] for letter in letters)
    return lambda machine, instruction: _widen(machine, instruction, source, target, name[3] == "s")


__all__ = ["MachineState", "meaning"]

"""Inline assembly for x86: known instructions mean what they do to operands, flags and memory; others write unknown values.

A statement runs on a small machine: registers by family, flags, and memory through the operands. An instruction with `lock`, and `xchg`
with memory, is one step. What is not known writes any value to each output; where it says that it clobbers memory it may write anything,
which is left out, so that it forbids TRUE.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from fsoft.frontend import tree
from fsoft.frontend import types as ct
from fsoft.program.expr import Expr, binary, const, make, resize
from fsoft.program.lower.calls import CallLowering
from fsoft.program.lower.instructions import MachineState, meaning
from fsoft.program.lower.layout import is_signed, value_bits
from fsoft.program.lower.machine_text import (
    GivenOperands,
    Immediate,
    Indirect,
    MachineOperand,
    MachineRegister,
    UnknownText,
    read_instructions,
)
from fsoft.program.program import ORDERS, Assign, Input, Load, Store

_FAMILIES = frozenset("abcdSD")
_MOST_UNROLLED = 64


class AssemblyLowering(CallLowering):
    """`assembly` lowers a statement."""

    def assembly(self, asm: tree.Asm) -> None:
        operands = (*asm.outputs, *asm.inputs)
        try:
            instructions = read_instructions(asm.template, [operand.name for operand in operands])
            meanings = [meaning(instruction) for instruction in instructions]
        except UnknownText:
            self._unknown_assembly(asm)
            return
        if asm.labels:
            self._unknown_assembly(asm)
            return
        machine = Processor(self, asm)
        for instruction, means in zip(instructions, meanings, strict=True):
            means(machine, instruction)
        machine.finish()

    # ------------------------------------------------------------ what is not known

    def _unknown_assembly(self, asm: tree.Asm) -> None:
        shown = " ".join(asm.template.split())
        shown = shown if len(shown) <= 40 else shown[:37] + "..."
        wild = "memory" in asm.clobbers
        marker = self.abstract("assembly", asm.loc, f"inline assembly '{shown}'", "write it in C", cuts=wild)
        for operand in asm.inputs:
            self.effect(operand.expr)
        for operand in asm.outputs:
            ctype = operand.expr.type
            if operand.memory:
                self._any_memory(operand, marker)
            else:
                value = self.any_value(value_bits(ctype), "output of assembly", marker, is_signed(ctype))
                self.store(self.place(operand.expr), value, asm.loc)
        for label in asm.labels:
            self._perhaps_to(asm, label, marker)

    def _any_memory(self, operand: tree.AsmOperand, marker: int) -> None:
        address = self.keep(self.value(operand.expr))
        to = operand.expr.type.to if isinstance(operand.expr.type, ct.Pointer) else ct.VOID
        if ct.is_complete(to):
            for run in self.memory.runs(to, self.b.loc):
                for k in range(run.count):
                    value = self.any_value(run.size * 8, "output of assembly", marker, run.signed)
                    self.store_bytes(self.add_bytes(address, self.word_const(run.start + k * run.stride)), value, self.b.loc)

    def _perhaps_to(self, asm: tree.Asm, label: str, marker: int) -> None:
        choice = self.any_value(1, "assembly jumps", marker)
        away, on = self.b.location(), self.b.location()
        self.b.branch(choice, away, on)
        self.b.place(away)
        self.statement(tree.Goto(asm.loc, label))
        self.b.place(on)


class Processor(MachineState):
    """The machine that one statement runs on."""

    def __init__(self, lowering: AssemblyLowering, asm: tree.Asm):
        super().__init__(lowering.word)
        self.low, self.asm = lowering, asm
        self.operands: tuple[tree.AsmOperand, ...] = (*asm.outputs, *asm.inputs)
        self.homes = self._homes()
        self.registers: dict[str, Expr] = {}
        self.addresses: dict[int, Expr] = {}
        for number, operand in enumerate(self.operands):
            self._take(number, operand)

    # ------------------------------------------------------------ operands

    def _homes(self) -> list[str]:
        """The register of each operand: of the family that its constraint names, that of another operand, or one of its own."""
        homes: list[str] = []
        for number, operand in enumerate(self.operands):
            letters = operand.constraint.lstrip("=+&%").rstrip(",")
            same = "".join(c for c in letters if c.isdigit())
            family = next((c for c in letters if c in _FAMILIES), None) if len(letters) == 1 else None
            if same and number >= len(self.asm.outputs):
                homes.append(homes[int(same)])
            elif letters.startswith("[") and letters[1:-1] in (names := [item.name for item in self.asm.outputs]):
                homes.append(homes[names.index(letters[1:-1])])
            else:
                homes.append(family or f"%{number}")
        return homes

    def _take(self, number: int, operand: tree.AsmOperand) -> None:
        if operand.memory:
            self.addresses[number] = self.low.keep(self.low.value(operand.expr))
            return
        output = number < len(self.asm.outputs)
        if not output or operand.constraint.startswith("+"):
            value = self.low.value(operand.expr)
            signed = is_signed(operand.expr.type)
            self.registers[self.homes[number]] = self.low.keep(resize(value, max(self.width, value.width), signed))

    def finish(self) -> None:
        """Outputs get what is in their registers."""
        outputs = [
            (operand, self.read(GivenOperands(number), value_bits(operand.expr.type) // 8) if not operand.memory else None)
            for number, operand in enumerate(self.asm.outputs)
        ]
        for operand, value in outputs:
            if value is not None:
                flag = operand.constraint.partition("@cc")[2]
                value = resize(self.condition(flag), value.width, False) if flag else value
                self.low.store(self.low.place(operand.expr), value, self.asm.loc)

    # ------------------------------------------------------------ reading and writing

    def size_of(self, operand: MachineOperand) -> int | None:
        """Bytes of an operand, if it says so itself."""
        if isinstance(operand, MachineRegister):
            return operand.size
        if isinstance(operand, GivenOperands):
            if operand.size is not None:
                return operand.size
            ctype = self.operands[operand.number].expr.type
            if operand.number in self.addresses:
                to = ctype.to if isinstance(ctype, ct.Pointer) else ctype
                return ct.size_of(to) if ct.is_scalar(to) else None
            if isinstance(self.operands[operand.number].expr, tree.IntConstant) and operand.number >= len(self.asm.outputs):
                return None
            return value_bits(ctype) // 8
        return None

    def is_memory(self, operand: MachineOperand) -> bool:
        return isinstance(operand, Indirect) or (isinstance(operand, GivenOperands) and operand.number in self.addresses)

    def address(self, operand: MachineOperand) -> Expr:
        if isinstance(operand, GivenOperands):
            return self.addresses[operand.number]
        assert isinstance(operand, Indirect)
        base = self._word(operand.base) if operand.base is not None else const(0, self.width)
        delta = const(operand.displacement, self.width)
        if operand.index is not None:
            scaled = make("mul", self.width, (self._word(operand.index), const(operand.scale, self.width)))
            delta = make("add", self.width, (delta, scaled))
        return self.low.add_bytes(base, delta)

    def _word(self, part: GivenOperands | MachineRegister) -> Expr:
        return self.read(part, self.width // 8)

    def _register(self, name: str) -> Expr:
        if name not in self.registers:
            marker = self.low.abstract(
                "assembly", self.asm.loc, "what a register holds that nothing has been put into", "name it as an input"
            )
            self.registers[name] = self.low.any_value(self.width, "register", marker)
        return self.registers[name]

    def read(self, operand: MachineOperand, size: int) -> Expr:
        if isinstance(operand, Immediate):
            return const(operand.value, size * 8)
        if self.is_memory(operand):
            return self.load(self.address(operand), size)
        assert isinstance(operand, (GivenOperands, MachineRegister))
        whole = self._register(self.homes[operand.number] if isinstance(operand, GivenOperands) else operand.family)
        if operand.high:
            return make("extract", 8, (whole,), 8)
        return resize(whole, size * 8, False)

    def write(self, operand: MachineOperand, value: Expr) -> None:
        """A part of 32 bits clears the upper half of its register, smaller ones leave the rest alone."""
        if self.is_memory(operand):
            self.store(self.address(operand), value)
            return
        assert isinstance(operand, (GivenOperands, MachineRegister))
        name = self.homes[operand.number] if isinstance(operand, GivenOperands) else operand.family
        if operand.high:
            whole = self._register(name)
            mask = const(~0xFF00, whole.width)
            shifted = make("shl", whole.width, (resize(value, whole.width, False), const(8, whole.width)))
            self._keep(name, make("or", whole.width, (make("and", whole.width, (whole, mask)), shifted)))
        elif value.width >= 32 or name not in self.registers:
            self._keep(name, resize(value, max(self.width, value.width), False))
        else:
            rest = make("extract", self.width - value.width, (self._register(name),), value.width)
            self._keep(name, make("concat", self.width, (rest, value)))

    def _keep(self, name: str, value: Expr) -> None:
        self.registers[name] = self.low.keep(value)

    def kept(self, value: Expr) -> Expr:
        return self.low.keep(value)

    def load(self, address: Expr, size: int) -> Expr:
        target = self.low.b.temporary(size * 8)
        order = "" if self.locked else "acquire"
        self.low.b.emit(Load(str(target.data), address, size, not self.bulk, loc=self.asm.loc, order="" if self.bulk else order))
        return target

    def store(self, address: Expr, value: Expr) -> None:
        order = "" if self.locked else "release"
        self.low.b.emit(Store(address, value, value.width // 8, not self.bulk, loc=self.asm.loc, order="" if self.bulk else order))

    def anything(self, width: int, name: str) -> Expr:
        target = self.low.b.temporary(width)
        self.low.b.emit(Input(str(target.data), name, loc=self.asm.loc))
        return target

    def unspecified(self, name: str) -> Expr:
        return self.low.any_value(1, "flag", self.low.abstract("assembly", self.asm.loc, name, "write it in C"))

    def moved(self, address: Expr, delta: Expr) -> Expr:
        return self.low.add_bytes(address, delta)

    # ------------------------------------------------------------ steps

    def one_step(self) -> AbstractContextManager[None]:
        return self.low.b.one_step()

    def fence(self) -> None:
        with self.low.b.one_step():
            self.low.b.tag("fence", const(ORDERS.index(""), 32))
            self.low.b.tag("update")

    def trap(self) -> None:
        self.low.halt("ended", None, self.asm.loc)

    def require(self, condition: Expr, prop: str, message: str) -> None:
        self.low.must(condition, prop, message, self.asm.loc)

    # ------------------------------------------------------------ repeated string instructions

    def repeat(self, count: Expr, body: Callable[[Expr], None]) -> None:
        """`body(k)` for each k below the count."""
        if count.is_const and count.value <= _MOST_UNROLLED:
            for k in range(count.value):
                body(const(k, self.width))
            return
        low = self.low
        counter = low.b.temporary(self.width)
        low.b.emit(Assign(str(counter.data), const(0, self.width)))
        low.frame.loops += 1
        name = f"{low.frame.function.name}.{low.frame.loops}{low.frame.suffix}"
        head, inside, end = low.b.location(loop=name), low.b.location(), low.b.location()
        low.b.place(head)
        low.b.branch(binary("ult", counter, count), inside, end)
        low.b.place(inside)
        body(counter)
        low.b.emit(Assign(str(counter.data), make("add", self.width, (counter, const(1, self.width)))))
        low.b.jump(head)
        low.b.place(end)

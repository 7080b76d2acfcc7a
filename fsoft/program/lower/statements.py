"""Statements of typed C as control flow."""

from __future__ import annotations

from collections import Counter
from itertools import takewhile

from fsoft.frontend import tree
from fsoft.frontend import types as ct
from fsoft.frontend.source import InputError, Unsupported
from fsoft.program.expr import FALSE, Expr, binary, conj, const, disj, eq, negate
from fsoft.program.lower.assembly import AssemblyLowering
from fsoft.program.lower.context import Jumps, MemoryPlace, RegisterPlace
from fsoft.program.lower.layout import is_signed
from fsoft.program.lower.scan import JumpTarget, jumps_stay_inside, targets, trip_count, walk
from fsoft.program.program import PADDING, Assign, Enter, Input

MOST_NESTED = 8000


class StatementLowering(AssemblyLowering):
    """`before` is the statement just before in the same block: a `for` finds its counter's first value there. `depth` counts
    the statements around the current one, those of calling functions included."""

    depth = 0

    def statement(self, statement: tree.Statement, before: tree.Statement | None = None) -> None:
        if self.b.here is None and isinstance(statement, (tree.Asm, tree.ExprStatement, tree.Return, tree.Goto, tree.Break, tree.Continue)):
            return
        self.depth += 1
        if self.depth > MOST_NESTED:
            raise InputError(statement.loc, f"statements are nested too deeply with calls expanded (more than {MOST_NESTED} deep)")
        self.at(statement.loc)
        mark = self.b.mark()
        if isinstance(statement, tree.ExprStatement):
            self.effect(statement.expr)
        elif isinstance(statement, tree.Declare):
            self._declare(statement)
        elif isinstance(statement, tree.Block):
            self.block(statement)
        elif isinstance(statement, tree.If):
            self._if(statement)
        elif isinstance(statement, tree.LoopStatement):
            self._loop(statement, before)
        elif isinstance(statement, tree.Switch):
            self._switch(statement)
        elif isinstance(statement, (tree.Case, tree.Default)):
            self.b.place(self.frame.cases[-1][id(statement)])
        elif isinstance(statement, tree.Label):
            self._label(statement)
        elif isinstance(statement, tree.Return):
            self._return(statement)
        elif isinstance(statement, tree.Asm):
            self.assembly(statement)
        else:
            self._jump(statement)
        self.b.release(mark)
        self.depth -= 1

    def block(self, block: tree.Block) -> None:
        self.frame.scopes.append([])
        self.frame.blocks.append(block)
        outer, places = self.repeat, len(self.jump_places)
        before: tree.Statement | None = None
        for item in block.items:
            self.statement(item, before)
            before = item
        if outer is not None and self.repeat is None and jumps_stay_inside(block, self.frame.function.body):
            self.repeat = outer if places == len(self.jump_places) else None
        if self.b.here is not None:
            self.at(block.end)
            self.leave_scopes(len(self.frame.scopes) - 1, lives=not self._ends_main(block))
        self.frame.scopes.pop()
        self.frame.blocks.pop()

    def _ends_main(self, block: tree.Block) -> bool:
        """Whether its end is that of main: as with `return`, the process ends before the locals of main do."""
        return block is self.frame.function.body and self.frame.parent is None and self.name == self.options.entry

    # ------------------------------------------------------------ declarations

    def _declare(self, declare: tree.Declare) -> None:
        place = self.variable(declare.symbol)
        assert not isinstance(place, Expr)
        if isinstance(place, MemoryPlace):
            self.b.emit(Enter(place.base))
            self.frame.scopes[-1].append(place.base)
        if declare.release is not None:
            self.frame.scopes[-1].append(declare.release)
        if declare.init is not None:
            self.initialise(place, declare.symbol.type, declare.init)
        elif isinstance(place, RegisterPlace):
            name = f"uninitialised {declare.symbol.name}"
            self.b.emit(Input(str(place.reg.data), name, loc=declare.loc, signed=is_signed(place.type)))

    def initialise(self, place: MemoryPlace | RegisterPlace, ctype: ct.CType, init: tree.Initializer) -> None:
        if isinstance(place, RegisterPlace):
            value = self.value(init.items[-1].value) if init.items else const(0, place.reg.width)
            self.b.emit(Assign(str(place.reg.data), value))
            return
        if init.zero:
            self._zero(place, ctype, init)
        values = Counter(id(item.value) for item in init.items)
        once: dict[int, Expr] = {}
        for item in init.items:
            self._item(place, ctype, item, once if values[id(item.value)] > 1 else None)

    def _zero(self, place: MemoryPlace, ctype: ct.CType, init: tree.Initializer) -> None:
        """Zero for the cells that no item covers. Padding is as in a variable without initialiser (C11 6.7.9 says nothing of it)."""
        covered = {(i.offset, ct.size_of(i.type)) for i in init.items if i.bitfield is None and ct.is_scalar(i.type)}
        for run in self.memory.runs(ctype, self.b.loc):
            for k in range(run.count):
                at = run.start + k * run.stride
                if (at, run.size) not in covered and run.ctype != PADDING:
                    address = self.add_bytes(place.base, self.word_const(place.offset + at))
                    self.store_bytes(address, const(0, run.size * 8), self.b.loc)

    def _item(self, place: MemoryPlace, ctype: ct.CType, item: tree.InitItem, once: dict[int, Expr] | None) -> None:
        """`once` has the values of ranges, which are evaluated once for all their elements."""
        target = MemoryPlace(place.base, place.offset + item.offset, item.type)
        if isinstance(item.value, tree.StringLiteral) and isinstance(item.type, ct.Array):
            self._characters(target, item.type, item.value)
        elif isinstance(item.type, ct.Record):
            source = MemoryPlace(self._evaluated(item.value, once), 0, item.type) if once is not None else self.record(item.value)
            self.copy_record(target, source, item.type, item.value.loc, fresh=True)
        elif item.bitfield is not None:
            record, base = _holder(ctype, item)
            bits = self.memory.layouts.bit_range(record, item.bitfield)
            holder = MemoryPlace(place.base, place.offset + base, item.type, bits)
            self.store(holder, self._evaluated(item.value, once), item.value.loc)
        else:
            self.store(target, self._evaluated(item.value, once), item.value.loc)

    def _evaluated(self, expr: tree.TypedExpr, once: dict[int, Expr] | None) -> Expr:
        """The value, or the address of the struct; of a range it is evaluated for the first element."""
        if once is None:
            return self.value(expr)
        if id(expr) not in once:
            value = self.address(self.record(expr)) if isinstance(expr.type, ct.Record) else self.value(expr)
            once[id(expr)] = self.keep(value)
        return once[id(expr)]

    def _characters(self, target: MemoryPlace, ctype: ct.Array, literal: tree.StringLiteral) -> None:
        unit = ct.size_of(ctype.element)
        for k in range(min(ctype.count or 0, len(literal.data) // unit)):
            value = int.from_bytes(literal.data[k * unit : (k + 1) * unit], "little")
            address = self.add_bytes(target.base, self.word_const(target.offset + k * unit))
            self.store_bytes(address, const(value, unit * 8), literal.loc)

    # ------------------------------------------------------------ branches and loops

    def _if(self, statement: tree.If) -> None:
        yes, end = self.b.location(), self.b.location()
        no = self.b.location() if statement.other is not None else end
        mark = self.b.mark()
        self.branch_on(statement.condition, yes, no)
        self.b.release(mark)
        self.b.place(yes)
        self.statement(statement.then)
        self.b.jump(end)
        if statement.other is not None:
            self.b.place(no)
            self.statement(statement.other)
            self.b.jump(end)
        self.b.place(end)

    def _loop(self, loop: tree.LoopStatement, before: tree.Statement | None) -> None:
        name = f"{self.frame.function.name}.{self.frame.loops}{self.frame.suffix}"
        self.frame.loops += 1
        head, body, end = self.b.location(loop=name), self.b.location(), self.b.location()
        go_on = self.b.location() if loop.step is not None or not loop.test_first else head
        outer, places = self.repeat, len(self.jump_places)
        trips = trip_count(loop, before, self.shared.scan)
        self.repeat = None if trips is None or outer is None else outer * trips
        self.frame.jumps.append(Jumps(end, go_on, len(self.frame.scopes)))
        if self.b.here is None and any(isinstance(n, (tree.Label, tree.Case, tree.Default)) for n in walk(loop.body)):
            self.b.force(head)
        self.b.place(head)
        if loop.test_first:
            self._test(loop, body, end)
            self.b.place(body)
        if not self._nothing(loop.body):
            self.statement(loop.body)
        self._next(loop, head, go_on, end)
        self.frame.jumps.pop()
        self.b.place(end)
        self.repeat = outer if places == len(self.jump_places) else None

    @staticmethod
    def _nothing(body: tree.Statement) -> bool:
        return isinstance(body, tree.Block) and not body.items

    def _test(self, loop: tree.LoopStatement, body: int, end: int) -> None:
        self.at(loop.loc)
        mark = self.b.mark()
        if loop.condition is None:
            self.b.jump(body)
        else:
            self.branch_on(loop.condition, body, end)
        self.b.release(mark)

    def _next(self, loop: tree.LoopStatement, head: int, go_on: int, end: int) -> None:
        """What happens after the body: step of a `for`, test of a `do`."""
        if go_on != head:
            self.b.place(go_on)
        self.at(loop.loc)
        if loop.step is not None:
            mark = self.b.mark()
            self.effect(loop.step)
            self.b.release(mark)
        if loop.test_first:
            self.b.jump(head)
        else:
            self._test(loop, head, end)

    def _switch(self, switch: tree.Switch) -> None:
        value = self.keep(self.value(switch.value))
        signed = is_signed(switch.value.type)
        ways: list[tuple[Expr, int]] = []
        end = self.b.location()
        default, taken = end, FALSE
        own = [target for target in targets(switch.body) if not isinstance(target.label, tree.Label)]
        places = {id(target.label): self.b.location() for target in own}
        late = {id(target.label): self.b.location() for target in own if target.declared}  # ways past declarations
        for label in (target.label for target in own):
            location = late.get(id(label), places[id(label)])
            if isinstance(label, tree.Case):
                guard = _within(value, label.low, label.high, signed)
                ways.append((guard, location))
                taken = disj(taken, guard)
            else:
                default = location
        self.b.switch([*ways, (negate(taken), default)])
        for target in own:
            if target.declared:
                self.b.place(late[id(target.label)])
                self._come_to_life(target, [])
                self.b.jump(places[id(target.label)])
        self.frame.cases.append(places)
        self.frame.jumps.append(Jumps(end, None, len(self.frame.scopes)))
        self.statement(switch.body)
        self.frame.jumps.pop()
        self.frame.cases.pop()
        self.b.place(end)

    # ------------------------------------------------------------ jumps

    def _jump(self, statement: tree.Statement) -> None:
        if isinstance(statement, tree.Goto):
            self._goto(self._named_target(statement, statement.label))
            self.b.jump(self.frame.labels[statement.label])
            return
        target = self.frame.jumps[-1] if self.frame.jumps else None
        if isinstance(statement, tree.Continue):
            target = next((j for j in reversed(self.frame.jumps) if j.continue_to is not None), None)
        if target is None:
            raise InputError(statement.loc, "'break' or 'continue' outside a loop")
        self.leave_scopes(target.scopes)
        to = target.break_to if isinstance(statement, tree.Break) else target.continue_to
        assert to is not None
        self.b.jump(to)

    def _named_target(self, statement: tree.Statement, label: str) -> JumpTarget:
        if label not in self.frame.targets:
            raise Unsupported(statement.loc, f"label '{label}' inside a statement expression is not modelled")
        return self.frame.targets[label]

    def _goto(self, target: JumpTarget) -> None:
        """Leave the blocks that are not around the target, and enter those that are only around it."""
        pairs = zip(self.frame.blocks, target.blocks, strict=False)
        shared = 1 + sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], pairs))
        self.leave_scopes(shared)
        self._come_to_life(target, [address for scope in self.frame.scopes[:shared] for address in scope if isinstance(address, Expr)])

    def _come_to_life(self, target: JumpTarget, alive: list[Expr]) -> None:
        """An object lives from the entry to its block on: a jump past its declaration is such an entry."""
        for symbol in target.declared:
            place = self.variable(symbol)
            if isinstance(place, MemoryPlace) and place.base not in alive:
                self.b.emit(Enter(place.base))

    def _label(self, label: tree.Label) -> None:
        self._named_target(label, label.name)
        target = self.frame.labels[label.name]
        facts = self.shared.scan.facts[self.frame.function.name]
        if label.name in facts.back_labels:
            self.b.force(target)
        self.b.place(target)
        where = self.b.template.locations[target]
        where.labels = (label.name,)
        if label.name in facts.back_labels:
            self.repeat = None
            where.loop = f"{self.frame.function.name}.{label.name}{self.frame.suffix}"
        if self._is_error(label, label.name in facts.endless):
            self.check(FALSE, "unreach-call", f"label {label.name} is reached", label.loc)

    def _is_error(self, label: tree.Label, endless: bool) -> bool:
        """Whether reaching the label is a violation: those asked for, and ERROR where the program is a task of the competition."""
        if "library" in self.frame.function.attributes:
            return False
        if label.name in self.options.error_labels or (label.name == "ERROR" and (endless or self.shared.unit.contest)):
            return True
        if label.name == "ERROR" and "unreach-call" in self.options.checks:
            self.shared.notes["the label ERROR is a label like any other (--error-label ERROR: reaching it violates unreach-call)"] = None
        return False

    def _return(self, statement: tree.Return) -> None:
        frame = self.frame
        if statement.value is not None:
            if isinstance(statement.value.type, ct.Record):
                assert frame.result is not None
                target = MemoryPlace(frame.result, 0, statement.value.type)
                self.copy_record(target, self.record(statement.value), statement.value.type, statement.loc, fresh=True)
            elif frame.result is not None:
                self.b.emit(Assign(str(frame.result.data), self.value(statement.value)))
            else:
                self.effect(statement.value)
        else:
            self.no_value()
        self.leave_scopes(0, lives=frame.parent is not None or self.name != self.options.entry)
        self.b.jump(frame.return_to)


def _holder(ctype: ct.CType, item: tree.InitItem) -> tuple[ct.Record, int]:
    """The record inside `ctype` that has the item's bit-field, and its offset."""
    base = 0
    while True:
        if isinstance(ctype, ct.Array):
            step = max(1, ct.size_of(ctype.element))
            base += (item.offset - base) // step * step
            ctype = ctype.element
            continue
        assert isinstance(ctype, ct.Record) and ctype.fields is not None
        if any(f is item.bitfield or (f == item.bitfield and base + f.offset == item.offset) for f in ctype.fields):
            return ctype, base
        inner = next(
            f for f in reversed(ctype.fields)
            if isinstance(f.type, (ct.Record, ct.Array)) and base + f.offset <= item.offset < base + f.offset + max(1, ct.size_of(f.type))
        )  # fmt: skip
        base, ctype = base + inner.offset, inner.type


def _within(value: Expr, low: int, high: int, signed: bool) -> Expr:
    if low == high:
        return eq(value, const(low, value.width))
    at_most = "sle" if signed else "ule"
    return conj(binary(at_most, const(low, value.width), value), binary(at_most, value, const(high, value.width)))

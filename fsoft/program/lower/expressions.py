"""Expressions of typed C: each visible access its own step, in the evaluation order that the user chose."""

from __future__ import annotations

from collections.abc import Callable

from fsoft.frontend import tree
from fsoft.frontend import types as ct
from fsoft.frontend.source import Loc
from fsoft.program.expr import TRUE, Expr, binary, bits_of_float, conj, const, disj, eq, make, negate, resize
from fsoft.program.lower import operators as ops
from fsoft.program.lower.bounds import array_bound
from fsoft.program.lower.context import LoweredPlace, LoweringContext, MemoryPlace, RegisterPlace
from fsoft.program.lower.layout import is_signed, value_bits
from fsoft.program.program import Assign, Enter, Input

MOST_READS = 24
_QUIET = (tree.IntConstant, tree.FloatConstant, tree.FunctionName, tree.StringLiteral)


class ExpressionLowering(LoweringContext):
    """`value` gives the scalar value, `place` the lvalue, `record` the place of a struct, `effect` throws the value away. `_indexed` are
    arrays (as decayed, by identity) of which an element is accessed: then they are there, not only a place one past an end."""

    _indexed: set[int]

    # ------------------------------------------------------------ values

    def value(self, expr: tree.TypedExpr) -> Expr:
        method = _VALUE.get(type(expr))
        if method is not None:
            return method(self, expr)
        return self.load(self.place(expr), expr.loc)

    def _constant(self, expr: tree.IntConstant) -> Expr:
        return const(expr.value, value_bits(expr.type))

    def _float(self, expr: tree.FloatConstant) -> Expr:
        if not expr.exact:
            self.rounded(expr.type, expr.loc)
        width = value_bits(expr.type)
        return const(bits_of_float(expr.value, width), width)

    def _address_of(self, expr: tree.AddressOf) -> Expr:
        if isinstance(expr.lvalue, tree.FunctionName):
            return self.static_address(self.memory.function(expr.lvalue.name).id)
        if isinstance(expr.lvalue, tree.Deref) and id(expr) not in self._indexed:
            return self.value(expr.lvalue.pointer)
        place = self.place(expr.lvalue)
        assert isinstance(place, MemoryPlace), "the address of a register is taken"
        return self.address(place)

    def _function(self, expr: tree.FunctionName) -> Expr:
        return self.static_address(self.memory.function(expr.name).id)

    def _unary(self, expr: tree.UnaryExpr) -> Expr:
        if expr.op == "!":
            return resize(negate(self.condition(expr.operand)), value_bits(expr.type), False)
        value = self.value(expr.operand)
        self.placed(expr, value)
        if expr.op == "~":
            return make("not", value.width, (value,))
        if isinstance(expr.type, ct.Float):
            return ops.float_negate(value)
        if is_signed(expr.type):
            zero = const(0, value.width)
            self.check(ops.no_overflow("-", expr.type, zero, value), "no-overflow", "signed overflow in negation", expr.loc)
        return make("neg", value.width, (value,))

    def _binary(self, expr: tree.BinaryExpr) -> Expr:
        if expr.op in ops.COMPARISONS:
            return resize(self.condition(expr), value_bits(expr.type), False)
        mark = self.b.mark()
        a, b = self.both(expr.left, expr.right)
        self.placed(expr, a, b)
        return self._small(self.arithmetic(expr.op, expr.type, a, b, expr.right.type, expr.loc), mark)

    def _small(self, value: Expr, mark: int) -> Expr:
        """A long sum is kept in a register from time to time, so that no expression reads very many registers; the temporaries
        since `mark` were only for it."""
        if len(value.reads) <= MOST_READS:
            return value
        self.b.release(mark)
        return self.keep(value)

    def arithmetic(self, op: str, ctype: ct.CType, a: Expr, b: Expr, right: ct.CType, loc: Loc) -> Expr:
        """`a op b` with the checks that apply."""
        self.rounded(ctype, loc)
        if isinstance(ctype, ct.Int):
            if op in ("/", "%"):
                self.must(negate(make("eq", 1, (b, const(0, b.width)))), "no-division-by-zero", "division by zero", loc)
            if op in ("<<", ">>"):
                self.must(ops.good_shift(op, ctype, b, right), "no-bad-shift", "shift distance is negative or too large", loc)
                if op == "<<" and is_signed(ctype):
                    self.check(binary("sle", const(0, a.width), a), "no-bad-shift", "a negative number is shifted to the left", loc)
            elif is_signed(ctype) and op in "/%":
                self.must(ops.no_overflow(op, ctype, a, b), "no-overflow", f"signed overflow in '{op}'", loc)
            elif is_signed(ctype) and op in "+-*":
                self.check(ops.no_overflow(op, ctype, a, b), "no-overflow", f"signed overflow in '{op}'", loc)
        return ops.arithmetic(op, ctype, a, b)

    def _pointer_add(self, expr: tree.PointerAdd) -> Expr:
        pointer, index = self.both(expr.pointer, expr.index)
        self.placed(expr, pointer, index)
        return self.move(pointer, index, expr.index.type, expr.sign * expr.scale)

    def _element(self, expr: tree.PointerAdd, count: int) -> Expr:
        """The place of `array[index]`, which is accessed: the index must be within the array, whatever is beside it in the object."""
        self._indexed.add(id(expr.pointer))
        pointer, index = self.both(expr.pointer, expr.index)
        position = resize(index, self.word, is_signed(expr.index.type))
        if expr.sign < 0:
            position = make("neg", self.word, (position,))
        assert isinstance(expr.pointer, tree.AddressOf)
        message = f"index out of bounds of '{expr.pointer.lvalue.type}'"
        self.check(binary("ult", position, self.word_const(count)), "no-bad-index", message, expr.loc)
        return self.move(pointer, index, expr.index.type, expr.sign * expr.scale)

    def move(self, pointer: Expr, index: Expr, index_type: ct.CType, scale: int) -> Expr:
        wide = resize(index, self.word, is_signed(index_type))
        return self.add_bytes(pointer, make("mul", self.word, (wide, self.word_const(scale))))

    def _pointer_diff(self, expr: tree.PointerDiff) -> Expr:
        a, b = self.both(expr.left, expr.right)
        self.placed(expr, a, b)
        distance = make("sub", self.word, (a, b))
        return resize(make("sdiv", self.word, (distance, self.word_const(max(1, expr.scale)))), value_bits(expr.type), True)

    def _logical(self, expr: tree.Logical) -> Expr:
        return resize(self.condition(expr), value_bits(expr.type), False)

    def _conditional(self, expr: tree.Conditional) -> Expr:
        if self.quiet(expr.then) and self.quiet(expr.other):
            condition = self.condition(expr.condition)
            a, b = self.value(expr.then), self.value(expr.other)
            return make("ite", a.width, (condition, a, b))
        result = self.b.temporary(value_bits(expr.type))
        self._either(expr, lambda arm: self.b.emit(Assign(str(result.data), self.value(arm))))
        return result

    def _either(self, expr: tree.Conditional, use: Callable[[tree.TypedExpr], None]) -> None:
        yes, no, join = self.b.location(), self.b.location(), self.b.location()
        self.branch_on(expr.condition, yes, no)
        for start, arm in ((yes, expr.then), (no, expr.other)):
            self.b.place(start)
            use(arm)
            self.b.jump(join)
        self.b.place(join)

    def _comma(self, expr: tree.Comma) -> Expr:
        self.effect(expr.left)
        return self.value(expr.right)

    def _assign(self, expr: tree.Assignment) -> Expr:
        if isinstance(expr.type, ct.Record):
            raise AssertionError("record assignment has no scalar value")
        self._sequenced(expr)
        place, value = self.target_and_value(expr.target, expr.value)
        self.store(place, value, expr.loc)
        return self._stored(place, value)

    def _sequenced(self, expr: tree.Assignment | tree.CompoundAssign) -> None:
        """Where C gives a full expression no meaning, its thread stops."""
        name = self.shared.scan.unsequenced.get(id(expr))
        if name is not None:
            message = f"'{name}' is changed twice, or changed and used, with no sequence point between"
            self.undefined(message, expr.loc, TRUE, "write it as two statements")

    def _stored(self, place: LoweredPlace, value: Expr) -> Expr:
        """The value of an assignment: what the target then holds."""
        if isinstance(place, RegisterPlace):
            return place.reg
        if place.bits is not None:
            part = make("extract", place.bits.width, (value,), 0)
            return resize(part, value.width, is_signed(place.type))
        return value

    def target_and_value(self, target: tree.TypedExpr, value: tree.TypedExpr) -> tuple[LoweredPlace, Expr]:
        if self.options.eval_order == "right":
            right = self.value(value)
            return self.place(target), right
        if self.options.eval_order == "any" and not self.quiet(value) and not self._simple_target(target):
            return self._any_target_order(target, value)
        place = self.place(target)
        return place, self.value(value)

    @staticmethod
    def _simple_target(target: tree.TypedExpr) -> bool:
        while isinstance(target, tree.MemberExpr):
            target = target.base
        return isinstance(target, tree.VariableExpr)

    def _any_target_order(self, target: tree.TypedExpr, value: tree.TypedExpr) -> tuple[LoweredPlace, Expr]:
        """Both orders; the place is pinned to a register so that the two ways can join."""
        base = self.b.temporary(self.word)
        result = self.b.temporary(value_bits(value.type))
        shape: list[MemoryPlace] = []

        def left() -> None:
            place = self.place(target)
            assert isinstance(place, MemoryPlace)
            self.b.emit(Assign(str(base.data), place.base))
            shape.append(place)

        self.in_any_order(left, lambda: self.b.emit(Assign(str(result.data), self.value(value))))
        pinned = shape[0]
        return MemoryPlace(base, pinned.offset, pinned.type, pinned.bits, pinned.atomic), result

    def in_any_order(self, *parts: Callable[[], None]) -> None:
        """All parts, in every order: each of as many turns takes one of those that are left."""
        if len(parts) == 1:
            parts[0]()
            return
        left = self.b.temporary(len(parts))
        self.b.emit(Assign(str(left.data), const(-1, len(parts))))
        for turn in range(len(parts)):
            self._one_of(parts, left, last=turn == len(parts) - 1)

    def _one_of(self, parts: tuple[Callable[[], None], ...], left: Expr, last: bool) -> None:
        """Do a part whose bit in `left` is set, and clear it."""
        choice = self.b.temporary(8)
        self.b.emit(Input(str(choice.data), "evaluation order", left, loc=self.b.loc))
        ways, join = [self.b.location() for _ in parts], self.b.location()
        self.b.switch([(eq(choice, const(k, 8)), way) for k, way in enumerate(ways)])
        for k, (way, part) in enumerate(zip(ways, parts, strict=True)):
            self.b.place(way)
            part()
            if not last:
                self.b.emit(Assign(str(left.data), make("and", left.width, (left, const(~(1 << k), left.width)))))
            self.b.jump(join)
        self.b.place(join)

    def _compound(self, expr: tree.CompoundAssign) -> Expr:
        self._sequenced(expr)
        if self.options.eval_order == "any" and self._simple_target(expr.target) and not self.quiet(expr.value):
            place = self.place(expr.target)
            if not (isinstance(place, MemoryPlace) and place.atomic):
                return self._update_in_any_order(expr, place)
        place, operand = self.target_and_value(expr.target, expr.value)
        if isinstance(place, MemoryPlace) and place.atomic:
            operand = self.keep(operand)
            with self.b.one_step():
                return self._update(expr, place, operand)
        return self._update(expr, place, operand)

    def _update_in_any_order(self, expr: tree.CompoundAssign, place: LoweredPlace) -> Expr:
        """`x += f()`: x is read before the call or after it."""
        old, operand = self.b.temporary(value_bits(expr.target.type)), self.b.temporary(value_bits(expr.value.type))
        self.in_any_order(
            lambda: self.b.emit(Assign(str(old.data), self.load(place, expr.loc))),
            lambda: self.b.emit(Assign(str(operand.data), self.value(expr.value))),
        )
        return self._update(expr, place, operand, old)

    def _update(self, expr: tree.CompoundAssign, place: LoweredPlace, operand: Expr, old: Expr | None = None) -> Expr:
        old = self.load(place, expr.loc) if old is None else old
        if expr.postfix:
            old = self.keep(old)
        if isinstance(expr.compute, ct.Pointer):
            self.placed(expr, old, operand)
            new = self.move(old, operand, expr.value.type, expr.scale if expr.op == "+" else -expr.scale)
        else:
            wide = ops.convert(old, expr.target.type, expr.compute)
            self.placed(expr, wide, operand)
            result = self.arithmetic(expr.op, expr.compute, wide, operand, expr.value.type, expr.loc)
            new = self.convert(result, expr.compute, expr.target.type, expr.loc)
        if isinstance(place, MemoryPlace):
            new = self._short(new)
        self.store(place, new, expr.loc)
        return old if expr.postfix else self._stored(place, new)

    def _short(self, value: Expr) -> Expr:
        """Values that are used twice (stored and returned) are computed once."""
        return value if value.is_const or not value.args else self.keep(value)

    def _cast(self, expr: tree.Cast) -> Expr:
        source = expr.operand.type
        outer = self.hint
        if isinstance(expr.type, ct.Pointer) and not isinstance(expr.type.to, (ct.Void, ct.Function)):
            self.hint = expr.type.to
        value = self.value(expr.operand)
        self.hint = outer
        self.placed(expr, value)
        return self.convert(value, source, expr.type, expr.loc)

    def convert(self, value: Expr, source: ct.CType, target: ct.CType, loc: Loc) -> Expr:
        """A conversion with the check that applies: of a floating number too large for an integer type C says nothing."""
        if isinstance(source, ct.Float) and isinstance(target, ct.Int) and target.name != "_Bool":
            value = self.keep(value)
            message = f"a floating number is converted to '{target}', which cannot hold it"
            self.must(ops.float_fits(value, target), "no-bad-conversion", message, loc)
        if isinstance(source, ct.Int) and value.width >= 64:
            self.rounded(target, loc)
        return ops.convert(value, source, target)

    def _call(self, expr: tree.Call) -> Expr:
        result = self.call(expr)
        if isinstance(result, Expr):
            return result
        return const(0, max(8, value_bits(expr.type)))

    def _statement_expr(self, expr: tree.StatementExpr) -> Expr:
        self.frame.scopes.append([])
        self.frame.blocks.append(expr.body)
        before: tree.Statement | None = None
        for item in expr.body.items:
            self.statement(item, before)
            before = item
        value = self.keep(self.value(expr.value)) if expr.value is not None else const(0, 8)
        self.leave_scopes(len(self.frame.scopes) - 1)
        self.frame.scopes.pop()
        self.frame.blocks.pop()
        return value

    # ------------------------------------------------------------ two operands

    def both(self, left: tree.TypedExpr, right: tree.TypedExpr) -> tuple[Expr, Expr]:
        """Both values, in the chosen order."""
        order = self.options.eval_order
        if order == "left" or self.quiet(left) or self.quiet(right):
            a = self.value(left)
            return a, self.value(right)
        if order == "right":
            b = self.value(right)
            return self.value(left), b
        a, b = self.b.temporary(value_bits(left.type)), self.b.temporary(value_bits(right.type))
        self.in_any_order(
            lambda: self.b.emit(Assign(str(a.data), self.value(left))),
            lambda: self.b.emit(Assign(str(b.data), self.value(right))),
        )
        return a, b

    def quiet(self, expr: tree.TypedExpr) -> bool:
        """No access to memory, no side effect, no check: evaluating it emits nothing."""
        stack: list[tree.TypedExpr] = [expr]
        while stack:
            node = stack.pop()
            if isinstance(node, _QUIET) and getattr(node, "exact", True):
                continue
            if isinstance(node.type, ct.Float) and node.type.name == "long double" and not isinstance(node, tree.VariableExpr):
                return False
            if id(node) in self.shared.scan.numbers:
                return False
            if isinstance(node, tree.VariableExpr):
                if not self._in_register(node.symbol):
                    return False
            elif isinstance(node, tree.BinaryExpr):
                if not self._quiet_operator(node):
                    return False
                stack += [node.left, node.right]
            elif isinstance(node, (tree.Logical, tree.PointerDiff)):
                stack += [node.left, node.right]
            elif isinstance(node, tree.UnaryExpr):
                if "no-overflow" in self.options.checks:
                    return False
                stack.append(node.operand)
            elif isinstance(node, tree.Cast):
                if isinstance(node.operand.type, ct.Float) and isinstance(node.type, ct.Int):
                    return False
                stack.append(node.operand)
            elif isinstance(node, tree.PointerAdd):
                if "no-bad-index" in self.options.checks and not isinstance(node.pointer, tree.VariableExpr):
                    return False
                stack += [node.pointer, node.index]
            elif isinstance(node, tree.Conditional):
                stack += [node.condition, node.then, node.other]
            elif isinstance(node, tree.AddressOf):
                if not isinstance(node.lvalue, (tree.VariableExpr, tree.FunctionName, tree.StringLiteral)):
                    return False
            else:
                return False
        return True

    def _quiet_operator(self, node: tree.BinaryExpr) -> bool:
        if self.compares_freed(node):
            return False
        if node.op in ("/", "%") and not isinstance(node.type, ct.Float):
            return isinstance(node.right, tree.IntConstant) and node.right.value not in (0, -1)
        if node.op in ("<<", ">>"):
            if node.op == "<<" and "no-bad-shift" in self.options.checks and is_signed(node.type):
                return False
            return isinstance(node.right, tree.IntConstant) and 0 <= node.right.value < value_bits(node.type)
        return "no-overflow" not in self.options.checks or node.op in ops.COMPARISONS

    def _in_register(self, symbol: tree.Symbol) -> bool:
        return symbol.storage in ("local", "param") and not symbol.address_taken and ct.is_scalar(symbol.type)

    # ------------------------------------------------------------ conditions

    def condition(self, expr: tree.TypedExpr) -> Expr:
        """The truth of an expression, one bit."""
        if isinstance(expr, tree.BinaryExpr) and expr.op in ops.COMPARISONS:
            a, b = self.both(expr.left, expr.right)
            self.placed(expr, a, b)
            self.compared(expr, a, b)
            return ops.compare(expr.op, expr.left.type, a, b)
        if isinstance(expr, tree.UnaryExpr) and expr.op == "!":
            return negate(self.condition(expr.operand))
        if isinstance(expr, tree.Logical):
            return self._logical_condition(expr)
        return ops.truth(self.value(expr), expr.type)

    def _logical_condition(self, expr: tree.Logical) -> Expr:
        if self.quiet(expr.right):
            join = conj if expr.op == "&&" else disj
            left = self.condition(expr.left)
            return join(left, self.condition(expr.right))
        result = self.b.temporary(1)
        yes, no, end = self.b.location(), self.b.location(), self.b.location()
        self.branch_on(expr, yes, no)
        for start, truth in ((yes, 1), (no, 0)):
            self.b.place(start)
            self.b.emit(Assign(str(result.data), const(truth, 1)))
            self.b.jump(end)
        self.b.place(end)
        return result

    def branch_on(self, expr: tree.TypedExpr, yes: int, no: int) -> None:
        """Go to `yes` or `no` by the truth of the expression, with short circuits as control flow."""
        if isinstance(expr, tree.UnaryExpr) and expr.op == "!":
            self.branch_on(expr.operand, no, yes)
        elif isinstance(expr, tree.Logical) and not self.quiet(expr.right):
            middle = self.b.location()
            if expr.op == "&&":
                self.branch_on(expr.left, middle, no)
            else:
                self.branch_on(expr.left, yes, middle)
            self.b.place(middle)
            self.branch_on(expr.right, yes, no)
        elif not self._branch_on_alternatives(expr, yes, no):
            self.b.branch(self.condition(expr), yes, no)

    def _branch_on_alternatives(self, expr: tree.TypedExpr, yes: int, no: int) -> bool:
        """`if (__fsoft_spurious())`: both ways, one of them tagged."""
        if isinstance(expr, tree.Call) and isinstance(expr.callee, tree.FunctionName):
            kind = {"__fsoft_spurious": "spurious", "__fsoft_timeout": "timeout"}.get(expr.callee.name)
            if kind is not None:
                self.b.alternatives(kind, yes, no)
                return True
        return False

    # ------------------------------------------------------------ places

    def place(self, expr: tree.TypedExpr) -> LoweredPlace:
        if isinstance(expr, tree.VariableExpr):
            place = self.variable(expr.symbol)
            return RegisterPlace(place, expr.type) if isinstance(place, Expr) else place
        if isinstance(expr, tree.Deref):
            count = array_bound(expr.pointer) if "no-bad-index" in self.options.checks else None
            if count is not None and isinstance(expr.pointer, tree.PointerAdd):
                return MemoryPlace(self._element(expr.pointer, count), 0, expr.type, atomic=expr.atomic)
            return MemoryPlace(self.value(expr.pointer), 0, expr.type, atomic=expr.atomic)
        if isinstance(expr, tree.MemberExpr):
            return self._member(expr)
        if isinstance(expr, tree.StringLiteral):
            return MemoryPlace(self.static_address(self.memory.string(expr).id), 0, expr.type)
        if isinstance(expr, tree.CompoundLiteral):
            return self._literal(expr)
        return self.record(expr)

    def variable(self, symbol: tree.Symbol) -> Expr | LoweredPlace:
        """Where a variable is: bound to an expression, in a register, or in memory."""
        bound = self.frame.bindings.get(symbol)
        if bound is not None:
            return bound
        if symbol.storage in ("global", "static"):
            base = self.static_address(self.memory.static(symbol).id)
            return MemoryPlace(base, 0, symbol.type, atomic=symbol.atomic)
        if symbol.storage == "thread":
            return MemoryPlace(self._thread_local(symbol), 0, symbol.type, atomic=symbol.atomic)
        name = self.instance_name(symbol)
        place: LoweredPlace
        if self._in_register(symbol):
            shown = "" if symbol.loc.file.startswith("<") else symbol.name
            register = self.b.register(name, value_bits(symbol.type), shown, is_signed(symbol.type), str(symbol.type))
            place = RegisterPlace(register, symbol.type)
        else:
            place = MemoryPlace(self.local_object(name, symbol.type, symbol.loc), 0, symbol.type, atomic=symbol.atomic)
        self.frame.bindings[symbol] = place
        return place

    def _thread_local(self, symbol: tree.Symbol) -> Expr:
        definition = self.shared.unit.globals.get(symbol.unique)
        size = ct.size_of(symbol.type)
        image = self.memory.image(definition.init, size, symbol.loc) if definition and definition.init else bytes(size)
        address = self.local_object(symbol.unique, symbol.type, symbol.loc, image)
        self.thread_locals[str(address.data)] = None
        return address

    def _member(self, expr: tree.MemberExpr) -> MemoryPlace:
        base = self.place(expr.base)
        assert isinstance(base, MemoryPlace)
        field = expr.field
        record = expr.base.type
        assert isinstance(record, ct.Record)
        if field.bit_width is not None:
            bits = self.memory.layouts.bit_range(record, field)
            return MemoryPlace(base.base, base.offset, expr.type, bits, expr.atomic)
        return MemoryPlace(base.base, base.offset + field.offset, expr.type, atomic=expr.atomic)

    def _literal(self, expr: tree.CompoundLiteral) -> LoweredPlace:
        if expr.symbol.storage in ("global", "static"):
            place = self.variable(expr.symbol)
            assert isinstance(place, MemoryPlace)
            return place
        place = self.variable(expr.symbol)
        assert not isinstance(place, Expr)
        if isinstance(place, MemoryPlace):
            self.b.emit(Enter(place.base))
            if place.base not in self.frame.scopes[-1]:
                self.frame.scopes[-1].append(place.base)
        self.initialise(place, expr.type, expr.init)
        return place

    def record(self, expr: tree.TypedExpr) -> MemoryPlace:
        """The place of a record value, wherever it comes from."""
        if isinstance(expr, tree.Assignment):
            return self._assign_record(expr)
        if isinstance(expr, tree.Call):
            result = self.call(expr)
            if isinstance(result, MemoryPlace):
                return result
            return MemoryPlace(self.word_const(0), 0, expr.type)
        if isinstance(expr, tree.Comma):
            self.effect(expr.left)
            return self.record(expr.right)
        if isinstance(expr, tree.Cast):
            return self.record(expr.operand)
        if isinstance(expr, tree.Conditional):
            base = self.b.temporary(self.word)
            self._either(expr, lambda arm: self.b.emit(Assign(str(base.data), self.address(self.record(arm)))))
            return MemoryPlace(base, 0, expr.type)
        if isinstance(expr, tree.StatementExpr):
            return self._record_statement(expr)
        place = self.place(expr)
        assert isinstance(place, MemoryPlace)
        return place

    def _assign_record(self, expr: tree.Assignment) -> MemoryPlace:
        """The value is what was assigned: of an `_Atomic` target it is not read again."""
        self._sequenced(expr)
        target, source = self.record(expr.target), self.record(expr.value)
        if target.atomic and source.atomic:
            kept = self.new_record(expr.type, expr.loc)
            self.copy_record(kept, source, expr.type, expr.loc)
            source = kept
        self.copy_record(target, source, expr.type, expr.loc)
        return source if target.atomic else target

    def _record_statement(self, expr: tree.StatementExpr) -> MemoryPlace:
        target = self.new_record(expr.type, expr.loc)
        self.frame.scopes.append([])
        self.frame.blocks.append(expr.body)
        for item in expr.body.items:
            self.statement(item)
        assert expr.value is not None
        self.copy_record(target, self.record(expr.value), expr.type, expr.loc, fresh=True)
        self.leave_scopes(len(self.frame.scopes) - 1)
        self.frame.scopes.pop()
        self.frame.blocks.pop()
        return target

    # ------------------------------------------------------------ for effect only

    def effect(self, expr: tree.TypedExpr) -> None:
        if isinstance(expr, tree.Cast) and isinstance(expr.type, ct.Void):
            self.effect(expr.operand)
        elif isinstance(expr, tree.Comma):
            self.effect(expr.left)
            self.effect(expr.right)
        elif isinstance(expr, tree.Conditional) and not (self.quiet(expr.then) and self.quiet(expr.other)):
            self._either(expr, self.effect)
        elif isinstance(expr, tree.Call):
            self.call(expr)
        elif isinstance(expr.type, ct.Record):
            self.record(expr)
        elif isinstance(expr, tree.StatementExpr) and expr.value is None:
            self._statement_expr(expr)
        elif not isinstance(expr.type, ct.Void) or not isinstance(expr, (tree.VariableExpr, tree.Deref)):
            self.value(expr)


_VALUE: dict[type, Callable[..., Expr]] = {
    tree.IntConstant: ExpressionLowering._constant,
    tree.FloatConstant: ExpressionLowering._float,
    tree.AddressOf: ExpressionLowering._address_of,
    tree.FunctionName: ExpressionLowering._function,
    tree.UnaryExpr: ExpressionLowering._unary,
    tree.BinaryExpr: ExpressionLowering._binary,
    tree.PointerAdd: ExpressionLowering._pointer_add,
    tree.PointerDiff: ExpressionLowering._pointer_diff,
    tree.Logical: ExpressionLowering._logical,
    tree.Conditional: ExpressionLowering._conditional,
    tree.Comma: ExpressionLowering._comma,
    tree.Assignment: ExpressionLowering._assign,
    tree.CompoundAssign: ExpressionLowering._compound,
    tree.Cast: ExpressionLowering._cast,
    tree.Call: ExpressionLowering._call,
    tree.StatementExpr: ExpressionLowering._statement_expr,
}

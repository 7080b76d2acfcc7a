"""GCC's `__atomic_*` and `__sync_*` and clang's `__c11_atomic_*`: each is one step of loads and stores that do not race. What they read or
write through further pointers, as what a comparison expects, is plain memory.

An operation on a struct accesses its cells in one step;
its value is the cells one after the other, the first lowest. The values are those of sequential consistency; where the program asked for
less, a note says so. The accesses keep the order that was asked for (`Load.order`), for the race model c11.
"""

from __future__ import annotations

import re

from fsoft.frontend import tree
from fsoft.frontend import types as ct
from fsoft.frontend.source import Loc, Unsupported
from fsoft.program.expr import FALSE, TRUE, Expr, conj, const, eq, make, negate, nonzero, resize
from fsoft.program.lower.context import MemoryPlace
from fsoft.program.lower.expressions import ExpressionLowering
from fsoft.program.lower.layout import value_bits
from fsoft.program.options import WEAKER_ORDER
from fsoft.program.program import ORDERS, Assign, Input, Load, Store

_NAME = re.compile(r"__(?:c11_)?(atomic|sync)_(.*)")
_NO_ORDER = ("always_lock_free", "is_lock_free", "init", "signal_fence", "synchronize")
_SYNC_ORDERS = {"lock_test_and_set": "acquire", "lock_release": "release"}
_UNKNOWN = "?"
_GIVEN = {"store": (1,), "exchange": (1,), "compare_exchange": (1, 2), "compare_exchange_strong": (1,), "compare_exchange_weak": (1,)}
_MOST_CELLS = 64
_UPDATE = re.compile(r"(?:fetch_and_|fetch_)(add|sub|and|or|xor|nand)|(add|sub|and|or|xor|nand)(?:_and_fetch|_fetch)")


CellSpan = tuple[int, int]
"""Offset and size."""


class AtomicLowering(ExpressionLowering):
    """`atomic_call` gives the value of such a call, or None if the name is not one of them. `_order` and `_failure` are the memory
    orders of the call that is being written; `_given` has what its arguments point to, `_beside` what it writes elsewhere, and when."""

    _order = _failure = ""
    _given: dict[int, Expr]
    _beside: list[tuple[Expr, Expr, Expr]]

    def atomic_call(self, call: tree.Call, name: str) -> Expr | MemoryPlace | None:
        match = _NAME.fullmatch(name)
        if match is None:
            return None
        family, operation = match.groups()
        update = _UPDATE.fullmatch(operation)
        if update is not None:
            old_wanted = update.group(1) is not None
            return self._update_atomically(call, update.group(1) or update.group(2), old_wanted, family)
        method = getattr(self, "_atomic_" + operation.removesuffix("_n"), None)
        if method is None:
            raise Unsupported(call.loc, f"the builtin '{name}' is not modelled; see docs/supported.md")
        values = [self._operand_value(argument) for argument in call.args]
        self._set_orders(family, operation.removesuffix("_n"), values)
        by_pointer = family == "atomic" and "c11" not in name and not operation.endswith("_n")
        self._read_beside(call, operation.removesuffix("_n"), values, by_pointer)
        with self.b.one_step():
            if operation in ("thread_fence", "synchronize"):
                self.b.tag("fence", values[0] if values else const(ORDERS.index(""), 32))
            self.b.tag("update", values[0] if values else None)
            result = method(call, values, by_pointer)
        for address, value, when in self._beside:
            self._scatter(address, value, call, when, self.frame.sync, "")
        assert isinstance(result, Expr)
        return self._as_record(result, call) if isinstance(call.type, ct.Record) else result

    def _operand_value(self, argument: tree.TypedExpr) -> Expr:
        if not isinstance(argument.type, ct.Record):
            return self.value(argument)
        return self._gather(self.address(self.record(argument)), self._cells(argument.type, argument.loc), argument.loc)

    def _as_record(self, value: Expr, call: tree.Call) -> MemoryPlace:
        place = self.new_record(call.type, call.loc)
        self._scatter(self.address(place), value, call, TRUE, False, "")
        return place

    def _read_beside(self, call: tree.Call, operation: str, values: list[Expr], by_pointer: bool) -> None:
        """What the operation is given through pointers: plain accesses before the atomic one, as those to `_beside` come after it."""
        self._beside = []
        wanted = _GIVEN.get(operation, ())
        if not by_pointer and "compare" not in operation:
            wanted = ()
        cells = self._cells_of(call)
        self._given = {k: self._gather(values[k], cells, call.loc) for k in wanted if k == 1 or by_pointer}

    def _set_orders(self, family: str, operation: str, values: list[Expr]) -> None:
        """The orders that the call names: of a success and, for a comparison, of a failure."""
        self._order = self._failure = _SYNC_ORDERS.get(operation, "") if family == "sync" else ""
        if family == "sync" or operation in _NO_ORDER:
            return
        named = values[-2:] if operation.startswith("compare_exchange") else values[-1:]
        self._order, self._failure = _order_of(named[0]), _order_of(named[-1])
        if self._order or self._failure:
            self.shared.notes[WEAKER_ORDER] = None

    # ------------------------------------------------------------ pieces

    def _cells_of(self, call: tree.Call) -> list[CellSpan]:
        """The cells of the object that the operation is on."""
        pointer = call.args[0].type
        target = pointer.to if isinstance(pointer, ct.Pointer) else ct.VOID
        return [(0, 1)] if isinstance(target, ct.Void) else self._cells(target, call.loc)

    def _cells(self, ctype: ct.CType, loc: Loc) -> list[CellSpan]:
        if not isinstance(ctype, ct.Record):
            return [(0, value_bits(ctype) // 8)]
        cells = [(run.start + k * run.stride, run.size) for run in self.memory.runs(ctype, loc) for k in range(run.count)]
        if not 0 < len(cells) <= _MOST_CELLS:
            raise Unsupported(loc, f"an atomic operation on an object of {len(cells)} cells is not modelled; make it smaller")
        return sorted(cells)

    def _bits(self, call: tree.Call) -> int:
        return 8 * sum(size for _, size in self._cells_of(call))

    def _gather(self, address: Expr, cells: list[CellSpan], loc: Loc, sync: bool = False, order: str = "") -> Expr:
        """The value of these cells."""
        value: Expr | None = None
        for offset, size in cells:
            target = self.b.temporary(size * 8)
            at = self.add_bytes(address, self.word_const(offset))
            self.b.emit(Load(str(target.data), at, size, sync or self.frame.sync, loc=loc, order=order))
            value = target if value is None else make("concat", value.width + target.width, (target, value))
        assert value is not None
        return value

    def _scatter(self, address: Expr, value: Expr, call: tree.Call, when: Expr, sync: bool, order: str) -> None:
        """The value goes to the cells of the object that the operation is on, or of one like it."""
        done = 0
        for offset, size in self._cells_of(call):
            part = make("extract", size * 8, (value,), done)
            done += size * 8
            self.b.emit(Store(self.add_bytes(address, self.word_const(offset)), part, size, sync, when, call.loc, order))

    def _get(self, address: Expr, call: tree.Call, order: str) -> Expr:
        return self._gather(address, self._cells_of(call), call.loc, True, order)

    def _put(self, address: Expr, value: Expr, call: tree.Call, when: Expr = TRUE, *, order: str) -> None:
        self._scatter(address, value, call, when, True, order)

    def _update_atomically(self, call: tree.Call, op: str, old_wanted: bool, family: str) -> Expr:
        address, operand = self.value(call.args[0]), self.value(call.args[1])
        pointer = call.args[0].type
        self._set_orders(family, "update", [self.value(call.args[2])] if family == "atomic" else [])
        with self.b.one_step():
            self.b.tag("update", address)
            old = self._get(address, call, self._order)
            amount = resize(operand, old.width, True)
            if isinstance(pointer, ct.Pointer) and isinstance(pointer.to, ct.Pointer) and op in ("add", "sub"):
                new = self.add_bytes(old, amount if op == "add" else make("neg", amount.width, (amount,)))
            elif op == "nand":
                new = make("not", old.width, (make("and", old.width, (old, amount)),))
            else:
                new = make(op, old.width, (old, amount))
            new = self.keep(new)
            self._put(address, new, call, order=self._order)
        return old if old_wanted else new

    # ------------------------------------------------------------ loads, stores, exchanges

    def _atomic_load(self, call: tree.Call, v: list[Expr], by_pointer: bool) -> Expr:
        old = self._get(v[0], call, self._order)
        if by_pointer:
            self._beside.append((v[1], old, TRUE))
        return old

    def _atomic_store(self, call: tree.Call, v: list[Expr], by_pointer: bool) -> Expr:
        value = self._given[1] if by_pointer else resize(v[1], self._bits(call), True)
        self._put(v[0], value, call, order=self._order)
        return value

    def _atomic_init(self, call: tree.Call, v: list[Expr], by_pointer: bool) -> Expr:
        """Not atomic (C11 7.17.2.2)."""
        value = resize(v[1], self._bits(call), True)
        self._beside.append((v[0], value, TRUE))
        return value

    def _atomic_exchange(self, call: tree.Call, v: list[Expr], by_pointer: bool) -> Expr:
        value = self._given[1] if by_pointer else resize(v[1], self._bits(call), True)
        old = self._get(v[0], call, self._order)
        self._put(v[0], value, call, order=self._order)
        if by_pointer:
            self._beside.append((v[2], old, TRUE))
        return old

    def _atomic_lock_test_and_set(self, call: tree.Call, v: list[Expr], by_pointer: bool) -> Expr:
        return self._atomic_exchange(call, v, False)

    def _atomic_lock_release(self, call: tree.Call, v: list[Expr], by_pointer: bool) -> Expr:
        zero = const(0, self._bits(call))
        self._put(v[0], zero, call, order=self._order)
        return zero

    _atomic_clear = _atomic_lock_release

    def _atomic_test_and_set(self, call: tree.Call, v: list[Expr], by_pointer: bool) -> Expr:
        old = self._get(v[0], call, self._order)
        self._put(v[0], const(1, old.width), call, order=self._order)
        return resize(negate(eq(old, const(0, old.width))), 8, False)

    # ------------------------------------------------------------ compare and swap

    def _compare_exchange(self, call: tree.Call, v: list[Expr], desired: Expr, weak: Expr) -> Expr:
        """`weak`: one bit, whether it may fail for no reason."""
        old = self._get(v[0], call, self._failure)
        same = eq(old, self._given[1])
        if not weak.is_const or weak.value:
            fails = self.b.temporary(1)
            self.b.emit(Input(str(fails.data), "weak compare-exchange fails", loc=call.loc))
            same = conj(same, negate(conj(fails, weak)))
        done = self._exchange_if(same, v[0], desired, call, self._order)
        self._beside.append((v[1], old, negate(done)))
        return resize(done, 8, False)

    def _exchange_if(self, same: Expr, address: Expr, desired: Expr, call: tree.Call, order: str) -> Expr:
        done = self.b.temporary(1)
        self.b.emit(Assign(str(done.data), same))
        self._put(address, desired, call, done, order=order)
        return done

    def _atomic_compare_exchange(self, call: tree.Call, v: list[Expr], by_pointer: bool) -> Expr:
        desired = self._given[2] if by_pointer else resize(v[2], self._bits(call), True)
        return self._compare_exchange(call, v, desired, nonzero(v[3]))

    def _atomic_compare_exchange_strong(self, call: tree.Call, v: list[Expr], by_pointer: bool) -> Expr:
        return self._compare_exchange(call, v, resize(v[2], self._bits(call), True), FALSE)

    def _atomic_compare_exchange_weak(self, call: tree.Call, v: list[Expr], by_pointer: bool) -> Expr:
        return self._compare_exchange(call, v, resize(v[2], self._bits(call), True), TRUE)

    def _swap(self, call: tree.Call, v: list[Expr]) -> tuple[Expr, Expr]:
        old = self._get(v[0], call, "")
        same = eq(old, resize(v[1], self._bits(call), True))
        return old, self._exchange_if(same, v[0], resize(v[2], self._bits(call), True), call, "")

    def _atomic_val_compare_and_swap(self, call: tree.Call, v: list[Expr], by_pointer: bool) -> Expr:
        return self._swap(call, v)[0]

    def _atomic_bool_compare_and_swap(self, call: tree.Call, v: list[Expr], by_pointer: bool) -> Expr:
        return resize(self._swap(call, v)[1], 8, False)

    # ------------------------------------------------------------ fences

    def _atomic_thread_fence(self, call: tree.Call, v: list[Expr], by_pointer: bool) -> Expr:
        return const(0, 8)

    _atomic_signal_fence = _atomic_thread_fence
    _atomic_synchronize = _atomic_thread_fence

    def _atomic_always_lock_free(self, call: tree.Call, v: list[Expr], by_pointer: bool) -> Expr:
        return const(1, 8)

    _atomic_is_lock_free = _atomic_always_lock_free


def _order_of(value: Expr) -> str:
    """A memory order as a call names it; gcc has further bits for lock elision."""
    number = value.value & 0xFFFF if value.is_const else len(ORDERS)
    return ORDERS[number] if number < len(ORDERS) else _UNKNOWN

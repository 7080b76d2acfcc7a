"""GCC's `__atomic_*` and `__sync_*` and clang's `__c11_atomic_*`: each is one step of loads and stores that do not race. What they read or
write through further pointers, as what a comparison expects, is plain memory.

Their values are those of sequential consistency; where the program asked for less, a note says so. The accesses keep the order that was
asked for (`Load.order`), for the race model c11.
"""

from __future__ import annotations

import re

from fsoft.frontend import tree
from fsoft.frontend import types as ct
from fsoft.frontend.source import Unsupported
from fsoft.program.expr import TRUE, Expr, conj, const, eq, ite, make, negate, resize
from fsoft.program.lower.expressions import Expressions
from fsoft.program.options import WEAKER_ORDER
from fsoft.program.program import ORDERS, Assign, Input, Load, Store

_NAME = re.compile(r"__(?:c11_)?(atomic|sync)_(.*)")
_NO_ORDER = ("always_lock_free", "is_lock_free", "init", "signal_fence", "synchronize")
_SYNC_ORDERS = {"lock_test_and_set": "acquire", "lock_release": "release"}
_UNKNOWN = "?"
_GIVEN = {"store": (1,), "exchange": (1,), "compare_exchange": (1, 2), "compare_exchange_strong": (1,), "compare_exchange_weak": (1,)}
_UPDATE = re.compile(r"(?:fetch_and_|fetch_)(add|sub|and|or|xor|nand)|(add|sub|and|or|xor|nand)(?:_and_fetch|_fetch)")


class Atomics(Expressions):
    """`atomic_call` gives the value of such a call, or None if the name is not one of them. `_order` and `_failure` are the memory
    orders of the call that is being written; `_given` has what its arguments point to, `_beside` what it writes elsewhere, and when."""

    _order = _failure = ""
    _given: dict[int, Expr]
    _beside: list[tuple[Expr, Expr, Expr]]

    def atomic_call(self, call: tree.Call, name: str) -> Expr | None:
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
        values = [self.value(a) for a in call.args]
        self._set_orders(family, operation.removesuffix("_n"), values)
        by_pointer = family == "atomic" and "c11" not in name and not operation.endswith("_n")
        self._read_beside(call, operation.removesuffix("_n"), values, by_pointer)
        with self.b.one_step():
            if operation in ("thread_fence", "synchronize"):
                self.b.tag("fence", values[0] if values else const(ORDERS.index(""), 32))
            self.b.tag("update", values[0] if values else None)
            result = method(call, values, by_pointer)
        for address, value, when in self._beside:
            self.b.emit(Store(address, value, value.width // 8, self.frame.sync, when, call.loc))
        assert isinstance(result, Expr)
        return result

    def _read_beside(self, call: tree.Call, operation: str, values: list[Expr], by_pointer: bool) -> None:
        """What the operation is given through pointers: plain accesses before the atomic one, as those to `_beside` come after it."""
        self._beside = []
        wanted = _GIVEN.get(operation, ())
        if not by_pointer and "compare" not in operation:
            wanted = ()
        self._given = {k: self.load_bytes(values[k], self._size(call), call.loc) for k in wanted if k == 1 or by_pointer}

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

    def _size(self, call: tree.Call, index: int = 0) -> int:
        pointer = call.args[index].type
        target = pointer.to if isinstance(pointer, ct.Pointer) else None
        size = ct.size_of(target) if target is not None and not isinstance(target, ct.Void) else 1
        if size not in (1, 2, 4, 8, 16):
            raise Unsupported(call.loc, f"an atomic operation on an object of {size} bytes is not modelled")
        return size

    def _get(self, address: Expr, size: int, call: tree.Call, order: str) -> Expr:
        target = self.b.temporary(size * 8)
        self.b.emit(Load(str(target.data), address, size, True, loc=call.loc, order=order))
        return target

    def _put(self, address: Expr, value: Expr, call: tree.Call, when: Expr = TRUE, *, order: str) -> None:
        self.b.emit(Store(address, value, value.width // 8, True, when, call.loc, order))

    def _update_atomically(self, call: tree.Call, op: str, old_wanted: bool, family: str) -> Expr:
        address, operand = self.value(call.args[0]), self.value(call.args[1])
        size = self._size(call)
        pointer = call.args[0].type
        self._set_orders(family, "update", [self.value(call.args[2])] if family == "atomic" else [])
        with self.b.one_step():
            self.b.tag("update", address)
            old = self._get(address, size, call, self._order)
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
        old = self._get(v[0], self._size(call), call, self._order)
        if by_pointer:
            self._beside.append((v[1], old, TRUE))
        return old

    def _atomic_store(self, call: tree.Call, v: list[Expr], by_pointer: bool) -> Expr:
        size = self._size(call)
        value = self._given[1] if by_pointer else resize(v[1], size * 8, True)
        self._put(v[0], value, call, order=self._order)
        return value

    _atomic_init = _atomic_store

    def _atomic_exchange(self, call: tree.Call, v: list[Expr], by_pointer: bool) -> Expr:
        size = self._size(call)
        value = self._given[1] if by_pointer else resize(v[1], size * 8, True)
        old = self._get(v[0], size, call, self._order)
        self._put(v[0], value, call, order=self._order)
        if by_pointer:
            self._beside.append((v[2], old, TRUE))
        return old

    def _atomic_lock_test_and_set(self, call: tree.Call, v: list[Expr], by_pointer: bool) -> Expr:
        return self._atomic_exchange(call, v, False)

    def _atomic_lock_release(self, call: tree.Call, v: list[Expr], by_pointer: bool) -> Expr:
        zero = const(0, self._size(call) * 8)
        self._put(v[0], zero, call, order=self._order)
        return zero

    _atomic_clear = _atomic_lock_release

    def _atomic_test_and_set(self, call: tree.Call, v: list[Expr], by_pointer: bool) -> Expr:
        old = self._get(v[0], self._size(call), call, self._order)
        self._put(v[0], const(1, old.width), call, order=self._order)
        return resize(negate(eq(old, const(0, old.width))), 8, False)

    # ------------------------------------------------------------ compare and swap

    def _compare_exchange(self, call: tree.Call, v: list[Expr], desired: Expr, weak: bool) -> Expr:
        size = self._size(call)
        old = self._get(v[0], size, call, self._failure)
        same = eq(old, self._given[1])
        if weak:
            fails = self.b.temporary(1)
            self.b.emit(Input(str(fails.data), "weak compare-exchange fails", loc=call.loc))
            same = conj(same, negate(fails))
        done = self.b.temporary(1)
        self.b.emit(Assign(str(done.data), same))
        self._put(v[0], desired, call, done, order=self._order)
        self._beside.append((v[1], old, negate(done)))
        return resize(done, 8, False)

    def _atomic_compare_exchange(self, call: tree.Call, v: list[Expr], by_pointer: bool) -> Expr:
        size = self._size(call)
        desired = self._given[2] if by_pointer else resize(v[2], size * 8, True)
        return self._compare_exchange(call, v, desired, len(v) > 5 and v[3].is_const and v[3].value != 0)

    def _atomic_compare_exchange_strong(self, call: tree.Call, v: list[Expr], by_pointer: bool) -> Expr:
        return self._compare_exchange(call, v, resize(v[2], self._size(call) * 8, True), False)

    def _atomic_compare_exchange_weak(self, call: tree.Call, v: list[Expr], by_pointer: bool) -> Expr:
        return self._compare_exchange(call, v, resize(v[2], self._size(call) * 8, True), True)

    def _swap(self, call: tree.Call, v: list[Expr]) -> tuple[Expr, Expr]:
        size = self._size(call)
        old = self._get(v[0], size, call, "")
        same = eq(old, resize(v[1], size * 8, True))
        self._put(v[0], ite(same, resize(v[2], size * 8, True), old), call, order="")
        return old, same

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

"""Typing of the type-generic atomic builtins: `__atomic_*` (gcc), `__sync_*` (gcc, older) and `__c11_atomic_*` (clang).

A signature is a string of letters, result first: P the pointer, T what it points to, D the operand of an addition or
subtraction (T, or ptrdiff_t for pointers), Q a pointer to T, b bool, i int (memory order), v void, p any pointer, z size_t.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from fsoft.frontend import tree
from fsoft.frontend.sema.context import AstNode, UnitContext
from fsoft.frontend.source import Loc
from fsoft.frontend.types import VOID, CType, Function, Pointer, is_complete, is_scalar, size_of

_FETCH_OPS = ("add", "sub", "and", "or", "xor", "nand")
_SIZED = re.compile(r"(.*)_(1|2|4|8|16)$")


def _signatures() -> dict[str, str]:
    table = {
        "__atomic_load_n": "TPi", "__atomic_store_n": "vPTi", "__atomic_exchange_n": "TPTi",
        "__atomic_compare_exchange_n": "bPQTbii", "__atomic_load": "vPQi", "__atomic_store": "vPQi",
        "__atomic_exchange": "vPQQi", "__atomic_compare_exchange": "bPQQbii",
        "__atomic_test_and_set": "bpi", "__atomic_clear": "vpi",
        "__atomic_thread_fence": "vi", "__atomic_signal_fence": "vi",
        "__c11_atomic_init": "vPT", "__c11_atomic_load": "TPi", "__c11_atomic_store": "vPTi", "__c11_atomic_exchange": "TPTi",
        "__c11_atomic_compare_exchange_strong": "bPQTii", "__c11_atomic_compare_exchange_weak": "bPQTii",
        "__c11_atomic_thread_fence": "vi", "__c11_atomic_signal_fence": "vi",
        "__sync_bool_compare_and_swap": "bPTT", "__sync_val_compare_and_swap": "TPTT",
        "__sync_lock_test_and_set": "TPT", "__sync_lock_release": "vP", "__sync_synchronize": "v",
    }  # fmt: skip
    for op in _FETCH_OPS:
        operand = "D" if op in ("add", "sub") else "T"
        table[f"__atomic_fetch_{op}"] = table[f"__atomic_{op}_fetch"] = f"TP{operand}i"
        table[f"__c11_atomic_fetch_{op}"] = f"TP{operand}i"
        table[f"__sync_fetch_and_{op}"] = table[f"__sync_{op}_and_fetch"] = f"TP{operand}"
    return table


_SIGNATURES = _signatures()
_LOCK_FREE = ("__atomic_always_lock_free", "__atomic_is_lock_free", "__c11_atomic_is_lock_free")


class AtomicAnalyzer:
    """`beside(value, others, loc)` is the value, with other arguments evaluated."""

    def __init__(self, context: UnitContext, beside: Callable[[tree.TypedExpr, list[AstNode], Loc], tree.TypedExpr]):
        self.context = context
        self.beside = beside
        self.types = context.types

    def call(self, name: str, args: list[AstNode], loc: Loc) -> tree.TypedExpr | None:
        """The typed call, or None if there is no such builtin."""
        if name in _LOCK_FREE:
            return self._lock_free(name, args, loc)
        signature = _SIGNATURES.get(name)
        if signature is None:
            match = _SIZED.match(name)
            name = match.group(1) if match else name
            if name + "_n" in _SIGNATURES and match:
                name += "_n"
            signature = _SIGNATURES.get(name)
        if signature is None:
            return None
        return self._typed(name, signature, args, loc)

    def _typed(self, name: str, signature: str, args: list[AstNode], loc: Loc) -> tree.TypedExpr:
        letters = signature[1:]
        extra = len(args) - len(letters)
        if extra < 0 or (extra > 0 and not name.startswith("__sync_")):
            self.context.error(loc, f"'{name}' takes {len(letters)} arguments, {len(args)} given")
        values = [self.context.expressions.value(arg) for arg in args[: len(letters)]]
        target = self._target(name, values[0], loc) if letters[:1] == "P" else VOID
        params = tuple(self._param(letter, target, value) for letter, value in zip(letters, values))
        result = self._param(signature[0], target, None)
        if name.startswith("__c11_atomic_fetch_") and isinstance(target, Pointer):
            values[1] = self._scaled(values[1], target, loc)
        function = Function(result, params)
        return self.context.calls.finish(tree.FunctionName(function, loc, name), function, values, loc, f"'{name}'")

    def _target(self, name: str, pointer: tree.TypedExpr, loc: Loc) -> CType:
        if not isinstance(pointer.type, Pointer):
            self.context.error(loc, f"first argument of '{name}' has type '{pointer.type}', a pointer is required")
        target = pointer.type.to
        generic = name in ("__atomic_load", "__atomic_store", "__atomic_exchange", "__atomic_compare_exchange") or "c11" in name
        if not is_complete(target) or not (is_scalar(target) or generic):
            self.context.error(loc, f"'{name}' on an object of type '{target}'")
        return target

    def _param(self, letter: str, target: CType, value: tree.TypedExpr | None) -> CType:
        types = self.types
        if letter == "D":
            return types.ptrdiff_t if isinstance(target, Pointer) else target
        if letter == "P" and value is not None:
            return value.type
        if letter == "p":
            return value.type if value is not None and isinstance(value.type, Pointer) else types.void_ptr
        table: dict[str, CType] = {"T": target, "Q": types.pointer(target), "b": types.bool, "i": types.int, "v": VOID}
        return table[letter]

    def _scaled(self, value: tree.TypedExpr, target: Pointer, loc: Loc) -> tree.TypedExpr:
        """C11 counts in elements where gcc's builtins count in bytes."""
        size = tree.IntConstant(self.types.ptrdiff_t, loc, size_of(target.to))
        return self.context.operators.apply("*", value, size, loc)

    def _lock_free(self, name: str, args: list[AstNode], loc: Loc) -> tree.TypedExpr:
        size = self.context.expressions.integer_constant(args[0], f"first argument of '{name}'") if args else 0
        known = tree.IntConstant(self.types.bool, loc, int(size in (1, 2, 4, 8)))
        return known if name == "__atomic_always_lock_free" else self.beside(known, args[1:], loc)

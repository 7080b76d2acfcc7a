"""Functions that the lowering knows by itself: the intrinsics of the library models, SV-COMP's inputs and atomic
sections, GCC's arithmetic builtins, and block operations of constant size."""

from __future__ import annotations

import re
from collections.abc import Callable

from fsoft.frontend import tree
from fsoft.frontend import types as ct
from fsoft.program.expr import FALSE, Expr, binary, const, eq, ite, make, negate, own, resize
from fsoft.program.lower.context import MemoryPlace
from fsoft.program.lower.creation import Creation
from fsoft.program.lower.effects import EffectIntrinsics
from fsoft.program.lower.layout import is_signed, value_bits
from fsoft.program.lower.memory import HeapSite
from fsoft.program.program import Alloc, Assign, CellRun, Free, Halt, Input, Measure, Require

_BLOCK_CELLS = 256


class Intrinsics(Creation, EffectIntrinsics):
    """`intrinsic(call, name)` lowers a call of a known name; the result is None if the name is not known."""

    def intrinsic(self, call: tree.Call, name: str) -> Expr | MemoryPlace | None:
        if name in self.shared.unit.functions and name.startswith(("__CPROVER_", "__ESBMC_")):
            return None  # a harness may define its words itself
        method = _INTRINSICS.get(name)
        if method is not None:
            return method(self, call)
        if name.startswith(_FREE) and name not in self.shared.unit.functions:
            return self._nondet(call, name)
        if name.startswith("__builtin_"):
            return self._arithmetic_builtin(call, name)
        return self.atomic_call(call, name)

    def _first(self, call: tree.Call) -> Expr:
        """The value of the first argument; the others are evaluated for their effects."""
        values = [self.value(argument) for argument in call.args]
        return values[0]

    # ------------------------------------------------------------ inputs

    def _nondet(self, call: tree.Call, name: str) -> Expr:
        ctype: ct.CType = call.type
        width = 1 if (isinstance(ctype, ct.Int) and ctype.name == "_Bool") or name.endswith(("_bool", "_Bool")) else value_bits(ctype)
        target = self.b.temporary(width)
        self.b.emit(Input(str(target.data), f"{name}()", loc=call.loc, signed=is_signed(ctype), marker=self.contents_marker()))
        return resize(target, value_bits(ctype), False)

    def _choose(self, call: tree.Call) -> Expr:
        target = self.b.temporary(value_bits(call.type))
        self.b.emit(Input(str(target.data), "which one", self.value(call.args[0]), loc=call.loc))
        return target

    # ------------------------------------------------------------ control

    def _require(self, call: tree.Call) -> Expr:
        self.b.emit(Require(self.condition(call.args[0])))
        return FALSE

    def _assume(self, call: tree.Call) -> Expr:
        condition = self.condition(call.args[0])
        if condition.is_const and not condition.value:
            self.halt("pruned", None, call.loc)
        elif not condition.is_const:
            self.b.emit(Halt("pruned", None, negate(condition), self.b.loc))
        return FALSE

    def _fail(self, call: tree.Call) -> Expr:
        self.check(FALSE, "unreach-call", self._text(call.args[0]), self.b.loc)
        self.halt("failed", None, call.loc)
        return FALSE

    def _check(self, call: tree.Call) -> Expr:
        prop = self._text(call.args[1])
        if prop in self.options.checks:
            self.check(self.condition(call.args[0]), prop, self._text(call.args[2]), self.b.loc)
        return FALSE

    def _undefined(self, call: tree.Call) -> Expr:
        message = self._text(call.args[0]) if call.args else "unreachable code is reached"
        self.undefined(message, self.b.loc)
        return FALSE

    def _end(self, call: tree.Call) -> Expr:
        self.halt("ended", None, self.b.loc)
        return FALSE

    def destructors(self, call: tree.Call) -> Expr:
        """Functions with the attribute `destructor` run when the process ends by itself, in the opposite order of the files."""
        for hook in reversed(list(self.shared.unit.functions.values())):
            if "destructor" in hook.attributes:
                self.call(tree.Call(ct.VOID, call.loc, tree.FunctionName(hook.type, hook.loc, hook.name), ()))
        return FALSE

    def _exit_thread(self, call: tree.Call) -> Expr:
        value = self.value(call.args[0])
        self.b.emit(Assign(str(self.thread_result().data), value))
        frame = self.frame
        inner = self.frame
        while True:
            self.leave_scopes(0, cleans=False)
            if frame.parent is None:
                break
            self.frame = frame = frame.parent
        self.frame = inner
        self.b.jump(self.thread_end)
        return FALSE

    def thread_result(self) -> Expr:
        return self.b.register(f"{self.name}.thread-result", self.word, ctype="void *")

    def _tag(self, call: tree.Call) -> Expr:
        self.b.tag(self._text(call.args[0]), self.value(call.args[1]))
        return FALSE

    def _begin(self, call: tree.Call) -> Expr:
        self.b.begin_atomic()
        self.b.tag("section")
        return FALSE

    def _finish(self, call: tree.Call) -> Expr:
        self.b.end_atomic()
        return FALSE

    @staticmethod
    def _text(expr: tree.TypedExpr) -> str:
        while isinstance(expr, (tree.Cast, tree.AddressOf)):
            expr = expr.operand if isinstance(expr, tree.Cast) else expr.lvalue
        return expr.data.rstrip(b"\0").decode("utf-8", "replace") if isinstance(expr, tree.StringLiteral) else "failure"

    # ------------------------------------------------------------ threads

    def _self(self, call: tree.Call) -> Expr:
        return resize(own("self", self.word), value_bits(call.type), False)

    def _thread_count(self, call: tree.Call) -> Expr:
        return resize(own("threads", self.word), value_bits(call.type), False)

    def _unnumbered(self, call: tree.Call) -> Expr:
        return const(int(self.options.unbounded), value_bits(call.type))

    # ------------------------------------------------------------ heap

    def _alloc(self, call: tree.Call, zero: bool = False, local: bool = False) -> Expr:
        size = self.value(call.args[0])
        wanted = size.value if size.is_const else None
        if wanted is not None and wanted >= 1 << (self.memory.offset_bits - 1):
            message = f"an allocation of {wanted} bytes, more than an address can reach"
            self.halt("cut", self.shared.marker("heap", self.b.loc, message, "make it smaller"), self.b.loc)
            return self.word_const(0)
        hint = self.hint if self.hint is not None and ct.is_complete(self.hint) else None
        pool = self.memory.pool(wanted, hint, self.options.heap_size, self.b.loc, local)
        pool.sites.append(HeapSite(self.name, self.repeat))
        target = self.b.temporary(self.word)
        self.b.emit(Alloc(str(target.data), size, pool.index, zero, loc=self.b.loc))
        return target

    def _local_array(self, call: tree.Call) -> Expr:
        """Memory of an array of variable length."""
        if "valid-memtrack" in self.options.checks:
            self.abstract("array", self.b.loc, "whether memory of an array of variable length counts as a leak")
        return self._alloc(call, local=True)

    def _alloc_zero(self, call: tree.Call) -> Expr:
        return self._alloc(call, True)

    def _free(self, call: tree.Call) -> Expr:
        self.b.emit(Free(self.value(call.args[0]), loc=self.b.loc))
        return FALSE

    def _object_size(self, call: tree.Call) -> Expr:
        target = self.b.temporary(value_bits(call.type))
        self.b.emit(Measure(str(target.data), self.value(call.args[0])))
        return target

    def _malloc_may_fail(self, call: tree.Call) -> Expr:
        return self._option(call, self.options.malloc_may_fail, "--malloc-may-fail")

    def _library_may_fail(self, call: tree.Call) -> Expr:
        return self._option(call, self.options.library_may_fail, "--library-may-fail")

    def _option(self, call: tree.Call, may_fail: bool, option: str) -> Expr:
        """Whether the user lets library functions fail; that the one called here does not is an assumption of the answer."""
        if not may_fail:
            self.shared.succeeding.setdefault(option, {})[self._users_call()] = None
        return const(int(may_fail), value_bits(call.type))

    def _users_call(self) -> str:
        """The library function that the user's code called to come here."""
        frame, name = self.frame, self.frame.function.name
        while "library" in frame.function.attributes:
            name = frame.function.name
            if frame.parent is None:
                break
            frame = frame.parent
        return name

    # ------------------------------------------------------------ what a model may leave out

    def _reuses(self, call: tree.Call) -> Expr:
        return const(int(self.shared.reuses), value_bits(call.type))

    def _uses(self, call: tree.Call) -> Expr:
        return const(int(self._text(call.args[0]) in self.shared.scan.user_refers_to), value_bits(call.type))

    def _wanted(self, call: tree.Call) -> Expr:
        return const(int(self._text(call.args[0]) in self.shared.scan.user_wants), value_bits(call.type))

    def _measured(self, call: tree.Call) -> Expr:
        return const(int(self._text(call.args[0]) in self.shared.scan.user_measures), value_bits(call.type))

    def _note(self, call: tree.Call) -> Expr:
        self.shared.notes[self._text(call.args[0])] = None
        return FALSE

    def _inexact(self, call: tree.Call) -> Expr:
        self.abstract("library", self.b.loc, self._text(call.args[0]))
        return FALSE

    def _checks(self, call: tree.Call) -> Expr:
        return const(int(self._text(call.args[0]) in self.options.checks), value_bits(call.type))

    def _known(self, call: tree.Call) -> Expr:
        """Static storage starts with zeros. Any other, or a copy of some object, may look as if it were in use."""
        address, shift = self.value(call.args[0]), self.memory.offset_bits
        if self.shared.scan.copies:
            return const(0, value_bits(call.type))
        if address.is_const:
            found = self.memory.objects[min(address.value >> shift, len(self.memory.objects) - 1)]
            known = found.storage in ("global", "static") and not found.undefined and address.value % (1 << shift) not in found.initial
            return const(int(known), value_bits(call.type))
        self.shared.limits = True
        return resize(binary("ult", address, own("static", self.word)), value_bits(call.type), False)

    # ------------------------------------------------------------ block operations of constant size

    def block_call(self, call: tree.Call, name: str) -> Expr | None:
        """memcpy, memmove and memset of a constant size over a known type, cell by cell, or byte by byte where it turns out that they are
        not aligned; None if the loop must do it."""
        size = call.args[2]
        while isinstance(size, tree.Cast):
            size = size.operand
        if not isinstance(size, tree.IntConstant) or size.value == 0:
            return None
        runs = self._block_runs(call, name, size.value)
        if runs is None:
            return None
        pointers = call.args[: 1 if name == "memset" else 2]
        align = max((min(run.size & -run.size, self.memory.word_bytes) for run in runs), default=1)
        odd = "valid-deref" in self.options.checks and any(_pointed_align(pointer) < align for pointer in pointers)
        if odd and size.value > _BLOCK_CELLS:
            return None
        target, second = self.keep(self.value(call.args[0])), self.keep(self.value(call.args[1]))
        if name == "memcpy":
            self._apart(target, second, size.value, call)
        work = self._fill_cells if name == "memset" else self._copy_cells
        if odd:
            both = target if name == "memset" else make("or", self.word, (target, second))
            aligned = eq(make("and", self.word, (both, self.word_const(align - 1))), self.word_const(0))
            self._either_way(
                aligned, lambda: work(target, second, runs), lambda: work(target, second, (CellRun(0, 1, 1, size.value, "[]"),))
            )
        else:
            work(target, second, runs)
        return target

    def _apart(self, target: Expr, source: Expr, size: int, call: tree.Call) -> None:
        """What memcpy copies must not overlap; compilers rely on copies to the same place."""
        up, down = make("sub", self.word, (target, source)), make("sub", self.word, (source, target))
        far = [negate(binary("ult", distance, self.word_const(size))) for distance in (up, down)]
        self.must(make("or", 1, (eq(target, source), make("and", 1, tuple(far)))), "valid-deref", OVERLAP, call.loc)

    def _either_way(self, condition: Expr, first: Callable[[], None], second: Callable[[], None]) -> None:
        yes, no, end = self.b.location(), self.b.location(), self.b.location()
        self.b.branch(condition, yes, no)
        for start, part in ((yes, first), (no, second)):
            self.b.place(start)
            part()
            self.b.jump(end)
        self.b.place(end)

    def _block_runs(self, call: tree.Call, name: str, size: int) -> tuple[CellRun, ...] | None:
        for argument in call.args[: 1 if name == "memset" else 2]:
            while isinstance(argument, tree.Cast):
                argument = argument.operand
            ctype = argument.type.to if isinstance(argument.type, ct.Pointer) else None
            if isinstance(ctype, ct.Array):
                ctype = ctype.element
            if ctype is None or not ct.is_complete(ctype) or ct.size_of(ctype) == 0 or size % ct.size_of(ctype):
                continue
            runs = self.memory.runs(ct.Array(ctype, size // ct.size_of(ctype)), call.loc)
            if sum(r.count for r in runs) <= _BLOCK_CELLS:
                return runs
        return None

    def _fill_cells(self, target: Expr, byte: Expr, runs: tuple[CellRun, ...]) -> None:
        low = make("extract", 8, (byte,), 0)
        for run in runs:
            value = low
            for _ in range(run.size - 1):
                value = make("concat", value.width + 8, (value, low))
            for k in range(run.count):
                self.store_bytes(self.add_bytes(target, self.word_const(run.start + k * run.stride)), value, self.b.loc)

    def _copy_cells(self, target: Expr, source: Expr, runs: tuple[CellRun, ...]) -> None:
        """All loads before all stores, so that overlapping blocks come out as memmove wants."""
        cells = [(run.start + k * run.stride, run.size) for run in runs for k in range(run.count)]
        values = [self.load_bytes(self.add_bytes(source, self.word_const(at)), size, self.b.loc) for at, size in cells]
        for (at, _), value in zip(cells, values, strict=True):
            self.store_bytes(self.add_bytes(target, self.word_const(at)), value, self.b.loc)

    # ------------------------------------------------------------ arithmetic builtins

    def _arithmetic_builtin(self, call: tree.Call, name: str) -> Expr | None:
        match = re.fullmatch(r"__builtin_(popcount|parity|ctz|clz|clrsb|ffs)(l|ll)?|__builtin_bswap(16|32|64)", name)
        if match:
            value = self.keep(self.value(call.args[0]))
            result = _bit_count(match.group(1), value) if match.group(1) else _byte_swap(value)
            return resize(result, value_bits(call.type), False)
        if match := re.fullmatch(r"__builtin_(?:[su](?:l|ll)?)?(add|sub|mul)_overflow(_p)?", name):
            return self._overflow_builtin(call, match.group(1), bool(match.group(2)))
        if name == "__builtin_unreachable":
            return self._undefined(call)
        return self._end(call) if name in ("__builtin_trap", "__builtin_abort") else None

    def _overflow_builtin(self, call: tree.Call, op: str, only_ask: bool) -> Expr:
        a, b = self.both(call.args[0], call.args[1])
        target = call.args[2].type
        result = target.to if isinstance(target, ct.Pointer) else target
        wide = 2 * max(a.width, b.width, value_bits(result)) + 2
        exact = make(op, wide, (resize(a, wide, is_signed(call.args[0].type)), resize(b, wide, is_signed(call.args[1].type))))
        short = resize(exact, value_bits(result), True)
        if not only_ask:
            self.store(MemoryPlace(self.value(call.args[2]), 0, result), short, call.loc)
        fits = binary("eq", exact, resize(short, wide, is_signed(result)))
        return resize(negate(fits), value_bits(call.type), False)


_FREE = ("__VERIFIER_nondet_", "__CPROVER_nondet_", "__ESBMC_nondet_", "nondet_")
OVERLAP = "copying between objects that overlap"


def _pointed_align(pointer: tree.TypedExpr) -> int:
    """How the type of a pointer, before it became `void *`, says that it is aligned."""
    while isinstance(pointer, tree.Cast):
        pointer = pointer.operand
    to = pointer.type.to if isinstance(pointer.type, ct.Pointer) else None
    return ct.align_of(to) if to is not None and ct.is_complete(to) else 1


def _bit_count(kind: str, value: Expr) -> Expr:
    width = value.width
    bits = [make("extract", 1, (value,), k) for k in range(width)]
    if kind in ("popcount", "parity"):
        total = const(0, width)
        for bit in bits:
            total = make("add", width, (total, resize(bit, width, False)))
        return total if kind == "popcount" else make("and", width, (total, const(1, width)))
    if kind == "clrsb":
        sign = bits[-1]
        result = const(width - 1, width)
        for k in range(width - 1):
            result = ite(make("xor", 1, (bits[k], sign)), const(width - 2 - k, width), result)
        return result
    order = range(width) if kind == "clz" else reversed(range(width))
    result = const(0 if kind == "ffs" else width, width)
    for k in order:
        found = {"clz": width - 1 - k, "ctz": k, "ffs": k + 1}[kind]
        result = ite(bits[k], const(found, width), result)
    return result


def _byte_swap(value: Expr) -> Expr:
    out = make("extract", 8, (value,), 0)
    for k in range(8, value.width, 8):
        out = make("concat", out.width + 8, (out, make("extract", 8, (value,), k)))
    return out


_INTRINSICS: dict[str, Callable[[Intrinsics, tree.Call], Expr]] = {
    "__fsoft_first": Intrinsics._first,
    "__fsoft_self": Intrinsics._self,
    "__fsoft_thread_count": Intrinsics._thread_count,
    "__fsoft_unnumbered": Intrinsics._unnumbered,
    "__fsoft_require": Intrinsics._require,
    "__fsoft_assume": Intrinsics._assume,
    "__fsoft_fail": Intrinsics._fail,
    "__fsoft_check": Intrinsics._check,
    "__fsoft_undefined": Intrinsics._undefined,
    "__fsoft_end": Intrinsics._end,
    "__fsoft_exit_thread": Intrinsics._exit_thread,
    "__fsoft_tag": Intrinsics._tag,
    "__fsoft_choose": Intrinsics._choose,
    "__fsoft_alloc": Intrinsics._alloc,
    "__fsoft_alloc_zero": Intrinsics._alloc_zero,
    "__fsoft_local_array": Intrinsics._local_array,
    "__fsoft_free": Intrinsics._free,
    "__fsoft_object_size": Intrinsics._object_size,
    "__fsoft_inexact": Intrinsics._inexact,
    "__fsoft_known": Intrinsics._known,
    "__fsoft_malloc_may_fail": Intrinsics._malloc_may_fail,
    "__fsoft_library_may_fail": Intrinsics._library_may_fail,
    "__fsoft_note": Intrinsics._note,
    "__fsoft_measured": Intrinsics._measured,
    "__fsoft_create": Intrinsics.create,
    "__fsoft_uses": Intrinsics._uses,
    "__fsoft_wanted": Intrinsics._wanted,
    "__fsoft_reuses": Intrinsics._reuses,
    "__fsoft_checks": Intrinsics._checks,
    "__fsoft_any": Intrinsics.any_object,
    "__fsoft_look": Intrinsics.look_object,
    "__fsoft_abstract": Intrinsics.abstracted,
    "__fsoft_contents": Intrinsics.inexact_contents,
    "__fsoft_external": Intrinsics.external,
    "__fsoft_text": Intrinsics.library_text,
    "__fsoft_destructors": Intrinsics.destructors,
    **dict.fromkeys(("__VERIFIER_atomic_begin", "__CPROVER_atomic_begin", "__ESBMC_atomic_begin"), Intrinsics._begin),
    **dict.fromkeys(("__VERIFIER_atomic_end", "__CPROVER_atomic_end", "__ESBMC_atomic_end"), Intrinsics._finish),
}

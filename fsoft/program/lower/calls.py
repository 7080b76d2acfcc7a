"""Calls: expanded in place (`--calls inline`), or one copy per thread with return by call-site number (`--calls once`,
F-Soft section 4.1). Recursion is a bounded number of copies; a call beyond it is a cut.

A function marked atomic, or named `__VERIFIER_atomic_*` by the user, runs as one atomic section.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from fsoft.frontend import tree
from fsoft.frontend import types as ct
from fsoft.frontend.library.table import why_rejected
from fsoft.frontend.source import InputError, Unsupported
from fsoft.program.expr import FALSE, Expr, const, eq, postorder
from fsoft.program.lower.context import Expansion, LoweredPlace, MemoryPlace, RegisterPlace
from fsoft.program.lower.layout import is_signed, value_bits
from fsoft.program.lower.output import Output
from fsoft.program.lower.scan import targets
from fsoft.program.lower.unknown import UnknownCalls
from fsoft.program.program import NO_VALUE, Assign, Enter, Input, Step

MAX_STEPS = 400_000
_BLOCK = {"memcpy": 3, "memmove": 3, "memset": 3, "__builtin_memcpy": 3, "__builtin_memset": 3, "__builtin_memmove": 3}
_ERRORS = frozenset({"reach_error", "__VERIFIER_error"})
_NO_EFFECT = frozenset({"__fsoft_spurious", "__fsoft_timeout"})
_ARGUMENTS: dict[str, Callable[[Output, tree.Call], Expr | MemoryPlace]] = {
    "__fsoft_print": Output.print_format,
    "__fsoft_format": Output.format,
    "__fsoft_literal": Output.literal,
    "__fsoft_setjmp": Output.set_jump,
    "__fsoft_longjmp": Output.jump_far,
    "__builtin_va_start": Output.start_list,
    "__builtin_va_arg": Output.next_argument,
    "__builtin_va_copy": Output.copy_list,
    "__builtin_va_end": Output.end_list,
}


@dataclass(slots=True)
class Copy:
    """The one copy of a function in a template that `--calls once` makes."""

    entry: int
    leave: int
    frame: Expansion
    site: Expr
    sites: int = 0


class CallLowering(Output, UnknownCalls):
    """`call` lowers any call and gives its value: an expression, the place of a record, or None for void."""

    copies: dict[tuple[str, int, int], Copy]

    def call(self, call: tree.Call) -> Expr | MemoryPlace | None:
        if self.b.here is None:
            return None
        if self.options.eval_order == "any" and self._in_open_order(call):
            call = self._in_any_places(call)
        if not isinstance(call.callee, tree.FunctionName):
            return self._indirect(call, self.value(call.callee), len(call.args))
        name = call.callee.name
        if name == "__fsoft_call":
            inner = tree.Call(call.type, call.loc, call.callee, call.args[1:])
            return self._indirect(inner, self.value(call.args[0]), 1)
        if name in _ARGUMENTS:
            return _ARGUMENTS[name](self, call)
        if name in _BLOCK and len(call.args) == _BLOCK[name]:
            result = self.block_call(call, name.removeprefix("__builtin_"))
            if result is not None:
                return result
        known = self.intrinsic(call, name)
        if known is not None:
            return known
        if name in _NO_EFFECT:
            raise Unsupported(call.loc, f"'{name}' is only for the condition of an if")
        return self._named(call, name)

    def _in_open_order(self, call: tree.Call) -> bool:
        """Calls in code of the user; builtins have arguments that are not evaluated."""
        name = call.callee.name if isinstance(call.callee, tree.FunctionName) else ""
        return not name.startswith(("__builtin_", "__fsoft_")) and "library" not in self.frame.function.attributes

    def _named(self, call: tree.Call, name: str) -> Expr | MemoryPlace | None:
        definition = self.shared.unit.functions.get(name)
        if definition is None:
            return self._unknown(call, name)
        if name.rpartition(":")[2] in _ERRORS and "unreach-call" in self.options.checks:
            self.check(FALSE, "unreach-call", f"{name} is called", self.b.loc)  # the call is the violation, whatever the body does
        active = 0
        frame: Expansion | None = self.frame
        while frame is not None:
            active += frame.function is definition
            frame = frame.parent
        if active > self.options.recursion:
            message = f"more than {self.options.recursion} frames of '{name}' are active"
            self.halt("cut", self.shared.marker("recursion", call.loc, message, "raise --recursion"), call.loc)
            return None
        if len(self.b.template.steps) > MAX_STEPS:
            raise InputError(call.loc, f"the program is too large with all calls expanded (at '{name}'); try --calls once")
        if self._has_one_copy(definition):
            return self._once(call, definition, active)
        return self._inline(call, definition)

    def _has_one_copy(self, definition: tree.FunctionDef) -> bool:
        """Slots belong to creation sites: functions that create threads are expanded, unless that makes too large a program."""
        if self.options.calls != "once" or "library" in definition.attributes:
            return False
        return self.shared.copies_creators or definition.name not in self.shared.scan.creators

    def _unknown(self, call: tree.Call, name: str) -> Expr | MemoryPlace | None:
        if self.options.strict:
            why = why_rejected(name)
            advice = "give its source too, or leave out --strict"
            raise Unsupported(call.loc, f"function '{name}' has no body and no model{f' ({why})' if why else ''}; {advice}")
        return self.unknown_call(call, name)

    # ------------------------------------------------------------ calls through pointers

    def _indirect(self, call: tree.Call, pointer: Expr, params: int) -> Expr | MemoryPlace | None:
        names = self._of_result(self.callees(pointer, params), call.type)
        if len(names) == 1 and pointer.is_const:
            return self._direct(call, names[0])
        names = [name for name in names if self._takes(name, call)]
        pointer = self.keep(pointer)
        scalar = ct.is_scalar(call.type)
        result = self.b.temporary(value_bits(call.type) if scalar else self.word)
        end = self.b.location()
        for name in names:
            here, other = self.b.location(), self.b.location()
            self.b.branch(eq(pointer, self.static_address(self.memory.function(name).id)), here, other)
            self.b.place(here)
            value = self._direct(call, name)
            if isinstance(value, MemoryPlace):
                value = self.address(value)
            if isinstance(value, Expr) and value.width == result.width:
                self.b.emit(Assign(str(result.data), value))
            self.b.jump(end)
            self.b.place(other)
        if self.b.here is not None:
            self.must(const(0, 1), "valid-deref", "call through a pointer that is no function of this type", call.loc)
            self.b.jump(self.b.template.stops["undefined"])
        self.b.place(end)
        return result if scalar else MemoryPlace(result, 0, call.type) if isinstance(call.type, ct.Record) else None

    def _takes(self, name: str, call: tree.Call) -> bool:
        """The arguments of the call are as wide as the parameters of the function."""
        params = [symbol.type for symbol in self.shared.unit.functions[name].params]
        return all(
            given == wanted if isinstance(wanted, ct.Record) else ct.is_scalar(given) and value_bits(given) == value_bits(wanted)
            for given, wanted in zip((argument.type for argument in call.args), params)
        )

    def _of_result(self, names: list[str], result: ct.CType) -> list[str]:
        """Those that give a value where one is called for and none where none is; all, if there is no such function."""
        functions = self.shared.unit.functions
        wanted = isinstance(result, ct.Void)
        return [n for n in names if n in functions and isinstance(functions[n].type.result, ct.Void) == wanted] or names

    def _direct(self, call: tree.Call, name: str) -> Expr | MemoryPlace | None:
        definition = self.shared.unit.functions.get(name)
        ctype = definition.type if definition else ct.Function(call.type, None)
        callee = tree.FunctionName(ctype, call.loc, name)
        return self.call(tree.Call(call.type, call.loc, callee, call.args))

    # ------------------------------------------------------------ expansion

    def new_frame(self, definition: tree.FunctionDef, parent: Expansion | None, return_to: int) -> Expansion:
        count = self.instances.get(definition.name, 0) + 1
        self.instances[definition.name] = count
        suffix = "" if count == 1 else f"@{count}"
        library = "library" in definition.attributes
        sync = library and "fsoft_plain" not in definition.attributes
        frame = Expansion(definition, suffix, parent, return_to, sync=sync)
        for target in targets(definition.body):
            if isinstance(target.label, tree.Label):
                frame.labels[target.label.name] = self.b.location()
                frame.targets[target.label.name] = target
        frame.result = self._result(definition, suffix)
        return frame

    def _result(self, definition: tree.FunctionDef, suffix: str) -> Expr | None:
        ctype = definition.type.result
        name = f"{definition.name}.return{suffix}"
        if isinstance(ctype, ct.Record):
            return self.local_object(name, ctype, definition.loc)
        return self.b.register(name, value_bits(ctype), "", is_signed(ctype), str(ctype)) if ct.is_scalar(ctype) else None

    def expand(self, call: tree.Call, name: str, values: list[Expr | MemoryPlace]) -> Expr | MemoryPlace | None:
        return self._expand(call, self.shared.unit.functions[name], values)

    def _inline(self, call: tree.Call, definition: tree.FunctionDef) -> Expr | MemoryPlace | None:
        return self._expand(call, definition, self._arguments(call))

    def _expand(self, call: tree.Call, definition: tree.FunctionDef, values: list[Expr | MemoryPlace]) -> Expr | MemoryPlace | None:
        done = self.b.location()
        area = self._variable_arguments(call, values, definition)
        frame = self.new_frame(definition, self.frame, done)
        frame.area = area
        frame.call = call
        if definition.type.variadic:
            given = list(zip(call.args, values))[len(definition.params) :]
            frame.rest = tuple((argument.type, value) for argument, value in given if isinstance(value, Expr))
        self._pass(call, values, definition, frame, copy=False)
        self._run(call, definition, frame)
        self.b.place(done)
        self.end_of_frame(frame)
        self.end_of_arguments(area)
        if self._is_section(definition):
            self.b.end_atomic()
        return self._value(frame, definition)

    def _variable_arguments(self, call: tree.Call, values: list[Expr | MemoryPlace], definition: tree.FunctionDef) -> Expr | None:
        """Where the arguments beyond the parameters are, if the function asks for that."""
        if not definition.type.variadic or "__builtin_va_start" not in self.shared.scan.facts[definition.name].calls:
            return None
        rest = list(zip(call.args, values))[len(definition.params) :]
        return self.arguments_in_memory(definition.name, [(argument.type, value) for argument, value in rest])

    def _value(self, frame: Expansion, definition: tree.FunctionDef) -> Expr | MemoryPlace | None:
        if isinstance(definition.type.result, ct.Record) and frame.result is not None:
            return MemoryPlace(frame.result, 0, definition.type.result)
        return frame.result

    @staticmethod
    def _is_section(definition: tree.FunctionDef) -> bool:
        name = definition.name.rpartition(":")[2]
        return "fsoft_atomic" in definition.attributes or name.startswith("__VERIFIER_atomic_")

    def _run(self, call: tree.Call | None, definition: tree.FunctionDef, frame: Expansion) -> None:
        """Lower the body in its frame; control ends at the frame's `return_to`."""
        outer, place = self.frame, (self.b.loc, self.b.text, self.b.function, self.b.calls)
        repeat, hint = self.repeat, self.hint
        if self._is_section(definition):
            self.b.begin_atomic()
            if "library" not in definition.attributes:
                self.b.tag("section")
        self.frame = frame
        if "library" not in definition.attributes:
            self.b.function = definition.name
            if call is not None:
                self.b.calls = (*self.b.calls, call.loc)
            self.hint = None
        if isinstance(definition.type.result, ct.Record) and frame.result is not None:
            self.b.emit(Enter(frame.result))
        frame.scopes.append([p.base for p in frame.bindings.values() if isinstance(p, MemoryPlace)])
        self.statement(definition.body)
        self.no_value()
        if self.b.here is not None:
            self.leave_scopes(0, lives=frame.parent is not None or self.name != self.options.entry)
        self.b.jump(frame.return_to)
        self.frame = outer
        self.b.loc, self.b.text, self.b.function, self.b.calls = place
        self.repeat, self.hint = repeat, hint

    def no_value(self) -> None:
        """The function being called ends without a value: whoever uses it finds anything (C11 6.9.1p12 leaves it open)."""
        frame = self.frame
        wanted = ct.is_scalar(frame.function.type.result) and "library" not in frame.function.attributes
        if wanted and frame.result is not None and frame.parent is not None:
            self.b.emit(Input(str(frame.result.data), NO_VALUE + frame.function.name, loc=self.b.loc))

    def _pass(self, call: tree.Call, values: list[Expr | MemoryPlace], definition: tree.FunctionDef, frame: Expansion, copy: bool) -> None:
        """Give the arguments, evaluated in the caller, to the callee's parameters."""
        facts = self.shared.scan.facts[definition.name]
        for index, symbol in enumerate(definition.params):
            given = values[index] if index < len(values) else None
            if isinstance(symbol.type, ct.Record):
                self._pass_record(symbol, given, frame)
                continue
            value = given if isinstance(given, Expr) else self._missing(symbol)
            if value.width != value_bits(symbol.type):
                what = f"argument {index + 1} of '{definition.name}'"
                raise InputError(call.loc, f"{what} has another type than the parameter '{symbol.name}'")
            simple = value.is_const or ("library" in definition.attributes and len(postorder((value,))) <= 4)
            if simple and not copy and symbol not in facts.assigned and not symbol.address_taken:
                frame.bindings[symbol] = value
            else:
                self.pass_scalar(symbol, value, frame)

    def _arguments(self, call: tree.Call) -> list[Expr | MemoryPlace]:
        order = list(enumerate(call.args))
        if self.options.eval_order == "right":
            order.reverse()
        out: dict[int, Expr | MemoryPlace] = {}
        for index, argument in order:
            out[index] = self._evaluated_argument(argument)
        return [out[i] for i in range(len(call.args))]

    def _evaluated_argument(self, argument: tree.TypedExpr) -> Expr | MemoryPlace:
        return self.record(argument) if isinstance(argument.type, ct.Record) else self.value(argument)

    def _in_any_places(self, call: tree.Call) -> tree.Call:
        """The same call of what is evaluated by then, in any order: the arguments and the function, but for those that only read what no
        other one can change."""
        parts = [call.callee, *call.args]
        loud = [k for k, part in enumerate(parts) if not isinstance(part, tree.FunctionName) and not self.quiet(part)]
        if len(loud) < 2:
            return call
        places = {k: self._unnamed(parts[k]) for k in loud}
        self.in_any_order(*(partial(self._evaluate_into, parts[k], self.frame.bindings[places[k].symbol]) for k in loud))
        callee, *args = [places.get(k, part) for k, part in enumerate(parts)]
        return tree.Call(call.type, call.loc, callee, tuple(args))

    def _unnamed(self, expr: tree.TypedExpr) -> tree.VariableExpr:
        """A variable for the value of an expression."""
        symbol = tree.Symbol("", "", expr.type, "local", expr.loc)
        record = isinstance(expr.type, ct.Record)
        self.frame.bindings[symbol] = self.new_record(expr.type, expr.loc) if record else self.b.temporary(value_bits(expr.type))
        return tree.VariableExpr(expr.type, expr.loc, symbol)

    def _evaluate_into(self, expr: tree.TypedExpr, target: Expr | LoweredPlace) -> None:
        if isinstance(target, MemoryPlace):
            self.copy_record(target, self.record(expr), expr.type, expr.loc, fresh=True)
        elif isinstance(target, Expr):
            self.b.emit(Assign(str(target.data), self.value(expr)))

    def _missing(self, symbol: tree.Symbol) -> Expr:
        target = self.b.temporary(value_bits(symbol.type))
        self.b.emit(Input(str(target.data), f"missing argument {symbol.name}", loc=self.b.loc))
        return target

    def pass_scalar(self, symbol: tree.Symbol, value: Expr, frame: Expansion) -> None:
        outer = self.frame
        self.frame = frame
        place = self.variable(symbol)
        self.frame = outer
        assert not isinstance(place, Expr)
        if isinstance(place, MemoryPlace):
            self.b.emit(Enter(place.base))
        self.store(RegisterPlace(place.reg, symbol.type) if isinstance(place, RegisterPlace) else place, value, symbol.loc)

    def _pass_record(self, symbol: tree.Symbol, given: Expr | MemoryPlace | None, frame: Expansion) -> None:
        outer = self.frame
        self.frame = frame
        place = self.variable(symbol)
        self.frame = outer
        assert isinstance(place, MemoryPlace)
        self.b.emit(Enter(place.base))
        if isinstance(given, MemoryPlace):
            self.copy_record(place, given, symbol.type, self.b.loc, fresh=True)

    # ------------------------------------------------------------ one copy per thread

    def _once(self, call: tree.Call, definition: tree.FunctionDef, active: int) -> Expr | MemoryPlace | None:
        values = self._arguments(call)  # first: an argument may call the same function and write its copy
        if self.b.here is None:
            return None
        area = self._variable_arguments(call, values, definition)
        key = (definition.name, active, self.b.depth)
        copy = self.copies.get(key)
        fresh = copy is None
        if copy is None:
            entry, leave = self.b.location(), self.b.location()
            frame = self.new_frame(definition, self.frame, leave)
            site = self.b.register(f"{definition.name}.call-site{frame.suffix}", 16)
            copy = self.copies[key] = Copy(entry, leave, frame, site)
            if area is not None:
                frame.area = self.b.register(f"{definition.name}.arguments{frame.suffix}", self.word, ctype="void *")
        self._pass(call, values, definition, copy.frame, copy=True)
        if area is not None and copy.frame.area is not None:
            self.b.emit(Assign(str(copy.frame.area.data), area))
        number = const(copy.sites, 16)
        copy.sites += 1
        self.b.emit(Assign(str(copy.site.data), number))
        self.b.jump(copy.entry)
        if fresh:
            self._write_copy(definition, copy)
        return self._come_back(copy, number, definition, area)

    def _write_copy(self, definition: tree.FunctionDef, copy: Copy) -> None:
        calls = self.b.calls
        self.b.place(copy.entry)
        repeat, self.repeat, self.b.calls = self.repeat, None, ()
        with self.b.own_temporaries(f"{definition.name}{copy.frame.suffix}."):
            self._run(None, definition, copy.frame)
        self.repeat, self.b.calls = repeat, calls

    def _come_back(self, copy: Copy, number: Expr, definition: tree.FunctionDef, area: Expr | None) -> Expr | MemoryPlace | None:
        """The way from the end of the copy to this call site."""
        back = self.b.location()
        self.b.place(copy.leave)
        if self.b.here is None:
            return None
        guard = eq(copy.site, number)
        step = Step(copy.leave, guard, (), back, self.b.loc, self.b.text)
        self.b.template.steps.append(step)
        self.b.land(back)
        self.end_of_frame(copy.frame)
        self.end_of_arguments(area)
        if self._is_section(definition):
            self.b.end_atomic()
        result = self._value(copy.frame, definition)
        if isinstance(result, MemoryPlace):
            return self._own_record(result, f"{definition.name}.value{copy.frame.suffix}.{number.value}")
        return self.keep(result) if result is not None else None

    def _own_record(self, source: MemoryPlace, name: str) -> MemoryPlace:
        """A record result for this call site alone: the next call overwrites the copy's own."""
        target = MemoryPlace(self.local_object(name, source.type, self.b.loc), 0, source.type)
        self.b.emit(Enter(target.base))
        self.copy_record(target, source, source.type, self.b.loc, fresh=True)
        return target

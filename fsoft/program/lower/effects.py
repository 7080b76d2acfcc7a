"""What the texts of effects need (`frontend/effects`): objects of the caller's type with any contents, memory and texts of the library,
abstractions by name."""

from __future__ import annotations

from collections.abc import Iterator

from fsoft.frontend import tree
from fsoft.frontend import types as ct
from fsoft.program.expr import FALSE, Expr, ite, make, resize
from fsoft.program.lower.context import LoweringContext
from fsoft.program.program import CellRun, Enter, Input, Object

EXTERNAL = "memory of the library"
_EXTERNAL_SIZE = 1 << 16
_PLACES = 12  # bits of the number of a place in external memory, in units of 8 bytes
_LONGEST = 1 << 17
_MOST_CELLS = 1024


class EffectIntrinsics(LoweringContext):
    """Intrinsics of the texts of effects (`frontend/effects/model.py`)."""

    # ------------------------------------------------------------ the caller's objects

    def any_object(self, call: tree.Call) -> Expr:
        """The object that the argument points to gets any contents, cell by cell."""
        address = self.keep(self.value(call.args[0]))
        runs = self._pointed_runs(call, "writes to")
        for run in runs:
            for k in range(run.count):
                place = self.add_bytes(address, self.word_const(run.start + k * run.stride))
                if "*" in run.ctype and run.size == self.memory.word_bytes:
                    value = self.external_pointer(True)
                else:
                    value = self.b.temporary(run.size * 8)
                    self.b.emit(
                        Input(
                            str(value.data),
                            f"{self._function_name()}(): contents{run.name}",
                            loc=self.b.loc,
                            signed=run.signed,
                            marker=self.contents_marker(),
                        )
                    )
                self.store_bytes(place, value, self.b.loc)
        return FALSE

    def look_object(self, call: tree.Call) -> Expr:
        """The object that the argument points to is read, cell by cell, where somebody asks about that."""
        if self.options.checks.isdisjoint({"valid-deref", "no-data-race"}):
            return FALSE
        address = self.keep(self.value(call.args[0]))
        for run in self._pointed_runs(call, "reads of"):
            for k in range(run.count):
                self.load_bytes(self.add_bytes(address, self.word_const(run.start + k * run.stride)), run.size, self.b.loc)
        return FALSE

    def _pointed_runs(self, call: tree.Call, does: str) -> tuple[CellRun, ...]:
        """The cells of the object that the argument points to, of the type that the caller's pointer has."""
        known = [
            ctype for ctype in self._pointed_types(call.args[0]) if ct.is_complete(ctype) and not isinstance(ctype, (ct.Void, ct.Function))
        ]
        ctype = next((c for c in known if ct.size_of(c) > 1), known[0] if known else None)
        runs = self.memory.runs(ctype, call.loc) if ctype is not None else ()
        if ctype is None or sum(run.count for run in runs) > _MOST_CELLS:
            name = self._function_name()
            self.abstract("library", self.b.loc, f"what '{name}' {does} memory of a type that is not known here", cuts=True)
            return ()
        return runs

    def _pointed_types(self, expr: tree.TypedExpr) -> Iterator[ct.CType]:
        """What the pointer points to, from the outermost cast to the innermost; of a parameter, what the caller's argument does."""
        frame = self.frame
        while True:
            if isinstance(expr.type, ct.Pointer):
                yield expr.type.to
            if isinstance(expr, tree.Cast):
                expr = expr.operand
                continue
            given = frame.call
            if given is None or not isinstance(expr, tree.VariableExpr) or expr.symbol not in frame.function.params:
                return
            expr = given.args[frame.function.params.index(expr.symbol)]
            if frame.parent is None:
                return
            frame = frame.parent

    def _function_name(self) -> str:
        """The library function that the user's code calls."""
        frame, name = self.frame, self.frame.function.name
        while frame.parent is not None and "library" in frame.function.attributes:
            name, frame = frame.function.name, frame.parent
        return name

    # ------------------------------------------------------------ the library's memory

    def external_pointer(self, null: bool) -> Expr:
        """A pointer to memory that is none of the program's; perhaps null."""
        obj = self.memory.external or self._new_external()
        place = self.b.temporary(_PLACES)
        self.b.emit(Input(str(place.data), f"which memory from {self._function_name()}()", loc=self.b.loc))
        offset = make("shl", self.word, (resize(place, self.word, False), self.word_const(3)))
        address = self.add_bytes(self.static_address(obj.id), offset)
        if not null:
            return self.keep(address)
        some = self.b.temporary(1)
        self.b.emit(Input(str(some.data), f"whether {self._function_name()}() gives a pointer", loc=self.b.loc))
        return self.keep(ite(some, address, self.word_const(0)))

    def _new_external(self) -> Object:
        """One object stands for all memory of the library and of unknown functions: whoever accesses it is cut."""
        obj = self.memory.new(EXTERNAL, _EXTERNAL_SIZE, (), "global", self.b.loc)
        obj.dropped = ((0, _EXTERNAL_SIZE),)
        remedy = "give the source or the effects of the function that returned it"
        obj.cut = self.shared.marker("external", self.b.loc, "memory that a library or an unknown function gave is accessed", remedy)
        self.memory.external = obj
        return obj

    def external(self, call: tree.Call) -> Expr:
        return self.external_pointer(False)

    def library_text(self, call: tree.Call) -> Expr:
        """A text of the library that it gives at this call: any characters, of which the first few are kept. Each thread gets its own, and
        its characters are chosen when they are read."""
        function, kept = self._function_name(), 1 if "valid-deref" in self.options.checks else self.options.arg_length
        place = self.b.loc
        name = f"{function}().text@{place.line}:{place.column}{self.frame.suffix}"
        address = self.local_object(name, ct.Array(self.shared.unit.types.char, _LONGEST), place)
        local = self.locals["&" + name]
        if local.cut is None:
            message = f"a character behind the first {kept} of a text of the library is accessed"
            local.kept, local.cut = kept, self.shared.marker("text", place, message, "raise --arg-length")
        self.b.emit(Enter(address))
        return address

    # ------------------------------------------------------------ abstractions

    def abstracted(self, call: tree.Call) -> Expr:
        """`__fsoft_abstract("what is not exact", leaves something out)`"""
        self.abstract("library", self.b.loc, _text(call), cuts=self.value(call.args[1]).value != 0)
        return FALSE

    def inexact_contents(self, call: tree.Call) -> Expr:
        """`__fsoft_contents("which date a time is")`: from here on, the inputs of this model are values that nobody knows."""
        self.frame.contents = self.abstract("library", self.b.loc, _text(call), values=True)
        return FALSE


def _text(call: tree.Call) -> str:
    """The literal that is the first argument."""
    text = call.args[0]
    while isinstance(text, (tree.Cast, tree.AddressOf)):
        text = text.operand if isinstance(text, tree.Cast) else text.lvalue
    assert isinstance(text, tree.StringLiteral)
    return text.data.rstrip(b"\0").decode()


__all__ = ["EXTERNAL", "EffectIntrinsics"]

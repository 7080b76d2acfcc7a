"""Argument lists as values: `va_start`, `va_arg`, `va_copy`, `va_end`.

A call of a function that uses `va_start` puts the arguments beyond the parameters into an object of the call, one after the other, each at
a multiple of a word, as the System V ABI for i386 does; a list holds the address of the next one. On x86-64 that address is the member
`overflow_arg_area`, and the two offsets say that no argument is left in registers, which the ABI allows for.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsoft.frontend import tree
from fsoft.frontend import types as ct
from fsoft.frontend.source import InputError
from fsoft.program.expr import FALSE, Expr, const
from fsoft.program.lower.context import MemoryPlace
from fsoft.program.lower.intrinsics import Intrinsics
from fsoft.program.lower.layout import value_bits
from fsoft.program.program import Leave

_NEXT = {8: 8, 4: 0}
"""Where in a list the address of the next argument is, by the size of a pointer."""
_NO_REGISTERS = {0: 48, 4: 176}
"""What `gp_offset` and `fp_offset` are when all registers have been used."""
_SAVED = 16
_FILLER = {1: "unsigned char", 2: "unsigned short", 4: "unsigned int"}


class VariableArgumentLowering(Intrinsics):
    """`arguments_in_memory` makes the object of a call; the other methods lower the builtins."""

    _areas = 0

    def arguments_in_memory(self, name: str, given: Sequence[tuple[ct.CType, Expr | MemoryPlace]]) -> Expr:
        """The address of a new object that holds the arguments."""
        record = self._area([ctype for ctype, _ in given])
        self._areas += 1
        place = self.new_record(record, self.b.loc, f"{name}.arguments@{self._areas}{self.frame.suffix}")
        members = [member for member in record.fields or () if member.name]
        for member, (ctype, value) in zip(members, given, strict=True):
            target = MemoryPlace(place.base, member.offset, ctype)
            if isinstance(value, MemoryPlace):
                self.copy_record(target, value, ctype, self.b.loc, fresh=True)
            else:
                self.store(target, value, self.b.loc)
        return place.base

    def _area(self, types: Sequence[ct.CType]) -> ct.Record:
        """A struct with a member for each argument; what is beside a small one in its word has a cell, too, and holds anything."""
        word, offset = self.memory.word_bytes, 0
        fields: list[ct.Field] = []
        for number, ctype in enumerate(types):
            size = ct.size_of(ctype)
            fields.append(ct.Field(f"argument{number + 1}", ctype, offset))
            beside = -size % word
            if beside in _FILLER:
                fields.append(ct.Field("", ct.Int(_FILLER[beside], beside, False, 3, beside), offset + size))
            offset += self._room(ctype)
        record = ct.Record("struct", "<arguments>")
        record.complete(tuple(fields), max(offset, word), word)
        return record

    def _room(self, ctype: ct.CType) -> int:
        word = self.memory.word_bytes
        return -(-ct.size_of(ctype) // word) * word

    def end_of_arguments(self, area: Expr | None) -> None:
        if area is not None:
            self.b.emit(Leave(area, loc=self.b.loc))

    def new_list(self, area: Expr) -> Expr:
        """The address of a new list that starts at this address."""
        self._areas += 1
        word, types = self.memory.word_bytes, self.shared.unit.types
        record = ct.Record("struct", "<list>")
        offsets = [types.uint] if word == 8 else []
        fields = [ct.Field(name, ctype, 4 * k) for k, (name, ctype) in enumerate((n, t) for t in offsets for n in ("gp", "fp"))]
        fields += [ct.Field("next", types.void_ptr, _NEXT[word])] + ([ct.Field("saved", types.void_ptr, _SAVED)] if word == 8 else [])
        record.complete(tuple(fields), 24 if word == 8 else 4, word)
        place = self.new_record(record, self.b.loc, f"list@{self._areas}{self.frame.suffix}")
        self._begin_list(place.base, area)
        return place.base

    def _begin_list(self, address: Expr, area: Expr) -> None:
        self.store_bytes(self._position(address), area, self.b.loc)
        if self.memory.word_bytes == 8:
            for offset, value in _NO_REGISTERS.items():
                self.store_bytes(self.add_bytes(address, self.word_const(offset)), const(value, 32), self.b.loc)
            self.store_bytes(self.add_bytes(address, self.word_const(_SAVED)), self.word_const(0), self.b.loc)

    # ------------------------------------------------------------ the builtins

    def start_list(self, call: tree.Call) -> Expr:
        area = self.frame.area
        if area is None:
            raise InputError(call.loc, f"'va_start' in '{self.frame.function.name}', which takes no variable arguments")
        self._begin_list(self.keep(self.value(call.args[0])), area)
        return FALSE

    def _position(self, address: Expr) -> Expr:
        return self.add_bytes(address, self.word_const(_NEXT[self.memory.word_bytes]))

    def next_argument(self, call: tree.Call) -> Expr | MemoryPlace:
        return self.take_argument(self.keep(self.value(call.args[0])), call.type)

    def take_argument(self, address: Expr, ctype: ct.CType) -> Expr | MemoryPlace:
        """The next argument of the list at this address, which moves on."""
        loc = self.b.loc
        if _is_promoted(ctype):
            self.undefined(f"no argument has the type '{ctype}': it is promoted when it is passed", loc)
        here = self.load_bytes(self._position(address), self.memory.word_bytes, loc)
        self.store_bytes(self._position(address), self.add_bytes(here, self.word_const(self._room(ctype))), loc)
        if not ct.is_scalar(ctype):
            return MemoryPlace(here, 0, ctype)
        return self.load_bytes(here, value_bits(ctype) // 8, loc)

    def copy_list(self, call: tree.Call) -> Expr:
        to, source = self.keep(self.value(call.args[0])), self.keep(self.value(call.args[1]))
        record = call.args[0].type.to if isinstance(call.args[0].type, ct.Pointer) else ct.VOID
        if isinstance(record, ct.Record):
            self.copy_record(MemoryPlace(to, 0, record), MemoryPlace(source, 0, record), record, call.loc, fresh=True)
        else:
            self.store_bytes(to, self.load_bytes(source, self.memory.word_bytes, call.loc), call.loc)
        return FALSE

    def end_list(self, call: tree.Call) -> Expr:
        self.effect(call.args[0])
        return FALSE


def _is_promoted(ctype: ct.CType) -> bool:
    """Whether a value of this type has another type as an argument (C11 6.5.2.2)."""
    return (isinstance(ctype, ct.Int) and ctype.size < 4) or (isinstance(ctype, ct.Float) and ctype.size < 8)

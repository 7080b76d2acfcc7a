"""Calls of functions that have no body, no model and no row of effects: they may do anything to what they are given.

The result is any value. What is reachable from the arguments escapes: the function may read and write it, free it, lock and unlock it, call
it and give it to threads of its own, now and later. None of that is in the Program, so a call that hands out an address is a cut. The user
may assume that such functions do nothing of the kind (`--assume quiet-unknown`).
"""

from __future__ import annotations

from fsoft.frontend import tree
from fsoft.frontend import types as ct
from fsoft.program.expr import Expr
from fsoft.program.lower.context import MemoryPlace
from fsoft.program.lower.effects import EffectIntrinsics
from fsoft.program.lower.layout import is_signed, value_bits
from fsoft.program.options import ASSUMPTIONS

QUIET = "quiet-unknown"
_REMEDY = "give its source too, or its effects"


class UnknownCalls(EffectIntrinsics):
    """`unknown_call` lowers a call of a function about which nothing is known."""

    def unknown_call(self, call: tree.Call, name: str) -> Expr | MemoryPlace | None:
        hands_out = False
        for argument in call.args:
            hands_out = hands_out or carries_address(argument.type) or self._may_be_address(argument.type)
            self.effect(argument)
        if QUIET in self.options.assume:
            self.shared.notes[f"assumed: {ASSUMPTIONS[QUIET]} ({name}) (--assume {QUIET})"] = None
            marker = self.abstract("unknown", call.loc, f"what '{name}' returns", _REMEDY)
        else:
            marker = self.abstract("unknown", call.loc, f"what '{name}' does", _REMEDY, cuts=hands_out)
        return self.any_result(call.type, name, marker)

    def _may_be_address(self, ctype: ct.CType) -> bool:
        """A number may be an address where the program makes numbers of addresses."""
        return self.shared.scan.numbered and isinstance(ctype, ct.Int) and value_bits(ctype) >= self.word

    def any_result(self, ctype: ct.CType, name: str, marker: int) -> Expr | MemoryPlace | None:
        """Any value of the type, as the result of a function."""
        if isinstance(ctype, ct.Record):
            place = self.new_record(ctype, self.b.loc)
            for run in self.memory.runs(ctype, self.b.loc):
                for k in range(run.count):
                    said = f"pointer from {name}(){run.name}" if "*" in run.ctype else f"{name}(){run.name}"
                    value = self.any_value(run.size * 8, said, marker, run.signed)
                    self.store_bytes(self.add_bytes(place.base, self.word_const(run.start + k * run.stride)), value, self.b.loc)
            return place
        if not ct.is_scalar(ctype):
            return None
        if isinstance(ctype, ct.Pointer) and QUIET not in self.options.assume:
            return self.external_pointer(True)
        said = f"pointer from {name}()" if isinstance(ctype, ct.Pointer) else f"{name}()"
        return self.any_value(value_bits(ctype), said, marker, is_signed(ctype))


def carries_address(ctype: ct.CType) -> bool:
    """Whether a value of the type may hold an address that the program means as one."""
    if isinstance(ctype, ct.Record):
        return any(carries_address(member.type) for member in ctype.fields or ())
    if isinstance(ctype, ct.Array):
        return carries_address(ctype.element)
    return isinstance(ctype, ct.Pointer)


__all__ = ["QUIET", "UnknownCalls", "carries_address"]

"""sprintf and its kin: `__fsoft_format` writes what a format says into memory.

A literal format becomes a call of a library function for each of its pieces (`frontend/library/text_format.c`). Any other is read by such a
function when the program runs. Arguments come from the function around the call, or from a list.
"""

from __future__ import annotations

from dataclasses import dataclass

from fsoft.frontend import tree
from fsoft.frontend import types as ct
from fsoft.program.expr import Expr, binary, const, eq, ite, make, resize
from fsoft.program.lower.context import MemoryPlace
from fsoft.program.lower.formats import Directive, Format, read_format
from fsoft.program.lower.jumps import FarJumps
from fsoft.program.lower.layout import is_signed, value_bits
from fsoft.program.program import Assign

_FLAGS = {"-": 1, "+": 2, " ": 4, "#": 8, "0": 16}
_LEFT, _SIGNS, _UPPER = 1, 2 | 4, 32
_BASES = {"d": 10, "i": 10, "u": 10, "o": 8, "x": 16, "X": 16}
_BYTES = {"hh": 1, "h": 2, "": 4, "ll": 8, "q": 8, "j": 8, "L": 8}
"""Of an integer, by its length; a word for others."""


@dataclass(slots=True)
class Sink:
    """Where the text goes: `at` counts the characters that are there already. `list` is the address of a list of arguments, if they come
    from one."""

    call: tree.Call
    to: Expr
    size: Expr
    at: Expr
    list: Expr | None


class Formatting(FarJumps):
    """`format` lowers the intrinsic."""

    def expand(self, call: tree.Call, name: str, values: list[Expr | MemoryPlace]) -> Expr | MemoryPlace | None:
        """The body of a function of the program, with arguments that are evaluated already."""
        raise NotImplementedError

    # ------------------------------------------------------------ literals

    def literal(self, call: tree.Call) -> Expr:
        return const(int(self.literals(self.value(call.args[0])) is not None), value_bits(call.type))

    def literals(self, pointer: Expr) -> list[bytes] | None:
        """The texts that a pointer may point to, without their ends; None if some are not literals."""
        if pointer.op == "ite":
            texts = [self.literals(arm) for arm in pointer.args[1:]]
            return None if None in texts else [text for part in texts for text in part or ()]
        if not pointer.is_const:
            return None
        number, offset = pointer.value >> self.memory.offset_bits, pointer.value & ((1 << self.memory.offset_bits) - 1)
        if number >= len(self.memory.objects) or self.memory.objects[number].storage != "string":
            return None
        text = self.memory.objects[number]
        data = bytes(text.initial.get(at, 0) & 0xFF for at in range(offset, text.size))
        return [data[: data.index(0)]] if 0 in data and text.runs[0].size == 1 else None

    # ------------------------------------------------------------ formats

    def format(self, call: tree.Call) -> Expr:
        to, size, pointer = (self.keep(self.value(argument)) if k < 2 else self.value(argument) for k, argument in enumerate(call.args[:3]))
        given = self.keep(self.value(call.args[3])) if len(call.args) > 3 else None
        return self._write(call, to, size, pointer, given)

    def _write(self, call: tree.Call, to: Expr, size: Expr, pointer: Expr, given: Expr | None) -> Expr:
        texts = self.literals(pointer)
        if texts is not None and len(texts) > 1:
            return self._one_of_two(call, to, size, pointer, given)
        written = read_format(texts[0]) if texts else None
        if written is None or not written.whole or (given is not None and any(d.numbered for d in written.directives)):
            return self._scalar(self.expand(call, "__fsoft_format_any", [to, size, pointer, self._list(given)]))
        sink = Sink(call, to, size, self.word_const(0), None if given is None else self._list_address(given))
        return self._pieces(sink, pointer, written)

    def _one_of_two(self, call: tree.Call, to: Expr, size: Expr, pointer: Expr, given: Expr | None) -> Expr:
        count = self.b.temporary(value_bits(call.type))
        condition, first, second = pointer.args

        def write(arm: Expr) -> None:
            self.b.emit(Assign(str(count.data), self._write(call, to, size, arm, given)))

        self._either_way(condition, lambda: write(first), lambda: write(second))
        return count

    def _pieces(self, sink: Sink, pointer: Expr, written: Format) -> Expr:
        for piece in written.pieces:
            if isinstance(piece, Directive):
                self._directive(sink, piece)
            else:
                literal = tree.StringLiteral(ct.Array(self.shared.unit.types.char, len(piece) + 1), self.b.loc, piece + b"\0")
                text = self.static_address(self.memory.string(literal).id)
                self._add(sink, "text", text, const(len(piece), 32))
        return self._scalar(self.expand(sink.call, "__fsoft_format_end", [sink.to, sink.size, sink.at]))

    @staticmethod
    def _scalar(value: Expr | MemoryPlace | None) -> Expr:
        assert isinstance(value, Expr)
        return value

    def _add(self, sink: Sink, what: str, *values: Expr) -> None:
        """The piece that the function of this name writes."""
        sink.at = self._scalar(self.expand(sink.call, f"__fsoft_format_{what}", [sink.to, sink.size, sink.at, *values]))

    # ------------------------------------------------------------ arguments

    def _list(self, given: Expr | None) -> Expr:
        """A list as an argument: the one that is given, or one of the arguments of the function around the call."""
        if given is not None:
            return given
        area = self.arguments_in_memory("format", self.frame.rest)
        return area if self.memory.word_bytes == 4 else self.new_list(area)

    def _list_address(self, given: Expr) -> Expr:
        """Where the list is; on ILP32, where it is a value, a place for it."""
        return given if self.memory.word_bytes == 8 else self.new_list(given)

    def _passed(self, sink: Sink, number: int, ctype: ct.CType) -> Expr:
        if sink.list is not None:
            return self._scalar(self.take_argument(sink.list, ctype))
        if not 0 <= number < len(self.frame.rest):
            self.undefined("a format has more directives than there are arguments", self.b.loc)
            return const(0, value_bits(ctype))
        given, value = self.frame.rest[number]
        return resize(value, value_bits(ctype), is_signed(given))

    def _integer(self, sink: Sink, directive: Directive) -> tuple[Expr, Expr]:
        """Magnitude and sign."""
        types = self.shared.unit.types
        size = _BYTES.get(directive.length, self.memory.word_bytes)
        value = self._passed(sink, directive.argument, argument_type(directive, types))
        if directive.conversion not in "di":
            return resize(resize(value, size * 8, False), 64, False), const(0, 32)
        wide = self.keep(resize(resize(value, size * 8, False), 64, True))
        negative = binary("slt", wide, const(0, 64))
        return ite(negative, make("neg", 64, (wide,)), wide), resize(negative, 32, False)

    # ------------------------------------------------------------ directives

    def _shape(self, sink: Sink, directive: Directive) -> tuple[Expr, Expr, Expr]:
        """Flags, width and precision."""
        flags = const(sum(_FLAGS.get(flag, 0) for flag in set(directive.flags)), 32)
        width, precision = const(directive.width, 32), const(-1 if directive.limit_value is None else directive.limit_value, 32)
        if directive.wide is not None:
            given = self.keep(self._passed(sink, directive.wide, self.shared.unit.types.int))
            left = binary("slt", given, const(0, 32))
            flags = ite(left, make("or", 32, (flags, const(_LEFT, 32))), flags)
            width = ite(left, make("neg", 32, (given,)), given)
        if directive.limit is not None:
            precision = self._passed(sink, directive.limit, self.shared.unit.types.int)
        return flags, width, precision

    def _directive(self, sink: Sink, directive: Directive) -> None:
        flags, width, precision = self._shape(sink, directive)
        kind, types = directive.conversion, self.shared.unit.types
        if kind in _BASES:
            value, negative = self._integer(sink, directive)
            if kind not in "di":
                flags = make("and", 32, (flags, const(~_SIGNS, 32)))
            flags = make("or", 32, (flags, const(_UPPER if kind == "X" else 0, 32)))
            self._add(sink, "integer", value, negative, const(_BASES[kind], 32), flags, width, precision)
        elif kind in "CS" or (kind in "cs" and directive.length == "l"):
            self.undefined("texts of wide characters are not modelled", self.b.loc)
        elif kind == "c":
            self._add(sink, "character", self._passed(sink, directive.argument, types.int), flags, width)
        elif kind == "s":
            self._add(sink, "string", self._passed(sink, directive.argument, types.void_ptr), flags, width, precision)
        elif kind == "p":
            self._add(sink, "pointer", self._passed(sink, directive.argument, types.void_ptr), flags, width)
        elif kind == "n":
            address = self._passed(sink, directive.argument, types.void_ptr)
            size = _BYTES.get(directive.length, self.memory.word_bytes)
            self.store_bytes(address, resize(sink.at, size * 8, False), self.b.loc)
        elif kind == "m":
            self._add(sink, "unknown", ite(eq(width, const(0, 32)), const(1, 32), width), const(60, 32))
        else:
            self._passed(sink, directive.argument, argument_type(directive, types))
            self._add(sink, "floating", const(ord(kind), 32), width, precision)


def argument_type(directive: Directive, types: ct.Types) -> ct.CType:
    """The type, after promotion, of the argument that a directive uses."""
    kind = directive.conversion
    if kind in "sSpn":
        return types.void_ptr
    if kind in _BASES or kind in "cC":
        size = _BYTES.get(directive.length, types.model.pointer)
        return types.llong if kind in _BASES and size == 8 else types.int
    return types.ldouble if directive.length == "L" else types.double

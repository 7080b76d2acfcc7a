"""printf and its kin: `__fsoft_print` reads and writes what the directives of a format say.

A format that is no literal is read up to its end, and then nobody knows what it says: any argument that points may be used as any
directive would, which adds behaviour and is marked so.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from fsoft.frontend import tree
from fsoft.frontend import types as ct
from fsoft.program.expr import Expr, binary, conj, const, ite, resize
from fsoft.program.lower.context import MemoryPlace
from fsoft.program.lower.formats import Directive, read_format
from fsoft.program.lower.layout import is_signed, value_bits
from fsoft.program.lower.variable_arguments import VariableArguments
from fsoft.program.program import Input

_TEXT, _PART = "__fsoft_read_text", "__fsoft_read_part"


class Output(VariableArguments):
    """`literal` and `print_format` are the intrinsics of output functions."""

    def expand(self, call: tree.Call, name: str, values: list[Expr | MemoryPlace]) -> Expr | MemoryPlace | None:
        """The body of a function of the program, with arguments that are evaluated already."""
        raise NotImplementedError

    # ------------------------------------------------------------ literals

    def literal(self, call: tree.Call) -> Expr:
        return const(int(self._literals(self.value(call.args[0])) is not None), value_bits(call.type))

    def _literals(self, pointer: Expr) -> list[bytes] | None:
        """The texts that a pointer may point to, without their ends; None if some are not literals."""
        if pointer.op == "ite":
            texts = [self._literals(arm) for arm in pointer.args[1:]]
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

    def print_format(self, call: tree.Call) -> Expr:
        pointer = self.value(call.args[0])
        texts = self._literals(pointer)
        formats = [read_format(text) for text in texts or ()]
        if not formats or len({tuple(d.use for d in f.touching) for f in formats}) > 1:
            self.expand(call, _TEXT, [pointer])
            self._any_directives(call)
            return self._or_error(self._count(value_bits(call.type), 0, None))
        if not all(f.whole for f in formats):
            self.undefined("a format has a directive that C does not know", self.b.loc)
        for directive in formats[0].touching:
            self._touch(call, directive)
        most = [f.count[1] for f in formats if f.count[1] is not None]
        count = self._count(value_bits(call.type), min(f.count[0] for f in formats), max(most) if len(most) == len(formats) else None)
        return self._or_error(count)

    def _count(self, width: int, least: int, most: int | None) -> Expr:
        """How many characters were written: any number between the two."""
        low = const(least, width)
        if least == most:
            return low
        count = self.b.temporary(width)
        self.b.emit(Input(str(count.data), "characters written", loc=self.b.loc, signed=True))
        high = const(most if most is not None else (1 << width - 1) - 1, width)
        return ite(conj(binary("sle", low, count), binary("sle", count, high)), count, low)

    def _or_error(self, count: Expr) -> Expr:
        error = self.b.temporary(count.width)
        self.b.emit(Input(str(error.data), "error in output", loc=self.b.loc, signed=True))
        return ite(binary("slt", error, const(0, count.width)), error, count)

    def _argument(self, number: int | None) -> tuple[ct.CType, Expr] | None:
        return self.frame.rest[number] if number is not None and 0 <= number < len(self.frame.rest) else None

    def _touch(self, call: tree.Call, directive: Directive) -> None:
        given = self._argument(directive.argument)
        if given is None or not isinstance(given[0], ct.Pointer):
            self.undefined(f"no pointer is given for '%{directive.conversion}'", self.b.loc)
            return
        if directive.conversion == "n":
            self._store_count(given[1], directive.size or self.memory.word_bytes, directive.before)
        elif directive.conversion == "S" or directive.length == "l":
            self.undefined("texts of wide characters are not modelled", self.b.loc)
        else:
            self._read_text(call, directive, given[1])

    def _store_count(self, address: Expr, size: int, count: tuple[int, int | None] = (0, None)) -> None:
        self.store_bytes(address, self._count(size * 8, *count), self.b.loc)

    def _read_text(self, call: tree.Call, directive: Directive, pointer: Expr) -> None:
        limit: Expr | None = None
        if directive.limit_value is not None:
            limit = self.word_const(directive.limit_value)
        elif directive.limit is not None:
            given = self._argument(directive.limit)
            if given is None or not isinstance(given[0], ct.Int):
                self.undefined("no number is given for a precision", self.b.loc)
                return
            limit = resize(given[1], self.word, is_signed(given[0]))  # a negative one is none: as a size it is very large
        self.expand(call, _TEXT if limit is None else _PART, [pointer] if limit is None else [pointer, limit])

    def _any_directives(self, call: tree.Call) -> None:
        """Any argument that points may be read as a text, up to any length, or get a number."""
        pointers = [(ctype.to, value) for ctype, value in self.frame.rest if isinstance(ctype, ct.Pointer)]
        if not pointers:
            return
        marker = self.shared.marker("format", self.b.loc, "what a format says that is no literal", "write it into the call", False, True)
        self.b.seal()
        self.b.tag("marker", self.word_const(marker))
        for to, value in pointers:
            if isinstance(to, ct.Int) and ct.size_of(to) > 1:
                self._perhaps(partial(self._store_count, value, ct.size_of(to)))
            else:
                limit = self.b.temporary(self.word)
                self.b.emit(Input(str(limit.data), "precision", loc=self.b.loc))
                self.expand(call, _PART, [value, limit])

    def _perhaps(self, part: Callable[[], None]) -> None:
        choice = self.b.temporary(1)
        self.b.emit(Input(str(choice.data), "what the format says", loc=self.b.loc))
        self._either_way(choice, part, lambda: None)

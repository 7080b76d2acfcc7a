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
from fsoft.program.lower.formats import Directive, Format, read_format
from fsoft.program.lower.formatting import Formatting, argument_type
from fsoft.program.lower.layout import is_signed, value_bits
from fsoft.program.program import Input

_TEXT, _PART = "__fsoft_read_text", "__fsoft_read_part"


class Output(Formatting):
    """`print_format` is the intrinsic of functions whose output goes nowhere. `_from_list`: arguments that come from a list, by number."""

    _from_list: dict[int, tuple[ct.CType, Expr]] = {}

    # ------------------------------------------------------------ formats

    def print_format(self, call: tree.Call) -> Expr:
        pointer = self.value(call.args[0])
        given = self.keep(self.value(call.args[1])) if len(call.args) > 1 else None
        texts = self.literals(pointer)
        formats = [read_format(text) for text in texts or ()]
        if not formats or len({tuple(d.use for d in f.touching) for f in formats}) > 1 or (given is not None and not _in_order(formats)):
            if given is not None:
                return self._scalar(self.expand(call, "__fsoft_print_any", [pointer, given]))
            self.expand(call, _TEXT, [pointer])
            self._any_directives(call)
            return self._or_error(self._count(value_bits(call.type), 0, None))
        if not all(f.whole for f in formats):
            self.undefined("a format has a directive that C does not know", self.b.loc)
        outer, self._from_list = self._from_list, {}
        if given is not None:
            self._take_all(self._list_address(given), formats[0])
        for directive in formats[0].touching:
            self._touch(call, directive)
        self._from_list = outer
        most = [f.count[1] for f in formats if f.count[1] is not None]
        count = self._count(value_bits(call.type), min(f.count[0] for f in formats), max(most) if len(most) == len(formats) else None)
        return self._or_error(count)

    def _take_all(self, address: Expr, written: Format) -> None:
        """The arguments of all directives, from a list."""
        types = self.shared.unit.types
        for directive in written.directives:
            for number in (directive.wide, directive.limit):
                if number is not None:
                    self._from_list[number] = (types.int, self._scalar(self.take_argument(address, types.int)))
            if directive.argument >= 0:
                ctype = argument_type(directive, types)
                self._from_list[directive.argument] = (ctype, self._scalar(self.take_argument(address, ctype)))

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
        if number is None or number in self._from_list:
            return None if number is None else self._from_list[number]
        return self.frame.rest[number] if 0 <= number < len(self.frame.rest) else None

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


def _in_order(formats: list[Format]) -> bool:
    """One way to take the arguments of a list: no numbers, and a single text."""
    return len(formats) == 1 and formats[0].whole and not any(directive.numbered for directive in formats[0].directives)

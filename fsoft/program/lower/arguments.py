"""What `main` is called with: the arguments that the user gives (`fsoft check prog.c -- ARG...`), or any.

Free arguments are objects that exist from the start. There is one array of pointers for each number of arguments up to a bound, so its
end is where it is in the program, and one more array for any larger number; which of them `argv` is depends on the input `argc`. The
strings keep as many characters as the other bound says, undefined until they are first read. An access beyond a bound is a cut
(`Object.cut`), so a program that never goes that far loses nothing by it. What `main` does not mention is not made.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from fsoft.frontend import tree
from fsoft.program.expr import Expr, binary, const, eq, ite
from fsoft.program.lower.context import ProgramContext
from fsoft.program.lower.scan import walk
from fsoft.program.program import CellRun, Object

ARGC = "argc"
"""The name of the input that says how many arguments there are."""
MOST_ARGUMENTS = 1 << 21
LONGEST = 1 << 17
"""Bytes of one argument, as Linux has it (MAX_ARG_STRLEN)."""


def mentioned(definition: tree.FunctionDef) -> set[tree.Symbol]:
    """The parameters that a function looks at."""
    names = {node.symbol for node in walk(definition.body) if isinstance(node, tree.VariableExpr)}
    return names & set(definition.params)


def most_arguments(word: int, offset_bits: int) -> int:
    """The largest number of arguments whose array can be addressed."""
    return min(MOST_ARGUMENTS, (1 << (offset_bits - 1)) // word - 2)


class Arguments:
    """The objects and values of the parameters of `main`."""

    def __init__(self, shared: ProgramContext, definition: tree.FunctionDef):
        self.shared, self.memory = shared, shared.memory
        self.loc = definition.loc
        self.used = mentioned(definition)
        self.most = most_arguments(self.memory.word_bytes, self.memory.offset_bits)

    # ------------------------------------------------------------ given

    def given(self) -> list[bytes] | None:
        """The strings, with the name of the program as the first; None if they are free."""
        arguments = self.shared.options.arguments
        return None if arguments is None else [os.fsencode(text) for text in arguments]

    def fixed(self, strings: Sequence[bytes]) -> Expr:
        """The address of the array."""
        objects = [self._string(k, len(text) + 1) for k, text in enumerate(strings)]
        for obj, text in zip(objects, strings):
            obj.initial = dict(enumerate(text))
        return self._address(self._array("argv", objects, len(objects) + 1))

    # ------------------------------------------------------------ free

    def free(self, count: Expr) -> Expr:
        """The address of the array of that many arguments."""
        bound, length = self.shared.options.args_bound, self._length()
        marker = self._too_long(length)
        strings = []
        for k in range(bound):
            obj = self._string(k, LONGEST, length)
            obj.undefined, obj.dropped, obj.cut = True, ((length, LONGEST),), marker
            strings.append(obj)
        arrays = [self._array(f"argv({n})", strings[:n], n + 1) for n in range(bound + 1)]
        word = self.memory.word_bytes
        more = self._array(f"argv({bound + 1}...)", strings, self.most + 1, bound)
        more.dropped = ((bound * word, more.size),)
        message = f"an argument behind the first {bound} is read"
        more.cut = self.shared.marker("arguments", self.loc, message, "raise --args-bound, or give the arguments: -- ARG...")
        value = self._address(more)
        for n, array in reversed(list(enumerate(arrays))):
            value = ite(eq(count, const(n, count.width)), self._address(array), value)
        return value

    def too_many(self, count: Expr) -> Expr:
        """No program is called with so many arguments, or fewer than none."""
        return binary("ult", const(self.most, count.width), count)

    def environment(self) -> Expr:
        """The address of the third parameter: whoever reads it is cut."""
        word = self.memory.word_bytes
        obj = self._array("envp", [], 2, 0)
        obj.dropped = ((0, 2 * word),)
        obj.cut = self.shared.marker("environment", self.loc, "the environment is read, which may hold anything", "read no envp")
        return self._address(obj)

    def _length(self) -> int:
        """How many characters are kept. Where a string ends decides which of its bytes may be accessed, and that is not followed: of more
        than the first byte nothing is said when validity is asked."""
        return 1 if "valid-deref" in self.shared.options.checks else self.shared.options.arg_length

    def _too_long(self, length: int) -> int:
        if length < self.shared.options.arg_length:
            message = "a character of an argument behind the first is accessed: whether the string goes that far is open"
            return self.shared.marker("argument end", self.loc, message, "give the arguments: -- ARG...")
        message = f"a character of an argument behind the first {length} is accessed"
        return self.shared.marker("argument length", self.loc, message, "raise --arg-length, or give the arguments: -- ARG...")

    # ------------------------------------------------------------ objects

    def _string(self, number: int, size: int, cells: int | None = None) -> Object:
        runs = (CellRun(0, 1, 1, size if cells is None else cells, "[]", True, "char"),)
        return self.memory.new(f"argv[{number}]", size, runs, "global", self.loc)

    def _array(self, name: str, strings: Sequence[Object], count: int, cells: int | None = None) -> Object:
        word = self.memory.word_bytes
        kept = count if cells is None else cells
        runs = (CellRun(0, word, word, kept, "[]", False, "char *"),) if kept else ()
        obj = self.memory.new(name, count * word, runs, "global", self.loc)
        obj.initial = {k * word: string.id << self.memory.offset_bits for k, string in enumerate(strings)}
        return obj

    def _address(self, obj: Object) -> Expr:
        return const(obj.id << self.memory.offset_bits, self.memory.word_bytes * 8)


__all__ = ["ARGC", "Arguments", "mentioned", "most_arguments"]

"""The text of a formula: LTL around C expressions.

    formula  := formula (`<->` | `->` | `||` | `&&`) formula | formula (`U` | `R` | `W` | `S`) formula      loosest first
              | (`!` | `X` | `F` | `G` | `Y` | `O` | `H`) formula | `(` formula `)` | atom | `true` | `false`
    atom     := at(thread, label) | at(file:line) | enabled(t) | running(t) | finished(t) | holds(t, m) | ended()
              | a C expression | `{` C expression `}`

`->` and the binary temporal operators group to the right, and the latter bind tighter than `&&`. A C expression reaches as far
as C's own operators do; `p->f` without blanks is C's, `a -> b` with a blank is the implication. In braces everything is C, also
variables that are called like an operator. Errors are `InputError`s at a line and column, with the line and a caret below.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from fsoft.frontend.source import InputError, Loc
from fsoft.properties.ltl.formula import BINARY, FALSE, TRUE, UNARY, Atom, TemporalFormula, negate

_TOKEN = re.compile(
    r"""\s+|(?P<word>[A-Za-z_]\w*)|(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)|(?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)+')"""
    r"""|(?P<sign><->|<<=|>>=|->|\+\+|--|&&|\|\||<<|>>|<=|>=|==|!=|[-+*/%&|^]=|[-+*/%&|^!~<>=?:,.;()\[\]{}\#])""",
    re.VERBOSE,
)
_OPEN, _CLOSE = {"(": ")", "[": "]", "{": "}"}, (")", "]", "}")
_C_BINARY = frozenset(["+", "-", "*", "/", "%", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "^", "|"])
_ASSIGNS = frozenset(["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"])
_LOOSE = ("?", ",")
"""Operators of C that bind loosest: they stand in parentheses or braces."""
PLACES = ("at", "enabled", "running", "finished", "holds", "ended")
_LEVELS = (("<->",), ("->",), ("||",), ("&&",), BINARY)
_NAMES = {"<->": "iff", "->": "implies", "||": "or", "&&": "and"}


@dataclass(frozen=True, slots=True)
class Token:
    text: str
    kind: str
    start: int
    end: int


class FormulaError(InputError):
    """An error in a formula: the line, and below it the formula with a caret."""

    def __init__(self, loc: Loc, what: str, line: str):
        super().__init__(loc, what)
        self.line = line

    def __str__(self) -> str:
        return f"{super().__str__()}\n  {self.line}\n  {' ' * (self.loc.column - 1)}^"


@dataclass(frozen=True, slots=True)
class Text:
    """A formula as written: `text` starts at `column` (from 1) of line `line` of `file`, which reads `whole`."""

    text: str
    file: str = "--ltl"
    line: int = 1
    column: int = 1
    whole: str = ""

    def error(self, at: int, what: str) -> FormulaError:
        """An error at a column of the formula (from 1)."""
        return FormulaError(Loc(self.file, self.line, self.column + at - 1), what, self.whole or self.text)


def parse(source: Text) -> TemporalFormula:
    """The formula; a FormulaError says what is wrong and where."""
    return _Parser(source).formula()


class _Parser:
    def __init__(self, source: Text):
        self.source = source
        self.tokens = self._split()
        self.match = self._pairs()

    def error(self, at: int, what: str) -> NoReturn:
        """`at` is an offset into the text."""
        raise self.source.error(at + 1, what)

    def _split(self) -> list[Token]:
        text, at, found = self.source.text, 0, []
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                self.error(at, f"unexpected character '{text[at]}'")
            if match.lastgroup:
                found.append(Token(match[0], match.lastgroup, at, match.end()))
            at = match.end()
        if not found:
            self.error(0, "the formula is empty")
        return found

    def _pairs(self) -> dict[int, int]:
        """The closing token of every opening one."""
        stack: list[int] = []
        pairs: dict[int, int] = {}
        for k, token in enumerate(self.tokens):
            if token.kind != "sign":
                continue
            if token.text in _OPEN:
                stack.append(k)
            elif token.text in _CLOSE:
                if not stack or _OPEN[self.tokens[stack[-1]].text] != token.text:
                    self.error(token.start, f"'{token.text}' closes nothing")
                pairs[stack.pop()] = k
        if stack:
            opened = self.tokens[stack[-1]]
            self.error(opened.start, f"'{opened.text}' is never closed")
        return pairs

    def formula(self) -> TemporalFormula:
        return self._level(0, len(self.tokens), 0)

    # ------------------------------------------------------------ operators

    def _top(self, low: int, high: int) -> list[int]:
        """The tokens of a stretch that are in no brackets, and the brackets that open them."""
        out, k = [], low
        while k < high:
            out.append(k)
            k = self.match.get(k, k) + 1
        return out

    def _operator(self, k: int, low: int, signs: tuple[str, ...]) -> bool:
        """Whether token k is one of these binary operators here."""
        token = self.tokens[k]
        if token.text not in signs or k == low:
            return False
        if token.text == "->":
            text = self.source.text
            tight = text[token.start - 1 : token.start].strip() and text[token.end : token.end + 1].strip()
            return not (tight and k + 1 < len(self.tokens) and self.tokens[k + 1].kind == "word")
        return token.kind == "sign" or self._operand_ends(k - 1, low)

    def _operand_ends(self, k: int, low: int) -> bool:
        """Whether an operand ends with token k: then a word after it is an operator."""
        token = self.tokens[k]
        if token.kind == "word":
            return not (token.text in UNARY and self._is_prefix(k, low))
        return token.kind in ("number", "string") or token.text in _CLOSE

    def _is_prefix(self, k: int, low: int) -> bool:
        """Whether the word at k, spelt like an operator, stands where an operand may begin and one follows it."""
        if k > low and self._operand_ends(k - 1, low):
            return False
        after = self.tokens[k + 1] if k + 1 < len(self.tokens) else None
        return after is None or after.kind != "sign" or after.text in ("(", "!", "~", "{", "-", "+", "*", "&") or after.text in _CLOSE

    def _level(self, low: int, high: int, level: int) -> TemporalFormula:
        if low >= high:
            at = self.tokens[low].start if low < len(self.tokens) else len(self.source.text)
            self.error(at, "a formula is missing here")
        if level == len(_LEVELS):
            return self._unary(low, high)
        signs = _LEVELS[level]
        splits = [k for k in self._top(low, high) if self._operator(k, low, signs)]
        if not splits:
            return self._level(low, high, level + 1)
        bounds = [low, *(k + 1 for k in splits)]
        parts = [self._level(a, b, level + 1) for a, b in zip(bounds, [*splits, high])]
        result = parts[-1]  # to the right; for && and || the grouping does not matter
        for k, part in zip(reversed(splits), reversed(parts[:-1])):
            result = TemporalFormula(_NAMES.get(self.tokens[k].text, self.tokens[k].text), (part, result))
        return result

    def _unary(self, low: int, high: int) -> TemporalFormula:
        first = self.tokens[low]
        if first.kind == "word" and first.text in UNARY and self._is_prefix(low, low):
            if low + 1 >= high:
                self.error(first.end, f"'{first.text}' needs a formula after it")
            return TemporalFormula(first.text, (self._unary(low + 1, high),))
        if first.text == "!" and not self._all_c(low + 1, high):
            return negate(self._unary(low + 1, high)) if low + 1 < high else self._level(high, high, 0)
        if first.text == "(" and self.match[low] == high - 1:
            temporal = self.tokens[low + 1].text in UNARY and self._is_prefix(low + 1, low + 1)
            if not temporal and any(self.tokens[k].text in _LOOSE for k in self._top(low + 1, high - 1)):
                return self._c(low + 1, high - 1, first.start, loose=True)
            return self._level(low + 1, high - 1, 0)
        if first.text == "{" and self.match[low] == high - 1:
            return self._c(low + 1, high - 1, first.start, loose=True)
        return self._atom(low, high)

    def _all_c(self, low: int, high: int) -> bool:
        """Whether what follows a `!` goes on after its operand with an operator of C: `!x == 1` is (!x) == 1."""
        while low < high and self.tokens[low].text == "!":
            low += 1
        if low < high and self.tokens[low].text in UNARY and self._is_prefix(low, low):
            return False
        rest = [k for k in self._top(low, high) if k > low]
        return any(self.tokens[k].text in _C_BINARY and self._operand_ends(k - 1, low) for k in rest)

    # ------------------------------------------------------------ atoms

    def _atom(self, low: int, high: int) -> TemporalFormula:
        first = self.tokens[low]
        if high == low + 1 and first.text in ("true", "false"):
            return TRUE if first.text == "true" else FALSE
        called = low + 1 < high and self.tokens[low + 1].text == "("
        if first.text in PLACES and called:
            end = self.match[low + 1]
            if end != high - 1:
                after = self.tokens[end + 1]
                self.error(after.start, f"'{first.text}(...)' is true or false: no operator of C can follow it")
            return self._place(first, low + 2, end)
        return self._c(low, high, first.start)

    def _c(self, low: int, high: int, column: int, loose: bool = False) -> TemporalFormula:
        """A C expression; `loose`: brackets are around it, so that it may be one with `?:` or a comma."""
        if low >= high:
            self.error(column, "a C expression is missing here")
        self._check_c(low, high, loose)
        start, end = self.tokens[low].start, self.tokens[high - 1].end
        return TemporalFormula("atom", atom=Atom("c", self.source.text[start:end], "", column + 1, start + 1))

    def _check_c(self, low: int, high: int, loose: bool) -> None:
        for k in range(low, high):
            token = self.tokens[k]
            called = k + 1 < high and self.tokens[k + 1].text == "("
            if token.text in _ASSIGNS:
                hint = " (did you mean '=='?)" if token.text == "=" else ""
                self.error(token.start, f"'{token.text}': an atom must not change anything{hint}")
            if token.text == ";":
                self.error(token.start, "';' does not belong into a formula")
            if token.kind == "word" and called and token.text in PLACES:
                self.error(token.start, f"'{token.text}(...)' cannot be an operand of C's operators")
            if token.kind == "word" and called and token.text not in ("sizeof", "_Alignof") and token.text not in UNARY + BINARY:
                self.error(token.start, f"'{token.text}(...)': an atom must not call functions")
        top = [self.tokens[k] for k in self._top(low, high)]
        for token in top:
            if token.text in _LOOSE and not loose:
                self.error(token.start, f"write an expression with '{token.text}' in parentheses or braces")
        for k, token in zip(self._top(low, high), top):
            if token.kind == "word" and token.text in UNARY + BINARY and k > low and self.tokens[k - 1].text not in (".", "->"):
                if self._operand_ends(k - 1, low) or self._is_prefix(k, low):
                    self.error(token.start, f"'{token.text}' is a temporal operator and cannot stand here (put C in braces)")

    def _place(self, name: Token, low: int, high: int) -> TemporalFormula:
        """at(...), enabled(...), ...: what is between the parentheses."""
        arguments: list[tuple[str, int]] = []
        start = low
        for k in [*self._top(low, high), high]:
            if k == high or self.tokens[k].text == ",":
                if k > start:
                    arguments.append((self.source.text[self.tokens[start].start : self.tokens[k - 1].end], self.tokens[start].start + 1))
                elif k < high or arguments:
                    self.error(self.tokens[k].start, f"an argument of '{name.text}' is missing here")
                start = k + 1
        return TemporalFormula("atom", atom=self._built(name, arguments))

    def _built(self, name: Token, arguments: list[tuple[str, int]]) -> Atom:
        wanted = {"enabled": 1, "running": 1, "finished": 1, "holds": 2, "ended": 0}.get(name.text)
        usage = {"holds": "holds(thread, lock)", "ended": "ended()"}.get(name.text, f"{name.text}(thread)")
        column = name.start + 1
        if name.text == "at":
            if len(arguments) == 2:
                return Atom("label", arguments[1][0], arguments[0][0], column, arguments[1][1], who=arguments[0][1])
            if len(arguments) == 1 and re.fullmatch(r".*:\s*\d+|\d+", arguments[0][0]):
                return Atom("line", re.sub(r"\s", "", arguments[0][0]), "", column, arguments[0][1])
            self.error(name.start, "write at(thread, label) or at(file:line)")
        if len(arguments) != wanted:
            self.error(name.start, f"write {usage}")
        values = [text for text, _ in arguments] + ["", ""]
        places = [at for _, at in arguments] or [column]
        return Atom(name.text, values[1], values[0], column, places[-1], who=places[0])


__all__ = ["FormulaError", "PLACES", "Text", "parse"]

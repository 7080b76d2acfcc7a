"""Macro expansion by reading: the next word of the program, with macros replaced as gcc replaces them.

The replacement of a macro is a Context on a stack; while it is there, the macro is active and its name is painted (6.10.3.4p2). Looking
for the parenthesis of a call may leave contexts, so a call may begin in a replacement and end in the file, as in gcc, whose
choices are followed where the standard leaves them open. Blanks, which only `#` sees, travel as paddings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from fsoft.frontend.cpp.macros import Argument, Macro, MacroError, padding, replacement
from fsoft.frontend.cpp.scan import END, ID, PADDING, Tok
from fsoft.frontend.source import InputError, Loc

_MAX_WORK = 400_000  # words that are read for one macro of the file


class _Context:
    __slots__ = ("macro", "position", "tokens")

    def __init__(self, tokens: list[Tok], macro: Macro | None):
        self.tokens = tokens
        self.position = 0
        self.macro = macro


class Expander:
    """The words of a file after expansion. Who derives from it says where tokens come from (`read`, `unread`) and where that is (`loc`)."""

    def __init__(self) -> None:
        self.macros: dict[str, Macro] = {}
        self.builtins: dict[str, Callable[[], str]] = {"__COUNTER__": self._count, "__LINE__": lambda: str(self.numbered(self.call_line))}
        self.contexts: list[_Context] = []
        self.kept = 0  # macros are not expanded while this is positive
        self.spelt = True  # the last word stands in the file, and is not the replacement of a macro
        self.sought = False  # the parenthesis of a call is looked for
        self.origin: Tok | None = None  # the word of the file that the words now come from
        self.call_line = 0
        self.work = 0
        self._within = False  # a call that began in a replacement is being read
        self._counter = 0
        self._after = padding(None)

    # ---------------------------------------------------------------- what a file gives

    def read(self) -> Tok:
        raise NotImplementedError

    def unread(self, token: Tok) -> None:
        raise NotImplementedError

    def loc(self, line: int, column: int = 0) -> Loc:
        raise NotImplementedError

    def numbered(self, line: int) -> int:
        raise NotImplementedError

    # ---------------------------------------------------------------- words

    def word(self) -> Tok:
        """The next word that is no padding."""
        while True:
            token = self.next()
            if token.kind != PADDING:
                return token

    def next(self) -> Tok:
        """The next word or padding. At the end of an argument, or of a file inside a call, it is END again and again."""
        contexts = self.contexts
        spelt = not contexts
        if contexts:
            context = contexts[-1]
            if context.position == len(context.tokens):
                self._leave()
                return self._after
            token = context.tokens[context.position]
            if token.kind == END:
                return token
            context.position += 1
            self._worked()
        else:
            token = self.read()
        self.spelt = spelt
        if token.kind != ID or token.painted:
            return token
        macro = self.macros.get(token.text)
        if macro is None:
            if token.text not in self.builtins or self.kept:
                return token
            return self._builtin(token)
        if macro.active:
            token = token.copy()
            token.painted = True
            return token
        if self.kept:
            return token
        if self._enter(macro, token):
            return padding(token)
        self.spelt = spelt
        return token

    def is_macro(self, name: str) -> bool:
        return name in self.macros or name in self.builtins

    def _leave(self) -> None:
        macro = self.contexts.pop().macro
        if macro is not None:
            macro.active = False

    def _worked(self) -> None:
        self.work += 1
        if self.work > _MAX_WORK and self.origin is not None:
            what = f"the macro '{self.origin.text}' expands to more than can be read ({_MAX_WORK} words)"
            raise InputError(self.loc(self.origin.line), what)

    def _begins(self, token: Tok) -> None:
        """A macro is met: outside of other replacements, it is what `__LINE__` speaks of."""
        if not self.contexts:
            self.origin = token
            self.work = 0
        if not self._within and not (self.contexts and self.contexts[-1].macro):
            self.call_line = token.line

    def _builtin(self, token: Tok) -> Tok:
        self._begins(token)
        text = self.builtins[token.text]()
        kind = "string" if text.startswith('"') else "number"
        self.contexts.append(_Context([Tok(kind, text, token.line, token.column)], None))
        return padding(token)

    def _count(self) -> str:
        self._counter += 1
        return str(self._counter - 1)

    # ---------------------------------------------------------------- calls

    def _enter(self, macro: Macro, token: Tok) -> bool:
        """Put the replacement of a macro on the stack; False where a function-like one is not called."""
        self._begins(token)
        try:
            if macro.parameters is None:
                tokens = replacement(macro, (), self.expanded)
            else:
                within, self._within = self._within, self._within or bool(self.contexts and self.contexts[-1].macro)
                try:
                    arguments = self._call(macro, token)
                    if arguments is None:
                        return False
                    tokens = replacement(macro, arguments, self.expanded)
                finally:
                    self._within = within
        except MacroError as error:
            self._fail(token, str(error))
        self.contexts.append(_Context(tokens, macro))
        macro.active = True
        return True

    def _fail(self, token: Tok, what: str) -> NoReturn:
        place = self.origin or token
        raise InputError(self.loc(place.line, place.column), what)

    def _call(self, macro: Macro, token: Tok) -> list[Argument] | None:
        self.kept += 1
        try:
            return self._arguments(macro, token) if self._opens() else None
        finally:
            self.kept -= 1

    def _opens(self) -> bool:
        """Whether a parenthesis comes next; it is taken. Otherwise the padding before what comes instead is kept."""
        pad: Tok | None = None
        self.sought = True
        token = self.next()
        while token.kind == PADDING:
            if pad is None or pad.source is None or (not pad.source.white and token.source is None):
                pad = token
            token = self.next()
        self.sought = False
        if token.text == "(" and token.kind != END:
            return True
        if self.contexts:
            if token.kind != END:
                self.contexts[-1].position -= 1
        else:
            self.unread(token)
        if pad is not None:
            self.contexts.append(_Context([pad], None))
        return False

    def _arguments(self, macro: Macro, name: Tok) -> list[Argument]:
        """The arguments of a call, up to its closing parenthesis."""
        assert macro.parameters is not None
        last = len(macro.parameters) - 1
        found: list[list[Tok]] = [[]]
        depth = 0
        while True:
            token = self.next()
            current, text = found[-1], token.text
            if token.kind == PADDING:
                if not current:
                    continue
            elif token.kind == END:
                raise MacroError(f"the call of the macro '{name.text}' has no ')'")
            elif text == "(":
                depth += 1
            elif text == ")":
                if depth == 0:
                    break
                depth -= 1
            elif text == "," and depth == 0 and not (macro.variadic and len(found) > last):
                found.append([])
                continue
            current.append(token)
        return _matched(macro, found)

    def expanded(self, argument: Argument) -> list[Tok]:
        """An argument by itself, expanded; its text is read once only."""
        if argument.expanded is None:
            self.contexts.append(_Context([*argument.tokens, Tok(END, "")], None))
            line = self.call_line
            out: list[Tok] = []
            while (token := self.next()).kind != END:
                out.append(token)
            self.call_line = line
            self.contexts.pop()
            argument.expanded = out
        return argument.expanded

    def apart(self, tokens: list[Tok], each: Callable[[Tok], Tok] = lambda token: token) -> list[Tok]:
        """The tokens of a directive by themselves, expanded; `each` sees the words as they are read, and may read on."""
        saved = self.kept, self.sought, self._within, self.origin, self.work, self.call_line
        self.kept, self.sought, self._within, self.work = 0, False, False, 0
        self.origin = tokens[0] if tokens else None
        self.contexts.append(_Context([*tokens, Tok(END, "")], None))
        words: list[Tok] = []
        while (token := self.word()).kind != END:
            words.append(each(token))
        self.contexts.pop()
        self.kept, self.sought, self._within, self.origin, self.work, self.call_line = saved
        return words


def _matched(macro: Macro, found: list[list[Tok]]) -> list[Argument]:
    """Arguments for all parameters. MacroError if there are too few or too many."""
    assert macro.parameters is not None
    wanted, given = len(macro.parameters), len(found)
    for tokens in found:
        while tokens and tokens[-1].kind == PADDING:
            tokens.pop()
    if wanted == 0 and given == 1 and not found[0]:
        return []
    missing = macro.variadic and given == wanted - 1
    if given != wanted and not missing:
        plural = "" if wanted == 1 else "s"
        raise MacroError(f"macro {macro.name} requires {wanted} argument{plural}, and {given} are given")
    arguments = [Argument(tokens) for tokens in found]
    if missing:
        arguments.append(Argument([], absent=True))
    elif macro.variadic and given == 1 and not found[0]:
        arguments[0].absent = True
    return arguments

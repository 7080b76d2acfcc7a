"""Directives, and the preprocessor that they and macro expansion make together."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from typing import NoReturn

from fsoft.frontend.cpp.condition import evaluate
from fsoft.frontend.cpp.expand import Expander
from fsoft.frontend.cpp.files import Condition, File, find
from fsoft.frontend.cpp.macros import Macro, MacroError, parse_macro
from fsoft.frontend.cpp.scan import END, HEADER, ID, NUMBER, RAW, STRING, Tok, is_hash, scan, spelling
from fsoft.frontend.cpp.writer import TokenWriter
from fsoft.frontend.predefined import predefined
from fsoft.frontend.preprocess import INCLUDE, Preprocessed, lines_of, printable, read_text
from fsoft.frontend.source import InputError, Loc, Unsupported

_MAX_INCLUDE_DEPTH = 100
_SILENT = frozenset(("ident", "sccs", "assert", "unassert"))
_C23 = frozenset(("elifdef", "elifndef", "embed"))
_CONDITIONALS = frozenset(("if", "ifdef", "ifndef", "elif", "else", "endif")) | _C23
_HAS_INCLUDE = "__has_include"
_MACRO_PRAGMA = re.compile(r'(push|pop)_macro *\( *"((?:[^\W\d]|\$)[\w$]*)" *\)')
_GCC_PRAGMA = re.compile(r'GCC +(error|warning) +"(.*)"')


def run(path: str, text: str, include: Sequence[str], define: Sequence[str], undefine: Sequence[str], bits: int) -> Preprocessed:
    """A file, whose text may differ from what is on the disk, preprocessed against fsoft's own headers."""
    preprocessor = Preprocessor(path, text, [*include, INCLUDE])
    for name, value in predefined(bits).items():
        preprocessor.define_text(f"{name} {value}")
    for item in define:
        name, equals, value = item.partition("=")
        preprocessor.define_text(f"{name} {value}" if equals else f"{name} 1")
    for name in undefine:
        preprocessor.macros.pop(name, None)
    try:
        preprocessor.run()
    except RecursionError:
        raise InputError(preprocessor.where(), "macros or #includes nested too deeply") from None
    return Preprocessed(preprocessor.writer.text(), preprocessor.lines, preprocessor.notes)


def _shown(path: str) -> str:
    """A file as the user knows it: fsoft's own headers by their name in brackets, files below the working folder by relative path."""
    if path.startswith(INCLUDE + os.sep):
        return f"<{path[len(INCLUDE) + 1 :]}>"
    return path.removeprefix(os.getcwd() + os.sep)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


class Preprocessor(Expander):
    def __init__(self, path: str, text: str, folders: Sequence[str]):
        super().__init__()
        self.main = path
        self.folders = folders
        self.lines = lines_of(text, path)
        self.notes: list[str] = []
        self.writer = TokenWriter()
        self.files = [File.opened(path, path, text)]
        self.file = self.files[0]
        self.once: set[str] = set()
        self.pushed: dict[str, list[Macro | None]] = {}
        self.hash = self.file.tokens[-1]  # the `#` of the directive that is being read
        self.builtins |= {
            "__FILE__": lambda: _quoted(self.file.name),
            "__BASE_FILE__": lambda: _quoted(self.main),
            "__INCLUDE_LEVEL__": lambda: str(len(self.files) - 1),
            "__DATE__": lambda: '"Jan  1 1970"',
            "__TIME__": lambda: '"00:00:00"',
            "__TIMESTAMP__": lambda: '"Thu Jan  1 00:00:00 1970"',
        }
        self.directives: dict[str, Callable[[list[Tok]], None]] = {
            "define": self._define,
            "undef": self._undef,
            "include": self._include,
            "line": self._line,
            "pragma": lambda tokens: self.pragma(spelling(tokens), self.hash.line),
            "error": self._error,
            "warning": self._warning,
        }

    def run(self) -> None:
        self.writer.go((self.main, 1), 1)  # the first marker names the main file
        while (token := self.word()).kind != END:
            if token.kind == RAW:
                raise Unsupported(self.loc(token.line, token.column), "raw strings are not supported (--cpp gcc knows them)")
            if token.kind == ID and token.text == "_Pragma":
                self._pragma_operator(token)
            else:
                self.write(token)

    def write(self, token: Tok) -> None:
        if self.spelt or self.origin is None:
            self.writer.plain(token, self.file.place(token.line))
        else:
            self.writer.expanded(token, self.origin, self.file.place(self.origin.line))

    # ---------------------------------------------------------------- the file

    def loc(self, line: int, column: int = 0) -> Loc:
        return self.file.loc(line, column)

    def numbered(self, line: int) -> int:
        return line + self.file.shift

    def is_macro(self, name: str) -> bool:
        return super().is_macro(name) or name == _HAS_INCLUDE

    def where(self) -> Loc:
        return self.file.loc(self.hash.line)

    def read(self) -> Tok:
        """The next token of the file, after the directives before it. Inside of a call, the end of a file is the end."""
        while True:
            file = self.file
            token = file.tokens[file.position]
            if token.kind == END:
                if self.kept or not self._close():
                    return token
            elif token.first and is_hash(token) and not self.sought:
                self._directive(token)
            else:
                file.position += 1
                return token

    def unread(self, token: Tok) -> None:
        if token.kind != END:
            self.file.position -= 1

    def _close(self) -> bool:
        """Go back to the file that included this one, if there is one."""
        if self.file.conditions:
            condition = self.file.conditions[-1]
            raise InputError(self.loc(condition.directive.line), f"'{condition.said}' has no #endif")
        if len(self.files) == 1:
            return False
        self.files.pop()
        self.file = self.files[-1]
        return True

    # ---------------------------------------------------------------- directives

    def _directive(self, token: Tok) -> None:
        """One directive; where that leaves a group that is skipped, go on to the next one."""
        self.hash = token
        self.file.position += 1
        tokens = self.file.directive()
        if tokens and tokens[0].text in _CONDITIONALS:
            self._conditional(tokens[0].text, tokens[1:], spelling([token, *tokens]))
        elif tokens and not self._skipping():
            self._obey(tokens[0], tokens[1:])
        if self._skipping():
            self.file.skip()

    def _obey(self, directive: Tok, tokens: list[Tok]) -> None:
        name = directive.text
        if directive.kind == NUMBER:
            self._renumber([directive, *tokens])
        elif name in self.directives:
            self.directives[name](tokens)
        elif name not in _SILENT:
            raise self._unsupported(name)

    def _unsupported(self, name: str) -> Unsupported:
        return Unsupported(self.where(), f"preprocessor directive '#{name}' is not supported (--cpp gcc may know it)")

    def _malformed(self, name: str) -> NoReturn:
        raise InputError(self.where(), f"malformed preprocessor directive '#{name}'")

    def _name(self, directive: str, tokens: list[Tok]) -> str:
        if not tokens or tokens[0].kind != ID:
            self._malformed(directive)
        return tokens[0].text

    def _define(self, tokens: list[Tok]) -> None:
        try:
            macro = parse_macro(tokens)
        except MacroError as error:
            raise InputError(self.where(), str(error)) from None
        self.macros[macro.name] = macro

    def define_text(self, text: str) -> None:
        """A definition that stands in no file."""
        try:
            macro = parse_macro(scan(text, "<command line>")[:-1])
        except MacroError as error:
            raise InputError(Loc("<command line>", 0), str(error)) from None
        self.macros[macro.name] = macro

    def _undef(self, tokens: list[Tok]) -> None:
        self.macros.pop(self._name("undef", tokens), None)

    def _error(self, tokens: list[Tok]) -> None:
        raise InputError(self.where(), f"#error {printable(spelling(tokens))}".strip())

    def _warning(self, tokens: list[Tok]) -> None:
        self.notes.append(f"{self.where()}: #warning {printable(spelling(tokens))}".strip())

    # ---------------------------------------------------------------- places

    def _line(self, tokens: list[Tok]) -> None:
        self._renumber(self.apart(tokens))

    def _renumber(self, tokens: list[Tok]) -> None:
        """`#line 12 "file"`, and `# 12 "file" 1` as preprocessors write it: the next line has that number."""
        if not tokens or not (tokens[0].text.isascii() and tokens[0].text.isdigit()):
            raise InputError(self.where(), "#line needs a number")
        if len(tokens) > 1:
            if tokens[1].kind != STRING or not tokens[1].text.startswith('"'):
                raise InputError(self.where(), "the file of #line is no string")
            self.file.name = re.sub(r"\\(.)", r"\1", tokens[1].text[1:-1])
        self.file.shift = int(tokens[0].text) - (self.hash.last + 1)

    # ---------------------------------------------------------------- conditions

    def _conditional(self, name: str, tokens: list[Tok], said: str) -> None:
        conditions = self.file.conditions
        if name in ("if", "ifdef", "ifndef"):
            dead = self._skipping()
            live = not dead and self._holds(name, tokens)
            conditions.append(Condition(self.hash, said, live, live, dead))
        elif name in _C23:
            if not (conditions and conditions[-1].dead):
                raise self._unsupported(name)
        elif not conditions:
            raise InputError(self.where(), f"misplaced #{name}")
        elif name == "endif":
            conditions.pop()
        else:
            self._alternative(conditions[-1], name, tokens)

    def _alternative(self, condition: Condition, name: str, tokens: list[Tok]) -> None:
        if condition.otherwise:
            raise InputError(self.where(), f"misplaced #{name}")
        condition.otherwise = name == "else"
        condition.live = not condition.dead and not condition.taken and (name == "else" or self._holds(name, tokens))
        condition.taken |= condition.live

    def _skipping(self) -> bool:
        return bool(self.file.conditions) and not self.file.conditions[-1].live

    def _holds(self, name: str, tokens: list[Tok]) -> bool:
        if name in ("ifdef", "ifndef"):
            return self.is_macro(self._name(name, tokens)) == (name == "ifdef")
        if not tokens:
            raise InputError(self.where(), f"the condition of '#{name}' is missing")
        words = self.apart(tokens, self._answer)
        try:
            return evaluate([(token.kind, token.text) for token in words]) != 0
        except ValueError as error:
            raise InputError(self.where(), f"cannot evaluate the condition of '#{name}': {error}") from None

    def _answer(self, token: Tok) -> Tok:
        """`defined X`, also where a macro made it, and `__has_include(X)` are 1 or 0; other words are themselves."""
        if token.kind != ID or token.text not in ("defined", _HAS_INCLUDE):
            return token
        self.kept += 1
        answer = self._is_defined() if token.text == "defined" else self._has_include()
        self.kept -= 1
        return Tok(NUMBER, str(int(answer)))

    def _is_defined(self) -> bool:
        name = self.word()
        parenthesised = name.text == "("
        if parenthesised:
            name = self.word()
        if name.kind != ID or (parenthesised and self.word().text != ")"):
            raise InputError(self.where(), "'defined' needs the name of a macro")
        return self.is_macro(name.text)

    def _has_include(self) -> bool:
        """The name of a header in angle brackets is not expanded; anything else is."""
        opens = self.word().text == "("
        words = [self.word()]
        if words[0].kind == ID:
            raise self._unsupported(f"if {_HAS_INCLUDE}({words[0].text})")
        while words[-1].kind != END and words[0].text == "<" and words[-1].text != ">":
            words.append(self.word())
        if not opens or self.word().text != ")":
            raise InputError(self.where(), f"'{_HAS_INCLUDE}' needs the name of a header in parentheses")
        return self._found(*self._header_of(words)) is not None

    # ---------------------------------------------------------------- other files

    def _include(self, tokens: list[Tok]) -> None:
        name, system = self._header(tokens)
        if self.kept:
            raise InputError(self.where(), "#include inside of the arguments of a macro")
        path = self._found(name, system)
        if path is None:
            written = f"<{name}>" if system else f'"{name}"'
            hint = "fsoft has no such header; --cpp gcc uses the system's" if system else "-I adds a folder to look in"
            raise InputError(self.where(), f"cannot find the include file {written} ({hint})")
        if os.path.realpath(path) in self.once:
            return
        if len(self.files) > _MAX_INCLUDE_DEPTH:
            raise InputError(self.where(), f"#include nested too deeply: more than {_MAX_INCLUDE_DEPTH} files are open here")
        shown = _shown(path)
        text = read_text(path, shown)
        self.lines.update(lines_of(text, shown))
        self.file = File.opened(path, shown, text)
        self.files.append(self.file)

    def _header(self, tokens: list[Tok]) -> tuple[str, bool]:
        """The name that an #include asks for, as it stands or made by macros, and whether it is in angle brackets."""
        if tokens and tokens[0].kind == HEADER:
            return tokens[0].text[1:-1], tokens[0].text.startswith("<")
        return self._header_of(self.apart(tokens))

    def _header_of(self, words: list[Tok]) -> tuple[str, bool]:
        if words and words[0].kind == STRING and words[0].text.startswith('"'):
            return words[0].text[1:-1], False
        closing = next((index for index, token in enumerate(words) if token.text == ">"), 0)
        if closing and words[0].text == "<":
            return spelling(words[1:closing]), True
        raise InputError(self.where(), f"malformed #include of {spelling(words) or 'nothing'}")

    def _found(self, name: str, system: bool) -> str | None:
        own = [] if system else [os.path.dirname(self.file.path)]
        return find(name, [*own, *self.folders])

    # ---------------------------------------------------------------- pragmas

    def pragma(self, text: str, line: int) -> None:
        """Do what a pragma asks of the preprocessor; what it does not ask of it goes on to the parser."""
        macro = _MACRO_PRAGMA.match(text)
        said = _GCC_PRAGMA.match(text)
        if macro:
            self._stack_macro(macro[1], macro[2])
        elif said and said[1] == "error":
            raise InputError(self.loc(line), f"#error {printable(said[2])}")
        elif said:
            self.notes.append(f"{self.loc(line)}: #warning {printable(said[2])}")
        elif text == "once":
            self.once.add(os.path.realpath(self.file.path))
        else:
            self.writer.pragma(text, self.file.place(line))

    def _stack_macro(self, what: str, name: str) -> None:
        stack = self.pushed.setdefault(name, [])
        if what == "push":
            stack.append(self.macros.get(name))
        elif stack:
            macro = stack.pop()
            if macro is None:
                self.macros.pop(name, None)
            else:
                self.macros[name] = macro

    def _pragma_operator(self, token: Tok) -> None:
        """`_Pragma("...")` is what the string says, as a pragma."""
        place = token if self.spelt or self.origin is None else self.origin
        self.kept += 1
        words = [self.word() for _ in range(3)]
        self.kept -= 1
        if [words[0].text, words[1].kind, words[2].text] != ["(", STRING, ")"]:
            raise InputError(self.loc(place.line, place.column), "_Pragma needs a string in parentheses")
        string = words[1].text
        text = re.sub(r'\\(["\\])', r"\1", string[string.index('"') + 1 : -1])
        self.pragma(text.strip(), place.line)

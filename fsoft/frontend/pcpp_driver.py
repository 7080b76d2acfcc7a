"""pcpp, made to report every problem as one `InputError` and to keep columns."""

from __future__ import annotations

import io
import os
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any

import pcpp
import pcpp.preprocessor

from fsoft.frontend.condition import evaluate
from fsoft.frontend.predefined import predefined
from fsoft.frontend.preprocess import INCLUDE, Preprocessed, check_comments, lines_of, printable, read_text, without_long_comments
from fsoft.frontend.source import InputError, Loc, Unsupported
from fsoft.frontend.tokens import EXPANSION, EXPANSION_END

_MAX_INCLUDE_DEPTH = 100
_MAX_EXPANSION = 20_000  # words of one macro
_LINE = re.compile(r'(\d+)\s*(?:"((?:[^"\\]|\\.)*)")?')
_SILENT = frozenset(("ident", "sccs", "assert", "unassert"))
_C23 = frozenset(("elifdef", "elifndef", "embed"))

# gcc reads trigraphs only when asked to; pcpp always would.
pcpp.preprocessor.trigraph = lambda text: text


def run(path: str, text: str, include: Sequence[str], define: Sequence[str], undefine: Sequence[str], bits: int) -> Preprocessed:
    driver = _Driver(path, text)
    for folder in (*include, INCLUDE):
        driver.add_path(folder)
    driver.rewrite_paths = [(re.escape(os.path.abspath(path)) + "$", path.replace("\\", "\\\\"))]
    try:
        for name, value in predefined(bits).items():
            driver.define(f"{name} {value}")
        for item in define:
            name, equals, value = item.partition("=")
            driver.define(f"{name} {value}" if equals else f"{name} 1")
        for name in undefine:
            driver.undef(name)
        driver.parse(text, path)
        output = _Writer(driver).run()
    except RecursionError:
        raise InputError(driver.where(), "macros or #includes nested too deeply") from None
    except (IndexError, AttributeError, AssertionError, TypeError, ValueError):
        # pcpp expects directives to be well-formed.
        raise InputError(driver.where(), f"malformed preprocessor directive{driver.directive_name()}") from None
    return Preprocessed(output, driver.lines, driver.notes)


def _unsupported(loc: Loc, name: str) -> Unsupported:
    return Unsupported(loc, f"preprocessor directive '#{name}' is not supported (--cpp gcc may know it)")


def _is_wordlike(character: str) -> bool:
    return character.isalnum() or character == "_"


def _joined(tokens: list[Any]) -> Iterator[str]:
    """The words of a condition: what pcpp cut in two without a blank between (`1UL` and `L`) is one again."""
    word, end = "", -1
    for token in tokens:
        start = getattr(token, "lexpos", -1)
        if word and not (start == end and _is_wordlike(word[-1]) and _is_wordlike(token.value[:1])):
            yield word
            word = ""
        word += token.value
        end = start + len(token.value)
    yield word


class _Driver(pcpp.Preprocessor):  # type: ignore[misc]
    def __init__(self, path: str, text: str):
        super().__init__()
        self.main = path
        self.lines = lines_of(text, path)
        self.notes: list[str] = []
        # per file: physical lines from which `#line` counts anew, and what it says
        self.renumbered: dict[str, tuple[list[int], list[tuple[int, str]]]] = {}

    # ---------------------------------------------------------------- places

    def shown(self, source: str | None) -> str:
        """A file as the user knows it: fsoft's own headers by their name in brackets, files below the working folder by relative path."""
        if not source or source == self.main:
            return self.main
        if source.startswith(INCLUDE + os.sep):
            return f"<{source[len(INCLUDE) + 1 :]}>"
        here = os.getcwd() + os.sep
        return source.removeprefix(here)

    def place(self, source: str | None, line: int) -> tuple[str, int]:
        """File and line after the `#line` directives of the file itself."""
        name = self.shown(source)
        known = self.renumbered.get(name)
        if known:
            index = bisect_right(known[0], line) - 1
            if index >= 0:
                start, (number, renamed) = known[0][index], known[1][index]
                return renamed, number + line - start
        return name, line

    def where(self) -> Loc:
        directive = self.lastdirective
        return Loc(*self.place(directive.source, directive.lineno)) if directive is not None else Loc(self.main, 0)

    def directive_name(self) -> str:
        return f" '#{self.lastdirective.value}'" if self.lastdirective is not None else ""

    # ---------------------------------------------------------------- pcpp's hooks

    def group_lines(self, text: str, source: str) -> Iterator[list[Any]]:
        """pcpp's lines of tokens; each token also gets its column and the file it was spelt in."""
        lexer = self.lexer.clone()
        text = without_long_comments(text.replace("\f", " ").replace("\v", " ")) + "\n"
        lexer.input(text)
        lexer.lineno = 1
        line: list[Any] = []
        while token := lexer.token():
            token.source = token.origin = source
            token.column = token.lexpos - text.rfind("\n", 0, token.lexpos)
            token.length = len(token.value)
            line.append(token)
            if token.value == "\n":
                yield line
                line = []
        if line:
            yield line

    def expand_macros(self, tokens: list[Any], expanding_from: Sequence[str] = ()) -> list[Any]:
        expanded: list[Any] = super().expand_macros(tokens, list(expanding_from))
        if expanding_from and len(expanded) > _MAX_EXPANSION:
            raise InputError(Loc(self.main, self.linemacro), f"the macro '{expanding_from[0]}' expands to more than {_MAX_EXPANSION} words")
        return expanded

    def evalexpr(self, tokens: list[Any]) -> tuple[int, None]:
        """pcpp's own evaluator does not know all of C's integers."""
        if not tokens:
            raise InputError(self.where(), f"the condition of{self.directive_name()} is missing")
        for token in tokens:  # comments are blanks by now, but line splices are still there
            token.value = token.value or " "
        expanded = self._answer_defined(self.expand_macros(self._answer_defined(tokens)))
        try:
            return evaluate(" ".join(_joined(expanded))), None
        except (ValueError, InputError) as error:
            what = error.what if isinstance(error, InputError) else str(error)
            raise InputError(self.where(), f"cannot evaluate the condition of{self.directive_name()}: {what}") from None

    def _answer_defined(self, tokens: list[Any]) -> list[Any]:
        """Replace `defined X` and `defined(X)` by 1 or 0."""
        words = [token for token in tokens if token.type not in self.t_WS]
        out: list[Any] = []
        index = 0
        while index < len(words):
            token = words[index]
            index += 1
            if token.value == "defined" and token.type == self.t_ID:
                parenthesised = index < len(words) and words[index].value == "("
                name = words[index + parenthesised]
                index += 3 if parenthesised else 1
                if name.type != self.t_ID or (parenthesised and words[index - 1].value != ")"):
                    raise InputError(self.where(), "'defined' needs the name of a macro")
                token.type, token.value = self.t_INTEGER, "1" if name.value in self.macros else "0"
            out.append(token)
        return out

    def on_file_open(self, is_system_include: bool, includepath: str) -> io.StringIO:
        if not os.path.isfile(includepath):
            raise OSError
        if self.include_depth > _MAX_INCLUDE_DEPTH:
            raise InputError(self.where(), f"#include nested too deeply: more than {_MAX_INCLUDE_DEPTH} files are open here")
        name = self.shown(includepath)
        text = read_text(includepath, name)
        check_comments(text, name)
        self.lines.update(lines_of(text, name))
        return io.StringIO(text)

    def on_error(self, file: str, line: int, msg: str) -> None:
        loc = self.where() if file == "unknown" else Loc(*self.place(file, line))
        if msg.startswith("Unterminated"):
            msg = f"'{msg.removeprefix('Unterminated').strip()}' has no #endif"
        raise InputError(loc, msg[:1].lower() + msg[1:])

    def on_include_not_found(self, is_malformed: bool, is_system_include: bool, curdir: str, includepath: str) -> None:
        if is_malformed:
            raise InputError(self.where(), f"malformed #include of {includepath}")
        written = f"<{includepath}>" if is_system_include else f'"{includepath}"'
        hint = "fsoft has no such header; --cpp gcc uses the system's" if is_system_include else "-I adds a folder to look in"
        raise InputError(self.where(), f"cannot find the include file {written} ({hint})")

    def on_directive_handle(self, directive: Any, toks: list[Any], ifpassthru: bool, precedingtoks: list[Any]) -> bool | None:
        self.lastdirective = directive
        if directive.value in _C23:
            raise _unsupported(self.where(), directive.value)
        handled: bool | None = super().on_directive_handle(directive, toks, ifpassthru, precedingtoks)
        return handled

    def on_directive_unknown(self, directive: Any, toks: list[Any], ifpassthru: bool, precedingtoks: list[Any]) -> bool | None:
        name = directive.value
        said = printable("".join(token.value for token in toks)).strip()
        if name == "pragma":
            return None
        if name == "error":
            raise InputError(self.where(), f"#error {said}".strip())
        if name == "warning":
            self.notes.append(f"{self.where()}: #warning {said}".strip())
        elif name == "line" or name.isdigit():
            self._renumber(directive, said if name == "line" else f"{name} {said}")
        elif name not in _SILENT:
            raise _unsupported(self.where(), name)
        return True

    def _renumber(self, directive: Any, said: str) -> None:
        match = _LINE.match(said)
        if match is None:
            raise InputError(self.where(), "#line needs a number")
        name, _ = self.place(directive.source, directive.lineno)
        starts, meanings = self.renumbered.setdefault(self.shown(directive.source), ([], []))
        starts.append(directive.lineno + 1)
        meanings.append((int(match[1]), match[2] if match[2] is not None else name))


class _Writer:
    """Writes pcpp's tokens where they stood, with `#line` markers wherever newlines and blanks do not lead there."""

    def __init__(self, driver: _Driver):
        self.driver = driver
        self.out: list[str] = []
        self.file = ""
        self.line = 0
        self.column = 1
        self.expanding = False
        self.previous: Any = None  # the last token, if nothing was written since
        self.places: dict[tuple[str | None, int], tuple[str, int]] = {}

    def run(self) -> str:
        blank = self.driver.t_WS
        self.go((self.driver.main, 1), 1)  # the first marker names the main file
        while token := self.driver.token():
            if token.type in blank:
                self.blank(token)
            elif getattr(token, "expanded_from", None):
                self.expanded(token)
            else:
                self.plain(token)
        self.out.append(f"{EXPANSION_END}\n" if self.expanding else "\n")
        return "".join(self.out)

    def blank(self, token: Any) -> None:
        """Blanks count for where an expansion starts; the blanks of expansions only separate."""
        self.previous = None
        if self.expanding or getattr(token, "expanded_from", None) or not hasattr(token, "column"):
            self.write(" ")
        elif token.value != "\n" and token.type != self.driver.t_LINECONT:
            place = self.place(token)
            end = token.column + token.length
            if place == (self.file, self.line) and token.column == self.column:
                self.write(token.value)
            elif place[1] > self.line or place[0] != self.file:
                self.go(place, end)

    def plain(self, token: Any) -> None:
        place = self.place(token)
        if self.expanding:
            self.write(EXPANSION_END)
            self.expanding = False
        column = getattr(token, "column", self.column)
        adjacent = self.adjacent(token)
        glued = column == self.column and self.previous is not None and not adjacent
        if place != (self.file, self.line) or column < self.column or glued:
            self.go(place, column)
        elif column > self.column:
            self.write(" " * (column - self.column))
        self.write(token.value)
        self.previous = token

    def expanded(self, token: Any) -> None:
        place = self.place(token)
        if place != (self.file, self.line):
            self.go(place, 1)
        elif self.previous is not None and not self.adjacent(token):
            self.write(" ")
        if not self.expanding:
            self.expanding = True
            self.write(EXPANSION)
        self.write(token.value)
        self.previous = token

    def place(self, token: Any) -> tuple[str, int]:
        key = (getattr(token, "source", None), token.lineno)
        found = self.places.get(key)
        if found is None:
            found = self.places[key] = self.driver.place(*key)
        return found

    def adjacent(self, token: Any) -> bool:
        """Whether the two tokens were spelt without a blank between them, in one place, and are still what was spelt there."""
        previous = self.previous
        return (
            previous is not None
            and getattr(previous, "origin", None) is not None
            and previous.origin == getattr(token, "origin", None)
            and len(previous.value) == previous.length
            and previous.lexpos + previous.length == token.lexpos
        )

    def go(self, place: tuple[str, int], column: int) -> None:
        file, line = place
        if self.expanding:
            self.out.append(EXPANSION_END)
            self.expanding = False
        if file == self.file and 0 < line - self.line <= 8:
            self.out.append("\n" * (line - self.line))
        else:
            quoted = file.replace("\\", "\\\\").replace('"', '\\"')
            self.out.append(f'\n#line {line} "{quoted}"\n')
        self.out.append(" " * (column - 1))
        self.file, self.line, self.column = file, line, column
        self.previous = None

    def write(self, text: str) -> None:
        self.out.append(text)
        newlines = text.count("\n")
        if newlines:  # a string or comment over several lines
            self.line += newlines
            self.column = len(text) - text.rindex("\n")
        else:
            self.column += len(text)

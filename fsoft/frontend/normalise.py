"""GNU C tokens to tokens that the parser reads: attributes, pragmas, built-in type names, nesting.

* `__attribute__((...))`, `__declspec(...)` and `[[...]]` are dropped, except for the attributes in `KEPT`: each of those
  becomes one token GNUATTR (its value is the name), or GNUATTR_ARGS followed by its parenthesised arguments.
* Pragmas are dropped; `#pragma pack` becomes the attribute `pack(n)` of every struct and union in its reach.
* Built-in type names (`_Float64`, ...) become type keywords.
* Brackets must match, and may not nest deeper than `MAX_DEPTH`.
"""

from __future__ import annotations

import re

from pycparser.c_lexer import Token

from fsoft.frontend.source import InputError
from fsoft.frontend.tokens import BUILTIN_TYPES, loc_of

MAX_DEPTH = 400

_KEPT_NAMES = (
    "fsoft_atomic fsoft_plain noreturn packed aligned mode constructor destructor cleanup alias vector_size"
    " transparent_union scalar_storage_order ms_struct gcc_struct weak"
)
KEPT = frozenset(_KEPT_NAMES.split())

_SPECIAL = frozenset(("ATTRIBUTE", "DECLSPEC", "ATTRIBUTE_LIST", "PRAGMA", "_PRAGMA"))
_OPEN = {"LPAREN": "RPAREN", "LBRACKET": "RBRACKET", "LBRACE": "RBRACE"}
_CLOSE = frozenset(_OPEN.values())
_SPELLED = {"RPAREN": ")", "RBRACKET": "]", "RBRACE": "}"}
_PACK = re.compile(r"pack[ \t]*\((.*)\)")


def normalise(tokens: list[Token]) -> tuple[list[Token], list[str]]:
    """The tokens for the parser, and notes on what was ignored."""
    if any(token.type in _SPECIAL or token.type == "BUILTIN_TYPE" for token in tokens):
        normaliser = _Normaliser(tokens)
        normaliser.run()
        tokens, notes = normaliser.out, normaliser.notes
    else:
        notes = []
    check_nesting(tokens)
    return tokens, notes


def check_nesting(tokens: list[Token]) -> None:
    stack: list[Token] = []
    for token in tokens:
        kind = token.type
        if kind in _OPEN:
            stack.append(token)
            if len(stack) > MAX_DEPTH:
                raise InputError(loc_of(token), f"nested too deeply: more than {MAX_DEPTH} brackets are open here")
        elif kind in _CLOSE:
            if not stack:
                raise InputError(loc_of(token), f"'{token.value}' closes nothing")
            opener = stack.pop()
            if _OPEN[opener.type] != kind:
                wanted = _SPELLED[_OPEN[opener.type]]
                where = "" if opener.lineno == token.lineno else f" of line {opener.lineno}"
                raise InputError(loc_of(token), f"'{token.value}' where '{wanted}' must close the '{opener.value}'{where}")
    if stack:
        raise InputError(loc_of(stack[-1]), f"this '{stack[-1].value}' is never closed: the file ends before that")


class _Normaliser:
    def __init__(self, tokens: list[Token]):
        self.tokens = _with_builtin_types(tokens)
        self.out: list[Token] = []
        self.notes: list[str] = []
        self._index = 0
        self._pack: str | None = None
        self._pack_stack: list[tuple[str, str | None]] = []

    def run(self) -> None:
        tokens, out = self.tokens, self.out
        while self._index < len(tokens):
            token = tokens[self._index]
            self._index += 1
            kind = token.type
            if kind in _SPECIAL:
                self._special(token)
            else:
                out.append(token)
                if self._pack is not None and kind in ("STRUCT", "UNION"):
                    self._emit_pack(token)

    def _special(self, token: Token) -> None:
        kind = token.type
        if kind == "PRAGMA":
            self._pragma(token, token.value)
        elif kind == "_PRAGMA":
            inner = self._group(token, "LPAREN")
            text = inner[0].value.strip('"').replace('\\"', '"') if inner else ""
            self._pragma(token, text)
        elif kind == "DECLSPEC":
            self._attributes(self._group(token, "LPAREN"))
        elif kind == "ATTRIBUTE":
            outer = self._group(token, "LPAREN")
            if len(outer) < 2 or outer[0].type != "LPAREN" or outer[-1].type != "RPAREN":
                raise InputError(loc_of(token), "__attribute__ needs double parentheses")
            self._attributes(outer[1:-1])
        else:
            self._attributes(self._double_brackets(token))

    def _group(self, token: Token, opener: str) -> list[Token]:
        """The tokens between the bracket that must come next and its match; both are consumed."""
        start = self._index
        if start >= len(self.tokens) or self.tokens[start].type != opener:
            raise InputError(loc_of(token), f"'{token.value}' must be followed by '('")
        end = _matching(self.tokens, start)
        self._index = end + 1
        return self.tokens[start + 1 : end]

    def _double_brackets(self, token: Token) -> list[Token]:
        start = self._index
        depth = 2
        for position in range(start, len(self.tokens)):
            kind = self.tokens[position].type
            depth += (kind == "LBRACKET") - (kind == "RBRACKET")
            if depth == 0:
                self._index = position + 1
                return self.tokens[start : position - 1]
        raise InputError(loc_of(token), "this '[[' is never closed")

    def _attributes(self, tokens: list[Token]) -> None:
        """Emit those of a comma-separated list of attributes that matter."""
        if self.out and self.out[-1].type == "LPAREN":  # before the name of a parenthesised declarator: nothing to attach to
            return
        position = 0
        while position < len(tokens):
            token = tokens[position]
            position += 1
            if position + 1 < len(tokens) and tokens[position].type == "COLONCOLON":
                token = tokens[position + 1]
                position += 2
            arguments: list[Token] = []
            if position < len(tokens) and tokens[position].type == "LPAREN":
                end = _matching(tokens, position)
                arguments = tokens[position : end + 1]
                position = end + 1
            name = plain_name(token.value)
            if name in KEPT:
                self.out.append(_like(token, "GNUATTR_ARGS" if arguments else "GNUATTR", name))
                self.out.extend(arguments)

    def _pragma(self, token: Token, text: str) -> None:
        pack = _PACK.match(text)
        if pack:
            self._set_pack(token, pack[1])
        elif text.split(None, 1)[:1] == ["omp"]:
            self.notes.append(f"{loc_of(token)}: '#pragma omp' is ignored: the code runs as if compiled without OpenMP")

    def _set_pack(self, token: Token, text: str) -> None:
        """`pack()`, `pack(n)`, `pack(push[, id][, n])`, `pack(pop[, id])`."""
        words = [word for word in re.split(r"[ \t,]+", text) if word]
        number = next((word for word in words if word.isdigit()), None)
        label = next((word for word in words[1:] if not word.isdigit()), "")
        if words[:1] == ["push"]:
            self._pack_stack.append((label, self._pack))
            self._pack = number or self._pack
        elif words[:1] == ["pop"]:
            while self._pack_stack:
                name, self._pack = self._pack_stack.pop()
                if not label or name == label:
                    break
        elif not words or number in words[:1]:
            self._pack = number
        else:
            raise InputError(loc_of(token), f"cannot read '#pragma pack({text})'")

    def _emit_pack(self, token: Token) -> None:
        self.out.append(_like(token, "GNUATTR_ARGS", "pack"))
        for kind, value in (("LPAREN", "("), ("INT_CONST_DEC", self._pack or "0"), ("RPAREN", ")")):
            self.out.append(_like(token, kind, value))


def _with_builtin_types(tokens: list[Token]) -> list[Token]:
    out: list[Token] = []
    for token in tokens:
        if token.type == "BUILTIN_TYPE":
            out.extend(_like(token, kind, value) for kind, value in BUILTIN_TYPES[token.value])
        else:
            out.append(token)
    return out


def plain_name(name: str) -> str:
    """`__packed__` and `packed` are the same attribute."""
    return name[2:-2] if len(name) > 4 and name.startswith("__") and name.endswith("__") else name


def _like(token: Token, kind: str, value: str) -> Token:
    return Token(kind, value, token.lineno, token.column, token.filename)


def _matching(tokens: list[Token], start: int) -> int:
    """Index of the bracket that closes the one at `start`."""
    depth = 0
    for position in range(start, len(tokens)):
        kind = tokens[position].type
        depth += (kind in _OPEN) - (kind in _CLOSE)
        if depth == 0:
            return position
    raise InputError(loc_of(tokens[start]), f"this '{tokens[start].value}' is never closed: the file ends before that")

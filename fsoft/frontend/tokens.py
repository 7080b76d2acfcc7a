"""C text to pycparser tokens, in one pass of one regular expression.

Tokens come out with the place in the user's text: `#line` and `# 12 "file"` markers are followed, comments and line splices skipped.
Keywords in their GNU spellings get the standard token type and spelling (`__const` is `const`). Four token types are ours, for
`normalise` and `gnu` to deal with: ATTRIBUTE (`__attribute__`), ATTRIBUTE_LIST (`[[`), PRAGMA (`#pragma`, value: the rest of the line),
and those named in `GNU_KEYWORDS`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pycparser.c_lexer import Token

from fsoft.frontend.source import InputError, Loc

_STANDARD = (
    "auto break case char const continue default do double else enum extern float for goto if inline int long register restrict return"
    " short signed sizeof static struct switch typedef union unsigned void volatile while __int128 _Bool _Complex _Generic _Noreturn"
    " _Thread_local _Static_assert _Atomic _Alignof _Alignas _Pragma"
)

# spelling -> (token type, value); a value of "" drops the token.
KEYWORDS: dict[str, tuple[str, str]] = {word: (word.upper(), word) for word in _STANDARD.split()}

_SPELLINGS = {
    "const": "__const __const__",
    "volatile": "__volatile __volatile__",
    "restrict": "__restrict __restrict__",
    "inline": "__inline __inline__",
    "signed": "__signed __signed__",
    "_Thread_local": "__thread",
    "_Complex": "__complex__ __complex",
    "__int128": "__int128_t __int128__",
}
for _word, _aliases in _SPELLINGS.items():
    for _alias in _aliases.split():
        KEYWORDS[_alias] = KEYWORDS[_word]

GNU_KEYWORDS: dict[str, tuple[str, str]] = {
    "__extension__": ("", ""),
    "__typeof__": ("TYPEOF", "typeof"),
    "__typeof": ("TYPEOF", "typeof"),
    "typeof": ("TYPEOF", "typeof"),
    "__typeof_unqual__": ("TYPEOF_UNQUAL", "typeof_unqual"),
    "__typeof_unqual": ("TYPEOF_UNQUAL", "typeof_unqual"),
    "typeof_unqual": ("TYPEOF_UNQUAL", "typeof_unqual"),
    "__auto_type": ("AUTO", "__auto_type"),
    "__attribute__": ("ATTRIBUTE", "__attribute__"),
    "__attribute": ("ATTRIBUTE", "__attribute__"),
    "__declspec": ("DECLSPEC", "__declspec"),
    "asm": ("ASM", "asm"),
    "__asm": ("ASM", "asm"),
    "__asm__": ("ASM", "asm"),
    "__alignof": ("_ALIGNOF", "__alignof__"),
    "__alignof__": ("_ALIGNOF", "__alignof__"),
    "__label__": ("LOCAL_LABEL", "__label__"),
    "__real__": ("REAL_PART", "__real__"),
    "__real": ("REAL_PART", "__real__"),
    "__imag__": ("REAL_PART", "__imag__"),
    "__imag": ("REAL_PART", "__imag__"),
    "offsetof": ("OFFSETOF", "__builtin_offsetof"),
    "__builtin_offsetof": ("OFFSETOF", "__builtin_offsetof"),
    "__builtin_va_arg": ("__BUILTIN_VA_ARG", "__builtin_va_arg"),
    "__builtin_types_compatible_p": ("TYPES_COMPATIBLE", "__builtin_types_compatible_p"),
    "__FUNCTION__": ("ID", "__func__"),
    "__PRETTY_FUNCTION__": ("ID", "__func__"),
}
KEYWORDS.update(GNU_KEYWORDS)

# Names that are types without a declaration. A file may declare them itself (old glibc does), and then they are ordinary names.
_TYPE = "__INT128"  # any token type that pycparser takes for a simple type specifier
BUILTIN_TYPES: dict[str, tuple[tuple[str, str], ...]] = {
    "__uint128_t": (("UNSIGNED", "unsigned"), (_TYPE, "__int128")),
    "_Float16": ((_TYPE, "_Float16"),),
    "_Float32": (("FLOAT", "float"),),
    "_Float64": (("DOUBLE", "double"),),
    "_Float32x": (("DOUBLE", "double"),),
    "_Float64x": (("LONG", "long"), ("DOUBLE", "double")),
    "_Float128": ((_TYPE, "_Float128"),),
    "__float128": ((_TYPE, "_Float128"),),
    "__float80": ((_TYPE, "__float80"),),
    "_Decimal32": ((_TYPE, "_Decimal32"),),
    "_Decimal64": ((_TYPE, "_Decimal64"),),
    "_Decimal128": ((_TYPE, "_Decimal128"),),
}

PUNCTUATORS = {
    "...": "ELLIPSIS", "<<=": "LSHIFTEQUAL", ">>=": "RSHIFTEQUAL", "++": "PLUSPLUS", "--": "MINUSMINUS", "->": "ARROW", "&&": "LAND",
    "||": "LOR", "<<": "LSHIFT", ">>": "RSHIFT", "<=": "LE", ">=": "GE", "==": "EQ", "!=": "NE", "*=": "TIMESEQUAL", "/=": "DIVEQUAL",
    "%=": "MODEQUAL", "+=": "PLUSEQUAL", "-=": "MINUSEQUAL", "&=": "ANDEQUAL", "|=": "OREQUAL", "^=": "XOREQUAL", "=": "EQUALS",
    "+": "PLUS", "-": "MINUS", "*": "TIMES", "/": "DIVIDE", "%": "MOD", "|": "OR", "&": "AND", "~": "NOT", "^": "XOR", "!": "LNOT",
    "<": "LT", ">": "GT", "?": "CONDOP", "(": "LPAREN", ")": "RPAREN", "[": "LBRACKET", "]": "RBRACKET", "{": "LBRACE", "}": "RBRACE",
    ",": "COMMA", ".": "PERIOD", ";": "SEMI", ":": "COLON", "::": "COLONCOLON", "[[": "ATTRIBUTE_LIST",
}  # fmt: skip

# The preprocessor brackets what a macro expands to: all of it stands at the column of the macro's name.
EXPANSION = "\x01"
EXPANSION_END = "\x02"

_DIGRAPHS = {"<:": "[", ":>": "]", "<%": "{", "%>": "}"}
_PREFIXES = {"": "", "L": "W", "u8": "U8", "u": "U16", "U": "U32"}

# Groups: 1 word, 2 punctuator, 3 newline, 4 number, 5 string or character, 6 comment or splice, 7 directive, 8 digraph or anything else.
_MASTER = re.compile(
    r"[ \t\f\v\r]*(?:"
    r"""((?!(?:u8|[uUL])["'])(?:[^\W\d]|\$)[\w$]*)"""
    r"|(\.\.\.|<<=|>>=|\[[ \t]*\[|::|\+\+|--|->|&&|\|\||<<|>>|[<>=!*/%+\-&|^]=|(?!/[*/]|\.[0-9]|<[:%]|[:%]>)[-+*/%|&~^!<>?()\[\]{},.;:=])"
    r"|(\n)"
    r"|(\.?[0-9](?:[eEpP][+-]|[\w.])*)"
    r"""|((?:u8|[uUL])?"(?:[^"\\\n]|\\[^\n]|\\\n)*"|(?:u8|[uUL])?'(?:[^'\\\n]|\\[^\n])+')"""
    r"|(/\*(?s:.*?)\*/|//[^\n]*|\\[ \t\r]*\n)"
    r"|(\#[^\n]*)"
    r"|(<[:%]|[:%]>|[^\s])"
    r")"
)
_LINE_MARKER = re.compile(r'#[ \t]*(?:line[ \t]+)?(\d+)(?:[ \t]+"((?:[^"\\]|\\.)*)"[ \t\d]*)?[ \t\r]*$')
_ESCAPES = {"\n": "\\n", "\\": "\\\\", '"': '\\"'}
_PRAGMA = re.compile(r"#[ \t]*pragma\b[ \t]*(.*?)[ \t\r]*$")
_DIRECTIVE = re.compile(r"#[ \t]*(\w*)")
_INTEGER = re.compile(r"(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[0-7]*|[1-9][0-9]*)(?:[uU](?:ll|LL|[lL])?|(?:ll|LL|[lL])[uU]?)?")
_FLOAT = re.compile(
    r"(?:(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+"
    r"|0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?[0-9]+)[fFlL]?"
)
_DECLARES_BUILTIN = re.compile(r"\btypedef\b[^;{}()]*?\b(" + "|".join(BUILTIN_TYPES) + r")\s*(?:__attribute__[^;]*)?;")


class Lexer:
    """Tokens of one text. `spans` are the stretches of the text to read, in order; markers between them are followed."""

    def __init__(self, text: str, name: str):
        self.text = text
        self.name = name
        self.tokens: list[Token] = []
        self._file = name
        self._line = 1
        self._line_start = 0
        self._expansion = (0, 1)
        self._keywords = _keywords_for(text)
        self._numbers: dict[str, str] = {}

    def run(self, spans: Sequence[tuple[int, int]] | None = None) -> list[Token]:
        position = 0
        for start, end in spans if spans is not None else [(0, len(self.text))]:
            self._skip(position, start)
            self._read(start, end)
            position = end
        return self.tokens

    def _read(self, start: int, end: int) -> None:
        """The hot loop: words and punctuators are handled here, the rest in `_other`."""
        append, keywords, punctuators = self.tokens.append, self._keywords, PUNCTUATORS
        file, line, line_start = self._file, self._line, self._line_start
        for match in _MASTER.finditer(self.text, start, end):
            kind = match.lastindex
            if kind == 1:
                value = match[1]
                known = keywords.get(value)
                if known is None:
                    append(Token("ID", value, line, match.start(1) - line_start + 1, file))
                elif known[0]:
                    append(Token(known[0], known[1], line, match.start(1) - line_start + 1, file))
            elif kind == 2:
                value = match[2]
                append(Token(punctuators.get(value, "ATTRIBUTE_LIST"), value, line, match.start(2) - line_start + 1, file))
            elif kind == 3:
                line += 1
                line_start = match.end()
            elif kind is not None:
                self._line, self._line_start = line, line_start
                self._other(kind, match[kind], match.start(kind))
                file, line, line_start = self._file, self._line, self._line_start
        self._file, self._line, self._line_start = file, line, line_start

    def _add(self, kind: str, value: str, position: int) -> None:
        self.tokens.append(Token(kind, value, self._line, position - self._line_start + 1, self._file))

    def _loc(self, position: int) -> Loc:
        return Loc(self._file, self._line, position - self._line_start + 1)

    def _other(self, kind: int, value: str, position: int) -> None:
        if kind == 4:
            self._add(self._number(value, position), value, position)
        elif kind == 5:
            self._quoted(value, position)
        elif kind == 7:
            self._directive(value, position)
        elif value == EXPANSION:
            self._expansion = len(self.tokens), position - self._line_start + 1
        elif value == EXPANSION_END:
            start, column = self._expansion
            for token in self.tokens[start:]:
                token.column = column
        elif value in _DIGRAPHS:
            self._add(PUNCTUATORS[_DIGRAPHS[value]], _DIGRAPHS[value], position)
        elif kind == 8:
            raise InputError(self._loc(position), self._illegal(value, position))
        self._count_lines(value, position)

    def _count_lines(self, value: str, position: int) -> None:
        newlines = value.count("\n")
        if newlines:
            self._line += newlines
            self._line_start = position + value.rindex("\n") + 1

    def _number(self, value: str, position: int) -> str:
        kind = self._numbers.get(value)
        if kind is None:
            if _INTEGER.fullmatch(value):
                kind = "INT_CONST_DEC"
            elif _FLOAT.fullmatch(value):
                kind = "FLOAT_CONST"
            else:
                raise InputError(self._loc(position), f"'{value}' is not a number of C that fsoft knows")
            self._numbers[value] = kind
        return kind

    def _quoted(self, value: str, position: int) -> None:
        quote = value[-1]
        prefix = _PREFIXES[value[: value.index(quote)]]
        self._add(prefix + ("STRING_LITERAL" if quote == '"' else "CHAR_CONST"), value.replace("\\\n", ""), position)

    def _directive(self, value: str, position: int) -> None:
        marker = _LINE_MARKER.match(value)
        if marker:
            self._follow(marker)
            return
        pragma = _PRAGMA.match(value)
        if pragma:
            self._add("PRAGMA", pragma[1], position)
            return
        word = _DIRECTIVE.match(value)
        name = word[1] if word else ""
        if name in ("", "ident", "sccs", "assert", "unassert"):
            return
        raise InputError(self._loc(position), f"preprocessor directive '#{name}' in preprocessed text (a file to preprocess is named .c)")

    def _follow(self, marker: re.Match[str]) -> None:
        """The line after a marker has the number it gives."""
        self._line = int(marker[1]) - 1
        if marker[2] is not None:
            self._file = unescape_file(marker[2])

    def _illegal(self, value: str, position: int) -> str:
        if value == '"':
            return "this string has no closing quote"
        if value == "'":
            empty = self.text.startswith("''", position)
            return "empty character constant" if empty else "this character constant has no closing quote"
        if value == "/":
            return "this comment is never closed"
        shown = f"'{value}'" if value.isprintable() else f"with code {ord(value) if ord(value) < 0xDC80 else ord(value) - 0xDC00}"
        return f"illegal character {shown}"

    def _skip(self, start: int, end: int) -> None:
        """Move over text that is not read, counting lines and following its markers."""
        if start == end:
            return
        skipped = self.text[start:end]
        last = None
        if "#" in skipped:
            for last in _SKIPPED_MARKER.finditer(skipped):
                if last[2] is not None:
                    self._file = unescape_file(last[2])
        if last is not None:
            self._line = int(last[1]) - 1
            start += last.end()
            skipped = self.text[start:end]
        self._line += skipped.count("\n")
        newline = skipped.rfind("\n")
        if newline >= 0:
            self._line_start = start + newline + 1


_SKIPPED_MARKER = re.compile(r"^[ \t]*" + _LINE_MARKER.pattern, re.MULTILINE)


def _keywords_for(text: str) -> dict[str, tuple[str, str]]:
    """The keywords, and with them the built-in type names that the text mentions and does not declare itself."""
    mentioned = [name for name in BUILTIN_TYPES if name in text]
    if not mentioned:
        return KEYWORDS
    declared = set(_DECLARES_BUILTIN.findall(text))
    return KEYWORDS | {name: ("BUILTIN_TYPE", name) for name in mentioned if name not in declared}


def escape_file(name: str) -> str:
    """A file name as written in a line marker, the way gcc does."""
    return re.sub(r'[\\"\x00-\x1f\x7f]', lambda match: _ESCAPES.get(match[0]) or f"\\{ord(match[0]):03o}", name)


def unescape_file(name: str) -> str:
    """The file that a line marker names."""
    return re.sub(r"\\([0-7]{3}|.)", lambda match: _unescaped(match[1]), name) if "\\" in name else name


def _unescaped(text: str) -> str:
    return "\n" if text == "n" else chr(int(text, 8)) if len(text) == 3 else text


def line_marker(line: str) -> tuple[int, str | None] | None:
    """Number and file that a line says the next line has, if it is a marker."""
    match = _LINE_MARKER.match(line.lstrip(" \t"))
    return (int(match[1]), None if match[2] is None else unescape_file(match[2])) if match else None


def loc_of(token: Token) -> Loc:
    return Loc(token.filename, token.lineno, token.column)

"""Which stretches of a preprocessed text are worth reading.

Most of a preprocessed file is declarations of system headers that the program never mentions. The text is cut at its
top level into chunks (a declaration or a function definition each). A chunk that comes from a system header is kept only if it
defines a name that a kept chunk mentions; the closure of that is everything the program needs. Chunks of the user's own files are
always kept, so that their errors are reported.

A system header is known by its line marker. A text without any line markers is the user's own, except if it evidently holds
glibc's headers; then declarations in it (no definitions but inline functions) are treated like those of a system header.

What a chunk defines is read off its text. Where a chunk does not have one of the usual shapes, all its identifiers
count, so the answer errs only towards keeping.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fsoft.frontend.tokens import EXPANSION, EXPANSION_END, KEYWORDS, unescape_file

_MARK = re.compile(r'^[ \t]*#[ \t]*(?:line[ \t]+)?(\d+)(?:[ \t]+"((?:[^"\\]|\\.)*)"([ \t\d]*))?', re.MULTILINE)
_CUTS = re.compile(
    r"""([;{}])|^[ \t]*\#[ \t]*(?:line[ \t]+)?\d+(?:[ \t]+"((?:[^"\\\n]|\\.)*)"([ \t\d]*))?[^\n]*|^[ \t]*(\#[^\n]*)"""
    r"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'|/\*(?s:.*?)\*/|//[^\n]*""",
    re.MULTILINE,
)
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_WORD_OR_OTHER = re.compile(r"""[^\W\d][\w$]*|\$[\w$]*|^[ \t]*\#[^\n]*|"(?:[^"\\\n]|\\.)*\"""", re.MULTILINE)
_PARENS = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_TRAILER = rf"(?:\s*(?:__attribute__|__asm__|asm)\s*{_PARENS})*\s*"
_MARKER_LINES = re.compile(r"^[ \t]*#[^\n]*$", re.MULTILINE)
_PROTOTYPE = re.compile(rf"\s*[A-Za-z_][\w\s*]*?\b(\w+)\s*{_PARENS}{_TRAILER};")
_SIMPLE = re.compile(rf"\s*(?:__extension__\s+)?(?:extern|typedef)\s+[\w\s*]*?\b(\w+)\s*(?:\[[^\]]*\]\s*)*{_TRAILER};")
_FORWARD = re.compile(r"\s*(?:struct|union|enum)\s+(\w+)\s*;")
_TAG_OPENED = re.compile(r"\b(?:struct|union|enum)\s+(?:__attribute__\s*" + _PARENS + r"\s*)?(\w+)\s*\{")
_AGGREGATE_HEAD = re.compile(r"\b(?:struct|union|enum)\s*(?:__attribute__\s*" + _PARENS + r"\s*)*\w*\s*$")
_ENUMERATORS = re.compile(r"\benum\b[^;{}]*\{")
_INLINE = re.compile(r"\s*(?:__extension__\s+)?(?:extern|static|inline|__inline|__inline__)\b[\w\s*]*?\b(\w+)\s*\(")
_PARENTHESISED = re.compile(r"\s*\(\s*\**\s*(\w+)\s*\)")
_INLINE_WORD = re.compile(r"\b(?:inline|__inline|__inline__)\b")
_DECLARATION_HEAD = re.compile(r"\s*(?:__extension__\s+)?(?:extern|typedef|struct|union|enum)\b")
_RECORD_ONLY = re.compile(rf"\}}{_TRAILER};\s*$")

_LONGEST = 4000  # beyond this a declaration is not matched against the usual shapes

# What only preprocessed system headers contain.
_GLIBC = ("__attribute__ ((__nothrow__", "__extension__ typedef", "__extension__ extern")


@dataclass(slots=True)
class _Chunk:
    start: int
    end: int
    system: bool
    body: bool  # a function definition
    brace: bool  # has braces at its top level


def needed_spans(text: str) -> list[tuple[int, int]] | None:
    """The stretches to read, in order; None stands for the whole text."""
    marked = _MARK.search(text) is not None
    if not marked and not any(sign in text for sign in _GLIBC):
        return None
    chunks = _chunks(text, marked)
    kept = _closure(text, chunks)
    spans: list[tuple[int, int]] = []
    for chunk, keep in zip(chunks, kept, strict=True):
        if not keep:
            continue
        if spans and spans[-1][1] == chunk.start:
            spans[-1] = (spans[-1][0], chunk.end)
        else:
            spans.append((chunk.start, chunk.end))
    return spans


def is_system(name: str, flags: str) -> bool:
    return name.startswith(("/usr/", "<")) or "3" in flags.split()


class _Cutter:
    """Cuts a text into chunks; `system` of a chunk means that none of it is the user's."""

    def __init__(self, text: str, marked: bool):
        self.text = text
        self.marked = marked
        self.chunks: list[_Chunk] = []
        self.start = 0
        self.depth = 0
        self.body = self.brace = self.started = False
        self.main: str | None = None
        self.in_system = False
        self.all_system = marked

    def run(self) -> list[_Chunk]:
        previous = 0
        for match in _CUTS.finditer(self.text):
            mark = match[1]
            position = match.start()
            if mark or not _is_blank(self.text, previous, position):
                self.started = True
                self.all_system = self.all_system and self.in_system
            previous = match.end()
            if mark is not None:
                self.cut(mark, position)
            elif match[2] is not None:
                self.marker(match[2], match[3] or "")
            elif match[4] is not None:
                self.pragma(position, previous)
        self.all_system = False  # what is left over is read, to report what is wrong with it
        self.finish(len(self.text))
        return self.chunks

    def marker(self, name: str, flags: str) -> None:
        name = unescape_file(name)
        if self.main is None:
            self.main = name
        self.in_system = name != self.main and is_system(name, flags)

    def cut(self, mark: str, position: int) -> None:
        if mark == "{":
            self.open(position)
        elif mark == "}":
            self.depth = max(0, self.depth - 1)
            if self.depth == 0 and self.body:
                self.finish(position + 1)
        elif self.depth == 0:
            self.finish(position + 1)

    def finish(self, end: int) -> None:
        self.chunks.append(_Chunk(self.start, end, self.all_system, self.body, self.brace))
        self.start = end
        self.body = self.brace = self.started = False
        self.all_system = self.marked

    def open(self, position: int) -> None:
        if self.depth == 0 and not self.brace:
            self.brace = True
            head = self.text[self.start : position].rstrip()
            if not head:  # the body of a K&R definition: its head ended at the last parameter declaration
                self.body = True
                self.join_previous()
            else:
                self.body = head.endswith(")") and not _AGGREGATE_HEAD.search(head)
        self.depth += 1

    def join_previous(self) -> None:
        if self.chunks:
            previous = self.chunks.pop()
            self.start = previous.start
            self.all_system = self.all_system and previous.system

    def pragma(self, start: int, end: int) -> None:
        """A pragma is always read: `pack` matters to what follows. Amid a declaration it keeps that one too."""
        if self.started:
            self.all_system = False
            return
        self.finish(start)
        self.all_system = False
        self.finish(end)


def _is_blank(text: str, start: int, end: int) -> bool:
    return start == end or text[start:end].isspace()


def _chunks(text: str, marked: bool) -> list[_Chunk]:
    chunks = _Cutter(text, marked).run()
    if not marked:
        _mark_declarations(text, chunks)
    return chunks


def _mark_declarations(text: str, chunks: list[_Chunk]) -> None:
    """In a text without markers: what may be left out if nothing mentions it."""
    for chunk in chunks[:-1]:
        if chunk.body:
            head = text[chunk.start : text.index("{", chunk.start)]
            chunk.system = _INLINE_WORD.search(head) is not None
        elif not chunk.brace:
            piece = text[chunk.start : chunk.end]
            declares = _DECLARATION_HEAD.match(piece) is not None
            plain = "=" not in piece and not piece.lstrip().startswith(("struct", "union", "enum"))
            chunk.system = (declares and (plain or _FORWARD.fullmatch(piece) is not None)) or _PROTOTYPE.fullmatch(piece) is not None
        else:
            piece = text[chunk.start : chunk.end]
            if _DECLARATION_HEAD.match(piece) and "=" not in piece[: piece.index("{")]:
                chunk.system = piece.lstrip().startswith(("typedef", "__extension__")) or _RECORD_ONLY.search(piece) is not None


def _closure(text: str, chunks: list[_Chunk]) -> list[bool]:
    kept = [not chunk.system for chunk in chunks]
    by_name: dict[str, list[int]] = {}
    for index, chunk in enumerate(chunks):
        if chunk.system:
            for name in _defined(text[chunk.start : chunk.end], chunk):
                by_name.setdefault(name, []).append(index)
    pending = [index for index, keep in enumerate(kept) if keep]
    seen: set[str] = set()
    while pending:
        chunk = chunks[pending.pop()]
        for name in _WORD_OR_OTHER.findall(text, chunk.start, chunk.end):
            if name in seen:
                continue
            seen.add(name)
            for index in by_name.get(name, ()):
                if not kept[index]:
                    kept[index] = True
                    pending.append(index)
    return kept


def _defined(piece: str, chunk: _Chunk) -> list[str]:
    """The names that a chunk may define: never too few."""
    if "#" in piece:
        piece = _MARKER_LINES.sub("", piece)
    if EXPANSION in piece:
        piece = piece.replace(EXPANSION, "").replace(EXPANSION_END, "")
    if chunk.body:
        match = _INLINE.match(piece[:_LONGEST])
        if match and _names_itself(match):
            return [match[1]]
    elif chunk.brace:
        if not _ENUMERATORS.search(piece):
            return _TAG_OPENED.findall(piece) + _words(piece[piece.rindex("}") :])
    elif len(piece) <= _LONGEST:
        for shape in (_PROTOTYPE, _SIMPLE, _FORWARD):
            match = shape.fullmatch(piece)
            if match and _names_itself(match):
                return [match[1]]
    return _words(piece)


def _names_itself(match: re.Match[str]) -> bool:
    """Whether the word found is the declared name. In `T (x)` it may be the type and x the name."""
    inner = _PARENTHESISED.match(match.string, match.end(1))
    return match[1] not in KEYWORDS and (inner is None or inner[1] in KEYWORDS)


def _words(piece: str) -> list[str]:
    return [word for word in _WORD.findall(piece) if word not in KEYWORDS]

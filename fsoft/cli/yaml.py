"""The part of YAML that SV-COMP task files use: block mappings and lists, flow lists, scalars, comments.

Anything else is an `InputError` at its line: better than a wrong guess. Every scalar is read as a string.
"""

from __future__ import annotations

import re
from typing import NamedTuple, Union

from fsoft.frontend.source import InputError, Loc

Yaml = Union[str, list["Yaml"], dict[str, "Yaml"], None]

_KEY = re.compile(r"""([A-Za-z_][\w. /-]*?|'[^']*'|"[^"]*")\s*:(?:\s+(.*))?$""")
_COMMENT = re.compile(r"""^((?:[^#'"]|'[^']*'|"[^"]*"|(?<=\S)#)*?)(?:(?:^|\s)#.*)?$""")


class _Line(NamedTuple):
    number: int
    indent: int
    text: str


def read_yaml(text: str, path: str) -> Yaml:
    """The value of a YAML text of that subset."""
    reader = _Reader(_lines(text, path), path)
    value = reader.block(0) if reader.lines else None
    if reader.at < len(reader.lines):
        raise reader.error("unexpected indentation")
    return value


def _lines(text: str, path: str) -> list[_Line]:
    lines = []
    for number, raw in enumerate(text.splitlines(), 1):
        match = _COMMENT.match(raw)
        body = (match[1] if match else raw).rstrip()
        if not body.strip() or body in ("---", "..."):
            continue
        indent = len(body) - len(body.lstrip(" "))
        if body[indent] == "\t":
            raise InputError(Loc(path, number, indent + 1), "a tab cannot indent YAML")
        lines.append(_Line(number, indent, body[indent:]))
    return lines


class _Reader:
    def __init__(self, lines: list[_Line], path: str):
        self.lines, self.path, self.at = lines, path, 0

    def error(self, what: str) -> InputError:
        line = self.lines[min(self.at, len(self.lines) - 1)]
        return InputError(Loc(self.path, line.number, line.indent + 1), f"cannot read this task file: {what}")

    def block(self, indent: int, depth: int = 0) -> Yaml:
        """The mapping or list whose entries stand at `indent`."""
        if depth > 50:
            raise self.error("nested too deeply")
        if self.lines[self.at].text.startswith("- ") or self.lines[self.at].text == "-":
            return self._list(indent, depth)
        return self._mapping(indent, depth)

    def _here(self, indent: int) -> _Line | None:
        line = self.lines[self.at] if self.at < len(self.lines) else None
        return line if line is not None and line.indent == indent else None

    def _list(self, indent: int, depth: int) -> Yaml:
        items: list[Yaml] = []
        while (line := self._here(indent)) is not None and (line.text.startswith("- ") or line.text == "-"):
            rest = line.text[1:].lstrip()
            if not rest:
                self.at += 1
                items.append(self._nested(indent, depth))
            elif _KEY.match(rest):
                inner = indent + len(line.text) - len(rest)
                self.lines[self.at] = _Line(line.number, inner, rest)
                items.append(self._mapping(inner, depth))
            else:
                items.append(self._scalar(rest))
                self.at += 1
        return items

    def _mapping(self, indent: int, depth: int) -> Yaml:
        result: dict[str, Yaml] = {}
        while (line := self._here(indent)) is not None:
            match = _KEY.match(line.text)
            if not match:
                raise self.error(f"expected 'key: value', found '{line.text[:40]}'")
            key = match[1].strip("'\"")
            if key in result:
                raise self.error(f"'{key}' is given twice")
            if match[2]:
                result[key] = self._scalar(match[2])
                self.at += 1
            else:
                self.at += 1
                result[key] = self._nested(indent, depth)
        return result

    def _nested(self, indent: int, depth: int) -> Yaml:
        """What belongs to an entry that ends its line: a deeper block, a list at the same indentation, or nothing."""
        line = self.lines[self.at] if self.at < len(self.lines) else None
        if line is not None and (line.indent > indent or (line.indent == indent and line.text.startswith("- "))):
            return self.block(line.indent, depth + 1)
        return None

    def _scalar(self, text: str) -> Yaml:
        if text.startswith("["):
            if not text.endswith("]"):
                raise self.error("a list in brackets must end on its line")
            return [self._scalar(part.strip()) for part in text[1:-1].split(",") if part.strip()]
        if text[0] in "'\"":
            if len(text) < 2 or text[-1] != text[0]:
                raise self.error("a quote is not closed")
            return text[1:-1]
        if text[0] in "{&*!|>%@`":
            raise self.error(f"'{text[0]}' is not supported here")
        return text

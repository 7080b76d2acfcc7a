"""Shrinking a C text while something about it stays the same.

Delta debugging (Zeller and Hildebrandt, TSE 2002) over ever smaller units: declarations at file level, lines, bracketed
groups, tokens; again from the start until nothing more can go. The question that must keep its answer is a function of the text: this
file knows nothing of verdicts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

SameVerdict = Callable[[str], bool]

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
      | (?P<directive>\#(?:[^\n\\]|\\.)*)
      | (?P<string>[LuU]?"(?:[^"\\\n]|\\.)*"|[LuU]?'(?:[^'\\\n]|\\.)*')
      | (?P<word>[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.])*)
      | (?P<mark><<=|>>=|\.\.\.|->|\+\+|--|&&|\|\||[-+*/%&|^<>=!]=|<<|>>|.)""",
    re.VERBOSE | re.DOTALL,
)
_CLOSES = {"{": "}", "(": ")", "[": "]"}


def reduce(text: str, same: SameVerdict, report: Callable[[str], None] = lambda _: None) -> str:
    """The smallest text found for which `same` holds. `same(text)` must hold; `report` is called after every success."""
    seen: dict[str, bool] = {}

    def test(candidate: str) -> bool:
        if candidate not in seen:
            seen[candidate] = bool(candidate.strip()) and same(candidate)
            if seen[candidate]:
                report(candidate)
        return seen[candidate]

    while True:
        before = text
        for cut in (declarations, lines):
            text = _minimise(text, cut, test)
        text = _groups(text, test)
        text = _minimise(text, tokens, test)
        if text == before:
            return text


def _minimise(text: str, cut: Callable[[str], list[str]], test: SameVerdict) -> str:
    """Drop runs of units, long runs first, until no single one can go."""
    units = cut(text)
    if "".join(units) != text and not test("".join(units)):
        return text
    size = max(len(units) // 2, 1)
    while units:
        at, dropped = 0, False
        while at < len(units):
            shorter = units[:at] + units[at + size :]
            if test("".join(shorter)):
                units, dropped = shorter, True
            else:
                at += size
        if size == 1 and not dropped:
            break
        size = max(size // 2, 1)
    return "".join(units)


def _groups(text: str, test: SameVerdict) -> str:
    """For every bracketed group, outermost first: drop it, drop it with the statement it ends, or drop only the brackets."""
    at = 0
    while True:
        parts = tokens(text)
        pairs = list(brackets(parts))
        if at >= len(pairs):
            return text
        opening, closing = pairs[at]
        head = _head(parts, opening)
        for candidate in (
            parts[:head] + parts[closing + 1 :],
            parts[: opening + 1] + parts[closing:],
            parts[:opening] + parts[closing + 1 :],
            parts[:head] + parts[opening + 1 : closing] + parts[closing + 1 :],
            parts[:opening] + [" "] + parts[opening + 1 : closing] + parts[closing + 1 :],
        ):
            shorter = "".join(candidate)
            if len(shorter) < len(text) and test(shorter):
                text = shorter
                break
        else:
            at += 1


def _head(parts: list[str], opening: int) -> int:
    """Where the statement or declaration begins whose bracket this is."""
    depth, at = 0, opening
    while at > 0:
        mark = parts[at - 1].strip()
        if mark == ")":
            depth += 1
        elif mark == "(":
            if depth == 0:
                break
            depth -= 1
        elif depth == 0 and (mark in (";", "{", "}", ",", "[") or mark.startswith("#")):
            break
        at -= 1
    return at


def brackets(parts: list[str]) -> Iterator[tuple[int, int]]:
    """Indices of matching brackets, in order of the opening ones; what does not match is passed over."""
    pairs, stack = [], []
    for at, part in enumerate(parts):
        mark = part.strip()
        if mark in _CLOSES:
            stack.append(at)
        elif stack and mark == _CLOSES[parts[stack[-1]].strip()]:
            pairs.append((stack.pop(), at))
    return iter(sorted(pairs))


def tokens(text: str) -> list[str]:
    """The tokens with the white space before them; comments are dropped, a directive is one token with its line end."""
    found: list[str] = []
    space = ""
    for match in _TOKEN.finditer(text):
        part = match.group()
        if match.lastgroup == "space":
            space = (space + (part if part.isspace() else " ")).replace("\n\n", "\n")
        elif match.lastgroup == "directive":
            lead = "" if not found and not space else "\n"
            found.append(f"{lead}{part}\n")
            space = ""
        else:
            found.append(space + part)
            space = ""
    return found


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def declarations(text: str) -> list[str]:
    """The text cut after every `;` and `}` outside brackets, and around directives."""
    pieces, current, depth = [], "", 0
    for part in tokens(text):
        current += part
        mark = part.strip()
        depth += (mark in _CLOSES) - (mark in _CLOSES.values())
        if depth <= 0 and (mark in (";", "}") or mark.startswith("#")):
            pieces.append(current)
            current, depth = "", 0
    return [*pieces, current] if current else pieces

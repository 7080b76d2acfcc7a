"""Macros: what `#define` says, and what a call's arguments make of it (C11 6.10.3.1 to 6.10.3.3, with GNU's extensions)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from fsoft.frontend.cpp.scan import CHARACTER, HEADER, ID, PADDING, STRING, Tok, is_hash, is_paste, scan_one

VA_ARGS, VA_OPT = "__VA_ARGS__", "__VA_OPT__"


class MacroError(Exception):
    """What is wrong with a definition or a call."""


@dataclass(slots=True)
class ReplacementItem:
    """A piece of a replacement list: a token, a parameter, or `__VA_OPT__(inner)`."""

    token: Tok
    parameter: int = -1
    inner: list[ReplacementItem] | None = None
    stringized: bool = False
    pasted: bool = False  # `##` comes after it

    @property
    def replaced(self) -> bool:
        return self.parameter >= 0 or self.inner is not None


@dataclass(slots=True, eq=False)
class Macro:
    name: str
    parameters: list[str] | None  # None: object-like
    variadic: bool
    body: list[ReplacementItem]
    active: bool = False  # its replacement is being rescanned
    plain: list[Tok] | None = None  # the replacement of an object-like macro


@dataclass(slots=True)
class Argument:
    tokens: list[Tok]
    absent: bool = False  # nothing was given for a variable argument, not even a comma
    expanded: list[Tok] | None = field(default=None)


# ---------------------------------------------------------------- definitions


def parse_macro(tokens: Sequence[Tok]) -> Macro:
    """A macro from what comes after `#define`. MacroError says what is wrong."""
    if not tokens or tokens[0].kind != ID:
        raise MacroError("malformed preprocessor directive '#define'")
    name = tokens[0].text
    if name in ("defined", VA_ARGS, VA_OPT):
        raise MacroError(f"'{name}' cannot be the name of a macro")
    parameters: list[str] | None = None
    variadic, rest = False, list(tokens[1:])
    if rest and rest[0].text == "(" and not rest[0].white:
        parameters, variadic, used = _parameters(rest, name)
        rest = rest[used:]
    body = _body(rest, name, parameters, variadic)
    return Macro(name, parameters, variadic, body)


def _parameters(tokens: list[Tok], name: str) -> tuple[list[str], bool, int]:
    """Names, whether the last one is variable, and how many tokens that took; `tokens` starts with the parenthesis."""
    wrong = MacroError(f"malformed parameters of the macro '{name}'")
    words = [token.text for token in tokens]
    if words[1:2] == [")"]:
        return [], False, 2
    names: list[str] = []
    position = 1
    while position + 1 < len(words):
        variadic = False
        if words[position] == "...":
            names.append(VA_ARGS)
            variadic = True
        elif tokens[position].kind == ID and words[position] not in (*names, VA_ARGS, VA_OPT):
            names.append(words[position])
            if words[position + 1] == "...":
                variadic = True
                position += 1
        else:
            raise wrong
        after = words[position + 1] if position + 1 < len(words) else ""
        if after == ")":
            return names, variadic, position + 2
        if after != "," or variadic:
            raise wrong
        position += 2
    raise wrong


def _body(tokens: list[Tok], name: str, parameters: list[str] | None, variadic: bool) -> list[ReplacementItem]:
    if tokens and (is_paste(tokens[0]) or is_paste(tokens[-1])):
        raise MacroError(f"'##' is at an end of the macro '{name}'")
    items: list[ReplacementItem] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        if items and is_paste(token):
            items[-1].pasted = True
            position += 1
            continue
        stringized = parameters is not None and is_hash(token)
        if stringized:
            position += 1
        item, position = _item(tokens, position, name, parameters or [], variadic)
        if stringized:
            if not item.replaced:
                raise MacroError(f"'#' is not followed by a parameter of the macro '{name}'")
            item.stringized = True
            item.token = token
        items.append(item)
    return items


def _item(tokens: list[Tok], position: int, name: str, parameters: list[str], variadic: bool) -> tuple[ReplacementItem, int]:
    """The piece at a position, and where the next one is."""
    if position >= len(tokens):
        raise MacroError(f"'#' is not followed by a parameter of the macro '{name}'")
    token = tokens[position]
    if token.kind != ID:
        return ReplacementItem(token), position + 1
    if token.text == VA_OPT and variadic:
        end = _closing(tokens, position + 1, name)
        return ReplacementItem(token, inner=_body(tokens[position + 2 : end], name, parameters, variadic)), end + 1
    return ReplacementItem(token, parameters.index(token.text) if token.text in parameters else -1), position + 1


def _closing(tokens: list[Tok], position: int, name: str) -> int:
    depth = 0
    for index in range(position, len(tokens)):
        depth += (tokens[index].text == "(") - (tokens[index].text == ")")
        if depth == 0:
            if index > position:
                return index
            break
    raise MacroError(f"'{VA_OPT}' needs parentheses in the macro '{name}'")


# ---------------------------------------------------------------- calls


def padding(source: Tok | None) -> Tok:
    """Stands for the place before the first token of an expansion, which has a blank if `source` had one; None: after an expansion."""
    token = Tok(PADDING, "")
    token.source = source
    return token


def replacement(macro: Macro, arguments: Sequence[Argument], expand: Callable[[Argument], list[Tok]]) -> list[Tok]:
    """The replacement list with the arguments put in: `#` and `##` are done, other arguments are expanded by `expand`."""
    if macro.parameters is None:
        if macro.plain is None:
            macro.plain = _Substitution(macro, arguments, expand).run(macro.body)
        return macro.plain
    substitution = _Substitution(macro, arguments, expand)
    if macro.variadic:
        substitution.prepare(macro.body)
    return substitution.run(macro.body)


class _Substitution:
    def __init__(self, macro: Macro, arguments: Sequence[Argument], expand: Callable[[Argument], list[Tok]]):
        self.macro = macro
        self.arguments = arguments
        self.expand = expand

    def run(self, body: list[ReplacementItem]) -> list[Tok]:
        out: list[Tok] = []
        joins = False  # the next piece is pasted to what is there
        empty = True  # what is there, since the last piece that is not pasted, is nothing
        for index, item in enumerate(body):
            tokens = self.tokens(item, joins or item.pasted)
            if not joins:
                if item.replaced and index:
                    out.append(padding(item.token))
                out += tokens
                empty = not tokens
            elif self.is_rest(item) and not empty and out[-1].text == ",":
                self.after_comma(out, item, tokens)
            elif tokens:
                if empty:
                    out += tokens
                else:
                    out[-1:] = [paste(out[-1], tokens[0]), *tokens[1:]]
                empty = False
            joins = item.pasted
            if item.replaced and not joins:
                out.append(padding(None))
        return out

    def prepare(self, body: list[ReplacementItem]) -> None:
        """Expand arguments in the order of the text, as gcc does, also those that `__VA_OPT__` leaves out: `__COUNTER__` shows it."""
        joins = False
        for item in body:
            if item.inner is not None:
                self.prepare(item.inner)
            elif item.parameter >= 0 and not (joins or item.pasted or item.stringized):
                self.expand(self.arguments[item.parameter])
            joins = item.pasted

    def tokens(self, item: ReplacementItem, beside_paste: bool) -> list[Tok]:
        """What a piece stands for; an argument beside `##` is not expanded."""
        if item.inner is not None:
            inner = self.run(item.inner) if self.has_rest() else []
            tokens = _trimmed(inner)
        elif item.parameter < 0:
            return [item.token]
        elif beside_paste or item.stringized:
            tokens = self.arguments[item.parameter].tokens
        else:
            return self.expand(self.arguments[item.parameter])
        return [stringized(tokens, item.token)] if item.stringized else tokens

    def is_rest(self, item: ReplacementItem) -> bool:
        return self.macro.variadic and item.parameter == len(self.arguments) - 1 and not item.stringized

    def has_rest(self) -> bool:
        return any(token.kind != PADDING for token in self.expand(self.arguments[-1]))

    def after_comma(self, out: list[Tok], item: ReplacementItem, tokens: list[Tok]) -> None:
        """GNU's `, ## __VA_ARGS__`: without arguments the comma goes, with arguments nothing is pasted."""
        argument = self.arguments[item.parameter]
        if argument.absent:
            out.pop()
        else:
            out += tokens


def _trimmed(tokens: list[Tok]) -> list[Tok]:
    start, end = 0, len(tokens)
    while start < end and tokens[start].kind == PADDING:
        start += 1
    while start < end and tokens[end - 1].kind == PADDING:
        end -= 1
    return tokens[start:end]


def paste(left: Tok, right: Tok) -> Tok:
    token = scan_one(left.text + right.text)
    if token is None:
        raise MacroError(f"pasting '{left.text}' and '{right.text}' does not give one word of C")
    token.line, token.column, token.white = left.line, left.column, left.white
    return token


def stringized(tokens: Sequence[Tok], operator: Tok) -> Tok:
    """`#` of an argument: its spelling, with one blank where there were any."""
    out: list[str] = []
    source: Tok | None = None
    for token in tokens:
        if token.kind == PADDING:
            if source is None or (not source.white and token.source is None):
                source = token.source
            continue
        if out and (source or token).white:
            out.append(" ")
        source = None
        literal = token.kind in (STRING, CHARACTER, HEADER)
        out.append(token.text.replace("\\", "\\\\").replace('"', '\\"') if literal else token.text)
    text = "".join(out)
    if (len(text) - len(text.rstrip("\\"))) % 2:  # a lone backslash at the end would take the quote
        text = text[:-1]
    return Tok(STRING, f'"{text}"', operator.line, operator.column, operator.white)

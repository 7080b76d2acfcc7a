"""Options that engines, encodings and `auto` declare as fields (`fsoft/option.py`), as options of the command line.

A flag belongs to everybody who declares it, and its help says who does. `--engine` and `--encoding` say whose options are asked for: only
these modules are imported, unless a flag is none of theirs; then all are, so that what is wrong can be said.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from fsoft.ask.by_name import encoding_names, encoding_of, schemes
from fsoft.ask.settings import AutoOptions
from fsoft.checkers.registry import UnknownEngine, any_engine, everyone
from fsoft.cli.exits import UsageError
from fsoft.option import Option, options_of
from fsoft.process.files import check_writable

if TYPE_CHECKING:
    from fsoft.cli.arguments import Parser

AUTO = "auto"
_HELP = ("-h", "--help")
_PLAIN = ("backend", "contexts", "rounds", "schedule")
"""Options that commands have themselves and that engines or encodings declare as well."""

Owners = Mapping[str, Iterable[Option]]
"""Options by the name of who declares them."""

_READERS: dict[str, Callable[[str], Any]] = {
    "int": int,
    "float": float,
    "str": str,
    "tuple[str, ...]": lambda text: tuple(name.strip() for name in text.split(",") if name.strip()),
}
_NAMED = {"int": "number", "float": "number", "str": "text", "tuple[str, ...]": "list of names"}


class DeclaredOptions:
    """What a parser can still be told: `engines` and `encodings` give the owners of a name, or all of them without one."""

    def __init__(self, parser: Parser) -> None:
        self.parser = parser
        self.sources: dict[str, tuple[argparse._ArgumentGroup, Callable[[str | None], Owners]]] = {}
        self.flags: dict[str, tuple[str, ...]] = {}
        self._known: dict[str, list[tuple[str, Option]]] = {}
        self._own: dict[str, str] = {}

    def add(self, word: str, group: argparse._ArgumentGroup, owners: Callable[[str | None], Owners]) -> None:
        """The owners are found by the value of the option `word`."""
        self.sources[word] = (group, owners)

    def load(self, words: list[str]) -> None:
        """Declare what these words of a command line need."""
        if not self.sources or not any(self._unknown(words)):
            return
        if not {*_HELP} & set(words):
            for word, (group, owners) in self.sources.items():
                self._declare(group, owners(_value(words, word)))
        if any(self._unknown(words)):
            self.load_all()

    def load_all(self) -> None:
        """Declare all there are."""
        for group, owners in self.sources.values():
            self._declare(group, owners(None))

    def _unknown(self, words: list[str]) -> Iterator[str]:
        known = self.parser._option_string_actions
        for word in words:
            if word in _HELP or (word.startswith("--") and word.partition("=")[0] not in known):
                yield word

    def _declare(self, group: argparse._ArgumentGroup, owners: Owners) -> None:
        for owner, options in owners.items():
            for option in options:
                told = self._known.setdefault(option.flag, [])
                if option.flag and all(who != owner for who, _ in told):
                    told.append((owner, option))
                    self._put(group, option.flag, told)

    def _put(self, group: argparse._ArgumentGroup, flag: str, told: list[tuple[str, Option]]) -> None:
        """The flag, for one owner more than before."""
        actions = self.parser._option_string_actions
        action = actions.get(f"--{flag}") or _new(group, flag, told[-1][1])
        who, option = told[-1]
        if (action.nargs == 0) != (option.kind == "bool"):
            raise ValueError(f"the option --{flag} of {who} has a value, or none, where that of others is otherwise: it needs another name")
        own = self._own.setdefault(flag, action.help or "")
        self.flags[flag] = tuple(name for name, _ in told)
        if action.choices is not None:
            action.choices = list(dict.fromkeys([*action.choices, *option.allowed]))
        action.help = "; ".join(filter(None, [own, _help(told)]))


def _new(group: argparse._ArgumentGroup, flag: str, option: Option) -> argparse.Action:
    if option.kind == "bool":
        return group.add_argument(f"--{flag}", action=argparse.BooleanOptionalAction, default=None, help="")
    metavar = option.metavar or None
    choices = option.allowed if option.allowed and not option.metavar else None
    return group.add_argument(f"--{flag}", type=_reader(option), metavar=metavar, choices=choices, default=None, help="")


def _reader(option: Option) -> Callable[[str], Any]:
    read = _READERS[option.kind]

    def number(text: str) -> Any:
        value = read(text)
        if option.least is not None and value < option.least:
            raise argparse.ArgumentTypeError(f"must be at least {option.least}, not {text}")
        return value

    number.__name__ = _NAMED[option.kind]
    return number


def _help(told: list[tuple[str, Option]]) -> str:
    """Who has the option, and what it does for whom."""
    texts: dict[str, list[str]] = {}
    for who, option in told:
        texts.setdefault(option.help, []).append(who)
    return "; ".join(f"{', '.join(who)}: {text}" for text, who in texts.items()).replace("%", "%%")


def _value(words: list[str], option: str) -> str:
    """The value of an option on a command line that nobody has read yet."""
    for word, after in zip(words, [*words[1:], ""]):
        name, equals, value = word.partition("=")
        if name == option:
            return value if equals else after
    return ""


# ---------------------------------------------------------------- who declares


def engine_owners(name: str | None) -> Owners:
    """The options of an engine (`auto` if none is named), or of all."""
    auto = {AUTO: options_of(AutoOptions)}
    if name is None:
        return {**auto, **{one: entry.options for one, entry in everyone().items()}}
    try:
        return auto if name in ("", AUTO) else {name: any_engine(name).options}
    except UnknownEngine:
        return {}


def encoding_owners(name: str | None) -> Owners:
    """The options of an encoding, or of all."""
    names = encoding_names() if name is None else [name] if name in encoding_names() else []
    return {one: options_of(encoding_of(one).bounds) for one in names}


def scheme_owners(name: str | None) -> Owners:
    """The options of a sequentialization (`lazy` if none is named), or of all."""
    known = encoding_owners(None if name is None else name or "lazy")
    return {one: options for one, options in known.items() if one in schemes()}


# ---------------------------------------------------------------- what was given


def given_flags(args: argparse.Namespace) -> list[str]:
    """The options that the command line has and that somebody declares."""
    known = dict.fromkeys([*args.declared, *_PLAIN])
    return [flag for flag in known if getattr(args, _dest(flag), None) is not None]


def of_encodings(args: argparse.Namespace, flag: str) -> bool:
    """Whether only bounded encodings have the option."""
    owners = args.declared.get(flag, ())
    return bool(owners) and set(owners) <= set(encoding_names())


def given_options(args: argparse.Namespace, who: str, options: Iterable[Option]) -> dict[str, Any]:
    """The values of those of the options that were given, by their fields. UsageError for one that cannot be used."""
    found = {}
    for option in options:
        value = getattr(args, _dest(option.flag), None) if option.flag else None
        if value is not None:
            if why := option.wrong(value):
                raise UsageError(f"--{option.flag} for {who}: {why}")
            if option.writes:
                check_writable(str(value))
            found[option.name] = value
    return found


def _dest(flag: str) -> str:
    return flag.replace("-", "_")


__all__ = [
    "AUTO", "DeclaredOptions", "encoding_owners", "engine_owners", "given_flags", "given_options", "of_encodings", "scheme_owners",
]  # fmt: skip

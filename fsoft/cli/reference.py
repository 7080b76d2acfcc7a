"""The reference of the command line, made from the parsers themselves: `python -m fsoft.cli.reference docs/cli.md` (or `make docs`)."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any, NoReturn

from fsoft.checkers.registry import everyone
from fsoft.cli import exits
from fsoft.cli.arguments import Parser
from fsoft.cli.main import COMMANDS
from fsoft.process.files import write_file

_CODES = {
    exits.TRUE: "the property holds; for other commands: done",
    exits.FALSE: "a property is violated",
    exits.UNKNOWN: "not known, or known up to a bound only",
    exits.USAGE: "the command line is wrong",
    exits.BAD_INPUT: "bad or unsupported input, or a file that cannot be read or written",
    exits.INTERNAL: "fsoft contradicts itself: please report it",
    exits.TIMEOUT: "`--timeout` has passed",
    exits.INTERRUPTED: "interrupted from the keyboard (143: by SIGTERM)",
    exits.UNHEARD: "whoever read the output has gone",
}
_HEAD = """# The command line

<!-- made by `make docs` from the code: do not edit -->

`fsoft COMMAND FILE... [options]`. `fsoft --version` prints one line; `fsoft COMMAND --help` prints what is below.
"""


class _Found(BaseException):
    """Carries a command's parser out of the command."""

    def __init__(self, parser: Parser):
        super().__init__()
        self.parser = parser


def parser_of(command: str) -> Parser:
    """The parser of a command: the command is started and stopped where it would read its arguments."""

    def stop(self: Parser, *_args: Any, **_options: Any) -> NoReturn:
        self.declared.load_all()
        raise _Found(self)

    original, mixed = Parser.parse_args, Parser.parse_intermixed_args
    Parser.parse_args = Parser.parse_intermixed_args = stop  # type: ignore[method-assign, assignment]
    try:
        import_module(f"fsoft.cli.{command}").run([])
    except _Found as found:
        return found.parser
    finally:
        Parser.parse_args, Parser.parse_intermixed_args = original, mixed  # type: ignore[method-assign]
    raise AssertionError(f"the command {command} does not read its arguments with a Parser")


def reference() -> str:
    """The whole page."""
    lines = [_HEAD, "| command | |", "|---|---|"]
    lines += [f"| [`fsoft {name}`](#fsoft-{name}) | {what} |" for name, what in COMMANDS.items()]
    lines += ["", "| exit code | |", "|---|---|"]
    lines += [f"| {code} | {what} |" for code, what in sorted(_CODES.items())]
    for name in COMMANDS:
        lines += _command(name)
    return "\n".join([*lines, "", *_engines()]) + "\n"


def _command(name: str) -> Iterator[str]:
    parser = parser_of(name)
    yield from ("", f"## fsoft {name}", "", parser.description or "", "", f"    {parser.usage}")
    for group in parser._action_groups:
        actions = [action for action in group._group_actions if action.help != argparse.SUPPRESS and "--help" not in action.option_strings]
        if actions:
            title = {"options": "", "positional arguments": ""}.get(group.title or "", group.title or "")
            yield from ("", *([f"**{title}**", ""] if title else []), "| | |", "|---|---|")
            yield from (f"| {_names(action)} | {_text(action.help or '')} |" for action in actions)


def _names(action: argparse.Action) -> str:
    value = ""
    if action.nargs != 0:
        shown = action.metavar if isinstance(action.metavar, str) else None
        value = shown or ("\\|".join(map(str, action.choices)) if action.choices is not None else action.dest.upper())
    if not action.option_strings:
        return f"`{value}`"
    return ", ".join(f"`{name} {value}`" if value else f"`{name}`" for name in action.option_strings)


def _text(text: str) -> str:
    return text.replace("|", "\\|").replace("%%", "%")


def _engines() -> Iterator[str]:
    yield from ("## Engines", "", "| `--engine` | takes | answers | options | |", "|---|---|---|---|---|")
    for engine in everyone().values():
        takes = "program" if engine.takes == "program" else "circuit"
        answers = ", ".join(word for word, can in (("TRUE", engine.proves), ("FALSE", engine.refutes)) if can)
        options = " ".join(f"`--{option.flag}`" for option in engine.options if option.flag)
        yield f"| `{engine.name}` | {takes} | {answers} | {options} | {_text(engine.summary)} |"


def main() -> int:
    text = reference()
    if len(sys.argv) > 1:
        write_file(sys.argv[1], text.encode())
    else:
        print(text, end="")
    return exits.TRUE


if __name__ == "__main__":
    sys.exit(main())

"""How `check` shows a run: the trace, the values that make it fail, and the command that makes it happen again."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from dataclasses import replace

from fsoft.cli.arguments import Parser, Request, add_checks, add_lowering, add_race_model, add_reading
from fsoft.cli.check import make_parser
from fsoft.process.files import write_file
from fsoft.program.program import Program
from fsoft.program.verdict import Verdict
from fsoft.trace.html import Page, report
from fsoft.trace.story import Story, tell
from fsoft.trace.text import SCREEN, Style, text_of_story

_LEAST = 12  # lines that a trace may always have
_AROUND = 5  # lines for the threads' names, where a loop begins, where nobody moves any more, a blank line and the verdict


def story_of(program: Program, verdict: Verdict, loop: int | None = None) -> Story:
    return tell(program, verdict.trace, loop, verdict.prop if loop is None else "")


def print_story(args: argparse.Namespace, story: Story, more: Sequence[str]) -> None:
    """The trace, so that it fits a screen together with the lines that are still to come, wrapped as a terminal does."""
    style = Style.of_terminal(args.stack, args.all_steps)
    rest = sum(max(1, -(-len(line) // style.width)) if style.width else 1 for line in more)
    print(text_of_story(story, replace(style, rows=max(_LEAST, SCREEN - rest - _AROUND))))
    print()


def write_report(args: argparse.Namespace, asked: Request, program: Program | None, verdict: Verdict, loop: int | None = None,
                 notes: Sequence[str] = ()) -> None:  # fmt: skip
    """The HTML report that was asked for."""
    story = story_of(program, verdict, loop) if program is not None and verdict.trace else None
    again = command(args, story) if story is not None else ""
    notes = [*notes, *(program.notes if program is not None else [])]
    page = Page(asked.name, verdict.last_line(), verdict.lines(), notes, again, story.failing if story is not None else {})
    write_file(args.html, report(page, story).encode("utf-8", "replace"))


def command(args: argparse.Namespace, story: Story) -> str:
    """The command that makes the run happen again."""
    given = f" --inputs '{story.inputs}'" if story.inputs else ""
    arguments, build = getattr(args, "arguments", None), getattr(args, "build", ())
    behind = [*(["--", *build] if build else []), *(["--", *arguments] if arguments is not None else [])]
    last = f" {shlex.join(behind)}" if behind else ""
    words = args.argv[: args.argv.index("--")] if behind else args.argv
    return f"fsoft run {shlex.join(said(words))} --schedule '{story.schedule}'{given}{last}"


def tail(args: argparse.Namespace, story: Story) -> list[str]:
    """What makes the run fail, and how to see it again."""
    found = []
    if story.failing:
        found.append("with " + ", ".join(f"{name} = {value}" for name, value in story.failing.items()))
    return [*found, f"again: {command(args, story)}"]


def said(argv: Sequence[str]) -> list[str]:
    """Of the words of a command line, those that say what program it is about and what is asked: `fsoft run` takes them."""
    shared = Parser("run", "")
    add_reading(shared)
    add_checks(shared)
    add_race_model(shared)
    add_lowering(shared)
    known, kept, words = shared._option_string_actions, list[str](), list(argv)
    while words:
        word = words.pop(0)
        if not word.startswith("-") or word == "-":
            kept.append(word)
            continue
        name = word.partition("=")[0]
        action = known.get(name) or known.get(word[:2])
        inline = "=" in word or (name not in known and action is not None)
        takes = action.nargs != 0 if action is not None else False
        value = [words.pop(0)] if takes and not inline and words else []
        if action is not None:
            kept += [word, *value]
        elif _has_value(name, words) and not inline:
            words.pop(0)
    return kept


def _has_value(name: str, words: Sequence[str]) -> bool:
    """Whether an option that only `check` knows is followed by its value."""
    parser = make_parser()
    parser.declared.load([name])
    action = parser._option_string_actions.get(name)
    return bool(words) and action is not None and action.nargs != 0

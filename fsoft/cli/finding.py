"""`fsoft replay` on a finding of `fsoft test`: the program built again, executed under that schedule."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace

from fsoft.cli import exits
from fsoft.compiled.campaign import Campaign, TestRequest, repeat, repeat_plan
from fsoft.compiled.findings import BuildRecipe, read_finding
from fsoft.compiled.results import RawFinding
from fsoft.compiled.telling import happens, story_of
from fsoft.compiled.toolchain import compile_program
from fsoft.frontend.source import Source
from fsoft.trace.text import Style, text_of_story

_PLAIN = ("-D", "-U", "-O", "-std=", "-l", "-pthread")
"""Flags that are taken from a finding: others could make gcc run what its author likes."""


def replay_finding(path: str, files: Sequence[str], command: Sequence[str], timeout: float, folder: str, gdb: bool) -> int:
    """Exit code 10 if it happens again. `files` are those that were tested, or `command` is the program that was built with its arguments:
    what is executed is said by the user, not by the finding."""
    raw, recipe = read_finding(path)
    request = TestRequest(_program(path, recipe, files, command, folder), seed=raw.seed, run_seconds=timeout, stdin=recipe.stdin)
    campaign = Campaign(replace(request, arguments=tuple(command[1:]) if recipe.build else recipe.arguments), folder)
    if gdb:
        return _debug(campaign, raw, folder)
    again = repeat(campaign, raw, False, 1, timeout, show=True)
    print(campaign.output.decode(errors="replace"), end="")
    same = [one for one in again.findings if campaign.key(one) == campaign.key(raw)]
    if not any(again.repeated) or not same:
        print(f"not replayed: the program ends differently ({again.ending or 'it was not built for fsoft test'})\nUNKNOWN")
        return exits.UNKNOWN
    print(text_of_story(story_of(again.steps, same[-1], campaign.book), Style.of_terminal()), end="\n\n")
    print(f"{campaign.book.place(same[-1].sides[0].pc).loc}: replayed: {happens(same[-1], campaign.book)}")
    print(f"FALSE({raw.prop})")
    return exits.FALSE


def _program(path: str, recipe: BuildRecipe, files: Sequence[str], command: Sequence[str], folder: str) -> str:
    if recipe.build:
        if not command:
            raise exits.UsageError(f"the finding is about a program that was built: fsoft replay {path} -- {shlex.join(recipe.command)}")
        return shutil.which(command[0]) or command[0]
    if len(files) != len(recipe.files):
        raise exits.UsageError(f"expected the files of the finding before it: fsoft replay {shlex.join([*recipe.files, path])}")
    sources = [Source(file, recipe.include, recipe.define, recipe.undefine) for file in files]
    return compile_program(sources, recipe.bits, folder, [flag for flag in recipe.flags if flag.startswith(_PLAIN)])


def _debug(campaign: Campaign, raw: RawFinding, folder: str) -> int:
    """Hand over to gdb, which stops where the finding is reported; or say how."""
    plan = campaign.write_plan(repeat_plan(raw, False, 1, 3600.0, True), "gdb")
    commands = os.path.join(folder, "commands.gdb")
    with open(commands, "w", encoding="utf-8") as file:
        file.write(
            f"set environment FSOFT_TEST {plan}\nset breakpoint pending on\nset follow-fork-mode child\nset disable-randomization on\n"
        )
        file.write("break fsoft_test_finding\nrun\nbacktrace\n")
    request = campaign.request
    command = ["gdb", "-q", "-x", commands, "--args", request.program, *request.arguments]
    if sys.stdin.isatty() and sys.stdout.isatty() and shutil.which("gdb"):
        os.execvp("gdb", command)
    print(shlex.join(command))
    return exits.TRUE


__all__ = ["replay_finding"]

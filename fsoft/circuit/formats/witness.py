"""Stimuli of other tools, read and written: aigsim (AIGER witnesses), ABC's `write_cex`, BTOR2 witnesses.

A reader turns a hostile or truncated file into one `InputError` with its line. Don't-care values (`x`, `-`) are read as 0.
"""

from __future__ import annotations

import re
from typing import NoReturn

from fsoft.circuit.bits import BitModel, BitStimulus
from fsoft.circuit.model import Model, leaf
from fsoft.circuit.model.verdict import Stimulus
from fsoft.frontend.source import InputError, Loc
from fsoft.program.meaning import elements


def write_stimulus(bits: BitModel, run: BitStimulus, target: int = 0, kind: str = "b") -> str:
    """What `aigsim -c` and the checkers of competitions read: `target` is the position of the bad among all targets, or (`kind` j) of the
    justice property."""
    rows = ["1", f"{kind}{target}", _row(run.initial), *[_row(step) for step in run.inputs], "."]
    return "\n".join(rows) + "\n"


def _row(values: tuple[int, ...]) -> str:
    return "".join(map(str, values))


class _Lines:
    """The meaningful lines of a witness with their numbers."""

    def __init__(self, text: str, name: str) -> None:
        self.name = name
        self.rows = [(i, line.strip()) for i, line in enumerate(text.splitlines(), 1)]
        self.last = len(self.rows)

    def fail(self, line: int, what: str) -> NoReturn:
        raise InputError(Loc(self.name, line), what)


def read_stimulus(text: str, bits: BitModel, name: str = "<witness>") -> tuple[BitStimulus, int | None]:
    """A run in the format of aigsim, or what ABC's `write_cex -a` (or `write_cex`) writes; and the number of its bad if it names one."""
    lines = _Lines(text, name)
    body = [(n, re.sub(r"#.*", "", row).strip()) for n, row in lines.rows if not row.startswith("c ")]
    target = None
    words = [row for _, row in body]
    if words and words[0] in ("0", "2") and (not any(words[1:2]) or re.fullmatch(r"[bj]\d{1,9}", words[1])):
        lines.fail(body[0][0], "the witness says that there is no counterexample")
    if len(words) > 1 and words[0] == "1" and re.fullmatch(r"[bj]\d{1,9}", words[1]):
        target = int(words[1][1:])
        body = body[2:]
    ends = [i for i, (_, row) in enumerate(body) if row == "."]
    body = body[: ends[0]] if ends else body
    while body and not body[-1][1] and bits.inputs:
        body.pop()
    return _run(lines, body, bits), target


def _run(lines: _Lines, body: list[tuple[int, str]], bits: BitModel) -> BitStimulus:
    latches, inputs = len(bits.latches), len(bits.inputs)
    if not body:
        lines.fail(lines.last, "the witness ends too early: no latch line")
    for n, row in body:
        if re.search(r"[^01xX-]", row):
            lines.fail(n, "only 0, 1, x and - can stand in a row of a witness")
    n, first = body[0]
    if len(body) == 1 and inputs and len(first) > latches and (len(first) - latches) % inputs == 0:
        pieces = [first[i : i + inputs] for i in range(latches, len(first), inputs)]
        body = [(n, first[:latches]), *[(n, piece) for piece in pieces]]
    n, first = body[0]
    if len(first) != latches:
        lines.fail(n, f"the witness has {len(first)} latches, the model {latches}")
    for n, row in body[1:]:
        if len(row) != inputs:
            lines.fail(n, f"the row has {len(row)} inputs, the model {inputs}")
    if len(body) == 1:
        lines.fail(n, "the witness ends too early: no input line")
    values = [tuple(int(c == "1") for c in row) for _, row in body]
    return BitStimulus(_started(values[0], body[0][1], bits), tuple(values[1:]))


def _started(values: tuple[int, ...], row: str, bits: BitModel) -> tuple[int, ...]:
    """Don't-care latches take their reset."""
    return tuple(v if c in "01" else (r or 0) for v, c, r in zip(values, row, bits.reset))


def read_btor2_witness(text: str, model: Model, name: str = "<witness>") -> tuple[Stimulus, int | None]:
    """The first counterexample of a BTOR2 witness: numbers count the states and inputs of the file that we wrote for the model."""
    lines = _Lines(text, name)
    states, inputs = list(model.states.items()), list(model.inputs.items())
    target, frame, kind, begun, ended = None, -1, "", False, False
    initial: dict[str, int] = {}
    steps: list[dict[str, int]] = []
    for n, row in lines.rows:
        if row == ".":
            ended = True
            break
        if row == "unsat":
            lines.fail(n, "the witness says that there is no counterexample")
        if row == "sat":
            begun = True
        elif re.fullmatch(r"([bj]\d{1,9})( [bj]\d{1,9})*", row):
            target = int(row.split()[0][1:])
        elif match := re.fullmatch(r"([#@])(\d{1,9})", row):
            kind, frame = match[1], int(match[2])
            if frame > len(steps):
                lines.fail(n, f"frame {frame} comes out of order")
            if kind == "@" and frame == len(steps):
                steps.append({})
        elif match := re.fullmatch(r"(\d{1,9}) (\[[01x]+\] )?([01x]+)( .*)?", row):
            table = states if kind == "#" else inputs
            index, word = int(match[1]), match[3]
            if kind == "" or index >= len(table):
                lines.fail(n, f"number {index} is no state or input of the model")
            label, width = table[index]
            at = _place(lines, n, model, label, match[2])
            width >>= model.arrays.get(label, 0)
            if len(word) != width:
                lines.fail(n, f"'{label}' has {width} bits, the value {len(word)}")
            where = initial if kind == "#" else steps[frame]
            if kind == "@" or frame == 0:
                value = int(word.replace("x", "0"), 2)
                old = where.get(label, 0) if match[2] else 0
                where[label] = old & ~(((1 << width) - 1) << at * width) | value << at * width
        elif row and not row.startswith(";"):
            lines.fail(n, "not a line of a BTOR2 witness")
    if not begun or not ended or not steps:
        lines.fail(lines.last, "the witness ends too early")
    return Stimulus(initial, tuple(steps)), target


def _place(lines: _Lines, n: int, model: Model, label: str, given: str | None) -> int:
    """The element that a line of a BTOR2 witness is about; 0 where there are no elements."""
    index, digits = model.arrays.get(label, 0), "" if given is None else given.strip(" []")
    if len(digits) != index:
        what = f"is an array with an index of {index} bits" if index else "is no array"
        lines.fail(n, f"'{label}' {what}, the line has an index of {len(digits)}")
    return int(digits.replace("x", "0"), 2) if digits else 0


def write_btor2_witness(model: Model, run: Stimulus, target: int = 0, kind: str = "b") -> str:
    """A witness that the simulators of BTOR2 read."""
    rows = ["sat", f"{kind}{target}", "#0"]
    for i, name in enumerate(model.states):
        if model.init[name] is None:
            rows += _assignment(model, i, name, run.initial.get(name, 0), "#0")
    for frame, step in enumerate(run.inputs):
        rows.append(f"@{frame}")
        for i, name in enumerate(model.inputs):
            rows += _assignment(model, i, name, step.get(name, 0), f"@{frame}")
    return "\n".join([*rows, "."]) + "\n"


def _assignment(model: Model, number: int, name: str, value: int, when: str) -> list[str]:
    """The lines that give a word its value: one, or one per element of an array."""
    term, symbol = leaf(model, name), _symbol(name) + when
    if not term.index:
        return [f"{number} {value:0{term.width}b} {symbol}"]
    values = enumerate(elements(value, term.element, term.width))
    return [f"{number} [{k:0{term.index}b}] {element:0{term.element}b} {symbol}" for k, element in values]


def _symbol(name: str) -> str:
    return re.sub(r"\s", "_", name)

"""The text of inline assembly in AT&T syntax: instructions with operands, as gcc's templates write them for x86."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_OPERAND = re.compile(r"%([bwkqhcPazV]?)(\d+|\[\w+\])")
_REGISTER = re.compile(r"%?%(\w+)$")
_ADDRESS = re.compile(r"(-?(?:0x[0-9a-fA-F]+|\d+)?)\(([^(),]*)(?:,([^(),]+)(?:,([1248]))?)?\)$")
_NUMBER = re.compile(r"\$?(-?(?:0x[0-9a-fA-F]+|\d+))$")
_PREFIXES = frozenset({"lock", "rep", "repe", "repz", "repne", "repnz"})
_BYTES = {"b": 1, "w": 2, "k": 4, "q": 8}
_COMMENT = re.compile(r"/\*.*?\*/|#[^\n]*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class GivenOperands:
    """An operand of the statement, by number; `size` in bytes if the template says it, `high` for the second byte."""

    number: int
    size: int | None = None
    high: bool = False


@dataclass(frozen=True, slots=True)
class MachineRegister:
    """A register by its family ("a" for al, ax, eax and rax)."""

    family: str
    size: int
    high: bool = False


@dataclass(frozen=True, slots=True)
class Immediate:
    value: int


@dataclass(frozen=True, slots=True)
class Indirect:
    """displacement(base, index, scale)"""

    displacement: int
    base: GivenOperands | MachineRegister | None
    index: GivenOperands | MachineRegister | None
    scale: int


MachineOperand = GivenOperands | MachineRegister | Immediate | Indirect


@dataclass(frozen=True, slots=True)
class Instruction:
    prefixes: tuple[str, ...]
    name: str
    operands: tuple[MachineOperand, ...]


def _families() -> dict[str, MachineRegister]:
    """Every general register by each of its names."""
    found: dict[str, MachineRegister] = {}
    for letter in "abcd":
        found |= {
            f"r{letter}x": MachineRegister(letter, 8),
            f"e{letter}x": MachineRegister(letter, 4),
            f"{letter}x": MachineRegister(letter, 2),
        }
        found |= {f"{letter}l": MachineRegister(letter, 1), f"{letter}h": MachineRegister(letter, 1, True)}
    for name, family in (("si", "S"), ("di", "D"), ("bp", "B"), ("sp", "P")):
        found |= {f"r{name}": MachineRegister(family, 8), f"e{name}": MachineRegister(family, 4), name: MachineRegister(family, 2)}
        found[f"{name}l"] = MachineRegister(family, 1)
    for number in range(8, 16):
        name = f"r{number}"
        found |= {name + suffix: MachineRegister(name, size) for suffix, size in (("", 8), ("d", 4), ("w", 2), ("b", 1))}
    return found


REGISTERS = _families()


class UnknownText(Exception):
    """Something that is no instruction with operands of these kinds."""


def read_instructions(template: str, names: Sequence[str]) -> list[Instruction]:
    """The instructions of a template; `names` are those of the operands. Raises UnknownText."""
    text = re.sub(r"\{([^{}|]*)\|[^{}]*\}", r"\1", _COMMENT.sub(" ", template))
    found: list[Instruction] = []
    waiting: tuple[str, ...] = ()
    for part in re.split(r"[\n;]", text):
        words = part.split(None, 1)
        prefixes = waiting
        while words and words[0] in _PREFIXES:
            prefixes = (*prefixes, words[0])
            words = words[1].split(None, 1) if len(words) > 1 else []
        if not words:
            waiting = prefixes
            continue
        waiting = ()
        operands = tuple(_operand(item.strip(), names) for item in _items(words[1])) if len(words) > 1 else ()
        found.append(Instruction(prefixes, words[0].lower(), operands))
    return found


def _items(text: str) -> list[str]:
    """Split at commas outside of brackets."""
    return [item for item in re.split(r",(?![^()]*\))", text) if item.strip()]


def _operand(text: str, names: Sequence[str]) -> MachineOperand:
    number = _NUMBER.match(text)
    if number:
        return Immediate(int(number[1], 0))
    if given := _OPERAND.fullmatch(text.removeprefix("$")):
        return _given(given, names)
    if register := _REGISTER.match(text):
        if register[1] in REGISTERS:
            return REGISTERS[register[1]]
    if address := _ADDRESS.match(text):
        base, index = (_part(item, names) for item in (address[2], address[3]))
        displacement = address[1] if address[1] not in ("", "-") else "0"
        return Indirect(int(displacement, 0), base, index, int(address[4] or 1))
    raise UnknownText(text)


def _part(text: str | None, names: Sequence[str]) -> GivenOperands | MachineRegister | None:
    if not text or not text.strip():
        return None
    part = _operand(text.strip(), names)
    if not isinstance(part, (GivenOperands, MachineRegister)):
        raise UnknownText(text)
    return part


def _given(match: re.Match[str], names: Sequence[str]) -> GivenOperands:
    modifier, which = match[1], match[2]
    if which.startswith("["):
        if which[1:-1] not in names:
            raise UnknownText(which)
        number = names.index(which[1:-1])
    else:
        number = int(which)
    if number >= len(names):
        raise UnknownText(which)
    return GivenOperands(number, 1 if modifier == "h" else _BYTES.get(modifier), modifier == "h")


__all__ = ["GivenOperands", "Immediate", "Indirect", "Instruction", "MachineOperand", "MachineRegister", "UnknownText", "read_instructions"]

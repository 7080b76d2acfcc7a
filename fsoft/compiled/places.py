"""Addresses of a compiled program as a person knows them: places in the source, functions, variables."""

from __future__ import annotations

import bisect
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from fsoft.compiled.toolchain import run_tool
from fsoft.frontend.source import Loc
from fsoft.process.tools import ExternalTool

ADDR2LINE = ExternalTool("addr2line", ("addr2line",), "Debian: apt-get install binutils")
NM = ExternalTool("nm", ("nm",), "Debian: apt-get install binutils")
_SYSTEM = ("/usr/include/", "/usr/lib/")
_BATCH = 2000


@dataclass(frozen=True, slots=True)
class CodePlace:
    """A place in the code: the innermost line that is the user's, and the function it is in."""

    loc: Loc
    function: str

    def __str__(self) -> str:
        return f"{self.loc} ({self.function})" if self.function else str(self.loc)


UNKNOWN_PLACE = CodePlace(Loc("?", 0), "")


@dataclass(frozen=True, slots=True)
class Module:
    """A file that is mapped at `low` to `high`; `base` is what its addresses are moved by."""

    low: int
    high: int
    base: int
    path: str


@dataclass(slots=True)
class AddressBook:
    """Answers are kept: one program is asked about the same places again and again."""

    program: str
    modules: tuple[Module, ...] = ()
    _known: dict[int, CodePlace] = field(default_factory=dict)
    _symbols: list[tuple[int, int, str]] | None = None

    def learn(self, addresses: Iterable[int]) -> None:
        """Look up many return addresses at once."""
        wanted: dict[tuple[str, int], list[int]] = {}
        for address in set(addresses) - self._known.keys():
            module = self._module(address)
            if address and module is not None:
                wanted.setdefault((module.path or self.program, module.base), []).append(address)
            else:
                self._known[address] = UNKNOWN_PLACE
        for (path, base), group in wanted.items():
            for at in range(0, len(group), _BATCH):
                self._look_up(path, base, group[at : at + _BATCH])

    def place(self, address: int) -> CodePlace:
        """Where the call or access is that returns to this address."""
        if address not in self._known:
            self.learn([address])
        return self._known.get(address, UNKNOWN_PLACE)

    def users_place(self, pc: int, frames: Sequence[int]) -> CodePlace:
        """The innermost place that is not in a header of the system: where a person looks for what a template of the library does."""
        places = [self.place(pc), *(self.place(frame) for frame in frames)]
        known = (place for place in places if place.loc.line and not place.loc.file.startswith(_SYSTEM))
        return next(known, places[0])

    def _module(self, address: int) -> Module | None:
        return next((module for module in self.modules if module.low <= address < module.high), None)

    def _look_up(self, path: str, base: int, addresses: Sequence[int]) -> None:
        done = run_tool(ADDR2LINE, ["-a", "-f", "-i", "-C", "-e", path, *(hex(address - base - 1) for address in addresses)])
        frames: dict[int, list[CodePlace]] = {}
        current, function = 0, ""
        lines = done.stdout.splitlines()
        for line in lines:
            if re.fullmatch(r"0x[0-9a-f]+", line):
                current, function = int(line, 16) + base + 1, ""
            elif not function:
                function = line
            else:
                frames.setdefault(current, []).append(CodePlace(_loc(line), "" if function == "??" else function))
                function = ""
        for address in addresses:
            self._known[address] = _users(frames.get(address, []))

    # ------------------------------------------------------------ variables

    def name(self, address: int) -> str:
        """The variable at an address: `x`, or `x+8` inside it; "" if there is none with a name."""
        if self._symbols is None:
            self._symbols = self._read_symbols()
        module = self._module(address)
        at = address - (module.base if module else 0)
        k = bisect.bisect_right(self._symbols, (at, 1 << 62, "")) - 1
        if k < 0:
            return ""
        low, size, name = self._symbols[k]
        if not low <= at < low + size:
            return ""
        return name if at == low else f"{name}+{at - low}"

    def _read_symbols(self) -> list[tuple[int, int, str]]:
        found = []
        for line in run_tool(NM, ["-S", "-C", self.program]).stdout.splitlines():
            row = re.fullmatch(r"([0-9a-f]+) ([0-9a-f]+) [bBdDrRvV] (.+)", line)
            if row and int(row[2], 16):
                found.append((int(row[1], 16), int(row[2], 16), row[3]))
        return sorted(found)


def _loc(line: str) -> Loc:
    """`file:12 (discriminator 3)`, as addr2line writes it."""
    file, _, number = line.partition(" (")[0].rpartition(":")
    return Loc("?" if file.startswith("??") else os.path.normpath(file), int(number) if number.isdigit() else 0)


def _users(frames: Sequence[CodePlace]) -> CodePlace:
    """The innermost frame that is not in a header of the system."""
    known = [frame for frame in frames if frame.loc.line]
    return next((frame for frame in known if not frame.loc.file.startswith(_SYSTEM)), known[0] if known else UNKNOWN_PLACE)


__all__ = ["AddressBook", "CodePlace", "Module", "UNKNOWN_PLACE"]

"""Which sources a program consists of: from its link command back to objects, archives and shared objects of the build, and from there
to the calls that compiled them. Of an archive come the members that define what is missing, as a linker takes them."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field

from fsoft.builds.calls import C_SOURCES, ArchiverCall, CompilerCall
from fsoft.builds.recording import BuildRecord
from fsoft.frontend.source import InputError, Source, printed
from fsoft.process.fence import tool

_KINDS = ("program", "shared")


@dataclass(slots=True)
class LinkedProgram:
    """`output` is the file that the link command made. `foreign` are inputs of it for which the build has no C source."""

    output: str
    sources: list[Source] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    bits: int | None = None


def program_of(record: BuildRecord, target: str) -> LinkedProgram:
    """The program called `target`; without a name the one that the command names, or the only one."""
    links = _links(record)
    if not links:
        raise InputError(record.place, "the build links no program: name one of its targets that does")
    names = [target] if target else [os.path.basename(word) for word in record.command[1:]]
    chosen = [output for output in links if os.path.basename(output) in names or (target and os.path.realpath(target) == output)]
    if not chosen and not target and len(links) == 1:
        chosen = list(links)
    if len(chosen) != 1:
        known = ", ".join(printed(os.path.basename(output)) for output in links)
        several = f"the build links several programs: choose one with --target: {known}"
        raise InputError(record.place, f"the build links no '{target}', only {known}" if target else several)
    return _Linker(record, links[chosen[0]]).program(chosen[0])


def _links(record: BuildRecord) -> dict[str, int]:
    """What is linked and still there, with the number of the call: programs, or the libraries of a build that links none."""
    found: dict[str, dict[str, int]] = {"program": {}, "shared": {}, "archive": {}}
    for number, call in enumerate(record.calls):
        output = _made(call)
        if output and os.path.exists(output):
            found["archive" if isinstance(call, ArchiverCall) else call.kind if call.kind in _KINDS else "program"][output] = number
    return found["program"] or found["shared"] or found["archive"]


def _made(call: CompilerCall | ArchiverCall) -> str:
    """The program or library that a call makes; nothing, if it makes something else."""
    if isinstance(call, ArchiverCall):
        return os.path.realpath(call.archive)
    return os.path.realpath(call.output or os.path.join(call.folder, "a.out")) if call.kind in _KINDS else ""


class _Linker:
    """Follows the inputs of one link command (call number `last`) in its order."""

    def __init__(self, record: BuildRecord, last: int):
        self.calls = record.calls[: last + 1]
        self.link = self.calls[-1]
        self.objects: dict[str, tuple[CompilerCall, str]] = {}  # of compiled objects: the call and the source
        self.archives: dict[str, list[str]] = {}
        self.made: dict[str, CompilerCall] = {}
        for call in self.calls:
            self._note(call)
        self.sources: dict[tuple[str, tuple[str, ...]], Source] = {}
        self.foreign: dict[str, None] = {}
        self.bits: int | None = None
        self.defined: set[str] = set()
        self.missing = {"main"}
        self.passed: list[str] = []  # archives, for members that come to be missing later

    def _note(self, call: CompilerCall | ArchiverCall) -> None:
        if isinstance(call, ArchiverCall):
            members = self.archives.setdefault(os.path.realpath(call.archive), [])
            members += [member for member in map(os.path.realpath, call.members) if member not in members]
        elif call.kind == "compile":
            for source in call.inputs:
                self.objects[os.path.realpath(call.object_of(source))] = (call, source)
        elif call.kind:
            self.made[os.path.realpath(call.output or os.path.join(call.folder, "a.out"))] = call

    def program(self, output: str) -> LinkedProgram:
        if isinstance(self.link, ArchiverCall):
            for member in self.archives[os.path.realpath(self.link.archive)]:
                self._file(member)
        else:
            self._inputs(self.link)
            while sum(self._archive(archive) for archive in self.passed):
                pass
        return LinkedProgram(output, list(self.sources.values()), list(self.foreign), self.bits)

    def _inputs(self, call: CompilerCall) -> None:
        for name in call.inputs:
            if name.startswith("-l"):
                self._library(name[2:], call)
            elif name.endswith(C_SOURCES):
                self._source(call, name)
                self._compiled_symbols(call, name)
            else:
                self._file(os.path.realpath(name))

    def _library(self, name: str, call: CompilerCall) -> None:
        """A library of the build; those of the system are the table of effects' business."""
        for folder in call.libraries:
            for file in (f"lib{name}.so", f"lib{name}.a"):
                path = os.path.realpath(os.path.join(folder, file))
                if path in self.made or path in self.archives:
                    self._file(path)
                    return

    def _file(self, path: str) -> None:
        if path in self.objects:
            call, source = self.objects[path]
            if source.endswith(C_SOURCES):
                self._source(call, source)
                self._symbols(path)
            else:
                self.foreign[source] = None
        elif path in self.archives:
            self.passed.append(path)
            self._archive(path)
        elif path in self.made:
            made = self.made[path]
            if made is not self.link:
                self._inputs(made)
        else:
            self.foreign[path] = None

    def _archive(self, path: str) -> bool:
        """Members that define a missing symbol, until there are no more; all of them where symbols cannot be listed. Whether there
        are any."""
        left, found = self.archives[path], False
        while wanted := [member for member in left if (symbols := _symbols(member)) is None or symbols[0] & self.missing]:
            found = True
            left = self.archives[path] = [member for member in left if member not in wanted]
            for member in wanted:
                self._file(member)
        return found

    def _symbols(self, path: str) -> None:
        symbols = _symbols(path)
        if symbols is not None:
            self.defined |= symbols[0]
            self.missing = (self.missing | symbols[1]) - self.defined

    def _compiled_symbols(self, call: CompilerCall, source: str) -> None:
        """The symbols of a source whose object the link command did not keep."""
        with tempfile.TemporaryDirectory(prefix="fsoft-object-") as folder:
            path = os.path.join(folder, "object.o")
            tool([call.compiler, "-c", *call.reading, source, "-o", path], folder=call.folder)
            self._symbols(path)

    def _source(self, call: CompilerCall, path: str) -> None:
        """A C file with the command that preprocesses it as its compilation did, but for optimisation: library headers replace functions
        by builtins then."""
        command = (call.compiler, "-E", *call.reading, "-U_FORTIFY_SOURCE", "-D__FSOFT__=1")
        self.bits = next((int(option[2:]) for option in reversed(call.reading) if option in ("-m32", "-m64")), self.bits)
        shown = os.path.relpath(path)
        self.sources[path, command] = Source(path if shown.startswith("../..") else shown, command=command, folder=call.folder)


def _symbols(path: str) -> tuple[set[str], set[str]] | None:
    """The global symbols that an object defines, and those that it needs; None if they cannot be listed."""
    tool = shutil.which("nm")
    if tool is None or not os.path.exists(path):
        return None
    done = subprocess.run([tool, "-P", "-g", path], capture_output=True, check=False)
    if done.returncode != 0:
        return None
    return _split(line.split() for line in done.stdout.decode("utf-8", "replace").splitlines())


def _split(rows: Iterable[list[str]]) -> tuple[set[str], set[str]]:
    defined: set[str] = set()
    needed: set[str] = set()
    for row in rows:
        if len(row) >= 2:
            (needed if row[1] in "Uwv" else defined).add(row[0])
    return defined, needed

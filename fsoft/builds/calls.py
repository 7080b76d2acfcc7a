"""What one call of a compiler or an archiver does, read from its arguments as gcc, clang and ar read them."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

COMPILER = re.compile(r"(?:[\w.+-]+-)?(?:gcc|clang|cc|c89|c99|g\+\+|c\+\+|clang\+\+)(?:-\d+(?:\.\d+)*)?$")
ARCHIVER = re.compile(r"(?:[\w.+-]+-)?(?:gcc-|llvm-)?ar(?:-\d+(?:\.\d+)*)?$")

_WITH_VALUE = frozenset({
    "-o", "-I", "-D", "-U", "-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-iprefix", "-iwithprefix",
    "-iwithprefixbefore", "-isysroot", "-L", "-l", "-x", "-T", "-u", "-z", "-A", "-B", "-Xlinker", "-Xassembler", "-Xpreprocessor",
    "-Xclang", "-MF", "-MT", "-MQ", "-arch", "-target", "-aux-info", "-e", "-G", "-specs", "--param", "-dumpbase", "-dumpdir",
    "-wrapper",
})  # fmt: skip
_NO_PROGRAM = frozenset({"-E", "-S", "-M", "-MM", "-fsyntax-only"})
_FOR_READING = re.compile(r"-(?:[IDU].|m|std=|ansi$|f|pthread$|nostdinc|undef$|trigraphs$|-sysroot)")
_FOR_READING_WITH_VALUE = frozenset({"-I", "-D", "-U", "-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-isysroot"})
_NOT_FOR_READING = re.compile(r"-(?:flto|fdump|fsave|fcallgraph|fprofile|ftest-coverage|fdiagnostics)")
C_SOURCES = (".c", ".i")
OTHER_SOURCES = (".s", ".S", ".sx", ".cc", ".cpp", ".cxx", ".C", ".ii", ".m", ".f", ".f90")


@dataclass(frozen=True, slots=True)
class CompilerCall:
    """A compiler call. `inputs` are its files and -l options in the order of the command line, as absolute paths. `kind`: "compile" (to
    objects), "program", "shared" (a shared object), "relocatable" (objects into one), "" (nothing that is ever linked). `reading` are the
    options that decide what the C text means."""

    folder: str
    compiler: str
    kind: str
    inputs: tuple[str, ...]
    output: str
    reading: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()  # the folders of -L

    def object_of(self, source: str) -> str:
        """The object that a compiled source becomes."""
        if self.output:
            return self.output
        return os.path.join(self.folder, os.path.splitext(os.path.basename(source))[0] + ".o")


@dataclass(frozen=True, slots=True)
class ArchiverCall:
    """A call of `ar` that puts members into an archive."""

    archive: str
    members: tuple[str, ...]


def read_call(folder: str, name: str, arguments: Sequence[str]) -> CompilerCall | ArchiverCall | None:
    """The call of a program `name` in a folder; None if it makes nothing that we follow."""
    words = list(_expanded(folder, arguments, 0))
    if ARCHIVER.match(os.path.basename(name)):
        return _archiver(folder, words)
    return _compiler(folder, name, words)


def _expanded(folder: str, arguments: Sequence[str], depth: int) -> Iterator[str]:
    """The arguments, those in `@file`s among them."""
    for word in arguments:
        if word.startswith("@") and depth < 8:
            try:
                with open(os.path.join(folder, word[1:]), encoding="utf-8", errors="surrogateescape") as file:
                    yield from _expanded(folder, shlex.split(file.read()), depth + 1)
                continue
            except (OSError, ValueError):
                pass
        yield word


def _archiver(folder: str, words: list[str]) -> ArchiverCall | None:
    words = [word for word in words if not word.startswith("--")]
    if len(words) < 2 or not set(words[0]) & set("rq"):
        return None
    rest = words[1:]
    if set(words[0]) & set("abi") and len(rest) > 1:
        rest = rest[1:]  # the member beside which the others go
    archive, *members = (os.path.join(folder, word) for word in rest)
    return ArchiverCall(archive, tuple(members))


def _compiler(folder: str, name: str, words: list[str]) -> CompilerCall:
    inputs: list[str] = []
    reading: list[str] = []
    libraries: list[str] = []
    kind, output, language = "program", "", ""
    rest = iter(words)
    for word in rest:
        value = next(rest, "") if word in _WITH_VALUE else None
        if word == "-o":
            output = os.path.join(folder, value or "")
        elif word.startswith("-o") and word[2:]:
            output = os.path.join(folder, word[2:])
        elif word == "-x":
            language = value or ""
        elif word == "-L" or word.startswith("-L"):
            libraries.append(os.path.join(folder, value or word[2:]))
        elif word == "-l":
            inputs.append(f"-l{value}")
        elif word in _NO_PROGRAM or word == "-":
            kind = ""
        elif word in ("-c", "-shared", "-r"):
            kind = {"-c": "compile", "-shared": "shared", "-r": "relocatable"}[word] if kind else ""
        elif word.startswith("-l") or not word.startswith("-"):
            inputs.append(word if word.startswith("-l") else os.path.join(folder, word))
        elif value is not None and word in _FOR_READING_WITH_VALUE:
            reading += [word, value]
        elif _FOR_READING.match(word) and not _NOT_FOR_READING.match(word):
            reading.append(word)
    if language not in ("", "c", "none", "cpp-output"):
        kind = ""
    return CompilerCall(folder, name, kind if inputs else "", tuple(inputs), output, tuple(reading), tuple(libraries))

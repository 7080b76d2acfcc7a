"""C files to preprocessed text: with the built-in preprocessor against fsoft's own headers, or with gcc against the system's.

Either way the text comes with line markers, so that every token keeps its place in the user's file. The built-in one keeps columns too: a
token is written at its own column, and what a macro expands to follows from the column of the macro's name.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field

from fsoft.frontend.data_model import check_typedefs
from fsoft.frontend.inputs import read_file
from fsoft.frontend.source import InputError, Loc, Source
from fsoft.frontend.tokens import escape_file
from fsoft.frontend.types import HOST, data_model
from fsoft.process.names import as_path

INCLUDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "include")

_COMMENTS = re.compile(r"""//(?:[^\\\n]|\\.|\\\n)*|"(?:[^"\\\n]|\\.|\\\n)*"|'(?:[^'\\\n]|\\.)+'|/\*(?s:.*?)\*/|(/\*)""")
_MARKER = re.compile(r'^(# \d+ ")([^"\\]*)"', re.MULTILINE)
_GCC_ERROR = re.compile(r"^(.*?):(\d+):(?:(\d+):)? (?:fatal )?error: (.*)$", re.MULTILINE)


@dataclass
class Preprocessed:
    """Text with line markers, and the lines of the files it came from, as the user wrote them."""

    text: str
    lines: dict[tuple[str, int], str]
    notes: list[str] = field(default_factory=list)


def read_text(path: str, shown: str | None = None) -> str:
    """The text of a C file. Bytes that are not UTF-8 are kept as lone surrogates, so that strings keep their bytes."""
    data = read_file(path, shown)
    binary = re.search(rb"[\x00-\x06]", data)
    if binary:
        line = data.count(b"\n", 0, binary.start()) + 1
        raise InputError(Loc(shown or path, line), f"this is not a C file: it contains a byte with value {binary[0][0]}")
    text = data.decode("utf-8", "surrogateescape")
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def lines_of(text: str, name: str) -> dict[tuple[str, int], str]:
    """The lines of a text, printable."""
    return {(name, number): line for number, line in enumerate(printable(text).split("\n"), 1)}


def printable(text: str) -> str:
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def check_comments(text: str, name: str) -> None:
    for match in _COMMENTS.finditer(text):
        if match[1] is not None:
            start = match.start(1)
            column = start - text.rfind("\n", 0, start)
            raise InputError(Loc(name, text.count("\n", 0, start) + 1, column), "this comment is never closed")


def preprocess(
    path: str,
    *,
    cpp: str,
    include: Sequence[str] = (),
    define: Sequence[str] = (),
    undefine: Sequence[str] = (),
    bits: int = HOST.pointer_bits,
    more: str = "",
) -> Preprocessed:
    text = read_text(path)
    check_typedefs(text, path, data_model(bits))
    text += more
    for name in (*define, *undefine):
        if not re.match(r"[A-Za-z_]\w*(\([^)]*\))?(=|$)", name):
            raise InputError(Loc("<command line>", 0), f"'{name}' is not the name of a macro")
    if cpp == "gcc":
        check_comments(text, path)
        return _with_gcc(path, text, include, define, undefine, bits, bool(more) or not os.path.isfile(path))
    if cpp != "builtin":
        raise InputError(Loc("<command line>", 0), f"there is no preprocessor '{cpp}' (builtin or gcc)")
    from fsoft.frontend.cpp import run  # preprocessed files do without it

    return run(path, text, include, define, undefine, bits)


def preprocess_as_built(source: Source) -> Preprocessed:
    """With the compiler and the flags of the build, in its folder. Names of files are then relative to where fsoft runs."""
    given = os.path.abspath(source.path)
    flags = [f"-I{os.path.abspath(folder)}" for folder in source.include]
    flags += [f"-D{name}" for name in source.define] + [f"-U{name}" for name in source.undefine]
    done = _tool([*source.command, *flags, given], source.path, folder=source.folder)
    text = done.stdout.decode("utf-8", "surrogateescape") + source.more
    said = done.stderr.decode("utf-8", "surrogateescape").replace(given, source.path)
    if done.returncode != 0:
        raise _gcc_error(source.path, said)
    return Preprocessed(_MARKER.sub(lambda match: match[1] + _from_here(match[2], source.folder) + '"', text), {})


def _from_here(name: str, folder: str) -> str:
    """The name of a file as seen from the working directory; those of the system and of the compiler as they are."""
    if name.startswith(("<", "/usr/")):
        return name
    shown = os.path.relpath(os.path.join(folder, name))
    return name if shown.startswith(os.path.join("..", "..")) else shown


def _tool(command: Sequence[str], path: str, given: bytes = b"", folder: str = "") -> subprocess.CompletedProcess[bytes]:
    from fsoft.process.fence import tool  # only here: it takes a while to import

    try:
        return tool(command, given, folder=folder)
    except FileNotFoundError:
        missing = os.path.basename(command[0])
        raise InputError(
            Loc(path, 0), f"{missing} is not installed: install it, or use the built-in preprocessor (--cpp builtin)"
        ) from None
    except TimeoutError as error:
        raise InputError(Loc(path, 0), str(error)) from None


def _with_gcc(
    path: str, text: str, include: Sequence[str], define: Sequence[str], undefine: Sequence[str], bits: int, piped: bool
) -> Preprocessed:
    """`piped`: the text is not what is in the file, so gcc gets it by its standard input."""
    command = ["gcc", "-E", f"-m{bits}", "-std=gnu17", "-D__FSOFT__=1"]
    command += [f"-I{folder}" for folder in include] + [f"-D{name}" for name in define] + [f"-U{name}" for name in undefine]
    given = None
    if piped:
        command += ["-iquote", os.path.dirname(path) or ".", "-x", "c", "-"]
        given = f'# 1 "{escape_file(path)}"\n{text}'.encode("utf-8", "surrogateescape")
    else:
        command.append(as_path(path))
    done = _tool(command, path, given or b"")
    output, errors = (_with_name(text, as_path(path), path) for text in (done.stdout, done.stderr))
    if done.returncode != 0:
        raise _gcc_error(path, errors)
    return Preprocessed(output, lines_of(text, path))


def _with_name(output: bytes, given: str, name: str) -> str:
    """What gcc says, about the file as the user calls it."""
    text = output.decode("utf-8", "surrogateescape")
    if given != name:
        said, meant = re.escape(escape_file(given)), escape_file(name)
        text = re.sub(rf'^(# \d+ "|){said}(?=[":])', lambda match: match[1] + meant, text, flags=re.MULTILINE)
    return text


def _gcc_error(path: str, stderr: str) -> InputError:
    match = _GCC_ERROR.search(stderr)
    if match:
        return InputError(Loc(match[1], int(match[2]), int(match[3] or 0)), match[4])
    said = next((line.strip() for line in stderr.splitlines() if "error" in line), "").removeprefix("gcc: ")
    return InputError(Loc(path, 0), f"gcc cannot preprocess this file: {said or 'it gave no reason'}")

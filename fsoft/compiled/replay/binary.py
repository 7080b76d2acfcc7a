"""The program under replay: the user's files compiled with gcc's hooks for memory accesses, linked with our runtime instead of libtsan.

gcc compiles with `-fsanitize=thread -g -O0`; objcopy then renames the library functions that the runtime stands in for
(`pthread_mutex_lock` becomes `replay_pthread_mutex_lock`) and `main`; nm and objdump tell where functions, variables and lines are.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fsoft.compiled.replay.starts import Starts
from fsoft.frontend.source import NOWHERE, InputError, Loc, Source
from fsoft.process.fence import tool
from fsoft.process.names import as_path
from fsoft.process.tools import ExternalTool, find

GCC = ExternalTool("gcc", ("gcc",), "Debian: apt-get install gcc libc6-dev")
OBJCOPY = ExternalTool("objcopy", ("objcopy",), "Debian: apt-get install binutils")
NM = ExternalTool("nm", ("nm",), "Debian: apt-get install binutils")
OBJDUMP = ExternalTool("objdump", ("objdump",), "Debian: apt-get install binutils")

RUNTIME = Path(__file__).parent / "runtime"
PREFIX = "replay_"
ANNOUNCED = ("library", "strings")
"""Files of the runtime that access the user's memory in the user's name."""
ATOMIC, ERROR, BEGIN, FINISH = 1, 2, 3, 4  # kinds of functions, as in runtime.h
UNDEFINED = {
    "no-overflow": "signed-integer-overflow",
    "no-division-by-zero": "integer-divide-by-zero,float-divide-by-zero",
    "no-bad-shift": "shift",
    "no-bad-conversion": "float-cast-overflow",
    "no-bad-index": "bounds",
    "valid-deref": "bounds",
}
"""What gcc itself can catch, by property."""

_LOWEST = 1 << 16  # symbols below are offsets into the memory of each thread
_ROW = re.compile(r"^(\S.*?)\s+(\d+|-)\s+(0x[0-9a-f]+|0)(?:\s|$)")
_SPECIAL = {"reach_error": ERROR, "__VERIFIER_error": ERROR, "__VERIFIER_atomic_begin": BEGIN, "__VERIFIER_atomic_end": FINISH}


@dataclass(slots=True)
class Binary:
    """`lines`: (address, file, line), sorted. `functions`: (start, end, kind) of those that matter. `static`: the user's variables."""

    path: str
    lines: list[tuple[int, str, int]] = field(default_factory=list)
    functions: list[tuple[int, int, int]] = field(default_factory=list)
    static: list[tuple[int, int]] = field(default_factory=list)
    symbols: dict[str, list[tuple[int, int]]] = field(default_factory=dict)

    def address(self, name: str, storage: str, size: int) -> int:
        """Where a variable with static storage is; 0 if that is not plain."""
        if storage not in ("global", "static"):
            return 0
        base = re.split(r"[.:]", name)
        for wanted in (name, base[0], base[-1], *base[1:2]):
            found = [place for place in self.symbols.get(wanted, []) if place[1] == size]
            if len(found) == 1:
                return found[0][0]
        return 0


def build(sources: Sequence[Source], bits: int, prop: str, folder: str, starts: Starts = Starts()) -> Binary:  # noqa: B008
    """Compile and link in the folder. `starts`: where the run starts.

    An `inline` function has no external definition in C99, and without optimisation no other either; fsoft and older compilers do not
    mind, so such a program is compiled again as they would.
    """
    started = _start(starts, bits, folder)
    runtime, program = [*_runtime(bits, folder), *started], os.path.join(folder, "program")
    kept = ["-fkeep-static-functions"] if starts.names else []
    for dialect in ("-std=gnu17", "-fgnu89-inline"):
        objects = []
        for k, source in enumerate(sources):
            objects.append(_compile(k, source, [dialect, *kept, *_flags(source)], bits, prop, folder))
        _rename(objects, runtime, folder, starts.names)
        libraries = ["-lpthread", "-lm", *(["-latomic"] if _undefined(objects, "__atomic_") else [])]
        ours = _apart(objects, runtime, bits, folder)
        done = _run(GCC, [f"-m{bits}", "-no-pie", "-g", *objects, ours, "-o", program, *libraries], folder)
        if not done.returncode:
            return _look(program, [*objects, *started], {_debug_name(k): source.path for k, source in enumerate(sources)})
    raise InputError(Loc(sources[0].path, 0), f"gcc cannot link the program: {_complaint(done.stderr)}")


def _flags(source: Source) -> list[str]:
    """The preprocessor flags of a file."""
    given = (("-I", source.include), ("-U", source.undefine), ("-D", source.define))
    return [flag + text for flag, texts in given for text in texts]


def _debug_name(number: int) -> str:
    """The name of a file in the line table, where its own may have blanks, newlines and more."""
    return f"fsoft-user-{number}"


def _compile(number: int, source: Source, flags: Sequence[str], bits: int, prop: str, folder: str) -> str:
    path, target = as_path(source.path), os.path.join(folder, f"user{number}.o")
    checks = ["-fsanitize=" + UNDEFINED[prop]] if prop in UNDEFINED else []
    language = ["-x", "cpp-output"] if path.endswith(".i") else []
    arguments = [f"-m{bits}", "-std=gnu17", "-g", "-O0", "-w", "-fno-builtin", "-fno-pie", "-D__FSOFT__=1", *flags]
    hooks = ["-fsanitize=thread", "-U__SANITIZE_THREAD__", "-finstrument-functions", *checks]
    if not re.fullmatch("[!-<>-~]+", path):
        arguments.append(f"-fdebug-prefix-map={path}={_debug_name(number)}")
    done = _run(GCC, [*arguments, *hooks, *language, "-c", path, "-o", target], folder)
    if done.returncode:
        if bits == 32 and re.search(r"(gnu/stubs-32|bits/libc-header-start|sys/cdefs)\.h: No such file", done.stderr):
            raise InputError(Loc(source.path, 0), "gcc cannot compile for 32 bits here (Debian: apt-get install gcc-multilib)")
        raise InputError(Loc(source.path, 0), f"gcc does not compile it: {_complaint(done.stderr)}")
    return target


def _runtime(bits: int, folder: str) -> list[str]:
    """The runtime's object files; those that are in the folder already are taken if they are up to date."""
    made, newest = [], max(path.stat().st_mtime for path in RUNTIME.iterdir())
    for path in sorted(RUNTIME.glob("*.c")):
        target = os.path.join(folder, f"runtime_{path.stem}_{bits}.o")
        if not os.path.exists(target) or os.path.getmtime(target) < newest:
            hooks = ["-fsanitize=thread"] if path.stem in ANNOUNCED else []
            flags = [f"-m{bits}", "-std=gnu17", "-g", "-O0", "-fno-builtin", "-fno-pie", *hooks]
            done = _run(GCC, [*flags, "-c", str(path), "-o", target], folder)
            if done.returncode:
                raise InputError(Loc(path.name, 0), f"gcc does not compile the runtime: {_complaint(done.stderr)}")
        made.append(target)
    return made


def _start(starts: Starts, bits: int, folder: str) -> list[str]:
    """The object file that calls what the run starts in; none if that is main."""
    if not starts.names:
        return []
    path, target = os.path.join(folder, "start.c"), os.path.join(folder, "start.o")
    Path(path).write_text(starts.text, encoding="utf-8")
    done = _run(GCC, [f"-m{bits}", "-std=gnu17", "-g", "-O0", "-w", "-fno-builtin", "-fno-pie", "-c", path, "-o", target], folder)
    if done.returncode:
        raise InputError(Loc(path, 0), f"gcc does not compile the start of the run: {_complaint(done.stderr)}")
    return [target]


def _run(one: ExternalTool, arguments: Sequence[str], folder: str = "") -> subprocess.CompletedProcess[str]:
    """A tool, with its temporary files in the folder."""
    environment = os.environ | {"LC_ALL": "C"} | ({"TMPDIR": folder} if folder else {})
    try:
        done = tool([find(one), *arguments], environment=environment)
    except TimeoutError as error:
        raise InputError(NOWHERE, str(error)) from None
    output, errors = (os.fsdecode(text) for text in (done.stdout, done.stderr))
    return subprocess.CompletedProcess(done.args, done.returncode, output, errors)


def _complaint(stderr: str) -> str:
    errors = [line for line in stderr.splitlines() if "error:" in line or "undefined reference" in line]
    return next(iter(errors or stderr.splitlines()), "no message").strip()


def _symbols(path: str) -> list[tuple[int, int, str, str]]:
    """(address, size, type, name) of every symbol; undefined ones have type U."""
    found = []
    for line in _run(NM, ["-S", path]).stdout.splitlines():
        words = line.split()
        if len(words) == 2:
            found.append((0, 0, words[0], words[1]))
        elif len(words) == 4:
            found.append((int(words[0], 16), int(words[1], 16), words[2], words[3]))
        elif len(words) == 3:
            found.append((int(words[0], 16), 0, words[1], words[2]))
    return found


def _undefined(objects: Sequence[str], prefix: str) -> bool:
    return any(kind == "U" and name.startswith(prefix) for path in objects for _, _, kind, name in _symbols(path))


def _rename(objects: Sequence[str], runtime: Sequence[str], folder: str, starts: Sequence[str]) -> None:
    """Calls of the user's files to what the runtime stands in for go to the runtime. Functions that the run starts in can be called from
    outside; `main` is then one like others."""
    ours = {name.removeprefix(PREFIX) for path in runtime for _, _, kind, name in _symbols(path) if name.startswith(PREFIX) and kind == "T"}
    defined = {name for path in objects for _, _, kind, name in _symbols(path) if kind in "TDBR"}
    names = {name: PREFIX + name for name in sorted(ours) if name not in defined and name not in starts}
    names["main"] = f"{PREFIX}users_main" if starts else f"{PREFIX}main"
    table = os.path.join(folder, "names")
    Path(table).write_text("".join(f"{name} {new}\n" for name, new in names.items()), encoding="ascii")
    for path in objects:
        done = _run(OBJCOPY, [f"--redefine-syms={table}", *(f"--globalize-symbol={name}" for name in starts), path])
        if done.returncode:
            raise InputError(Loc(path, 0), f"objcopy fails: {_complaint(done.stderr)}")


def _apart(objects: Sequence[str], runtime: Sequence[str], bits: int, folder: str) -> str:
    """The runtime as one object file that shares with the user's files only the names that they ask for: its own may be theirs, too."""
    target = os.path.join(folder, "runtime.o")
    defined = {name for path in objects for _, _, kind, name in _symbols(path) if kind in "TDBRVWC"}
    asked = {name for path in objects for _, _, kind, name in _symbols(path) if kind == "U"} - defined
    keep = os.path.join(folder, "kept")
    names = "\n".join([f"{PREFIX}*", "main", *sorted(asked), ""])
    Path(keep).write_text(names, encoding="utf-8", errors="surrogateescape")
    for one, arguments in (
        (GCC, [f"-m{bits}", "-r", "-nostdlib", *runtime, "-o", target]),
        (OBJCOPY, ["--wildcard", f"--keep-global-symbols={keep}", target]),
    ):
        done = _run(one, arguments, folder)
        if done.returncode:
            raise InputError(Loc(target, 0), f"{one.title} fails: {_complaint(done.stderr)}")
    return target


def _look(program: str, objects: Sequence[str], files: Mapping[str, str]) -> Binary:
    """Where things are in the linked program. `files`: the names of the user's files by those in the line table."""
    binary = Binary(program)
    users = {name for path in objects for _, _, kind, name in _symbols(path) if kind in "bBdDrRC"}
    for address, size, kind, name in _symbols(program):
        if kind in "tT" and (special := _SPECIAL.get(name, ATOMIC if name.startswith("__VERIFIER_atomic_") else 0)):
            binary.functions.append((address, address + size, special))
        elif kind in "bBdDrR" and name in users and size and address >= _LOWEST:
            binary.symbols.setdefault(name, []).append((address, size))
            if re.search(r"\.\d+$", name):
                binary.symbols.setdefault(name.rpartition(".")[0], []).append((address, size))
            if kind in "bBdD":
                binary.static.append((address, size))
    for line in _run(OBJDUMP, ["--dwarf=decodedline", "-w", program]).stdout.splitlines():
        if (row := _ROW.match(line)) and row[2] != "-":
            binary.lines.append((int(row[3], 16), files.get(os.path.basename(row[1]), row[1]), int(row[2])))
    binary.lines.sort(key=lambda row: row[0])
    return binary

"""Programs for `fsoft test`: compiled by the user's gcc or g++ with hooks for memory accesses, linked with our runtime.

The runtime is one shared library, compiled once and kept in the user's cache. It stands before the C library in the order of search, so the
program's calls of `pthread_*`, `malloc`, `read`, ... come to it without any change of the program.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from fsoft.frontend.source import NOWHERE, InputError, Loc, Source
from fsoft.process.fence import tool
from fsoft.process.names import as_path
from fsoft.process.tools import ExternalTool, find

GCC = ExternalTool("gcc", ("gcc",), "Debian: apt-get install gcc libc6-dev")
GXX = ExternalTool("g++", ("g++",), "Debian: apt-get install g++")
RUNTIME = Path(__file__).parent / "runtime"
COMMON = Path(__file__).parent / "common"
UNDEFINED = "signed-integer-overflow,integer-divide-by-zero,shift,float-cast-overflow,bounds"
HOOKS = ("-g", "-fsanitize=thread", "-U__SANITIZE_THREAD__", "-fno-omit-frame-pointer")
CXX_ENDINGS = (".cc", ".cpp", ".cxx", ".C", ".c++")
_LIBRARY = "libfsoft-test"
_RUNTIME_FLAGS = (
    "-O2", "-g", "-std=gnu17", "-fPIC", "-shared", "-fvisibility=hidden", "-ftls-model=initial-exec", "-fno-builtin",
    "-fno-tree-loop-distribute-patterns", "-fno-optimize-sibling-calls", "-w",
)  # fmt: skip
_ONLY_COMPILES = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"}
_ASKS = ("-v", "-###", "--version", "-dumpversion", "-dumpmachine", "-dumpspecs", "--help", "-print-", "--print-")


def runtime(bits: int) -> Path:
    """The runtime for programs of so many bits."""
    sources = sorted([*RUNTIME.iterdir(), *COMMON.iterdir()])
    mark = hashlib.sha256(
        b"".join(path.read_bytes() for path in sources) + " ".join([_compiled_by(), *_RUNTIME_FLAGS]).encode()
    ).hexdigest()[:16]
    target = _cache() / f"{_LIBRARY}-{bits}-{mark}.so"
    if not target.exists():
        _compile_runtime(bits, target)
    return target


def _compiled_by() -> str:
    path = os.path.realpath(find(GCC))
    return f"{path} {os.path.getmtime(path)}"


def _cache() -> Path:
    """A folder of the user's own that stays."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    for folder in (Path(base) / "fsoft", Path(tempfile.gettempdir()) / f"fsoft-cache-{os.getuid()}"):
        try:
            folder.mkdir(0o700, parents=True, exist_ok=True)
            if folder.stat().st_uid == os.getuid() and os.access(folder, os.W_OK):
                return folder
        except OSError:
            continue
    raise InputError(NOWHERE, "no folder for the runtime of fsoft test can be written (XDG_CACHE_HOME names one)")


def _compile_runtime(bits: int, target: Path) -> None:
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        fresh = os.path.join(folder, target.name)
        files = [str(path) for path in sorted(RUNTIME.glob("*.c"))]
        done = run_tool(GCC, [f"-m{bits}", *_RUNTIME_FLAGS, *files, "-o", fresh, "-ldl", "-lpthread"])
        if done.returncode:
            if bits == 32:
                raise InputError(NOWHERE, "gcc cannot compile for 32 bits here (Debian: apt-get install gcc-multilib)")
            raise InputError(NOWHERE, f"gcc does not compile the runtime of fsoft test: {complaint(done.stderr)}")
        os.replace(fresh, target)


def run_tool(one: ExternalTool, arguments: Sequence[str], environment: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """A tool with its output as text."""
    try:
        done = tool([find(one), *arguments], environment=environment or os.environ | {"LC_ALL": "C"})
    except TimeoutError as error:
        raise InputError(NOWHERE, str(error)) from None
    return subprocess.CompletedProcess(done.args, done.returncode, os.fsdecode(done.stdout), os.fsdecode(done.stderr))


def complaint(stderr: str) -> str:
    """The line of a compiler's messages that says what is wrong."""
    errors = [line for line in stderr.splitlines() if "error:" in line or "undefined reference" in line]
    return next(iter(errors or stderr.splitlines()), "no message").strip()


def is_cxx(path: str) -> bool:
    return path.endswith(CXX_ENDINGS)


def compile_program(sources: Sequence[Source], bits: int, folder: str, flags: Sequence[str] = ()) -> str:
    """The program of these files, in the folder. `flags` are for gcc, after ours. An `inline` function has no external definition in C99;
    a program that misses one is compiled again as older compilers would."""
    cxx = any(is_cxx(source.path) for source in sources)
    program, messages = os.path.join(folder, "program"), ""
    for dialect in ("-std=gnu17", "-fgnu89-inline"):
        objects = [_compile(k, source, dialect, bits, folder, flags) for k, source in enumerate(sources)]
        libraries = ["-lm", "-lpthread", "-ldl", *(flag for flag in flags if flag.startswith(("-l", "-L", "-Wl,")))]
        done = run_tool(GXX if cxx else GCC, [f"-m{bits}", "-no-pie", *objects, "-o", program, *link_flags(bits), *libraries])
        if not done.returncode:
            return program
        messages = done.stderr
    raise InputError(Loc(sources[0].path, 0), f"gcc cannot link the program: {complaint(messages)}")


def link_flags(bits: int) -> list[str]:
    """What makes a program that is linked one of ours. libatomic's functions would hide what they do."""
    library = runtime(bits)
    return ["-rdynamic", str(library), f"-Wl,-rpath,{library.parent}"]


def _compile(number: int, source: Source, dialect: str, bits: int, folder: str, flags: Sequence[str]) -> str:
    path, target = as_path(source.path), os.path.join(folder, f"user{number}.o")
    cxx = is_cxx(path)
    given = (("-I", source.include), ("-U", source.undefine), ("-D", source.define))
    own = [flag + text for flag, texts in given for text in texts]
    language = ["-x", "cpp-output"] if path.endswith(".i") else []
    if not cxx:
        language = [dialect, "-finstrument-functions", *language]
    hooks = [*HOOKS, f"-fsanitize={UNDEFINED}", "-fno-builtin", "-D__FSOFT__=1"]
    done = run_tool(GXX if cxx else GCC, [f"-m{bits}", "-O0", "-w", "-fno-pie", *hooks, *own, *flags, *language, "-c", path, "-o", target])
    if done.returncode:
        if bits == 32 and "No such file" in done.stderr and ("bits/" in done.stderr or "stubs-32" in done.stderr):
            raise InputError(Loc(source.path, 0), "gcc cannot compile for 32 bits here (Debian: apt-get install gcc-multilib)")
        raise InputError(Loc(source.path, 0), f"gcc does not compile it: {complaint(done.stderr)}")
    return target


# ---------------------------------------------------------------- a wrapper for the user's own build


def wrapped(arguments: Sequence[str], cxx: bool = False) -> list[str]:
    """What a compiler is called with instead, in a build whose programs are to be tested. Libraries that are linked get no runtime: the
    program has it."""
    if not arguments or any(word.startswith(_ASKS) for word in arguments):
        return list(arguments)
    compiles = any(word.endswith((".c", ".i", *CXX_ENDINGS)) or word in ("-", "-x") for word in arguments)
    hooks = [*HOOKS] if compiles else []
    if _ONLY_COMPILES & set(arguments) or {"-shared", "-r", "-static"} & set(arguments):
        return [*arguments, *hooks]
    bits = 32 if "-m32" in arguments else 64 if sys.maxsize > 1 << 32 else 32
    defaults = ["-nodefaultlibs"] if hooks else []
    return [
        *(word for word in arguments if word != "-s"),
        *hooks,
        *defaults,
        *link_flags(bits),
        *(_libraries(arguments, cxx) if hooks else []),
    ]


def _libraries(arguments: Sequence[str], cxx: bool) -> list[str]:
    """What gcc would have linked by itself: with -fsanitize=thread it would add its own runtime."""
    standard = ["-lstdc++"] if cxx or any(is_cxx(word) for word in arguments) else []
    return [*standard, "-lm", "-lpthread", "-ldl", "-lgcc_s", "-lgcc", "-lc", "-lgcc"]


__all__ = [
    "CXX_ENDINGS", "GCC", "GXX", "RUNTIME", "compile_program", "complaint", "is_cxx", "link_flags", "run_tool", "runtime", "wrapped",
]  # fmt: skip

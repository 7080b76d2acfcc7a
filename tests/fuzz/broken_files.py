"""Broken files: C programs, models with their maps and witnesses, properties and tasks, each changed in a few places at random.

`python -m tests.fuzz.broken_files --count N` tries N C files and 3 N / 5 of the others together; `make fuzz` does. Whatever is in a file,
fsoft ends in time with a documented exit code other than that of an internal error, without a traceback, and leaves nothing behind.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fsoft.cli import exits
from tests.fuzz.isolated import command, warm_up

MODELS = Path(__file__).parents[2] / "models"
ALLOWED = (exits.TRUE, exits.FALSE, exits.UNKNOWN, exits.BAD_INPUT, exits.TIMEOUT)
_LIMIT = 4  # seconds that a run is given
_HANG = 20.0  # seconds after which it hangs: the machine may be busy
_SMALL = 3000  # bytes of a C file
_WORDS = re.compile(rb"[A-Za-z_]\w*|\d[\w.]*|\"[^\"\n]*\"|\s+|.", re.DOTALL)
_PIECES = (
    rb"""( ) { } [ ] ; , * & # ## : ? ... -> . = == ++ -- << >> + - / % ~ ! | ^ || && \ ' " @ int char void long unsigned float double
struct union enum typedef static extern const volatile _Atomic if else while for do switch case default break continue return goto sizeof
0 1 -1 0x7fffffff 4294967296 1e999 0.5f 'a' '\777' "s" L"w" 08 1uuu #if #endif #define #include #line _Generic _Static_assert __typeof__ asm
__attribute__((packed)) _Alignas(3) __thread pthread_create pthread_join malloc free main reach_error __VERIFIER_nondet_int
__VERIFIER_atomic_begin abort memcpy &&l""".split()
    + [b"\0", b"\xff", b"\n"]
)


def mutated(data: bytes, others: list[bytes], dice: random.Random) -> bytes:
    """The text with one to four changes: of bytes, of words, or of lines (some of them from the others)."""
    for _ in range(dice.choice([1, 1, 1, 2, 4])):
        data = dice.choice([_bytes, _words, _words, _alike, _alike, _alike, _lines])(data, others, dice)
    return data


def _bytes(data: bytes, _others: list[bytes], dice: random.Random) -> bytes:
    at = dice.randrange(len(data) + 1)
    some = bytes(dice.randrange(256) for _ in range(dice.choice([1, 1, 3])))
    cut = dice.choice([0, 1, 1, dice.randrange(len(data) - at + 1)])
    return dice.choice([data[:at] + some + data[at + cut :], data[:at] + data[at + cut :], data[:at]])


def _words(data: bytes, others: list[bytes], dice: random.Random) -> bytes:
    words = _WORDS.findall(data) or [b""]
    at, other = dice.randrange(len(words)), dice.randrange(len(words))
    what = dice.randrange(6)
    if what == 0:
        del words[at]
    elif what == 1:
        words.insert(at, words[other])
    elif what == 2:
        words[at], words[other] = words[other], words[at]
    elif what == 3:
        words[at] = dice.choice(_PIECES)
    elif what == 4:
        words.insert(at, b" " + dice.choice(_PIECES) + b" ")
    else:
        words[at] = dice.choice(_WORDS.findall(dice.choice(others)) or [b""])
    return b"".join(words)


def _alike(data: bytes, _others: list[bytes], dice: random.Random) -> bytes:
    """Another word of the same sort, from the same text: what comes out can often be read."""
    words = _WORDS.findall(data) or [b""]
    sort = dice.choice([rb"[A-Za-z_]\w*", rb"\d[\w.]*", rb"[^\w\s]"])
    places = [at for at, word in enumerate(words) if re.fullmatch(sort, word)]
    if places:
        words[dice.choice(places)] = words[dice.choice(places)]
    return b"".join(words)


def _lines(data: bytes, others: list[bytes], dice: random.Random) -> bytes:
    lines = data.splitlines(keepends=True) or [b""]
    at, other = dice.randrange(len(lines)), dice.randrange(len(lines))
    what = dice.randrange(4)
    if what == 0:
        del lines[at]
    elif what == 1:
        lines.insert(at, lines[other])
    elif what == 2:
        lines[at], lines[other] = lines[other], lines[at]
    else:
        lines.insert(at, dice.choice(dice.choice(others).splitlines(keepends=True) or [b""]))
    return b"".join(lines)


@dataclass(frozen=True)
class Trial:
    """The broken file, and the arguments of fsoft."""

    file: str
    arguments: str


_C = [
    "check x.c --engine explicit", "check x.c --all-checks", "check x.c --all-checks --64 --calls once", "check x.c --engine bmc",
    "show x.c", "run x.c", "build x.c -o o.aag", "sequentialize x.c -o o.c", "check x.c --encoding tcbmc",
    "check x.c --cpp gcc --engine explicit", "check x.c --race-model c11 --data-races-check", "check x.c --property termination",
    "check x.c --eval-order any --engine explicit",
]  # fmt: skip
"""What is asked about a broken C file."""
_AROUND = {
    "m.aag": ["check m.aag --engine pdr", "check m.aag --engine bmc", "explain m.aag m.w"],
    "m.aig": ["check m.aig --engine pdr", "explain m.aig m.w"],
    "b.btor2": ["check b.btor2 --engine smt", "check b.btor2 --engine kinduction", "explain b.btor2 b.w"],
    "m.w": ["explain m.aag m.w"],
    "b.w": ["explain b.btor2 b.w"],
    "m.map.json": ["explain m.aag m.w"],
    "b.map.json": ["explain b.btor2 b.w"],
    "p.prp": ["check in.c --property p.prp"],
    "l.prp": ["check in.c --property l.prp"],
    "t.yml": ["check t.yml"],
    "c.json": ["check in.c --compile-commands c.json"],
}
"""Files that are no C: what is asked where one of them is broken."""
_TEXTS = {
    "p.prp": "CHECK( init(main()), LTL(G ! call(reach_error())) )\nCHECK( init(main()), LTL(G ! data-race) )\n",
    "l.prp": "CHECK( init(main()), LTL(G (balance >= 0 -> F balance != 3)) )\n",
    "t.yml": "format_version: '2.0'\ninput_files: 'in.c'  # one\nproperties:\n  - property_file: p.prp\n    expected_verdict: true\n"
    "options:\n  language: C\n  data_model: ILP32\n",
    "c.json": '[{"directory": ".", "file": "in.c", "arguments": ["cc", "-DUNLOCKED", "-I", ".", "-c", "in.c"]}]\n',
}
_MADE = [
    "build in.c -D UNLOCKED -o m.aag", "build in.c -D UNLOCKED -o m.aig", "build in.c -D UNLOCKED -o b.btor2",
    "check m.aag --engine bmc --witness m.w", "check b.btor2 --engine bmc --witness b.w",
]  # fmt: skip


class Campaign:
    """`folder`: where the files are. `whole`: what is in those that are not broken."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.dice, self.wrong, self.tried = folder, random.Random(seed), list[str](), 0
        self.programs = [path.read_bytes() for path in sorted(MODELS.rglob("*.c")) if path.stat().st_size < _SMALL]
        self.whole: dict[str, bytes] = {}
        self.codes: dict[int | None, int] = {}

    def c_file(self) -> None:
        text = mutated(self.dice.choice(self.programs), self.programs, self.dice)
        self.ask(Trial("x.c", self.dice.choice(_C)), text)
        (self.folder / "x.c").unlink()

    def other_file(self) -> None:
        name = self.dice.choice(sorted(_AROUND))
        alike = [text for other, text in self.whole.items() if other != "in.c"]
        self.ask(Trial(name, self.dice.choice(_AROUND[name])), mutated(self.whole[name], alike, self.dice))
        (self.folder / name).write_bytes(self.whole[name])

    def ask(self, trial: Trial, text: bytes) -> None:
        """Runs fsoft with the text in the file; keeps the text if the end is wrong."""
        (self.folder / trial.file).write_bytes(text)
        ended = command([*trial.arguments.split(), "--timeout", str(_LIMIT)], self.folder, _HANG)
        self.tried += 1
        self.codes[ended.code] = self.codes.get(ended.code, 0) + 1
        wrong = ended.wrong(ALLOWED)
        if wrong:
            kept = Path(tempfile.mkdtemp(prefix="broken-"), trial.file)
            kept.write_bytes(text)
            self.wrong.append(f"{trial.arguments}, {kept}: {wrong}")
            print(self.wrong[-1], flush=True)

    def make(self) -> None:
        """The files around a program."""
        (self.folder / "in.c").write_bytes((MODELS / "classic" / "account.c").read_bytes())
        for name, text in _TEXTS.items():
            (self.folder / name).write_text(text)
        for arguments in _MADE:
            ended = command(arguments.split(), self.folder, 60.0)
            assert ended.code in (exits.TRUE, exits.FALSE), f"{arguments}: {ended}"
        self.whole = {path.name: path.read_bytes() for path in self.folder.iterdir()}


def campaign(count: int, seed: int) -> Campaign:
    with tempfile.TemporaryDirectory(prefix="broken-") as top:
        folder = Path(top, "work")
        folder.mkdir()
        found = Campaign(folder, seed)
        found.make()
        kinds: list[Callable[[], None]] = [found.c_file] * count + [found.other_file] * (3 * count // 5)
        for one in kinds:
            one()
        return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=500, help="C files")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    warm_up()
    found = campaign(args.count, args.seed)
    codes = ", ".join(f"{number} with {code}" for code, number in sorted(found.codes.items(), key=str))
    print(f"broken files: {found.tried} tried ({codes}), {len(found.wrong)} end in the wrong way")
    return 1 if found.wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""Random macro programs: the built-in preprocessor must give the words that `gcc -E` gives, or an error where gcc gives one.

`python -m tests.fuzz.macros N [SEED]` compares N programs. They define, undefine, push and pop a few macros over and over, with `#`, `##`,
variable arguments and `__VA_OPT__`, and use them in lines, in arguments over several lines, in conditions and in computed names of headers;
line splices and comments come anywhere.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from fsoft.frontend.cpp.scan import scan
from fsoft.frontend.preprocess import preprocess
from fsoft.frontend.source import InputError
from fsoft.frontend.tokens import EXPANSION, EXPANSION_END

NAMES = ("f", "g", "h", "A", "B", "C")
HEADER = "A B f(1, 2)\n#ifdef X\nX(one) X(two)\n#endif\n#line 7\n__LINE__ __INCLUDE_LEVEL__\ng"
_PLAIN = "a b x1 1 0x2 3. - + -- < . EMPTY OPEN CLOSE __LINE__ __COUNTER__ 'c'"
_SIMPLE = (*_PLAIN.split(), '"s\\n"', "'\\''")
_OPERATORS = "+ - * << >> < > <= >= == != & | ^ && ||"
_ATOMS = "0 1 7u -1 0x7fffffffffffffff 18446744073709551615u 'a' '\\377' 'ab' L'b' 010 2147483648 0b11 A undefined"
_PRELUDE = "#define EMPTY\n#define OPEN (\n#define CLOSE )\n#define STR(x) #x\n#define XSTR(x) STR(x)\n#define CAT(a, b) a##b\n"


class Generator:
    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.arity: dict[str, int] = {}  # of function-like macros, as last defined
        self.pasting = self.random.choice((0.0, 0.1, 0.2))

    def text(self) -> str:
        lines = [self.line() for _ in range(self.random.randrange(3, 14))]
        text = _PRELUDE + "".join(f"{line}\n" for line in lines)
        if self.random.random() < 0.3:
            places = sorted((self.random.randrange(len(text)) for _ in range(4)), reverse=True)
            for place in places:
                text = f"{text[:place]}\\\n{text[place:]}"
        return text

    def line(self) -> str:
        kinds = (self.definition, self.function, self.function, self.use, self.use, self.use, self.condition, self.directive)
        return self.random.choice(kinds)()

    def blank(self) -> str:
        return self.random.choice(("", "", " ", " ", " ", "  ", "\t", "/**/", " /* c\n */ "))

    def joined(self, words: list[str]) -> str:
        return " ".join(words) if self.random.random() < 0.5 else "".join(word + self.blank() for word in words)

    # ---------------------------------------------------------------- definitions

    def definition(self) -> str:
        name = self.random.choice(NAMES)
        self.arity.pop(name, None)
        return f"#define {name} {self.inline(self.words(self.random.randrange(5), (), paste=self.pasting / 2))}"

    def function(self) -> str:
        names = ["p", "q", "r"][: self.random.randrange(4)]
        rest = self.random.random() < 0.35
        named = rest and self.random.random() < 0.2
        parameters = [*names, "args..." if named else "..."] if rest else names
        given = [*names, "args" if named else "__VA_ARGS__"] if rest else names
        words = self.words(self.random.randrange(7), tuple(given), paste=self.pasting)
        if rest and not named and self.random.random() < 0.4:
            inner = self.inline(self.words(3, tuple(given), paste=self.pasting))
            words.insert(self.random.randrange(len(words) + 1), f"__VA_OPT__({inner})")
        if rest and self.random.random() < 0.3:
            words += [",", "##", given[-1]]
        name = self.random.choice(NAMES)
        self.arity[name] = len(parameters)
        return f"#define {name}({', '.join(parameters)}) {self.inline(words)}"

    def inline(self, words: list[str]) -> str:
        return self.joined(words).replace("\n", "")

    def words(self, count: int, parameters: tuple[str, ...], paste: float) -> list[str]:
        """Words of a replacement list; `##` mostly joins what can be joined."""
        out: list[str] = []
        for _ in range(count):
            if out and self.random.random() < paste:
                out += ["##", self.random.choice((*parameters, *parameters, "a", "1", "f", "A"))]
            elif parameters and self.random.random() < 0.5:
                out.append(self.random.choice(("", "", "", "#")) + self.random.choice(parameters))
            elif self.random.random() < 0.4:
                out.append(self.call(1) if self.random.random() < 0.5 else self.random.choice(NAMES))
            else:
                out.append(self.random.choice((*_SIMPLE, ",", "a", "b")))
        return out

    # ---------------------------------------------------------------- uses

    def use(self) -> str:
        return self.joined([self.piece(3) for _ in range(self.random.randrange(1, 4))])

    def piece(self, depth: int) -> str:
        kind = self.random.random()
        if depth == 0 or kind < 0.3:
            return self.random.choice((*_SIMPLE, *NAMES))
        if kind < 0.4:
            return f"({self.piece(depth - 1)})"
        return self.call(depth)

    def call(self, depth: int) -> str:
        name = self.random.choice((*NAMES, *NAMES, "XSTR", "XSTR", "STR"))
        count = 1 if name.endswith("STR") else self.arity.get(name, 1)
        if self.random.random() < 0.03:
            count += 1
        newline = self.random.choice(("", "", "", "\n")) if depth == 3 else ""
        arguments = [self.joined([self.piece(depth - 1) for _ in range(self.random.randrange(3))]) for _ in range(count)]
        if depth == 1:
            arguments = [argument.replace("\n", "") for argument in arguments]
        return f"{name}{self.random.choice(('', '', ' '))}{newline}({newline}{f', {newline}'.join(arguments)})"

    # ---------------------------------------------------------------- directives

    def condition(self) -> str:
        name = self.random.choice(NAMES)
        said = self.random.choice((f"if {self.expression(3)}", f"ifdef {name}", f"ifndef {name}"))
        other = f"#elif {self.expression(2)}\n{self.use()}\n" if self.random.random() < 0.3 else ""
        return f"#{said}\n{self.use()}\n{self.line()}\n{other}#else\n{self.use()}\n#endif"

    def expression(self, depth: int) -> str:
        if depth == 0 or self.random.random() < 0.2:
            name = self.random.choice(NAMES)
            return self.random.choice((*_ATOMS.split(), f"defined {name}", f"defined({name})"))
        kind = self.random.random()
        one, two = self.expression(depth - 1), self.expression(depth - 1)
        if kind < 0.15:
            return f"{self.random.choice('!~-+')}({one})"
        if kind < 0.25:
            return f"(({one}) ? ({two}) : {self.expression(depth - 1)})"
        if kind < 0.3:
            return f"({one} {self.random.choice('/%')} ({two} ? {two} : 3))"
        return f"({one} {self.random.choice(_OPERATORS.split())} {two})"

    def directive(self) -> str:
        name = self.random.choice(NAMES)
        return self.random.choice((
            f"#undef {name}",
            f'#pragma push_macro("{name}")\n#undef {name}\n#define {name} {self.inline(self.words(3, (), paste=0))}',
            f'#pragma pop_macro("{name}")',
            f"#define X(n) {name} n\n#include \"x.inc\"\n#undef X",
            "#define FILE \"x.inc\"\n#include FILE",
            f"#line {self.random.randrange(1, 50)} \"name.c\"\n__LINE__ __FILE__ {name}",
            "#if 0\nit's /* not\n */ #else\n#endif",
            "# /* null */",
            "??= <: :> <% %>",
        ))  # fmt: skip


def _words(text: str) -> list[str]:
    plain = text.replace(EXPANSION, " ").replace(EXPANSION_END, " ").split("\n")
    lines = [line for line in plain if not line.lstrip().startswith(("#line", "# "))]
    return [token.text for token in scan("\n".join(lines), "output")]


def compare(seed: int, folder: str) -> tuple[list[str] | str, list[str] | str]:
    """The words, or the error, of the built-in preprocessor and of gcc.
    With `__VA_OPT__` the words are one: gcc 12 forgets to write blanks behind it."""
    path = Path(folder) / "macros.c"
    text = Generator(seed).text()
    path.write_text(text)
    (Path(folder) / "x.inc").write_text(HEADER + "\n")
    ours: list[str] | str
    try:
        ours = _words(preprocess(str(path), cpp="builtin").text)
    except InputError as error:
        ours = str(error)
    command = ["gcc", "-E", "-P", "-m32", "-std=gnu17", "-w", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    theirs = _words(done.stdout) if done.returncode == 0 else done.stderr
    if "__VA_OPT__" in text and isinstance(ours, list) and isinstance(theirs, list):
        return ["".join(ours)], ["".join(theirs)]
    return ours, theirs


def agree(ours: list[str] | str, theirs: list[str] | str) -> bool:
    return ours == theirs or (isinstance(ours, str) and isinstance(theirs, str))


def main(argv: list[str]) -> int:
    count, first = (int(argv[0]) if argv else 1000), (int(argv[1]) if len(argv) > 1 else 0)
    seen: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            ours, theirs = compare(seed, folder)
            seen["errors" if isinstance(theirs, str) else "words"] += 1
            if not agree(ours, theirs):
                print(f"seed {seed}\n{Generator(seed).text()}\nbuilt in: {ours}\n\ngcc: {theirs}")
                return 1
    print(f"{count} programs agree: {dict(seen)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

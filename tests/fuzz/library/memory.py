"""Random programs with one thread that call one or two functions of the library on random buffers: of the stack, global, of the heap,
freed, out of scope, null, read-only; of the length that is needed, one byte shorter or longer; terminated or not; overlapping.

Every byte of a buffer is initialised, because gcc has no sanitizer that would see the use of others. `record` gives a value that does not
depend on where objects lie.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

INCLUDES = """#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
"""
RECORDS = """#ifdef COMPILED
void record(int number, long value);
#else
void reach_error(void);
#define record(number, value) do { if ((long)(value) != EXPECTED_##number) reach_error(); } while (0)
#endif
"""
FUNCTIONS = """static char *keep;
static long sign(long x) { return (x > 0) - (x < 0); }
static long seen(const char *s, int size) {
    unsigned sum = 0;
    for (int i = 0; i < size; i++) sum = sum * 31 + (unsigned char)s[i];
    return (long)(sum & 0xffffff);
}
static int rising(const void *a, const void *b) { return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b; }
static int falling(const void *a, const void *b) { return rising(b, a); }
static int parity(const void *a, const void *b) {
    const int x = *(const int *)a, y = *(const int *)b;
    return x % 2 != y % 2 ? x % 2 - y % 2 : x < y ? -1 : x > y;
}
"""
HEAD = INCLUDES + RECORDS + FUNCTIONS


@dataclass(frozen=True)
class Sample:
    """A generated program: its text, the functions that it calls, what is special about it, how many values it records."""

    text: str
    functions: tuple[str, ...]
    features: frozenset[str]
    values: int
    threads: bool = False
    locks: bool = False


@dataclass
class Buffer:
    """`name` points to `size` bytes; `alive` while they may be used, `writable` unless they are constant."""

    name: str
    size: int
    length: int
    alive: bool = True
    writable: bool = True
    heap: bool = False


GOOD = ("global", "static", "stack", "stack", "heap", "heap", "member")
CLEAN = ("global", "static", "stack", "stack", "heap", "heap")
BAD = ("freed", "freed", "scope", "returned", "null", "literal", "literal")


@dataclass
class Writer:
    """Writes a program. `clean`: buffers are big enough, terminated and alive."""

    random: Random
    clean: bool = False
    globals: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    buffers: list[Buffer] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    features: set[str] = field(default_factory=set)
    values: int = 0
    names: int = 0

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def fresh(self) -> str:
        self.names += 1
        return f"b{self.names}"

    def record(self, value: str) -> str:
        self.values += 1
        return f"record({self.values - 1}, {value});"

    def say(self, *lines: str) -> None:
        self.body += lines

    # ---------------------------------------------------------------- buffers

    def buffer(self, content: list[int], length: int) -> Buffer:
        """A buffer with this content, of which `length` bytes come before the first zero."""
        kind = self.random.choice(CLEAN if self.clean else GOOD if self.chance(0.84) else BAD)
        made = Buffer(self.fresh(), len(content), length, kind in GOOD or kind == "literal", kind != "literal", kind in ("heap", "freed"))
        getattr(self, "_" + kind)(made, content)
        if kind in BAD:
            self.features.add(kind)
        self.buffers.append(made)
        return made

    def _initialiser(self, content: list[int]) -> str:
        return "{" + ", ".join(map(str, content)) + "}"

    def _array(self, made: Buffer, content: list[int]) -> str:
        aligned = " __attribute__((aligned(8)))" if self.clean else ""
        return f"char {made.name}[{made.size}]{aligned} = {self._initialiser(content)};"

    def _global(self, made: Buffer, content: list[int]) -> None:
        self.globals.append(self._array(made, content))

    def _static(self, made: Buffer, content: list[int]) -> None:
        self.before.append("static " + self._array(made, content))

    def _stack(self, made: Buffer, content: list[int]) -> None:
        self.before.append(self._array(made, content))

    def _member(self, made: Buffer, content: list[int]) -> None:
        name = "s" + made.name
        self.before.append(f"struct {{ char head[3]; char tail[{made.size}]; }} {name} = {{{{1, 2, 3}}, {self._initialiser(content)}}};")
        self.before.append(f"char *{made.name} = {name}.tail;")

    def _heap(self, made: Buffer, content: list[int]) -> None:
        self.before.append(f"char *{made.name} = malloc({made.size});")
        self.before.append(" ".join(f"{made.name}[{i}] = {byte};" for i, byte in enumerate(content)))

    def _freed(self, made: Buffer, content: list[int]) -> None:
        self._heap(made, content)
        self.before.append(f"free({made.name});")

    def _scope(self, made: Buffer, content: list[int]) -> None:
        inner = Buffer("in" + made.name, made.size, made.length)
        self.before.append(f"char *{made.name}; {{ {self._array(inner, content)} {made.name} = {inner.name}; }}")

    def _returned(self, made: Buffer, content: list[int]) -> None:
        inner = Buffer("in" + made.name, made.size, made.length)
        self.globals.append(f"static void make_{made.name}(void) {{ {self._array(inner, content)} keep = {inner.name}; }}")
        self.before.append(f"make_{made.name}(); char *{made.name} = keep;")

    def _null(self, made: Buffer, content: list[int]) -> None:
        self.before.append(f"char *{made.name} = 0;")

    def _literal(self, made: Buffer, content: list[int]) -> None:
        escaped = "".join(f"\\{byte:03o}" for byte in content[:-1])
        self.before.append(f'char *{made.name} = "{escaped}";')
        made.length = min(made.length, made.size - 1)

    # ---------------------------------------------------------------- arguments

    def at(self, made: Buffer) -> str:
        """A pointer to the start of the buffer; seldom, to another byte."""
        if self.clean or self.chance(0.9):
            return made.name
        self.features.add("inside")
        return f"{made.name} + {self.random.randrange(made.size + 1)}"

    def text(self, letters: str = "aabbc", longest: int = 4) -> Buffer:
        """A string, seldom without its zero; sometimes a buffer that is there already."""
        if self.buffers and not self.clean and self.chance(0.15):
            return self.random.choice(self.buffers)
        content = [ord(self.random.choice(letters)) for _ in range(self.random.randrange(longest + 1))]
        length = len(content)
        if content and not self.clean and self.chance(0.15):
            self.features.add("unterminated")
        else:
            content += [0, *(ord("z") for _ in range(self.random.choice((0, 0, 0, 1, 2))))]
        return self.buffer(content, length)

    def block(self, size: int | None = None) -> Buffer:
        """Some bytes; about as many as `size`."""
        need = self.random.randrange(1, 9) if size is None else self.around(size)
        content = [self.random.choice((0, 1, 97, 98, 200)) for _ in range(need)]
        return self.buffer(content, content.index(0) if 0 in content else need)

    def around(self, need: int) -> int:
        """A size that is enough, or seldom one too small."""
        step = self.random.choice((0, 0, 1, 3)) if self.clean or self.chance(0.86) else -1
        return max(1, need + step)

    def room(self, need: int, beside: Buffer | None = None) -> str:
        """A pointer to where `need` bytes are written; seldom, into the buffer that is read."""
        if beside is not None and not self.clean and self.chance(0.15):
            self.features.add("overlap")
            return f"{beside.name} + {self.random.randrange(beside.size)}"
        return self.at(self.block(need))

    def count(self, size: int) -> int:
        """A number of bytes for a buffer of this size; seldom more than there are."""
        if not self.clean and self.chance(0.14):
            return size + self.random.randrange(1, 3)
        return self.random.randrange(0 if self.chance(0.3) else min(1, size), size + 1)

    def letter(self) -> str:
        return self.random.choice(("'a'", "'b'", "'c'", "'z'", "0", "200", "97 + 256"))

    def call(self, function: str, *arguments: object) -> str:
        self.functions.append(function)
        return f"{function}({', '.join(map(str, arguments))})"

    def found(self, call: str, start: str) -> None:
        """A call that returns a pointer into `start`, or null."""
        self.say(f"{{ char *r = {call}; {self.record(f'r ? r - ({start}) : -1')} }}")

    # ---------------------------------------------------------------- the program

    def contents(self) -> None:
        """The bytes of buffers at the end."""
        for made in self.buffers:
            if made.alive and self.chance(0.8):
                self.say(self.record(f"seen({made.name}, {made.size})"))

    def program(self) -> Sample:
        for _ in range(self.random.choice((1, 1, 2))):
            CALLS[self.random.choice(NAMES)](self)
        self.contents()
        lines = [*self.before, *self.body]
        text = HEAD + "\n".join(self.globals) + "\nint main(void) {\n" + "".join(f"    {line}\n" for line in lines) + "    return 0;\n}\n"
        return Sample(text, tuple(self.functions), frozenset(self.features), self.values)


# -------------------------------------------------------------------- calls by function

CALLS: dict[str, Callable[[Writer], None]] = {}
THREADED: set[str] = set()
"""Those that make sense beside another thread: they leave the shared buffer where it is."""


def _for(names: str, threaded: bool = True) -> Callable[[Callable[[Writer, str], None]], Callable[[Writer, str], None]]:
    def add(write: Callable[[Writer, str], None]) -> Callable[[Writer, str], None]:
        for name in names.split():
            CALLS[name] = lambda writer, name=name: write(writer, name)
            THREADED.update({name} if threaded else ())
        return write

    return add


@_for("strlen")
def _length(w: Writer, name: str) -> None:
    w.say(w.record(w.call(name, w.at(w.text()))))


@_for("strnlen")
def _length_within(w: Writer, name: str) -> None:
    s = w.text()
    w.say(w.record(w.call(name, w.at(s), w.count(s.size))))


@_for("strcpy stpcpy")
def _copy(w: Writer, name: str) -> None:
    s = w.text()
    to = w.room(s.length + 1, s)
    w.found(w.call(name, to, w.at(s)), to)


@_for("strncpy")
def _copy_within(w: Writer, name: str) -> None:
    s = w.text()
    count = w.random.randrange(1, s.size + 3) if s.length < s.size else w.count(s.size)
    to = w.room(count, s)
    w.found(w.call(name, to, w.at(s), count), to)


@_for("strcat strncat")
def _append(w: Writer, name: str) -> None:
    s = w.text()
    start = [ord("a")] * w.random.randrange(4)
    more = w.around(s.length + 1)
    if not w.clean and w.chance(0.1):
        w.features.add("overlap")
        to = s
    else:
        to = w.buffer([*start, 0, *([1] * (more - 1))], len(start))
    count = [] if name == "strcat" else [w.random.randrange(0, s.length + 2) if s.length < s.size else w.count(s.size)]
    w.found(w.call(name, to.name, w.at(s), *count), to.name)


@_for("strcmp strcoll strcasecmp")
def _compare(w: Writer, name: str) -> None:
    letters = "aaAb" if name == "strcasecmp" else "aab"
    w.say(w.record(f"sign({w.call(name, w.at(w.text(letters)), w.at(w.text(letters)))})"))


@_for("strncmp strncasecmp")
def _compare_within(w: Writer, name: str) -> None:
    letters = "aaAb" if name == "strncasecmp" else "aab"
    a, b = w.text(letters), w.text(letters)
    w.say(w.record(f"sign({w.call(name, w.at(a), w.at(b), w.count(min(a.size, b.size)))})"))


@_for("strchr strrchr strchrnul index rindex")
def _find(w: Writer, name: str) -> None:
    at = w.at(w.text())
    w.found(w.call(name, at, w.letter()), at)


@_for("strstr strpbrk")
def _find_text(w: Writer, name: str) -> None:
    at = w.at(w.text("aab", 5))
    w.found(w.call(name, at, w.at(w.text("ab", 2))), at)


@_for("strspn strcspn")
def _span(w: Writer, name: str) -> None:
    w.say(w.record(w.call(name, w.at(w.text("aab", 5)), w.at(w.text("abc", 2)))))


@_for("strtok strtok_r")
def _tokens(w: Writer, name: str) -> None:
    s = w.text("ab,,;", 5)
    set_ = w.at(w.text(",;", 2))
    rest = [] if name == "strtok" else ["&rest"]
    first, again = w.call(name, s.name, set_, *rest), w.call(name, "0", set_, *rest)
    w.say("{ char *rest = 0;" if rest else "{")
    w.found(first, s.name)
    w.say(f"char *next = rest ? {again} : 0;" if rest else f"char *next = {again};")
    w.say(w.record(f"next ? next - {s.name} : -1"), "}")


@_for("strdup strndup", threaded=False)
def _duplicate(w: Writer, name: str) -> None:
    s = w.text()
    count = [] if name == "strdup" else [w.count(s.size)]
    size = min([s.length, *count]) + 1
    last = size - 1 if w.clean or w.chance(0.85) else size
    w.say(f"{{ char *d = {w.call(name, w.at(s), *count)};", w.record(f"d[{last}]"), w.record(f"seen(d, {size})"), "}")


@_for("memcpy mempcpy memmove")
def _block_copy(w: Writer, name: str) -> None:
    s = w.block()
    count = w.count(s.size)
    to = w.room(max(count, 1), s)
    w.found(w.call(name, to, w.at(s), count), to)


@_for("bcopy")
def _block_copy_back(w: Writer, name: str) -> None:
    s = w.block()
    count = w.count(s.size)
    to = w.room(max(count, 1), s)
    w.say(w.call(name, w.at(s), to, count) + ";")


@_for("memset bzero explicit_bzero")
def _fill(w: Writer, name: str) -> None:
    s = w.block()
    byte = [w.letter()] if name == "memset" else []
    w.say(w.call(name, w.at(s), *byte, w.count(s.size)) + ";")


@_for("memcmp bcmp")
def _block_compare(w: Writer, name: str) -> None:
    a, b = w.block(), w.block()
    value = w.call(name, w.at(a), w.at(b), w.count(min(a.size, b.size)))
    w.say(w.record(f"sign({value})" if name == "memcmp" else f"{value} != 0"))


@_for("memchr memrchr")
def _block_find(w: Writer, name: str) -> None:
    s = w.block()
    at = w.at(s)
    w.found(w.call(name, at, w.letter(), w.count(s.size)), at)


_ALLOCATIONS = {
    "malloc": "malloc({0})",
    "calloc": "calloc({0}, 1)",
    "reallocarray": "reallocarray(0, 1, {0})",
    "aligned_alloc": "aligned_alloc(16, {0})",
    "posix_memalign": "0; posix_memalign((void **)&p, 16, {0})",
}


@_for(" ".join(_ALLOCATIONS), threaded=False)
def _allocate(w: Writer, name: str) -> None:
    size = 16 if name == "aligned_alloc" else w.random.randrange(1, 9)
    last = w.around(size) - 1 if w.chance(0.3) else size - 1
    w.functions.append(name)
    w.say(f"{{ char *p = {_ALLOCATIONS[name].format(size)}; p[{last}] = 5;", w.record(f"p[{last}]"))
    if name == "calloc":
        w.say(w.record("p[0]"))
    if w.chance(0.3):
        w.features.add("freed")
        w.say(w.call("free", "p") + ";", *([w.record("p[0]")] if w.chance(0.5) else []))
    w.say("}")


@_for("free", threaded=False)
def _release(w: Writer, name: str) -> None:
    s = w.block()
    where = s.name if w.chance(0.8) else f"{s.name} + 1"
    s.alive = False
    w.say(w.call(name, where if s.heap or w.chance(0.4) else "(void *)0") + ";")
    if w.chance(0.15):
        w.say(w.call(name, s.name) + ";")
    elif w.chance(0.2):
        w.say(w.record(f"{s.name}[0]"))


@_for("realloc", threaded=False)
def _enlarge(w: Writer, name: str) -> None:
    s = w.block()
    size = w.random.randrange(1, 12)
    at = s.name if s.heap or w.chance(0.3) else "(void *)0"
    s.alive = at != s.name
    kept = min(s.size, size) if at == s.name else 0
    w.say(f"{{ char *r = {w.call(name, at, size)};", f"r[{w.around(size) - 1}] = 7;", w.record(f"seen(r, {min(kept, size - 1)})"))
    if w.chance(0.2):
        w.say(w.record(f"{s.name}[0]"))
    w.say("}")


_NUMBERS = (
    "12",
    "-7",
    "+5",
    " 42",
    "0x1f",
    "017",
    "0x",
    "zz",
    "",
    "-",
    "99999999999999999999",
    "-99999999999999999999",
    "9a",
    "\\t8 1",
    "0b1",
)


@_for("atoi atol atoll strtol strtoll strtoul strtoull")
def _number(w: Writer, name: str) -> None:
    if w.chance(0.5):
        s = w.text("0127 -+x", 4)
    else:
        digits = w.random.choice(_NUMBERS[:-5] if name.startswith("ato") else _NUMBERS).encode().decode("unicode_escape")
        last = [] if digits and not w.clean and w.chance(0.15) else [0]
        s = w.buffer([*map(ord, digits), *last] or [0], len(digits))
    if name.startswith("ato"):
        w.say(w.record(w.call(name, w.at(s))))
        return
    base = w.random.choice((0, 0, 10, 10, 16, 8, 36, 2))
    end = w.random.choice(("0", "&end"))
    at = w.at(s)
    w.say("{ char *end = 0;", w.record(w.call(name, at, end, base)))
    if end != "0":
        w.say(w.record(f"end - ({at})"))
    w.say("}")


def _ints(w: Writer) -> tuple[str, int]:
    """An array of numbers; its length."""
    count = w.random.randrange(2 if w.clean else 1, 5)
    numbers = [w.random.randrange(-2, 5) for _ in range(count)]
    name = w.fresh()
    kind = w.random.choice(("global", "stack", "heap") if w.clean or w.chance(0.85) else ("freed",))
    if kind in ("heap", "freed"):
        w.before.append(f"int *{name} = malloc({count} * sizeof(int));")
        w.before.append(" ".join(f"{name}[{i}] = {number};" for i, number in enumerate(numbers)))
    else:
        place = w.globals if kind == "global" else w.before
        place.append(f"int {name}[{count}] = {{{', '.join(map(str, numbers))}}};")
    if kind == "freed":
        w.features.add(kind)
        w.before.append(f"free({name});")
    w.buffers.append(Buffer(name, count * 4, count * 4, kind != "freed"))
    return name, count


@_for("qsort")
def _sort(w: Writer, name: str) -> None:
    array, count = _ints(w)
    w.say(
        w.call(name, array, w.around(count) if w.chance(0.2) else count, "sizeof(int)", w.random.choice(("rising", "falling", "parity")))
        + ";"
    )
    w.say(w.record(f"seen((char *){array}, {count * 4})"))


@_for("bsearch")
def _search(w: Writer, name: str) -> None:
    array, count = _ints(w)
    asked = count if w.clean or w.chance(0.8) else count + 1
    w.say(f"{{ int key = {w.random.randrange(-2, 5)}; qsort({array}, {count}, sizeof(int), rising);")
    w.say(f"int *r = {w.call(name, '&key', array, asked, 'sizeof(int)', 'rising')};", w.record("r ? *r : -100"), "}")


@_for("printf fprintf dprintf")
def _format(w: Writer, name: str) -> None:
    to = {"printf": [], "fprintf": ["stdout"], "dprintf": ["1"]}[name]
    s = w.text()
    given = w.random.choice((('"%s\\n"', w.at(s)), ('"<%d %s>"', 3, w.at(s)), (f'"%.{w.count(s.size)}s"', w.at(s)), (w.at(s),)))
    w.say(w.call(name, *to, *given) + ";")


@_for("puts fputs perror")
def _put(w: Writer, name: str) -> None:
    w.say(w.call(name, w.at(w.text()), *(["stdout"] if name == "fputs" else [])) + ";")


@_for("write")
def _write(w: Writer, name: str) -> None:
    s = w.block()
    w.say(w.call(name, "1", w.at(s), w.count(s.size)) + ";")


@_for("fgets", threaded=False)
def _get(w: Writer, name: str) -> None:
    s = w.block()
    w.say(w.call(name, w.at(s), w.count(s.size), "stdin") + ";")
    w.buffers.remove(s)


NAMES = tuple(CALLS)

# ruff: noqa: E501 (lines of C)
"""Random programs about one thing each (texts, formats, argument lists, jumps, ...), for comparing what fsoft computes with gcc and glibc.

`python -m tests.fuzz.language [COUNT [FIRST [KIND...]]]`: so many programs of each kind. A program folds whatever it sees into the global
`fsoft_result` and prints it, as those of `generator.py` do. What C or glibc leave open is not in them: of some results only
the sign is used.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from random import Random

from fsoft.program.options import Options
from tests.fuzz.compare import Outcome, compare

_HEAD = """
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdarg.h>
#include <setjmp.h>
#include <getopt.h>
#include <alloca.h>
#include <ctype.h>
#include <stddef.h>
unsigned long long fsoft_result;
static void mix(unsigned long long value) { fsoft_result = fsoft_result * 1000003ull + value + 1; }
static void mix_text(const char *s) { while (*s) mix((unsigned char)*s++); mix(0x100); }
static void mix_bytes(const char *s, int n) { while (n-- > 0) mix((unsigned char)*s++); }
"""


def _quoted(text: str) -> str:
    """A C literal."""
    out = ""
    for c in text:
        out += c if c.isalnum() or c in " .,;:+-*/%_=<>()[]{}|&^!#@$~'`" else f"\\{ord(c):03o}"
    return f'"{out}"'


def _word(random: Random, letters: str = "abAB12 .-", most: int = 7) -> str:
    return "".join(random.choice(letters) for _ in range(random.randint(0, most)))


def _program(body: list[str], before: str = "") -> str:
    lines = "\n".join(f"    {line}" for line in (*body, 'printf("%llx\\n", fsoft_result);', "return 0;"))
    return f"{_HEAD}{before}\nint main(void) {{\n{lines}\n}}\n"


# ------------------------------------------------------------------------------------------------- texts


def strings(random: Random) -> str:
    """Functions of string.h and ctype.h, on texts that fit."""
    body = ["char a[64], b[64], *p, *q; size_t n;"]
    for _ in range(random.randint(3, 6)):
        s, t, u = _word(random), _word(random, most=3), _word(random)
        size, c = random.randint(0, 9), random.choice("abAB12 .-")
        body.append(
            f"memset(a, '#', sizeof a); memset(b, '@', sizeof b); a[63] = b[63] = 0; strcpy(a, {_quoted(s)}); strcpy(b, {_quoted(t)});"
        )
        body.append(
            random.choice(
                [
                    "strcat(a, b);", f"strncat(a, b, {size});", f"strncpy(a + 20, b, {size});", "p = stpcpy(a + 3, b); mix(p - a);",
                    f"p = stpncpy(a + 9, b, {size}); mix(p - a);", f"n = strlcpy_(a, b, {size}); mix(n);",
                    f"p = strchr(a, '{c}'); mix(p ? p - a : 99);", f"p = strrchr(a, '{c}'); mix(p ? p - a : 99);",
                    "p = strstr(a, b); mix(p ? p - a : 99);", "p = strcasestr(a, b); mix(p ? p - a : 99);",
                    "p = strpbrk(a, b); mix(p ? p - a : 99);", "mix(strspn(a, b)); mix(strcspn(a, b));",
                    "mix(strcmp(a, b) > 0); mix(strcmp(a, b) < 0);", f"mix(strncmp(a, b, {size}) > 0); mix(strncmp(a, b, {size}) < 0);",
                    "mix(strcasecmp(a, b) > 0); mix(strcasecmp(a, b) < 0);", f"mix(strncasecmp(a, b, {size}) == 0);",
                    f"mix(strnlen(a, {size}));", f"p = memchr(a, '{c}', 20); mix(p ? p - a : 99);",
                    f"p = memrchr(a, '{c}', 20); mix(p ? p - a : 99);", f"mix(memcmp(a, b, {size}) < 0);",
                    f"memmove(a + 2, a, {size});", f"memcpy(b + 9, a, {size});",
                    f"p = memmem(a, 9, b, {min(size, 3)}); mix(p ? p - a : 99);",
                    f"p = memccpy(b + 9, a, '{c}', 9); mix(p ? p - b : 99);",
                    f"for (p = strtok(a, {_quoted(t or ' ')}); p; p = strtok(0, \" .\")) mix_text(p);",
                    "p = a; while ((q = strsep(&p, b))) mix_text(q);", "p = strdup(a); mix_text(p); free(p);",
                    f"p = strndup(a, {size}); mix_text(p); free(p);",
                    "for (p = a; *p; p++) mix(!!isalpha((unsigned char)*p) + 2 * !!ispunct((unsigned char)*p) + 4 * toupper(*p));",
                ]
            )
        )  # fmt: skip
        body.append(f"mix_text(a); mix_bytes(a, 48); mix_bytes(b, 48); mix({len(u)});")
    copy = """static size_t strlcpy_(char *to, const char *from, size_t size) {
    if (size) snprintf(to, size, "%s", from);
    return strlen(from);
}"""
    return _program(body, copy)


_NUMBERS = ("0", "1", "-1", "42", "-2147483648", "2147483647", "4294967295", "99999", "-7", "255", "8")


def _directive(random: Random) -> tuple[str, list[str]]:
    """A directive of printf and its arguments."""
    flags = "".join(flag for flag in "-+ #0" if random.random() < 0.2)
    width = random.choice(["", "", "", "5", "9", "12", "*"])
    point = random.choice(["", "", "", ".", ".0", ".3", ".7", ".*"])
    arguments = [str(random.randint(-9, 12))] if width == "*" else []
    arguments += [str(random.randint(-3, 8))] if point == ".*" else []
    kind = random.choice("ddiuxXocs%")
    if kind == "%":
        return "%%", []
    if kind == "c":
        return f"%{flags.replace('0', '').replace('#', '')}{width}c", [*arguments[: width == "*"], f"'{random.choice('abc7')}'"]
    if kind == "s":
        return f"%{flags.replace('0', '').replace('#', '')}{width}{point}s", [*arguments, _quoted(_word(random))]
    length, ctype = random.choice(
        [("", ""), ("", ""), ("l", "(long)"), ("ll", "(long long)"), ("h", ""), ("hh", ""), ("z", "(size_t)"), ("j", "(long long)")]
    )
    flags = flags.replace("#", "") if kind in "diu" else flags
    return f"%{flags}{width}{point}{length}{kind}", [*arguments, f"{ctype or '(int)'}{random.choice(_NUMBERS)}LL"]


def formats(random: Random) -> str:
    """sprintf, snprintf, asprintf and functions that hand a list on; formats that are literals and others."""
    body = ["char a[300], f[100], *p; int n;"]
    for _ in range(random.randint(3, 5)):
        text, arguments = "", []
        for _ in range(random.randint(1, 4)):
            directive, given = _directive(random)
            text += _word(random, "ab-: ", 3) + directive
            arguments += given
        form = _quoted(text)
        if random.random() < 0.3:
            body.append(f"strcpy(f, {form});")
            form = "f"
        given_text = "".join(f", {argument}" for argument in arguments)
        size = random.choice([0, 1, 5, 20, 300])
        body.append("memset(a, '#', sizeof a);")
        body.append(
            random.choice(
                [
                    f"n = sprintf(a, {form}{given_text});", f"n = snprintf(a, {size}, {form}{given_text});",
                    f"n = wrapped(a, {size}, {form}{given_text});", f"n = asprintf(&p, {form}{given_text}); mix_text(p); free(p);",
                ]
            )
        )  # fmt: skip
        body.append("mix(n); mix_bytes(a, 60);")
    wrapped = """static int wrapped(char *a, int size, const char *f, ...) {
    va_list l; int n;
    va_start(l, f); n = vsnprintf(a, size, f, l); va_end(l);
    return n;
}"""
    return _program(body, wrapped)


def scans(random: Random) -> str:
    """sscanf and the functions for numbers."""
    body = [
        "int i = 0, j = 0, n = -7, r; long l = 0; long long q = 0; unsigned u = 0; short h = 0;",
        'char w[30] = "", c = 0; double d = 0; float f = 0; char *e;',
    ]
    pieces = [
        ("%d", "&i"), ("%i", "&i"), ("%u", "&u"), ("%x", "&u"), ("%o", "&u"), ("%ld", "&l"), ("%lld", "&q"), ("%hd", "&h"), ("%3d", "&j"),
        ("%s", "w"), ("%5s", "w"), ("%c", "&c"), ("%[a-c]", "w"), ("%[^ ,]", "w"), ("%*d", ""), ("%n", "&n"), ("%lf", "&d"), ("%f", "&f"),
        ("%*s", ""), ("%%", ""),
    ]  # fmt: skip
    samples = (
        "12",
        "-7",
        "+3",
        "0x1F",
        "077",
        "0",
        "abc",
        "cab",
        "x",
        "99999999999",
        "-",
        "1.5",
        "-2.25e2",
        ".5",
        "12abc",
        "%",
        "08",
        "0x",
        "1e",
        "3.",
    )
    for _ in range(random.randint(3, 6)):
        text = "".join(random.choice(["", " ", ",", "  "]) + random.choice(samples) for _ in range(random.randint(0, 4)))
        if random.random() < 0.7:
            chosen = [random.choice(pieces) for _ in range(random.randint(1, 4))]
            form = "".join(random.choice(["", " ", ",", ""]) + directive for directive, _ in chosen)
            given = "".join(f", {argument}" for _, argument in chosen if argument)
            body.append(f"r = sscanf({_quoted(text)}, {_quoted(form)}{given}); mix(r);")
        else:
            base = random.choice([0, 10, 16, 8, 36, 2])
            body.append(
                random.choice(
                    [
                        f"l = strtol({_quoted(text)}, &e, {base}); mix(*e);", f"l = strtoul({_quoted(text)}, &e, {base}); mix(*e);",
                        f"q = strtoll({_quoted(text)}, &e, {base}); mix(*e);", f"d = strtod({_quoted(text)}, &e); mix(*e);",
                        f"i = atoi({_quoted(text)});" if len(text) < 12 else ";", f"d = atof({_quoted(text)});",
                    ]
                )
            )  # fmt: skip
        body.append(
            "mix(i); mix(j); mix(n); mix(l); mix(q); mix(u); mix(h);"
            " mix_text(w); mix(c); mix_bytes((char *)&d, 8); mix_bytes((char *)&f, 4);"
        )
    return _program(body)


def options(random: Random) -> str:
    """getopt and getopt_long over a random command line."""
    letters = random.choice(["", "+", "-", ":", "+:"]) + "".join(
        letter + random.choice(["", "", ":", "::"]) for letter in random.sample("abcdx", random.randint(1, 4))
    )
    words = (
        "-a",
        "-ab",
        "-b3",
        "-c",
        "-d",
        "x",
        "yy",
        "--",
        "-",
        "--name",
        "--name=v",
        "--na",
        "--flag",
        "--flag=1",
        "--file",
        "-xa",
        "--other",
        "--n=2",
    )
    chosen = [random.choice(words) for _ in range(random.randint(0, 7))]
    name, file = random.randint(0, 2), random.randint(0, 2)
    rows = f'{{"name", {name}, 0, \'n\'}}, {{"flag", 0, &flag, 7}}, {{"file", {file}, 0, \'f\'}}, {{"number", 1, 0, \'m\'}}, {{0, 0, 0, 0}}'
    table = f"static int flag; static struct option table[] = {{ {rows} }};"
    call = random.choice([f"getopt(count, words, {_quoted(letters)})", f"getopt_long(count, words, {_quoted(letters)}, table, &k)"])
    array = ", ".join(_quoted(word) for word in ["prog", *chosen])
    body = [
        f"char *words[] = {{ {array}, 0 }}; int count = {len(chosen) + 1}, c, k = -1, i;", "opterr = 0;",
        f"while ((c = {call}) != -1) {{ mix(c); mix(optind); mix(k); if (c == '?') mix(optopt); if (optarg) mix_text(optarg); }}",
        "mix(optind); mix(flag); for (i = 0; i < count; i++) mix_text(words[i]);",
    ]  # fmt: skip
    return _program(body, table)


# ------------------------------------------------------------------------------------------------- argument lists


def lists(random: Random) -> str:
    """Lists in loops, copied, passed on, behind pointers; arguments of all types."""
    before = """
struct pair { int x; short y; };
struct large { long v[4]; char c; };
static void take(const char *f, va_list l) {
    for (; *f; f++) switch (*f) {
    case 'i': mix(va_arg(l, int)); break;
    case 'u': mix(va_arg(l, unsigned)); break;
    case 'l': mix(va_arg(l, long)); break;
    case 'q': mix(va_arg(l, long long)); break;
    case 'd': mix((long long)(va_arg(l, double) * 8)); break;
    case 's': mix_text(va_arg(l, char *)); break;
    case 'p': { struct pair p = va_arg(l, struct pair); mix(p.x); mix(p.y); break; }
    case 'b': { struct large b = va_arg(l, struct large); mix(b.v[0] + b.v[3]); mix(b.c); break; }
    }
}
static void twice(const char *f, ...) { va_list l, k; va_start(l, f); va_copy(k, l); take(f, l); take(f, k); va_end(k); va_end(l); }
static void skip(int n, const char *f, ...) { va_list l; va_start(l, f); while (n-- > 0) mix(va_arg(l, int)); take(f, l); va_end(l); }
static void (*pointer)(const char *, ...) = twice;
"""
    values = {
        "i": ["1", "-5", "'x'", "(short)7"], "u": ["3u", "4000000000u"], "l": ["7L", "-9L"], "q": ["1LL << 40", "-3LL"],
        "d": ["1.5", "2.0f", "-0.25"],
        "s": ['"abc"', '""'], "p": ["(struct pair){ 3, 4 }"], "b": ["(struct large){ { 1, 2, 3, 4 }, 'c' }"],
    }  # fmt: skip
    body = []
    for _ in range(random.randint(2, 5)):
        kinds = "".join(random.choice("iiulqdspb") for _ in range(random.randint(0, 5)))
        given = [random.choice(values[kind]) for kind in kinds]
        if random.random() < 0.4:
            count = random.randint(0, 3)
            body.append(f"skip({', '.join([str(count), _quoted(kinds), *(str(k) for k in range(count)), *given])});")
        else:
            body.append(f"{random.choice(['twice', 'pointer'])}({', '.join([_quoted(kinds), *given])});")
    return _program(body, before)


# ------------------------------------------------------------------------------------------------- jumps


def jumps(random: Random) -> str:
    """setjmp in loops, switches and nested functions; longjmp from below with a count of how often."""
    before = """
static jmp_buf buffers[3];
static int left;
static void deep(int n, int k, int value) { int local = n; mix(local); if (n > 0) deep(n - 1, k, value); else if (left-- > 0) longjmp(buffers[k], value); mix(local); }
static int nested(int k, int value) {
    volatile int seen = 0; int r = setjmp(buffers[k]);
    mix(r); seen++; mix(seen);
    if (r < 3) deep(r + 1, k, r + value);
    return r + seen;
}
"""
    body = ["volatile int i, j = 0; int r;"]
    for _ in range(random.randint(1, 3)):
        k, depth, value, times = random.randint(0, 2), random.randint(0, 2), random.choice([0, 1, 2, 5]), random.randint(0, 3)
        body.append(f"left = {times};")
        body.append(
            random.choice(
                [
                    f"if (setjmp(buffers[{k}]) == 0) {{ j = 1; deep({depth}, {k}, {value}); j = 2; }} mix(j); mix(left);",
                    f"r = setjmp(buffers[{k}]); mix(r); if (r < 9 && left > 0) deep({depth}, {k}, r + {value});",
                    f"switch (setjmp(buffers[{k}])) {{ case 0: mix(10); deep({depth}, {k}, {value}); break; case 1: mix(11); break; default: mix(12); }}",
                    f"for (i = 0; i < 3; i++) {{ mix(i); if (!setjmp(buffers[{k}])) deep({depth}, {k}, i + {value}); else mix(50); }}",
                    f"mix(nested({k}, {value}));",
                    f"if (!setjmp(buffers[{k}])) {{ if (!setjmp(buffers[{(k + 1) % 3}])) deep(1, {k}, 2); else mix(3); }} else mix(4);",
                    f"while (sigsetjmp(buffers[{k}], 0) < 2) {{ mix(j); if (j++ > 1) break; siglongjmp(buffers[{k}], j); }}",
                ]
            )
        )
        body.append("mix(j);")
    return _program(body, before)


# ------------------------------------------------------------------------------------------------- arrays of variable length


def arrays(random: Random) -> str:
    """Arrays whose length is computed, of one and two dimensions, as parameters, in loops; sizeof; alloca."""
    before = """
static int sum(int n, const int v[n]) { int s = 0; for (int i = 0; i < n; i++) s += v[i] * (i + 1); return s; }
static int grid(int n, int m, int v[n][m]) { int s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s = s * 3 + v[i][j]; return s; }
static int recurse(int n) { int a[n + 1]; a[n] = n; a[0] = n + 1; if (n > 0) return a[n] * 2 + recurse(n - 1); mix(sizeof a); return a[0]; }
static int length(int k) { return k % 4 + 1; }
"""
    body = ["int n, m, i, j;"]
    for _ in range(random.randint(2, 4)):
        n, m = random.randint(1, 4), random.randint(1, 4)
        body.append(f"n = length({n}); m = {m};")
        body.append(
            random.choice(
                [
                    "{ int a[n]; for (i = 0; i < n; i++) a[i] = i * m; mix(sum(n, a)); mix(sizeof a); mix(sizeof a / sizeof a[0]); }",
                    "{ int a[n][m]; for (i = 0; i < n; i++) for (j = 0; j < m; j++) a[i][j] = i + 2 * j; mix(grid(n, m, a)); mix(sizeof a[0]); mix(sizeof a); }",
                    "for (i = 1; i <= n; i++) { char b[i]; memset(b, 'a' + i, sizeof b); mix(sizeof b); mix_bytes(b, i); }",
                    "mix(recurse(n - 1));",
                    "{ int a[n + m]; int *p = a + n; a[n] = 7; p[-1] = 3; mix(*p); mix(a[n - 1]); mix(&a[n] - a); }",
                    "{ int *p = alloca(n * sizeof *p); for (i = 0; i < n; i++) p[i] = i + m; mix(sum(n, p)); }",
                    "{ struct { int x; char c; } s[m]; for (i = 0; i < m; i++) { s[i].x = i; s[i].c = 'c'; } mix(s[m - 1].x + s[0].c); mix(sizeof s); }",
                    "{ int a[n][3]; int (*row)[3] = a; row[n - 1][2] = 5; mix(a[n - 1][2]); mix(sizeof *row); mix(sizeof(int[n + 1])); }",
                    "{ int k = 0, a[n]; mix(sizeof(a) + sizeof(int[k++ + 1])); mix(k); a[0] = 1; mix(a[0]); }",
                    "{ int x[n], y[m]; for (i = 0; i < n; i++) x[i] = 1; for (i = 0; i < m; i++) y[i] = 2; mix(sum(n, x) * sum(m, y)); }",
                ]
            )
        )
    return _program(body, before)


# ------------------------------------------------------------------------------------------------- inline assembly

_OPERATIONS = (
    ("add{s} %2, %0", 2), ("sub{s} %2, %0", 2), ("and{s} %2, %0", 2), ("or{s} %2, %0", 2), ("xor{s} %2, %0", 2), ("inc{s} %0", 1),
    ("dec{s} %0", 1), ("neg{s} %0", 1), ("not{s} %0", 1), ("lock; add{s} %2, %1", 2), ("lock; xadd{s} %0, %1", 2), ("xchg{s} %0, %1", 2),
    ("lock; cmpxchg{s} %2, %1", 2), ("lock; inc{s} %1", 1), ("lock; dec{s} %1", 1), ("mov{s} %2, %0", 2), ("mov{s} %1, %0", 2),
    ("cmp{s} %2, %0; {cmov} %2, %0", 2), ("sub{s} %2, %0; {set} %b0", 2), ("cmp{s} %2, %0; {set} %b0", 2), ("add{s} %2, %0; {set} %b0", 2),
    ("test{s} %2, %0; {set} %b0", 2), ("add{s} %2, %0; adc{s} $5, %0", 2), ("sub{s} %2, %0; sbb{s} $5, %0", 2), ("neg{s} %0; {set} %b0", 1),
)  # fmt: skip
_WIDE = ("rol{s} ${n}, %0", "ror{s} ${n}, %0", "shl{s} ${n}, %0", "shr{s} ${n}, %0", "sar{s} ${n}, %0", "rol{s} %b2, %0", "ror{s} %b2, %0",
         "imul{s} %2, %0", "imul{s} $7, %2, %0", "bt{s} ${n}, %0; setc %b0", "bts{s} %2, %0; setc %b0", "btr{s} ${n}, %0", "btc{s} %2, %0",
         "lock; bts{s} ${n}, %1; setc %b0", "bsf{s} %2, %0", "bsr{s} %2, %0", "popcnt{s} %2, %0", "dec{s} %0; {cmov} %2, %0")  # fmt: skip
_CODES = ("e", "ne", "c", "nc", "a", "be", "s", "ns", "o", "no", "l", "ge", "g", "le")
_VALUES = (
    "0",
    "1",
    "2",
    "7",
    "0x7f",
    "0x80",
    "0xff",
    "0x8000",
    "0x7fffffff",
    "0x80000000",
    "0xffffffff",
    "0x123456789abcdefll",
    "-1ll",
    "-5ll",
)


def instructions(random: Random) -> str:
    """Known instructions on registers and memory, with what they leave in flags; run by the real processor on the other side."""
    names = {1: "b", 2: "w", 4: "l", 8: "q"}
    types = {1: "unsigned char", 2: "unsigned short", 4: "unsigned", 8: "unsigned long"}
    body = ["int k; unsigned char bytes[80];", "for (k = 0; k < 80; k++) bytes[k] = k;"]
    for _ in range(random.randint(4, 8)):
        size = random.choice([1, 2, 4, 4, 8, 8])
        form = random.choice([text for text, _ in _OPERATIONS] + list(_WIDE) * (size >= 4))
        if "cmov" in form and size == 1:
            continue
        text = form.replace("{s}", names[size]).replace("{n}", str(random.randint(1, 8 * size - 1)))
        text = text.replace("{cmov}", f"cmov{random.choice(_CODES)}").replace("{set}", f"set{random.choice(_CODES)}")
        a, b, c = (random.choice(_VALUES) for _ in range(3))
        if "bts" in form or "btc" in form:
            c = str(random.randint(0, 8 * size - 1))
        if "bsf" in form or "bsr" in form or "rol" in form or "ror" in form:
            c = random.choice(_VALUES[1:6])
        clobber = '"cc", "memory"'
        body.append(f"{{ {types[size]} a = {a}, b = {b}, c = {c};")
        body.append(f'  __asm__ __volatile__("{text}" : "+a"(a), "+m"(b) : "c"(c) : {clobber}); mix(a); mix(b); }}')
    body += _larger(random)
    body.append("mix_bytes((char *)bytes, 80);")
    return _program(body)


def _larger(random: Random) -> list[str]:
    """Instructions with operands in registers of their own."""
    count, value, by = random.randint(0, 9), random.choice(_VALUES[1:11]), random.choice(_VALUES[1:8])
    choices = [
        f'{{ unsigned a = {value}, d; __asm__("mull %2" : "+a"(a), "=d"(d) : "r"((unsigned){by}) : "cc"); mix(a); mix(d); }}',
        f'{{ unsigned a = {value}, d = 0; __asm__("divl %2" : "+a"(a), "+d"(d) : "r"((unsigned){by}) : "cc"); mix(a); mix(d); }}',
        f'{{ int a = {value}, d; __asm__("cltd; idivl %2" : "+a"(a), "=&d"(d) : "r"((int){by} | 2) : "cc"); mix(a); mix(d); }}',
        f'{{ unsigned a = {value}; __asm__("bswap %0" : "+r"(a)); mix(a); }}',
        f'{{ unsigned a = {value}; __asm__("xchgb %b0, %h0" : "+q"(a)); mix(a); }}',
        f'{{ void *to = bytes + 3; unsigned long c = {count}; __asm__ __volatile__("cld; rep; stosb" : "+D"(to), "+c"(c) : "a"({by}) : "memory"); mix(c); }}',
        f'{{ void *to = bytes + 8; unsigned long c = {count}; __asm__ __volatile__("rep stosl" : "+D"(to), "+c"(c) : "a"({value}) : "memory"); mix(c); }}',
        f'{{ void *to = bytes, *from = bytes + 40; unsigned long c = {count}; __asm__ __volatile__("rep; movsb" : "+D"(to), "+S"(from), "+c"(c) : : "memory"); }}',
        f'{{ int a = {value}, b; __asm__("leal 4(%1,%1,2), %0" : "=r"(b) : "r"((long){count})); mix(b); mix(a); }}',
        f'{{ int b; __asm__("movl (%1), %0" : "=r"(b) : "r"(bytes + {count * 4}) : "memory"); mix(b); }}',
        f'{{ unsigned b; __asm__("movzbl %1, %0" : "=r"(b) : "q"((unsigned char){value})); mix(b); __asm__("movsbl %1, %0" : "=r"(b) : "q"((char){value})); mix(b); }}',
        f'{{ unsigned long long m = {value}; unsigned lo = {by}, hi = 0; unsigned char ok; __asm__ __volatile__("lock; cmpxchg8b %1; sete %0"'
        ' : "=q"(ok), "+m"(m), "+a"(lo), "+d"(hi) : "b"(5), "c"(6) : "memory", "cc"); mix(ok); mix(m); mix(lo); mix(hi); }',
        'mix(0); __asm__ __volatile__("mfence; lfence; sfence; pause; rep; nop" ::: "memory");',
        f'{{ long a = {value}; __asm__("" : "+r"(a)); mix(a); __asm__("" : "=r"(k) : "0"({count})); mix(k); }}',
    ]
    return random.sample(choices, 4)


KINDS: dict[str, Callable[[Random], str]] = {
    "strings": strings,
    "formats": formats,
    "scans": scans,
    "options": options,
    "lists": lists,
    "jumps": jumps,
    "arrays": arrays,
    "instructions": instructions,
}


# ------------------------------------------------------------------------------------------------- the campaign


def judge(kind: str, seed: int) -> Outcome:
    """One program, with the data model and the form of calls by turns."""
    form = replace(Options(), calls="once" if seed % 4 == 3 else "inline")
    bits = 32 if seed % 2 and kind != "instructions" else 64
    return compare(f"{kind} {seed}", KINDS[kind](Random(seed)), bits, [], form)


def main(argv: list[str]) -> int:
    count, first = (int(argv[0]) if argv else 100), (int(argv[1]) if len(argv) > 1 else 0)
    wrong = 0
    for kind in argv[2:] or KINDS:
        started, decided = time.monotonic(), 0
        for seed in range(first, first + count):
            outcome = judge(kind, seed)
            decided += outcome.agree is not None
            if outcome.agree is False:
                wrong += 1
                print(f"DISAGREE {outcome.name} -m{outcome.bits}: {outcome.detail}", flush=True)
        print(f"{kind}: {decided} decided of {count}, {time.monotonic() - started:.0f} s", flush=True)
    print(f"disagreements: {wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

"""The built-in preprocessor says what C and gcc say: the words of small programs, and where they stand."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from fsoft.frontend.preprocess import preprocess
from fsoft.frontend.source import InputError
from fsoft.frontend.tokens import Lexer

CASES = {
    "numbers are pasted": ("#define CAT(a, b) a##b\nCAT(1, 2) CAT(1.5, e3) CAT(0x1, F)\nnext", "12 1.5e3 0x1F next"),
    "nothing is pasted": (
        "#define t(x, y, z) x ## y ## z\nt(1,2,3) t(,4,5) t(6,,7) t(8,9,) t(,,) t(,11,)",
        "123 45 67 89 11",
    ),
    "a paste of an argument's end": ("#define p(a, b) a ## b\np(x y, z w)", "x yz w"),
    "__LINE__ follows #line": ('#line 100 "y.y"\n__LINE__ __FILE__\n# 7 "z.z"\n__LINE__', '100 "y.y" 7'),
    "#line from macros": ('#define N 40\n#line N "a" "b"[0] == \'b\'\n__LINE__', "40"),
    "lines after a splice": ("#line 5\\\n\n__LINE__ \\\n__LINE__", "5 6"),
    "__LINE__ of arguments": ("#define two(x, y) x y __LINE__\ntwo(__LINE__,\n\n__LINE__\n) __LINE__", "2 4 2 5"),
    "push and pop": (
        '#define A 1\n#pragma push_macro("A")\n#undef A\n#define A 2\nA\n#pragma pop_macro("A")\nA\n'
        '_Pragma("push_macro(\\"A\\")")\n#undef A\nA\n_Pragma("pop_macro(\\"A\\")") A',
        "2 1 A 1",
    ),
    "a file without a guard, twice": (
        '#define X(n) a##n\n#include "x.inc"\n#undef X\n#define X(n) #n\n#include "x.inc"',
        'aone atwo "one" "two"',
    ),
    "a file once": ('#include "once.h"\n#include "once.h"', "once"),
    "computed names": ('#define S "x.inc"\n#define X(n) n\n#include S\n#define H <once.h>\n#include H', "one two once"),
    "__VA_OPT__": ("#define F(a, ...) f(a __VA_OPT__(,) __VA_ARGS__)\n#define E\nF(1) F(1, 2) F(1, E)", "f(1) f(1, 2) f(1)"),
    "__VA_OPT__ beside # and ##": ("#define G(a, ...) #__VA_OPT__(a  b) x ## __VA_OPT__(a)\nG(1, 2) G(1)", '"1 b" x1 "" x'),
    "__COUNTER__": ("#define I(x) x x\n__COUNTER__ I(__COUNTER__) __COUNTER__", "0 1 1 2"),
    "painted names": ("#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)\n#define x x+1\nx f(x)", "2*9*g x+1 x+1*g"),
    "painted in an argument": ("#define NIL(x) x\n#define G0(a) NIL(G1)(a)\n#define G1(a) NIL(a)\nG0(42) NIL(NIL)(1)", "42 NIL(1)"),
    "a pasted name is a new one": ("#define AB CAT(A, B)\n#define CAT(a, b) a ## b\nAB", "AB"),
    "# with blanks and escapes": (
        '#define S(x) #x\nS( a  +  b /* c */ "x\\n" \'\\\'\' \'"\' ) S() S(\\n) S(a\n b) S(@) S("\\\\")',
        r'''"a + b \"x\\n\" '\\'' '\"'" "" "\n" "a b" "@" "\"\\\\\""''',
    ),
    "# of expanded arguments": (
        "#define S(x) #x\n#define X(x) S(x)\n#define E\n#define M -\n#define P(a) a\nX(-E- E) X(P( 1 )P(2)) X(M M) X(MM) X(a E b)",
        '"--" "12" "- -" "MM" "a b"',
    ),
    "the comma before nothing": (
        "#define L(f, ...) p(f, ##__VA_ARGS__)\n#define N(f, a...) p(f, ## a)\n#define V(...) p(0, ##__VA_ARGS__)\n"
        "L(1) L(1,) L(1, 2, 3) N(1) N(1, 2) V() V(4)",
        "p(1) p(1, ) p(1, 2, 3) p(1) p(1, 2) p(0) p(0, 4)",
    ),
    "a name that is not called": ("#define f(x) [x]\nf f (1) f\n(2) f\n#define g 3\n(4) (f)(5) f", "f [1] [2] f (4) (f)(5) f"),
    "a call that begins in a macro": ("#define f(x) [x]\n#define g f\n#define h f(1\n g(2) g\n(3) h) h+4)", "[2] [3] [1] [1+4]"),
    "directives in arguments": ("#define f(x) [x]\nf(1\n#ifdef f\n2\n#else\n3\n#endif\n4)", "[1 2 4]"),
    "splices anywhere": ('#def\\\nine A 1 \\\n + 2\nA "a\\\nb" in\\\nt // c \\\n more\nx /\\\n* y *\\\n/ z', '1 + 2 "ab" int x z'),
    "comments are blanks": ("#define/**/A/* x\n*/3/**/\n/* */#/* */define B 4\nA/**/B a/**/b //", "3 4 a b"),
    "digraphs": ("%:define D(x) %:x x%:%:1\nD(a) int b<:1:> = <% 2 %>;", '"a" a1 int b[1] = { 2 };'),
    "trigraphs are text": ('"??!"', '"??!"'),
    "defined from a macro": ("#define A defined(B) && !defined C\n#define B 0\n#if A\nyes\n#else\nno\n#endif", "yes"),
    "skipped groups": ("#if 0\n#if 1\nit's\n#elif )\n#else\n#endif\n#frobnicate\n#else\nyes\n#endif", "yes"),
    "taken groups": ("#if 1\nyes\n#elif 1 / 0\nno\n#else\nno\n#endif", "yes"),
    "empty arguments": ("#define z() 0\n#define o(x) <x>\nz() z( ) o() o( )", "0 0 <> <>"),
    "arguments with commas": ("#define f(a, b) a-b\n#define C ,\nf((1, 2), (3)) f(C, 4)", "(1, 2)-(3) ,-4"),
    "an included file ends a call": ('#define f(x) [x]\n#include "f.inc"\n(1)', "f (1)"),
    "the level of inclusion": ('#include "level.inc"\n__INCLUDE_LEVEL__', "1 0"),
}  # fmt: skip

FILES = {
    "x.inc": "X(one)\nX(two)\n",
    "once.h": "#pragma once\nonce\n",
    "f.inc": "f",
    "level.inc": "__INCLUDE_LEVEL__\n",
}


def words(text: str) -> list[str]:
    return [token.value for token in Lexer(text.replace("@", "`"), "t").run()]


def written(folder: Path, text: str) -> str:
    for name, content in FILES.items():
        (folder / name).write_text(content)
    path = folder / "t.c"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize("case", CASES)
def test_words(case: str, tmp_path: Path) -> None:
    text, expected = CASES[case]
    path = written(tmp_path, text)
    ours = words(preprocess(path, cpp="builtin", include=[str(tmp_path)]).text)
    assert ours == words(expected)
    if shutil.which("gcc") is not None:
        assert ours == words(preprocess(path, cpp="gcc", include=[str(tmp_path)]).text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#define C(a, b) a##b\nx C(-, 1)", ":2:3: error: pasting '-' and '1' does not give one word of C"),
        ("#define C(a, b) a##b\nC(/, /)", ":2:1: error: pasting '/' and '/'"),
        ("#define f(x) x\nf(1\n2", ":2:1: error: the call of the macro 'f' has no ')'"),
        ("#define f(x) x\n#if f(1\n)\n#endif", ":2:5: error: the call of the macro 'f' has no ')'"),
        ("#define f(x) #y", ":1: error: '#' is not followed by a parameter of the macro 'f'"),
        ("#define f ## y", ":1: error: '##' is at an end of the macro 'f'"),
        ("#define f(x, x) y", ":1: error: malformed parameters of the macro 'f'"),
        ("#define f(x", ":1: error: malformed parameters of the macro 'f'"),
        ("#define defined 1", ":1: error: 'defined' cannot be the name of a macro"),
        ("#if 1\n#else\n#else\n#endif", ":3: error: misplaced #else"),
        ("#if f(1)\n#endif", ":1: error: cannot evaluate the condition of '#if': 'f' is not a macro with arguments"),
        ("#if 1.0\n#endif", ":1: error: cannot evaluate the condition of '#if': '1.0' is not an integer"),
        ("#if ''\n#endif", ":1: error: cannot evaluate the condition of '#if': empty character constant"),
        ('#define f(x) x\nf(\n#include "x.inc"\n)', ":3: error: #include inside of the arguments of a macro"),
        ('#pragma GCC error "no"', ":1: error: #error no"),
        ('char *s = R"(x)";', ":1:11: error: raw strings are not supported"),
        ("_Pragma(1)", ":1:1: error: _Pragma needs a string in parentheses"),
    ],
)
def test_errors(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        preprocess(written(tmp_path, text), cpp="builtin")
    assert message in str(caught.value)


def test_expansions_stand_at_their_macro(tmp_path: Path) -> None:
    text = '#define f(x) <x>\n#define g f\na f(b\n) c\n  g\n (d) e; _Pragma("omp") h\n'
    tokens = Lexer(preprocess(written(tmp_path, text), cpp="builtin").text, "t").run()
    places = [(token.value, token.lineno, token.column) for token in tokens]
    assert places == [
        ("a", 3, 1), ("<", 3, 3), ("b", 3, 3), (">", 3, 3), ("c", 4, 3), ("<", 5, 3), ("d", 5, 3), (">", 5, 3), ("e", 6, 6), (";", 6, 7),
        ("omp", 6, 1), ("h", 6, 24),
    ]  # fmt: skip

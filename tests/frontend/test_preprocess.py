"""Preprocessing: places are kept, every problem is one clear error, nothing leaks to the terminal."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from fsoft.frontend.parse import ParsedFile, parse_path
from fsoft.frontend.predefined import predefined
from fsoft.frontend.preprocess import preprocess
from fsoft.frontend.source import InputError, Unsupported
from fsoft.frontend.tokens import Lexer

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


def parsed(folder: Path, text: str, **options: Any) -> ParsedFile:
    path = folder / "t.c"
    path.write_text(text)
    return parse_path(str(path), **options)


def error(folder: Path, text: str, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        parsed(folder, text, **options)
    message = str(caught.value)
    assert "\n" not in message
    return message.replace(f"{folder}{os.sep}", "")


def initial(file: ParsedFile, name: str) -> Any:
    return next(node.init for node in file.ast.ext if getattr(node, "name", None) == name)


# ---------------------------------------------------------------- places


def test_columns_are_the_users(tmp_path: Path) -> None:
    text = """#define LONG_MACRO(a) ((a) + 1000000000 + 2000000000)
#define NEG -1
int a = LONG_MACRO(1); int b = 2;
\tint c = -NEG;
/* a comment
   of two lines */ int d = 1 /* x */ + 2;
int e = LONG_MACRO(
   3); int \\
  f = 4;
"""
    file = parsed(tmp_path, text)
    places = {node.name: (node.coord.line, node.coord.column) for node in file.ast.ext}
    assert places == {"a": (3, 5), "b": (3, 28), "c": (4, 6), "d": (6, 24), "e": (7, 5), "f": (9, 3)}
    assert (initial(file, "a").coord.line, initial(file, "a").coord.column) == (3, 9)
    assert initial(file, "a").right.coord.column == 9  # all of an expansion stands where the macro's name stands
    assert (initial(file, "d").right.coord.line, initial(file, "d").right.coord.column) == (6, 40)
    assert initial(file, "c").op == "-" and initial(file, "c").expr.op == "-"  # not `--`
    assert all(node.coord.file == file.name for node in file.ast.ext)


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "h.h").write_text("#define TWO 2\nint from_header;\n")
    file = parsed(tmp_path, '#include "h.h"\nint x = TWO;\n')
    assert file.lines[file.name, 2] == "int x = TWO;"
    header = file.ast.ext[0].coord
    assert header.file.endswith("h.h") and header.line == 2 and file.lines[header.file, 2] == "int from_header;"


def test_line_directives_are_followed(tmp_path: Path) -> None:
    file = parsed(tmp_path, 'int a;\n#line 100 "gram.y"\nint b;\n\nint c;\n# 7\nint d;\n')
    assert [(node.coord.file.split(os.sep)[-1], node.coord.line) for node in file.ast.ext] == [
        ("t.c", 1), ("gram.y", 100), ("gram.y", 102), ("gram.y", 7),
    ]  # fmt: skip


def test_own_headers_are_named_in_brackets(tmp_path: Path) -> None:
    file = parsed(tmp_path, "#include <stddef.h>\nsize_t n;\n")
    assert file.ast.ext[0].coord.file == "<stddef.h>" and file.ast.ext[-1].coord.line == 2
    assert [node.name for node in file.ast.ext] == ["size_t", "n"]  # the rest of the header is not needed


# ---------------------------------------------------------------- options and macros


def test_defines_and_undefines(tmp_path: Path) -> None:
    text = "#ifndef ON\n#error off\n#endif\n#ifdef __linux__\n#error linux\n#endif\nint x = N, y = ON, z = F(2);\n"
    file = parsed(tmp_path, text, define=["ON", "N=1 + 2", "F(a)=a * 2"], undefine=["__linux__"])
    assert initial(file, "x").op == "+" and initial(file, "y").value == "1" and initial(file, "z").op == "*"
    assert "'1x' is not the name of a macro" in error(tmp_path, "int x;", define=["1x"])


def test_include_folders(tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "mine.h").write_text("int mine;\n")
    for form in ("<mine.h>", '"mine.h"'):
        assert parsed(tmp_path, f"#include {form}\n", include=[str(tmp_path / "inc")]).ast.ext[0].name == "mine"


def test_macros_expand_as_in_c(tmp_path: Path) -> None:
    text = """
#define STR(x) #x
#define XSTR(x) STR(x)
#define CAT(a, b) a ## b
#define VARIADIC(f, ...) f(0, ##__VA_ARGS__)
#define SELF SELF
#define WHERE __LINE__
char *s = XSTR(CAT(1, 2) "q");
int CAT(na, me) = WHERE;
int SELF;
int a = sizeof(VARIADIC(g)), b = sizeof(VARIADIC(g, 1, 2));
#if defined(STR) && !defined(NONE) && (1 << 3) == 8 && 'a' == 97 && NONE == 0
int yes;
#else
int no;
#endif
char *t = "??!";
"""
    file = parsed(tmp_path, text)
    assert initial(file, "s").value == r'"12 \"q\""' and initial(file, "name").value == "9"
    names = [node.name for node in file.ast.ext]
    assert "SELF" in names and "yes" in names and "no" not in names
    assert len(initial(file, "a").expr.args.exprs) == 1 and len(initial(file, "b").expr.args.exprs) == 3
    assert initial(file, "t").value == '"??!"'


@pytest.mark.parametrize("bits", [32, 64])
def test_predefined_macros(tmp_path: Path, bits: int) -> None:
    text = """
#if !defined(__FSOFT__) || !defined(__GNUC__) || __CHAR_BIT__ != 8 || __STDC_VERSION__ < 201112L
#error missing
#endif
#ifdef __LP64__
int word = 64;
#elif defined(__i386__)
int word = 32;
#endif
__SIZE_TYPE__ n;
"""
    file = parsed(tmp_path, text, bits=bits)
    assert initial(file, "word").value == str(bits)
    assert ("long" in file.ast.ext[-1].type.type.names) == (bits == 64)


@needs_gcc
@pytest.mark.parametrize("bits", [32, 64])
def test_predefined_types_and_sizes_are_gccs(bits: int) -> None:
    command = ["gcc", f"-m{bits}", "-std=gnu17", "-dM", "-E", "-x", "c", os.devnull]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    real = dict(line.removeprefix("#define ").partition(" ")[::2] for line in listed.splitlines())
    for name, value in predefined(bits).items():
        if name.endswith("_TYPE__") or name.startswith(("__SIZEOF", "__ORDER", "__ATOMIC")) or "_C(" in name:
            assert real[name] == value, name
        elif name.endswith("_MAX__") and "FLT" not in name and "DBL" not in name:
            assert int(real[name].rstrip("UL"), 0) == int(value.rstrip("UL")), name


def test_warnings_are_notes(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = parsed(tmp_path, "#warning mind this\nint x;\n")
    assert "mind this" in file.notes[0] and ":1: " in file.notes[0]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("condition", "value"),
    [
        ("1ULL && 0x10LL == 16 && 010 == 8 && 'a' == 97 && '\\n' == 10 && '\\x41' == 65", True),
        ("18446744073709551615ULL > 1 && -1 < 0 && -1 > 0u", True),
        ("(2 || 1 / 0) && !(0 && 1 % 0) && (1 ? 1 : 1 / 0)", True),
        ("-7 / 2 == -3 && -7 % 2 == -1 && (1 << 4 | 3) == 19 && (~0 & 0xff) == 255", True),
        ("1 + 2 * 3 == 7 && 10 - 4 - 3 == 3", True),
        ("__has_attribute(cold) || UNKNOWN || true || (0 && unknown(1, (2)))", False),
        ('defined __has_include && __has_include(<stdio.h>) && !__has_include("nowhere.h")', True),
        ("defined __FSOFT__ && defined(__FSOFT__) && !defined NOPE && !defined ( NOPE )", True),
        ("BIG == 2147483648u && WRAP(3) == 6", True),
        ("0x7fffffffffffffff + 1 < 0", True),
    ],
)
def test_conditions(tmp_path: Path, condition: str, value: bool) -> None:
    text = f"#define BIG (2147483647u + 1)\n#define WRAP(x) ((x) * 2)\n#if {condition}\nint yes;\n#else\nint no;\n#endif\n"
    assert parsed(tmp_path, text).ast.ext[0].name == ("yes" if value else "no")


@needs_gcc
def test_expansion_is_gccs(tmp_path: Path) -> None:
    text = r"""
#define f(x) x
#define EMPTY
#define A(x) B(x)
#define B(x) A(x) + 1
#define LIST X(a) X(b)
#define X(n) int n;
LIST
#undef X
#define X(n) enum_##n,
enum e { LIST last };
int q = f(f(1)) + f(f(f)(2)), r = A(3);
#define str(s) #s
#define xstr(s) str(s)
char *t = xstr(f(1)) str( a  b "c\n" '\0' );
#define CAT(a, b) a##b
#define XCAT(a, b) CAT(a, b)
int XCAT(v, __LINE__) = CAT(1, 2);
#define log(fmt, ...) printf(fmt, ##__VA_ARGS__)
#define log2(...) printf(__VA_ARGS__)
#define log3(fmt, args...) printf(fmt, ## args)
void g(void) { log("a"); log("a", 1, 2); log2("b", (1,2)); log3("c"); log3("c", 3); }
#define NL 1 + \
   2
#define minus -
#define plus(a) +a
#define g2 f
int m1 = minus minus 1, m2 = -minus 1, m3 = 1 minus-1, p1 = plus(+1), p2 = 1+plus(2), w = NL, z = g2(5);
char c = 'a', *d = "it's" "/*x*/" "//";
double e1 = 1.5e+3, e2 = 0x1p-3, e3 = 1e5f, e4 = .5, e5 = 100ULL, e6 = 0xfUL;
"""
    path = tmp_path / "t.c"
    path.write_text(text)
    words = [[token.value for token in Lexer(preprocess(str(path), cpp=cpp).text, "t").run()] for cpp in ("builtin", "gcc")]
    assert words[0] == words[1]


def test_expansion_without_end(tmp_path: Path) -> None:
    levels = "".join(f"#define A{i} A{i + 1} A{i + 1}\n" for i in range(40))
    assert "t.c:41: error: the macro 'A0' expands to more than" in error(tmp_path, levels + "int x = A0;\n")


# ---------------------------------------------------------------- what is wrong


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("int a;\n#include <nowhere.h>\n", "t.c:2: error: cannot find the include file <nowhere.h>"),
        ('#include "nowhere.h"\n', 't.c:1: error: cannot find the include file "nowhere.h"'),
        ("#include nonsense\n", "t.c:1: error: malformed #include"),
        ("\n#error do not\n", "t.c:2: error: #error do not"),
        ("#ifdef A\nint x;\n", "t.c:1: error: '#ifdef A' has no #endif"),
        ("int x;\n#endif\n", "t.c:2: error: misplaced #endif"),
        ("#else\n", "t.c:1: error: misplaced #else"),
        ("#elif 1\n", "t.c:1: error: misplaced #elif"),
        ("#if\n#endif\n", "t.c:1: error: "),
        ("int a;\n#if 1 +\n#endif\n", "t.c:2: error: cannot evaluate the condition of '#if': it ends too early"),
        ("#if 1 / 0\n#endif\n", "t.c:1: error: cannot evaluate the condition of '#if': it divides by zero"),
        ("#if 1 2\n#endif\n", "'2' does not belong there"),
        ("#if defined(1)\n#endif\n", "'defined' needs the name of a macro"),
        ("#ifdef\n#endif\n", "t.c:1: error: malformed preprocessor directive '#ifdef'"),
        ("#define\n", "t.c:1: error: malformed preprocessor directive '#define'"),
        ("#define F(a, b) a\nint x = F(1);\n", "t.c:2:9: error: macro F requires 2 arguments"),
        ("#frobnicate\n", "t.c:1: error: preprocessor directive '#frobnicate' is not supported"),
        ("#if 0\n#elifdef X\n#endif\n", "t.c:2: error: preprocessor directive '#elifdef' is not supported"),
        ("int a; /* never\n", "t.c:1:8: error: this comment is never closed"),
        ('int a;\nchar *s = "never\n;', "t.c:2:11: error: this string has no closing quote"),
        ("#line x\n", "t.c:1: error: #line needs a number"),
        ('#include "t.c"\n', "t.c:1: error: #include nested too deeply"),
        ("int main(void) {\n", "t.c:1:16: error: this '{' is never closed"),
    ],
)
def test_errors_have_a_place(tmp_path: Path, text: str, message: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert message in error(tmp_path, text)
    assert capfd.readouterr() == ("", "")


def test_unsupported_directives_are_named(tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match="include_next"):
        parsed(tmp_path, "#include_next <stdio.h>\n")


def test_errors_in_headers_are_placed_there(tmp_path: Path) -> None:
    (tmp_path / "h.h").write_text("int ok;\nint int;\n")
    assert error(tmp_path, '#include "h.h"\n').startswith("h.h:2:")
    (tmp_path / "h.h").write_text("/* never\n")
    assert error(tmp_path, '#include "h.h"\n').startswith("h.h:1:1: error: this comment")


def test_directives_in_comments_and_strings_are_text(tmp_path: Path) -> None:
    file = parsed(tmp_path, '/*\n#error no\n*/\nchar *s = "// not /* a comment";\n#if 0\nit\'s /* fine */\n#endif\n// \\\n#error no\n')
    assert [node.name for node in file.ast.ext] == ["s"]


def test_unknown_preprocessor(tmp_path: Path) -> None:
    assert "there is no preprocessor 'm4'" in error(tmp_path, "int x;", cpp="m4")


# ---------------------------------------------------------------- gcc


@needs_gcc
def test_gcc_with_the_system_headers(tmp_path: Path) -> None:
    text = """#include <pthread.h>
#include <assert.h>
int x; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int main(void) { pthread_mutex_lock(&m); assert(x == N); return 0; }
"""
    file = parsed(tmp_path, text, cpp="gcc", define=["N=0"])
    names = [getattr(node, "name", None) or getattr(getattr(node, "decl", None), "name", None) for node in file.ast.ext]
    assert names[-3:] == ["x", "m", "main"] and "pthread_mutex_lock" in names and "pthread_create" not in names
    assert file.ast.ext[-1].coord.line == 4 and file.lines[file.name, 4].startswith("int main")


@needs_gcc
def test_gcc_errors_are_ours(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert "t.c:2:10: error: nowhere.h: No such file" in error(tmp_path, "int a;\n#include <nowhere.h>\n", cpp="gcc")
    assert "t.c:1:2: error: #error no" in error(tmp_path, "#error no\n", cpp="gcc")
    assert capfd.readouterr() == ("", "")


def test_missing_gcc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "gcc is not installed" in error(tmp_path, "int x;", cpp="gcc")


def test_text_is_deterministic(tmp_path: Path) -> None:
    path = tmp_path / "t.c"
    path.write_text("#include <pthread.h>\n#include <stdlib.h>\nint x = EXIT_FAILURE;\n")
    assert preprocess(str(path), cpp="builtin").text == preprocess(str(path), cpp="builtin").text

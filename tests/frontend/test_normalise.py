"""Tokens: spellings, places, attributes; and what of a preprocessed text is read at all."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest
from pycparser import c_ast

from fsoft.frontend.normalise import MAX_DEPTH, normalise, plain_name
from fsoft.frontend.parse import parse_text
from fsoft.frontend.prune import needed_spans
from fsoft.frontend.source import InputError
from fsoft.frontend.tokens import Lexer


def spelt(text: str) -> list[str]:
    return [token.value for token in normalise(Lexer(text, "t.i").run())[0]]


def kinds(text: str) -> list[str]:
    return [token.type for token in normalise(Lexer(text, "t.i").run())[0]]


# ---------------------------------------------------------------- tokens


def test_longest_match() -> None:
    assert spelt("a+++b<<=c>>d->e...x") == ["a", "++", "+", "b", "<<=", "c", ">>", "d", "->", "e", "...", "x"]
    assert kinds("1.5e+3 .5 x.y 0x1p-2") == ["FLOAT_CONST", "FLOAT_CONST", "ID", "PERIOD", "ID", "FLOAT_CONST"]


def test_words_next_to_quotes() -> None:
    assert kinds("""L"a" u8"b" U'c' foo"d" u"e" L x""") == [
        "WSTRING_LITERAL", "U8STRING_LITERAL", "U32CHAR_CONST", "ID", "STRING_LITERAL", "U16STRING_LITERAL", "ID", "ID",
    ]  # fmt: skip


def test_dollar_and_other_letters_in_names() -> None:
    assert spelt("y$w_buff0 $x größe") == ["y$w_buff0", "$x", "größe"]
    assert set(kinds("y$w_buff0 $x größe")) == {"ID"}


def test_comments_and_splices_are_blank() -> None:
    assert spelt('a /* b */ c // d \n e /* \n\n */ f \\\n g "x\\\ny"') == ["a", "c", "e", "f", "g", '"xy"']


def test_places() -> None:
    tokens = Lexer('int a;\n\tint /* x\n */ b;\n# 10 "f.c"\n  c\n#line 3\nd', "t.i").run()
    where = {token.value: (token.filename, token.lineno, token.column) for token in tokens}
    assert where["a"] == ("t.i", 1, 5) and where["b"] == ("t.i", 3, 5)
    assert where["c"] == ("f.c", 10, 3) and where["d"] == ("f.c", 3, 1)


def test_markers_with_escapes() -> None:
    assert Lexer('# 1 "a\\"b\\\\c.h" 1 3 4\nx', "t.i").run()[0].filename == 'a"b\\c.h'


def test_reading_in_stretches_keeps_places() -> None:
    text = 'int a;\n# 5 "x.h" 3\nint b; int c;\nint d;\n# 2 "m.c"\nint e;'
    full = {token.value: token for token in Lexer(text, "t.i").run()}
    parts = Lexer(text, "t.i").run([(text.index("int c"), text.index("int c") + 6), (text.index("int e"), len(text))])
    assert [token.value for token in parts] == ["int", "c", ";", "int", "e", ";"]
    assert all(token == full[token.value] for token in parts if token.value in "ce")


@pytest.mark.parametrize("name", ["__packed__", "packed"])
def test_attribute_names(name: str) -> None:
    assert plain_name(name) == "packed"


def test_attributes_become_tokens() -> None:
    assert kinds("__attribute__((unused, packed, aligned(4), format(printf, 1, 2))) x")[:2] == ["GNUATTR", "GNUATTR_ARGS"]
    assert spelt("__attribute__((unused, packed, aligned(4))) x") == ["packed", "aligned", "(", "4", ")", "x"]
    assert spelt("__attribute__(()) x __attribute((__nonnull__ (1, 2))) y") == ["x", "y"]
    assert spelt('[[deprecated("a, b"), nodiscard]] x [[gnu::packed]] y') == ["x", "packed", "y"]
    assert spelt("a[b[1]] __extension__ c") == ["a", "[", "b", "[", "1", "]", "]", "c"]


def test_nesting_limit() -> None:
    spelt("(" * MAX_DEPTH + ")" * MAX_DEPTH)
    with pytest.raises(InputError, match="nested too deeply"):
        spelt("\n(" * (MAX_DEPTH + 1) + ")" * (MAX_DEPTH + 1))
    with pytest.raises(InputError, match="nested too deeply"):
        spelt("([{" * 20_000)


@pytest.mark.parametrize("text", ["__attribute__((packed", "__attribute__", "[[x", "#pragma pack(banana)", "_Pragma"])
def test_malformed_attributes_and_pragmas(text: str) -> None:
    with pytest.raises(InputError):
        spelt(text)


# ---------------------------------------------------------------- what is read

HEADER = """# 1 "m.c"
# 1 "/usr/include/a.h" 1 3 4
typedef unsigned long size_t;
typedef struct { size_t n; struct inner *p; } used_t;
typedef struct unused { int x; } unused_t;
struct inner { enum color c; };
enum color { RED, GREEN = 1 };
enum { ALONE = 7 };
extern int used_function (const used_t *__p, int) __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__nonnull__ (1)));
extern int unused_function (int, void (*) (int)) __attribute__ ((__nothrow__));
extern int first (int), second (int);
extern void (*signal (int __sig, void (*__h) (int))) (int);
static __inline unsigned int helper (unsigned int __x) { return __x ? unused_function (__x) : 0; }
static __inline unsigned int other (unsigned int __x) { return __x; }
extern int variable, array[];
typedef int fn_t (int), *ptr_t;
union __attribute__ ((packed)) u { int x; };
int old (a) int a; { return a; }
# 2 "m.c" 2
"""


NEEDED = {"used_t", "size_t", "inner", "color"}  # what mentioning used_t needs


def kept(user: str, header: str = HEADER) -> set[str]:
    found = set()
    for node in parse_text(header + user, "t.i").ast.ext:
        node_any: Any = node.decl if isinstance(node, c_ast.FuncDef) else node
        found.add(node_any.name or node_any.type.name or "anonymous")
    return found


@pytest.mark.parametrize(
    ("user", "names"),
    [
        ("int x;", set()),
        ("used_t x;", NEEDED),
        ("int x = GREEN;", {"color"}),
        ("int x = ALONE;", {"anonymous"}),
        ("int x = sizeof(struct unused);", {"unused_t"}),
        ("void x(void) { used_function(0, 1); }", {"used_function"} | NEEDED),
        ("void x(void) { second(0); }", {"first", "second"}),
        ("void x(void) { signal(1, 0); }", {"signal"}),
        ("void x(void) { helper(1); }", {"helper", "unused_function"}),
        ("void x(void) { array[0] = 1; }", {"variable", "array"}),
        ("fn_t *x;", {"fn_t", "ptr_t"}),
        ("union u x;", {"u"}),
        ("void x(void) { old(1); }", {"old"}),
    ],
)
def test_only_what_is_needed_is_read(user: str, names: set[str]) -> None:
    assert kept(user) == names | {"x"}


@pytest.mark.parametrize(
    ("declaration", "user"),
    [
        ("extern size_t (name);", "int x(void) { return name; }"),
        ("typedef size_t (name);", "name x;"),
        ("static __inline size_t (name) (void) { return 0; }", "int x(void) { return name(); }"),
        ("extern size_t (name) (int);", "int x(void) { return name(1); }"),
        ("extern size_t *(*name) (int);", "int x(void) { return *name(1); }"),
        ("__extension__ typedef size_t name;", "name x;"),
        ("size_t other, name;", "int x(void) { return name; }"),
    ],
)
def test_names_in_unusual_shapes_are_found(declaration: str, user: str) -> None:
    header = f'# 1 "m.c"\n# 1 "/usr/include/a.h" 1 3\ntypedef int size_t;\n{declaration}\n# 2 "m.c" 2\n'
    assert {"name", "size_t", "x"} <= kept(user, header)


def test_user_code_is_always_read() -> None:
    with pytest.raises(InputError, match=r"m\.c:2:1"):
        parse_text(HEADER + "unknown_t x;", "t.i")
    with pytest.raises(InputError, match=r"x\.h:1:"):
        parse_text('# 1 "m.c"\n# 1 "x.h" 1\nextern unknown_t f (int);\n# 2 "m.c" 2\nint y;', "t.i")
    assert parse_text(HEADER + "int unused(void);", "t.i").ast.ext


def test_macros_of_system_headers_in_user_code() -> None:
    text = HEADER + 'int x = \n# 2 "m.c" 3 4\n   7\n# 2 "m.c"\n   ; int y;\n'
    assert kept(text, "") == {"x", "y"}


def test_a_text_without_markers_is_the_users() -> None:
    assert needed_spans("extern int f(int); typedef int t;") is None
    with pytest.raises(InputError):
        parse_text("extern unknown_t f(int);", "t.i")


def test_glibc_without_markers_is_pruned() -> None:
    header = "\n".join(line for line in HEADER.splitlines() if not line.startswith("#") and not line.startswith("int old"))
    assert kept("\nint x; used_t y; int z = 1; struct w { int a; } v;", header) == {"x", "y", "z", "v"} | NEEDED


def test_pack_in_a_system_header_reaches_only_its_structs() -> None:
    header = '# 1 "m.c"\n# 1 "/usr/include/p.h" 1 3\n#pragma pack(push, 1)\nstruct p { int x; };\n#pragma pack(pop)\n# 2 "m.c" 2\n'
    for user, expected in (("struct q { int x; };", [[]]), ("struct p v; struct q { int x; };", [["pack"], [], []])):
        ext = parse_text(header + user, "t.i").ast.ext
        records = [node.type for node in ext if isinstance(node, c_ast.Decl)]
        found = [[a.name for a in getattr(r, "attributes", [])] for r in records]
        assert found == expected


def big_text(prototypes: int, statements: int) -> str:
    rng = random.Random(1)
    header = [
        f"extern int lib{i} (const char *__restrict __a, int __b{i}) __attribute__ ((__nothrow__ , __leaf__ , __nonnull__ (1)));"
        for i in range(prototypes)
    ]
    body = [f"  x = x + lib{rng.randrange(20)}(0, x) * {i};" for i in range(statements)]
    return "\n".join(header) + "\nint x;\nvoid f(void) {\n" + "\n".join(body) + "\n}\n"


def test_speed() -> None:
    text = big_text(4000, 100)
    start = time.perf_counter()
    parsed = parse_text(text, "t.i")
    assert time.perf_counter() - start < 1.0  # about 0.1 s on an idle core
    assert len(parsed.ast.ext) == 22

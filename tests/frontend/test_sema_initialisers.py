"""Initialisers: designators, brace elision, strings, addresses. Bytes are compared with gcc's."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.frontend import tree
from fsoft.frontend.types import DataModel, size_of
from tests.frontend.sema_tools import MODELS, agree_on_data, analyse, body, message, needs_gcc, show

TYPES = """
struct p { int x, y; };
struct q { char c; struct p p[2]; short s; };
union u { char c; int i; struct p p; };
struct b { int a:3; unsigned :2; unsigned b:7; int c; _Bool d:1; };
struct n { int h; union { int i; struct { short j, k; }; }; int l; };
struct f { int n; short a[]; };
"""
OBJECTS = {
    "a0": "int a0[5] = {1, 2};",
    "a1": "int a1[] = {[3] = 7, 8, [1] = 5, 6};",
    "a2": "int a2[2][3] = {1, 2, 3, 4};",
    "a3": "int a3[2][3] = {{1}, {2, 3}};",
    "a4": "int a4[][2] = {{1}, 2, 3, {4}};",
    "a5": "int a5[10] = {[2 ... 4] = 9, 1, [0] = 3};",
    "a6": "struct p a6[] = {1, 2, 3};",
    "a7": "struct p a7[3] = {[1].y = 4, 5, [0] = {.y = 6}};",
    "a8": "int a8[3] = {1, 2, 3, };",
    "a9": "int a9[2] = {};",
    "b0": "struct q b0 = {1, {2, 3}, 4};",
    "b1": "struct q b1 = {1, 2, 3, 4, 5, 6};",
    "b2": "struct q b2 = {.p[1] = {7}, 8, .c = 3};",
    "b3": "struct q b3 = {.p[0].y = 1, 2, 3, 4};",
    "b4": "struct q b4[2] = {{1}, {.p = {[1] = {.y = 9}}}};",
    "b5": "struct q b5 = {.p = {1, 2, 3}, .s = 5, .p[0].x = 9};",
    "c0": "union u c0 = {5};",
    "c1": "union u c1 = {.p = {1, 2}};",
    "c2": "union u c2[2] = {{.i = 0x1234}, {.p.y = 7}};",
    "d0": "struct b d0 = {-1, 100, 3, 1};",
    "d1": "struct b d1 = {.b = 255, .d = 2, .a = 5};",
    "e0": "struct n e0 = {1, 2, 3};",
    "e1": "struct n e1 = {.k = 4, .l = 5};",
    "e2": "struct n e2 = {1, {.j = 2, 3}, 4};",
    "s0": 'char s0[] = "abc";',
    "s1": 'char s1[8] = "abc";',
    "s2": 'char s2[3] = "abc";',
    "s3": 'char s3[2][4] = {"ab", "cd"};',
    "s4": 'char s4[] = {"x" "yz"};',
    "s5": 'unsigned char s5[] = "\\377\\x80z";',
    "s6": 'struct { char a[4]; int n; } s6 = {"hi", 3};',
    "s7": "char s7[] = {'a', 98, [5] = 'c'};",
    "s8": 'unsigned short s8[] = u"ab\\u20ac";',
    "s9": 'int s9[] = L"ab";',
    "g0": "int g0 = {3};",
    "g1": "char g1 = 300; ",
    "g2": "_Bool g2 = 256;",
    "g3": "unsigned long long g3 = -1;",
    "g4": "double g4[] = {1, 2.5f, 'a'};",
    "g5": "float g5 = 1;",
    "g6": "long g6 = sizeof(struct q) * 2 + 1;",
    "g7": "void *g7 = (void *)16;",
    "g8": "enum { K = 3 } g8 = K;",
    "h0": "struct p h0 = (struct p){3, 4};",
    "h1": "int h1[] = {(char)200, (unsigned char)200, ~0u};",
    "h2": "static const int N = 4; int h2 = 5;",
    "h3": "long h3 = &((struct q *)0)->p[1].y - (int *)0;",
}
WIDE_WCHAR = {"s9"}


@needs_gcc
@pytest.mark.parametrize("model", MODELS)
def test_data_agrees_with_gcc(model: DataModel, tmp_path: Path) -> None:
    names = [name for name in OBJECTS if name not in WIDE_WCHAR or model.pointer == 8]
    agree_on_data(TYPES + "\n".join(OBJECTS[name] for name in names), names, model, tmp_path)


@needs_gcc
def test_flexible_arrays_get_room(tmp_path: Path) -> None:
    text = TYPES + "struct f f0 = {2, {1, 2, 3}};"
    for model in MODELS:
        unit = analyse(text + "int main(void) { return f0.a[1]; }", model=model)
        symbol = unit.globals["f0"].symbol
        assert size_of(symbol.type) >= 10
        agree_on_data(text, ["f0"], model, tmp_path)


def test_addresses_are_constants() -> None:
    text = """
    struct s { int a; struct s *next; } x; int v[4]; int f(int); extern struct s y;
    struct s y = {1, &x}; int *p = &v[2], *q = v + 1, *r = &y.next->a + 0 * 1; int (*g)(int) = f, (*h)(int) = &f;
    unsigned long n = (unsigned long)&v[1]; char *t = "text", *u = &"text"[1]; struct s *c = &(struct s){3, &y}; int d = &v[3] - &v[1];
    int main(void) { return y.a + *p + *q + g(1) + h(1) + n + *t + *u + c->a + d; }
    """
    unit = analyse(text)
    shown = {name: show(unit.globals[name].init.items[0].value) for name in ("p", "q", "g", "h", "n", "t", "u", "d")}  # type: ignore[union-attr]
    assert shown["p"] == "PointerAdd(int *, &v, 2:int, 1, 4)"
    assert shown["g"] == shown["h"] == "&f"
    assert shown["n"] == "(unsigned long)PointerAdd(int *, &v, 1:int, 1, 4)"
    assert shown["t"] == "&b'text\\x00'" and shown["d"] == "2:int"
    assert "<literal 1>" in unit.globals
    assert "f" in unit.declared


def test_static_initialisers_must_be_constant() -> None:
    assert message("int f(void); int x = f(); int main(void) { return x; }").startswith("a.c:1:")
    assert "not constant" in message("int y, x = y; int main(void) { return x; }")
    assert "not constant" in message("int main(void) { int y = 1; static int x = y; return x; }")
    assert "not constant" in message("int main(void) { int y; static int *x = &y; return *x; }")


def test_bad_initialisers() -> None:
    assert "invalid initialiser" in message("int a[2] = 5; int main(void) { return a[0]; }")
    assert "no member named 'z'" in message("struct { int x; } a = {.z = 1}; int main(void) { return a.x; }")
    assert "exceeds" in message("int a[2] = {[2] = 1}; int main(void) { return a[0]; }")
    assert "does not fit" in message('char a[2] = "abcd"; int main(void) { return a[0]; }')
    assert "incompatible types" in message("struct { int x; } a = 1; int main(void) { return a.x; }")


def test_locals() -> None:
    items = body('int i, x = i + 1; struct p a = {i, 2}, b = a; char s[] = "ab"; int v[] = {[2] = i};', "struct p { int x, y; };")
    inits = {item.symbol.name: item.init for item in items if isinstance(item, tree.Declare)}
    assert inits["i"] is None
    assert inits["x"] is not None and not inits["x"].zero
    assert show(inits["a"]) == "Initializer([InitItem(0, int, i, None), InitItem(4, int, 2:int, None)], True)"
    assert show(inits["b"]) == "Initializer([InitItem(0, struct p, a, None)], False)"
    types = {item.symbol.name: str(item.symbol.type) for item in items if isinstance(item, tree.Declare)}
    assert types["s"] == "char[3]" and types["v"] == "int[3]"


def test_objects_that_refer_to_themselves() -> None:
    unit = analyse("struct l { struct l *next; } a = {&a}, b[] = {{&b[1]}, {b}}; int main(void) { return a.next == b[0].next; }")
    assert size_of(unit.globals["b"].symbol.type) == 8


def test_compound_literals() -> None:
    items = body("struct p *q = &(struct p){1, 2}; int *v = (int[]){1, 2, 3};", "struct p { int x, y; };")
    values = [item.init.items[0].value for item in items if isinstance(item, tree.Declare) and item.init is not None]
    literal = values[0].lvalue  # type: ignore[union-attr]
    assert isinstance(literal, tree.CompoundLiteral) and literal.symbol.address_taken and literal.symbol.storage == "local"
    assert str(values[1].lvalue.type) == "int[3]"  # type: ignore[union-attr]

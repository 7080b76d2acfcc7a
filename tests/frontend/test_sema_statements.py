"""Statements as typed C, and every error that sema reports."""

from __future__ import annotations

import pytest

from fsoft.frontend import tree
from fsoft.frontend.source import Unsupported
from tests.frontend.sema_tools import analyse, body, message, show


def test_switch_and_cases() -> None:
    items = body("switch (c) { case 1: case 'a' ... 'c': x = 1; break; { case -1:; } default: x = 2; }", "char c; int x;")
    assert show(items[0]) == (
        "Switch((int)c, Block([Case(1, 1), Case(97, 99), ExprStatement(Assignment(int, x, 1:int)), Break(), Block([Case(-1, -1)]), "
        "Default(), ExprStatement(Assignment(int, x, 2:int))]))"
    )
    unsigned = body("switch (u) { case -1: break; }", "unsigned u;")
    assert "Case(4294967295, 4294967295)" in show(unsigned)


def test_loops() -> None:
    items = body("for (int i = 0; i < 3; i++) x += i; while (x) { continue; } do x--; while (x); for (;;) break;", "int x;")
    assert show(items[0]).startswith("Block([Declare(main.i, ")
    assert show(items[1]) == "LoopStatement(while, x, Block([Continue()]), None, True)"
    assert show(items[2]).startswith("LoopStatement(do, x, ExprStatement(") and show(items[2]).endswith("None, False)")
    assert show(items[3]) == "LoopStatement(for, None, Break(), None, True)"


def test_labels_and_goto() -> None:
    items = body("if (x) out: x = 1; goto out;", "int x;")
    assert show(items[0]) == "If(x, Block([Label(out), ExprStatement(Assignment(int, x, 1:int))]), None)"
    assert show(items[1]) == "Goto(out)"


def test_returns() -> None:
    unit = analyse("char f(int x) { return x; } void g(void) { return; } int main(void) { g(); return f(3); }")
    assert show(unit.functions["f"].body) == "Block([Return((char)x)])"
    assert show(unit.functions["g"].body) == "Block([Return(None)])"


def test_scopes() -> None:
    items = body("int x = 1; { int x = 2; y = x; } y = x;", "int y;")
    inner = items[1]
    assert isinstance(inner, tree.Block) and isinstance(inner.items[1], tree.ExprStatement)
    assert inner.items[1].expr.value.symbol.unique == "main.x.2"  # type: ignore[union-attr]
    assert items[2].expr.value.symbol.unique == "main.x"  # type: ignore[union-attr]


def test_tags_in_scopes() -> None:
    text = "struct s { char c; }; struct s a; { struct s; struct s *p; struct s { int i; }; p->i = sizeof(struct s); }"
    items = body(text, "struct s { int z; };")
    assert "4:int" in show(items[-1])


def test_array_parameters_are_pointers() -> None:
    unit = analyse("int f(int n, int a[n], int b[][3], int g(int)) { return a[1] + b[1][1] + g(2); }", roots=("f",))
    assert [str(symbol.type) for symbol in unit.functions["f"].params] == ["int", "int *", "int[3] *", "int (int) *"]


def test_variable_length_arrays() -> None:
    text = "static int n = 2; int main(void) { int a[n]; a[1] = sizeof a; return *a; }"
    shown = show(analyse(text).functions["main"].body)
    assert "Declare(main.<length>, Initializer([InitItem(0, unsigned int, (unsigned int)n, None)], False), None)" in shown
    assert "Declare(main.a, Initializer([InitItem(0, int *, (int *)Call(void *, __fsoft_local_array, " in shown
    assert "Assignment(int, *PointerAdd(int *, a, 1:int, 1, 4), (int)BinaryExpr(unsigned int, *, <length>, 4:unsigned int))" in shown
    assert "is not a constant" in message("int f(void); int a[f()]; int main(void) { return a[0]; }")
    assert "is initialised" in message("int main(int n, char **v) { int a[n] = {1}; return a[0]; }")
    assert "p = p + 1" in message("int main(int n, char **v) { int a[2][n]; int (*p)[n] = a; p++; return 0; }")


ERRORS = [
    ("return y;", "", "'y' undeclared"),
    ("return countr;", "int counter;", "did you mean 'counter'?"),
    ("struct s x;", "struct s;", "'x' has incomplete type 'struct s'"),
    ("struct s *x; x->a = 1;", "", "incomplete type"),
    ("return x.b;", "struct { int a; } x;", "has no member named 'b'"),
    ("return x.b;", "int x;", "not a struct or union"),
    ("return x();", "int x;", "not a function"),
    ("return f(1);", "int f(int, int);", "too few arguments to function 'f': 2 expected, 1 given"),
    ("return f(1, 2, 3);", "int f(int, int);", "too many arguments"),
    ("f(1);", "int f(int, ...); int g(void); ", None),
    ("3 = 4;", "", "not an lvalue"),
    ("f() = 4;", "int f(void);", "not an lvalue"),
    ("a = b;", "int a[2], b[2];", "assignment to an expression of type 'int[2]'"),
    ("x = y;", "struct a { int i; } x; struct b { int i; } y;", "incompatible types when assigning"),
    ("x = 1;", "struct a { int i; } x;", "incompatible types when assigning"),
    ("int x = f();", "void f(void);", "void value"),
    ("return f() + 1;", "void f(void);", "void value"),
    ("p = 1.5;", "int *p;", "incompatible types"),
    ("return *x;", "int x;", "a pointer is required"),
    ("return p * 2;", "int *p;", "invalid operands to '*'"),
    ("return 1.5 % 2;", "", "invalid operands to '%'"),
    ("return ~1.5;", "", "invalid operand to unary '~'"),
    ("return x + 1;", "struct { int i; } x;", "invalid operands to '+'"),
    ("if (x) return 1;", "struct { int i; } x;", "a scalar is required"),
    ("int x; int x;", "", "redeclaration of 'x'"),
    ("a: a: return 0;", "", "duplicate label 'a'"),
    ("goto a;", "", "label 'a' used but not defined"),
    ("break;", "", "break outside of a loop"),
    ("switch (1) { continue; }", "", "continue outside of a loop"),
    ("case 1: return 0;", "", "case label outside of a switch"),
    ("switch (1) { case 1: case 1: ; }", "", "duplicate case value 1"),
    ("switch (1) { case 1 ... 4: case 3: ; }", "", "duplicate case value 3"),
    ("switch (1) { default: default: ; }", "", "second default"),
    ("switch (1.5) { }", "", "an integer is required"),
    ("switch (1) { case x: ; }", "int x;", "case label is not an integer constant"),
    ("int a[-1];", "", "size of 'a' is negative"),
    ("void x;", "", "declared void"),
    ("return sizeof(struct s);", "struct s;", "incomplete type"),
    ("&3;", "", "cannot take the address"),
    ("&x.b;", "struct { int b:3; } x;", "cannot take the address of bit-field 'b'"),
    ("sizeof x.b;", "struct { int b:3; } x;", "sizeof of bit-field"),
    ("(struct s)x;", "struct s { int i; }; int x;", "not a scalar type"),
    ("(int)x;", "struct s { int i; } x;", "cast of a value"),
    ("(float)p;", "int *p;", "cast between"),
    ("f(x);", "struct s { int i; } x; int f(int);", "incompatible types when passing argument 1 of function 'f'"),
    ("return x;", "struct s { int i; } x;", "incompatible types when returning"),
    ("p++;", "struct s *p;", "incomplete type 'struct s'"),
    ("x ? y : z;", "int x, *y; struct { int i; } z;", "do not go together"),
    ("return _Generic(1.5, int: 1);", "", "no association"),
    ("_Static_assert(1 == 2, \"no luck\");", "", "static assertion failed: no luck"),
    ("struct s { int a; int a; } x;", "", "duplicate member 'a'"),
    ("struct s { int a; }; struct s { int b; };", "", "redefinition of 'struct s'"),
    ("struct s { int a:40; } x;", "", "exceeds its type"),
    ("struct s { float a:4; } x;", "", "not an integer type"),
    ("struct s { struct s x; } y;", "", "incomplete type 'struct s'"),
    ("struct s x; union s y;", "struct s { int i; };", "is not a union"),
    ("enum { A, A } x;", "", "redeclaration of 'A'"),
    ("enum { A = x } y;", "int x;", "not an integer constant"),
    ("int x = {1, .a = 2}.a;", "", "error"),
    ("T x;", "int T;", "error"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "declarations", "expected"), ERRORS, ids=[row[0] for row in ERRORS])
def test_errors_say_what_and_where(text: str, declarations: str, expected: str | None) -> None:
    source = f"{declarations}\nint main(void) {{\n  {text}\n}}\n"
    if expected is None:
        analyse(source)
        return
    found = message(source)
    assert expected in found and "\n" not in found
    assert found.startswith("a.c:3:"), found


UNSUPPORTED = [
    ("_Complex double x;", "", "_Complex"),
    ("int x __attribute__((vector_size(16)));", "", "vector_size"),
    ("return *(int *)__builtin_return_address(0);", "", "__builtin_return_address"),
]


@pytest.mark.parametrize(("text", "declarations", "expected"), UNSUPPORTED, ids=[row[0] for row in UNSUPPORTED])
def test_what_is_not_supported_is_named(text: str, declarations: str, expected: str) -> None:
    with pytest.raises(Unsupported, match=expected):
        analyse(f"{declarations}\nint main(void) {{ {text} }}")
    analyse(f"{declarations}\nvoid dead(void) {{ {text} }} int main(void) {{ return 0; }}")  # not reached: no matter

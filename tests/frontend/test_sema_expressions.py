"""Typing and conversions of expressions that are not constant."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.frontend import tree
from fsoft.frontend.types import ILP32, LP64, DataModel
from tests.frontend.sema_tools import MODELS, agree_on_constants, analyse, body, expression, message, needs_gcc, show

DECLARATIONS = """
char c; unsigned char uc; short s; int i, j; unsigned u; long l; unsigned long ul; long long ll; _Bool b; float f; double d;
int *p, *q; char *t; void *v; int a[4], m[2][3]; struct s { int x; char y[3]; int k:3; unsigned n:9; } r, *rp; struct s g(void);
int h(int, char); int old(); void n(void); int (*fp)(int, char); int var(const char *, ...); enum e { A, B } en;
_Atomic int at; _Atomic int *ap; struct { _Atomic int z; int w; } as; _Atomic int aa[3]; union w { int i; float f; } un;
"""
ROWS = [
    ("i = c + s", "Assignment(int, i, BinaryExpr(int, +, (int)c, (int)s))"),
    ("u = u + i", "Assignment(unsigned int, u, BinaryExpr(unsigned int, +, u, (unsigned int)i))"),
    ("ll = ul + i", "Assignment(long long, ll, (long long)BinaryExpr(unsigned long, +, ul, (unsigned long)i))"),
    ("i = c << l", "Assignment(int, i, BinaryExpr(int, <<, (int)c, l))"),
    ("i = f < i", "Assignment(int, i, BinaryExpr(int, <, f, (float)i))"),
    ("c = i", "Assignment(char, c, (char)i)"),
    ("b = i", "Assignment(_Bool, b, (_Bool)i)"),
    ("b = p", "Assignment(_Bool, b, (_Bool)p)"),
    ("i = !d", "Assignment(int, i, UnaryExpr(int, !, d))"),
    ("i = ~c", "Assignment(int, i, UnaryExpr(int, ~, (int)c))"),
    ("c += 300", "CompoundAssign(char, +, c, 300:int, int, 0, False)"),
    ("i += d", "CompoundAssign(int, +, i, d, double, 0, False)"),
    ("uc <<= ll", "CompoundAssign(unsigned char, <<, uc, ll, int, 0, False)"),
    ("u /= ll", "CompoundAssign(unsigned int, /, u, ll, long long, 0, False)"),
    ("p += c", "CompoundAssign(int *, +, p, (int)c, int *, 4, False)"),
    ("p++", "CompoundAssign(int *, +, p, 1:int, int *, 4, True)"),
    ("--b", "CompoundAssign(_Bool, -, b, 1:int, int, 0, False)"),
    ("f++", "CompoundAssign(float, +, f, 1.0:float, float, 0, True)"),
    ("r.k += 1", "CompoundAssign(int, +, r.k, 1:int, int, 0, False)"),
    ("i = a[2]", "Assignment(int, i, *PointerAdd(int *, &a, 2:int, 1, 4))"),
    ("i = 2[a]", "Assignment(int, i, *PointerAdd(int *, &a, 2:int, 1, 4))"),
    ("i = *a", "Assignment(int, i, *&a)"),
    ("i = m[1][2]", "Assignment(int, i, *PointerAdd(int *, &*PointerAdd(int[3] *, &m, 1:int, 1, 12), 2:int, 1, 4))"),
    ("p = &a[i]", "Assignment(int *, p, PointerAdd(int *, &a, i, 1, 4))"),
    ("p = &*q", "Assignment(int *, p, q)"),
    ("i = *&j", "Assignment(int, i, j)"),
    ("p = q - i", "Assignment(int *, p, PointerAdd(int *, q, i, -1, 4))"),
    ("p = i + q", "Assignment(int *, p, PointerAdd(int *, q, i, 1, 4))"),
    ("i = p - q", "Assignment(int, i, PointerDiff(int, p, q, 4))"),
    ("v = (char *)v + 1", "Assignment(void *, v, (void *)PointerAdd(char *, (char *)v, 1:int, 1, 1))"),
    ("v = v + 1", "Assignment(void *, v, PointerAdd(void *, v, 1:int, 1, 1))"),
    ("i = p == 0", "Assignment(int, i, BinaryExpr(int, ==, p, 0:int *))"),
    ("i = 0 != v", "Assignment(int, i, BinaryExpr(int, !=, 0:void *, v))"),
    ("i = p < (int *)v", "Assignment(int, i, BinaryExpr(int, <, p, (int *)v))"),
    ("i = a == 0", "Assignment(int, i, 0:int)"),
    ("i = p && d", "Assignment(int, i, Logical(int, &&, p, d))"),
    ("i = 0 && h(1, 2)", "Assignment(int, i, 0:int)"),
    ("p = i ? p : 0", "Assignment(int *, p, Conditional(int *, i, p, 0:int *))"),
    ("v = i ? p : v", "Assignment(void *, v, Conditional(void *, i, (void *)p, v))"),
    ("d = i ? c : f", "Assignment(double, d, (double)Conditional(float, i, (float)(int)c, f))"),
    ("i ? n() : (void)0", "Conditional(void, i, Call(void, n, []), (void)0:int)"),
    ("r = i ? r : *rp", "Assignment(struct s, r, Conditional(struct s, i, r, *rp))"),
    ("i = rp->x", "Assignment(int, i, *rp.x)"),
    ("i = g().x", "Assignment(int, i, Call(struct s, g, []).x)"),
    ("rp->k = 9", "Assignment(int, *rp.k, 9:int)"),
    ("i = r.n + 1", "Assignment(int, i, BinaryExpr(int, +, (int)r.n, 1:int))"),
    ("h(c, i)", "Call(int, h, [(int)c, (char)i])"),
    ("old(c, f)", "Call(int, old, [(int)c, (double)f])"),
    ('var("x", c, f, a)', "Call(int, var, [&b'x\\x00', (int)c, (double)f, &a])"),
    ("(*fp)(1, 2)", "Call(int, fp, [1:int, 2:char])"),
    ("fp(1, 2)", "Call(int, fp, [1:int, 2:char])"),
    ("(&h)(1, 2)", "Call(int, h, [1:int, 2:char])"),
    ("(***h)(1, 2)", "Call(int, h, [1:int, 2:char])"),
    ("fp = h", "Assignment(int (int, char) *, fp, &h)"),
    ("i = (c, d, j)", "Assignment(int, i, Comma(int, Comma(double, c, d), j))"),
    ("i = en + 1", "Assignment(int, i, (int)BinaryExpr(unsigned int, +, (unsigned int)en, 1:unsigned int))"),
    ("i = A + B", "Assignment(int, i, 1:int)"),
    ("i = sizeof(h(1, 2))", "Assignment(int, i, 4:int)"),
    ("d = 1", "Assignment(double, d, 1.0:double)"),
    ("f = 0.1", "Assignment(float, f, 0.10000000149011612:float)"),
    ("i = (char)j", "Assignment(int, i, (int)(char)j)"),
    ("u = -1", "Assignment(unsigned int, u, 4294967295:unsigned int)"),
    ("p = (int *)-1", "Assignment(int *, p, 4294967295:int *)"),
    ("un = (union w){.f = i}", "Assignment(union w, un, CompoundLiteral(union w, main.<literal>, "
     "Initializer([InitItem(0, float, (float)i, None)], True)))"),
    ("i = ({ int z = j; z + 1; })", "Assignment(int, i, StatementExpr(int, Block([Declare(main.z, "
     "Initializer([InitItem(0, int, j, None)], False), None)]), BinaryExpr(int, +, z, 1:int)))"),
    ("i = __builtin_expect(j == 1, 0)", "Assignment(int, i, (int)(long)BinaryExpr(int, ==, j, 1:int))"),
    ("i = _Generic(a, int *: 1, default: 2)", "Assignment(int, i, 1:int)"),
    ("i = _Generic(c, int: 1, char: 2)", "Assignment(int, i, 2:int)"),
    ("i = b ?: 3", "Assignment(int, i, StatementExpr(int, Block([Declare(main.<condition>, "
     "Initializer([InitItem(0, _Bool, b, None)], False), None)]), Conditional(int, <condition>, (int)<condition>, 3:int)))"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), ROWS, ids=[row[0] for row in ROWS])
def test_typed_expressions(text: str, expected: str) -> None:
    assert show(expression(text, DECLARATIONS)) == expected


def test_atomic_objects_are_recognised() -> None:
    def target(text: str) -> tree.TypedExpr:
        expr = expression(text, DECLARATIONS)
        assert isinstance(expr, (tree.Assignment, tree.CompoundAssign))
        return expr.target

    direct, through, member, element = target("at = 1"), target("*ap += 1"), target("as.z = 1"), target("aa[1]++")
    assert isinstance(direct, tree.VariableExpr) and direct.symbol.atomic
    assert isinstance(through, tree.Deref) and through.atomic
    assert isinstance(member, tree.MemberExpr) and member.field.atomic
    assert isinstance(element, tree.Deref) and element.atomic
    plain, cast, address = target("as.w = 1"), target("*(int *)ap = 1"), target("*&at = 1")
    assert isinstance(plain, tree.MemberExpr) and not plain.field.atomic
    assert isinstance(cast, tree.Deref) and not cast.atomic
    assert isinstance(address, tree.VariableExpr) and address.symbol.atomic


def test_typedef_atomic_and_volatile() -> None:
    unit = analyse("typedef _Atomic int A; A x, *p; volatile int y; _Atomic(int) z; int main(void) { return x + y + *p + z; }")
    symbols = {name: item.symbol for name, item in unit.globals.items()}
    assert symbols["x"].atomic and symbols["z"].atomic and not symbols["y"].atomic
    assert symbols["y"].volatile and not symbols["p"].atomic
    assert symbols["p"].type.atomic  # type: ignore[union-attr]


def test_address_taken_only_when_it_is() -> None:
    text = "int a, b, c, d[2]; struct { int x; } s; int *p = &a; p = &s.x; b = c; p = d; sizeof(&c); typeof(&b) q = p;"
    taken = {item.symbol.name: item.symbol.address_taken for item in body(text) if isinstance(item, tree.Declare)}
    assert taken == {"a": True, "b": False, "c": False, "d": True, "s": True, "p": False, "q": False}


def test_arrays_in_returned_structs_are_kept() -> None:
    expr = expression("i = g().y[1]", DECLARATIONS)
    assert "CompoundLiteral(struct s, main.<value>" in show(expr)


def test_atomic_builtins_take_their_type_from_the_pointer() -> None:
    declarations = "long long x; int *p; int **pp; unsigned char c; struct { int a, b; } s, o;"
    rows = {
        "__atomic_fetch_add(&x, 1, 5)": ("long long", "long long (long long *, long long, int)"),
        "__atomic_load_n(&c, 0)": ("unsigned char", "unsigned char (unsigned char *, int)"),
        "__atomic_compare_exchange_n(&c, &c, 1, 0, 5, 5)": (
            "_Bool", "_Bool (unsigned char *, unsigned char *, unsigned char, _Bool, int, int)"),
        "__sync_fetch_and_sub(p, 1)": ("int", "int (int *, int)"),
        "__sync_bool_compare_and_swap(p, 0, 1)": ("_Bool", "_Bool (int *, int, int)"),
        "__atomic_fetch_add(pp, 4, 5)": ("int *", "int * (int * *, int, int)"),
        "__atomic_load(&s, &o, 5)": ("void", "void (struct <anonymous> *, struct <anonymous> *, int)"),
        "__sync_synchronize()": ("void", "void (void)"),
        "__atomic_exchange_4(p, 3, 5)": ("int", "int (int *, int, int)"),
        "__c11_atomic_fetch_add(pp, 2, 5)": ("int *", "int * (int * *, int, int)"),
        "__builtin_add_overflow(c, x, p)": ("_Bool", "_Bool (unsigned char, long long, int *)"),
        "__builtin_popcountll(x)": ("int", "int (unsigned long long)"),
        "__builtin_unreachable()": ("void", "void (void)"),
    }  # fmt: skip
    for text, (result, ctype) in rows.items():
        call = expression(text, declarations)
        assert isinstance(call, tree.Call) and str(call.type) == result, text
        assert str(call.callee.type) == ctype, text
    scaled = expression("__c11_atomic_fetch_add(pp, 2, 5)", declarations)
    assert isinstance(scaled, tree.Call) and show(scaled.args[1]) == "8:int"
    sized = expression("__atomic_exchange_4(p, 3, 5)", declarations)
    assert isinstance(sized, tree.Call) and show(sized.callee) == "__atomic_exchange_n"


def test_size_types_of_the_data_models() -> None:
    for model, size, difference in ((ILP32, "unsigned int", "int"), (LP64, "unsigned long", "long")):
        assert str(expression("x = sizeof y", "unsigned long long x; int y;", model=model).type) == "unsigned long long"
        typed = expression("p - p", "int *p;", model=model)
        assert str(typed.type) == difference
        assert show(expression("f(sizeof p)", "int f(); int *p;", model=model)).endswith(f":{size}])")


def test_statement_expressions_can_nest() -> None:
    assert expression("x = ({ ({ 3; }); })", "int x;").type == expression("x = 1", "int x;").type


def test_long_sums_do_not_nest_the_analysis() -> None:
    total = "+".join(["x"] * 5000)
    assert isinstance(expression(f"y = {total}", "int x, y;"), tree.Assignment)


def test_long_double_is_said_to_be_computed_as_double() -> None:
    unit = analyse("int main(void) { double d = 1.5L; return d > 1; }")
    assert "long double is computed as double" in unit.notes


def test_builtins_that_are_library_functions() -> None:
    def library(name: str) -> str | None:
        return "void *memset(void *p, int c, unsigned long n) { return p; }" if name == "memset" else None

    call = expression("__builtin_memset(x, 0, 4)", "char x[4];", library=library)
    assert isinstance(call, tree.Call) and show(call.callee) == "memset"
    assert "'__builtin_frobnicate'" in message("int main(void) { return __builtin_frobnicate(1); }")


@needs_gcc
@pytest.mark.parametrize("model", MODELS)
def test_generic_selections_agree_with_gcc(model: DataModel, tmp_path: Path) -> None:
    """The type of a value has no qualifiers; those of what it points to count."""
    text = """
int i; const int ci = 1; volatile int vi; _Atomic int ai; char *s; const char *cs; char *const sc; volatile char *vs;
const volatile char *cvs; const int ca[3]; int a[2][3]; struct t { int m; const int cm; int arr[2]; char *p; } t; const struct t ct;
const char **ccs; const char *const *ccc; int f(void); int (*fp)(void); const char *g(void); void *v; const void *cv;
typedef const char cc; cc *tp; _Atomic int *ap; enum e { A } e;
"""
    controls = (
        "i|ci|vi|ai|s|cs|sc|vs|cvs|ca|a|a[0]|&i|&ci|&vi|&ai|&t|&ct|&t.m|&t.cm|&ct.m|t.arr|ct.arr|ct.p|ccs|ccc|*ccs|*ccc|f|fp|&f|*f|g()"
        '|v|cv|tp|ap|&s|&cs|&sc|"x"|(const char *)s|(char *)cs|(const int)1|i ? s : cs|i ? v : cs|i ? 0 : cs|cs + 1|&cs[1]|*&cs|(cs, s)'
        "|&a[1]|&ca|(const int[]){1}|&(const int){1}|1 ? ci : i|ci + 0|(char)1|'a'|A|e|+e|cs - cs|!cs|sizeof i|1L|1u|t.m|ct.cm|(s = 0)|i++"
    )
    types = (
        "int|const int *|int *|volatile int *|char *|const char *|volatile char *|const volatile char *|const int|volatile int|struct t *"
        "|const struct t *|const char **|const char *const *|char **|char *const *|int (*)(void)|void *|const void *|int (*)[3]"
        "|const int (*)[3]|int[3]|char|unsigned|long|unsigned long|_Atomic int|_Atomic int *|long long|const struct t"
    )
    choices = ", ".join(f"{name}: {number}" for number, name in enumerate(types.split("|"), 1))
    few = "const char *: 1, int: 2, const int *: 3, default: 0"
    expressions = [f"_Generic({control}, {choice})" for control in controls.split("|") for choice in (f"{choices}, default: 99", few)]
    agree_on_constants(expressions, text, model, tmp_path)

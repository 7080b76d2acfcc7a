"""Constants: literals, promotions, folding. Values and types are compared with gcc's in both data models."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from fsoft.frontend import tree
from fsoft.frontend.types import ILP32, LP64, DataModel
from tests.frontend.sema_tools import MODELS, agree_on_constants, agree_on_data, body, constants, expression, needs_gcc, show

LITERALS = (
    "0", "1", "2147483647", "2147483648", "4294967295", "4294967296", "9223372036854775807", "0x7fffffff", "0x80000000", "0xffffffff",
    "0x100000000", "0x7fffffffffffffff", "0x8000000000000000", "017", "037777777777", "0b1011", "1u", "4294967296u", "1l", "2147483648l",
    "0x80000000l", "1ul", "1ll", "0x8000000000000000ll", "1ull", "1LU", "1uLL", "'a'", "'\\n'", "'\\0'", "'\\377'", "'\\x80'", "'ab'",
    "'abcd'", "L'a'", "'\\''", "'\"'", "u'x'", "U'x'", "'\\e'", "L'\\xffff'",
)  # fmt: skip
TYPE_NAMES = (
    "_Bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long", "long long",
    "unsigned long long",
)  # fmt: skip
KIND = (
    "_Generic((x), int: 1, unsigned: 2, long: 3, unsigned long: 4, long long: 5, unsigned long long: 6, float: 7, double: 8, "
    "long double: 9, char: 10, signed char: 11, unsigned char: 12, short: 13, unsigned short: 14, _Bool: 15, default: 16)"
)


def kind(text: str) -> str:
    """An expression for the type of an expression, as a number."""
    return KIND.replace("(x)", f"({text})", 1)


@needs_gcc
@pytest.mark.parametrize("model", MODELS)
def test_literals_agree_with_gcc(model: DataModel, tmp_path: Path) -> None:
    agree_on_constants([*LITERALS, *map(kind, LITERALS)], "", model, tmp_path)


@needs_gcc
@pytest.mark.parametrize("model", MODELS)
def test_types_of_operators_agree_with_gcc(model: DataModel, tmp_path: Path) -> None:
    names = (*TYPE_NAMES, "float", "double")
    pairs = [(a, b) for a in names for b in names]
    expressions = [kind(f"({a})1 {op} ({b})1") for a, b in pairs for op in ("+", "<")]
    expressions += [kind(f"1 ? ({a})1 : ({b})1") for a, b in pairs]
    expressions += [kind(f"({a})1 << ({b})1") for a in TYPE_NAMES for b in TYPE_NAMES]
    expressions += [kind(f"{op}({a})1") for a in TYPE_NAMES for op in ("-", "~", "!", "+")]
    agree_on_constants(expressions, "", model, tmp_path)


@needs_gcc
@pytest.mark.parametrize("model", MODELS)
def test_bit_field_promotions_agree_with_gcc(model: DataModel, tmp_path: Path) -> None:
    text = "struct s { int a:5; unsigned b:5; unsigned c:32; int d:32; _Bool e:1; unsigned short f:16; char g:4; } x; "
    members = "abcdefg"
    expressions = [kind(f"{op}x.{name}") for name in members for op in ("+", "-", "~", "!")]
    expressions += [kind(f"x.{name} + 1u") for name in members] + [kind(f"x.{name} << 1") for name in members]
    expressions += [kind(f"(x.{name} = 1) + 0") for name in members] + [kind(f"x.{name}++ + 0") for name in members]
    expressions += [kind(f"1 ? x.{name} : x.{name}") for name in "cd"]
    agree_on_constants(expressions, text, model, tmp_path)


def _value(rng: random.Random) -> str:
    if rng.random() < 0.2:
        return rng.choice(LITERALS)
    number = rng.choice((0, 1, 2, 3, 7, 127, 128, 255, 256, 32767, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, rng.getrandbits(40)))
    name = rng.choice(TYPE_NAMES)
    return f"(({name}){'-' * (rng.random() < 0.3)}{number:#x}ull)"


def _expression(rng: random.Random, depth: int) -> str:
    if depth == 0:
        return _value(rng)
    inner = [_expression(rng, depth - 1) for _ in range(3)]
    shape = rng.randrange(8)
    if shape == 0:
        return f"({rng.choice(('-', '~', '!', '+'))}{inner[0]})"
    if shape == 1:
        return f"(({rng.choice(TYPE_NAMES)}){inner[0]})"
    if shape == 2:
        return f"({inner[0]} ? {inner[1]} : {inner[2]})"
    if shape == 3:
        return f"({inner[0]} {rng.choice(('<<', '>>'))} ({inner[1]} & 31))"
    if shape == 4:
        return f"({inner[0]} {rng.choice(('/', '%'))} ({inner[1]} | 1))"
    op = rng.choice(("+", "-", "*", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||"))
    return f"({inner[0]} {op} {inner[1]})"


@needs_gcc
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("seed", range(4))
def test_random_expressions_agree_with_gcc(model: DataModel, seed: int, tmp_path: Path) -> None:
    """Data, not _Static_assert: gcc calls an expression that overflows no constant there, but still initialises with it."""
    rng = random.Random(seed)
    texts = [_expression(rng, rng.randint(1, 4)) for _ in range(150)]
    objects = [f"unsigned long long v{i} = {text};" for i, text in enumerate(texts)]
    objects += [f"int k{i} = {kind(text)};" for i, text in enumerate(texts)]
    names = [f"{prefix}{i}" for prefix in "vk" for i in range(len(texts))]
    agree_on_data("\n".join(objects), names, model, tmp_path)


@needs_gcc
@pytest.mark.parametrize("model", MODELS)
def test_floating_constants_agree_with_gcc(model: DataModel, tmp_path: Path) -> None:
    values = (
        "1.5", "0.1", "0.1f", "1e10", ".5", "5.", "1e-45f", "3.4028236e38f", "16777217.0f", "1e308", "0x1.8p3", "0x1p-149f", "1.0f/3",
        "1.0/3", "0.1f + 0.2f", "0.1 + 0.2", "(float)0.1 * 3", "(float)16777217", "(float)0x7fffffff7fffffffLL",
        "(double)0x7fffffffffffffffLL",
        "1/2.0", "-0.0", "1e400", "1.0000000596046448f", "(float)33554435", "7u * 0.5f", "1e39f", "-(1.0f)", "1 ? 2 : 3.5", "'a' * 1.5",
    )  # fmt: skip
    objects = [f"double d{i} = {text}; float f{i} = {text};" for i, text in enumerate(values)]
    names = [f"{prefix}{i}" for prefix in "df" for i in range(len(values))]
    agree_on_data("\n".join(objects), names, model, tmp_path)
    casts = ["(int)1.9", "(int)-1.9", "(unsigned char)200.7", "(_Bool)0.5", "(_Bool)0.0", "(long long)1e15"]
    casts += ["1.5 > 1", "!0.5", "1.0 && 2.0f"]
    agree_on_constants(casts, "", model, tmp_path)


@needs_gcc
@pytest.mark.parametrize("model", MODELS)
def test_sizes_of_expressions_agree_with_gcc(model: DataModel, tmp_path: Path) -> None:
    text = "struct s { char c[5]; struct { int k; } m[3]; } x, *p; int a[3][4]; char *f(int); typedef int row[4];"
    expressions = [
        "sizeof a", "sizeof a[0]", "sizeof a[0][0]", "sizeof *a", "sizeof &a", "sizeof(a + 0)", "sizeof x", "sizeof p->m", "sizeof *p",
        "sizeof x.c", "sizeof f(1)", "sizeof *f(1)", 'sizeof "hello"', 'sizeof L"hello"', "sizeof('a')", "sizeof(char)", "sizeof(row)",
        "sizeof(1 ? (short)1 : (char)2)", "sizeof((char)1, (short)2)", "sizeof(row[3])", "sizeof(int (*)[4])", "sizeof((struct s){{0}})",
        "sizeof((int[]){1, 2, 3})", 'sizeof("a" "bc")', "sizeof(sizeof 1)", "sizeof(&a[1] - &a[0])", "_Alignof(struct s)",
        "__builtin_offsetof(struct s, m[2].k)", "(unsigned long)&((struct s *)0)->m[1]", "(long)&((char (*)[10])0)[3][2]",
        "sizeof(typeof(a[0]))", "__builtin_types_compatible_p(int[], int[3])", "__builtin_types_compatible_p(int, long)",
        "__builtin_types_compatible_p(char *, signed char *)", "__builtin_choose_expr(1, 7, (void)0)", "__builtin_popcount(0xff0f)",
        "__builtin_clz(1)", "__builtin_ctzll(0x100000000ull)", "__builtin_ffs(0)", "__builtin_bswap32(0x11223344)", "__builtin_parity(7)",
        "__builtin_clrsb(-1)", "__builtin_constant_p(3 + 4)", "__builtin_expect(3, 1)", "sizeof(__builtin_expect(1, 1))",
    ]  # fmt: skip
    agree_on_constants(expressions, text, model, tmp_path)


def test_undefined_arithmetic_is_left_for_run_time() -> None:
    assert isinstance(expression("2147483647 + 1 + x", "int x;"), tree.BinaryExpr)
    assert show(expression("x = 2147483647 + 1", "int x;")).endswith("BinaryExpr(int, +, 2147483647:int, 1:int))")
    assert "BinaryExpr(int, /, 1:int, 0:int)" in show(expression("x = 1 / 0", "int x;"))
    assert "BinaryExpr(int, <<, 1:int, 40:int)" in show(expression("x = 1 << 40", "int x;"))
    assert "Unary" in show(expression("x = -(-2147483647 - 1)", "int x;"))
    assert constants(["2147483647 + 1", "(unsigned char)300"], "", ILP32) == [-(2**31), 44]


def test_wide_bit_fields_compute_in_their_own_width() -> None:
    expr = expression("y = x.a << 30", "struct { unsigned long long a:40; } x; unsigned long long y;")
    assert isinstance(expr, tree.Assignment) and isinstance(expr.value, tree.Cast)
    assert expr.value.operand.type.bits == 40  # type: ignore[union-attr]


def test_function_name_strings() -> None:
    assert show(expression("p = __func__", "const char *p;")) == "Assignment(char *, p, &b'main\\x00')"
    assert show(expression('p = "\\x41" "1\\0\\u00e9"', "const char *p;")).endswith("&b'A1\\x00\\xc3\\xa9\\x00')")


def test_constant_arrays_and_const_sizes() -> None:
    items = body("const int n = 3; int a[n + 1]; static int b[sizeof a]; b[0] = 1;", model=LP64)
    declared = [item.symbol for item in items if isinstance(item, tree.Declare)]
    assert str(declared[1].type) == "int[4]"

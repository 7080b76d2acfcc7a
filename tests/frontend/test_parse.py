"""Every GNU construct appears in the tree as the head of `parse.py` says."""

from __future__ import annotations

from typing import Any

import pytest
from pycparser import c_ast
from pycparser.c_parser import CParser

from fsoft.frontend import nodes
from fsoft.frontend.gnu import GnuParser
from fsoft.frontend.parse import ParsedFile, parse_path, parse_text
from fsoft.frontend.source import InputError, Unsupported


def tree(text: str) -> list[Any]:
    return list(parse_text(text, "t.i").ast.ext)


def body(text: str) -> list[Any]:
    """Block items of the function with this body."""
    return list(tree("int f(int x, int *p) {" + text + "}")[-1].body.block_items or [])


def expression(text: str) -> Any:
    return body(text + ";")[-1]


def failure(text: str) -> str:
    with pytest.raises(InputError) as caught:
        parse_text(text, "t.i")
    assert "\n" not in str(caught.value)
    return str(caught.value)


# ---------------------------------------------------------------- declarations


def test_keywords_in_gnu_spelling() -> None:
    decl = tree("static __inline__ __const int *__restrict f(__volatile__ __signed__ char *p) { __extension__ int y; return 0; }")[0].decl
    assert decl.funcspec == ["inline"] and decl.quals == ["const"] and decl.storage == ["static"]
    assert decl.type.type.quals == ["restrict"]
    param = decl.type.args.params[0]
    assert param.quals == ["volatile"] and param.type.type.type.names == ["signed", "char"]


def test_uninteresting_attributes_vanish_everywhere() -> None:
    text = """
    __attribute__((cold)) extern int f(int a __attribute__((unused)), void (*g)(int) __attribute__((nonnull(1, 2))))
        __asm__("real_" "f") __attribute__((__nothrow__ , __leaf__)) __attribute__((format(printf, 1, 2)));
    struct __attribute__((may_alias)) s { int x __attribute__((deprecated("no"))); } __attribute__((designated_init));
    int v __attribute__((section(".data"))) = 1, w __attribute__((unused)), *__attribute__((unused)) z;
    enum e { A __attribute__((deprecated)), B };
    int h(int x) { __attribute__((unused)) int y; switch (x) { case 1: y = 1; __attribute__((fallthrough)); default: ; }
        out: __attribute__((unused)); return (__attribute__((x)) int) x; }
    """
    ext = tree(text)
    assert [getattr(node, "name", None) or "-" for node in ext[:6]] == ["f", "-", "v", "w", "z", "-"]
    assert all(node.attributes == [] for node in ext[:6])
    assert ext[6].decl.name == "h"


def names(node: Any) -> list[str]:
    return [attribute.name for attribute in node.attributes]


def test_interesting_attributes_survive() -> None:
    assert names(tree("__attribute__((__fsoft_atomic__)) int f(void) { return 0; }")[0].decl) == ["fsoft_atomic"]
    assert names(tree("void *__attribute__((__fsoft_plain__)) f(void) { return 0; }")[0].decl) == ["fsoft_plain"]
    assert names(tree("int f(void) __attribute__((constructor));")[0]) == ["constructor"]
    packed = tree("struct s { char c; int i; } __attribute__((packed, aligned(4)));")[0]
    assert names(packed.type) == ["packed", "aligned"] and names(packed) == []
    assert packed.type.attributes[1].args[0].value == "4"
    assert names(tree("struct __attribute__((__packed__)) s { int i; };")[0].type) == ["packed"]
    member = tree("struct s { int i : 3 __attribute__((packed)), j __attribute__((aligned(8))); };")[0].type.decls
    assert names(member[0]) == ["packed"] and names(member[1]) == ["aligned"]
    both = tree("int __attribute__((aligned(16))) a, b;")
    assert names(both[0]) == names(both[1]) == ["aligned"]
    one = tree("int a, b __attribute__((aligned)), c;")
    assert [names(node) for node in one] == [[], ["aligned"], []] and one[1].attributes[0].args == []
    typedef = tree("typedef int wide __attribute__((__mode__(__DI__)));")[0]
    assert isinstance(typedef, c_ast.Typedef) and names(typedef) == ["mode"] and typedef.attributes[0].args[0].name == "DI"
    var = tree("struct s { int a; } __attribute__((packed)) v __attribute__((aligned(sizeof(int))));")[0]
    assert names(var) == ["aligned"] and names(var.type.type) == ["packed"]
    local = body("int y __attribute__((cleanup(done))) = 1;")[0]
    assert names(local) == ["cleanup"] and local.attributes[0].args[0].name == "done"
    assert isinstance(tree("int x __attribute__((aligned(double)));")[0].attributes[0].args[0], c_ast.Typename)


@pytest.mark.parametrize(
    "text",
    [
        "void f(void) __attribute__((noreturn));",
        "__attribute__((__noreturn__)) void f(void);",
        "extern __attribute__((cold, noreturn)) void f(void);",
        "_Noreturn void f(void);",
        "[[noreturn]] void f(void);",
        "[[gnu::noreturn]] void f(void);",
        "__declspec(noreturn) void f(void);",
        "void __attribute__((noreturn)) f(void) { for (;;); }",
    ],
)
def test_noreturn_is_a_function_specifier(text: str) -> None:
    node = tree(text)[0]
    decl = node.decl if isinstance(node, c_ast.FuncDef) else node
    assert decl.funcspec == ["_Noreturn"] and decl.attributes == []


def test_noreturn_of_one_declarator_only() -> None:
    first, second = tree("void f(void) __attribute__((noreturn)), g(void);")
    assert first.funcspec == ["_Noreturn"] and second.funcspec == []


def test_alignas() -> None:
    decl = tree("_Alignas(16) int x; struct s { _Alignas(double) char c; };")
    assert decl[0].align[0].alignment.value == "16"
    assert isinstance(decl[1].type.decls[0].align[0].alignment, c_ast.Typename)


@pytest.mark.parametrize("word", ["__thread", "_Thread_local"])
def test_thread_local(word: str) -> None:
    assert tree(f"static {word} int x;")[0].storage == ["static", "_Thread_local"]


def test_atomic_in_both_forms() -> None:
    for text in ("_Atomic int x;", "_Atomic(int) x;", "int _Atomic x;"):
        decl = tree(text)[0]
        assert isinstance(decl.type, c_ast.TypeDecl) and "_Atomic" in decl.type.quals and decl.type.declname == "x"
    pointer = tree("int *_Atomic p; _Atomic(int *) q; _Atomic(int) *r;")
    assert pointer[0].type.quals == ["_Atomic"] and pointer[1].type.quals == ["_Atomic"]
    assert pointer[2].type.quals == [] and pointer[2].type.type.quals == ["_Atomic"]


@pytest.mark.parametrize("word", ["typeof", "__typeof__", "__typeof"])
def test_typeof(word: str) -> None:
    decl = body(f"{word}(x + 1) y; {word}(int *) *z; const {word}(x) w = 1;")
    assert isinstance(decl[0].type.type, c_ast.TypeOf) and isinstance(decl[0].type.type.expr, c_ast.BinaryOp)
    assert isinstance(decl[1].type.type.type.expr, c_ast.Typename)
    assert decl[2].quals == ["const"] and decl[2].type.type.op == "typeof"


def test_auto_type() -> None:
    decl = body("__auto_type y = x; auto int z = 1;")
    assert isinstance(decl[0].type.type, c_ast.InferredType) and decl[0].init.name == "x"
    assert decl[1].storage == ["auto"] and decl[1].type.type.names == ["int"]


def test_implicit_int() -> None:
    ext = tree("static x; const y = 1; main() { auto z = 2; return x; } f(a, b) char b; { return a; }")
    assert ext[0].type.type.names == ["int"] and ext[1].type.type.names == ["int"]
    assert ext[2].decl.type.type.type.names == ["int"] and ext[2].decl.type.args is None
    assert ext[2].body.block_items[0].type.type.names == ["int"]
    assert [p.type.type.names for p in ext[3].decl.type.args.params] == [["int"], ["char"]]


def test_old_style_definitions() -> None:
    function = tree("int f(a, b, c) char *b; short a; { return a; } int g(int x) { return x; }")
    assert [p.name for p in function[0].decl.type.args.params] == ["a", "b", "c"]
    assert all(isinstance(p, c_ast.Decl) for p in function[0].decl.type.args.params)
    assert function[0].param_decls is not None and function[1].param_decls is None
    assert "not in the parameter list" in failure("int f(a) int b; { return 0; }")
    assert "between the head and the body" in failure("int f(int a) int b; { return 0; }")


def test_builtin_types() -> None:
    first = "unsigned __int128 a; __uint128_t b; __int128_t c; _Float64 d;"
    ext = tree(first + "_Float64x e; __builtin_va_list f; double _Complex g; __float128 h;")
    found = [node.type.type.names for node in ext]
    assert found == [
        ["unsigned", "__int128"],
        ["unsigned", "__int128"],
        ["__int128"],
        ["double"],
        ["long", "double"],
        ["__builtin_va_list"],
        ["double", "_Complex"],
        ["_Float128"],
    ]
    assert tree("typedef float _Float32; _Float32 x;")[1].type.type.names == ["_Float32"]


def test_empty_and_anonymous_aggregates() -> None:
    ext = tree("struct e {}; struct z { int n; char d[0]; char flex[]; };struct o { struct { int a; }; union { int b; }; int : 4; };")
    assert ext[0].type.decls == []
    assert ext[1].type.decls[1].type.dim.value == "0" and ext[1].type.decls[2].type.dim is None
    assert [type(d.type) for d in ext[2].type.decls[:2]] == [c_ast.Struct, c_ast.Union]
    assert ext[2].type.decls[0].name is None and ext[2].type.decls[2].bitsize.value == "4"


def test_static_assert_everywhere() -> None:
    ext = tree('_Static_assert(1, "a"); struct s { int x; _Static_assert(1, "b"); }; int f(void) { _Static_assert(1); return 0; }')
    assert isinstance(ext[0], c_ast.StaticAssert) and isinstance(ext[1].type.decls[1], c_ast.StaticAssert)
    assert isinstance(ext[2].body.block_items[0], c_ast.StaticAssert)


def test_typedef_names_may_be_reused() -> None:
    ext = tree("typedef int T; struct s { T T; }; int f(T x) { int T = x; return T * T; } int g(int (T)); void h(void) { T: goto T; }")
    assert ext[1].type.decls[0].name == "T"
    assert isinstance(ext[2].body.block_items[1].expr, c_ast.BinaryOp)
    assert isinstance(ext[-1].body.block_items[0], c_ast.Label)


def test_pragma_pack_reaches_the_structs_in_it() -> None:
    text = """
    #pragma pack(push, 1)
    struct a { int x; };
    #pragma pack(2)
    union b { int x; };
    #pragma pack(pop)
    struct c { int x; };
    _Pragma("pack(4)") struct d { int x; };
    #pragma pack()
    struct e { int x; };
    #pragma once
    """
    records = [node.type for node in tree(text)]
    assert [[a.args[0].value for a in r.attributes] for r in records] == [["1"], ["2"], [], ["4"], []]


def test_pragma_omp_is_noted() -> None:
    assert "omp" in parse_text("#pragma omp parallel\nint x;", "t.i").notes[0]


# ---------------------------------------------------------------- statements


def test_asm() -> None:
    items = body('__asm__ volatile ("mfence" "; nop" ::: "memory"); asm("" : "=r"(x)); asm goto("" : : : : out); out: ;')
    assert [type(item) for item in items[:3]] == [nodes.AsmNode] * 3
    assert items[0].template == '"mfence; nop"' and items[0].coord.line == 1 and items[0].clobbers == ['"memory"']
    assert items[1].outputs[0].constraint == '"=r"' and items[1].outputs[0].expr.name == "x" and items[2].labels == ["out"]
    named = body('asm("addl %[by], %0" : "+m"(x) : [by] "r"(y), "0"(z) : "cc", "memory");')[0]
    assert [item.name for item in named.inputs] == ["by", ""] and named.clobbers == ['"cc"', '"memory"']
    assert tree('asm(".globl x");')[0].template == '".globl x"'


@pytest.mark.parametrize("text", ['asm volatile("" ::: "memory");', '__asm__("" : : : "memory");', 'asm("");'])
def test_compiler_barriers_do_nothing(text: str) -> None:
    assert [type(item) for item in body(text)] == [c_ast.EmptyStatement]
    assert isinstance(body(f"if (x) {text}")[0].iftrue, c_ast.EmptyStatement)


def test_asm_labels_are_dropped() -> None:
    ext = tree('extern int f(int) __asm__("g") __attribute__((noreturn)); int x asm("y") = 1; void h(void) { register int r asm("eax"); }')
    assert ext[0].funcspec == ["_Noreturn"] and ext[1].init.value == "1"
    assert ext[2].body.block_items[0].name == "r"


def test_statement_expressions() -> None:
    value = expression("x = ({ int y = 1; y + 1; })").rvalue
    assert isinstance(value, c_ast.Compound) and isinstance(value.block_items[1], c_ast.BinaryOp)
    assert isinstance(expression("x = ({ p; })[0]").rvalue, c_ast.ArrayRef)


def test_case_ranges() -> None:
    cases = body("switch (x) { case 1 ... 5: x = 1; case 'a': break; default: x = 2; }")[0].stmt.block_items
    assert isinstance(cases[0].expr, nodes.CaseRange)
    assert (cases[0].expr.low.value, cases[0].expr.high.value) == ("1", "5")
    assert len(cases[0].stmts) == 1 and isinstance(cases[2], c_ast.Default)


def test_labels_before_declarations_and_braces() -> None:
    items = body("goto a; a: int y = 1; { b: } switch (x) { case 1: int z; default: }")
    assert isinstance(items[1].stmt, c_ast.EmptyStatement) and isinstance(items[2], c_ast.Decl)
    assert isinstance(items[3].block_items[0].stmt, c_ast.EmptyStatement)


def test_local_labels_are_kept_apart() -> None:
    items = body("({ __label__ a, b; goto a; a: b: 1; }); ({ __label__ a; a: goto a; }); a: goto a;")
    first, second = items[0].block_items, items[1].block_items
    assert first[0].name == first[1].name == "a.1" and first[1].stmt.name == "b.2"
    assert second[0].name == second[0].stmt.name == "a.3"
    assert items[2].name == items[2].stmt.name == "a"


# ---------------------------------------------------------------- expressions


def test_elvis() -> None:
    node = expression("x = x ?: 5").rvalue
    assert isinstance(node, c_ast.TernaryOp) and node.iftrue is None and node.iffalse.value == "5"


def test_builtins_with_types() -> None:
    call = expression("x = __builtin_va_arg(p, unsigned int)").rvalue
    assert call.name.name == "__builtin_va_arg" and isinstance(call.args.exprs[1], c_ast.Typename)
    for word in ("offsetof", "__builtin_offsetof"):
        call = expression(f"x = {word}(struct s, a.b[2])").rvalue
        assert call.name.name == "__builtin_offsetof" and isinstance(call.args.exprs[1], c_ast.ArrayRef)
    call = expression("x = __builtin_types_compatible_p(int, const typeof(x) *)").rvalue
    assert [type(argument) for argument in call.args.exprs] == [c_ast.Typename, c_ast.Typename]
    assert expression("__builtin_types_compatible_p(int, int)").name.name == "__builtin_types_compatible_p"


def test_sizeof_and_alignof() -> None:
    for text, op, kind in [
        ("sizeof(int)", "sizeof", c_ast.Typename),
        ("sizeof x", "sizeof", c_ast.ID),
        ("sizeof(int){1}", "sizeof", c_ast.CompoundLiteral),
        ("_Alignof(int)", "_Alignof", c_ast.Typename),
        ("__alignof__(x)", "__alignof__", c_ast.ID),
        ("__alignof x", "__alignof__", c_ast.ID),
    ]:
        node = expression(f"x = {text}").rvalue
        assert node.op == op and isinstance(node.expr, kind), text


def test_generic() -> None:
    node = expression("x = _Generic(x, int: 1, char *: 2, default: 3)").rvalue
    assert isinstance(node, c_ast.GenericSelection) and node.associations[2].type is None


def test_function_names() -> None:
    for word in ("__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"):
        assert expression(f"g({word})").args.exprs[0].name == "__func__"


def test_compound_literals() -> None:
    node = expression("p = (int[]){1, 2}").rvalue
    assert isinstance(node, c_ast.CompoundLiteral) and len(node.init.exprs) == 2


def test_initialisers() -> None:
    items = body("struct s v = { .a = 1, b: 2, .c.d[1] = 3 }; int w[] = { [0 ... 3] = 7, [5] = 8, [6] 9, }; int e[3] = {};")
    fields = items[0].init.exprs
    assert [part.name for item in fields[:2] for part in item.name] == ["a", "b"] and len(fields[2].name) == 3
    elements = items[1].init.exprs
    assert isinstance(elements[0].name[0], nodes.RangeDesignator) and elements[0].name[0].high.value == "3"
    assert isinstance(elements[1].name[0], c_ast.ArrayDesignator) and elements[2].expr.value == "9"
    assert items[2].init.exprs == [] and items[2].init.coord.line == 1
    assert all(item.coord is not None for item in fields + elements)


def test_strings_and_characters() -> None:
    call = expression(r"""g("a" "\1" "2", L"w", 'x', '\n', 'ab', L'\x41')""").args.exprs
    assert [c.type for c in call] == ["string", "string", "char", "char", "char", "char"]
    assert call[0].value == r'"a\1" "2"'


def test_numbers() -> None:
    call = expression("g(1, 1u, 1UL, 1LL, 0x1fULL, 017, 0b101, 1.5, 1.f, .5e-3L, 0x1.8p3)").args.exprs
    assert [c.type for c in call] == [
        "int", "unsigned int", "unsigned long int", "long long int", "unsigned long long int", "int", "int", "double", "float",
        "long double", "double",
    ]  # fmt: skip


# ---------------------------------------------------------------- places


def test_places_follow_line_markers() -> None:
    parsed = parse_text('# 1 "m.c"\nint a;\n# 1 "h.h" 1\nint\n  b;\n#line 7 "m.c"\n int f(void) { return\n     a + b; }\n', "x.i")
    at = [(n.coord.file, n.coord.line, n.coord.column) for n in (parsed.ast.ext[0], parsed.ast.ext[1], parsed.ast.ext[2].decl)]
    assert at == [("m.c", 1, 5), ("h.h", 2, 3), ("m.c", 7, 6)]
    value = parsed.ast.ext[2].body.block_items[0].expr
    assert (value.coord.file, value.coord.line, value.coord.column) == ("m.c", 8, 6)
    assert parsed.lines["h.h", 2] == "  b;" and parsed.lines["m.c", 8] == "     a + b; }"
    assert parsed.name == "x.i"


def test_places_after_comments_and_splices() -> None:
    decl = tree("/* one\n two */ int \\\n a; // three\n int b;")
    assert [(d.coord.line, d.coord.column) for d in decl] == [(3, 2), (4, 6)]


def test_every_expression_has_a_place() -> None:
    def check(node: Any) -> None:
        if not isinstance(node, (c_ast.Typename, c_ast.TypeDecl, c_ast.FileAST)):
            assert node.coord is not None, type(node)
        for _, child in node.children():
            check(child)

    text = """
    struct s { int a, *b, c[3]; struct { int d; }; int e : 2; } v = { .a = 1, .c = { [1 ... 2] = 3, } };
    int f(int x, char **y) { x = -x + ~x * !x; x += y ? (int) y[0][1] : f(x, 0); for (int i = 0; i < 3; i++) { continue; }
      while (x--) { if (x) break; else ; } do ; while (0); switch (x) { case 1: case 2 ... 3: return *&x; default: ; } l: goto l;
      return sizeof(int) + ({ 1; }) + (x ?: 2) + ((struct s) { 0 }).a + _Generic(x, int: 1); }
    """
    check(parse_text(text, "t.i").ast)


# ---------------------------------------------------------------- what is wrong


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("int f(void) {\n  int g(int y) { return y; }\n  return 0; }", "t.i:2:7: error: nested function 'g' is not supported"),
        ("void f(void *p) { goto *p; }", "computed goto is not supported"),
        ("void f(void) { void *p = &&out; out: ; }", "the address of a label is not supported"),
        ("double f(double x) { return __real__ x; }", "__real__ (complex numbers) is not supported"),
    ],
)
def test_rejected_by_name(text: str, message: str) -> None:
    assert message in failure(text)
    with pytest.raises(Unsupported):
        parse_text(text, "t.i")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("int x\nint y;", "t.i:2:1: error: syntax error before 'int'"),
        ("int f(void) { return 1 +; }", "t.i:1:25: error: syntax error before ';'"),
        ("int f(void) { if (x) { return 1; }", "t.i:1:13: error: this '{' is never closed"),
        ("int f(void) { return (1; }", "'}' where ')' must close the '('"),
        ("int x; }", "t.i:1:8: error: '}' closes nothing"),
        ("int x = 09;", "t.i:1:9: error: '09' is not a number"),
        ("int x = 1.2.3;", "is not a number"),
        ('char *s = "abc\n;', "t.i:1:11: error: this string has no closing quote"),
        ("char c = 'a\n;", "this character constant has no closing quote"),
        ("char c = '';", "empty character constant"),
        ("int x; /* never", "t.i:1:8: error: this comment is never closed"),
        ("int @ x;", "illegal character '@'"),
        ("int x; \x07", "illegal character with code 7"),
        ("#include <stdio.h>\nint x;", "t.i:1:1: error: preprocessor directive '#include' in preprocessed text"),
        ("int x", "unexpected end of file"),
        ("int f(", "this '(' is never closed"),
        ("foo_t x;", "t.i:1:1: error: unknown type name 'foo_t'"),
        ("foo_t *x;", "t.i:1:1: error: unknown type name 'foo_t'"),
        ("struct s { foo_t x; };", "t.i:1:12: error: unknown type name 'foo_t'"),
        ("struct s { foo_t *x; };", "t.i:1:12: error: unknown type name 'foo_t'"),
        ("int f(foo_t x);", "t.i:1:7: error: unknown type name 'foo_t'"),
        ("void f(void) { foo_t x; }", "t.i:1:16: error: unknown type name 'foo_t'"),
        ("static foo_t x;", "t.i:1:8: error: unknown type name 'foo_t'"),
        ("x = 5;", "error: syntax error before '='"),
        ("typedef int T; int T;", "previously declared as typedef"),
        ("int a __attribute__(packed);", "__attribute__ needs double parentheses"),
        ("int x {}", "syntax error before '{'"),
        ("struct;", "error: "),
        ("typedef struct {int} 5;", "error: "),
        ("int f(void) { case }", "error: "),
        ("= 1;", "error: "),
    ],
)
def test_errors_have_a_place(text: str, message: str) -> None:
    assert message in failure(text)


@pytest.mark.parametrize(
    "text",
    [
        "int x = " + "(" * 10_000 + "1" + ")" * 10_000 + ";",
        "void f(void) " + "{" * 10_000 + "}" * 10_000,
        "int x" + "[1]" * 3 + " = " + "{" * 10_000 + "}" * 10_000 + ";",
        "int x = " + "-" * 1 + " - " * 10_000 + "1;",
        "int x = " + "!" * 10_000 + "1;",
        "int f(int x) { return " + "x ? x : " * 10_000 + "x; }",
        "int f(int x) { return " + "x = " * 10_000 + "x; }",
        "void f(int x) { " + "if (x) " * 10_000 + "; }",
        "void f(int x) { if (x) ; " + "else if (x) ; " * 10_000 + "}",
        "void f(int x) { " + "a: " * 10_000 + "; }",
        "int x = " + "(int)" * 10_000 + "1;",
        "int x = " + "sizeof " * 10_000 + "1;",
        "int " + "(" * 10_000 + "x" + ")" * 10_000 + ";",
        "struct s {" * 10_000 + "int x;" + "} y;" * 10_000,
    ],
)
def test_deep_nesting_is_refused(text: str) -> None:
    assert "nested too deeply" in failure(text)


def test_reasonable_nesting_is_read() -> None:
    tree("int x = " + "(" * 200 + "1" + ")" * 200 + ";")
    tree("void f(int x) { if (x) ; " + "else if (x) ; " * 500 + "}")
    tree("void f(int x) { switch (x) {" + "".join(f"case {i}: " for i in range(1000)) + "; } }")
    tree("int x = 1" + " + 1" * 20_000 + ";")


def test_empty_texts() -> None:
    for text in ("", "\n\n", "/* nothing */", ";", '# 1 "x.c"\n'):
        assert tree(text) == []


# ---------------------------------------------------------------- files


def write(path: Any, data: str | bytes) -> str:
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return str(path)


def test_preprocessed_files_go_in_directly(tmp_path: Any) -> None:
    parsed = parse_path(write(tmp_path / "a.i", "int x;\r\nint y;\r\n"))
    assert isinstance(parsed, ParsedFile) and [d.coord.line for d in parsed.ast.ext] == [1, 2]
    assert parsed.ast.ext[0].coord.file == parsed.name == str(tmp_path / "a.i")


@pytest.mark.parametrize("suffix", [".c", ".i"])
def test_bad_files(tmp_path: Any, suffix: str) -> None:
    def error(path: str) -> str:
        with pytest.raises(InputError) as caught:
            parse_path(path)
        return str(caught.value)

    assert "there is no such file" in error(str(tmp_path / f"none{suffix}"))
    (tmp_path / f"dir{suffix}").mkdir()
    assert "this is a directory" in error(str(tmp_path / f"dir{suffix}"))
    assert ":2: error: this is not a C file" in error(write(tmp_path / f"junk{suffix}", b"int x;\n\x7fELF\x00\x01"))
    assert error(write(tmp_path / f"junk2{suffix}", bytes(range(7, 256)) * 4))
    assert "never closed" in error(write(tmp_path / f"cut{suffix}", "int main(void) { int x = 1;"))
    assert parse_path(write(tmp_path / f"empty{suffix}", "")).ast.ext == []


def test_other_encodings_in_strings_and_comments(tmp_path: Any) -> None:
    for suffix in (".c", ".i"):
        path = write(tmp_path / f"latin{suffix}", b'/* caf\xe9 */ char *s = "\xe9\xc3\xa9";\n')
        parsed = parse_path(path)
        constant: Any = parsed.ast.ext[0].init
        assert constant.value.encode("utf-8", "surrogateescape") == b'"\xe9\xc3\xa9"'
        parsed.lines[path, 1].encode("utf-8")


RULES = """
    _accept _advance _build_declarations _build_function_definition _expect _fix_decl_name_type _is_inferred_auto _mark
    _parse_attribute_specifier_sequence _parse_block_item _parse_compound_statement _parse_conditional_expression
    _parse_decl_suffixes _parse_declaration_end _parse_designator _parse_error _parse_external_declaration
    _parse_function_definition _parse_init_declarator _parse_initializer _parse_initializer_item _parse_jump_statement
    _parse_labeled_statement _parse_parameter_declaration _parse_primary_expression _parse_specifiers _parse_statement
    _parse_struct_declarator _parse_unary_expression _peek _peek_type _reset _starts_declaration _starts_expression
    _starts_statement
"""


@pytest.mark.parametrize("name", RULES.split())
def test_what_our_parser_overrides_is_there(name: str) -> None:
    """A release of pycparser that renames a rule would silently stop using ours."""
    assert hasattr(CParser, name) and getattr(GnuParser, name) is not getattr(CParser, name)

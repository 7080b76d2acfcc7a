"""Malformed and unsupported inputs: what is given, how fsoft must end, and the one line it must say.

`files` maps names to contents (text, bytes, or None for a folder); `{}` in `args` is the folder they are written to. `line` is a pattern for
the one line on stderr; `code` the exit code. A row with `verdict` is an input that looks bad but has a right answer.
"""

from __future__ import annotations

from dataclasses import dataclass, field

USAGE, BAD, UNKNOWN, TIMEOUT = 1, 2, 5, 31
MAIN = "int main(void) { return 0; }\n"
THREADS = "#include <pthread.h>\n"


@dataclass(frozen=True)
class Row:
    name: str
    code: int
    line: str
    text: str | bytes | None = None  # shorthand for files={"in.c": text}, args="check {}/in.c"
    args: str = ""
    files: dict[str, str | bytes | None] = field(default_factory=dict)
    verdict: str = ""


def bad(name: str, line: str, text: str | bytes, args: str = "check {}/in.c") -> Row:
    """An input that cannot be read: exit code 2, one line that begins with its place."""
    return Row(name, BAD, line, text, args)


def usage(name: str, line: str, args: str, **files: str) -> Row:
    return Row(name, USAGE, rf"fsoft: error: {line}", args=args, files={"in.c": MAIN, **{k.replace("_", "."): v for k, v in files.items()}})


AT = r"in\.c:\d+:\d+: error: "  # file, line and column

TRUNCATED = [
    bad("cut in a block", AT + ".*(end of (file|input)|expected|missing|unbalanced|never closed)", "int main(void) { int x = 1;\n"),
    bad("cut in an expression", AT + ".*", "int main(void) { return 1 +"),
    bad("cut in a string", AT + ".*(quote|string|terminat|character)", 'int main(void) { char *s = "abc\n; return 0; }\n'),
    bad("cut in a comment", r"in\.c:\d+.*error: .*comment", "int main(void) { return 0; }\n/* and then\n"),
    bad("cut in a character", AT + ".*(quote|string|terminat|character)", "int main(void) { return 'a; }\n"),
    bad("cut in #if", r"in\.c:\d+.*error: .*(#if|conditional|endif)", "#if 1\nint main(void) { return 0; }\n"),
    bad("too many braces", AT + ".*", "int main(void) { return 0; } }\n"),
    bad("missing semicolon", AT + ".*", "int main(void) { int x = 1 return x; }\n"),
    bad("a stray character", AT + ".*", "int main(void) { return 0 @ 1; }\n"),
]

JUNK = [
    bad("empty file", r"in\.c.*error: .*(main|empty|no function)", ""),
    bad("only comments", r"in\.c.*error: .*main", "/* nothing */\n// at all\n"),
    bad("binary junk", r"in\.c.*error: ", bytes(range(256)) * 20),
    bad("an ELF header", r"in\.c.*error: ", b"\x7fELF\x02\x01\x01" + bytes(500)),
    bad("bytes that are no UTF-8", r"in\.c.*error: ", b"int main(void) { \xff\xfe\xc0 return 0; }\n"),
    bad("a NUL in the text", r"in\.c.*error: ", b"int main(void) { return\x000; }\n"),
    bad("prose", AT, "This is not a program. It is a letter to my aunt.\n"),
    bad("Python", AT, "def main():\n    return 0\n"),
    bad("C++", AT, "class A { public: int x; };\nint main() { A a; return a.x; }\n"),
    Row("a folder", BAD, r"folder\.c: error: .*(folder|directory)", args="check {}/folder.c", files={"folder.c": None}),
    Row("a file that is not there", BAD, r"gone\.c: error: .*(no such file|not found|does not exist)", args="check {}/gone.c"),
    Row("a file of unknown kind", BAD, r"in\.rs:1:1: error: ", args="check {}/in.rs", files={"in.rs": "fn main() {}\n"}),
    bad("10,000 parentheses", r"in\.c:\d+.*error: .*(deep|nest)", f"int main(void) {{ return {'(' * 10000}0{')' * 10000}; }}\n"),
    bad("10,000 blocks", r"in\.c:\d+.*error: .*(deep|nest)", f"int main(void) {{ {'{' * 10000} ; {'}' * 10000} return 0; }}\n"),
    Row("10,000 pointers", 0, "", f"int {'*' * 10000}p;\n{MAIN}", "check {}/in.c", verdict="TRUE"),
    bad("10,000 ifs", AT + ".*nested too deeply", f"int x; int main(void) {{ {'if (x) ' * 10000}; return 0; }}\n"),
    Row("1,000 ifs", 0, "", f"int x; int main(void) {{ {'if (x) ' * 1000}; return 0; }}\n", "check {}/in.c", verdict="TRUE"),
    Row("10,000 minus signs", 0, "", f"int x; int main(void) {{ return {'- ' * 10000}x; }}\n", "check {}/in.c", verdict="TRUE"),
    bad("10,000 open brackets", r"in\.c:\d+.*error: ", f"int main(void) {{ return {'(' * 10000}"),
    Row(
        "a sum of 10,000 terms",
        0,
        "",
        f"int x; int main(void) {{ x = {' + '.join(['x'] * 10000)}; return 0; }}\n",
        "check {}/in.c",
        verdict="TRUE",
    ),
]

PREPROCESSING = [
    bad("missing include", r"in\.c:2(:\d+)?: error: .*nothing_here\.h", '\n#include "nothing_here.h"\n' + MAIN),
    bad("missing system include", r"in\.c:1(:\d+)?: error: .*windows\.h", "#include <windows.h>\n" + MAIN),
    bad("#error", r"in\.c:1(:\d+)?: error: .*not today", "#error not today\n" + MAIN),
    bad("bad directive", r"in\.c:1(:\d+)?: error: .*frobnicate", "#frobnicate\n" + MAIN),
    bad("#else without #if", r"in\.c:1(:\d+)?: error: .*(#?else|#?if)", "#else\n" + MAIN),
    bad("macro with too few arguments", r"in\.c:\d+(:\d+)?: error: ", "#define F(a, b) a + b\nint main(void) { return F(1); }\n"),
    bad("division by zero in #if", r"in\.c:1(:\d+)?: error: ", "#if 1 / 0\n#endif\n" + MAIN),
    Row(
        "include cycle",
        BAD,
        r"[ab]\.h:\d+.*error: .*(nest|deep|cycle|recurs|includes itself)",
        args="check {}/in.c",
        files={"in.c": '#include "a.h"\n' + MAIN, "a.h": '#include "b.h"\n', "b.h": '#include "a.h"\n'},
    ),
    bad(
        "a macro bomb",
        r"in\.c.*error: ",
        "#define A x+x+x+x\n"
        + "".join(f"#define {b} {a}+{a}+{a}+{a}\n" for a, b in zip("ABCDEFGHIJKL", "BCDEFGHIJKLM"))
        + "int x; int main(void) { return M; }\n",
    ),
]

TYPES = [
    bad("unknown type", AT + ".*foo_t", "int main(void) { foo_t x; return 0; }\n"),
    bad("unknown variable", AT + ".*nowhere", "int main(void) { return nowhere; }\n"),
    bad("unknown member", AT + ".*'?z'?", "struct s { int x; } a; int main(void) { return a.z; }\n"),
    bad("incomplete struct", AT + ".*(incomplete|struct s)", "struct s; struct s a; int main(void) { return sizeof a; }\n"),
    bad("sizeof incomplete", AT + ".*(incomplete|struct s)", "struct s; int main(void) { return sizeof(struct s); }\n"),
    bad("struct that contains itself", AT + ".*(incomplete|struct s)", "struct s { struct s inner; }; int main(void) { return 0; }\n"),
    bad("VLA outside of functions", AT + ".*not a constant", "int n = 3; int a[n]; int main(void) { return a[0]; }\n"),
    bad("alias of nothing", AT + ".*alias of 'g'", 'int f(void) __attribute__((alias("g"))); int main(void) { return f(); }\n'),
    bad("negative array", AT + ".*(negative|size)", "int a[-1]; int main(void) { return a[0]; }\n"),
    bad("giant array", AT + ".*bytes", "int a[2000000000]; int main(void) { return a[5]; }\n"),
    bad("dereferencing an int", AT + ".*", "int main(void) { int x = 0; return *x; }\n"),
    bad("calling an int", AT + ".*(call|function)", "int main(void) { int x = 0; return x(); }\n"),
    bad("assigning to a constant", AT + ".*(assign|lvalue)", "int main(void) { 3 = 4; return 0; }\n"),
    bad("too few arguments", AT + ".*argument", "int f(int a, int b) { return a + b; } int main(void) { return f(1); }\n"),
    bad("two definitions", AT + ".*(f|twice|redefin|again|already)", "int f(void) { return 1; } int f(void) { return 2; } int main(void) { return f(); }\n"),
    bad("two types for a name", AT + ".*x", "int x; char *x; int main(void) { return x != 0; }\n"),
    bad("label that is not there", AT + ".*out", "int main(void) { goto out; return 0; }\n"),
    bad("case outside switch", AT + ".*case", "int main(void) { case 1: return 0; }\n"),
    bad("break outside a loop", AT + ".*break", "int main(void) { break; return 0; }\n"),
    bad("case twice", AT + ".*case", "int main(void) { switch (1) { case 1: case 1: return 0; } return 0; }\n"),
    bad("static assertion", AT + ".*small", '_Static_assert(sizeof(int) > 8, "int is small"); int main(void) { return 0; }\n'),
    Row("conflicting types over two files", BAD, r"b\.c:1:\d+: error: .*shared", args="check {}/a.c {}/b.c",
        files={"a.c": "int shared; int f(void);\nint main(void) { return shared + f(); }\n", "b.c": "char *shared; int f(void) { return *shared; }\n"}),
    Row("two mains", BAD, r"b\.c:1:\d+: error: .*main", args="check {}/a.c {}/b.c", files={"a.c": MAIN, "b.c": MAIN}),
]  # fmt: skip

UNSUPPORTED = [
    bad("global register", r"in\.c:1:\d+: error: .*'sp'.*register", 'register long sp asm("rsp");\nint main(void) { return sp != 0; }\n'),
    bad("fork", AT + ".*fork", "int fork(void); int main(void) { return fork(); }\n", "check {}/in.c --strict"),
    bad("unknown function", AT + ".*launch_missiles", "void launch_missiles(int); int main(void) { launch_missiles(3); return 0; }\n", "check {}/in.c --strict"),
    bad("undeclared function", AT + ".*launch_missiles", "int main(void) { return launch_missiles(); }\n", "check {}/in.c --strict"),
    bad("computed goto", AT + ".*", "int main(void) { void *p = &&out; goto *p; out: return 0; }\n"),
    bad("nested function", AT + ".*", "int main(void) { int f(void) { return 1; } return f(); }\n"),
    bad("complex numbers", AT + ".*(omplex)", "int main(void) { double _Complex z = 1; return 0; }\n"),
    bad("vector types", AT + ".*vector", "typedef int v4 __attribute__((vector_size(16))); int main(void) { v4 a; a[0] = 1; return a[0]; }\n"),
    bad("label in a statement expression", AT + ".*label", "int main(void) { return ({ int y = 0; if (!y) goto l; y = 5; l: y++; y; }); }\n"),
    bad("va_start without more arguments", AT + ".*va_start", "#include <stdarg.h>\nint f(int n) { va_list l; va_start(l, n); return 0; } int main(void) { return f(1); }\n"),
    bad("output of assembly that is none", AT + ".*lacks '='", 'int main(void) { int x; __asm__("nop" : "r"(x)); return 0; }\n'),
    bad("assembly without a string", AT + ".*asm needs a string", "int main(void) { __asm__(1); return 0; }\n"),
    bad("assembly outside of functions", AT + ".*assembly outside", '__asm__("f: ret"); int main(void) { return 0; }\n'),
    bad("setjmp without a buffer", AT + ".*jump", "int main(void) { return __builtin_setjmp(); }\n"),
    bad("va_arg of no list", AT + ".*va_list", "int main(void) { int l = 0; return __builtin_va_arg(l, int); }\n"),
    bad("no main", r"in\.c.*error: .*main", "int f(void) { return 0; }\n"),
    bad("main is a variable", r"in\.c.*error: .*main", "int main;\n"),
    bad("entry that is not there", r"in\.c.*error: .*nowhere", MAIN, "check {}/in.c --entry nowhere"),
    bad("thread that is not there", r"in\.c.*error: .*nowhere", MAIN, "check {}/in.c --thread nowhere"),
    Row("thread bomb", UNKNOWN, "", THREADS + "void *f(void *a) { return 0; } int main(void) { pthread_t t[300];"
        + " for (int i = 0; i < 300; i++) pthread_create(&t[i], 0, f, 0); return 0; }\n", "check {}/in.c --engine explicit", verdict="UNKNOWN"),
    Row("recursion bomb", UNKNOWN, "", "int f(int n) { return n ? f(n - 1) + 1 : 0; } int main(void) { return f(1000000); }\n", "check {}/in.c", verdict="UNKNOWN"),
    Row("two-armed recursion bomb", TIMEOUT, "", "int x; int f(int n) { return n ? f(n - 1) + f(n - 2) + f(n - 3) : x; } int main(void) { x = f(x); return x; }\n",
        "check {}/in.c --recursion 12 --timeout 3", verdict="UNKNOWN"),
]  # fmt: skip

QUESTIONS = [
    Row("property that is not there", BAD, r"gone\.prp: error: .*no such file", MAIN, "check {}/in.c --property {}/gone.prp"),
    Row("property of no sense", BAD, r"p\.prp:1:1: error: expected", args="check {}/in.c --property {}/p.prp", files={"in.c": MAIN, "p.prp": "be good\n"}),
    Row("property without a line", BAD, r"p\.prp: error: .*no CHECK", args="check {}/in.c --property {}/p.prp", files={"in.c": MAIN, "p.prp": "\n"}),
    Row("property not supported", BAD, r"p\.prp:1:\d+: error: .*'F call\(f\(\)\)' is not supported", args="check {}/in.c --property {}/p.prp",
        files={"in.c": MAIN, "p.prp": "CHECK( init(main()), LTL(F call(f())) )\n"}),
    Row("task without files", BAD, r"t\.yml: error: .*input_files", args="check {}/t.yml", files={"t.yml": "format_version: '2.0'\n"}),
    Row("task that is no YAML", BAD, r"t\.yml:1:1: error: ", args="check {}/t.yml", files={"t.yml": "}{ what\n"}),
    Row("task with a tab", BAD, r"t\.yml:2:1: error: .*tab", args="check {}/t.yml", files={"t.yml": "input_files: a.c\n\toptions: 1\n"}),
    Row("task whose file is gone", BAD, r"gone\.c: error: .*no such file", args="check {}/t.yml", files={"t.yml": "input_files: 'gone.c'\n"}),
    Row("task with a strange data model", BAD, r"t\.yml: error: .*LP128", args="check {}/t.yml",
        files={"in.c": MAIN, "t.yml": "input_files: in.c\noptions:\n  data_model: LP128\n"}),
    Row("compile commands that are no JSON", BAD, r"c\.json:1:\d+: error: not valid JSON", args="check --compile-commands {}/c.json", files={"c.json": "[{"}),
    Row("compile commands without entries", BAD, r"c\.json:1:1: error: ", args="check --compile-commands {}/c.json", files={"c.json": "[]"}),
    Row("compile commands without a file", BAD, r"c\.json:1:1: error: entry 1 has no 'file'", args="check --compile-commands {}/c.json", files={"c.json": '[{"command": "cc"}]'}),
    Row("compile commands without a command", BAD, r"c\.json:1:1: error: entry 1", args="check --compile-commands {}/c.json", files={"c.json": '[{"file": "a.c"}]'}),
]  # fmt: skip

COMMANDS = [
    usage("no command", "no command", ""),
    usage("unknown command", "unknown command 'chek'", "chek {}/in.c"),
    usage("no file", "no input file", "check"),
    usage("unknown flag", ".*--frobnicate", "check {}/in.c --frobnicate"),
    usage("number that is none", ".*--threads.*'many'", "check {}/in.c --threads many"),
    usage("zero threads", ".*--threads", "check {}/in.c --threads 0"),
    usage("negative time", ".*--timeout", "check {}/in.c --timeout -3"),
    usage("heap of no kind", ".*--heap", "check {}/in.c --heap stale"),
    usage("unknown engine", ".*'warp'", "check {}/in.c --engine warp"),
    usage("unknown pass", ".*'polish'", "show {}/in.c --dump-after polish"),
    usage("both data models", ".*--64.*--32", "check {}/in.c --32 --64"),
    usage("property and checks", "--property .*--deadlock-check", "check {}/in.c --property no-data-race --deadlock-check"),
    usage("trace and no trace", ".*--no-trace", "check {}/in.c --trace --no-trace"),
    usage("a property as a program", ".*--property", "check {}/p.prp", p_prp=""),
    usage("task and file", ".*alone", "check {}/t.yml {}/in.c", t_yml="input_files: in.c\n"),
    usage(
        "file not in the database",
        ".*is not in",
        "check {}/in.c --compile-commands {}/c.json",
        c_json='[{"file": "b.c", "command": "cc b.c"}]',
    ),
    usage("reduce of two files", ".*", "reduce {}/in.c {}/in.c"),
    usage("dot and loops", ".*", "show {}/in.c --dot --show-loops"),
]

ROWS = [*TRUNCATED, *JUNK, *PREPROCESSING, *TYPES, *UNSUPPORTED, *QUESTIONS, *COMMANDS]

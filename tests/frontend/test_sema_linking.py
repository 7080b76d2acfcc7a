"""Several files, static scope, laziness, library functions."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.frontend import tree
from fsoft.frontend.load import load
from fsoft.frontend.source import InputError
from fsoft.frontend.types import ILP32, LP64
from tests.frontend.sema_tools import analyse, message, show

LIBRARY = {
    "lock": """
        struct model { int owner; }; static int helper(struct model *m) { return m->owner; } int count;
        int __fsoft_self(void);
        __attribute__((__fsoft_atomic__)) int lock(struct model *m) { count++; m->owner = __fsoft_self(); return helper(m); }
    """,
    "unlock": """
        struct model { int owner; }; static int helper(struct model *m) { return m->owner; } int count;
        int unlock(struct model *m) { count--; m->owner = 0; return helper(m); }
    """,
    "both": "struct model; int lock(struct model *); int both(struct model *m) { return lock(m); }",
}


def test_only_reachable_things_are_in_the_unit() -> None:
    unit = analyse("""
        int used = 1, unused; void dead(void) { nowhere(); asm("hlt"); } static int table[] = {1, 2};
        int callee(void) { return table[0]; } int pointed(int x) { return x + used; } int (*pointer)(int) = pointed;
        int main(void) { return callee() + pointer(1); }
    """)
    assert sorted(unit.functions) == ["callee", "main", "pointed"]
    assert sorted(unit.globals) == ["pointer", "table", "used"]
    assert not unit.declared


def test_what_is_never_computed_is_not_reached() -> None:
    unit = analyse("int f(void), g(void); int main(void) { return (sizeof(int) == 4 ? 1 : f()) + (0 && g()) + sizeof(f()); }")
    assert sorted(unit.declared) == []


def test_all_functions_and_other_roots() -> None:
    text = "static int f(void) { return 1; } int g(void) { return 2; }"
    assert sorted(analyse(text, roots=None).functions) == ["f", "g"]
    assert sorted(analyse(text, roots=("f",)).functions) == ["f"]
    assert message(text) == "a.c: error: no definition of function 'main'"


def test_external_names_are_one_entity() -> None:
    unit = analyse(
        "extern int shared; extern int table[]; int f(int); int main(void) { shared = table[1]; return f(shared); }",
        "int shared = 3; int table[] = {1, 2, 3}; int f(int x) { return shared + x; }",
    )
    assert sorted(unit.functions) == ["f", "main"]
    assert unit.globals["shared"].init is not None and unit.globals["shared"].defined
    assert str(unit.globals["table"].symbol.type) == "int[3]"
    assert unit.functions["f"].loc.file == "b.c"


def test_static_names_stay_apart() -> None:
    unit = analyse(
        "static int counter = 1; static int step(void) { return counter; } int other(void); int main(void) { return step() + other(); }",
        "static int counter = 2; static int step(void) { return counter; } int other(void) { return step(); }",
    )
    assert sorted(unit.globals) == ["a.c:counter", "b.c:counter"]
    assert sorted(unit.functions) == ["a.c:step", "b.c:step", "main", "other"]
    assert unit.globals["a.c:counter"].symbol.name == "counter"
    assert unit.functions["b.c:step"].static


def test_a_static_name_without_clash_is_plain() -> None:
    unit = analyse("static int n; static void f(void) { n++; } int main(void) { f(); return 0; }", "int unrelated;")
    assert sorted(unit.globals) == ["n"] and sorted(unit.functions) == ["f", "main"]


def test_conflicts_name_both_places() -> None:
    main = "int main(void) { return x; }"
    assert message("int x; long x; " + main) == "a.c:1:13: error: conflicting types for 'x': 'long' here, 'int' at a.c:1:5"
    assert message("extern int x; " + main, "long x;") == "b.c:1:6: error: conflicting types for 'x': 'long' here, 'int' at a.c:1:12"
    assert "multiple definition of 'x', previously at a.c:1:5" in message("int x = 1; " + main, "int x = 2;")
    assert "redefinition of 'x'" in message("int x = 1; int x = 2; " + main)
    assert "conflicting types for 'f'" in message("int f(int); int main(void) { return f(1); }", "int f(char *p) { return 0; }")
    assert "redefinition of 'f'" in message("int f(void) { return 1; } int f(void) { return 2; } int main(void) { return f(); }")
    assert "different kind" in message("int x; int x(void); " + main)
    # names that nothing refers to may clash
    analyse("int y; int main(void) { return 0; }", "long y;")


def test_structs_of_two_files_are_compared_by_their_members() -> None:
    header = "struct s { int a; struct s *next; }; extern struct s shared;"
    analyse(header + "int main(void) { return shared.a; }", header + "struct s shared = {1, &shared};")
    other = "struct s { long long a; struct s *next; }; struct s shared;"
    assert "conflicting types" in message(header + "int main(void) { return shared.a; }", other)


def test_tentative_definitions_and_undefined_externs() -> None:
    unit = analyse("int x; int x; extern int x; int x = 4; int y[]; extern int z; int main(void) { return x + y[0] + z; }")
    assert unit.globals["x"].init is not None
    assert str(unit.globals["y"].symbol.type) == "int[1]"
    assert not unit.globals["z"].defined


def test_declarations_in_blocks() -> None:
    unit = analyse("int main(void) { extern int x; int f(int); return f(x); } int x = 1; int f(int y) { static int x; x++; return x; }")
    assert sorted(unit.globals) == ["f.x", "x"]
    assert unit.globals["f.x"].symbol.storage == "static"


def test_unique_names_of_locals() -> None:
    unit = analyse("int main(void) { int i; { int i; { static int i; i++; } } return 0; } ")
    assert sorted(unit.globals) == ["main.i.3"]
    first = unit.functions["main"].body.items[0]
    assert isinstance(first, tree.Declare) and first.symbol.unique == "main.i"


def test_thread_locals() -> None:
    unit = analyse("__thread int a = 1; int main(void) { static _Thread_local int b; return a + b; }")
    assert {item.symbol.storage for item in unit.globals.values()} == {"thread"}


def test_implicit_declarations_are_noted() -> None:
    unit = analyse("int main(void) { return mystery(1, 2.0f); }")
    assert str(unit.declared["mystery"][0]) == "int ()"
    assert unit.notes == ["a.c:1:25: implicit declaration of function 'mystery'"]
    linked = analyse("int main(void) { return f(1); }", "long f(long x) { return x; }")
    assert sorted(linked.functions) == ["f", "main"]


def test_library_functions_come_with_what_they_need() -> None:
    text = "typedef struct { char bytes[4]; } T; int lock(T *); int unlock(T *); T t; struct model { double mine; } m; "
    unit = analyse(text + "int main(void) { m.mine = 1; return lock(&t) + unlock(&t); }", library=LIBRARY.get)
    assert sorted(unit.functions) == ["helper", "lock", "main", "unlock"]
    assert unit.functions["lock"].attributes == {"library", "fsoft_atomic"}
    assert unit.functions["unlock"].attributes == {"library"}
    assert sorted(unit.declared) == ["__fsoft_self"]
    assert sorted(unit.globals) == ["count", "m", "t"] and unit.globals["count"].defined
    assert "Call(int, lock, [(struct model *)&t])" in show(unit.functions["main"].body)


def test_library_functions_that_call_others_and_missing_declarations() -> None:
    unit = analyse("int m; int main(void) { return both(&m); }", library=LIBRARY.get)
    assert sorted(unit.functions) == ["both", "helper", "lock", "main"]
    assert unit.notes == []


def test_own_definitions_win_over_the_library() -> None:
    unit = analyse("int lock(int *x) { return *x; } int main(void) { int m = 0; return lock(&m) + both(&m); }", library=LIBRARY.get)
    assert "library" not in unit.functions["lock"].attributes
    assert unit.functions["lock"].loc.file == "a.c"


def test_library_helpers_do_not_clash_with_the_users_names() -> None:
    unit = analyse("int helper(void) { return 1; } int m; int main(void) { return helper() + lock(&m); }", library=LIBRARY.get)
    assert sorted(unit.functions) == ["helper", "library:helper", "lock", "main"]


def test_types_used_before_later_declarations() -> None:
    unit = analyse("""
        extern int x; struct s { char a[sizeof(x)]; }; int x = 5; typedef struct t T; T *p; struct t { int v; };
        typedef unsigned size_t; struct u { size_t n; }; typedef unsigned size_t;
        int main(void) { struct s y; struct u z; return x + p->v + sizeof(y) + sizeof(z); }
    """)
    assert unit.globals["x"].init is not None and unit.globals["x"].defined


def test_old_style_definitions() -> None:
    unit = analyse("int f(a, b) char a; float b; { return a + b; } g() { return 1; } int main(void) { return f(1, 2.0) + g(3); }")
    assert [str(symbol.type) for symbol in unit.functions["f"].params] == ["char", "float"]
    assert unit.functions["g"].type.params is None and unit.functions["g"].params == ()


def test_constructors_count_as_reachable() -> None:
    unit = analyse("int x; __attribute__((constructor)) static void start(void) { x = 1; } int main(void) { return x; }")
    assert "constructor" in unit.functions["start"].attributes


def test_load_reads_files(tmp_path: Path) -> None:
    first, second = tmp_path / "one.c", tmp_path / "two.c"
    first.write_text("#include <stddef.h>\nint f(size_t); int main(void) { return f(sizeof(long)); }\n")
    second.write_text("int f(unsigned long n) { return n + BASE; }\n")
    with pytest.raises(InputError):
        load([str(first), str(second)], model=ILP32, define=("BASE=1",))  # size_t is unsigned int here
    unit = load([str(first), str(second)], model=LP64, define=("BASE=1",))
    assert sorted(unit.functions) == ["f", "main"]
    assert unit.lines[(str(second), 1)].startswith("int f(")


def test_deep_nesting_ends_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "deep.c"
    path.write_text("int y; int main(void) { int x = " + "! " * 50000 + "y; return x; }\n")
    with pytest.raises(InputError, match="nested too deeply"):
        load([str(path)])
    path.write_text("int x; int main(void) { return " + "! " * 2000 + "x; }\n")
    assert "main" in load([str(path)]).functions
    path.write_text("int x; int main(void) { " + "if (x == 1) x = 2; else " * 1000 + "x = 3; return x; }\n")
    assert "main" in load([str(path)]).functions

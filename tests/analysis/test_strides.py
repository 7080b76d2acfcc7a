"""Likely offsets of pointers."""

from __future__ import annotations

from pathlib import Path

from fsoft.analysis.points_to import PointsTo
from fsoft.analysis.strides import ANY, Stride, Strides, join
from fsoft.ask.load import load
from fsoft.program.program import Load, Program, Store


def test_join_keeps_what_both_have() -> None:
    assert join(Stride(0, 4), Stride(0, 4)) == Stride(0, 4)
    assert join(Stride(0, 4), Stride(0, 28)) == Stride(24, 4)
    assert join(Stride(24, 4), Stride(0, 16)) == Stride(12, 4)
    assert join(None, ANY) == ANY
    assert Stride(24, 4).has(52) and not Stride(24, 4).has(8)
    assert Stride(0, 8).has(8) and not Stride(0, 8).has(0)


def offsets(text: str, folder: Path) -> tuple[Program, set[Stride]]:
    """Of every access to user memory by an address that is not constant."""
    (folder / "in.c").write_text(text)
    program = load([str(folder / "in.c")], bits=32)
    strides = Strides(program, PointsTo(program))
    found = set()
    for template in program.templates():
        for step in template.steps:
            for action in step.actions:
                if isinstance(action, (Load, Store)) and not action.address.is_const and action.loc.file.endswith("in.c"):
                    found.add(strides.offset(0, action.address))
    return program, found


def test_an_index_gives_the_stride_of_the_element(tmp_path: Path) -> None:
    text = "int __VERIFIER_nondet_int(void); struct s { int a, b, c; } v[9]; int main(void) { v[__VERIFIER_nondet_int()].b = 1; return 0; }"
    assert offsets(text, tmp_path)[1] == {Stride(12, 4)}


def test_pointers_in_memory_are_followed(tmp_path: Path) -> None:
    text = """#include <stdlib.h>
struct node { int value; struct node *next; } *top;
int main(void) {
  for (int i = 0; i < 3; i++) { struct node *n = malloc(sizeof *n); n->value = i; n->next = top; top = n; }
  return top->next->value;
}
"""
    assert offsets(text, tmp_path)[1] == {Stride(0, 0), Stride(0, 4)}


def test_an_integer_made_a_pointer_may_point_anywhere(tmp_path: Path) -> None:
    text = "int __VERIFIER_nondet_int(void); char c[9]; int main(void) { c[__VERIFIER_nondet_int()] = 1; return 0; }"
    assert offsets(text, tmp_path)[1] == {ANY}

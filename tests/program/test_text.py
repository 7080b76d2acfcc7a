"""The text of a Program is canonical: tests, people and diffs read it."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from fsoft.program.dot import dot_of
from fsoft.program.expr import binary, own
from fsoft.program.program import Alloc, Check, Enter, Free, Input, Leave, Load, Measure, Program, Store, Tag
from fsoft.program.text import text_of
from tests.program.build import Builder, c, is_


def program() -> Program:
    b = Builder()
    x = b.variable("x", 3)
    b.array("text", 3, 1, storage="string", readonly=True, initial={0: 104, 1: 105})
    pool = b.pool(1, 8)
    local = b.variable("local", storage="local", alive=False, undefined=True, slot=0)
    t = b.template("main", a=32)
    t.lock(0, 1, x)
    t.step(1, 2, Input("a", "wake whom", c(5, 64)), Store(own("local", 32), t["a"], 4), guard=is_(t["a"], 0))
    t.step(2, 3, Check(binary("slt", t["a"], c(10)), "unreach-call", "a < 10", is_(t["a"], 1)), text="assert(a < 10);")
    t.step(3, 3, Alloc("a", c(8), pool, zero=True), Load("_t", t["a"], 4), Free(t["a"]), Measure("a", t["a"]))
    t.step(3, 0, Enter(own("local", 32)), Leave(own("local", 32)), tags=(Tag("spurious"),))
    t.halt(3, "cut", marker=0)
    t.atomic.add(2)
    return b.program(("main", t, {"local": local.value}))


TEXT = """\
program test  (word 32 bits, offset 16 bits)
checks unreach-call
object 1 x: int = 3  [global]
object 2 text: 3 bytes {[]: int x3} = 104, +1: 105  [string, readonly]
object 3 heap0.0: 8 bytes {[]: int x2}  [heap, undefined, not alive, pool 0]
object 4 local: int  [local, undefined, not alive, of thread 0]
pool 0: 1 objects of exactly 8 bytes (marker 0)
marker 0 heap cuts: heap bound                                            m.c:1
thread 0 main runs main  own self = 1, local = &local

template main
  register _t:32 int
  register a:32 int
  0
    0 -> 1  _t := x (4, sync) #acquire x                                  // main.c:1 lock
              require (_t == 0)
              x := own(self) (4, sync)
  1
    1 -> 2  [(a == 0)] a := input among 5 (wake whom)                     // main.c:2 1 -> 2
              *own(local) := a (4)
  2  atomic
    2 -> 3  if (a == 1): check (a <s 10) (unreach-call: a < 10)           // main.c:3 assert(a < 10);
  3
    3 -> 3  a := alloc 8 zero bytes from pool 0                           // main.c:4 3 -> 3
              _t := *a (4)
              free *a
              a := size of the object at a
    3 -> 0  enter *own(local) #spurious                                   // main.c:5 3 -> 0
              leave *own(local)
    3 -> 3  halt cut (marker 0)                                           // main.c:6 3 -> 3
  4  (pruned)
  5  (ended)
  6  (cut)
  7  (undefined)
  8  (failed)"""


def test_text() -> None:
    assert text_of(program()) == TEXT


def test_the_drawing_names_every_location_and_step() -> None:
    drawing = dot_of(program())
    assert drawing.startswith('digraph "test" {') and drawing.endswith("}")
    assert drawing.count(" -> t0_") == 6
    assert 't0_2 [label="2", shape=box];' in drawing


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_reads_the_drawing() -> None:
    subprocess.run(["dot", "-Tsvg"], input=dot_of(program()).encode(), check=True, capture_output=True)

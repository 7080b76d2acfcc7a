"""The AST nodes that GNU C needs beyond pycparser's own (`pycparser.c_ast`), as the parser builds them.

How every GNU construct appears in the tree is listed at the head of `parse.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pycparser import c_ast


class _GnuNode(c_ast.Node):  # type: ignore[misc]
    """Shared plumbing: subclasses name their child nodes and child lists; the rest are plain attributes."""

    __slots__ = ()
    _single: tuple[str, ...] = ()
    _lists: tuple[str, ...] = ()

    def children(self) -> tuple[tuple[str, c_ast.Node], ...]:
        found = [(name, getattr(self, name)) for name in self._single]
        for name in self._lists:
            found.extend((f"{name}[{index}]", child) for index, child in enumerate(getattr(self, name)))
        return tuple(found)

    def __iter__(self) -> Iterator[c_ast.Node]:
        return iter([child for _, child in self.children()])


class GnuAttribute(_GnuNode):
    """One surviving `__attribute__`; an item of the `attributes` list of the declaration or record that it belongs to.

    `name` is written without surrounding underscores ("packed", "aligned", "mode", "fsoft_atomic", ...); `args` are parsed
    expressions (`aligned(8)`: [Constant]; `mode(__DI__)`: [ID "DI"]; a type as argument: [Typename]).
    """

    __slots__ = ("__weakref__", "args", "coord", "name")
    attr_names = ("name",)
    _lists = ("args",)

    def __init__(self, name: str, args: list[c_ast.Node], coord: Any = None):
        self.name = name
        self.args = args
        self.coord = coord


class AsmArgument(_GnuNode):
    """`[name] "constraint" (expression)`; `name` may be ""."""

    __slots__ = ("__weakref__", "constraint", "coord", "expr", "name")
    attr_names = ("name", "constraint")
    _single = ("expr",)

    def __init__(self, name: str, constraint: str, expr: c_ast.Node, coord: Any = None):
        self.name = name
        self.constraint = constraint
        self.expr = expr
        self.coord = coord


class AsmNode(_GnuNode):
    """An `asm` statement (or file-scope `asm`) that does something. `template` and `clobbers` are strings as written, quotes included."""

    __slots__ = ("__weakref__", "clobbers", "coord", "inputs", "labels", "outputs", "template")
    attr_names = ("template",)
    _lists = ("outputs", "inputs")

    def __init__(self, template: str, coord: Any = None):
        self.template = template
        self.outputs: list[c_ast.Node] = []
        self.inputs: list[c_ast.Node] = []
        self.clobbers: list[str] = []
        self.labels: list[str] = []
        self.coord = coord


class CaseRange(_GnuNode):
    """`case low ... high:`; stands as `Case.expr`. Both ends are included."""

    __slots__ = ("__weakref__", "coord", "high", "low")
    _single = ("low", "high")

    def __init__(self, low: c_ast.Node, high: c_ast.Node, coord: Any = None):
        self.low = low
        self.high = high
        self.coord = coord


class RangeDesignator(_GnuNode):
    """`[low ... high] = value` in an initialiser; an item of `NamedInitializer.name`. Both ends are included."""

    __slots__ = ("__weakref__", "coord", "high", "low")
    _single = ("low", "high")

    def __init__(self, low: c_ast.Node, high: c_ast.Node, coord: Any = None):
        self.low = low
        self.high = high
        self.coord = coord

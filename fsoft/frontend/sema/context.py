"""The state of analysing one translation unit, and the parts that work on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from fsoft.frontend import tree
from fsoft.frontend.sema.conversions import Conversions
from fsoft.frontend.sema.scope import FunctionEntry, ObjectName, PendingName, Scope, ScopeEntry
from fsoft.frontend.sema.variable_arrays import VariableArrays
from fsoft.frontend.source import InputError, Loc, Unsupported
from fsoft.frontend.types import CType, Int, Record, Types

if TYPE_CHECKING:
    from fsoft.frontend.link import Linker, NameSummary
    from fsoft.frontend.sema.calls import CallAnalyzer
    from fsoft.frontend.sema.declarations import Declarations
    from fsoft.frontend.sema.expressions import ExpressionAnalyzer
    from fsoft.frontend.sema.initialisers import Initialisers
    from fsoft.frontend.sema.objects import Objects
    from fsoft.frontend.sema.operators import Operators
    from fsoft.frontend.sema.statements import StatementAnalyzer

AstNode = Any  # a pycparser node


@dataclass(slots=True)
class SwitchState:
    type: Int
    ranges: list[tuple[int, int, Loc]] = field(default_factory=list)
    default: Loc | None = None


@dataclass(slots=True)
class FunctionState:
    """What the statements of one function body share."""

    name: str  # linked name
    result: CType
    labels: dict[str, Loc] = field(default_factory=dict)
    gotos: dict[str, Loc] = field(default_factory=dict)
    uniques: dict[str, int] = field(default_factory=dict)
    switches: list[SwitchState] = field(default_factory=list)
    loops: int = 0  # loops around the current statement
    breakable: int = 0  # loops and switches around it


MOST_NESTED = 1500


class UnitContext:
    """One translation unit. The parts (`expressions`, `declarations`, ...) are put in place by `sema.analyzer`."""

    declarations: Declarations
    objects: Objects
    expressions: ExpressionAnalyzer
    operators: Operators
    calls: CallAnalyzer
    initialisers: Initialisers
    statements: StatementAnalyzer

    def __init__(self, linker: Linker, name: str, library: bool):
        self.linker = linker
        self.name = name
        self.library = library
        self.types: Types = linker.types
        self.conversions = Conversions(self.types)
        self.file_scope = Scope()
        self.scope = self.file_scope
        self.function: FunctionState | None = None
        self.arrays = VariableArrays(self)
        self.unevaluated = 0  # inside sizeof, typeof and the like: uses do not count
        self.where: Loc = Loc(name, 1, 0)  # the last place seen, for nodes without one
        self.transparent: set[Record] = set()
        self.summaries: dict[str, NameSummary] = {}

    # ------------------------------------------------------------ errors and places

    def loc(self, node: AstNode) -> Loc:
        coord = node.coord
        if coord is None:
            return self.where
        self.where = Loc(coord.file, coord.line, coord.column or 0)
        return self.where

    def error(self, at: AstNode | Loc, what: str) -> NoReturn:
        raise InputError(at if isinstance(at, Loc) else self.loc(at), what)

    def unsupported(self, at: AstNode | Loc, what: str) -> NoReturn:
        said = what if "not modelled" in what else f"{what} is not supported"
        raise Unsupported(at if isinstance(at, Loc) else self.loc(at), said)

    # ------------------------------------------------------------ names

    def lookup(self, name: str) -> ScopeEntry | None:
        """What a name means here; file-scope declarations are resolved when first asked for."""
        entry = self.scope.lookup(name)
        if type(entry) is PendingName:
            with self.at_file_scope():
                entry = self.linker.resolve(self, entry)
        return entry

    def lookup_or_fail(self, name: str, loc: Loc) -> ScopeEntry:
        entry = self.lookup(name)
        if entry is None:
            import difflib  # only when something is wrong

            close = difflib.get_close_matches(name, self.scope.all_names(), 1, 0.75)
            hint = f"; did you mean '{close[0]}'?" if close else ""
            self.error(loc, f"'{name}' undeclared{hint}")
        return entry

    @contextmanager
    def block(self) -> Iterator[None]:
        """A nested scope."""
        outer = self.scope
        if outer.depth >= MOST_NESTED:
            self.error(self.where, f"statements are nested too deeply (more than {MOST_NESTED} inside each other)")
        self.scope = Scope(outer, depth=outer.depth + 1)
        try:
            yield
        finally:
            self.scope = outer

    @contextmanager
    def at_file_scope(self) -> Iterator[None]:
        saved = self.scope, self.function, self.unevaluated, self.where
        self.scope, self.function, self.unevaluated = self.file_scope, None, 0
        try:
            yield
        finally:
            self.scope, self.function, self.unevaluated, self.where = saved

    @contextmanager
    def without_evaluation(self) -> Iterator[None]:
        self.unevaluated += 1
        try:
            yield
        finally:
            self.unevaluated -= 1

    def unique_name(self, name: str) -> str:
        """A name of a local that is distinct in the linked program: `worker.i`, `worker.i.2`."""
        assert self.function is not None
        count = self.function.uniques.get(name, 0) + 1
        self.function.uniques[name] = count
        return f"{self.function.name}.{name}" if count == 1 else f"{self.function.name}.{name}.{count}"

    def temporary(self, name: str, ctype: CType, loc: Loc) -> tree.Symbol:
        """A fresh local that no name of the user refers to."""
        return tree.Symbol(name, self.unique_name(name), ctype, "local", loc)

    # ------------------------------------------------------------ uses

    def use(self, entry: ObjectName | FunctionEntry) -> None:
        """The program refers to this entity: its definition belongs to the unit."""
        if not self.unevaluated and entry.linked is not None and not entry.linked.used:
            self.linker.use(entry.linked)

    def take_address(self, lvalue: tree.TypedExpr) -> None:
        """The variable below this lvalue has to live in memory."""
        if self.unevaluated:
            return
        while isinstance(lvalue, tree.MemberExpr):
            lvalue = lvalue.base
        if isinstance(lvalue, (tree.VariableExpr, tree.CompoundLiteral)):
            lvalue.symbol.address_taken = True

    def note(self, text: str) -> None:
        self.linker.note(text)

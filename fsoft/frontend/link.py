"""Linking: which declarations of several files speak of the same function or object.

Every file-scope name of a file is summarised once, when something first refers to it. Names with external linkage are one entity in
the program; their declarations must agree. File-static ones stay apart, and get the file's name in front where names clash.
A function that no file defines is taken from the library if the library has it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from pycparser import c_ast

from fsoft.frontend import tree
from fsoft.frontend.nodes import GnuAttribute
from fsoft.frontend.sema import literals
from fsoft.frontend.sema.context import AstNode
from fsoft.frontend.sema.conversions import compatible, composite
from fsoft.frontend.sema.scope import Declared, FunctionEntry, ObjectName, PendingName, ScopeEntry, TypedefName
from fsoft.frontend.source import NOWHERE, InputError, Loc
from fsoft.frontend.types import Array, CType, Function, Int, Types

if TYPE_CHECKING:
    from fsoft.frontend.sema.context import UnitContext


@dataclass(eq=False, slots=True)
class LinkedFunction:
    """A function of the linked program. `definition` is where its body is, if it has one."""

    name: str
    type: Function
    loc: Loc
    definition: tuple[UnitContext, AstNode] | None = None
    static: bool = False
    library: bool = False
    used: bool = False


@dataclass(eq=False, slots=True)
class LinkedObject:
    """An object with static storage. `definition` is the declaration that defines it; `init` its initialiser once analysed."""

    name: str
    type: CType
    loc: Loc
    symbol: tree.Symbol
    definition: tuple[UnitContext, AstNode] | None = None
    init: tree.Initializer | None = None
    defined: bool = False
    used: bool = False
    analysed: bool = False


@dataclass(slots=True)
class NameSummary:
    """What one file says about one of its file-scope names."""

    name: str
    kind: str  # "function", "object" or "typedef"
    declared: Declared
    loc: Loc
    static: bool = False
    inline: bool = False
    thread: bool = False
    definition: AstNode = None  # a FuncDef, or the Decl that defines the object
    where: Loc = NOWHERE  # of the definition
    linked: LinkedFunction | LinkedObject | None = None  # once something has referred to the name
    alias: str = ""  # the function of the same file that this one is another name of

    @property
    def initialised(self) -> bool:
        return self.kind == "object" and self.definition is not None and self.definition.init is not None


class Linker:
    """The entities of a program under analysis. `load_library` gives the context of a library text that defines a function."""

    def __init__(self, types: Types, load_library: Callable[[str], UnitContext | None]):
        self.types = types
        self.units: list[UnitContext] = []
        self.functions: dict[str, LinkedFunction] = {}
        self.objects: dict[str, LinkedObject] = {}
        self.const_values: dict[tree.Symbol, int] = {}  # of const integers
        self.first_values: dict[tree.Symbol, int] = {}  # of all integers that start with a known value
        self.notes: dict[str, None] = {}
        self.work: list[LinkedFunction | LinkedObject] = []
        self._load_library = load_library
        self._basic: dict[tuple[str, ...], CType] | None = None
        self._busy: set[tuple[int, str]] = set()
        self._literals = 0

    # ------------------------------------------------------------ small services

    def basic_types(self, build: Callable[[Types], dict[tuple[str, ...], CType]]) -> dict[tuple[str, ...], CType]:
        if self._basic is None:
            self._basic = build(self.types)
        return self._basic

    def note(self, text: str) -> None:
        self.notes[text] = None

    def use(self, linked: LinkedFunction | LinkedObject) -> None:
        linked.used = True
        self.work.append(linked)

    @staticmethod
    def conflict(name: str, new: CType, loc: Loc, old: CType, old_loc: Loc) -> NoReturn:
        raise InputError(loc, f"conflicting types for '{name}': '{new}' here, '{old}' at {old_loc}")

    # ------------------------------------------------------------ one file

    def resolve(self, context: UnitContext, pending: PendingName) -> ScopeEntry:
        """Replace a pending file-scope name by what it means. The context stands at file scope."""
        summary = self.summary(context, pending)
        entry: ScopeEntry
        if summary.kind == "typedef":
            entry = TypedefName(summary.declared, summary.loc)
        elif summary.kind == "function":
            assert isinstance(summary.declared.type, Function)
            summary.linked = function = self._function(context, summary)
            entry = FunctionEntry(function, summary.declared.type, summary.loc)
        else:
            summary.linked = linked = self._object(context, summary)
            entry = ObjectName(linked.symbol, summary.declared.type, summary.loc, linked)
        context.file_scope.names[pending.name] = entry
        if isinstance(entry, ObjectName) and entry.linked is not None:
            self._early_initialiser(context, entry, summary)
        return entry

    def summary(self, context: UnitContext, pending: PendingName) -> NameSummary:
        known = context.summaries.get(pending.name)
        if known is not None:
            return known
        key = (id(context), pending.name)
        if key in self._busy:
            raise InputError(context.loc(pending.nodes[0]), f"'{pending.name}' is declared in terms of itself")
        self._busy.add(key)
        try:
            with context.at_file_scope():
                result: NameSummary | None = None
                for node in pending.nodes:
                    result = self.merge(context, pending.name, result, node)
        finally:
            self._busy.discard(key)
        assert result is not None
        context.summaries[pending.name] = result
        return result

    def merge(self, context: UnitContext, name: str, old: NameSummary | None, node: AstNode) -> NameSummary:
        """Add one declaration to what is known of a name."""
        is_body = type(node) is c_ast.FuncDef
        decl = node.decl if is_body else node
        declared = context.declarations.declared(decl)
        loc = context.loc(decl)
        if type(node) is c_ast.Typedef:
            new = NameSummary(name, "typedef", declared, loc)
        else:
            function = isinstance(declared.type, Function)
            new = NameSummary(name, "function" if function else "object", declared, loc)
            if "register" in decl.storage:
                raise InputError(loc, f"'{name}' is a global variable in a register of the processor, which is not supported")
            new.static = "static" in decl.storage
            new.inline = "inline" in (decl.funcspec or ())
            new.alias = _alias(context, decl)
            new.thread = "_Thread_local" in decl.storage
            if is_body or (not function and ("extern" not in decl.storage or decl.init is not None)):
                new.definition, new.where = node, loc
        return new if old is None else self._combine(name, old, new)

    def _combine(self, name: str, old: NameSummary, new: NameSummary) -> NameSummary:
        if old.kind != new.kind:
            raise InputError(new.loc, f"'{name}' redeclared as a different kind of symbol, previously at {old.loc}")
        if not compatible(old.declared.type, new.declared.type):
            self.conflict(name, new.declared.type, new.loc, old.declared.type, old.loc)
        twice = old.definition is not None and new.definition is not None
        if twice and (new.kind == "function" or (old.initialised and new.initialised)):
            if not (old.inline or new.inline):
                raise InputError(new.where, f"redefinition of '{name}', previously at {old.where}")
        keep_new = new.definition is not None and (old.definition is None or new.initialised or not twice)
        merged = composite(old.declared.type, new.declared.type)
        declared = new.declared._replace(
            type=merged, atomic=old.declared.atomic or new.declared.atomic, const=old.declared.const or new.declared.const
        )
        return NameSummary(
            name, new.kind, declared, old.loc, old.static or new.static, old.inline or new.inline, old.thread or new.thread,
            new.definition if keep_new else old.definition, new.where if keep_new else old.where, old.linked, old.alias or new.alias,
        )  # fmt: skip

    def _early_initialiser(self, context: UnitContext, entry: ObjectName, summary: NameSummary) -> None:
        """Arrays sized by their initialiser and const integers need it as soon as the name is used."""
        linked = entry.linked
        assert linked is not None
        if linked.definition is not None and not linked.analysed and linked.definition[1].init is not None:
            ctype = linked.type
            unsized = isinstance(ctype, Array) and ctype.count is None
            if unsized or (isinstance(ctype, Int) and summary.declared.const):
                self.initialise(linked)
        if isinstance(entry.type, Array) and linked.definition is not None and linked.definition[0] is context:
            entry.type = linked.symbol.type

    def initialise(self, linked: LinkedObject) -> None:
        """Analyse the initialiser of an object, in the file that defines it."""
        if linked.analysed or linked.definition is None:
            return
        linked.analysed = True
        context, node = linked.definition
        if node.init is None:
            return
        with context.at_file_scope():
            init, ctype = context.initialisers.object(linked.type, node.init, True, linked.loc)
            linked.init = init
            linked.symbol.type = ctype
            context.objects.remember_constant(linked.symbol, context.summaries[node.name].declared, init)

    # ------------------------------------------------------------ names of the linked program

    def _static_name(self, context: UnitContext, name: str) -> str:
        """`counter`, or `a.c:counter` where another file has that name too."""
        elsewhere = any(unit is not context and name in unit.file_scope.names for unit in self.units)
        if not elsewhere and name not in self.functions and name not in self.objects:
            return name
        base = f"{'library' if context.library else context.name}:{name}"
        unique, count = base, 1
        while unique in self.functions or unique in self.objects:
            count += 1
            unique = f"{base}.{count}"
        return unique

    def _others(self, name: str) -> list[tuple[UnitContext, NameSummary]]:
        """What every user file says about a name with external linkage."""
        found = []
        for unit in self.units:
            summary = unit.summaries.get(name)
            if summary is None:
                entry = unit.file_scope.names.get(name)
                summary = self.summary(unit, entry) if isinstance(entry, PendingName) else None
            if summary is not None and not summary.static and summary.kind != "typedef":
                found.append((unit, summary))
        return found

    def _agreed(self, found: list[tuple[UnitContext, NameSummary]], name: str) -> tuple[UnitContext, NameSummary] | None:
        """The definition among the declarations of several files, after checking that all agree."""
        definition: tuple[UnitContext, NameSummary] | None = None
        for unit, summary in found:
            first = found[0][1]
            if summary.kind != first.kind or not compatible(first.declared.type, summary.declared.type):
                self.conflict(name, summary.declared.type, summary.loc, first.declared.type, first.loc)
            if summary.definition is None:
                continue
            if definition is None:
                definition = unit, summary
            elif not (summary.inline or definition[1].inline):
                raise InputError(summary.where, f"multiple definition of '{name}', previously at {definition[1].where}")
        return definition

    # ------------------------------------------------------------ functions

    def _function(self, context: UnitContext, summary: NameSummary) -> LinkedFunction:
        known = summary.linked
        if summary.alias:
            return self._aliased(context, summary)
        if isinstance(known, LinkedFunction):
            if known.definition is None and summary.definition is not None:
                known.definition = context, summary.definition
            return known
        if not summary.static:
            return self.external_function(context, summary.name, summary)
        assert isinstance(summary.declared.type, Function)
        name = summary.name
        if context.library:  # helpers of the library have unique names: one copy serves all its texts
            shared = self.functions.get(name) or self.functions.get(f"library:{name}")
            if shared is not None and shared.library:
                return shared
        linked = LinkedFunction(self._static_name(context, name), summary.declared.type, summary.loc, static=True)
        linked.library = context.library
        if summary.definition is not None:
            linked.definition = context, summary.definition
        self.functions[linked.name] = linked
        return linked

    def _aliased(self, context: UnitContext, summary: NameSummary) -> LinkedFunction:
        """The function that this is another name of."""
        with context.at_file_scope():
            entry = context.lookup(summary.alias)
        if not isinstance(entry, FunctionEntry) or entry.linked.definition is None:
            raise InputError(summary.loc, f"'{summary.name}' is an alias of '{summary.alias}', which this file does not define")
        return entry.linked

    def external_function(self, context: UnitContext | None, name: str, summary: NameSummary | None) -> LinkedFunction:
        """The function of that name with external linkage; a user's definition wins over the library's."""
        linked = self.functions.get(name)
        if linked is not None and not linked.static:
            return linked
        ctype = summary.declared.type if summary is not None else Function(self.types.int, None)
        assert isinstance(ctype, Function)
        linked = LinkedFunction(name, ctype, summary.loc if summary is not None else NOWHERE)
        self.functions[name] = linked
        found = self._others(name)
        definition = self._agreed(found, name)
        for unit, other in found:
            if definition is None and other.alias:
                self.functions[name] = self._aliased(unit, other)
                return self.functions[name]
        if definition is None:
            definition = self._library_definition(context, name, summary)
            linked.library = definition is not None
        if definition is not None:
            unit, defining = definition
            assert isinstance(defining.declared.type, Function)
            linked.definition = unit, defining.definition
            linked.type, linked.loc = defining.declared.type, defining.where
        return linked

    def _library_definition(
        self, context: UnitContext | None, name: str, summary: NameSummary | None
    ) -> tuple[UnitContext, NameSummary] | None:
        if context is not None and context.library and summary is not None and summary.definition is not None:
            return context, summary
        library = self._load_library(name)
        if library is None:
            return None
        entry = library.file_scope.names.get(name)
        if not isinstance(entry, PendingName):
            return None
        found = self.summary(library, entry)
        return (library, found) if found.definition is not None and found.kind == "function" else None

    def library_entry(self, name: str) -> FunctionEntry | None:
        """A function that the file does not declare but that another file or the library defines."""
        linked = self.functions.get(name)
        if linked is None or linked.static:
            if name in self.objects:
                return None
            linked = self.external_function(None, name, None)
            if linked.definition is None:
                del self.functions[name]
                return None
        return FunctionEntry(linked, linked.type, linked.loc) if linked.definition is not None else None

    def implicit(self, context: UnitContext, name: str, loc: Loc) -> FunctionEntry:
        """C89's `int name()`."""
        linked = self.functions.get(name)
        if linked is None or linked.static:
            linked = LinkedFunction(name, Function(self.types.int, None), loc)
            self.functions[name] = linked
        entry = FunctionEntry(linked, linked.type, loc)
        context.file_scope.names.setdefault(name, entry)
        return entry

    def block_function(self, context: UnitContext, node: AstNode, ctype: Function, loc: Loc) -> FunctionEntry:
        """A function declaration inside a block."""
        name = node.name
        visible = context.lookup(name)
        if isinstance(visible, FunctionEntry):
            if not compatible(visible.type, ctype):
                self.conflict(name, ctype, loc, visible.type, visible.loc)
            merged = composite(visible.type, ctype)
            assert isinstance(merged, Function)
            return FunctionEntry(visible.linked, merged, loc)
        summary = NameSummary(name, "function", Declared(ctype), loc)
        linked = self.external_function(context, name, summary)
        if linked.definition is not None and not linked.library and not compatible(linked.type, ctype):
            self.conflict(name, ctype, loc, linked.type, linked.loc)
        return FunctionEntry(linked, ctype, loc)

    # ------------------------------------------------------------ objects

    def _object(self, context: UnitContext, summary: NameSummary) -> LinkedObject:
        known = summary.linked
        if isinstance(known, LinkedObject):
            if known.definition is None:
                self._define(known, context, summary)
            return known
        if not summary.static:
            return self.external_object(context, summary)
        linked = self._new_object(self._static_name(context, summary.name), summary)
        self._define(linked, context, summary)
        return linked

    def _new_object(self, unique: str, summary: NameSummary) -> LinkedObject:
        declared = summary.declared
        storage = "thread" if summary.thread else "global"
        symbol = tree.Symbol(summary.name, unique, declared.type, storage, summary.loc)
        symbol.atomic, symbol.volatile = declared.atomic, declared.volatile
        symbol.align, symbol.quals = declared.align, declared.quals
        linked = LinkedObject(unique, declared.type, summary.loc, symbol)
        self.objects[unique] = linked
        return linked

    def external_object(self, context: UnitContext, summary: NameSummary) -> LinkedObject:
        name = summary.name
        linked = self.objects.get(name)
        if linked is not None and linked.symbol.storage in ("global", "thread"):
            if linked.definition is None and context.library:
                self._define(linked, context, summary)
                if linked.used and linked.defined:  # a file of the user looked at it before
                    self.work.append(linked)
            return linked
        definition = self._agreed(self._others(name), name)
        if definition is None and summary.definition is not None:
            definition = context, summary
        linked = self._new_object(name, summary if definition is None else definition[1])
        if definition is not None:
            self._define(linked, *definition)
        return linked

    @staticmethod
    def _define(linked: LinkedObject, context: UnitContext, summary: NameSummary) -> None:
        if summary.definition is not None:
            linked.definition, linked.defined = (context, summary.definition), True
            linked.type = linked.symbol.type = summary.declared.type
            linked.loc = linked.symbol.loc = summary.where

    def block_object(self, context: UnitContext, node: AstNode, declared: Declared, loc: Loc) -> ObjectName:
        """`extern` inside a block."""
        visible = context.file_scope.names.get(node.name)
        if isinstance(visible, PendingName):
            with context.at_file_scope():
                visible = self.resolve(context, visible)
        if isinstance(visible, ObjectName):
            if not compatible(visible.type, declared.type):
                self.conflict(node.name, declared.type, loc, visible.type, visible.loc)
            return ObjectName(visible.symbol, composite(visible.type, declared.type), loc, visible.linked)
        summary = NameSummary(node.name, "object", declared, loc, thread="_Thread_local" in node.storage)
        linked = self.external_object(context, summary)
        if not compatible(linked.type, declared.type):
            self.conflict(node.name, declared.type, loc, linked.type, linked.loc)
        return ObjectName(linked.symbol, declared.type, loc, linked)

    def anonymous_object(self, ctype: CType, loc: Loc) -> LinkedObject:
        """A compound literal with static storage."""
        self._literals += 1
        name = f"<literal {self._literals}>"
        symbol = tree.Symbol(name, name, ctype, "static", loc, address_taken=True)
        linked = LinkedObject(name, ctype, loc, symbol, defined=True, analysed=True)
        self.objects[name] = linked
        return linked


def _alias(context: UnitContext, decl: AstNode) -> str:
    """What the attribute `alias` names."""
    for attribute in decl.attributes or ():
        if isinstance(attribute, GnuAttribute) and attribute.name == "alias" and attribute.args:
            return literals.string(attribute.args[0].value, context.types)[1].rstrip(b"\0").decode("utf-8", "replace")
    return ""

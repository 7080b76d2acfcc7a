"""The whole analysis: files in, one linked Unit out, with only what the roots reach."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from pycparser import c_ast

from fsoft.frontend import library, nodes, tree
from fsoft.frontend.link import LinkedFunction, LinkedObject, Linker
from fsoft.frontend.parse import ParsedFile, parse_text
from fsoft.frontend.sema.calls import CallAnalyzer
from fsoft.frontend.sema.context import AstNode, UnitContext
from fsoft.frontend.sema.declarations import Declarations
from fsoft.frontend.sema.expressions import ExpressionAnalyzer
from fsoft.frontend.sema.initialisers import Initialisers
from fsoft.frontend.sema.inline_assembly import check_directives
from fsoft.frontend.sema.objects import Objects, attribute_names
from fsoft.frontend.sema.operators import Operators
from fsoft.frontend.sema.scope import FunctionEntry, PendingName
from fsoft.frontend.sema.statements import StatementAnalyzer
from fsoft.frontend.source import InputError, Loc
from fsoft.frontend.types import Array, Function, Record, Types, is_complete


def _library_text(name: str) -> str | None:
    return library.find(name)


@lru_cache(maxsize=256)
def _parsed_library(text: str, name: str) -> ParsedFile:
    return parse_text(text, f"<library>/{name}.c")


class Analyzer:
    """Analyses one program. `add` every file, then `finish` once."""

    def __init__(self, types: Types, library: Callable[[str], str | None] = _library_text):
        self.types = types
        self.linker = Linker(types, self.library_function)
        self._library = library
        self._library_contexts: dict[str, UnitContext] = {}
        self._unit = tree.Unit(types)
        self._current: UnitContext | None = None

    # ------------------------------------------------------------ files

    def add(self, parsed: ParsedFile) -> None:
        """Take in the declarations of one translation unit; bodies and most types wait until something needs them."""
        self.linker.units.append(self._enter(parsed, library=False))

    def library_function(self, name: str) -> UnitContext | None:
        """The scope of the library text that defines a function, parsed on first use; None if there is no model."""
        context = self._library_contexts.get(name)
        if context is None:
            text = self._library(name)
            if text is None:
                return None
            context = self._library_contexts[name] = self._enter(_parsed_library(text, name), library=True)
        return context

    def _enter(self, parsed: ParsedFile, library: bool) -> UnitContext:
        context = UnitContext(self.linker, parsed.name, library)
        context.declarations = Declarations(context)
        context.objects = Objects(context)
        context.expressions = ExpressionAnalyzer(context)
        context.operators = Operators(context)
        context.calls = CallAnalyzer(context)
        context.initialisers = Initialisers(context)
        context.statements = StatementAnalyzer(context)
        for node in parsed.ast.ext:
            self._register(context, node)
        self._unit.lines.update(parsed.lines)
        self._unit.notes.extend(parsed.notes)
        self._unit.contest |= parsed.contest and not library
        return context

    def _register(self, context: UnitContext, node: AstNode) -> None:
        """Enter a file-scope declaration. Tags and enumerators are defined at once, everything else is pending."""
        kind = type(node)
        if kind is c_ast.StaticAssert:
            context.objects.static_assert(node)
        elif kind is nodes.AsmNode:
            check_directives(context, node)
        elif kind in (c_ast.Decl, c_ast.Typedef, c_ast.FuncDef):
            decl = node.decl if kind is c_ast.FuncDef else node
            base = decl.type
            while type(base) in (c_ast.PtrDecl, c_ast.ArrayDecl, c_ast.FuncDecl, c_ast.TypeDecl):
                base = base.type
            if type(base) in (c_ast.Struct, c_ast.Union, c_ast.Enum):
                self._register_tag(context, base, decl)
            if decl.name is not None:
                self._register_name(context, decl.name, node)

    def _register_tag(self, context: UnitContext, base: AstNode, decl: AstNode) -> None:
        body = base.values if type(base) is c_ast.Enum else base.decls
        if decl.name is None:
            context.declarations.records.declare_tag(base)
        elif body is not None:
            context.declarations.specifier(base)
        elif type(base) is not c_ast.Enum and base.name not in context.file_scope.tags:
            context.file_scope.tags[base.name] = Record("struct" if type(base) is c_ast.Struct else "union", base.name)

    def _register_name(self, context: UnitContext, name: str, node: AstNode) -> None:
        entry = context.file_scope.names.get(name)
        if entry is None:
            context.file_scope.names[name] = PendingName(name, [node])
        elif isinstance(entry, PendingName):
            entry.nodes.append(node)
        elif name in context.summaries:  # looked at already, by a declaration above: take the new one into account
            summary = self.linker.merge(context, name, context.summaries[name], node)
            context.summaries[name] = summary
            context.file_scope.names[name] = PendingName(name, [node])
        else:
            context.error(node.decl if type(node) is c_ast.FuncDef else node, f"redeclaration of '{name}'")

    def place(self) -> Loc | None:
        """Where the analysis was last, for errors that have no place of their own."""
        return None if self._current is None else self._current.where

    # ------------------------------------------------------------ the result

    def finish(self, roots: Sequence[str] | None) -> tree.Unit:
        """Analyse what the roots reach (all of the users' functions if None) and hand over the linked program."""
        for name in self._all_functions() if roots is None else roots:
            self._use_root(name)
        self._use_constructors()
        work = self.linker.work
        position = 0
        while position < len(work):
            linked = work[position]
            position += 1
            if isinstance(linked, LinkedFunction):
                self._finish_function(linked)
            else:
                self._finish_object(linked)
        self._collect_records()
        self._unit.notes.extend(self.linker.notes)
        return self._unit

    def _all_functions(self) -> list[str]:
        names = []
        for unit in self.linker.units:
            for name, entry in unit.file_scope.names.items():
                if isinstance(entry, PendingName) and any(type(node) is c_ast.FuncDef for node in entry.nodes):
                    names.append(name)
        return names

    def _use_root(self, name: str) -> None:
        found = False
        for unit in self.linker.units:
            entry = unit.lookup(name)
            if isinstance(entry, FunctionEntry) and entry.linked.definition is not None and not entry.linked.library:
                unit.use(entry)
                found = True
        if not found:
            where = self.linker.units[0].name if self.linker.units else "<input>"
            raise InputError(Loc(where, 0), f"no definition of function '{name}'")

    def _use_constructors(self) -> None:
        """Functions that run before or after main count as used; their attributes say what they are."""
        for unit in self.linker.units:
            for name, entry in list(unit.file_scope.names.items()):
                for node in entry.nodes if isinstance(entry, PendingName) else ():
                    if type(node) is c_ast.FuncDef and attribute_names(node.decl) & {"constructor", "destructor"}:
                        self._use_root(name)

    def _finish_function(self, linked: LinkedFunction) -> None:
        if linked.definition is None:
            self._unit.declared[linked.name] = (linked.type, linked.loc)
            return
        context, node = linked.definition
        self._current = context
        params, body = context.statements.body(node, linked.name, linked.type)
        ctype = self._defined_type(linked.type, params, node)
        attributes = attribute_names(node.decl)
        if linked.library:
            attributes |= {"library"}
        self._unit.functions[linked.name] = tree.FunctionDef(
            linked.name, ctype, params, body, context.loc(node.decl), linked.static, attributes
        )

    @staticmethod
    def _defined_type(declared: Function, params: tuple[tree.Symbol, ...], node: AstNode) -> Function:
        """The type as the definition itself has it: a prototype elsewhere does not add parameters."""
        if declared.params is None or len(declared.params) == len(params):
            return declared
        return Function(declared.result, tuple(symbol.type for symbol in params) or None, declared.variadic)

    def _finish_object(self, linked: LinkedObject) -> None:
        self.linker.initialise(linked)
        symbol = linked.symbol
        if linked.defined and isinstance(symbol.type, Array) and symbol.type.count is None:
            symbol.type = Array(symbol.type.element, 1, symbol.type.atomic)
        if linked.defined and not is_complete(symbol.type):
            raise InputError(linked.loc, f"'{symbol.name}' has incomplete type '{symbol.type}'")
        self._unit.globals[symbol.unique] = tree.GlobalDef(symbol, linked.init, linked.defined)

    def _collect_records(self) -> None:
        for unit in self.linker.units:
            for tag in unit.file_scope.tags.values():
                if isinstance(tag, Record) and tag.fields is not None:
                    self._unit.records.setdefault(str(tag), tag)

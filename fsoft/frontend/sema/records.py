"""Definitions of structs, unions and enumerations."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from fsoft.frontend.nodes import GnuAttribute
from fsoft.frontend.sema.context import AstNode, UnitContext
from fsoft.frontend.sema.layout import MemberSpec, lay_out
from fsoft.frontend.sema.scope import Declared, EnumConstant
from fsoft.frontend.source import Loc
from fsoft.frontend.types import Array, CType, Function, Int, Record, is_complete


class Records:
    """Tags of one translation unit. A specifier shared by several declarators is one type."""

    def __init__(self, context: UnitContext):
        self.context = context
        self._done: dict[int, tuple[Any, Record | Int]] = {}  # by identity of the node, which is kept alive here
        self._va_list: CType | None = None

    # ------------------------------------------------------------ struct and union

    def record(self, node: AstNode) -> Record:
        known = self._done.get(id(node))
        if known is not None:
            assert isinstance(known[1], Record)
            return known[1]
        kind = "struct" if type(node) is c_ast.Struct else "union"
        if node.decls is None:
            return self._reference(node, kind)
        record = self._new_definition(node, kind)
        self._done[id(node)] = (node, record)
        members = self._members(node, record)
        packed, pack, align = self._record_attributes(node, record)
        lay_out(record, members, packed, pack, align)
        self._check_names(node, record)
        return record

    def _reference(self, node: AstNode, kind: str) -> Record:
        tag = self.context.scope.lookup_tag(node.name)
        if tag is None:
            tag = self.context.scope.tags[node.name] = Record(kind, node.name)
        return self._right_kind(tag, node, kind)

    def _right_kind(self, tag: Record | Int, node: AstNode, kind: str) -> Record:
        if not isinstance(tag, Record) or tag.kind != kind:
            self.context.error(node, f"'{node.name}' is not a {kind}: it was declared as '{tag}'")
        return tag

    def _new_definition(self, node: AstNode, kind: str) -> Record:
        if not node.name:
            return Record(kind, "")
        tags = self.context.scope.tags
        tag = tags.get(node.name)
        if tag is None:
            tag = tags[node.name] = Record(kind, node.name)
        record = self._right_kind(tag, node, kind)
        if record.fields is not None:
            self.context.error(node, f"redefinition of '{record}'")
        return record

    def declare_tag(self, node: AstNode) -> None:
        """A declaration without declarators: `struct s;` declares s in this very scope."""
        if type(node) is c_ast.Enum:
            self.enum(node)
        elif type(node) in (c_ast.Struct, c_ast.Union):
            if node.decls is None and node.name not in self.context.scope.tags:
                self.context.scope.tags[node.name] = Record("struct" if type(node) is c_ast.Struct else "union", node.name)
            self.record(node)

    def _record_attributes(self, node: AstNode, record: Record) -> tuple[bool, int, int]:
        packed, pack, align = False, 0, 0
        for attribute in node.attributes or ():
            if not isinstance(attribute, GnuAttribute):
                continue
            if attribute.name == "packed":
                packed = True
            elif attribute.name == "pack":
                pack = self.context.expressions.integer_constant(attribute.args[0], "argument of #pragma pack")
            elif attribute.name == "aligned":
                align = max(align, self.context.declarations.alignment(attribute))
            elif attribute.name == "transparent_union":
                self.context.transparent.add(record)
            elif attribute.name in ("scalar_storage_order", "ms_struct"):
                self.context.unsupported(node, f"attribute '{attribute.name}' on '{record}'")
        return packed, pack, align

    def _members(self, node: AstNode, record: Record) -> list[MemberSpec]:
        members: list[MemberSpec] = []
        declarations = node.decls
        for index, decl in enumerate(declarations):
            if type(decl) is c_ast.StaticAssert:
                self.context.objects.static_assert(decl)
            elif type(decl) is c_ast.Decl:
                last = index == len(declarations) - 1
                spec = self._member(decl, last)
                if spec is not None:
                    members.append(spec)
        return members

    def _member(self, decl: AstNode, last: bool) -> MemberSpec | None:
        inner = decl.type
        if not decl.name and decl.bitsize is None:
            if type(inner) not in (c_ast.Struct, c_ast.Union) or inner.name:
                self.context.declarations.of(inner, "")  # declares a tag and no member
                return None
        declared = self.context.declarations.declared(decl)
        packed = any(isinstance(item, GnuAttribute) and item.name == "packed" for item in decl.attributes or ())
        spec = MemberSpec(decl.name or "", declared.type, declared.atomic, declared.align, packed, quals=declared.quals)
        if decl.bitsize is not None:
            spec.width = self._width(decl, declared)
        else:
            self._check_member_type(decl, declared.type, last)
        return spec

    def _check_member_type(self, decl: AstNode, ctype: CType, last: bool) -> None:
        if isinstance(ctype, Function):
            self.context.error(decl, f"member '{decl.name}' is declared as a function")
        flexible = isinstance(ctype, Array) and ctype.count is None and is_complete(ctype.element)
        if not is_complete(ctype) and not (flexible and last):
            self.context.error(decl, f"member '{decl.name}' has incomplete type '{ctype}'")

    def _width(self, decl: AstNode, declared: Declared) -> int:
        context, name = self.context, decl.name or "<anonymous>"
        if not isinstance(declared.type, Int):
            context.error(decl, f"bit-field '{name}' has type '{declared.type}', which is not an integer type")
        width = context.expressions.integer_constant(decl.bitsize, f"width of bit-field '{name}'")
        if width < 0:
            context.error(decl, f"negative width of bit-field '{name}'")
        if width > declared.type.bits:
            context.error(decl, f"width of bit-field '{name}' exceeds its type '{declared.type}'")
        if width == 0 and decl.name:
            context.error(decl, f"zero width for bit-field '{name}'")
        return width

    def _check_names(self, node: AstNode, record: Record) -> None:
        seen: set[str] = set()
        for member in record.fields or ():
            inside = member.type.members if not member.name and isinstance(member.type, Record) else {member.name: ()}
            for name in inside:
                if name in seen:
                    self.context.error(node, f"duplicate member '{name}' in '{record}'")
                seen.add(name)

    def va_list(self) -> CType:
        """`va_list` of the target; see `program/lower/variable_arguments.py`."""
        types = self.context.types
        if types.model.pointer == 4:
            return types.pointer(types.char)
        if self._va_list is None:
            record = Record("struct", "__va_list_tag")
            names = (("gp_offset", types.uint), ("fp_offset", types.uint))
            pointers = (("overflow_arg_area", types.void_ptr), ("reg_save_area", types.void_ptr))
            lay_out(record, [MemberSpec(name, ctype) for name, ctype in (*names, *pointers)], False, 0, 0)
            self._va_list = Array(record, 1)
        return self._va_list

    # ------------------------------------------------------------ enum

    def enum(self, node: AstNode) -> Int:
        known = self._done.get(id(node))
        if known is not None:
            assert isinstance(known[1], Int)
            return known[1]
        scope = self.context.scope
        if node.values is None:
            tag = scope.lookup_tag(node.name)
            if tag is None:
                tag = scope.tags[node.name] = self._enum_type(node.name, 0, 0, False)
            if not isinstance(tag, Int):
                self.context.error(node, f"'{node.name}' is not an enum: it was declared as '{tag}'")
            return tag
        result = self._define_enum(node)
        self._done[id(node)] = (node, result)
        if node.name:
            scope.tags[node.name] = result
        return result

    def _define_enum(self, node: AstNode) -> Int:
        values: list[tuple[str, int, Loc]] = []
        following = 0
        for item in node.values.enumerators:
            if type(item) is not c_ast.Enumerator:
                continue
            if item.value is not None:
                following = self.context.expressions.integer_constant(item.value, f"value of enumerator '{item.name}'")
            loc = self.context.loc(item)
            self._declare_constant(item.name, following, self.context.types.llong, loc)
            values.append((item.name, following, loc))
            following += 1
        low = min((value for _, value, _ in values), default=0)
        high = max((value for _, value, _ in values), default=0)
        packed = any(isinstance(item, GnuAttribute) and item.name == "packed" for item in node.attributes or ())
        result = self._enum_type(node.name or "", low, high, packed)
        for name, value, loc in values:
            fits = -(1 << 31) <= value < 1 << 31
            self.context.scope.names[name] = EnumConstant(self.context.types.int if fits else result, value, loc)
        return result

    def _declare_constant(self, name: str, value: int, ctype: Int, loc: Loc) -> None:
        names = self.context.scope.names
        if name in names:
            self.context.error(loc, f"redeclaration of '{name}'")
        fits = -(1 << 31) <= value < 1 << 31
        names[name] = EnumConstant(self.context.types.int if fits else ctype, value, loc)

    def _enum_type(self, tag: str, low: int, high: int, packed: bool) -> Int:
        """gcc's choice: the first type that holds all values, unsigned unless one is negative, not below int unless packed."""
        types = self.context.types
        signed: tuple[Int, ...] = (types.int, types.long, types.llong)
        unsigned: tuple[Int, ...] = (types.uint, types.ulong, types.ullong)
        if packed:
            signed, unsigned = (types.schar, types.short, *signed), (types.uchar, types.ushort, *unsigned)
        name = f"enum {tag or '<anonymous>'}"
        for base in signed if low < 0 else unsigned:
            bits = base.bits - base.signed
            if high < 1 << bits and low >= -(1 << bits):
                return Int(name, base.size, base.signed, base.rank, base.align)
        last = types.llong if low < 0 else types.ullong
        return Int(name, last.size, last.signed, last.rank, last.align)

"""Initialisers: designators, brace elision and strings flattened to (offset, scalar) items (C99 6.7.8)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from pycparser import c_ast

from fsoft.frontend import nodes, tree
from fsoft.frontend.sema import literals
from fsoft.frontend.sema.context import AstNode, UnitContext
from fsoft.frontend.sema.conversions import compatible
from fsoft.frontend.sema.static_values import static_value
from fsoft.frontend.source import Loc
from fsoft.frontend.types import Array, CType, Field, Int, Record, is_complete, is_scalar, size_of


@dataclass(slots=True)
class _Stream:
    """The items of one brace list, with the analysed form of the item in front."""

    items: list[AstNode]
    position: int = 0
    analysed: tree.TypedExpr | None = None
    undesignated: bool = False  # the designators of the item in front have been followed

    def done(self) -> bool:
        return self.position >= len(self.items)

    def designators(self) -> list[AstNode] | None:
        item = self.items[self.position]
        return item.name if type(item) is c_ast.NamedInitializer and not self.undesignated else None

    def node(self) -> AstNode:
        item = self.items[self.position]
        return item.expr if type(item) is c_ast.NamedInitializer else item

    def advance(self) -> None:
        self.position += 1
        self.analysed = None
        self.undesignated = False


@dataclass(slots=True)
class _Target:
    """What is being initialised; `end` is one past the last byte that an item covers. `members` has the member of each union, by offset
    and type, that is initialised so far."""

    static: bool
    items: list[tree.InitItem] = field(default_factory=list)
    end: int = 0
    members: dict[tuple[int, int], int] = field(default_factory=dict)
    designated: bool = False  # only then can something be initialised twice

    def add(self, offset: int, ctype: CType, value: tree.TypedExpr, bitfield: Field | None = None) -> None:
        self.items.append(tree.InitItem(offset, ctype, value, bitfield))

    def forget(self, offset: int, size: int) -> bool:
        """A subobject is initialised anew as a whole: the rest of it is zero. False if it is part of an item that stays."""
        inside = [offset <= item.offset and item.offset + size_of(item.type) <= offset + size for item in self.items]
        apart = [item.offset + size_of(item.type) <= offset or offset + size <= item.offset for item in self.items]
        self.items = [item for item, gone in zip(self.items, inside, strict=True) if not gone]
        return all(a or b for a, b in zip(inside, apart, strict=True))

    def ordered(self) -> tuple[tree.InitItem, ...]:
        """As gcc evaluates them: by place, and without those that are overridden, if only in a part. (C11 6.7.9p23 leaves the order open,
        and whether a value that is overridden is computed.)"""
        if not self.designated:
            return tuple(self.items)
        kept: dict[tuple[int, int, int], tree.InitItem] = {}
        wholes: list[tuple[int, int, int]] = []  # those of `kept` that are structs
        for item in self.items:
            key = _place(item)
            kept.pop(key, None)
            if not is_scalar(item.type):
                kept = {other: old for other, old in kept.items() if not key[0] <= other[0] <= other[2] <= key[2]}
            for whole in [whole for whole in wholes if whole[0] <= key[0] <= key[2] <= whole[2]]:
                kept.pop(whole, None)
                wholes.remove(whole)
            if not is_scalar(item.type):
                wholes.append(key)
            kept[key] = item
        return tuple(item for _, item in sorted(kept.items(), key=lambda entry: entry[0][:2]))

    def cover(self, end: int) -> None:
        self.end = max(self.end, end)


def _place(item: tree.InitItem) -> tuple[int, int, int]:
    """The first byte, the first bit in it of a bit-field, and the byte behind the last one."""
    return item.offset, item.bitfield.bit_offset if item.bitfield else 0, item.offset + size_of(item.type)


class Initialisers:
    def __init__(self, context: UnitContext):
        self.context = context
        self.types = context.types

    def object(self, ctype: CType, node: AstNode, static: bool, loc: Loc) -> tuple[tree.Initializer, CType]:
        """The initialiser of an object, and its type with the size that the initialiser gives it."""
        literal = self._literal_list(ctype, node)
        if literal is not None:
            node = literal
        target = _Target(static)
        if type(node) is c_ast.InitList:
            self._braced(target, ctype, 0, node, None)
        elif isinstance(ctype, Array):
            if not self._string(target, ctype, 0, _Stream([node])):
                self.context.error(node, f"invalid initialiser for an array of type '{ctype}'")
        else:
            self._bare(target, ctype, node)
            return tree.Initializer(tuple(target.items), False), ctype
        return tree.Initializer(target.ordered(), True), self._sized(ctype, target.end)

    def _bare(self, target: _Target, ctype: CType, node: AstNode) -> None:
        """A scalar or record initialised by an expression."""
        expr = self.context.expressions.value(node)
        value = self.context.conversions.assign(expr, ctype, self.context.loc(node), f"initialising type '{ctype}'")
        target.add(0, ctype, self._checked(target, value))

    def _literal_list(self, ctype: CType, node: AstNode) -> AstNode | None:
        """The list of a compound literal that initialises an aggregate of its own type (GNU C)."""
        if type(node) is not c_ast.CompoundLiteral or is_scalar(ctype):
            return None
        literal = self.context.declarations.type_name(node.type).type
        return node.init if compatible(literal, ctype) else None

    def _sized(self, ctype: CType, end: int) -> CType:
        """Complete an array of unknown size; give a struct with a flexible array the room it needs."""
        if isinstance(ctype, Array) and ctype.count is None:
            size = size_of(ctype.element)
            return Array(ctype.element, -(-end // size) if size else 0, ctype.atomic)
        if isinstance(ctype, Record) and ctype.fields and end > ctype.size:
            last = ctype.fields[-1]
            if isinstance(last.type, Array) and not last.type.count:
                wide = Record(ctype.kind, ctype.tag)
                array = self._sized(Array(last.type.element, None, last.type.atomic), end - last.offset)
                wide.complete((*ctype.fields[:-1], replace(last, type=array)), end, ctype.align)
                return wide
        return ctype

    # ------------------------------------------------------------ lists

    def _braced(self, target: _Target, ctype: CType, offset: int, node: AstNode, bitfield: Field | None) -> None:
        """`{...}` for an object of type `ctype` at `offset`."""
        stream = _Stream(node.exprs or [])
        if isinstance(ctype, (Record, Array)):
            if self._string_in_braces(target, ctype, offset, stream):
                return
            self._fill(target, ctype, offset, stream, [], True)
        elif not stream.done():
            if stream.designators() is not None:
                self.context.error(stream.items[0], f"designator in the initialiser of a value of type '{ctype}'")
            self._element(target, ctype, offset, stream, bitfield)
        elif is_scalar(ctype):
            target.cover(offset + size_of(ctype))

    def _string_in_braces(self, target: _Target, ctype: CType, offset: int, stream: _Stream) -> bool:
        """`char s[] = {"text"}`."""
        if len(stream.items) == 1 and stream.designators() is None and isinstance(ctype, Array):
            return self._string(target, ctype, offset, stream)
        return False

    def _fill(self, target: _Target, ctype: Record | Array, offset: int, stream: _Stream, path: list[AstNode], braced: bool) -> None:
        """Initialise members or elements in order, from where `path` leads. Without braces of its own (`braced` False), the
        aggregate takes what it needs and leaves the rest, and every designator, to the list around it."""
        index = 0
        while True:
            if not path:
                if stream.done():
                    return
                found = stream.designators()
                if found is not None:
                    if not braced:
                        return
                    path = found
                    stream.undesignated = True
            if path:
                index = self._designated(target, ctype, offset, stream, path)
                path = []
                continue
            place = self._place(ctype, index)
            if place is None:
                if not braced:
                    return
                stream.advance()  # excess elements are ignored, as gcc does
                continue
            if isinstance(ctype, Record) and ctype.kind == "union":
                target.members[offset, id(ctype)] = index
            self._element(target, place[0], offset + place[1], stream, place[2])
            index += 1

    def _place(self, ctype: Record | Array, index: int) -> tuple[CType, int, Field | None] | None:
        """Type, offset and bit-field of the element or member number `index`; None past the end."""
        if isinstance(ctype, Array):
            if ctype.count is not None and index >= ctype.count:
                return None
            return ctype.element, index * size_of(ctype.element), None
        fields = ctype.fields or ()
        if index >= len(fields) or (ctype.kind == "union" and index > 0):
            return None
        member = fields[index]
        return member.type, member.offset, member if member.bit_width is not None else None

    # ------------------------------------------------------------ designators

    def _designated(self, target: _Target, ctype: Record | Array, offset: int, stream: _Stream, path: list[AstNode]) -> int:
        """Initialise what the designators lead to; gives the index at which the list goes on."""
        head, rest = path[0], path[1:]
        target.designated = True
        if isinstance(ctype, Array):
            return self._array_designator(target, ctype, offset, stream, head, rest)
        if type(head) is not c_ast.ID:
            self.context.error(stream.node(), f"array designator in the initialiser of '{ctype}'")
        route = ctype.members.get(head.name)
        if route is None:
            self.context.error(head if head.coord else stream.node(), f"'{ctype}' has no member named '{head.name}'")
        first = route[0]
        position = (ctype.fields or ()).index(first)
        if ctype.kind == "union" and target.members.setdefault((offset, id(ctype)), position) != position:
            target.members[offset, id(ctype)] = position
            self._anew(target, ctype, offset, stream)
        if len(route) > 1:
            rest = [head, *rest]  # the member lies inside an anonymous one
        self._follow(target, first.type, offset + first.offset, stream, rest, first if first.bit_width is not None else None)
        return position + 1 if ctype.kind == "struct" else max(1, position + 1)

    def _array_designator(self, target: _Target, ctype: Array, offset: int, stream: _Stream, head: AstNode, rest: list[AstNode]) -> int:
        constant = self.context.expressions.integer_constant
        if type(head) is nodes.RangeDesignator:
            low, high = constant(head.low, "array index"), constant(head.high, "array index")
        elif type(head) is c_ast.ID:
            self.context.error(stream.node(), f"member designator '.{head.name}' in the initialiser of an array")
        else:
            index = head.expr if type(head) is c_ast.ArrayDesignator else head
            low = high = constant(index, "array index")
        if low < 0 or high < low or (ctype.count is not None and high >= ctype.count):
            self.context.error(stream.node(), "array index in initialiser exceeds the bounds of the array")
        size = size_of(ctype.element)
        before = len(target.items)
        self._follow(target, ctype.element, offset + low * size, stream, rest, None)
        written = target.items[before:]
        for index in range(1, high - low + 1):
            target.items.extend(replace(item, offset=item.offset + index * size) for item in written)
        target.cover(offset + (high + 1) * size)
        return high + 1

    def _follow(self, target: _Target, ctype: CType, offset: int, stream: _Stream, rest: list[AstNode], bitfield: Field | None) -> None:
        if not rest:
            self._element(target, ctype, offset, stream, bitfield)
        elif isinstance(ctype, (Record, Array)):
            self._fill(target, ctype, offset, stream, rest, False)
            target.cover(offset + size_of(ctype))
        else:
            self.context.error(stream.node(), f"designator goes into a value of type '{ctype}'")

    # ------------------------------------------------------------ single elements

    def _element(self, target: _Target, ctype: CType, offset: int, stream: _Stream, bitfield: Field | None) -> None:
        """Initialise one subobject from the front of the stream."""
        target.cover(offset + size_of(ctype))
        node = stream.node()
        if type(node) is c_ast.InitList:
            if isinstance(ctype, (Record, Array)):
                self._anew(target, ctype, offset, stream)
            stream.advance()
            self._braced(target, ctype, offset, node, bitfield)
            return
        if isinstance(ctype, Array):
            if self._string(target, ctype, offset, stream):
                return
            self._fill(target, ctype, offset, stream, [], False)
            return
        if stream.analysed is None:
            stream.analysed = self.context.expressions.value(node)
        expr = stream.analysed
        if isinstance(ctype, Record):
            self._record(target, ctype, offset, stream, expr)
            return
        stream.advance()
        value = self.context.conversions.assign(expr, ctype, expr.loc, f"initialising type '{ctype}'")
        target.add(offset, ctype, self._checked(target, value), bitfield)

    def _anew(self, target: _Target, ctype: CType, offset: int, stream: _Stream) -> None:
        if target.designated and not target.forget(offset, size_of(ctype)):
            self.context.unsupported(self.context.loc(stream.node()), "a list for a part of what another initialiser gives as a whole")

    def _record(self, target: _Target, ctype: Record, offset: int, stream: _Stream, expr: tree.TypedExpr) -> None:
        if isinstance(expr.type, Record) and compatible(expr.type, ctype):
            stream.advance()
            if target.static:
                self.context.error(expr.loc, "initialiser of an object with static storage is not constant")
            target.add(offset, ctype, expr)
            return
        if not ctype.fields:
            if not is_complete(ctype):
                self.context.error(expr.loc, f"initialiser for incomplete type '{ctype}'")
            return
        self._fill(target, ctype, offset, stream, [], False)

    def _string(self, target: _Target, ctype: Array, offset: int, stream: _Stream) -> bool:
        """A string literal that initialises a character array."""
        node = stream.node()
        if type(node) is not c_ast.Constant or "string" not in node.type or not isinstance(ctype.element, Int):
            return False
        element, data = literals.string(node.value, self.types)
        size = ctype.element.size
        if size != element.size or (size > 1 and ctype.element.signed != element.signed):
            return False
        if ctype.count is not None:
            self._anew(target, ctype, offset, stream)
        stream.advance()
        length = len(data) // size
        count = length if ctype.count is None else min(length, ctype.count)
        if ctype.count is not None and length - 1 > ctype.count:
            self.context.error(node, f"the string does not fit in '{ctype}'")
        loc = self.context.loc(node)
        for index in range(count):
            unit = int.from_bytes(data[index * size : (index + 1) * size], "little", signed=ctype.element.signed)
            if unit:
                target.add(offset + index * size, ctype.element, tree.IntConstant(ctype.element, loc, unit))
        target.cover(offset + count * size)
        return True

    def _checked(self, target: _Target, value: tree.TypedExpr) -> tree.TypedExpr:
        if not target.static:
            return value
        constant = static_value(value, self.context.linker.const_values)
        if constant is None:
            self.context.error(value.loc, "initialiser of an object with static storage is not constant")
        return constant

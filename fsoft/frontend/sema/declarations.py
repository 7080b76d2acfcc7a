"""Types as declarations spell them: specifiers, declarators, struct, union and enum definitions."""

from __future__ import annotations

from pycparser import c_ast

from fsoft.frontend import tree
from fsoft.frontend.nodes import GnuAttribute
from fsoft.frontend.sema.context import AstNode, UnitContext
from fsoft.frontend.sema.records import Records
from fsoft.frontend.sema.scope import Declared, TypedefName
from fsoft.frontend.source import InputError
from fsoft.frontend.types import VOID, Array, CType, Float, Function, Int, Pointer, Record, Types, Void, align_of, is_complete

_NO_SUCH_TYPE = ("_Complex", "_Float16", "_Decimal32", "_Decimal64", "_Decimal128")
_MAX_ALIGN = 16
_MODES = {
    "QI": "char", "byte": "char", "HI": "short", "SI": "int", "DI": "llong", "TI": "int128", "SF": "float", "DF": "double",
}  # fmt: skip


def _basic_types(types: Types) -> dict[tuple[str, ...], CType]:
    """Every legal combination of type words, in alphabetical order of the words."""
    table: dict[tuple[str, ...], CType] = {
        ("void",): VOID, ("_Bool",): types.bool, ("char",): types.char, ("char", "signed"): types.schar,
        ("char", "unsigned"): types.uchar, ("signed",): types.int, ("unsigned",): types.uint,
        ("float",): types.float, ("double",): types.double, ("double", "long"): types.ldouble,
        ("_Float128",): Float("_Float128", 16, 64, 16), ("__float80",): types.ldouble,
    }  # fmt: skip
    families = [
        ((), types.int, types.uint), (("short",), types.short, types.ushort), (("long",), types.long, types.ulong),
        (("long", "long"), types.llong, types.ullong),
    ]  # fmt: skip
    for words, signed, unsigned in families:
        for extra in ((), ("int",)):
            if words or extra:
                table[tuple(sorted((*words, *extra)))] = signed
            table[tuple(sorted((*words, *extra, "signed")))] = signed
            table[tuple(sorted((*words, *extra, "unsigned")))] = unsigned
    for word in ((), ("signed",)):
        table[("__int128", *word)] = types.int128
    table[("__int128", "unsigned")] = types.uint128
    return table


class Declarations:
    """Builds types for one translation unit."""

    def __init__(self, context: UnitContext):
        self.context = context
        self.types = context.types
        self.records = Records(context)
        self._basic = context.linker.basic_types(_basic_types)
        self._prototypes = 0  # lists of parameters around the current declarator

    # ------------------------------------------------------------ whole declarations

    def declared(self, node: AstNode) -> Declared:
        """The type that a Decl, Typedef or Typename declares, attributes and alignment included."""
        base = self.of(node.type, getattr(node, "name", None) or "")
        attributes = getattr(node, "attributes", None)
        align = getattr(node, "align", None)
        if attributes:
            base = self._with_attributes(base, attributes, node)
        if align:
            for item in align:
                base = base._replace(align=max(base.align, self._alignas(item.alignment)))
        return base

    def type_name(self, node: AstNode) -> Declared:
        """The type of a cast, sizeof, compound literal and so on."""
        return self.of(node.type, "")

    def _with_attributes(self, base: Declared, attributes: list[AstNode], node: AstNode) -> Declared:
        for attribute in attributes:
            if not isinstance(attribute, GnuAttribute):
                continue
            if attribute.name == "aligned":
                align = self.alignment(attribute)
                if isinstance(node, c_ast.Typedef) and align < align_of(base.type):
                    self.context.unsupported(node, f"the alignment of '{node.name}', which is below that of its type")
                base = base._replace(align=max(base.align, align))
            elif attribute.name == "mode":
                base = base._replace(type=self._mode(base.type, attribute))
            elif attribute.name == "transparent_union" and isinstance(base.type, Record):
                self.context.transparent.add(base.type)
            elif attribute.name in ("vector_size", "scalar_storage_order") or (
                attribute.name == "alias" and not isinstance(base.type, Function)
            ):
                self.context.unsupported(node, f"attribute '{attribute.name}' on '{node.name}'")
        return base

    def alignment(self, attribute: AstNode) -> int:
        """The argument of `aligned`; without one it is the largest alignment that the target has a use for."""
        if not attribute.args:
            return _MAX_ALIGN
        return self._positive_power(attribute.args[0])

    def _alignas(self, node: AstNode) -> int:
        if isinstance(node, c_ast.Typename):
            declared = self.type_name(node)
            return declared.align or align_of(declared.type)
        return self._positive_power(node)

    def _positive_power(self, node: AstNode) -> int:
        value = self.context.expressions.integer_constant(node, "requested alignment")
        if value < 0 or value & (value - 1):
            self.context.error(node, "requested alignment is not a power of two")
        return value

    def _mode(self, ctype: CType, attribute: AstNode) -> CType:
        name = attribute.args[0].name.strip("_") if attribute.args and isinstance(attribute.args[0], c_ast.ID) else ""
        unsigned = isinstance(ctype, Int) and not ctype.signed
        if name in ("word", "pointer", "unwind_word"):
            return self.types.size_t if unsigned else self.types.ptrdiff_t
        attr = _MODES.get(name)
        if attr is None:
            self.context.unsupported(attribute, f"machine mode '{name}'")
        if attr == "llong" and self.types.long.size == 8:
            attr = "long"
        if isinstance(ctype, Int) and attr not in ("float", "double"):
            attr = "u" + attr if unsigned else ("schar" if attr == "char" else attr)
        result: CType = getattr(self.types, attr)
        return result

    # ------------------------------------------------------------ declarators

    def of(self, node: AstNode, name: str) -> Declared:
        """The type of a chain of declarators; `name` is what is being declared, for messages."""
        kind = type(node)
        if kind is c_ast.TypeDecl:
            return self._qualified(self.specifier(node.type), node.quals)
        if kind is c_ast.PtrDecl:
            target = self.of(node.type, name)
            pointer = Declared(Pointer(target.type, self.types.model.pointer, target.atomic, target.quals))
            return self._qualified(pointer, node.quals) if node.quals else pointer
        if kind is c_ast.ArrayDecl:
            return self._array(node, name)
        if kind is c_ast.FuncDecl:
            return Declared(self.function(node))
        return self.specifier(node)

    @staticmethod
    def _qualified(base: Declared, quals: list[str]) -> Declared:
        if not quals:
            return base
        return base._replace(
            atomic=base.atomic or "_Atomic" in quals,
            volatile=base.volatile or "volatile" in quals,
            const=base.const or "const" in quals,
        )

    def _array(self, node: AstNode, name: str) -> Declared:
        element = self.of(node.type, name)
        what = f"'{name}'" if name else "the array"
        if isinstance(element.type, Function):
            self.context.error(node, f"{what} declared as an array of functions")
        if not is_complete(element.type) and not self._prototypes:
            self.context.error(node, f"{what} has elements of incomplete type '{element.type}'")
        count = None if node.dim is None else self._dimension(node, name)
        length = self._length(node) if node.dim is not None and count is None else None
        array = Array(element.type, count, element.atomic, length)
        return element._replace(type=array, atomic=False)

    def _dimension(self, node: AstNode, name: str) -> int | None:
        context = self.context
        what = f"'{name}'" if name else "array"
        if isinstance(node.dim, c_ast.ID) and node.dim.name == "*":
            return None
        try:
            value = context.expressions.constant_or_const_object(node.dim)
        except InputError:
            if self._prototypes:  # a length may name another parameter
                return None
            raise
        if value is None and context.function is None and not self._prototypes:
            context.error(node.dim, f"size of {what} is not a constant")
        if value is not None and value < 0:
            context.error(node.dim, f"size of {what} is negative")
        return value

    def _length(self, node: AstNode) -> tree.TypedExpr | None:
        """The length of an array of variable length; None in prototypes, where it does not matter."""
        if self._prototypes or (isinstance(node.dim, c_ast.ID) and node.dim.name == "*"):
            return None
        value = self.context.expressions.value(node.dim)
        return self.context.conversions.convert(value, self.types.size_t, value.loc)

    def function(self, node: AstNode) -> Function:
        result = self.of(node.type, "").type
        if isinstance(result, (Array, Function)):
            self.context.error(node, f"function returns {'an array' if isinstance(result, Array) else 'a function'}")
        if node.args is None:
            return Function(result, None)
        params: list[CType] = []
        variadic = False
        self._prototypes += 1
        for param in node.args.params:
            if type(param) is c_ast.EllipsisParam:
                variadic = True
            else:
                params.append(self.parameter(param).type)
        self._prototypes -= 1
        if len(params) == 1 and isinstance(params[0], Void) and not variadic:
            return Function(result, ())
        for ctype in params:
            if isinstance(ctype, Void):
                self.context.error(node, "parameter of type void")
        return Function(result, tuple(params), variadic)

    def parameter(self, node: AstNode) -> Declared:
        """The adjusted type of a parameter: arrays and functions become pointers."""
        if type(node) is c_ast.ID:
            return Declared(self.types.int)
        inner = node.type
        if type(inner) is c_ast.ArrayDecl:
            element = self.of(inner.type, node.name or "")
            return Declared(Pointer(element.type, self.types.model.pointer, element.atomic, element.quals))
        declared = self.declared(node)
        ctype = declared.type
        if isinstance(ctype, Array):
            return Declared(Pointer(ctype.element, self.types.model.pointer, ctype.atomic, declared.quals))
        if isinstance(ctype, Function):
            return Declared(self.types.pointer(ctype))
        return declared

    # ------------------------------------------------------------ specifiers

    def specifier(self, node: AstNode) -> Declared:
        kind = type(node)
        if kind is c_ast.IdentifierType:
            names = node.names
            if len(names) == 1:
                return self._single_word(names[0], node)
            return Declared(self._words(names, node))
        if kind is c_ast.Struct or kind is c_ast.Union:
            return Declared(self.records.record(node))
        if kind is c_ast.Enum:
            return Declared(self.records.enum(node))
        if kind is c_ast.TypeOf:
            return self._typeof(node)
        if kind is c_ast.InferredType:
            self.context.error(node, "the type of this declaration cannot be inferred")
        if kind is c_ast.AttributedType:
            return self.specifier(node.type)
        if kind is c_ast.Typename:
            return self.type_name(node)
        self.context.unsupported(node, f"type specifier {kind.__name__}")

    def _single_word(self, name: str, node: AstNode) -> Declared:
        basic = self._basic.get((name,))
        if basic is not None:
            return Declared(basic)
        entry = self.context.lookup(name)
        if isinstance(entry, TypedefName):
            return entry.declared
        return Declared(self._words([name], node))

    def _words(self, names: list[str], node: AstNode) -> CType:
        found = self._basic.get(tuple(sorted(names)))
        if found is not None:
            return found
        if names == ["__builtin_va_list"]:
            return self.records.va_list()
        for name in names:
            if name in _NO_SUCH_TYPE:
                self.context.unsupported(node, f"type '{' '.join(names)}'")
        self.context.error(node, f"unknown type '{' '.join(names)}'")

    def _typeof(self, node: AstNode) -> Declared:
        if isinstance(node.expr, c_ast.Typename):
            declared = self.type_name(node.expr)
        else:
            with self.context.without_evaluation():
                expr = self.context.expressions.any(node.expr)
            declared = Declared(self.context.conversions.storable(expr.type), self.context.expressions.is_atomic(expr))
        return declared._replace(atomic=False) if node.op == "typeof_unqual" else declared

"""The parser: pycparser's recursive descent over our tokens, extended to GNU C.

`parse.py` says what each construct becomes. Errors are `InputError`s with a place. A method named `_parse_*` extends
pycparser's rule of that name.
"""

from __future__ import annotations

import sys
from typing import Any, NoReturn, cast

from pycparser import c_ast
from pycparser.c_lexer import Token
from pycparser.c_parser import Coord

from fsoft.frontend import nodes
from fsoft.frontend.gnu_statements import GnuStatements, place_of
from fsoft.frontend.source import InputError, Loc
from fsoft.frontend.tokens import loc_of

# Frames of Python per level of nesting in C are about a dozen; brackets are limited by `normalise`, other nesting by this.
RECURSION_LIMIT = 8_000

_QUALIFIERS = frozenset(("CONST", "RESTRICT", "VOLATILE", "_ATOMIC"))
_STORAGE = frozenset(("AUTO", "REGISTER", "STATIC", "EXTERN", "TYPEDEF", "_THREAD_LOCAL"))
_FUNCTION = frozenset(("INLINE", "_NORETURN"))
_SIMPLE_TYPES = frozenset(
    ("VOID", "_BOOL", "CHAR", "SHORT", "INT", "LONG", "FLOAT", "DOUBLE", "_COMPLEX", "SIGNED", "UNSIGNED", "__INT128", "TYPEID")
)
_ATTRIBUTE = frozenset(("GNUATTR", "GNUATTR_ARGS"))
_DECLARATION_START = (
    _QUALIFIERS | _STORAGE | _FUNCTION | _SIMPLE_TYPES | _ATTRIBUTE | {"TYPEOF", "TYPEOF_UNQUAL", "STRUCT", "UNION", "ENUM", "_ALIGNAS"}
)
_RECORDS = (c_ast.Struct, c_ast.Union, c_ast.Enum)
_NAMES = frozenset(("ID", "TYPEID"))


class GnuParser(GnuStatements):
    """Parses one list of tokens, once."""

    def __init__(self, tokens: list[Token], name: str):
        super().__init__(dialect="c23")
        self._list: list[Token | None] = [*tokens, None, None, None]
        self._position = 0
        self._name = name
        self._scope_stack = [{"__builtin_va_list": True}]
        self._local_labels = [{}]
        self._local_label_count = 0

    def run(self) -> c_ast.FileAST:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, RECURSION_LIMIT))
        try:
            return c_ast.FileAST(self._parse_translation_unit(), Coord(self._name, 1, 1))
        except RecursionError:
            raise InputError(self._here(), "nested too deeply") from None
        except (AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError):
            # pycparser takes some malformed declarations for impossible.
            raise self._syntax_error() from None
        finally:
            sys.setrecursionlimit(limit)

    # ---------------------------------------------------------------- tokens

    def _peek(self, k: int = 1) -> Token | None:
        token = self._list[self._position + k - 1]
        if token is not None and token.type in _NAMES:
            token.type = "TYPEID" if self._is_type_in_scope(token.value) else "ID"
        return token

    def _peek_type(self, k: int = 1) -> str | None:
        token = self._list[self._position + k - 1]
        if token is None:
            return None
        if token.type in _NAMES:
            token.type = "TYPEID" if self._is_type_in_scope(token.value) else "ID"
        return cast(str, token.type)

    def _advance(self) -> Token:
        token = self._peek()
        if token is None:
            self._parse_error("unexpected end of file", self._name)
        self._position += 1
        return token

    def _accept(self, token_type: str) -> Token | None:
        token = self._list[self._position]
        if token is None or (token.type != token_type and token.type not in _NAMES):
            return None
        if self._peek_type() != token_type:
            return None
        self._position += 1
        return token

    def _expect(self, token_type: str) -> Token:
        token = self._accept(token_type)
        if token is None:
            self._parse_error("", self._name)
        return token

    def _mark(self) -> int:
        return self._position

    def _reset(self, mark: int) -> None:
        self._position = mark

    def _here(self) -> Loc:
        token = self._list[self._position]
        if token is None and self._position > 0:
            token = self._list[self._position - 1]
        return loc_of(token) if token is not None else Loc(self._name, 1)

    def _syntax_error(self) -> InputError:
        """What is wrong at the current token. Two names in a row, or a name and a star, tell of an unknown type."""
        index = self._position
        token = self._list[index]
        if token is None:
            return InputError(self._here(), "syntax error: unexpected end of file")
        if token.type == "ID" or (token.type == "TIMES" and index > 0):
            following = self._list[index + 1] if token.type == "ID" else None
            before = self._list[index - 1] if index > 0 else None
            for name, next_one in ((before, token), (token, following)):
                if name is not None and name.type == "ID" and next_one is not None and next_one.type in ("ID", "TIMES"):
                    return InputError(loc_of(name), f"unknown type name '{name.value}'")
        return InputError(loc_of(token), f"syntax error before '{token.value}'")

    def _parse_error(self, msg: str, coord: Coord | str | None) -> NoReturn:
        """pycparser's one way to complain. A coordinate that is only a file name stands for the current token."""
        if not isinstance(coord, Coord) or msg.startswith("before: "):
            if msg.startswith("before: "):
                self._position -= 1
            raise self._syntax_error()
        raise InputError(Loc(coord.file, coord.line, coord.column or 0), msg[:1].lower() + msg[1:])

    # ---------------------------------------------------------------- attributes

    def _parse_attribute_specifier_sequence(self) -> list[Any]:
        """pycparser asks for this at every place where an attribute may stand in a declaration."""
        found: list[c_ast.Node] = []
        while self._peek_type() in _ATTRIBUTE:
            found.append(self._parse_gnu_attribute())
        return found

    def _parse_gnu_attribute(self) -> nodes.GnuAttribute:
        token = self._advance()
        attribute = nodes.GnuAttribute(token.value, [], self._tok_coord(token))
        if token.type == "GNUATTR_ARGS":
            self._expect("LPAREN")
            while self._peek_type() != "RPAREN":
                is_type = self._starts_declaration()
                attribute.args.append(self._parse_type_name() if is_type else self._parse_assignment_expression())
                if not self._accept("COMMA"):
                    break
            self._expect("RPAREN")
        if attribute.name == "mode":
            for argument in attribute.args:
                if isinstance(argument, c_ast.ID):
                    argument.name = argument.name.strip("_")
        return attribute

    def _parse_decl_suffixes(self, decl: c_ast.Node) -> c_ast.Node:
        """After a declarator: asm labels (dropped) and attributes (left on it for `_hoist`)."""
        decl = super()._parse_decl_suffixes(decl)
        while True:
            kind = self._peek_type()
            if kind == "ASM":
                self._parse_asm_text()
            elif kind in _ATTRIBUTE:
                cast(Any, decl).attributes = [*cast(Any, decl).attributes, self._parse_gnu_attribute()]
            else:
                return decl

    def _hoist(self, declaration: c_ast.Node, shared: list[nodes.GnuAttribute]) -> None:
        """Move the attributes of a declarator's parts, and those among its specifiers, to the declaration."""
        found = list(shared)
        part = cast(Any, declaration).type
        while isinstance(part, (c_ast.PtrDecl, c_ast.ArrayDecl, c_ast.FuncDecl, c_ast.TypeDecl)):
            found.extend(part.attributes)
            part.attributes = []
            part = part.type
        if not found:
            return
        if isinstance(declaration, c_ast.Decl) and any(attribute.name == "noreturn" for attribute in found):
            declaration.funcspec = [*declaration.funcspec, "_Noreturn"]
        declaration.attributes = [*declaration.attributes, *(item for item in found if item.name != "noreturn")]

    # ---------------------------------------------------------------- declarations

    def _starts_declaration(self, tok: Token | None = None) -> bool:
        if tok is not None:
            return tok.type in _DECLARATION_START
        return self._peek_type() in _DECLARATION_START

    def _parse_specifiers(self, *, allow_storage_and_function: bool) -> Any:
        """Specifiers, qualifiers and attributes in any order, up to the declarator."""
        spec: dict[str, list[Any]] = {
            "qual": [], "storage": [], "type": [], "function": [], "alignment": [], "type_attributes": [], "gnu": [],
        }  # fmt: skip
        first = self._peek()
        start = self._position
        while True:
            kind = self._peek_type()
            if kind in _QUALIFIERS and not (kind == "_ATOMIC" and self._peek_type(2) == "LPAREN"):
                spec["qual"].append(self._advance().value)
            elif kind in _SIMPLE_TYPES:
                if kind == "TYPEID" and spec["type"]:
                    break  # the second T of `T T` is a declarator
                token = self._advance()
                spec["type"].append(c_ast.IdentifierType([token.value], coord=self._tok_coord(token)))
            elif kind in _ATTRIBUTE:
                self._specifier_attribute(spec)
            elif allow_storage_and_function and kind in _STORAGE:
                spec["storage"].append(self._advance().value)
            elif allow_storage_and_function and kind in _FUNCTION:
                spec["function"].append(self._advance().value)
            elif not self._parse_rare_specifier(kind, spec):
                break
        coord = self._tok_coord(first) if first is not None else None
        return (spec if self._position > start else None), bool(spec["type"]), coord

    def _parse_rare_specifier(self, kind: str | None, spec: dict[str, list[Any]]) -> bool:
        if kind in ("STRUCT", "UNION"):
            spec["type"].append(self._parse_struct_or_union_specifier())
        elif kind == "ENUM":
            spec["type"].append(self._parse_enum_specifier())
        elif kind in ("TYPEOF", "TYPEOF_UNQUAL"):
            spec["type"].append(self._parse_typeof_specifier())
        elif kind == "_ATOMIC":
            spec["type"].append(self._parse_atomic_specifier())
        elif kind == "_ALIGNAS":
            spec["alignment"].append(self._parse_alignment_specifier())
        else:
            return False
        return True

    def _specifier_attribute(self, spec: dict[str, list[Any]]) -> None:
        """Right after `}` an attribute belongs to the record, elsewhere to the declaration."""
        previous = self._list[self._position - 1] if self._position else None
        attribute = self._parse_gnu_attribute()
        if previous is not None and previous.type == "RBRACE" and spec["type"] and isinstance(spec["type"][-1], _RECORDS):
            record = spec["type"][-1]
            record.attributes = [*record.attributes, attribute]
            # a second one follows the first, not the brace
            while self._peek_type() in _ATTRIBUTE:
                record.attributes.append(self._parse_gnu_attribute())
        else:
            spec["gnu"].append(attribute)

    def _build_declarations(self, spec: Any, decls: Any, typedef_namespace: bool = False) -> list[c_ast.Node]:
        declarations: list[c_ast.Node] = super()._build_declarations(spec, decls, typedef_namespace)
        for info, declaration in zip(decls, declarations, strict=True):
            self._hoist(declaration, [*spec.get("gnu", ()), *info.get("gnu", ())])
        return declarations

    def _fix_decl_name_type(self, decl: Any, typename: list[c_ast.Node]) -> Any:
        """A missing type is int."""
        return super()._fix_decl_name_type(decl, typename or [c_ast.IdentifierType(["int"], coord=decl.coord)])

    def _parse_parameter_declaration(self) -> c_ast.Node:
        return self._parse_parameter_declaration_body()

    def _parse_init_declarator(self, id_only: bool = False) -> Any:
        leading = self._parse_attribute_specifier_sequence()
        info = cast(Any, super()._parse_init_declarator(id_only))
        if leading:
            info["gnu"] = leading
        return info

    def _parse_struct_declarator(self) -> Any:
        leading = self._parse_attribute_specifier_sequence()
        info = cast(Any, super()._parse_struct_declarator())
        info["gnu"] = leading + self._parse_attribute_specifier_sequence()
        return info

    def _is_inferred_auto(self, spec: Any) -> bool:
        return "__auto_type" in spec["storage"]

    def _parse_external_declaration(self) -> list[c_ast.Node]:
        if self._peek_type() == "ASM":
            statement = self._parse_asm_statement()
            return [statement] if isinstance(statement, nodes.AsmNode) else []
        if self._peek_type() == "ID":
            return self._parse_untyped_declaration()
        return cast(list[c_ast.Node], super()._parse_external_declaration())

    def _parse_untyped_declaration(self) -> list[c_ast.Node]:
        """`main() {}`, `f(a) char a; {}`, `f();`: all of type int."""
        token = cast(Token, self._peek())
        decl = self._parse_id_declarator()
        spec: dict[str, list[Any]] = {part: [] for part in ("qual", "storage", "function", "alignment", "type_attributes", "gnu")}
        spec["type"] = [c_ast.IdentifierType(["int"], coord=self._tok_coord(token))]
        if self._peek_type() == "LBRACE" or self._starts_declaration():
            return [self._parse_function_definition(cast(Any, spec), decl)]
        if self._peek_type() != "SEMI" or not isinstance(decl, c_ast.FuncDecl):
            raise self._syntax_error()
        return self._parse_declaration_end(self._build_declarations(spec, [{"decl": decl}], True))

    def _parse_function_definition(self, spec: Any, decl: c_ast.Node) -> c_ast.Node:
        if not isinstance(decl, c_ast.FuncDecl):
            raise self._syntax_error()
        return super()._parse_function_definition(spec, decl)

    def _build_function_definition(self, spec: Any, decl: c_ast.Node, param_decls: list[c_ast.Node] | None, body: c_ast.Node) -> c_ast.Node:
        """Give a K&R definition its parameters in order; `param_decls` being a list tells it apart."""
        definition = cast(c_ast.FuncDef, super()._build_function_definition(spec, decl, param_decls, body))
        function = cast(Any, definition.decl).type
        if function.args is not None and any(isinstance(param, c_ast.ID) for param in function.args.params):
            self._place_old_parameters(definition, function)
        elif param_decls is not None:
            name = cast(Any, definition.decl).name
            raise InputError(place_of(definition.coord), f"declarations between the head and the body of '{name}'")
        return definition

    def _place_old_parameters(self, definition: c_ast.FuncDef, function: c_ast.FuncDecl) -> None:
        declared = {cast(Any, decl).name: decl for decl in definition.param_decls or []}
        names = [param.name for param in cast(Any, function.args).params]
        for name, decl in declared.items():
            if name not in names:
                raise InputError(place_of(decl.coord), f"'{name}' is declared as a parameter but is not in the parameter list")
        placed = []
        for param in cast(Any, function.args).params:
            kind = c_ast.TypeDecl(param.name, [], None, c_ast.IdentifierType(["int"], param.coord), param.coord)
            placed.append(declared.get(param.name) or c_ast.Decl(param.name, [], [], [], [], kind, None, None, param.coord))
        cast(Any, function.args).params = placed
        definition.param_decls = definition.param_decls or []

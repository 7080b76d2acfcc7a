"""The statements, expressions and initialisers of GNU C: the other half of the parser in `gnu.py`."""

from __future__ import annotations

from typing import Any, cast

from pycparser import c_ast
from pycparser.c_parser import CParser

from fsoft.frontend import nodes
from fsoft.frontend.source import InputError, Loc, Unsupported
from fsoft.frontend.tokens import loc_of

_UNARY = frozenset(("AND", "TIMES", "PLUS", "MINUS", "NOT", "LNOT"))
_LABEL_NAME = frozenset(("ID", "TYPEID"))


class GnuStatements(CParser):  # type: ignore[misc]
    """Rules below `function_definition`. `_local_labels` has one scope per open block, for `__label__`."""

    _local_labels: list[dict[str, str]]
    _local_label_count: int

    # ---------------------------------------------------------------- statements

    def _parse_statement(self) -> c_ast.Node:
        kind = self._peek_type()
        if kind == "ASM":
            return self._parse_asm_statement()
        if kind == "TYPEID" and self._peek_type(2) == "COLON":
            return self._parse_labeled_statement()
        return super()._parse_statement()

    def _starts_statement(self) -> bool:
        kind = self._peek_type()
        return kind in ("ASM", "TYPES_COMPATIBLE") or (kind == "TYPEID" and self._peek_type(2) == "COLON") or super()._starts_statement()

    def _starts_expression(self, tok: Any = None) -> bool:
        tok = tok or self._peek()
        return tok is not None and (tok.type in ("TYPES_COMPATIBLE", "REAL_PART", "LAND") or super()._starts_expression(tok))

    def _parse_block_item(self) -> c_ast.Node | list[c_ast.Node]:
        kind = self._peek_type()
        if kind == "LOCAL_LABEL":
            self._parse_local_labels()
            return []
        if kind == "TYPEID" and self._peek_type(2) == "COLON":
            return self._parse_labeled_statement()
        return super()._parse_block_item()

    def _parse_compound_statement(self, *, new_scope: bool = True) -> c_ast.Node:
        self._local_labels.append({})
        block = super()._parse_compound_statement(new_scope=new_scope)
        self._local_labels.pop()
        return block

    def _parse_local_labels(self) -> None:
        self._advance()
        while True:
            name = self._advance().value
            self._local_label_count += 1
            self._local_labels[-1][name] = f"{name}.{self._local_label_count}"
            if not self._accept("COMMA"):
                break
        self._expect("SEMI")

    def _label(self, name: str) -> str:
        return next((known[name] for known in reversed(self._local_labels) if name in known), name)

    def _parse_labeled_statement(self) -> c_ast.Node:
        token = self._advance()
        coord = self._tok_coord(token)
        condition = None
        if token.type == "CASE":
            condition = self._parse_constant_expression()
            if self._accept("ELLIPSIS"):
                condition = nodes.CaseRange(condition, self._parse_constant_expression(), condition.coord)
        self._expect("COLON")
        self._parse_attribute_specifier_sequence()
        statement: c_ast.Node = self._parse_pragmacomp_or_statement() if self._starts_statement() else c_ast.EmptyStatement(coord)
        if token.type == "CASE":
            return c_ast.Case(condition, [statement], coord)
        if token.type == "DEFAULT":
            return c_ast.Default([statement], coord)
        return c_ast.Label(self._label(token.value), statement, coord)

    def _parse_jump_statement(self) -> c_ast.Node:
        if self._peek_type() != "GOTO":
            return super()._parse_jump_statement()
        token = self._advance()
        if self._peek_type() == "TIMES":
            raise Unsupported(loc_of(token), "computed goto is not supported")
        if self._peek_type() not in _LABEL_NAME:
            self._parse_error("", None)
        name = self._advance().value
        self._expect("SEMI")
        return c_ast.Goto(self._label(name), self._tok_coord(token))

    def _parse_declaration_end(self, decls: list[c_ast.Node]) -> list[c_ast.Node]:
        if self._peek_type() == "LBRACE" and decls and isinstance(getattr(decls[-1], "type", None), c_ast.FuncDecl):
            inner = cast(Any, decls[-1])
            if len(self._scope_stack) > 1:
                raise Unsupported(place_of(inner.coord), f"nested function '{inner.name}' is not supported")
        return cast(list[c_ast.Node], super()._parse_declaration_end(decls))

    # ---------------------------------------------------------------- asm

    def _parse_asm_statement(self) -> c_ast.Node:
        coord = self._tok_coord(cast(Any, self._peek()))
        asm = self._parse_asm_text()
        self._expect("SEMI")
        if asm.template.replace('" "', "").strip('" \t') or asm.outputs or asm.labels:
            return asm
        return c_ast.EmptyStatement(coord)

    def _parse_asm_text(self) -> nodes.AsmNode:
        """`asm volatile ("template" : outputs : inputs : clobbers : labels)`."""
        coord = self._tok_coord(self._advance())
        while self._peek_type() in ("VOLATILE", "INLINE", "CONST", "GOTO"):
            self._advance()
        opening = self._expect("LPAREN")
        template = self._asm_string()
        if template is None:
            raise InputError(loc_of(opening), "asm needs a string")
        asm = nodes.AsmNode(template, coord)
        section = 0
        while not self._accept("RPAREN"):
            colon = self._advance()
            if colon.type not in ("COLON", "COLONCOLON"):
                raise InputError(loc_of(colon), f"'{colon.value}' where ':' or ')' must follow in asm")
            section += 1 if colon.type == "COLON" else 2
            while self._peek_type() not in ("COLON", "COLONCOLON", "RPAREN"):
                self._parse_asm_item(asm, section)
                if not self._accept("COMMA"):
                    break
        return asm

    def _asm_string(self) -> str | None:
        kind = self._peek_type()
        return cast(Any, self._parse_unified_string_literal()).value if kind == "STRING_LITERAL" else None

    def _parse_asm_item(self, asm: nodes.AsmNode, section: int) -> None:
        """An operand, a clobber or a label."""
        if section >= 4:
            asm.labels.append(self._label(self._advance().value))
            return
        name = ""
        if section <= 2 and self._accept("LBRACKET"):
            name = self._advance().value
            self._expect("RBRACKET")
        token = cast(Any, self._peek())
        text = self._asm_string()
        if text is None:
            raise InputError(loc_of(token), f"'{token.value}' where asm needs a string")
        if section == 3:
            asm.clobbers.append(text)
            return
        self._expect("LPAREN")
        argument = nodes.AsmArgument(name, text, self._parse_expression(), self._tok_coord(token))
        self._expect("RPAREN")
        (asm.outputs if section == 1 else asm.inputs).append(argument)

    # ---------------------------------------------------------------- expressions

    def _parse_conditional_expression(self) -> c_ast.Node:
        condition = self._parse_binary_expression()
        if not self._accept("CONDOP"):
            return condition
        chosen = None if self._peek_type() == "COLON" else self._parse_expression()
        self._expect("COLON")
        return c_ast.TernaryOp(condition, chosen, self._parse_conditional_expression(), condition.coord)

    def _parse_unary_expression(self) -> c_ast.Node:
        kind = self._peek_type()
        if kind in _UNARY:
            token = self._advance()
            return c_ast.UnaryOp(token.value, self._parse_cast_expression(), self._tok_coord(token))
        if kind in ("PLUSPLUS", "MINUSMINUS"):
            token = self._advance()
            return c_ast.UnaryOp(token.value, self._parse_unary_expression(), self._tok_coord(token))
        if kind == "_ALIGNOF":
            return self._parse_alignof()
        if kind == "LAND":
            raise Unsupported(loc_of(self._advance()), "the address of a label is not supported")
        if kind == "REAL_PART":
            token = self._advance()
            raise Unsupported(loc_of(token), f"{token.value} (complex numbers) is not supported")
        return super()._parse_unary_expression()

    def _parse_alignof(self) -> c_ast.Node:
        token = self._advance()
        named = self._try_parse_paren_type_name()
        operand: c_ast.Node = named[0] if named is not None else self._parse_unary_expression()
        return c_ast.UnaryOp(token.value, operand, self._tok_coord(token))

    def _parse_primary_expression(self) -> c_ast.Node:
        if self._peek_type() != "TYPES_COMPATIBLE":
            return super()._parse_primary_expression()
        token = self._advance()
        coord = self._tok_coord(token)
        self._expect("LPAREN")
        first = self._parse_type_name()
        self._expect("COMMA")
        second = self._parse_type_name()
        self._expect("RPAREN")
        return c_ast.FuncCall(c_ast.ID(token.value, coord), c_ast.ExprList([first, second], coord), coord)

    # ---------------------------------------------------------------- initialisers

    def _parse_initializer(self) -> c_ast.Node:
        opening = self._peek()
        initialiser = super()._parse_initializer()
        if isinstance(initialiser, c_ast.InitList) and opening is not None and opening.type == "LBRACE":
            initialiser.coord = self._tok_coord(opening)
        return initialiser

    def _parse_initializer_item(self) -> c_ast.Node:
        token = self._peek()
        if token is None or token.type not in ("LBRACKET", "PERIOD", "ID", "TYPEID"):
            return self._parse_initializer()
        coord = self._tok_coord(token)
        if token.type in _LABEL_NAME:
            if self._peek_type(2) != "COLON":
                return self._parse_initializer()
            name: list[c_ast.Node] = [self._parse_identifier_or_typeid()]
            self._expect("COLON")
        else:
            name = self._parse_designator_list()
            self._accept("EQUALS")  # GNU C once did without
        return c_ast.NamedInitializer(name, self._parse_initializer(), coord)

    def _parse_designator(self) -> c_ast.Node:
        opening = self._accept("LBRACKET")
        if opening is None:
            return super()._parse_designator()
        low = self._parse_constant_expression()
        high = self._parse_constant_expression() if self._accept("ELLIPSIS") else None
        self._expect("RBRACKET")
        coord = self._tok_coord(opening)
        return c_ast.ArrayDesignator(low, coord) if high is None else nodes.RangeDesignator(low, high, coord)


def place_of(coord: Any) -> Loc:
    return Loc(coord.file, coord.line, coord.column or 0)

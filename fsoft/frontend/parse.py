"""C text to a pycparser AST. `parse_path` takes a file, `parse_text` takes text that is already preprocessed.

What sema finds in the tree. Everything not named here is as pycparser 3.12 builds it (see its `_c_ast.cfg`).

Places. `node.coord` has `.file`, `.line`, `.column` (columns from 1). Every node that stands for user text has one, except
`Typename`s and `TypeDecl`s of abstract declarators, where it may be None.

Declarations.
  * `__inline`, `__const`, `__volatile__`, `__restrict`, `__signed__`, `__extension__` and their kin are gone
    or have their standard spelling.
  * Attributes: `Decl`, `Typedef`, `Struct`, `Union` and `Enum` have a list `attributes` of `nodes.GnuAttribute(name, args)`, names without
    underscores. These survive, everything else is dropped: fsoft_atomic, fsoft_plain, packed, aligned, mode, constructor, destructor,
    cleanup, alias, vector_size, transparent_union, scalar_storage_order, ms_struct, gcc_struct, weak, and `pack` (one
    argument: the limit on member alignment that `#pragma pack` set where the struct or union is defined).
    An attribute after the closing brace or after the keyword of a struct is on the Struct; one among the other
    specifiers or after a declarator is on each Decl/Typedef it governs. Of a function definition: `FuncDef.decl.attributes`.
  * noreturn (as `__attribute__`, `[[noreturn]]` or `_Noreturn`): "_Noreturn" in `Decl.funcspec`.
  * `_Alignas(x)`: `Decl.align == [Alignas(x)]`; x is a Typename or an expression.
  * `__thread`, `_Thread_local`: "_Thread_local" in `Decl.storage`.
  * `_Atomic int x`, `_Atomic(int) x`: "_Atomic" in the `quals` of the TypeDecl or PtrDecl concerned, never a Typename in between.
  * `typeof(x)`: `TypeDecl.type` is `TypeOf("typeof" | "typeof_unqual", expression or Typename)`.
  * `__auto_type x = e`: `TypeDecl.type` is `InferredType`, "__auto_type" in `Decl.storage`.
  * Implicit int is written out: `IdentifierType(["int"])`.
  * K&R definitions: `FuncDef.param_decls` is a list (else None), and `decl.type.args.params` already holds the parameters' `Decl`s in
    order (undeclared ones as int). `int f()` has `FuncDecl.args is None`.
  * asm labels on declarations are dropped.
  * `IdentifierType.names` may hold, besides C's words and typedef names: `__int128` (also for `__int128_t`, and with "unsigned" for
    `__uint128_t`), `__builtin_va_list`, `_Float16`, `_Float128` (also `__float128`), `__float80`, `_Complex`, `_Decimal32/64/128`.
    `_Float32` is "float", `_Float64` and `_Float32x` are "double", `_Float64x` is "long", "double", unless
    the file has a typedef of that name.
  * Empty structs: `Struct.decls == []`. Zero-length arrays: `ArrayDecl.dim` is the Constant 0; flexible ones: dim is None.
    Anonymous members: `Decl(name=None, type=Struct)`.
  * `_Static_assert`: `StaticAssert(cond, message)` at file scope, in blocks and among struct members.
  * Pragmas are dropped, except `#pragma pack` (above).
  * Unneeded declarations of system headers are not in the tree at all: see `prune.py`.

Statements.
  * asm: `nodes.Asm(template)` with operands (`nodes.AsmArgument`), clobbers and labels, also at file scope. A compiler barrier (empty
    template, no output) is an `EmptyStatement`.
  * Statement expression: a `Compound` where an expression stands. Its value is its last item, if that is an expression.
  * `case a ... b:`: `Case(expr=nodes.CaseRange(a, b))`.
  * Label before a declaration or `}`: `Label(name, EmptyStatement)`, the declaration follows as the next block item.
  * `__label__ x`: gone; the labels and gotos it governs are renamed `x.1`, `x.2`, ... apart from each other.
  * Switch bodies are as pycparser's `fix_switch_cases` leaves them: the statements after a `case` are its `stmts`.

Expressions.
  * `a ?: b`: `TernaryOp(a, None, b)`.
  * `__builtin_va_arg(e, T)`: `FuncCall(ID "__builtin_va_arg", ExprList [e, Typename])`.
  * `offsetof(T, m.n[i])`, `__builtin_offsetof`: `FuncCall(ID "__builtin_offsetof", ExprList [Typename, ID | StructRef | ArrayRef])`.
  * `__builtin_types_compatible_p(A, B)`: `FuncCall(ID "__builtin_types_compatible_p", ExprList [Typename, Typename])`.
  * `sizeof`, `_Alignof`, `__alignof__` (also `__alignof`): `UnaryOp("sizeof" | "_Alignof" | "__alignof__", Typename or expression)`.
  * `_Generic`: `GenericSelection`, as pycparser.
  * Compound literals: `CompoundLiteral(Typename, InitList, storage)`.
  * Initialisers: `{}` is `InitList []`; `.f = v`, `f: v`: `NamedInitializer([ID f], v)`; `[a] = v`: `ArrayDesignator`; `[a ... b] = v`:
    `nodes.RangeDesignator(a, b)`.
  * `__FUNCTION__` and `__PRETTY_FUNCTION__` are `ID("__func__")`.
  * Character constants: always `Constant("char", "'...'")`, with prefix and multi-character ones too.
  * String constants: `Constant("string", value)`, adjacent ones joined by pycparser: value is `"..."` pieces separated by a blank.
    Bytes that were not UTF-8 in the file are lone surrogates: `.encode("utf-8", "surrogateescape")` gives the bytes of the file.
  * Calls of undeclared functions are plain `FuncCall(ID ...)`.

Rejected here, by name and place (`Unsupported`): nested functions, computed goto and label addresses, `__real__`/`__imag__`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pycparser import c_ast

from fsoft.frontend.data_model import check_typedefs
from fsoft.frontend.gnu import GnuParser
from fsoft.frontend.normalise import normalise
from fsoft.frontend.preprocess import preprocess, preprocess_as_built, printable, read_text
from fsoft.frontend.prune import needed_spans
from fsoft.frontend.source import Source
from fsoft.frontend.tokens import Lexer, line_marker
from fsoft.frontend.types import HOST, data_model


@dataclass
class ParsedFile:
    name: str  # as the user gave it
    ast: c_ast.FileAST
    lines: dict[tuple[str, int], str]  # text of every line a user can be pointed to, by (file, line)
    notes: list[str] = field(default_factory=list)  # what was ignored and might surprise
    contest: bool = False  # it names functions of the competition (__VERIFIER_...)


def parse_text(text: str, name: str) -> ParsedFile:
    """Parse text that is already preprocessed, with or without line markers."""
    tokens, notes = normalise(Lexer(text, name).run(needed_spans(text)))
    return ParsedFile(name, GnuParser(tokens, name).run(), _lines(text, name), notes, "__VERIFIER_" in text)


def parse_source(source: Source, *, cpp: str = "builtin", bits: int = HOST.pointer_bits) -> ParsedFile:
    """Parse a C file with its own flags: as the command of its build says, if it has one."""
    flags = {"include": source.include, "define": source.define, "undefine": source.undefine}
    if not source.command:
        return parse_path(source.path, cpp=cpp, bits=bits, more=source.more, **flags)
    done = preprocess_as_built(source)
    parsed = parse_text(done.text, source.path)
    parsed.lines.update(done.lines)
    return parsed


def parse_path(
    path: str,
    *,
    cpp: str = "builtin",
    include: Sequence[str] = (),
    define: Sequence[str] = (),
    undefine: Sequence[str] = (),
    bits: int = HOST.pointer_bits,
    more: str = "",
) -> ParsedFile:
    """Parse a file: `.i` as it is, anything else after preprocessing (`cpp` is "builtin" or "gcc"). `more` is read as its last lines."""
    if path.endswith(".i"):
        text = read_text(path)
        check_typedefs(text, path, data_model(bits))
        return parse_text(text + more, path)
    done = preprocess(path, cpp=cpp, include=include, define=define, undefine=undefine, bits=bits, more=more)
    parsed = parse_text(done.text, path)
    parsed.lines.update(done.lines)
    parsed.notes[:0] = done.notes
    return parsed


def _lines(text: str, name: str) -> dict[tuple[str, int], str]:
    """The lines of a text by the file and number that its markers give them."""
    found: dict[tuple[str, int], str] = {}
    file, number = name, 1
    for line in printable(text).split("\n"):
        marker = line_marker(line) if "#" in line else None
        if marker is None:
            found[file, number] = line
            number += 1
        else:
            number, file = marker[0], marker[1] if marker[1] is not None else file
    return found

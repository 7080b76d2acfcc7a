"""Typed C: what the front end hands over. Names are resolved, every expression has its type, conversions are written out.

Lvalues are `VariableExpr`, `Deref`, `MemberExpr` and `Literal`; used as a value they mean "the value stored there". Array and
function designators never appear as values: sema wraps them in `AddressOf` (decay). Nothing here is mutated after sema.
Library functions without a body (malloc, pthread_create, ...) stay ordinary `Call`s of a `FunctionName`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Union

from fsoft.frontend.source import Loc
from fsoft.frontend.types import CType, Field, Function, Record, Types


@dataclass(eq=False, slots=True)
class Symbol:
    """A variable: one per declared entity, equal only to itself.

    `storage` is "global" (external or file-static linkage), "static" (block-scope static), "local", "param" or
    "thread" (`__thread`; one object per thread). `address_taken` is set by sema when `&x`, array decay or a member's
    address needs the variable to live in memory. `name` is the user's; `unique` is distinct in the linked program
    (`counter`, `worker.i`, `worker.i.2`, `a.c:counter` for a file-static clash). `align` is what its declaration asks for, or 0;
    `quals` are its qualifiers, as of a Pointer to it.
    """

    name: str
    unique: str
    type: CType
    storage: str
    loc: Loc
    address_taken: bool = False
    atomic: bool = False
    volatile: bool = False
    align: int = 0
    quals: str = ""


# ---------------------------------------------------------------- expressions


@dataclass(eq=False, slots=True)
class IntConstant:
    type: CType  # Int or Pointer (null and other constant addresses)
    loc: Loc
    value: int  # the mathematical value, within the range of the type


@dataclass(eq=False, slots=True)
class FloatConstant:
    """`exact`: not of a `long double` that has digits which `value` cannot hold."""

    type: CType
    loc: Loc
    value: float
    exact: bool = True


@dataclass(eq=False, slots=True)
class StringLiteral:
    """An lvalue of array type; `data` includes the terminating zero."""

    type: CType
    loc: Loc
    data: bytes


@dataclass(eq=False, slots=True)
class VariableExpr:
    type: CType
    loc: Loc
    symbol: Symbol


@dataclass(eq=False, slots=True)
class FunctionName:
    """A function designator; only under `AddressOf` or as the callee of a `Call`."""

    type: CType  # Function
    loc: Loc
    name: str  # the linked name: key of Unit.functions, or a library function


@dataclass(eq=False, slots=True)
class Deref:
    """`*pointer`, an lvalue. `a[i]` is `Deref(PointerAdd(a, i))`. `atomic`: the pointee is `_Atomic`."""

    type: CType
    loc: Loc
    pointer: TypedExpr
    atomic: bool = False


@dataclass(eq=False, slots=True)
class MemberExpr:
    """`base.field`: an lvalue if base is one. The path through anonymous members is spelled out, one Member each.
    `atomic`: the member is `_Atomic`."""

    type: CType
    loc: Loc
    base: TypedExpr
    field: Field
    atomic: bool = False


@dataclass(eq=False, slots=True)
class CompoundLiteral:
    """`(T){...}`, an lvalue: a fresh variable initialised whenever control passes here."""

    type: CType
    loc: Loc
    symbol: Symbol
    init: Initializer


@dataclass(eq=False, slots=True)
class AddressOf:
    """`&lvalue`, array decay (type is then pointer to the element) and function decay."""

    type: CType
    loc: Loc
    lvalue: TypedExpr


@dataclass(eq=False, slots=True)
class UnaryExpr:
    """`op` is "-", "~" or "!" ("!" gives int)."""

    type: CType
    loc: Loc
    op: str
    operand: TypedExpr


@dataclass(eq=False, slots=True)
class BinaryExpr:
    """`op` is one of + - * / % & | ^ << >> == != < <= > >=. Operands already have the common type (shifts: each its own
    promoted type). Comparisons give int. Pointer comparisons have pointer operands."""

    type: CType
    loc: Loc
    op: str
    left: TypedExpr
    right: TypedExpr


@dataclass(eq=False, slots=True)
class PointerAdd:
    """`pointer + sign * index` in units of the pointee (`scale` bytes); `index` has any integer type."""

    type: CType
    loc: Loc
    pointer: TypedExpr
    index: TypedExpr
    sign: int
    scale: int


@dataclass(eq=False, slots=True)
class PointerDiff:
    type: CType
    loc: Loc
    left: TypedExpr
    right: TypedExpr
    scale: int


@dataclass(eq=False, slots=True)
class Logical:
    """`&&` and `||`: short-circuit, sequence point after the left operand, int result."""

    type: CType
    loc: Loc
    op: str
    left: TypedExpr
    right: TypedExpr


@dataclass(eq=False, slots=True)
class Conditional:
    type: CType
    loc: Loc
    condition: TypedExpr
    then: TypedExpr
    other: TypedExpr


@dataclass(eq=False, slots=True)
class Comma:
    type: CType
    loc: Loc
    left: TypedExpr
    right: TypedExpr


@dataclass(eq=False, slots=True)
class Assignment:
    """Simple assignment; `value` already has the target's type. Records are copied whole."""

    type: CType
    loc: Loc
    target: TypedExpr
    value: TypedExpr


@dataclass(eq=False, slots=True)
class CompoundAssign:
    """`target op= value`: computed in `compute` (the common type), then converted back to the target's type.

    For pointers `op` is "+" or "-", `compute` is the pointer type and `scale` the size of the pointee. `value` already
    has the type that the operation wants. `postfix` gives the old value (for `x++`, `x--`). On an `_Atomic` target it is one atomic step.
    """

    type: CType
    loc: Loc
    op: str
    target: TypedExpr
    value: TypedExpr
    compute: CType
    scale: int = 0
    postfix: bool = False


@dataclass(eq=False, slots=True)
class Cast:
    """Every conversion, explicit or implied. To `void` it discards."""

    type: CType
    loc: Loc
    operand: TypedExpr


@dataclass(eq=False, slots=True)
class Call:
    """`callee` is a FunctionName or an expression of pointer-to-function type. Arguments are converted (default
    promotions where no prototype is known). Type-generic builtins (`__atomic_*`, `__sync_*`, `__builtin_*`) are calls of
    a FunctionName whose type sema worked out from the arguments."""

    type: CType
    loc: Loc
    callee: TypedExpr
    args: tuple[TypedExpr, ...]


@dataclass(eq=False, slots=True)
class StatementExpr:
    """GNU `({ ...; value; })`; `value` is None when the type is void."""

    type: CType
    loc: Loc
    body: Block
    value: TypedExpr | None


TypedExpr = Union[
    IntConstant,
    FloatConstant,
    StringLiteral,
    VariableExpr,
    FunctionName,
    Deref,
    MemberExpr,
    CompoundLiteral,
    AddressOf,
    UnaryExpr,
    BinaryExpr,
    PointerAdd,
    PointerDiff,
    Logical,
    Conditional,
    Comma,
    Assignment,
    CompoundAssign,
    Cast,
    Call,
    StatementExpr,
]


# ---------------------------------------------------------------- initialisers


@dataclass(eq=False, slots=True)
class InitItem:
    """One scalar (or one record-valued expression) stored at a byte offset of the object; a bit-field carries its field."""

    offset: int
    type: CType
    value: TypedExpr
    bitfield: Field | None = None


@dataclass(eq=False, slots=True)
class Initializer:
    """Flattened, in order of evaluation, later items override earlier ones. `zero` says that what no item covers is
    zero (always so unless a scalar is initialised by a bare expression)."""

    items: tuple[InitItem, ...]
    zero: bool


# ---------------------------------------------------------------- statements


@dataclass(eq=False, slots=True)
class ExprStatement:
    loc: Loc
    expr: TypedExpr


@dataclass(eq=False, slots=True)
class Declare:
    """A local variable comes to life here; without initialiser its value is undefined. `release` is evaluated where control leaves its
    block: a function of the attribute `cleanup`, or what gives the memory of an array of variable length back."""

    loc: Loc
    symbol: Symbol
    init: Initializer | None
    release: TypedExpr | None = None


@dataclass(eq=False, slots=True)
class Block:
    """A scope: variables declared directly in it end their life when control leaves it."""

    loc: Loc
    items: tuple[Statement, ...]
    end: Loc


@dataclass(eq=False, slots=True)
class If:
    loc: Loc
    condition: TypedExpr
    then: Statement
    other: Statement | None


@dataclass(eq=False, slots=True)
class LoopStatement:
    """`while`, `do` and `for`. A `for` declaration sits in a Block around the Loop. `test_first` is False for `do`."""

    loc: Loc
    kind: str  # "while", "do", "for"
    condition: TypedExpr | None
    body: Statement
    step: TypedExpr | None
    test_first: bool


@dataclass(eq=False, slots=True)
class Switch:
    """`value` is promoted; Case labels inside `body` belong to the innermost Switch."""

    loc: Loc
    value: TypedExpr
    body: Statement


@dataclass(eq=False, slots=True)
class Case:
    """`case low ... high:` (`low == high` for the plain kind; values are of the switch's promoted type)."""

    loc: Loc
    low: int
    high: int


@dataclass(eq=False, slots=True)
class Default:
    loc: Loc


@dataclass(eq=False, slots=True)
class Label:
    loc: Loc
    name: str


@dataclass(eq=False, slots=True)
class Goto:
    loc: Loc
    label: str


@dataclass(eq=False, slots=True)
class Break:
    loc: Loc


@dataclass(eq=False, slots=True)
class Continue:
    loc: Loc


@dataclass(eq=False, slots=True)
class Return:
    loc: Loc
    value: TypedExpr | None


@dataclass(eq=False, slots=True)
class AsmOperand:
    """An operand of inline assembly. `memory`: `expr` is its address, else the lvalue of an output or the value of an input. `name` is ""
    or what `%[name]` calls it."""

    name: str
    constraint: str
    expr: TypedExpr
    memory: bool


@dataclass(eq=False, slots=True)
class Asm:
    """Inline assembly; `template` is its text without escapes. `labels`: of `asm goto`, which may go on there."""

    loc: Loc
    template: str
    outputs: tuple[AsmOperand, ...]
    inputs: tuple[AsmOperand, ...]
    clobbers: tuple[str, ...]
    labels: tuple[str, ...] = ()


Statement = Union[ExprStatement, Declare, Block, If, LoopStatement, Switch, Case, Default, Label, Goto, Break, Continue, Return, Asm]


# ---------------------------------------------------------------- the whole


@dataclass(eq=False, slots=True)
class FunctionDef:
    name: str  # linked name
    type: Function
    params: tuple[Symbol, ...]
    body: Block
    loc: Loc
    static: bool = False
    attributes: frozenset[str] = frozenset()


@dataclass(eq=False, slots=True)
class GlobalDef:
    """An object with static storage (block-scope statics and `__thread` variables too). No initialiser means zero.
    `defined` is False for an `extern` that no file defines."""

    symbol: Symbol
    init: Initializer | None
    defined: bool = True


@dataclass(eq=False, slots=True)
class Unit:
    """A linked program. `functions` holds those with a body, `declared` every other function that is declared (its
    type and place). `lines` gives the text of each line a user can be pointed to, by (file, line) as in Loc. `notes` are
    approximations worth saying. `contest`: a file of the user names functions of the competition (__VERIFIER_...)."""

    types: Types
    functions: dict[str, FunctionDef] = field(default_factory=dict)
    declared: dict[str, tuple[Function, Loc]] = field(default_factory=dict)
    globals: dict[str, GlobalDef] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)
    lines: dict[tuple[str, int], str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    contest: bool = False

"""C types and their layout in the data models ILP32 and LP64 (System V, as gcc lays them out).

Types are immutable except for the body of a struct, union or enum, which is filled in once when its definition is
seen (`Record.complete`). Equality of scalars, pointers, arrays and functions is structural; a `Record` is equal only
to itself. Qualifiers are dropped except `_Atomic`, which is kept with whatever leads to the object: `Symbol.atomic`,
`Field.atomic`, and `atomic` of a Pointer or an Array (about what it points to, about its elements; no part of equality).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any, Union


@dataclass(frozen=True, slots=True)
class DataModel:
    """Sizes that differ between the two data models."""

    name: str
    pointer: int
    long: int
    align_long_long: int
    long_double: int

    @property
    def pointer_bits(self) -> int:
        return self.pointer * 8


ILP32 = DataModel("ILP32", 4, 4, 4, 12)
LP64 = DataModel("LP64", 8, 8, 8, 16)
HOST = LP64 if struct.calcsize("P") == 8 else ILP32
"""The data model of the compiler here: what is meant unless someone says otherwise."""


def data_model(bits: int | None) -> DataModel:
    """The model with pointers of that many bits, the host's for None."""
    return {None: HOST, 32: ILP32, 64: LP64}[bits]


@dataclass(frozen=True, slots=True)
class Void:
    def __str__(self) -> str:
        return "void"


@dataclass(frozen=True, slots=True)
class Int:
    """Every integer type, `_Bool` and enumerations included. `rank` orders conversions (C99 6.3.1.1).

    `width` is 0, or the number of value bits of a type that is narrower than its size: a wide bit-field computes in such a type.
    """

    name: str
    size: int
    signed: bool
    rank: int
    align: int
    width: int = 0

    @property
    def bits(self) -> int:
        return 1 if self.name == "_Bool" else self.width or self.size * 8

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Float:
    """`bits` is the precision used for computing (32 or 64); `long double` computes in 64 and says so."""

    name: str
    size: int
    bits: int
    align: int

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Pointer:
    """`atomic` and `quals` (letters of const and volatile, in that order) are about what it points to."""

    to: CType
    size: int
    atomic: bool = field(default=False, compare=False)
    quals: str = field(default="", compare=False)

    @property
    def align(self) -> int:
        return self.size

    def __str__(self) -> str:
        return f"{self.to} *"


@dataclass(frozen=True, slots=True)
class Array:
    """`count` is None for an incomplete or flexible array, and for one of variable length: then `length` is the expression that gives it
    (a typed one, of type size_t)."""

    element: CType
    count: int | None
    atomic: bool = field(default=False, compare=False)
    length: Any = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"{self.element}[{'' if self.count is None else self.count}]"


@dataclass(frozen=True, slots=True)
class Function:
    """`params` is None for an old-style declaration `f()` that says nothing about its arguments."""

    result: CType
    params: tuple[CType, ...] | None
    variadic: bool = False

    def __str__(self) -> str:
        inner = "" if self.params is None else ", ".join(map(str, self.params)) or "void"
        return f"{self.result} ({inner}{', ...' if self.variadic else ''})"


@dataclass(frozen=True, slots=True)
class Field:
    """A member. A bit-field lives in the storage unit `type` at `offset`, `bit_width` bits from bit `bit_offset` up.

    An anonymous struct or union member has the name "" and its own members are found through it. `apart`: a zero-width bit-field
    comes before this bit-field, so that it shares no memory location with those further before. `align` is 0 for bit-fields.
    """

    name: str
    type: CType
    offset: int
    bit_offset: int = 0
    bit_width: int | None = None
    atomic: bool = False
    apart: bool = False
    align: int = 0
    quals: str = ""  # as of a Pointer


@dataclass(eq=False, slots=True)
class Record:
    """A struct or union. `fields` is None until the definition is seen."""

    kind: str  # "struct" or "union"
    tag: str
    fields: tuple[Field, ...] | None = None
    size: int = 0
    align: int = 1
    members: dict[str, tuple[Field, ...]] = field(default_factory=dict)

    def complete(self, fields: tuple[Field, ...], size: int, align: int) -> None:
        """Fill in the definition; `members` maps each reachable name to its path through anonymous members."""
        self.fields, self.size, self.align = fields, size, align
        for member in fields:
            if member.name:
                self.members[member.name] = (member,)
            elif isinstance(member.type, Record):
                for name, path in member.type.members.items():
                    self.members[name] = (member, *path)

    def __str__(self) -> str:
        return f"{self.kind} {self.tag or '<anonymous>'}"


CType = Union[Void, Int, Float, Pointer, Array, Function, Record]

VOID = Void()


class Types:
    """The basic types of one data model, and the questions about layout that need it."""

    def __init__(self, model: DataModel):
        self.model = model
        ll = model.align_long_long
        self.bool = Int("_Bool", 1, False, 0, 1)
        self.char = Int("char", 1, True, 1, 1)
        self.schar = Int("signed char", 1, True, 1, 1)
        self.uchar = Int("unsigned char", 1, False, 1, 1)
        self.short = Int("short", 2, True, 2, 2)
        self.ushort = Int("unsigned short", 2, False, 2, 2)
        self.int = Int("int", 4, True, 3, 4)
        self.uint = Int("unsigned int", 4, False, 3, 4)
        self.long = Int("long", model.long, True, 4, model.long)
        self.ulong = Int("unsigned long", model.long, False, 4, model.long)
        self.llong = Int("long long", 8, True, 5, ll)
        self.ullong = Int("unsigned long long", 8, False, 5, ll)
        self.int128 = Int("__int128", 16, True, 6, 16)
        self.uint128 = Int("unsigned __int128", 16, False, 6, 16)
        self.float = Float("float", 4, 32, 4)
        self.double = Float("double", 8, 64, ll)
        self.ldouble = Float("long double", model.long_double, 64, 4 if model.pointer == 4 else 16)
        self.size_t = self.uint if model.pointer == 4 else self.ulong
        self.ptrdiff_t = self.int if model.pointer == 4 else self.long
        self.wchar_t = self.int if model.pointer == 8 else self.long
        self.void_ptr = self.pointer(VOID)

    def pointer(self, to: CType) -> Pointer:
        return Pointer(to, self.model.pointer)


def size_of(ctype: CType) -> int:
    """Size in bytes; void and functions count 1, as in GNU C. An incomplete array counts 0."""
    if isinstance(ctype, (Int, Float, Pointer, Record)):
        return ctype.size
    if isinstance(ctype, Array):
        return size_of(ctype.element) * (ctype.count or 0)
    return 1


def align_of(ctype: CType) -> int:
    if isinstance(ctype, (Int, Float, Pointer, Record)):
        return ctype.align
    if isinstance(ctype, Array):
        return align_of(ctype.element)
    return 1


def preferred_align(ctype: CType) -> int:
    """What gcc aligns variables to: on i386 eight bytes for `long long` and `double`, which members have at multiples of four."""
    if isinstance(ctype, Array):
        return preferred_align(ctype.element)
    return 8 if isinstance(ctype, (Int, Float)) and ctype.size == 8 else align_of(ctype)


def is_complete(ctype: CType) -> bool:
    """Whether an object of this type can be made."""
    if isinstance(ctype, Record):
        return ctype.fields is not None
    if isinstance(ctype, Array):
        return (ctype.count is not None or ctype.length is not None) and is_complete(ctype.element)
    return not isinstance(ctype, (Void, Function))


def is_scalar(ctype: CType) -> bool:
    return isinstance(ctype, (Int, Float, Pointer))

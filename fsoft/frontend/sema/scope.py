"""What a name means: scopes and the kinds of entries they hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from fsoft.frontend.source import Loc
from fsoft.frontend.tree import Symbol
from fsoft.frontend.types import CType, Function, Int, Record

if TYPE_CHECKING:
    from fsoft.frontend.link import LinkedFunction, LinkedObject


class Declared(NamedTuple):
    """A type with what a declaration says about it beyond the type. `align` is 0 unless an attribute raised it."""

    type: CType
    atomic: bool = False
    volatile: bool = False
    const: bool = False
    align: int = 0

    @property
    def quals(self) -> str:
        """As of a Pointer to it."""
        return "c" * self.const + "v" * self.volatile


@dataclass(slots=True)
class TypedefName:
    declared: Declared
    loc: Loc


@dataclass(slots=True)
class EnumConstant:
    type: Int
    value: int
    loc: Loc


@dataclass(slots=True)
class ObjectName:
    """A variable. `type` is what this scope knows of it.
    `linked` is set when the object has static storage. The symbol of an array of variable length is a pointer to its memory."""

    symbol: Symbol
    type: CType
    loc: Loc
    linked: LinkedObject | None = None


@dataclass(slots=True)
class FunctionEntry:
    linked: LinkedFunction
    type: Function
    loc: Loc


@dataclass(slots=True)
class PendingName:
    """A file-scope name whose declarations nobody has looked at yet."""

    name: str
    nodes: list[Any]


ScopeEntry = Union[TypedefName, EnumConstant, ObjectName, FunctionEntry, PendingName]
TagType = Union[Record, Int]


@dataclass(slots=True)
class Scope:
    parent: Scope | None = None
    names: dict[str, ScopeEntry] = field(default_factory=dict)
    tags: dict[str, TagType] = field(default_factory=dict)
    depth: int = 0

    def lookup(self, name: str) -> ScopeEntry | None:
        scope: Scope | None = self
        while scope is not None:
            entry = scope.names.get(name)
            if entry is not None:
                return entry
            scope = scope.parent
        return None

    def lookup_tag(self, name: str) -> TagType | None:
        scope: Scope | None = self
        while scope is not None:
            tag = scope.tags.get(name)
            if tag is not None:
                return tag
            scope = scope.parent
        return None

    def all_names(self) -> list[str]:
        """Every name visible here, for suggestions."""
        names: list[str] = []
        scope: Scope | None = self
        while scope is not None:
            names.extend(scope.names)
            scope = scope.parent
        return names

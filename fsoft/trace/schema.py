"""Whether a JSON value follows a JSON Schema: the part of the language that `trace.schema.json` uses, and nothing else.

Stricter than the standard in one point: `1.0` is no integer.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Json = dict[str, Any]

TRACE = Path(__file__).parent / "trace.schema.json"

_TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}


class Schema:
    """A schema, with the definitions that it refers to."""

    def __init__(self, whole: Json):
        self._whole = whole
        self._definitions: Json = whole.get("$defs", {})

    def mistake(self, value: Any) -> str:
        """The first mistake in a value, with its place; "" if it follows the schema."""
        return self._look(value, self._whole, "the whole")

    def _look(self, value: Any, schema: Any, at: str) -> str:
        if isinstance(schema, bool):
            return "" if schema else f"{at} may not be there"
        if (name := schema.get("$ref")) is not None:
            return self._look(value, self._definitions[name.removeprefix("#/$defs/")], at)
        for keyword, rule in schema.items():
            check = self._KEYWORDS.get(keyword)
            if check is not None and (found := check(self, value, rule, at, schema)):
                return found
        return ""

    def _type(self, value: Any, rule: Any, at: str, _schema: Json) -> str:
        names = [rule] if isinstance(rule, str) else rule
        return "" if any(_TYPES[name](value) for name in names) else f"{at} is no {' or '.join(names)}"

    def _const(self, value: Any, rule: Any, at: str, _schema: Json) -> str:
        return self._enum(value, [rule], at, _schema)

    def _enum(self, value: Any, rule: Any, at: str, _schema: Json) -> str:
        if any(type(value) is type(one) and value == one for one in rule):
            return ""
        return f"{at} is none of {', '.join(json.dumps(one) for one in rule)}"

    def _one_of(self, value: Any, rule: Any, at: str, _schema: Json) -> str:
        found = [self._look(value, one, at) for one in rule]
        return "" if found.count("") == 1 else f"{at} has no known form"

    def _required(self, value: Any, rule: Any, at: str, _schema: Json) -> str:
        lost = [name for name in rule if name not in value] if isinstance(value, dict) else []
        return f"{at} has no '{lost[0]}'" if lost else ""

    def _properties(self, value: Any, rule: Any, at: str, schema: Json) -> str:
        if not isinstance(value, dict):
            return ""
        others = schema.get("additionalProperties", True)
        for name, one in value.items():
            known = rule.get(name, others)
            if known is False:
                return f"{at} has an unknown '{name}'"
            if found := self._look(one, known, _inside(at, name)):
                return found
        return ""

    def _additional(self, value: Any, _rule: Any, at: str, schema: Json) -> str:
        return "" if "properties" in schema else self._properties(value, {}, at, schema)

    def _items(self, value: Any, rule: Any, at: str, _schema: Json) -> str:
        found = (self._look(one, rule, f"{_inside(at)}[{k}]") for k, one in enumerate(value if isinstance(value, list) else ()))
        return next(filter(None, found), "")

    def _least(self, value: Any, rule: Any, at: str, _schema: Json) -> str:
        return f"{at} has fewer than {rule} entries" if isinstance(value, list) and len(value) < rule else ""

    def _most(self, value: Any, rule: Any, at: str, _schema: Json) -> str:
        return f"{at} has more than {rule} entries" if isinstance(value, list) and len(value) > rule else ""

    _KEYWORDS = {
        "type": _type, "const": _const, "enum": _enum, "oneOf": _one_of, "required": _required, "properties": _properties,
        "additionalProperties": _additional, "items": _items, "minItems": _least, "maxItems": _most,
    }  # fmt: skip
    SILENT = frozenset({"$schema", "$defs", "$ref", "title", "description"})
    """Keywords that say nothing about a value, or are followed where they stand."""


def _inside(at: str, name: str = "") -> str:
    at = "" if at == "the whole" else at
    return f"{at}.{name}" if at and name else at or name


def trace_schema() -> Schema:
    """What `fsoft check --json` writes."""
    return Schema(json.loads(TRACE.read_text(encoding="utf-8")))


__all__ = ["TRACE", "Schema", "trace_schema"]

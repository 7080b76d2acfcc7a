"""Semantic analysis: pycparser's tree to typed C. The door is `Analyzer`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fsoft.frontend.sema.analyzer import Analyzer

__all__ = ["Analyzer"]


def __getattr__(name: str) -> Any:
    if name == "Analyzer":
        from fsoft.frontend.sema.analyzer import Analyzer

        return Analyzer
    raise AttributeError(name)

"""A run as a person reads it."""

from __future__ import annotations

from fsoft.trace.text import text_of_trace

__all__ = ["text_of_trace"]

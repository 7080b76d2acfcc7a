"""A run as a person reads it: `tell` makes a Story of its moves, `text_of_story` and `html.report` show it, `shortened` simplifies it."""

from __future__ import annotations

from fsoft.trace.shorten import shortened
from fsoft.trace.story import Line, Story, tell
from fsoft.trace.text import Style, text_of_story, text_of_trace

__all__ = ["Line", "Story", "Style", "shortened", "tell", "text_of_story", "text_of_trace"]

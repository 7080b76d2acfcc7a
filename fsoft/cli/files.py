"""Writing results: `fsoft/files.py` under the name that the commands use."""

from __future__ import annotations

from fsoft.files import check_writable, utf8, write_file

__all__ = ["check_writable", "utf8", "write_file"]

"""The page that package indexes show: README.md without links into the repository, which lead nowhere there."""

import re
from pathlib import Path

from setuptools import setup

TEXT = Path(__file__).with_name("README.md").read_text(encoding="utf-8")
RELATIVE = re.compile(r"\[([^\]]+)\]\((?!https?://|#)([^)\s]+)\)")


def without_relative_links(text: str) -> str:
    """`[how it works](docs/architecture.md)` becomes "how it works (docs/architecture.md)"; a link whose text is its target only that."""
    return RELATIVE.sub(lambda link: link[1] if link[1] == link[2] else f"{link[1]} ({link[2]})", text)


setup(long_description=without_relative_links(TEXT), long_description_content_type="text/markdown")

"""A program full of conversions, bit-fields, initialisers and GNU C computes the same with gcc and with fsoft."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.program.options import Options
from tests.frontend.sema_tools import needs_gcc
from tests.fuzz.compare import compare

SOURCE = Path(__file__).parent / "semantics.c"


@needs_gcc
@pytest.mark.parametrize("bits", (32, 64))
def test_semantics_agree_with_gcc(bits: int) -> None:
    outcome = compare("semantics", SOURCE.read_text(), bits, [], Options())
    if outcome.agree is None:
        pytest.skip(outcome.detail)
    assert outcome.agree, outcome.detail

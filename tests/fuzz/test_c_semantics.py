"""A slice of the campaign that compares C semantics with gcc."""

from __future__ import annotations

import shutil

import pytest

from tests.fuzz.compare import outcomes

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is the other side of the comparison")


@pytest.mark.parametrize("block", range(10))
def test_own_programs_agree_with_gcc(block: int) -> None:
    done = outcomes(1000 + block * 6, 6, ("own",))
    decided = [o for o in done if o.agree is not None]
    print(f"decided {len(decided)}/{len(done)}")
    assert [o for o in decided if not o.agree] == []
    assert len(decided) * 2 >= len(done)


@pytest.mark.skipif(shutil.which("csmith") is None, reason="csmith is not installed")
@pytest.mark.parametrize("block", range(6))
def test_csmith_programs_agree_with_gcc(block: int) -> None:
    done = outcomes(2000 + block * 5, 5, ("csmith",))
    decided = [o for o in done if o.agree is not None]
    print(f"decided {len(decided)}/{len(done)}")
    assert [o for o in decided if not o.agree] == []

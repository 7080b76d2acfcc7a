"""What a format of printf is read to say."""

from __future__ import annotations

import pytest

from fsoft.program.lower.formats import read_format


@pytest.mark.parametrize(
    ("text", "touching"),
    [
        (b"no directive 100%%", []),
        (b"%d %5.2f %c %p %x", []),
        (b"%d %s", [("s", 1, None, None)]),
        (b"%-10s|%.3s", [("s", 0, None, None), ("s", 1, None, 3)]),
        (b"%*d %.*s", [("s", 3, 2, None)]),
        (b"%.-1s %.s", [("s", 0, None, None), ("s", 1, None, 0)]),
        (b"%2$s %1$.*3$s", [("s", 1, None, None), ("s", 0, 2, None)]),
        (b"%m %s", [("s", 0, None, None)]),
        (b"%hhn %lls", [("n", 0, None, None), ("s", 1, None, None)]),
    ],
)
def test_directives_that_touch_memory(text: bytes, touching: list[tuple[object, ...]]) -> None:
    found = read_format(text)
    assert [(d.conversion, d.argument, d.limit, d.limit_value) for d in found.touching] == touching
    assert found.whole


@pytest.mark.parametrize(
    ("text", "count"),
    [(b"abc", (3, 3)), (b"%%", (1, 1)), (b"%5c", (5, 5)), (b"a%.2s", (1, 3)), (b"%s", (0, None)), (b"%*d", (1, None)), (b"a%nb", (2, 2))],
)
def test_how_many_characters(text: bytes, count: tuple[int, int | None]) -> None:
    assert read_format(text).count == count


def test_what_is_counted_before_n() -> None:
    assert [d.before for d in read_format(b"ab%n%c%n").touching] == [(2, 2), (3, 3)]
    assert [d.size for d in read_format(b"%hhn%hn%n%lln%ln").touching] == [1, 2, 4, 8, None]


def test_what_is_no_directive() -> None:
    assert not read_format(b"100% sure").whole or read_format(b"100% sure").touching
    assert not read_format(b"%").whole

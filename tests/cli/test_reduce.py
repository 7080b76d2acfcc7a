"""Shrinking texts: what must stay stays, what can go goes."""

from __future__ import annotations

from fsoft.ask.shrink import brackets, declarations, reduce, tokens

TEXT = """#include <assert.h>
// a comment
int a, b;
static int helper(int x) { if (x > 3) { return 1; } else { b = 2; } return 0; }
int main(void) { for (a = 0; a < 5; a++) { helper(a); } assert(a == b); return 0; }
"""


def balanced(text: str) -> bool:
    return len(list(brackets(tokens(text)))) * 2 == sum(text.count(c) for c in "(){}[]")


def test_shrinks_to_what_matters() -> None:
    result = reduce(TEXT, lambda t: "assert(" in t.replace(" ", "") and "a == b" in t and "main" in t and balanced(t))
    assert "helper" not in result and "#include" not in result and "for" not in result
    assert "assert(" in result and "a == b" in result
    assert len(result) < 40


def test_result_is_one_minimal() -> None:
    """No single token of the result can go."""
    same = lambda t: t.count("x") >= 2 and "y" in t  # noqa: E731
    result = reduce("int x = 1; int y = 2; int z = x + y; int w = x;", same)
    parts = tokens(result)
    assert not any(same("".join(parts[:k] + parts[k + 1 :])) for k in range(len(parts)))


def test_every_success_is_reported_and_holds() -> None:
    heard: list[str] = []
    same = lambda t: "b = 2" in t  # noqa: E731
    result = reduce(TEXT, same, heard.append)
    assert heard[-1] == result and all(map(same, heard))


def test_what_cannot_shrink_stays() -> None:
    assert reduce(TEXT, lambda t: t == TEXT) == TEXT


def test_declarations_are_pieces_of_the_file() -> None:
    pieces = declarations(TEXT)
    assert len(pieces) == 4
    assert pieces[1].split() == ["int", "a,", "b;"]
    assert "".join(pieces).split() == "".join(tokens(TEXT)).split()


def test_tokens_keep_strings_whole() -> None:
    parts = [t.strip() for t in tokens('f("a b // c", \'"\', 0x1p-3) /* { */;')]
    assert parts == ["f", "(", '"a b // c"', ",", "'\"'", ",", "0x1p-3", ")", ";"]

"""Terms as Python functions: what candidates are tried with, many times."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from fsoft.program.expr import Expr, postorder
from fsoft.program.pycode import HELPERS, operator_text


def text_of_term(term: Expr, names: dict[str, str]) -> str:
    """Python for a term; `names` says what its leaves are called."""
    texts: dict[Expr, str] = {}
    for node in postorder((term,)):
        if node.op == "const":
            texts[node] = str(node.value)
        elif node.op == "reg":
            texts[node] = names[str(node.data)]
        else:
            texts[node] = operator_text(node, [texts[a] for a in node.args])
    return texts[term]


@lru_cache(maxsize=50_000)
def compiled(term: Expr, leaves: tuple[str, ...]) -> Callable[..., int]:
    """The term as a function of these leaves."""
    names = {leaf: f"x{k}" for k, leaf in enumerate(leaves)}
    function: Callable[..., int] = eval(f"lambda {', '.join(names.values())}: {text_of_term(term, names)}", dict(HELPERS))
    return function


__all__ = ["compiled", "text_of_term"]

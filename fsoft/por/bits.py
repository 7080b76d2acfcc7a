"""A thread's own bit in a mask of waiting threads: while it is clear, nobody else sets it.

Barriers and conditions keep the set of waiting threads in one cell. A thread that was let go asks for its own bit only, but the cell is
written whenever somebody else begins to wait or is let go. If every store of another thread leaves that bit as it was or clears it, then a
step that needs the bit to be clear, and can be taken now, finds it clear as long as its thread does not move, whatever the others do.
So the mask is not among what the step touches then. A step that cannot be taken yet waits for the mask as before.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsoft.passes.ways import conjuncts
from fsoft.por.cells import Ground
from fsoft.por.footprint import Footprint, LoadedValue, terms_of
from fsoft.por.rewrite import replaced
from fsoft.program.expr import FALSE, TRUE, Expr, binary, const, eq, reg, walk


def spared(ground: Ground, prints: Sequence[Sequence[Footprint]]) -> list[dict[int, int]]:
    """By slot and step: the entries of which the step, while it can be taken, needs just a bit that the others leave clear."""
    out: list[dict[int, int]] = []
    for slot, rows in enumerate(prints):
        others = [one for k, those in enumerate(prints) if k != slot for one in those if one.possible]
        out.append({})
        for one in rows:
            for load in one.loads if one.possible and one.plain else ():
                entry = _entry(ground, load)
                bits = 0 if entry is None else _needed_clear(one, load, entry)
                if entry is not None and bits and all(_leaves_clear(ground, other, entry, bits) for other in others):
                    out[slot][one.index] = out[slot].get(one.index, 0) | 1 << entry
    return out


def _entry(ground: Ground, load: LoadedValue) -> int | None:
    return ground.entry(load.address.value, load.size) if load.address.is_const else None


def _needed_clear(one: Footprint, load: LoadedValue, entry: int) -> int:
    """The bits of the entry that must be clear for the step, if that is all it asks of the entry; else 0."""
    touching = [item for item in one.items if (item.reads | item.writes) >> entry & 1]
    if load.when is not TRUE or len(touching) != 1:
        return 0
    for need in one.needs:
        for part in conjuncts(need.condition) if need.when is TRUE and need.stops is FALSE else ():
            bits = _tested(part, reg(load.name, 8 * load.size))
            if bits and not any(load.name in replaced(term, {part: TRUE}).reads for term in terms_of(one)):
                return bits
    return 0


def _tested(part: Expr, value: Expr) -> int:
    """The mask in `(value & mask) == 0`; 0 if the term is not of this form."""
    if part.op != "eq" or part.args[0].op != "and":
        return 0
    for mask in part.args[0].args:
        if mask.is_const and mask.width == value.width and part is eq(binary("and", value, mask), const(0, value.width)):
            return mask.value
    return 0


def _leaves_clear(ground: Ground, one: Footprint, entry: int, bits: int) -> bool:
    """Whatever the step of another thread stores in the entry, these bits are not set where they were clear."""
    if any(item.writes >> entry & 1 and item.where.kind != "store" for item in one.items):
        return False
    old = {load.name for load in one.loads if _entry(ground, load) == entry}
    for store in one.stores:
        if store.masks[1] >> entry & 1:
            exact = store.address.is_const and ground.entry(store.address.value, store.size) == entry
            if not (one.plain and exact) or new_bits(store.value, old) & bits:
                return False
    return True


def new_bits(value: Expr, old: set[str]) -> int:
    """The bits that may be set in a term although they are clear in the values named `old`."""

    def rule(node: Expr, parts: list[int]) -> int:
        every = (1 << node.width) - 1
        if node.is_const:
            return node.value
        if node.op == "reg":
            return 0 if node.data in old else every
        if node.op == "and":
            return parts[0] & parts[1]
        if node.op == "or":
            return parts[0] | parts[1]
        return parts[1] | parts[2] if node.op == "ite" else every

    return walk(value, {}, rule)


__all__ = ["new_bits", "spared"]

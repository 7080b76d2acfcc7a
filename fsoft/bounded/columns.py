"""Entries that no step writes together share a column: at a position of the memory unwinding a column holds one entry and its value.

A program whose steps write one cell each has one column, and a position is (thread, variable, value) as in the paper.
"""

from __future__ import annotations

from fsoft.analysis.actions import Touching, members
from fsoft.analysis.validity import constants_in
from fsoft.bounded.shared import SharedEntries
from fsoft.por.cells import Ground, where_of
from fsoft.program.program import Action, Store


def columns(shared: SharedEntries) -> list[list[int]]:
    """The shared entries, by column."""
    apart: dict[int, int] = dict.fromkeys(members(shared.mask), 0)
    for slot, thread in enumerate(shared.program.threads):
        for index in range(len(thread.template.steps)):
            for entry, others in _together(shared, slot, index):
                apart[entry] |= others
    found: list[list[int]] = []
    masks: list[int] = []
    for entry, others in apart.items():
        at = next((k for k, mask in enumerate(masks) if not mask & others), len(found))
        if at == len(found):
            found.append([])
            masks.append(0)
        found[at].append(entry)
        masks[at] |= 1 << entry
    return found


def _together(shared: SharedEntries, slot: int, index: int) -> list[tuple[int, int]]:
    """For each entry that a step may write, those that it may write as well."""
    every = shared.step_writes[slot][index] & shared.mask
    if every & (every - 1) == 0:
        return []
    writers = [1 << shared.holder & every]
    alone = [True]
    for action in shared.cells.actions(slot, index):
        if isinstance(action, Touching):
            _, written = shared.cells.static(slot, action, getattr(action, "address", None))
            if written & shared.mask:
                writers.append(written & shared.mask)
                alone.append(_one_at_a_time(shared.cells, slot, action))
    found = []
    for entry in members(every):
        others, mine = 0, sum(mask >> entry & 1 for mask in writers)
        for mask, single in zip(writers, alone, strict=True):
            others |= 0 if single and mine == 1 and mask >> entry & 1 else mask  # who is the only one to write here writes nothing else
        found.append((entry, others & ~(1 << entry)))
    return found


def _one_at_a_time(cells: Ground, slot: int, action: Action) -> bool:
    """The action writes one entry, whichever it is."""
    if not isinstance(action, Store):
        return False
    where, some = where_of(action), constants_in(action.address, {})
    if some is not None:
        return all(cells.at(where, address)[1].bit_count() <= 1 for address in some)
    stride = cells.strides.offset(slot, action.address)
    for number in members(cells.points_to.touched(slot, action)):
        place = cells.place(number)
        for offset in range(0 if place is None else max(0, place.limit - action.size + 1)):
            assert place is not None
            if stride.has(offset) and len(place.cells.overlapping(offset, action.size)) > 1:
                return False
    return True

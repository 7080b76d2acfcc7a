"""Which accesses put threads in order: the synchronises-with edges of C11 and POSIX, step by step.

An access that can order carries an `OrderEffect`. What a thread knows (the accesses that happen before its next one) travels through cells:
a store that *gives* leaves what its thread knows in the cell, a load that *takes* adds what the cell carries to what its thread knows.
Values are those of sequential consistency; only who knows what depends on memory orders.

- **Atomics** by their `order`. A read-modify-write continues the release sequences that it finds. Of a comparison the load has the order
  of a failure; the store, which happens on success only, *claims* what the load saw. `consume` takes as `acquire` does: no compiler of
  today knows the difference.
- **Fences** (`Tag("fence")`): a release fence lets later relaxed stores of its thread give what was known at the fence; an acquire fence
  takes what earlier relaxed loads saw. seq_cst is both.
- **Library objects** by the tag of the step: unlock, post, create and exit give; lock, wait and join take. A lock that was only tried
  takes if it was taken, and who reads the value of a semaphore takes nothing; readers take from writers and not from each other; conditions
  order nothing by themselves (their mutex does), nor do initialisation, detaching and cancelling. A word that a step keeps `apart` belongs
  to the model and not to the object.
- Accesses in a user's **atomic section** are sequentially consistent.
"""

from __future__ import annotations

from dataclasses import dataclass

from fsoft.program.program import ORDERS, Action, Load, Program, Step, Store, Template

UNKNOWN = "?"
_SILENT = frozenset({"signal", "broadcast", "init", "destroy", "detach", "cancel"})
_GIVING = frozenset({"release", "rwunlock", "post", "create", "exit"})
_LOOKING = frozenset({"try", "look"})
_TOLD = frozenset({"cancel"})
_TRYING = _LOOKING | {"semwait"}
_TAKING = frozenset({"acquire", "rdlock", "wrlock", "wake", "join", "start"})
_ACQUIRES = frozenset({"consume", "acquire", "acq_rel", ""})
_RELEASES = frozenset({"release", "acq_rel", ""})


@dataclass(frozen=True, slots=True)
class OrderEffect:
    """Of a load: it `takes` what the cell carries; otherwise it is `seen` by a store of the step that claims, and by later fences.
    Of a store: it `gives`, it `claims`, it `continues` the release sequences of the cell. `atomic`: fences matter to it."""

    takes: bool = False
    seen: bool = False
    gives: bool = False
    claims: bool = False
    continues: bool = False
    atomic: bool = False


def orders_less(program: Program) -> bool:
    """Whether a thread may learn what another one did without being ordered behind it: from an atomic operation weaker than seq_cst, from a
    lock that it tried to get, from the value of a semaphore, or from being cancelled."""
    steps = [step for template in program.templates() for step in template.steps]
    weaker = any(isinstance(action, (Load, Store)) and action.order for step in steps for action in step.actions)
    return weaker or any(tag.kind in _LOOKING | _TOLD for step in steps for tag in step.tags)


def fence(step: Step) -> str | None:
    """The order of the fence with which a step begins, if it does ("?": not known)."""
    for tag in step.tags:
        if tag.kind == "fence" and tag.operand is not None:
            number = tag.operand.value if tag.operand.is_const else len(ORDERS)
            return ORDERS[number] if number < len(ORDERS) else UNKNOWN
    return None


def acquires(order: str) -> bool:
    return order in _ACQUIRES


def releases(order: str) -> bool:
    return order in _RELEASES


def effects(template: Template, step: Step) -> dict[int, OrderEffect]:
    """By position, the effect of each action of a step that synchronises."""
    found: dict[int, OrderEffect] = {}
    section = template.locations[step.source].atomic or any(tag.kind == "section" for tag in step.tags)
    for k, action in enumerate(step.actions):
        if isinstance(action, (Load, Store)) and (action.sync or section):
            found[k] = _effect(step, k, action, section)
    return found


def _effect(step: Step, k: int, action: Load | Store, section: bool) -> OrderEffect:
    kinds = {tag.kind for tag in step.tags}
    before = _continues(step.actions[:k], action) if isinstance(action, Store) else False
    if section or "update" in kinds:
        order = "" if section else action.order
        if isinstance(action, Load):
            return OrderEffect(takes=acquires(order), seen=True, atomic=True)
        return OrderEffect(gives=releases(order), claims=before and acquires(order), continues=before, atomic=True)
    if any(tag.kind == "apart" and tag.operand is action.address for tag in step.tags):
        return OrderEffect(continues=isinstance(action, Store))
    if isinstance(action, Load):
        return _library_load(step, action, kinds)
    gives = bool(kinds & _GIVING) or not kinds & (_SILENT | _TRYING | _TAKING)
    return OrderEffect(gives=gives, claims=bool(kinds & _TRYING), continues=before)


def _library_load(step: Step, action: Load, kinds: set[str]) -> OrderEffect:
    reading = "shared" in kinds and "wrlock" not in kinds
    if kinds & (_SILENT | _GIVING) or (reading and any(_same(action, other) for other in step.actions)):
        return OrderEffect()
    return OrderEffect(seen=True) if kinds & _TRYING else OrderEffect(takes=True)


def _same(load: Load, other: Action) -> bool:
    return isinstance(other, Store) and other.address is load.address


def _continues(earlier: tuple[Action, ...], store: Store) -> bool:
    """The step has read the cell that it writes."""
    return any(isinstance(action, Load) and action.address is store.address for action in earlier)


__all__ = ["OrderEffect", "UNKNOWN", "acquires", "effects", "fence", "orders_less", "releases"]

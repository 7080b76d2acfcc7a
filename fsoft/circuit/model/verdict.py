"""What a checker answers about a Model, and the evidence that comes with it.

`Proved` carries a `Certificate`, `Violated` a `Stimulus`, `Unknown` says how deep the engine came and why it stopped. All
three are plain records; `checkers/certify.py` judges a certificate and `circuit/bits/simulate.py` a stimulus.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Union


@dataclass(frozen=True, slots=True)
class Stimulus:
    """A run of a Model: the initial value of every state, then the value of every input at each step.

    Step `i` is `inputs[i]`; a run of depth `d` has `d + 1` steps, and the bad holds in the last of them. A name that is missing
    has the value 0 (for a state with a constant `init`: that constant).
    """

    initial: dict[str, int] = field(default_factory=dict)
    inputs: tuple[dict[str, int], ...] = ()

    @property
    def depth(self) -> int:
        """How many transitions the run takes."""
        return max(0, len(self.inputs) - 1)


@dataclass(frozen=True, slots=True)
class Certificate:
    """Evidence that no bad and no bound is reachable, over the latches of the bit-blasted model.

    `kind` is "invariant": the conjunction of `clauses` and of `circuit` holds initially, is preserved by every transition and
    excludes the targets; or "induction": the invariant is as before but need not exclude the targets, which are unreachable by
    `k`-induction under it; where `over` is given, over paths on which no two states agree on these latches; or "diameter": no target holds
    within `k` steps of an initial state, and every run of `k` steps repeats a state (of `over`), so that there is nothing further.

    A clause is a tuple of latch literals `2 * latch + sign`, true where the latch differs from its sign. `circuit` is a list of ANDs
    over literals `2 * variable + sign`: variable 0 is the constant false, 1..L are the latches, the gates follow in order;
    `outputs` are the literals that the invariant asserts. `split` are groups of latches (and inputs, numbered after them) for each of
    whose values it is best asked whether the invariant is preserved: it decides how the certificate is checked, not what it says.
    """

    kind: str
    model: str
    targets: tuple[str, ...]
    clauses: tuple[tuple[int, ...], ...] = ()
    circuit: tuple[tuple[int, int], ...] = ()
    outputs: tuple[int, ...] = ()
    k: int = 0
    over: tuple[int, ...] | None = None
    split: tuple[tuple[int, ...], ...] = ()

    def describe(self) -> str:
        """One line for a person."""
        if self.kind == "diameter":
            return f"all runs end or repeat within {self.k} steps"
        if self.kind == "induction":
            return f"{self.k}-induction" + (" over simple paths" if self.over is not None else "")
        parts = []
        if self.clauses:
            parts.append(f"{len(self.clauses)} clauses")
        if self.outputs:
            parts.append(f"a circuit of {len(self.circuit)} gates")
        return "inductive invariant: " + (" and ".join(parts) or "true")


@dataclass(frozen=True, slots=True)
class Trusted:
    """A proof that these targets are unreachable which nobody but its maker, `whom`, has checked."""

    targets: tuple[str, ...]
    whom: str


@dataclass(frozen=True, slots=True)
class Proved:
    """No bad and no bound is reachable. `certificates` and `trusted` together cover all targets."""

    certificates: tuple[Certificate, ...]
    depth: int = 0
    trusted: tuple[Trusted, ...] = ()

    def describe(self, engine: str) -> list[str]:
        """Lines for a person: what proves it, and what has to be believed."""
        lines = [f"proved by {engine}: {certificate.describe()}" for certificate in self.certificates]
        lines += [f"proved by {engine}, uncertified: trusts {trusted.whom}" for trusted in self.trusted]
        return list(dict.fromkeys(lines)) or [f"proved by {engine}, uncertified: trusts {engine}"]


@dataclass(frozen=True, slots=True)
class Violated:
    """The bad of that name holds at the last step of the stimulus, which has been simulated."""

    stimulus: Stimulus
    depth: int
    bad: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """No answer. No bad is reachable within `depth` transitions (-1: not even the initial states were covered); `bounds` are
    cutting markers known to be reachable, and `more` says that others may be too; `proved` says that the bads themselves are
    unreachable, only a bound forbids TRUE."""

    depth: int
    why: str
    bounds: tuple[str, ...] = ()
    proved: bool = False
    more: bool = False


Answer = Union[Proved, Violated, Unknown]

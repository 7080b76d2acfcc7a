"""Random programs with assertions about small values, for the engine values: what it proves must be so. `python -m tests.fuzz.values
[COUNT [FIRST]]`.

The programs are those about locks, with other statements: shared words get constants, each other's values, and numbers that are kept small;
assertions compare them with constants. Every claim is compared with all states of the program.
"""

from __future__ import annotations

import sys
from functools import partial

from fsoft.checkers.values import ByValues
from tests.fuzz import locks


class Generator(locks.Generator):
    """One program."""

    def plain(self) -> str:
        x, y = self.chance.sample(("x", "y"), 2)
        small, large = self.chance.randrange(3), self.chance.randrange(2, 6)
        return self.chance.choice((
            f"{x} = {small};", f"{x} = {small};", f"{x} = {y};", f"{y} = i;", f"if ({x} == {small}) {y} = {large};", f"{x}++;",
            f"if ({x} < {large}) {x}++;", f"{x} = ({x} + 1) % {large};", f"{x} = {small}; if ({x} > {small}) {y} = {large};",
            f"{x} = i; {y} = {x} & 1;",
            f"assert({x} <= {large});", f"assert({x} != {large});", f"assert({x} == {small} || {x} != {large});",
            f"{x} = {small}; assert({x} <= {large});", f"{x} = {small}; assert({x} == {small});", f"assert({x} != {small});",
            f"assert({x} >= 0);", f"if ({x} <= {small}) assert({x} != {large});",
        ))  # fmt: skip

    def program(self) -> str:
        return "#include <assert.h>\n" + super().program()


campaign = partial(locks.campaign, made=Generator, engine=ByValues, prop="unreach-call")


if __name__ == "__main__":
    numbers = [int(a) for a in sys.argv[1:]]
    print(campaign(numbers[1] if len(numbers) > 1 else 0, numbers[0] if numbers else 100))

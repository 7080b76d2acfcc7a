"""What many runs found, confirmed: every finding is made to happen again, with as few switches as can be found, and told."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from fsoft.compiled.campaign import Campaign, Grouped, repeat
from fsoft.compiled.results import KINDS, RawFinding, Side
from fsoft.compiled.telling import TITLES, happens, story_of
from fsoft.frontend.source import NOWHERE, InputError, Loc
from fsoft.trace.schema import Json
from fsoft.trace.story import Story

SCHEMA = "fsoft-test/1"
_ORDER = ("assertion", "error", "access", "free", "crash", "abort", "deadlock", "race", "misuse", "undefined", "leak", "hang")
_SHORTEN = 2.0
_TIMES = 3
_MOST_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Found:
    """A finding that was repeated `repeated` times of `tried`, and seen `count` times before. `raw.schedule` is the shortened one."""

    raw: RawFinding
    count: int
    repeated: int
    tried: int
    loc: Loc
    message: str
    story: Story | None = None

    @property
    def confirmed(self) -> bool:
        """Whether it happened again every time: only then it is a FALSE."""
        return self.tried > 0 and self.repeated == self.tried

    @property
    def title(self) -> str:
        return TITLES[self.raw.kind]

    @property
    def switches(self) -> int:
        return max(0, len(self.raw.schedule.split()) - 1)


@dataclass(frozen=True, slots=True)
class BuildRecipe:
    """How the program of a finding was made and called: what `fsoft replay` needs to do it again."""

    files: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    bits: int = 64
    build: str = ""
    command: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    stdin: str = ""
    define: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    undefine: tuple[str, ...] = ()


@dataclass(slots=True)
class TestSummary:
    """All findings of a campaign, the worst first."""

    found: list[Found] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """The line for machines."""
        worst = next((one for one in self.found if one.confirmed and one.raw.kind != "hang"), None)
        return f"FALSE({worst.raw.prop})" if worst else "UNKNOWN"


def confirm(campaign: Campaign, checks: frozenset[str], seconds: float = _SHORTEN) -> TestSummary:
    """Every finding about one of these properties (no properties: all), repeated, shortened and told."""
    groups = [group for group in campaign.groups.values() if not checks or group.raw.prop in checks]
    groups.sort(key=lambda group: (_ORDER.index(group.raw.kind), -group.count))
    return TestSummary([_confirm(campaign, group, seconds) for group in groups])


def _confirm(campaign: Campaign, group: Grouped, seconds: float) -> Found:
    again = repeat(campaign, group.raw, True, _TIMES, seconds)
    raw, story = group.raw, None
    same = [one for one in again.findings if campaign.key(one) == campaign.key(raw)]
    if same:
        raw = RawFinding(raw.kind, raw.fatal, raw.prop, raw.run, raw.seed, raw.strategy, same[-1].sides, same[-1].text, same[-1].schedule)
        story = story_of(again.steps, raw, campaign.book)
    loc = campaign.book.users_place(raw.sides[0].pc, raw.sides[0].frames).loc if raw.sides else NOWHERE
    return Found(raw, group.count, sum(again.repeated), len(again.repeated) or _TIMES, loc, happens(raw, campaign.book), story)


# ---------------------------------------------------------------- the file of a finding


def finding_json(found: Found, recipe: BuildRecipe) -> Json:
    """What `--json` writes about a finding, and `fsoft replay` reads."""
    return {
        "schema": SCHEMA, "property": found.raw.prop, "kind": found.raw.kind, "message": found.message,
        "location": {"file": found.loc.file, "line": found.loc.line}, "count": found.count,
        "repeated": found.repeated, "tried": found.tried,
        "seed": found.raw.seed, "strategy": found.raw.strategy, "schedule": found.raw.schedule, "switches": found.switches,
        "threads": [
            {"thread": side.thread, "how": side.how, "size": side.size, "pc": side.pc, "address": side.address, "frames": list(side.frames)}
            for side in found.raw.sides
        ],
        "text": found.raw.text, "recipe": asdict(recipe), "trace": _trace_json(found.story),
    }  # fmt: skip


def _trace_json(story: Story | None) -> list[Json]:
    if story is None:
        return []
    return [
        {
            "thread": line.slot, "name": story.thread(line.slot), "file": line.loc.file, "line": line.loc.line, "statement": line.text,
            "does": line.does, "reads": line.reads, "changes": {name: list(pair) for name, pair in line.changes.items()},
            "pending": line.pending,
        }
        for line in story.lines
    ]  # fmt: skip


def is_finding(path: str) -> bool:
    """Whether the file is one of these."""
    try:
        with open(path, encoding="utf-8") as file:
            return f'"{SCHEMA}"' in file.read(400)
    except (OSError, UnicodeDecodeError):
        return False


def read_finding(path: str) -> tuple[RawFinding, BuildRecipe]:
    """A finding as it was written. InputError if it is none."""
    try:
        if os.path.getsize(path) > _MOST_BYTES:
            raise ValueError("it is too large")
        with open(path, encoding="utf-8") as file:
            table = json.load(file)
        found = table["findings"][0] if "findings" in table else table
        return _raw(found), _recipe(found["recipe"])
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        raise InputError(Loc(path, 0), f"is not a finding of fsoft test ({type(error).__name__}: {error})") from None


def _raw(found: Mapping[str, Any]) -> RawFinding:
    if found["kind"] not in KINDS:
        raise ValueError(f"no kind of finding: {found['kind']!r}")
    sides = tuple(
        Side(int(s["thread"]), int(s["how"]), int(s["size"]), int(s["pc"]), int(s["address"]), tuple(map(int, s["frames"])))
        for s in found["threads"]
    )
    return RawFinding(
        found["kind"],
        True,
        str(found["property"]),
        0,
        int(found["seed"]),
        str(found["strategy"]),
        sides,
        str(found["text"]),
        str(found["schedule"]),
    )


def _recipe(table: Mapping[str, Any]) -> BuildRecipe:
    def words(name: str) -> tuple[str, ...]:
        return tuple(str(word) for word in table[name])

    return BuildRecipe(
        words("files"), words("flags"), int(table["bits"]), str(table["build"]), words("command"), words("arguments"), str(table["stdin"]),
        words("define"), words("include"), words("undefine"),
    )  # fmt: skip


def report_json(campaign: Campaign, summary: TestSummary, recipe: BuildRecipe) -> str:
    """All of it as one JSON object."""
    table = {
        "schema": SCHEMA, "verdict": summary.verdict, "covered": asdict(campaign.totals),
        "findings": [finding_json(one, recipe) for one in summary.found],
    }  # fmt: skip
    return json.dumps(table, indent=1) + "\n"


__all__ = [
    "Found", "BuildRecipe", "SCHEMA", "TestSummary", "confirm", "finding_json", "is_finding", "read_finding", "report_json",
]  # fmt: skip

"""Reports of `fsoft test` for browsers, code scanning and dashboards."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from fsoft.cli import exits
from fsoft.compiled.campaign import Campaign
from fsoft.compiled.findings import BuildRecipe, Found, TestSummary
from fsoft.compiled.telling import run_of
from fsoft.process.files import utf8, write_file
from fsoft.program.verdict import Stats, Verdict
from fsoft.trace.html import Page, report
from fsoft.trace.junit import junit
from fsoft.trace.outcome import ReportedAnswer
from fsoft.trace.sarif import RULES, sarif
from fsoft.trace.task import ReportTask


def write_reports(args: argparse.Namespace, campaign: Campaign, summary: TestSummary, recipe: BuildRecipe) -> None:
    """The files that were asked for."""
    certain = [found for found in summary.found if found.confirmed]
    if args.html:
        write_file(args.html, utf8(_page(campaign, summary, certain, recipe)))
    if args.sarif or args.junit:
        files = recipe.files or tuple(dict.fromkeys(found.loc.file for found in certain)) or recipe.command[:1]
        outcomes = [_outcome(found, campaign) for found in certain if found.raw.prop in RULES]
        task = ReportTask(
            files, recipe.bits, frozenset(found.raw.prop for found in certain if found.raw.prop in RULES), command="fsoft test"
        )
        if args.sarif:
            write_file(args.sarif, utf8(sarif(task, outcomes, exits.FALSE if certain else exits.UNKNOWN)))
        if args.junit:
            write_file(args.junit, utf8(junit(task, outcomes or [ReportedAnswer("fsoft test", _nothing(campaign))])))


def _page(campaign: Campaign, summary: TestSummary, certain: Sequence[Found], recipe: BuildRecipe) -> str:
    name = " ".join(recipe.files or recipe.command)
    first = certain[0] if certain else None
    reasons = [f"{found.loc}: {found.title}: {found.message}" for found in certain]
    return report(Page(name, summary.verdict, reasons or _nothing(campaign).reasons), first.story if first else None)


def _outcome(found: Found, campaign: Campaign) -> ReportedAnswer:
    verdict = Verdict("FALSE", found.raw.prop, [f"{found.loc}: {found.title}: {found.message}"], loc=found.loc)
    story = run_of(found.story, found.raw, campaign.book) if found.story is not None else None
    return ReportedAnswer(found.raw.prop, verdict, story)


def _nothing(campaign: Campaign) -> Verdict:
    totals = campaign.totals
    text = f"no failure in {totals.runs} runs with {totals.distinct} different interleavings"
    return Verdict("UNKNOWN", "", [text], stats=Stats(seconds=totals.seconds))


__all__ = ["write_reports"]

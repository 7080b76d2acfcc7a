"""The pages in a real browser: walked with keys alone and with clicks, light and dark, on paper, by a screen reader's tree."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.trace.browser import CHROMIUM, Browser
from tests.trace.programs import CROSSED, LOST, command

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here (make tools installs it)")
AXE = os.environ.get("FSOFT_AXE", "")
"""The file axe.min.js of axe-core, for a second opinion on accessibility."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as one:
        yield one


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    made = {}
    for name, text, flag in (("lost", LOST, "--all-checks"), ("crossed", CROSSED, "--deadlock-check")):
        (folder / f"{name}.c").write_text(text)
        asked = ("--property", "unreach-call") if name == "lost" else (flag,)
        assert command("check", str(folder / f"{name}.c"), *asked, "--html", str(folder / f"{name}.html"))[0] == 10
        made[name] = folder / f"{name}.html"
    assert command("show", str(folder / "lost.c"), "--html", str(folder / "graphs.html"))[0] == 0
    return made | {"graphs": folder / "graphs.html"}


def now(browser: Browser) -> str:
    return str(browser.value("document.getElementById('now').textContent"))


def step(browser: Browser) -> int:
    return int(now(browser).split()[1])


def cells(browser: Browser, table: str) -> dict[str, str]:
    rows = browser.value(f"Array.from(document.getElementById('{table}').rows, r => Array.from(r.cells, c => c.textContent))")
    return {row[0]: row[-1] for row in rows}


def test_keys_alone_walk_through_all_steps_and_back(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["lost"])
    shown = browser.value("Array.from(document.querySelectorAll('#steps tr[data-step]')).filter(r => r.offsetParent).length")
    seen = [step(browser)]
    for _ in range(shown - 1):
        browser.press("ArrowRight")
        seen.append(step(browser))
    assert seen == sorted(set(seen)) and len(seen) == shown
    assert "assertion fails" in now(browser)
    browser.press("ArrowRight")
    assert step(browser) == seen[-1]
    browser.press("ArrowLeft")
    assert step(browser) == seen[-2]
    browser.press("Home")
    assert step(browser) == seen[0]
    browser.press("End")
    assert step(browser) == seen[-1]
    assert browser.value("document.activeElement.getAttribute('aria-current')") == "step"
    seen_row = "(b => b.top >= 0 && b.bottom <= innerHeight)(document.querySelector('tr.current').getBoundingClientRect())"
    assert browser.value(seen_row) is True


def test_values_lines_and_stack_follow_the_step(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["lost"])
    assert cells(browser, "vars")["balance"] == "10"
    browser.press("End")
    assert cells(browser, "vars")["balance"] in ("7", "15")
    here = browser.value("document.querySelector('ol.source li.here code').textContent")
    assert here.strip() == "assert(balance == 12);"
    assert "main" in cells(browser, "stack")
    browser.open(pages["crossed"])
    browser.press("End")
    locks = cells(browser, "locks")
    assert locks["left"] == "1 one" and locks["right"] == "2 two"


def test_clicks_walk_too(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["crossed"])
    first = step(browser)
    browser.click("#next")
    second = step(browser)
    assert second > first
    browser.click("#back")
    assert step(browser) == first
    browser.click("#switch")
    assert "thread 1 one" in now(browser)
    browser.click("#last")
    assert browser.value("document.getElementById('next').disabled") is True
    browser.click("#steps tr[data-step='1'] button")
    assert step(browser) == 2


def test_all_steps_and_search(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["lost"])
    count = "Array.from(document.querySelectorAll('#steps tr[data-step]')).filter(r => r.offsetParent).length"
    folded = browser.value(count)
    browser.click("#all")
    assert browser.value(count) > folded
    browser.press("/")
    for character in "withdraw":
        browser.press(character)
    hits = browser.value("document.getElementById('hits').textContent")
    assert int(hits.split()[0]) >= 1
    browser.press("Enter")
    assert "withdraw" in now(browser)
    browser.press("Escape")
    assert browser.value("document.querySelectorAll('tr.found').length") == 0


def test_nothing_is_loaded_and_nothing_goes_wrong(browser: Browser, pages: dict[str, Path]) -> None:
    for page in pages.values():
        browser.open(page)
        browser.press("End")
        assert [url for url in browser.requests() if not url.startswith("file:")] == []
        assert browser.complaints() == []


def test_light_dark_and_paper(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["lost"])
    grounds = []
    for scheme in ("light", "dark"):
        browser.scheme(scheme)
        grounds.append(browser.value("getComputedStyle(document.body).backgroundColor"))
        assert browser.screenshot().startswith(b"\x89PNG")
    assert grounds == ["rgb(255, 255, 255)", "rgb(13, 17, 23)"]
    browser.scheme("light")
    assert browser.pdf().startswith(b"%PDF")
    browser.call("Emulation.setEmulatedMedia", media="print")
    assert browser.value("getComputedStyle(document.querySelector('nav')).display") == "none"
    assert browser.value("getComputedStyle(document.querySelector('#steps').closest('.scroll')).overflow") == "visible"
    browser.call("Emulation.setEmulatedMedia", media="")


def test_a_screen_reader_finds_landmarks_names_and_the_current_step(browser: Browser, pages: dict[str, Path]) -> None:
    for name, page in pages.items():
        browser.open(page)
        nodes = browser.accessible()
        roles = [_role(node) for node in nodes]
        for landmark in ("banner", "navigation", "main", "contentinfo"):
            assert roles.count(landmark) == 1, (name, landmark)
        for node in nodes:
            if _role(node) in ("button", "checkbox", "searchbox", "link", "region", "table", "image", "img"):
                assert node["name"]["value"].strip(), (name, node)
        if name != "graphs":
            assert {"status", "table", "columnheader", "rowheader"} <= set(roles)


def _role(node: dict[str, Any]) -> str:
    return str(node["role"]["value"])


def test_focus_can_be_seen_and_tab_reaches_every_control(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["lost"])
    reached = []
    for _ in range(14):
        browser.press("Tab")
        reached.append(browser.value("document.activeElement.id || document.activeElement.className"))
        assert browser.value("parseFloat(getComputedStyle(document.activeElement).outlineWidth)") >= 2
    assert {"skip", "next", "last", "switch", "all", "search"} <= set(reached)


def test_a_narrow_page_scrolls_down_only_and_links_are_large_enough(browser: Browser, pages: dict[str, Path]) -> None:
    browser.call("Emulation.setDeviceMetricsOverride", width=480, height=800, deviceScaleFactor=1, mobile=False)
    for name, page in pages.items():
        browser.open(page)
        assert browser.value("document.documentElement.scrollWidth <= innerWidth") is True, name
        small = "Array.from(document.querySelectorAll('header a')).filter(a => a.getBoundingClientRect().height < 24).length"
        assert browser.value(small) == 0, name
        cut = "Array.from(document.querySelectorAll('thead th')).filter(t => t.scrollWidth > t.clientWidth + 1).length"
        assert browser.value(cut) == 0, name
    browser.call("Emulation.clearDeviceMetricsOverride")


@pytest.mark.skipif(not AXE, reason="FSOFT_AXE does not name axe.min.js")
def test_axe_finds_no_violation(browser: Browser, pages: dict[str, Path]) -> None:
    for page in pages.values():
        for scheme in ("light", "dark"):
            browser.open(page)
            browser.scheme(scheme)
            browser.call("Runtime.evaluate", expression=Path(AXE).read_text(encoding="utf-8"))
            asked = "axe.run(document, {resultTypes: ['violations']}).then(r => r.violations.map(v => v.id + ': ' + v.nodes[0].html))"
            answer = browser.call("Runtime.evaluate", expression=asked, awaitPromise=True, returnByValue=True)
            assert answer["result"]["value"] == []


def test_graphs_are_drawn_and_searched(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["graphs"])
    assert browser.value("document.querySelectorAll('svg').length") == 3
    clipped = """Array.from(document.querySelectorAll('svg .node')).filter(node => {
        const rect = node.querySelector('rect'); if (!rect) return false;
        const outer = rect.getBBox();
        return Array.from(node.querySelectorAll('text')).some(t => t.getBBox().width > outer.width); }).length"""
    assert browser.value(clipped) == 0
    browser.press("/")
    for character in "balance":
        browser.press(character)
    assert browser.value("document.querySelectorAll('svg .node.found').length") >= 2

"""The HTML report and the page of graphs as text: whole, escaped, with the right structure (`test_browser.py` has them in a browser)."""

from __future__ import annotations

import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from fsoft.trace.html import asset
from tests.trace.programs import CROSSED, LOST, MODELS, command

NASTY = r"""#include <assert.h>
const char *text = "</script><script>alert(1)</script><img src=x onerror=alert(2)> & ' \" <!-- ]]> \u2028";
int main(void) {
    int x = text[0] == '<'; /* </style><b> & "quotes" */
    assert(x == 0 && "<i>not</i> & </table>"); // <script>
    return 0;
}
"""
VOID = {"meta", "input", "br", "col"}


class Tree(HTMLParser):
    """Checks that elements close in order, and collects what tests ask for."""

    def __init__(self, text: str):
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.tags if name == tag]


def report(folder: Path, text: str, *flags: str) -> Tree:
    (folder / "prog.c").write_text(text)
    code, out, err = command("check", str(folder / "prog.c"), "--html", str(folder / "r.html"), *flags)
    assert code in (0, 10) and not err, out + err
    return Tree((folder / "r.html").read_text(encoding="utf-8"))


def test_text_of_the_program_is_never_markup(tmp_path: Path) -> None:
    tree = report(tmp_path, NASTY)
    assert not tree.all("img") and not tree.all("b") and not tree.all("i") and len(tree.all("script")) == 2
    data = json.loads(next(text for tag, text in tree.texts if tag == "script" and text.startswith("{")))
    assert "<i>not</i>" in data["steps"][-1]["text"]
    assert any("<i>not</i> & </table>" in text for tag, text in tree.texts if tag == "code")
    command("show", str(tmp_path / "prog.c"), "--html", str(tmp_path / "g.html"))
    graph = Tree((tmp_path / "g.html").read_text(encoding="utf-8"))
    assert not graph.all("img") and not graph.all("b") and len(graph.all("script")) == 1


def test_a_report_needs_nothing_else(tmp_path: Path) -> None:
    report(tmp_path, LOST)
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Content-Security-Policy" in text and "default-src 'none'" in text
    assert not re.search(r"""(src|href)\s*=\s*["'](?!#)|@import|url\(|https?://(?!www\.w3\.org)""", text)


def test_the_structure_is_one_that_a_screen_reader_knows(tmp_path: Path) -> None:
    tree = report(tmp_path, CROSSED, "--deadlock-check")
    assert tree.all("html")[0]["lang"] == "en"
    for tag in ("title", "header", "nav", "main", "footer", "h1", "caption"):
        assert len(tree.all(tag)) == 1, tag
    assert {attrs.get("scope") for attrs in tree.all("th")} == {"col", "row"}
    live = next(attrs for attrs in tree.all("p") if attrs.get("id") == "now")
    assert live["aria-live"] == "polite"
    ids = [attrs["id"] for _, attrs in tree.tags if attrs.get("id")]
    assert len(ids) == len(set(ids))
    named = [attrs["aria-labelledby"] for _, attrs in tree.tags if attrs.get("aria-labelledby")]
    assert named and set(named) <= set(ids)


def test_every_step_names_its_line_of_the_source(tmp_path: Path) -> None:
    tree = report(tmp_path, LOST)
    data = json.loads(next(text for tag, text in tree.texts if tag == "script" and text.startswith("{")))
    lines = {attrs["id"] for attrs in tree.all("li") if attrs.get("id")}
    assert len(lines) == len(LOST.splitlines()) and {step["at"] for step in data["steps"]} <= lines
    assert dict(data["initial"])["balance"] == "10" and any(["balance", "7"] in step["changes"] or ["balance", "15"] in step["changes"]
                                                             for step in data["steps"])  # fmt: skip


def test_verdicts_without_a_trace_have_a_report_too(tmp_path: Path) -> None:
    tree = report(tmp_path, "int main(void) { return 0; }")
    assert any("TRUE" in text for tag, text in tree.texts if tag == "span") and not tree.all("script")


def test_lassos_and_several_formulas(tmp_path: Path) -> None:
    model = str(MODELS / "ltl" / "lights.c")
    asked = ("--ltl", "G F light == RED", "--ltl", "F light == RED")
    code, _, _ = command("check", model, "-DSTUCK", *asked, "--html", str(tmp_path / "r.html"))
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert code == 10 and ("repeats for ever" in text or "nobody moves any more" in text)
    Tree(text)


@pytest.mark.parametrize("command_", ["check", "show"])
def test_a_report_that_cannot_be_written_is_an_error_and_leaves_nothing(command_: str, tmp_path: Path) -> None:
    (tmp_path / "prog.c").write_text("int main(void) { return 0; }")
    for target in (tmp_path, tmp_path / "missing" / "r.html", Path("/proc/version/r.html")):
        code, _, err = command(command_, str(tmp_path / "prog.c"), "--html", str(target))
        assert code == 2 and len(err.splitlines()) == 1 and "error" in err
    assert sorted(os.listdir(tmp_path)) == ["prog.c"]


def test_a_model_file_has_no_report(tmp_path: Path) -> None:
    (tmp_path / "m.aag").write_text("aag 0 0 0 0 0\n")
    code, _, err = command("check", str(tmp_path / "m.aag"), "--html", str(tmp_path / "r.html"))
    assert code == 1 and "--html" in err


# ---------------------------------------------------------------- colours


def _colours(css: str) -> tuple[dict[str, str], dict[str, str]]:
    light, dark = re.findall(r":root \{(.*?)\n\s*\}", css, re.S)
    tables = [dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", part)) for part in (light, dark)]
    return tables[0], tables[1]


def _luminance(colour: str) -> float:
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_contrast_is_enough_in_light_and_in_dark() -> None:
    for table in _colours(asset("report.css")):
        assert len(table) >= 19
        for text in ("text", "soft", "accent", "bad", "good", "open"):
            for ground in ("back", "panel", "here", "mark"):
                high, low = sorted((_luminance(table[text]), _luminance(table[ground])), reverse=True)
                assert (high + 0.05) / (low + 0.05) >= 4.5, (text, ground, (high + 0.05) / (low + 0.05))

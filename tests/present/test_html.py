"""Blocks as HTML: text that stays text, what opens and closes, and what the page may do."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

import pytest

from tests.present.every_block import EXAMPLE, MEDIA, Page, document_of, table_of
from tests.present.hostile import STRINGS
from tests.present.realistic import chart, examples, report
from tiltmeter.present import html
from tiltmeter.present.blocks import (
    Document,
    Prose,
    Section,
    Span,
    text,
)

pytestmark = pytest.mark.usefixtures("tiny_drawings")


@pytest.mark.parametrize("words", STRINGS)
@pytest.mark.parametrize("medium", ["html", "fragment"])
def test_hostile_text_is_inert_in_html(medium: str, words: str) -> None:
    document = document_of(words)
    page = Page(MEDIA[medium](document))
    usual = {name for name, _ in Page(MEDIA[medium](document_of("plain"))).found}
    assert {name for name, _ in page.found} <= usual
    attributes = {name for _, found in page.found for name in found}
    assert not [name for name in attributes if name.startswith("on") or name in ("style", "src", "srcdoc")]
    assert all(found["href"].startswith("#") for found in page.all("a"))
    assert not [sign for one in page.all("section") for sign in one if not re.fullmatch(r"[a-z-]+", sign)]


def test_headings_go_down_one_level_at_a_time() -> None:
    levels = [int(tag[1]) for tag, _ in Page(html.page(report())).found if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels))


def test_folded_sections_open_and_close_in_html() -> None:
    blocks = tuple(Section(str(folded), (), folded=folded) for folded in (True, False, None))
    page = Page(html.fragment(blocks))
    assert ["open" in one for one in page.all("details")] == [False, True]
    assert len(page.all("section")) == 1


def test_examples_are_behind_a_closed_warning() -> None:
    made = html.page(Document("t", "s", (examples(),)))
    [warning] = Page(made).all("details")
    assert warning == {"class": "warning"}
    assert made.index("Content warning") < made.index("</summary>") < made.index(EXAMPLE)


def test_the_page_allows_its_own_style_and_script_only() -> None:
    made = html.page(report())
    [policy] = [one["content"] for one in Page(made).all("meta") if one.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'") and "unsafe" not in policy
    assert len(re.findall("'sha256-[^']{44}'", policy)) == 2
    assert not re.search(r'\b(src|href)="(?!#)', made) and "url(" not in made and "@import" not in made


def test_links_of_the_page_lead_somewhere() -> None:
    page = Page(html.page(report()))
    anchors = {found["id"] for _, found in page.found if "id" in found}
    links = {found["href"].removeprefix("#") for found in page.all("a")}
    assert links and links <= anchors


def test_a_chart_of_the_report_is_drawn_twice_and_named_once() -> None:
    page = Page(html.page(Document("t", "s", (chart(),))))
    images = [found for _, found in page.found if found.get("role") == "img"]
    assert [one["class"] for one in images] == ["chart wide", "chart narrow"]
    assert {one["aria-label"] for one in images} == {chart().alternative}
    assert len(page.all("figure")) == 1


def test_places_open_in_the_workbench_and_nowhere_else() -> None:
    blocks = (chart(), table_of("plain"))
    made = html.fragment(blocks, address=lambda place: f"/texts?{place.get('bias') or place['view']}", opens_in="#here")
    assert 'data-opens-in="#here"' in made and 'href="/texts?plain"' in made and 'hx-target="#here"' in made
    [spec] = re.findall(r"<span data-spec hidden>(.*?)</span>", made)
    opened = [row["open"] for row in _rows(json.loads(spec)) if "open" in row]
    assert "/texts?Age and technology" in opened and "place" not in json.loads(spec)
    assert "/texts" not in html.page(Document("t", "s", blocks))


def _rows(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        return [value, *(row for one in value.values() for row in _rows(one))]
    return [row for one in value for row in _rows(one)] if isinstance(value, list) else []


def test_citations_and_sort_keys_are_kept() -> None:
    made = html.fragment((Prose(text(Span("[1, 2]", "cite", ("a", "b")))), table_of("plain")))
    assert re.findall(r'href="#reference-(\w)">(\d)<', made) == [("a", "1"), ("b", "2")]
    assert {one.get("data-sort") for one in Page(made).all("td")} == {"plain", None}

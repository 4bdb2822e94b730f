"""Specs, for reading: the list, one with its words side by side, and its files."""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.web.hostile import PRINTABLE
from tests.web.specs_forms import Desk
from tiltmeter import specs

DRAFT = '[groups.a]\nterms = ["he", "man"]\n[groups.b]\nterms = ["he"]\n'


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_the_list_has_the_library_and_ones_own(desk: Desk) -> None:
    desk.write("mine", specs.skeleton("mine"))
    page = desk.get("/specs").text
    assert all(f'href="/specs/library/{name}"' in page for name in specs.names())
    assert 'href="/specs/own/mine"' in page
    assert 'class="badge warn">draft' not in page


def test_a_search_finds_terms_and_says_which(desk: Desk) -> None:
    page = desk.get("/specs?q=phlebotomist").text
    assert re.findall(r'href="/specs/library/([^"]*)"', page) == ["gender-professions"]
    assert "<q>phlebotomist</q>" in page
    assert "specs have" in desk.get("/specs?q=zebra+crossing+guard").text


def test_a_search_can_be_for_ones_own_only(desk: Desk) -> None:
    desk.write("mine", specs.skeleton("mine"))
    page = desk.get("/specs?whose=own").text
    assert "/specs/own/mine" in page
    assert "/specs/library/" not in page


def test_a_draft_is_marked_and_says_why(desk: Desk) -> None:
    desk.write("broken", DRAFT)
    assert "draft</span>" in desk.get("/specs").text
    page = desk.get("/specs/own/broken").text
    assert "No study can use this spec yet" in page
    assert "no counterpart" in page
    assert "the same word" in page
    assert "/json" not in page


@pytest.mark.parametrize("name", specs.names())
def test_every_spec_of_the_library_is_shown_whole(desk: Desk, name: str) -> None:
    page, spec = desk.get(f"/specs/library/{name}").text, specs.load(name)
    assert str(escape(spec.title)) in page
    for words in (*spec.groups, *spec.attributes):
        assert all(f">{escape(term)}<" in page for term in words.terms)
    assert page.count('<mark class="group">[T]</mark>') > len(spec.templates) - 1
    assert 'details class="warning"' in page


def test_counterparts_stand_in_one_row(desk: Desk) -> None:
    page = desk.get("/specs/library/gender-professions").text
    assert '<th class="number" scope="row">3</th><td>brother</td><td>sister</td>' in page


def test_a_group_that_nobody_compares_misses_no_counterpart(desk: Desk) -> None:
    page = desk.get("/specs/library/professions-pronouns").text
    assert "<td>theirs</td>" in page
    assert "no counterpart" not in page


def test_the_files_are_what_was_written(desk: Desk) -> None:
    answer = desk.get("/specs/library/gender-math-arts/toml")
    assert answer.text == specs.library_text("gender-math-arts")
    assert "gender-math-arts.toml" in answer.headers["Content-Disposition"]
    [entry] = json.loads(desk.get("/specs/library/gender-math-arts/json").text)
    assert entry["social_groups"]


def test_what_autobiastest_cannot_say_is_refused_with_the_reason(desk: Desk) -> None:
    assert "Not for AutoBiasTest" in desk.get("/specs/library/regard-six-groups").text
    answer = desk.get("/specs/library/regard-six-groups/json")
    assert answer.status_code == 422
    assert "compares 3 pairs of groups" in answer.text


@pytest.mark.parametrize(
    "path", ["/specs/own/nothing", "/specs/library/nothing", "/specs/own/nothing/edit", "/specs/none/x"]
)
def test_a_spec_that_is_not_there_is_a_sentence(desk: Desk, path: str) -> None:
    answer = desk.get(path)
    assert answer.status_code in (404, 422)
    assert re.search("there is no (list of )?spec", answer.text)


def test_a_file_that_is_no_text_does_not_take_the_list_away(desk: Desk) -> None:
    desk.write("whole", specs.skeleton("whole"))
    (desk.specs / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    page = desk.get("/specs")
    assert page.status_code == 200
    assert "not UTF-8 text" in page.text
    assert desk.get("/specs/own/bytes").status_code == 200
    answer = desk.get("/specs/own/bytes/edit")
    assert answer.status_code == 422
    assert str(desk.specs) not in answer.text


@pytest.mark.parametrize("text", PRINTABLE)
def test_hostile_words_are_only_words(desk: Desk, text: str) -> None:
    quoted = json.dumps(text, ensure_ascii=False)
    desk.write(
        "hostile",
        f"name = {quoted}\ntitle = {quoted}\ncitation = {quoted}\ntemplates = [{quoted}]\n"
        f"[groups.{quoted}]\nterms = [{quoted}]\n[groups.b]\nterms = [{quoted}]\n"
        f"[attributes.{quoted}]\nterms = [{quoted}]\nstereotype_of = {quoted}\n",
    )
    for path in (
        "/specs",
        "/specs/new",
        "/specs/own/hostile",
        *(f"/specs/own/hostile/edit?as={m}" for m in ("form", "toml")),
    ):
        page = desk.get(path)
        assert page.status_code == 200
        for sign in (
            "<script>window",
            "<img src=x",
            "<svg/onload",
            "<div hx-get='/specs' hx-trigger='load'",
            "<div sse",
        ):
            assert sign not in page.text, path


def test_hostile_names_of_files_can_be_opened(desk: Desk) -> None:
    # The test client reads %25 twice over; a browser is asked about such names elsewhere.
    names = [name for name in PRINTABLE if not {"/", "%"} & {*name} and len(name.encode()) < 200]
    assert len(names) > 8
    for name in names:
        desk.write(name, specs.skeleton("x"))
        assert f"/specs/own/{quote(name, safe='')}" in desk.get("/specs").text
        assert desk.get(f"/specs/own/{quote(name, safe='')}/edit").status_code == 200
        fields = desk.editor(quote(name, safe=""))
        fields["title"] = ["changed"]
        assert desk.send("PUT", f"/specs/own/{quote(name, safe='')}", fields).status_code == 200
        assert "changed" in desk.read(name)

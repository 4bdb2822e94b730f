from __future__ import annotations

import json

import pytest

from tiltmeter.errors import InvalidData
from tiltmeter.sources.natural import words
from tiltmeter.sources.natural.cleaning import clean, split
from tiltmeter.sources.natural.corpus import read_corpus
from tiltmeter.sources.natural.lists import read_leave_out


def test_the_three_kinds_of_corpus_are_read(tmp_path) -> None:
    bold = tmp_path / "wiki.json"
    bold.write_text(json.dumps({"kitchens": {"Sous_chef": ["A sous chef cooks.Chefs do too."]}}), encoding="utf-8")
    assert [(one.place, one.article, one.text) for one in read_corpus(bold)] == [
        ("kitchens/Sous_chef/0.1", "Sous chef", "A sous chef cooks."),
        ("kitchens/Sous_chef/0.2", "Sous chef", "Chefs do too."),
    ]
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"body": "A cook cooks.", "title": "Cook"}) + "\n", encoding="utf-8")
    assert [(one.place, one.article) for one in read_corpus(rows, field="body")] == [("line 1", "Cook")]
    with pytest.raises(InvalidData, match="line 1: has nothing under `text`; name the field"):
        read_corpus(rows)
    text = tmp_path / "text.txt"
    text.write_text("A cook is\nsomebody. A chef\nis too.\n\nThe end\n", encoding="utf-8")
    assert [(one.place, one.text) for one in read_corpus(text)] == [
        ("paragraph 1.1", "A cook is somebody."),
        ("paragraph 1.2", "A chef is too."),
        ("paragraph 2", "The end"),
    ]


@pytest.mark.parametrize("content", [[1], {"a": 1}, {"a": {"b": "c"}}, {"a": {"b": [1]}}])
def test_another_form_of_json_is_refused(tmp_path, content) -> None:
    path = tmp_path / "wiki.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(InvalidData, match="not a corpus that can be read"):
        read_corpus(path)


def test_an_empty_corpus_is_refused(tmp_path) -> None:
    (tmp_path / "empty.txt").write_text("\n", encoding="utf-8")
    with pytest.raises(InvalidData, match="it has no sentences"):
        read_corpus(tmp_path / "empty.txt")


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("A cook[3][citation needed] cooks.", "A cook cooks."),
        ("A maître d' (/ˌmɛtrə ˈdiː/; also MD) waits.", "A maître d' waits."),
        ("A cook (one (or two)) cooks.", "A cook cooks."),
        ("A cook  cooks (cf.", "A cook cooks"),
        ("A “cook” cooks.", 'A "cook" cooks.'),
        ("A cook, often referred to as a chef or simply a hand, is busy.", "A cook is busy."),
        ("A presenter – also known as an anchor – is busy.", "A presenter is busy."),
        ("A cook , ever kind , cooks.", "A cook, ever kind, cooks."),
    ],
)
def test_asides_citations_and_odd_signs_go(given, text) -> None:
    assert clean(given).text == text


def test_short_forms_and_initials_end_no_sentence() -> None:
    assert split("Dr. A. Cook works in the U.S. Army. She cooks!") == [
        "Dr. A. Cook works in the U.S. Army.",
        "She cooks!",
    ]


def test_an_article_without_a_sentence_is_not_lost(tmp_path) -> None:
    bold = tmp_path / "wiki.json"
    bold.write_text(json.dumps({"trades": {"Cobbler": [], "Cook": ["A cook cooks."]}}), encoding="utf-8")
    assert [(one.article, one.text) for one in read_corpus(bold)] == [("Cobbler", ""), ("Cook", "A cook cooks.")]
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"title": "Cobbler", "text": ""}\n{"text": ""}\n{"text": "It rained."}\n', encoding="utf-8")
    assert [(one.place, one.article, one.text) for one in read_corpus(rows)] == [
        ("line 1", "Cobbler", ""),
        ("line 3", "", "It rained."),
    ]


@pytest.mark.parametrize("name", ["p.csv", "p.tsv", "P.PARQUET"])
def test_a_table_is_not_read_as_prose(tmp_path, name) -> None:
    (tmp_path / name).write_text("text,profession\nA cook cooks.,cook\n", encoding="utf-8")
    with pytest.raises(InvalidData, match="a table is not a corpus; give plain text, JSON lines"):
        read_corpus(tmp_path / name)


@pytest.mark.parametrize(
    "name",
    [
        "waitress", "fireman", "showgirl", "ballet master", "Drag Queen", "road foreman of engines", "housewife",
        "househusband", "landlord", "heroine", "godfather", "dominatrix", "showgirl", "sultan", "waiter", "waiters",
        "voice actor", "foster mother", "drug lord", "pope",
    ],
)  # fmt: skip
def test_gendered_professions_are_known(name) -> None:
    assert words.gendered(name)


@pytest.mark.parametrize(
    "name",
    [
        "firefighter",
        "midwife",
        "masseter therapist",
        "German teacher",
        "business analyst",
        "shaman",
        "barber",
        "priest",
        "bishop",
        "talk show host",
        "factory hand",
        "marine",
        "fatherhood coach",
    ],
)
def test_others_are_not_taken_for_gendered(name) -> None:
    assert not words.gendered(name)


def test_a_list_that_says_how_gendered_each_is_leaves_out_those_that_are(tmp_path) -> None:
    path = tmp_path / "list.json"
    path.write_text(json.dumps([["fire_chief", 0.1, 0.9], ["altar_boy", 1.0, 0.0]]), encoding="utf-8")
    assert read_leave_out(path) == ["altar boy"]
    path.write_text(json.dumps(["cook", "usher"]), encoding="utf-8")
    assert read_leave_out(path) == ["cook", "usher"]

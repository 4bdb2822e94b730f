"""What somebody new meets: questions with what they can detect, word lists from a spreadsheet, terms explained."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from tests.web.bench import opened
from tests.web.specs_forms import Desk
from tiltmeter import specs
from tiltmeter.web.glossary import GLOSSARY
from tiltmeter.web.studies.presets import PRESETS, QUESTIONS, planned_preset

LISTS = "Women,Men,Nursing words,Flying words\nshe,he,nurse,pilot\nmy sister,my brother,midwife,captain\n"


def test_home_leads_with_a_sentence_and_a_question(tmp_path: Path) -> None:
    links = re.findall(r'<li><a href="([^"]+)"', opened(tmp_path).get("/").text.partition("<main")[2])
    assert links[:2] == ["/playground", "/studies/new"]


def test_a_new_study_is_three_questions_in_three_sizes(tmp_path: Path) -> None:
    page = opened(tmp_path).get("/studies/new").text
    assert len(QUESTIONS) == 3
    assert re.findall(r"estimate\?preset=([\w-]+)", page) == [one.key for one in PRESETS]


@pytest.mark.parametrize("key", [one.key for one in PRESETS if not one.key.startswith("prefers-large")])
def test_every_size_can_answer_and_says_what_it_detects(tmp_path: Path, key: str) -> None:
    answer = opened(tmp_path).get(f"/studies/new/estimate?preset={key}")
    assert answer.status_code == 200
    assert re.search(r"\b[01]\.\d standard deviations", answer.text)


def test_a_larger_study_detects_no_less(tmp_path: Path) -> None:
    client = opened(tmp_path)
    found = [client.get(f"/studies/new/estimate?preset=expects-{size}").text for size in ("small", "medium", "large")]
    effects = [float(re.search(r"(\d\.\d) standard", one)[1]) for one in found]  # type: ignore[index]
    assert effects == sorted(effects, reverse=True)
    assert effects[0] > effects[-1]
    assert planned_preset("expects-small") is planned_preset("expects-small")


def test_word_lists_of_a_spreadsheet_become_a_spec(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    answer = desk.send("POST", "/specs/new/file", {"text": LISTS, "name": "jobs"})
    assert answer.headers["HX-Redirect"] == "/specs/own/jobs/edit"
    made = specs.read(desk.specs / "jobs.toml")
    assert [(group.name, group.noun) for group in made.groups] == [("women", "Women"), ("men", "Men")]
    assert {one.name: (one.terms, one.stereotype_of) for one in made.attributes} == {
        "nursing-words": (("nurse", "midwife"), ("women",)),
        "flying-words": (("pilot", "captain"), ("men",)),
    }


@pytest.mark.parametrize(("kind", "sentence"), [("things", "[T] likes [A]"), ("people", "[T] is a [A]")])
def test_the_first_sentences_fit_the_kind_of_words(tmp_path: Path, kind: str, sentence: str) -> None:
    desk = Desk(tmp_path)
    desk.send("POST", "/specs/new/file", {"text": LISTS, "name": "jobs", "word_kind": kind})
    assert specs.read(desk.specs / "jobs.toml").templates[0] == sentence
    assert 'href="/studies/new?spec=jobs"' in opened(tmp_path).get("/studies/new").text


@pytest.mark.parametrize("text", ["one,two\na,b\n", "a,a,a\n1,2,3\n", "no table at all"])
def test_what_is_no_table_of_lists_is_refused(tmp_path: Path, text: str) -> None:
    desk = Desk(tmp_path)
    assert desk.send("POST", "/specs/new/file", {"text": text, "name": ""}).status_code == 422
    assert not desk.specs.is_dir()


def test_scorers_of_masked_models_are_folded_away_for_causal_ones(tmp_path: Path) -> None:
    client = opened(tmp_path)
    folded = {
        model: "<details><summary>Masked" in client.get(f"/studies/new?preset=prefers-small&model={model}").text
        for model in ("smollm2-135m", "hf:org/name")
    }
    assert folded == {"smollm2-135m": True, "hf:org/name": False}


def test_a_model_behind_an_api_is_offered_where_a_name_is_unknown(tmp_path: Path) -> None:
    text = 'name = "x"\nmodels = ["gpt-4"]\nspecs = ["gender-math-arts"]\n[pairs]\n'
    assert "api:gpt-4@URL" in opened(tmp_path).post("/studies/check", data={"toml": text}).text


def test_every_page_carries_what_its_terms_mean(tmp_path: Path) -> None:
    client = opened(tmp_path)
    for path in ("/", "/glossary"):
        page = html.unescape(client.get(path).text)
        assert all(
            f'<dd id="means-{name.replace(" ", "-")}">{meaning}</dd>' in page for name, meaning in GLOSSARY.items()
        )

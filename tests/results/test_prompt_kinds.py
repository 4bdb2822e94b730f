"""Which sources of a run are compared as sentences and templates."""

from __future__ import annotations

import pytest

from tiltmeter.results.summary.next_word_cells import NextWordCell
from tiltmeter.results.summary.next_words import Expected, summarise_next_words
from tiltmeter.results.summary.prompt_kinds import kind_contrasts
from tiltmeter.results.summary.prompts import by_perturbation
from tiltmeter.stats.views.lengths import lengths

PROFESSIONS = [f"p{number}" for number in range(8)]
SETS = (("male", ("he",)), ("female", ("she",)))


def cell(source: str, items: list[Expected], *, model: str = "m", words: str = "w") -> NextWordCell:
    summary = summarise_next_words(by_perturbation(items))
    return NextWordCell(model, source, "professions", words, SETS, False, "sum", summary, lengths([]), items=items)


def sentences(source: str, male: float, **more: str) -> NextWordCell:
    items = [Expected(one, one, f"sentence of {one}", {"male": male, "female": 0.1}) for one in PROFESSIONS]
    return cell(source, items, **more)


def templates(source: str = "templates", **more: str) -> NextWordCell:
    items = [
        Expected(f"{one}/{name}", one, name, {"male": 0.3 + at / 100, "female": 0.1})
        for one in [*PROFESSIONS, "another"]
        for at, name in enumerate(("said", "ate", "ran", "slept", "left"))
    ]
    return cell(source, items, **more)


def test_every_source_of_sentences_is_held_against_templates() -> None:
    found = kind_contrasts([templates(), sentences("natural", 0.2), sentences("mine", 0.6)])
    assert [(one.sentences, one.templates, one.pair, one.professions) for one in found] == [
        ("natural", "templates", "male/female", 8),
        ("mine", "templates", "male/female", 8),
    ]
    assert found[0].measures["difference"].value == pytest.approx(0.2 - 0.32)
    assert found[1].measures["absolute_difference"].value == pytest.approx(0.6 - 0.32)
    assert {"share", "log_ratio", "kl"} <= {*found[0].measures}
    assert found[0].as_json()["measures"]["difference"]["n"] == 40


def test_cells_of_other_models_or_words_are_not_mixed() -> None:
    assert kind_contrasts([templates(), sentences("natural", 0.2, model="other")]) == ()
    assert kind_contrasts([templates(), sentences("natural", 0.2, words="other")]) == ()
    assert kind_contrasts([sentences("natural", 0.2), sentences("mine", 0.3)]) == ()
